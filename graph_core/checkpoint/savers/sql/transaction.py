"""One transaction: statements that hold all together or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from graph_core.checkpoint.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from graph_core.checkpoint.savers.sql.database import Database


@final
class Transaction:
    """A context manager that commits at its end, or rolls back after an error.

    Written out, because the layers of contexts made of generators take as long as the statements.

    Raises:
        CheckpointSaverError: the database failed; it names the file or server.
    """

    __slots__ = ("_connection", "_cursor", "_database", "_writes")

    def __init__(self, database: Database, *, writes: bool) -> None:
        self._database = database
        self._writes = writes
        self._connection: Any = None
        self._cursor: Any = None

    def __enter__(self) -> Self:
        """Begin."""
        database = self._database
        database.enter(writes=self._writes)
        is_begun = False
        try:
            self._connection = database.connection(writes=self._writes)
            self._cursor = self._connection.cursor()
            if database.is_sqlite:
                self._cursor.execute("BEGIN IMMEDIATE" if self._writes else "BEGIN")
            is_begun = True
        except database.errors as error:
            raise database.told(error) from error
        finally:
            if not is_begun:
                database.leave(self._connection, writes=self._writes, is_sound=False)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """Commit or roll back."""
        database = self._database
        is_sound = False
        try:
            if error is None:
                self._connection.commit()
            else:
                self._connection.rollback()
            is_sound = True
        except database.errors as failure:
            raise database.told(failure) from failure
        finally:
            database.leave(self._connection, writes=self._writes, is_sound=is_sound)
        if isinstance(error, database.errors):
            raise database.told(error) from error

    def run(self, name: str, **values: Any) -> int:
        """Execute a statement and give the number of rows that it met.

        Raises:
            ConflictError: it inserts a row that is there already.
        """
        statement = self._database.statements[name]
        try:
            self._cursor.execute(statement.sql, statement.bound(values))
        except self._database.conflict as error:
            raise ConflictError(str(error)) from error
        count: int = self._cursor.rowcount
        return count

    def rows(self, name: str, **values: Any) -> Sequence[Sequence[Any]]:
        """Execute a query and give its rows."""
        self.run(name, **values)
        found: Sequence[Sequence[Any]] = self._cursor.fetchall()
        return found

    def row(self, name: str, **values: Any) -> Sequence[Any] | None:
        """Execute a query and give its first row, if it has one."""
        return next(iter(self.rows(name, **values)), None)
