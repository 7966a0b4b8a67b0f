"""A database: its connections, its transactions, and what can go wrong with it."""

from __future__ import annotations

import os
import re
import weakref
from threading import Lock
from typing import Any, Final, cast, final

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from graph_core.checkpoint.errors import CheckpointSaverError
from graph_core.checkpoint.savers.sql.schema import Tables, migrate
from graph_core.checkpoint.savers.sql.statements import compiled
from graph_core.checkpoint.savers.sql.transaction import Transaction
from graph_core.exception import InvalidRecordError

_PREFIX: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}")
_ADVICE: Final = (
    ("locked", "another process is writing to it for longer than busy_timeout allows"),
    ("not a database", "it is damaged, or no SQLite file"),
    ("malformed", "it is damaged; restore a copy"),
    ("readonly", "give the process the right to write it and its folder"),
    ("unable to open", "its folder must exist and be open to the process"),
)


@final
class Database:
    """Connections to one database.

    Args:
        url: where it is.
        prefix: what the names of its tables begin with.
        busy_timeout: seconds to wait for another process that writes to a SQLite file.

    Raises:
        CheckpointSaverError: it can not be opened, or holds tables of a newer version.
        InvalidRecordError: the prefix is no name.
    """

    def __init__(self, url: sa.URL, prefix: str, busy_timeout: float) -> None:
        if not isinstance(cast("object", prefix), str) or not _PREFIX.fullmatch(prefix):
            text = "table_prefix must be a short name of ASCII letters, digits and _"
            raise InvalidRecordError(f"{text}, not {prefix!r}")
        timeout: Any = busy_timeout
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout < 0:
            raise InvalidRecordError(f"busy_timeout must be a number of seconds >= 0, not {timeout!r}")
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.is_private = self.is_sqlite and url.database in {None, "", ":memory:"}
        self.place = _place(url)
        self._url = url
        self._busy_timeout = busy_timeout
        self._tables = Tables(prefix)
        try:
            self._open()
            self._migrate()
        except (SQLAlchemyError, ImportError) as error:
            raise CheckpointSaverError(self._text(error)) from error

    def _open(self) -> None:
        options: dict[str, Any] = {}
        if self.is_sqlite:
            arguments = {"timeout": self._busy_timeout, "isolation_level": None, "check_same_thread": False}
            options = {"connect_args": arguments, **({"poolclass": StaticPool} if self.is_private else {})}
        self._is_closed = False
        self._pid = os.getpid()
        self._lock = Lock()
        self._writers: list[Any] = []
        self._engine = engine = sa.create_engine(self._url, **options)
        driver: Any = engine.dialect.loaded_dbapi
        self.errors: tuple[type[BaseException], ...] = (driver.Error, SQLAlchemyError)
        self.conflict: type[BaseException] = driver.IntegrityError
        self.statements = compiled(self._tables, engine.dialect)
        if self.is_sqlite:
            event.listen(engine, "connect", _prepare)
        weakref.finalize(self, _close, self._pid, engine, self._writers)

    def _migrate(self) -> None:
        with self._engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            migrate(connection, self._tables, self.place)
            connection.commit()

    def writing(self) -> Transaction:
        """Give a transaction that may write."""
        self._check()
        return Transaction(self, writes=True)

    def reading(self) -> Transaction:
        """Give a transaction that sees one state of the database."""
        self._check()
        return Transaction(self, writes=self.is_private)  # which has one connection only

    def enter(self, *, writes: bool) -> None:
        """Wait for the other writers of this process: those that wait in SQLite sleep, in no order."""
        if writes and self.is_sqlite:
            self._lock.acquire()

    def connection(self, *, writes: bool) -> Any:
        """Give a connection; the writers of a SQLite file share one, a pool takes as long as a statement."""
        if not (writes and self.is_sqlite):
            return self._engine.raw_connection()
        if not self._writers:
            self._writers.append(self._engine.raw_connection())
        return self._writers[0]

    def leave(self, connection: Any, *, writes: bool, is_sound: bool) -> None:
        """Take a connection back; one that failed is closed, unless the data would go with it."""
        if not (writes and self.is_sqlite):
            if connection is not None:
                connection.close()  # back to the pool, which rolls back what was not committed
            return
        if connection is not None and not is_sound and not self.is_private:
            self._writers.clear()
            connection.invalidate()
        self._lock.release()

    def told(self, error: BaseException) -> CheckpointSaverError:
        """Give the error that names the place, in place of the database's."""
        return CheckpointSaverError(self._text(error))

    def _text(self, error: BaseException) -> str:
        text = str(getattr(error, "orig", None) or error)
        advice = next((f"; {advice}" for part, advice in _ADVICE if part in text), "")
        return f"{self.place}: {text}{advice}"

    def close(self) -> None:
        """Close all connections, when the writer that is at work has ended."""
        self._is_closed = True
        with self._lock:
            _close(self._pid, self._engine, self._writers)

    def _check(self) -> None:
        if self._is_closed:
            raise CheckpointSaverError(f"the saver of {self.place} is closed")
        if self._pid != os.getpid():  # pragma: no cover  (in a fork, which is tested, but not measured)
            self._engine.dispose(close=False)  # the parent's connections are not ours, not even to close them
            self._open()


def _close(pid: int, engine: sa.Engine, writers: list[Any]) -> None:
    if pid == os.getpid():  # pragma: no branch  (the other is in a fork)
        for connection in writers:
            connection.close()
        writers.clear()
        engine.dispose()


def _place(url: sa.URL) -> str:
    """Name the database in error texts, without its password."""
    if url.get_backend_name() == "sqlite":
        return f"the file {url.database!r}" if url.database else "the database in memory"
    return f"the database {url.render_as_string(hide_password=True)!r}"


def _prepare(connection: Any, _: object) -> None:
    """Set up a SQLite connection: a commit is on the disk when it returns."""
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()
