"""Keeps threads in a database."""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING, Any, final

from graph_core.checkpoint.base_saver import BaseCheckpointSaver
from graph_core.checkpoint.checkpoint import NOTHING
from graph_core.checkpoint.codec import SerializerCodec, kept_mapping
from graph_core.checkpoint.errors import CheckpointSaverError, lost, thread_exists, unknown_checkpoint
from graph_core.checkpoint.ids import check_id, check_options, is_id
from graph_core.checkpoint.savers.sql import reader, rows, writer
from graph_core.checkpoint.thread import Tag
from graph_core.serializer import Serializer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Self

    from graph_core.checkpoint.changes import Change
    from graph_core.checkpoint.checkpoint import BranchRecord, Checkpoint
    from graph_core.checkpoint.codec import ValueSerializer
    from graph_core.checkpoint.retention import Retention
    from graph_core.checkpoint.savers.sql.core import Core
    from graph_core.checkpoint.thread import ThreadState, ThreadStatus

_LONG_WAY = 256
_NO_LAST = 2**62


@final
class DatabaseSaver(BaseCheckpointSaver):
    """Keeps threads in a database, which processes may share; a put is on the disk when it returns.

    Needs the extra `sql`. Leases are renewed by a daemon thread, from a clock that all processes
    should agree on.

    Args:
        url: a SQLAlchemy URL, the path of a SQLite file, or `":memory:"` for this process alone.
        serializer: writes and reads the values.
        retention: how much history is kept, if not all; exact when a thread is given back.
        table_prefix: what the names of the tables begin with.
        busy_timeout: seconds to wait for another process that writes to the file.
        clock: gives the seconds since 1970.

    Attributes:
        core: connections and threads that are held, shared by all that `with_serializer` gives.

    Raises:
        CheckpointSaverError: SQLAlchemy is missing, or the database can not be opened; it names the file.

    >>> with DatabaseSaver(":memory:") as saver:
    ...     saver.take("t", "run").status
    'new'
    """

    def __init__(
        self,
        url: str | PathLike[str],
        *,
        serializer: ValueSerializer | None = None,
        retention: Retention | None = None,
        table_prefix: str = "graph_",
        busy_timeout: float = 10.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        check_options(retention, clock, serializer)
        self._serializer = Serializer() if serializer is None else serializer
        self._codec = SerializerCodec(self._serializer)
        self.core, self._url = _opened(url, table_prefix, busy_timeout, retention, clock)
        self._options = {
            "retention": retention,
            "table_prefix": table_prefix,
            "busy_timeout": busy_timeout,
            "clock": clock,
            "serializer": serializer,
        }
        self.is_shared = not self.core.database.is_private

    @property
    def serializer(self) -> ValueSerializer:
        """What writes the values."""
        return self._serializer

    def with_serializer(self, serializer: ValueSerializer) -> Self:
        """Give the same saver with another serializer; closing one closes both."""
        other = object.__new__(type(self))
        codec = SerializerCodec(serializer)
        options = {**self._options, "serializer": serializer}
        vars(other).update(vars(self), _serializer=serializer, _codec=codec, _options=options)
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the URL: another process opens the database anew."""
        if not self.is_shared:
            raise TypeError("a database in memory belongs to one process and can not be pickled; give it a file")
        return _reopened, (self._url, self._options)

    def close(self) -> None:
        """Renew no lease any more, and close all connections."""
        self.core.close()

    # --- a run and its thread ---------------------------------------------------------------------------------------

    def take(
        self,
        thread_id: str,
        run_id: str,
        *,
        lease: float = 30.0,
        take_over: bool = False,
        create: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> ThreadState:
        """Take a thread for a run."""
        check_id("thread_id", thread_id)
        check_id("run_id", run_id)
        return self.core.take(
            self._codec, thread_id, run_id, lease=lease, take_over=take_over, create=create, metadata=metadata
        )

    def renew(self, thread_id: str, run_id: str, lease: float = 30.0) -> None:
        """Let a lease of so many seconds begin."""
        if not self.core.renew(thread_id, run_id, lease):
            with self.core.database.reading() as transaction:
                row = reader.thread_row(transaction, thread_id)
            raise lost(thread_id, run_id, None if row is None else row.owner)

    def give_back(
        self, thread_id: str, run_id: str, status: ThreadStatus, data: Mapping[str, Any] | None = None
    ) -> None:
        """Give a thread back, and store how the run ended."""
        self.core.give_back(thread_id, run_id, status, kept_mapping(self._codec, data or NOTHING, "$.data"))

    def put(self, checkpoint: Checkpoint, changes: Mapping[str, Change], *, run_id: str, fork: bool = False) -> None:
        """Store a checkpoint."""
        values = rows.checkpoint_values(self._codec, checkpoint, changes)
        self.core.write(
            checkpoint.thread_id,
            run_id,
            lambda transaction, known: writer.put(transaction, known, checkpoint, values, fork),
        )

    def put_records(self, thread_id: str, checkpoint_id: str, records: Sequence[BranchRecord], *, run_id: str) -> None:
        """Append branch records to a checkpoint."""
        values = [rows.record_values(self._codec, record) for record in records]
        self.core.write(
            thread_id,
            run_id,
            lambda transaction, known: writer.put_records(transaction, known, checkpoint_id, values),
        )

    # --- reading ----------------------------------------------------------------------------------------------------

    def get(
        self, thread_id: str, checkpoint_id: str | None = None, *, path: tuple[str, ...] | None = None
    ) -> Checkpoint | None:
        """Give a checkpoint with its state and records."""
        with self.core.database.reading() as transaction:
            thread = reader.thread_row(transaction, thread_id)
            if thread is None:
                if checkpoint_id is not None:
                    raise unknown_checkpoint(thread_id, checkpoint_id, ())
                return None
            if checkpoint_id is None:
                row = reader.head_row(transaction, thread, path or ())
            else:
                row = reader.row_by_id(transaction, thread_id, thread.pk, checkpoint_id, path)
            if row is None:
                return None
            (found,), folder = reader.checkpoints(transaction, self._codec, thread, [row])
        is_long = folder.steps > _LONG_WAY and 2 * len(folder.folded) < folder.steps
        if is_long and checkpoint_id is None and thread_id in self.core.held:
            self.core.store_fold(thread.pk, row[10], folder.folded)
        return found

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
        with self.core.database.reading() as transaction:
            thread = reader.thread_row(transaction, thread_id)
            if thread is None:
                if before is not None:
                    raise unknown_checkpoint(thread_id, before, ())
                return ()
            last = _NO_LAST
            if before is not None:
                last = reader.row_by_id(transaction, thread_id, thread.pk, before, path)[10]
            found = reader.rows_of(transaction, self._codec, thread.pk, path=path, before=last, where=where)
            return reader.checkpoints(transaction, self._codec, thread, [*islice(found, limit)])[0]

    def state_of(self, thread_id: str) -> ThreadState | None:
        """Give what is stored of a thread besides its history."""
        with self.core.database.reading() as transaction:
            row = reader.thread_row(transaction, thread_id)
            if row is None:
                return None
            return row.state(self._codec, reader.head_id(transaction, row), self.core.now())

    def threads(
        self,
        *,
        prefix: str = "",
        limit: int | None = None,
        after: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Sequence[str]:
        """Give the ids of threads in the order in which they were made."""
        if prefix and not is_id(prefix):
            return ()
        with self.core.database.reading() as transaction:
            begin = 0 if after is None else reader.known_thread(transaction, after).pk
            return tuple(islice(reader.thread_ids(transaction, self._codec, prefix, begin, where), limit))

    # --- keeping house ----------------------------------------------------------------------------------------------

    def delete(self, thread_id: str, *, run_id: str | None = None) -> bool:
        """Delete a thread with all it holds."""
        with self.core.database.writing() as transaction:
            row = reader.thread_row(transaction, thread_id, "thread_locked")
            if row is not None:
                self.core.taken_out(transaction, row, run_id)
        self.core.forget(thread_id, run_id or "")
        return row is not None

    def release(self, thread_id: str, *, run_id: str | None = None) -> Tag:
        """Take a thread's checkpoints out of the saver."""
        with self.core.database.writing() as transaction:
            row = reader.known_thread(transaction, thread_id, "thread_locked")
            found, _ = reader.checkpoints(transaction, self._codec, row, transaction.rows("all", p_pk=row.pk))
            self.core.taken_out(transaction, row, run_id)
        self.core.forget(thread_id, run_id or "")
        return Tag(thread_id, found)

    def copy(self, thread_id: str, new_thread_id: str) -> None:
        """Copy a thread under another id."""
        check_id("new_thread_id", new_thread_id)
        with self.core.database.writing() as transaction:
            row = reader.known_thread(transaction, thread_id, "thread_locked")
            if reader.thread_row(transaction, new_thread_id, "thread_locked") is not None:
                raise thread_exists(new_thread_id)
            writer.copy(transaction, row, new_thread_id)

    def prune(self, thread_id: str, retention: Retention | None = None) -> int:
        """Drop what retention does not keep."""
        with self.core.database.writing() as transaction:
            row = reader.known_thread(transaction, thread_id, "thread_locked")
            used = retention or self.core.retention
            return 0 if used is None else self.core.prune(transaction, row.pk, used)[0]


def _opened(url: str | PathLike[str], *options: Any) -> tuple[Core, str]:
    try:
        from graph_core.checkpoint.savers.sql.core import Core, url_of
    except ImportError as error:
        text = "DatabaseSaver needs SQLAlchemy, which the extra 'sql' brings"
        raise CheckpointSaverError(f"{text}: pip install 'graph-core[sql]'  ({error})") from error
    found = url_of(url)
    return Core(found, *options), found.render_as_string(hide_password=False)


def _reopened(url: str, options: dict[str, Any]) -> DatabaseSaver:
    return DatabaseSaver(url, **options)
