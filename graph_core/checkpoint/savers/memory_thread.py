"""A thread in memory."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias, final

import attrs

from graph_core.checkpoint.codec import Codec, Folder, KeptRecord, fresh_mapping, fresh_record
from graph_core.checkpoint.errors import not_the_head, unknown_checkpoint
from graph_core.checkpoint.retention import Cut, Link, in_one
from graph_core.checkpoint.thread import ThreadState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graph_core.checkpoint.changes import PackedChanges
    from graph_core.checkpoint.checkpoint import Checkpoint
    from graph_core.checkpoint.thread import ThreadStatus

Linked: TypeAlias = "tuple[Entry | None, PackedChanges]"


@final
class Entry:
    """A checkpoint; its data, metadata and records in the form in which they are kept.

    `link` is the entry whose state this one builds on, with its own changes: both are exchanged at
    once by a pruning, so that a reader needs no lock.
    """

    __slots__ = ("checkpoint", "data", "link", "metadata", "records")

    def __init__(self, checkpoint: Checkpoint, link: Linked, data: Any, metadata: Any) -> None:
        self.checkpoint = checkpoint
        self.link = link
        self.data = data
        self.metadata = metadata
        self.records: list[KeptRecord] = []


@final
class Thread:
    """A thread; `owner` is empty if no run holds it."""

    __slots__ = ("data", "entries", "heads", "metadata", "owner", "prune_at", "status")

    def __init__(self) -> None:
        self.owner = ""
        self.status: ThreadStatus = "new"
        self.data: Any = None
        self.metadata: Any = None
        self.entries: dict[str, Entry] = {}
        self.heads: dict[tuple[str, ...], Entry] = {}
        self.prune_at = 0

    def base_of(self, checkpoint: Checkpoint, fork: bool) -> Entry | None:  # noqa: FBT001  (as the saver's verb has it)
        """Give the entry that a new one builds on.

        Raises:
            LostThreadError: it does not follow on the head and is no fork.
            UnknownCheckpointError: it forks from one that the path does not hold.
        """
        parent = checkpoint.parent_id
        head = self.heads.get(checkpoint.path)
        if (None if head is None else head.checkpoint.id) == parent:
            return head
        if not fork:
            raise not_the_head(checkpoint.thread_id, parent, None if head is None else head.checkpoint.id)
        return None if parent is None else self.entry(checkpoint.thread_id, parent, checkpoint.path)

    def entry(self, thread_id: str, checkpoint_id: str, path: tuple[str, ...] | None = None) -> Entry:
        """Give an entry by its id, of a path if one is given.

        Raises:
            UnknownCheckpointError: there is none.
        """
        found = self.entries.get(checkpoint_id)
        if found is None or path not in {None, found.checkpoint.path}:
            raise unknown_checkpoint(thread_id, checkpoint_id, reversed(self.entries))
        return found

    def links(self) -> list[Link[str]]:
        """Give what a pruning looks at."""
        found: list[Link[str]] = []
        for id_, entry in self.entries.items():
            base, own = entry.link[0], entry.checkpoint
            found.append(Link(id_, None if base is None else base.checkpoint.id, own.path, own.created_at))
        return found

    def prune(self, cut: Cut[str]) -> int:
        """Fold what goes into what stays."""
        for id_, base, between in cut.rebased:
            entry = self.entries[id_]
            steps = [self.entries[gone].link[1] for gone in between]
            entry.link = (None if base is None else self.entries[base], in_one([*steps, entry.link[1]]))
        for id_ in cut.dropped:
            del self.entries[id_]
        return len(cut.dropped)

    def copy(self, thread_id: str) -> Thread:
        """Copy the thread under another id, without an owner."""
        new = Thread()
        new.status, new.data, new.metadata, new.prune_at = self.status, self.data, self.metadata, self.prune_at
        for id_, entry in self.entries.items():
            base, changes = entry.link
            link = (None if base is None else new.entries[base.checkpoint.id], changes)
            own = attrs.evolve(entry.checkpoint, thread_id=thread_id)
            new.entries[id_] = new.heads[own.path] = Entry(own, link, entry.data, entry.metadata)
            new.entries[id_].records = entry.records[:]
        return new


@final
class Reader:
    """Gives what is kept anew, in records of the reader's own."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec

    def thread(self, thread_id: str, thread: Thread) -> ThreadState:
        """Give what is stored of a thread besides its history."""
        head = thread.heads.get(())
        return ThreadState(
            thread_id=thread_id,
            status=thread.status,
            owner=thread.owner or None,
            is_live=bool(thread.owner),
            head=None if head is None else head.checkpoint.id,
            data=fresh_mapping(self._codec, thread.data, "$.data"),
            metadata=self.metadata(thread),
        )

    def metadata(self, kept: Entry | Thread) -> Mapping[str, Any]:
        """Give the metadata of a checkpoint or a thread."""
        return fresh_mapping(self._codec, kept.metadata, "$.metadata")

    def checkpoints(self, newest_first: Iterable[Entry]) -> tuple[Checkpoint, ...]:
        """Give checkpoints with their states and records."""
        folder = Folder[Entry](self._codec, attrgetter("link"))
        found = [self._checkpoint(folder, entry) for entry in reversed([*newest_first])]
        return tuple(reversed(found))

    def _checkpoint(self, folder: Folder[Entry], entry: Entry) -> Checkpoint:
        return attrs.evolve(
            entry.checkpoint,
            state=folder.state(entry),
            records=tuple([fresh_record(self._codec, record) for record in entry.records]),
            data=fresh_mapping(self._codec, entry.data, "$.data"),
            metadata=self.metadata(entry),
        )
