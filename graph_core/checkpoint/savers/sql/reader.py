"""What is read of threads and histories, inside a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from graph_core.checkpoint.codec import Folder
from graph_core.checkpoint.errors import CheckpointSaverError, unknown_checkpoint, unknown_thread
from graph_core.checkpoint.filters import holds
from graph_core.checkpoint.ids import is_id
from graph_core.checkpoint.savers.sql.frames import unframed
from graph_core.checkpoint.savers.sql.rows import ThreadRow, checkpoint, hashed, metadata_of, path_text, record
from graph_core.exception import GraphRunnerException

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from graph_core.checkpoint.changes import PackedChanges
    from graph_core.checkpoint.checkpoint import Checkpoint
    from graph_core.checkpoint.codec import Codec
    from graph_core.checkpoint.savers.sql.transaction import Transaction

PAGE = 256
NAMED = 6


@final
class Way:
    """The checkpoints of a thread from one to the first, read in pages, each only once."""

    def __init__(self, transaction: Transaction, pk: int) -> None:
        self._transaction = transaction
        self._pk = pk
        self._rows: dict[int, tuple[int, bytes, bytes | None]] = {}

    def read(self, seq: int, count: int) -> None:
        """Read so many checkpoints from one on, backwards."""
        for found, *link in self._transaction.rows("way", p_pk=self._pk, p_seq=seq, p_limit=count):
            self._rows[found] = (link[0], link[1], link[2])

    def link(self, seq: int) -> tuple[int | None, PackedChanges]:
        """Give the checkpoint that one builds on, with its own changes; none if there is a fold of both.

        Raises:
            CheckpointSaverError: it builds on one that is not there, or is not older.
        """
        if seq not in self._rows:
            self.read(seq, PAGE)
        base, changes, fold = self._rows.pop(seq, (seq, b"", None))
        if base >= seq:
            raise _damaged(self._pk, seq)
        return (base or None, unframed(changes)) if fold is None else (None, unframed(fold))


def thread_row(transaction: Transaction, thread_id: str, name: str = "thread") -> ThreadRow | None:
    """Give a thread's row, if there is one."""
    found = transaction.row(name, p_hash=hashed(thread_id))
    return None if found is None else ThreadRow(*found)


def known_thread(transaction: Transaction, thread_id: str, name: str = "thread") -> ThreadRow:
    """Give a thread's row.

    Raises:
        UnknownThreadError: there is none.
    """
    found = thread_row(transaction, thread_id, name)
    if found is None:
        raise unknown_thread(thread_id, [id_ for (id_,) in transaction.rows("known", p_limit=NAMED)])
    return found


def row_by_id(
    transaction: Transaction, thread_id: str, pk: int, checkpoint_id: str, path: tuple[str, ...] | None
) -> Sequence[Any]:
    """Give a checkpoint's row, of a path if one is given.

    Raises:
        UnknownCheckpointError: there is none.
    """
    found = transaction.row("by_id", p_pk=pk, p_id=checkpoint_id) if is_id(checkpoint_id) else None
    if found is None or (path is not None and found[2] != path_text(path)):
        ids = [id_ for (id_,) in transaction.rows("ids", p_pk=pk, p_limit=NAMED)]
        raise unknown_checkpoint(thread_id, checkpoint_id, ids)
    return found


def head_row(transaction: Transaction, thread: ThreadRow, path: tuple[str, ...]) -> Sequence[Any] | None:
    """Give the row of the head of a path, if it has one."""
    if path:
        return transaction.row("head", p_pk=thread.pk, p_path=path_text(path), p_limit=1)
    return transaction.row("by_seq", p_pk=thread.pk, p_seq=thread.head)


def head_id(transaction: Transaction, thread: ThreadRow) -> str | None:
    """Give the id of the head of path `()`."""
    found = head_row(transaction, thread, ())
    return None if found is None else found[0]


def rows_of(
    transaction: Transaction,
    codec: Codec,
    pk: int,
    *,
    path: tuple[str, ...],
    before: int,
    where: Mapping[str, Any] | None,
) -> Iterator[Sequence[Any]]:
    """Give the rows of a path before one, newest first, in pages."""
    while True:
        page = transaction.rows("older", p_pk=pk, p_path=path_text(path), p_seq=before, p_limit=PAGE)
        for row in page:
            if not where or holds(metadata_of(codec, row), where):
                yield row
        if len(page) < PAGE:
            return
        before = page[-1][10]


def checkpoints(
    transaction: Transaction, codec: Codec, thread: ThreadRow, newest_first: Sequence[Sequence[Any]]
) -> tuple[tuple[Checkpoint, ...], Folder[int]]:
    """Give the checkpoints of rows, with their states and records, and what folded the states."""
    way = Way(transaction, thread.pk)
    folder = Folder(codec, way.link)
    if newest_first:
        way.read(newest_first[0][10], newest_first[0][10] - newest_first[-1][10] + 1)
    found: list[Checkpoint] = []
    for row in reversed(newest_first):
        lines = transaction.rows("records", p_pk=thread.pk, p_seq=row[10])
        try:
            records = tuple([record(codec, line) for line in lines])
            found.append(checkpoint(codec, thread.id, row, folder.state(row[10]), records))
        except GraphRunnerException:
            raise
        except Exception as error:  # rows that this package has not written
            raise _damaged(thread.pk, row[10], error) from error
    return tuple(reversed(found)), folder


def _damaged(pk: int, seq: int, error: Exception | None = None) -> CheckpointSaverError:
    more = "" if error is None else f" ({type(error).__name__}: {error})"
    text = f"the rows of thread number {pk} are damaged at checkpoint number {seq}{more}; restore a copy"
    return CheckpointSaverError(text)


def thread_ids(
    transaction: Transaction, codec: Codec, prefix: str, after: int, where: Mapping[str, Any] | None
) -> Iterator[str]:
    """Give the ids of threads made after one, in pages."""
    while True:
        page = transaction.rows("page", p_pk=after, p_length=len(prefix), p_prefix=prefix, p_limit=PAGE)
        for _, id_, metadata in page:
            if not where or (metadata is not None and holds(codec.fresh(metadata, "$.metadata"), where)):
                yield id_
        if len(page) < PAGE:
            return
        after = page[-1][0]
