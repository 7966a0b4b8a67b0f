"""The tables, their version, and the way from an older version to this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import sqlalchemy as sa

from graph_core.checkpoint.errors import CheckpointSaverError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

VERSION: Final = 2
_BYTES: Final = sa.LargeBinary(2**32 - 1)  # MySQL would take a length of 64 KiB for granted


@final
class Tables:
    """The tables of a saver.

    A thread is found by the hash of its id, which makes every text an id: databases differ in case,
    trailing blanks and length. `last` counts what was inserted in a thread, and so orders it without
    any clock; each checkpoint names by `base` the one whose state its changes build on, which after a
    pruning may be an older one than its parent.

    Args:
        prefix: what the names of all tables begin with.
    """

    def __init__(self, prefix: str) -> None:
        self.metadata = metadata = sa.MetaData()
        self.schema = sa.Table(f"{prefix}schema", metadata, sa.Column("version", sa.Integer, primary_key=True))
        self.thread = _thread(f"{prefix}thread", metadata)
        self.checkpoint = _checkpoint(f"{prefix}checkpoint", metadata)
        self.record = _record(f"{prefix}record", metadata)
        self.fold = _fold(f"{prefix}fold", metadata)


def _thread(name: str, metadata: sa.MetaData) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        sa.Column("pk", sa.Integer, primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("owner", sa.String(255), nullable=False),  # empty: no run holds it
        sa.Column("expires", sa.BigInteger, nullable=False),  # milliseconds since 1970
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("head", sa.Integer, nullable=False),  # of path (); 0: none
        sa.Column("data", _BYTES),
        sa.Column("metadata", _BYTES),
    )


def _checkpoint(name: str, metadata: sa.MetaData) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        sa.Column("thread", sa.Integer, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(255), nullable=False),
        sa.Column("parent", sa.String(255)),
        sa.Column("base", sa.Integer, nullable=False),  # 0: none
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("node", sa.Text, nullable=False),
        sa.Column("next", sa.Text, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("run", sa.String(255), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),  # microseconds since 1970
        sa.Column("data", _BYTES),
        sa.Column("metadata", _BYTES),
        sa.Column("changes", _BYTES, nullable=False),
        sa.UniqueConstraint("thread", "id", name=f"{name}_id"),
        sqlite_with_rowid=False,
    )


def _record(name: str, metadata: sa.MetaData) -> sa.Table:
    return sa.Table(
        name,
        metadata,
        sa.Column("thread", sa.Integer, primary_key=True),
        sa.Column("entry", sa.Integer, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("place", sa.Text, nullable=False),
        sa.Column("node", sa.Text, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("next", _BYTES),
        sa.Column("updates", _BYTES, nullable=False),
        sqlite_with_rowid=False,
    )


def _fold(name: str, metadata: sa.MetaData) -> sa.Table:
    """Make the table of folds: the changes of a long way to a checkpoint in one; they may be deleted at any time."""
    return sa.Table(
        name,
        metadata,
        sa.Column("thread", sa.Integer, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("changes", _BYTES, nullable=False),
        sqlite_with_rowid=False,
    )


def _add_folds(connection: sa.Connection, tables: Tables) -> None:
    tables.fold.create(connection)


MIGRATIONS: Final[Mapping[int, Callable[[sa.Connection, Tables], None]]] = {2: _add_folds}
"""What makes each version from the one before."""


def migrate(connection: sa.Connection, tables: Tables, place: str) -> None:
    """Bring the tables to this version, inside a transaction that keeps other processes out.

    Raises:
        CheckpointSaverError: a newer version of this package made them.
    """
    tables.schema.create(connection, checkfirst=True)
    found = connection.scalar(sa.select(tables.schema.c.version))
    if found == VERSION:
        return
    if found is None:
        tables.metadata.create_all(connection)
        connection.execute(sa.insert(tables.schema).values(version=VERSION))
        return
    if not 1 <= found <= VERSION:
        text = f"{place} holds checkpoints in version {found}, this package knows versions up to {VERSION}"
        raise CheckpointSaverError(f"{text}; update graph-core")
    for version in range(found + 1, VERSION + 1):
        MIGRATIONS[version](connection, tables)
    connection.execute(sa.update(tables.schema).values(version=VERSION))
