"""Keeps threads in the memory of one process."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, final

import attrs

from graph_core.checkpoint.base_saver import BaseCheckpointSaver
from graph_core.checkpoint.checkpoint import NOTHING
from graph_core.checkpoint.codec import CopyCodec, SerializerCodec, ValueSerializer, kept_mapping, kept_record, packed
from graph_core.checkpoint.errors import busy, duplicate_checkpoint, lost, thread_exists, unknown_thread
from graph_core.checkpoint.filters import holds
from graph_core.checkpoint.ids import check_id, check_options
from graph_core.checkpoint.retention import Retention, cut
from graph_core.checkpoint.savers.memory_thread import Entry, Reader, Thread
from graph_core.checkpoint.thread import Tag
from graph_core.serializer import Serializer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from graph_core.checkpoint.changes import Change
    from graph_core.checkpoint.checkpoint import BranchRecord, Checkpoint
    from graph_core.checkpoint.thread import ThreadState, ThreadStatus


@final
class MemorySaver(BaseCheckpointSaver):
    """Keeps threads in memory, for one process: copies of what changed.

    Values need no registration, but have to be such that `copy.deepcopy` can copy them.

    Args:
        serialize: keep what a serializer writes instead of copies, as savers do that write files.
        serializer: the one to use, which implies `serialize`.
        retention: how much history is kept, if not all; exact when a thread is given back.
        clock: gives the seconds since 1970; only retention by age asks it.

    >>> saver = MemorySaver()
    >>> saver.take("t", "run").status
    'new'
    >>> saver.give_back("t", "run", "done")
    >>> saver.state_of("t").status
    'done'
    """

    blocks: ClassVar[bool] = False

    def __init__(
        self,
        *,
        serialize: bool = False,
        serializer: ValueSerializer | None = None,
        retention: Retention | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_options(retention, clock, serializer)
        used = Serializer() if serializer is None and serialize else serializer
        self._serializer = used
        self._codec = CopyCodec() if used is None else SerializerCodec(used)
        self._reader = Reader(self._codec)
        self._retention = retention
        self._clock = clock
        self._threads: dict[str, Thread] = {}
        self._lock = RLock()  # a value's own `__deepcopy__` may come back here

    @property
    def serializer(self) -> ValueSerializer | None:
        """What writes the values; `None` if copies are kept."""
        return self._serializer

    def with_serializer(self, serializer: ValueSerializer) -> Self:
        """Give the same saver with another serializer; itself if it keeps copies."""
        if self._serializer is None:
            return self
        other = type(self)(serializer=serializer, retention=self._retention, clock=self._clock)
        vars(other).update(_threads=self._threads, _lock=self._lock)
        return other

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: a copy in another process would know other threads."""
        raise TypeError("a MemorySaver lives in one process and can not be pickled; use DatabaseSaver(url) there")

    # --- a run and its thread ---------------------------------------------------------------------------------------

    def take(
        self,
        thread_id: str,
        run_id: str,
        *,
        lease: float = 30.0,  # noqa: ARG002  (whoever holds a thread lives as long as the threads do)
        take_over: bool = False,
        create: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> ThreadState:
        """Take a thread for a run."""
        check_id("thread_id", thread_id)
        check_id("run_id", run_id)
        with self._lock:
            thread = self._threads.get(thread_id)
            if thread is None and not create:
                raise unknown_thread(thread_id, self._threads)
            if thread is not None and thread.owner and not take_over:
                raise busy(thread_id, thread.owner)
            thread = Thread() if thread is None else thread
            found = self._reader.thread(thread_id, thread)
            if metadata:
                thread.metadata = kept_mapping(self._codec, {**found.metadata, **metadata}, "$.metadata")
            thread.owner, thread.status = run_id, "running"
            self._threads[thread_id] = thread
        return found

    def renew(self, thread_id: str, run_id: str, lease: float = 30.0) -> None:  # noqa: ARG002  (there is none)
        """Do nothing if the run holds the thread: there is no lease."""
        with self._lock:
            self._held(thread_id, run_id)

    def give_back(
        self, thread_id: str, run_id: str, status: ThreadStatus, data: Mapping[str, Any] | None = None
    ) -> None:
        """Give a thread back, and store how the run ended."""
        kept = kept_mapping(self._codec, data or NOTHING, "$.data")
        with self._lock:
            thread = self._held(thread_id, run_id)
            thread.owner, thread.status, thread.data = "", status, kept
            self._prune(thread, self._retention)

    def put(self, checkpoint: Checkpoint, changes: Mapping[str, Change], *, run_id: str, fork: bool = False) -> None:
        """Store a checkpoint."""
        kept = packed(self._codec, changes)
        data = metadata = None
        if checkpoint.data or checkpoint.metadata or checkpoint.state or checkpoint.records:
            data = kept_mapping(self._codec, checkpoint.data, "$.data")
            metadata = kept_mapping(self._codec, checkpoint.metadata, "$.metadata")
            checkpoint = attrs.evolve(checkpoint, state=NOTHING, records=(), data=NOTHING, metadata=NOTHING)
        with self._lock:
            thread = self._held(checkpoint.thread_id, run_id)
            base = thread.base_of(checkpoint, fork)
            entries = thread.entries
            if checkpoint.id in entries:
                raise duplicate_checkpoint(checkpoint.thread_id, checkpoint.id)
            entries[checkpoint.id] = thread.heads[checkpoint.path] = Entry(checkpoint, (base, kept), data, metadata)
            if self._retention is not None and len(entries) > thread.prune_at:
                self._prune(thread, self._retention)
                thread.prune_at = 16 + len(entries) * 5 // 4  # so that the cost of a pruning is shared by many

    def put_records(self, thread_id: str, checkpoint_id: str, records: Sequence[BranchRecord], *, run_id: str) -> None:
        """Append branch records to a checkpoint."""
        kept = [kept_record(self._codec, record) for record in records]
        with self._lock:
            self._held(thread_id, run_id).entry(thread_id, checkpoint_id).records.extend(kept)

    # --- reading ----------------------------------------------------------------------------------------------------

    def get(
        self, thread_id: str, checkpoint_id: str | None = None, *, path: tuple[str, ...] | None = None
    ) -> Checkpoint | None:
        """Give a checkpoint with its state and records."""
        with self._lock:
            thread = self._threads.get(thread_id, Thread())
            if checkpoint_id is None:
                entry = thread.heads.get(path or ())
            else:
                entry = thread.entry(thread_id, checkpoint_id, path)
        return None if entry is None else self._reader.checkpoints((entry,))[0]

    def list(
        self,
        thread_id: str,
        *,
        limit: int | None = None,
        before: str | None = None,
        path: tuple[str, ...] = (),
        where: Mapping[str, Any] | None = None,
    ) -> Sequence[Checkpoint]:
        """Give a path's checkpoints, newest first."""
        with self._lock:
            thread = self._threads.get(thread_id, Thread())
            last = None if before is None else thread.entry(thread_id, before, path)
            entries = [entry for entry in thread.entries.values() if entry.checkpoint.path == path]
        older = entries if last is None else entries[: entries.index(last)]
        found = (entry for entry in reversed(older) if not where or holds(self._reader.metadata(entry), where))
        return self._reader.checkpoints(islice(found, limit))

    def state_of(self, thread_id: str) -> ThreadState | None:
        """Give what is stored of a thread besides its history."""
        with self._lock:
            thread = self._threads.get(thread_id)
            return None if thread is None else self._reader.thread(thread_id, thread)

    def threads(
        self,
        *,
        prefix: str = "",
        limit: int | None = None,
        after: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Sequence[str]:
        """Give the ids of threads in the order in which they were made."""
        with self._lock:
            known = dict(self._threads)
        if after is not None and after not in known:
            raise unknown_thread(after, known)
        ids = [*known]
        begin = 0 if after is None else ids.index(after) + 1
        found = (
            id_
            for id_ in islice(ids, begin, None)
            if id_.startswith(prefix) and (not where or holds(self._reader.metadata(known[id_]), where))
        )
        return tuple(islice(found, limit))

    # --- keeping house ----------------------------------------------------------------------------------------------

    def delete(self, thread_id: str, *, run_id: str | None = None) -> bool:
        """Delete a thread with all it holds."""
        with self._lock:
            return self._taken_out(thread_id, run_id) is not None

    def release(self, thread_id: str, *, run_id: str | None = None) -> Tag:
        """Take a thread's checkpoints out of the saver."""
        with self._lock:
            thread = self._taken_out(thread_id, run_id)
            if thread is None:
                raise unknown_thread(thread_id, self._threads)
        return Tag(thread_id, self._reader.checkpoints(reversed(thread.entries.values())))

    def copy(self, thread_id: str, new_thread_id: str) -> None:
        """Copy a thread under another id."""
        check_id("new_thread_id", new_thread_id)
        with self._lock:
            thread = self._known(thread_id)
            if new_thread_id in self._threads:
                raise thread_exists(new_thread_id)
            self._threads[new_thread_id] = thread.copy(new_thread_id)

    def prune(self, thread_id: str, retention: Retention | None = None) -> int:
        """Drop what retention does not keep."""
        with self._lock:
            return self._prune(self._known(thread_id), retention or self._retention)

    # --- inside -----------------------------------------------------------------------------------------------------

    def _held(self, thread_id: str, run_id: str) -> Thread:
        thread = self._threads.get(thread_id)
        if thread is None or thread.owner != run_id:
            raise lost(thread_id, run_id, None if thread is None else thread.owner)
        return thread

    def _known(self, thread_id: str) -> Thread:
        thread = self._threads.get(thread_id)
        if thread is None:
            raise unknown_thread(thread_id, self._threads)
        return thread

    def _taken_out(self, thread_id: str, run_id: str | None) -> Thread | None:
        thread = self._threads.get(thread_id)
        if thread is not None and thread.owner not in {"", run_id}:
            raise busy(thread_id, thread.owner)
        return self._threads.pop(thread_id, None)

    def _prune(self, thread: Thread, retention: Retention | None) -> int:
        if retention is None:
            return 0
        return thread.prune(cut(thread.links(), retention, datetime.fromtimestamp(self._clock(), UTC)))
