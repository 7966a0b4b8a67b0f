"""What all savers of one database in one process share: its connections, and who holds which thread."""

from __future__ import annotations

import os
import weakref
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast, final

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from graph_core.checkpoint.codec import kept_mapping
from graph_core.checkpoint.errors import CheckpointSaverError, LostThreadError, busy, lost
from graph_core.checkpoint.savers.sql import reader, writer
from graph_core.checkpoint.savers.sql.database import Database
from graph_core.checkpoint.savers.sql.frames import framed
from graph_core.checkpoint.savers.sql.leases import Leases
from graph_core.checkpoint.savers.sql.rows import hashed
from graph_core.exception import InvalidRecordError
from graph_core.exception.texts import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graph_core.checkpoint.changes import PackedChanges
    from graph_core.checkpoint.codec import Codec
    from graph_core.checkpoint.retention import Retention
    from graph_core.checkpoint.savers.sql.rows import ThreadRow
    from graph_core.checkpoint.savers.sql.transaction import Transaction
    from graph_core.checkpoint.thread import ThreadState, ThreadStatus


def url_of(url: str | os.PathLike[str]) -> sa.URL:
    """Read a URL, or the path of a SQLite file.

    Raises:
        CheckpointSaverError: it is neither.
        InvalidRecordError: it is no text and no path.
    """
    text = os.fspath(url) if isinstance(cast("object", url), str | os.PathLike) else ""
    if not text:
        expected = "url must be a database URL, the path of a SQLite file, or ':memory:'"
        raise InvalidRecordError(f"{expected}, not {shown(url)}")
    if "://" not in text:
        return sa.URL.create("sqlite", database=text if text == ":memory:" else os.path.abspath(text))  # noqa: PTH100
    try:
        return sa.make_url(text)
    except (ArgumentError, ValueError) as error:
        raise CheckpointSaverError(f"this is no database URL: {error}") from error


@final
class Core:
    """Threads in a database, and the runs of this process that hold some of them."""

    def __init__(
        self,
        url: sa.URL,
        prefix: str,
        busy_timeout: float,
        retention: Retention | None,
        clock: Callable[[], float],
    ) -> None:
        self.database = database = Database(url, prefix, busy_timeout)
        self.retention = retention
        self.clock = clock
        self.held: dict[str, writer.Held] = {}

        def renew(thread_id: str, run_id: str, lease: float) -> bool:
            values = {"p_hash": hashed(thread_id), "p_owner": run_id, "v_expires": _expires(clock, lease)}
            with database.writing() as transaction:
                return transaction.run("renew", **values) == 1

        self.renew = renew
        self.leases = Leases(renew)
        weakref.finalize(self, self.leases.close)

    def close(self) -> None:
        """Renew no lease any more, and close all connections."""
        self.leases.close()
        self.database.close()

    def now(self) -> float | None:
        """Give the time by which leases run out; `None` if none can."""
        return None if self.database.is_private else self.clock()

    def take(
        self,
        codec: Codec,
        thread_id: str,
        run_id: str,
        *,
        lease: float,
        take_over: bool,
        create: bool,
        metadata: Mapping[str, Any] | None,
    ) -> ThreadState:
        """Take a thread for a run."""
        now = self.now()
        with self.database.writing() as transaction:
            row = _found(transaction, thread_id, create)
            found = row.state(codec, reader.head_id(transaction, row), now)
            kept = row.metadata
            if metadata:
                kept = kept_mapping(codec, {**found.metadata, **metadata}, "$.metadata")
            seen = {"p_pk": row.pk, "p_owner": row.owner, "p_expires": row.expires}
            new = {"v_owner": run_id, "v_expires": _expires(self.clock, lease), "v_status": "running"}
            is_free = take_over or not row.is_live(now)
            if not is_free or transaction.run("take", **seen, **new, v_metadata=kept) != 1:
                raise busy(thread_id, row.owner)
        self.held[thread_id] = writer.Held(thread_id, run_id, row.pk, row.last, row.head)
        if now is not None:
            self.leases.hold(thread_id, run_id, lease)
        return found

    def give_back(self, thread_id: str, run_id: str, status: ThreadStatus, data: bytes | None) -> None:
        """Give a thread back."""
        values = {"p_hash": hashed(thread_id), "p_owner": run_id, "v_owner": "", "v_expires": 0}
        with self.database.writing() as transaction:
            if transaction.run("give_back", **values, v_status=status, v_data=data) != 1:
                row = reader.thread_row(transaction, thread_id)
                raise lost(thread_id, run_id, None if row is None else row.owner)
            if self.retention is not None:
                self.prune(transaction, reader.known_thread(transaction, thread_id).pk, self.retention)
        self.forget(thread_id, run_id)

    def forget(self, thread_id: str, run_id: str) -> None:
        """Let go of a thread that the run does not hold any more."""
        self.held.pop(thread_id, None)
        self.leases.drop(thread_id, run_id)

    def write(self, thread_id: str, run_id: str, step: Callable[[Transaction, writer.Held], None]) -> None:
        """Write to a thread that the run holds; what this process knows of it may save a query.

        Raises:
            LostThreadError: the run does not hold it.
        """
        with self.database.writing() as transaction:
            known = self.held.pop(thread_id, None)
            new = known if known is not None and _is_done(step, transaction, known, run_id) else None
            if new is None:
                new = writer.held(transaction, thread_id, run_id)
                step(transaction, new)
            if self.retention is not None and new.unpruned > new.slack:
                _, left = self.prune(transaction, new.pk, self.retention)
                new.unpruned, new.slack = 0, writer.SLACK + left // 4
        self.held[thread_id] = new

    def prune(self, transaction: Transaction, pk: int, retention: Retention) -> tuple[int, int]:
        """Drop what retention does not keep; tell how many went and how many are left."""
        return writer.prune(transaction, pk, retention, datetime.fromtimestamp(self.clock(), UTC))

    def store_fold(self, pk: int, seq: int, folded: PackedChanges) -> None:
        """Store the changes of a long way, so that the next run of the thread need not read it."""
        with self.database.writing() as transaction:
            transaction.run("delete_fold", p_pk=pk)
            transaction.run("insert_fold", thread=pk, seq=seq, changes=framed(folded))

    def taken_out(self, transaction: Transaction, row: ThreadRow, run_id: str | None) -> None:
        """Delete a thread that no run but this one holds.

        Raises:
            ThreadBusyError: another run holds it.
        """
        if row.owner != run_id and row.is_live(self.now()):
            raise busy(row.id, row.owner)
        writer.delete(transaction, row.pk)


def _found(transaction: Transaction, thread_id: str, create: bool) -> ThreadRow:  # noqa: FBT001
    """Give a thread's row, made if need be."""
    row = reader.thread_row(transaction, thread_id, "thread_locked")
    if row is not None or not create:
        return row or reader.known_thread(transaction, thread_id)
    writer.insert_thread(transaction, thread_id, status="new")
    return reader.known_thread(transaction, thread_id)


def _is_done(
    step: Callable[[Transaction, writer.Held], None], transaction: Transaction, known: writer.Held, run_id: str
) -> bool:
    """Do a step by what this process knows; `False` if that is old: another saver wrote for the same run."""
    if known.run_id != run_id:
        return False
    try:
        step(transaction, known)
    except LostThreadError:
        return False
    return True


def _expires(clock: Callable[[], float], lease: float) -> int:
    return int((clock() + lease) * 1000)
