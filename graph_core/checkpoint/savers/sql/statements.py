"""The SQL of the saver, compiled once for a dialect."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, final

import sqlalchemy as sa

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graph_core.checkpoint.savers.sql.schema import Tables

_par = sa.bindparam
ROW = "id, parent, path, node, next, step, run, created, data, metadata, seq"


@final
class Statement:
    """A statement as its driver takes it.

    Compiled ahead, because the work that SQLAlchemy does for each execution takes as long as SQLite
    needs to write a checkpoint.
    """

    __slots__ = ("_constants", "_pick", "sql")

    def __init__(self, clause: Any, dialect: sa.Dialect) -> None:
        compiled = clause.compile(dialect=dialect)
        self.sql = str(compiled)
        self._constants = {name: value for name, value in compiled.params.items() if value is not None}
        names = compiled.positiontup if compiled.positional else None
        self._pick = None if names is None else itemgetter(*names) if len(names) > 1 else _single(names[0])

    def bound(self, values: Mapping[str, Any]) -> Any:
        """Give the values in the form in which the driver takes them."""
        if self._constants:
            values = {**self._constants, **values}
        return values if self._pick is None else self._pick(values)


def _single(name: str) -> Callable[[Mapping[str, Any]], tuple[Any]]:
    return lambda values: (values[name],)


def compiled(tables: Tables, dialect: sa.Dialect) -> dict[str, Statement]:
    """Give all statements by their names."""
    clauses = {**_of_threads(tables), **_of_checkpoints(tables), **_of_records(tables), **_of_houses(tables)}
    return {name: Statement(clause, dialect) for name, clause in clauses.items()}


def _new(*columns: str) -> dict[str, Any]:
    """Give the new values of an update; a parameter may not have the name of its column."""
    return {column: _par(f"v_{column}") for column in columns}


def _of_threads(tables: Tables) -> dict[str, Any]:
    table = tables.thread
    of, col = sa.select(*table.c), table.c
    mine = sa.and_(col.hash == _par("p_hash"), col.owner == _par("p_owner"))
    sa.func.substr(col.id, sa.literal_column("1"), _par("p_length"))
    held = sa.and_(col.pk == _par("p_pk"), col.owner == _par("p_owner"))
    return {
        "thread": of.where(col.hash == _par("p_hash")),
        "thread_locked": of.where(col.hash == _par("p_hash")).with_for_update(),
        "insert_thread": table.insert().values({c.name: _par(c.name) for c in col if not c.primary_key}),
        "take": table.update()
        .where(col.pk == _par("p_pk"), col.owner == _par("p_owner"), col.expires == _par("p_expires"))
        .values(_new("owner", "expires", "status", "metadata")),
        "renew": table.update().where(mine).values(_new("expires")),
        "give_back": table.update().where(mine).values(_new("owner", "expires", "status", "data")),
        "advance": table.update().where(held, col.last == _par("p_last")).values(_new("last", "head")),
        "known": sa.select(col.id).order_by(col.pk).limit(_par("p_limit")),
        "page": sa.select(col.pk, col.id, col.metadata)
        .where(
            col.pk > _par("p_pk"), sa.func.substr(col.id, sa.literal_column("1"), _par("p_length")) == _par("p_prefix")
        )
        .order_by(col.pk)
        .limit(_par("p_limit")),
    }


def _of_checkpoints(tables: Tables) -> dict[str, Any]:
    table, fold = tables.checkpoint, tables.fold
    col = table.c
    row = sa.select(*[col[name] for name in ROW.split(", ")])
    mine, newest = col.thread == _par("p_pk"), col.seq.desc()
    joined = table.outerjoin(fold, sa.and_(fold.c.thread == col.thread, fold.c.seq == col.seq))
    return {
        "insert_checkpoint": table.insert(),
        "by_id": row.where(mine, col.id == _par("p_id")),
        "by_seq": row.where(mine, col.seq == _par("p_seq")),
        "head": row.where(mine, col.path == _par("p_path")).order_by(newest).limit(_par("p_limit")),
        "ids": sa.select(col.id).where(mine).order_by(newest).limit(_par("p_limit")),
        "older": row.where(mine, col.path == _par("p_path"), col.seq < _par("p_seq"))
        .order_by(newest)
        .limit(_par("p_limit")),
        "all": row.where(mine).order_by(newest),
        "way": sa.select(col.seq, col.base, col.changes, fold.c.changes)
        .select_from(joined)
        .where(mine, col.seq <= _par("p_seq"))
        .order_by(newest)
        .limit(_par("p_limit")),
        "links": sa.select(col.seq, col.base, col.path, col.created).where(mine).order_by(col.seq),
        "changes": sa.select(col.changes).where(mine, col.seq == _par("p_seq")),
        "rebase": table.update().where(mine, col.seq == _par("p_seq")).values(_new("base", "changes")),
    }


def _of_records(tables: Tables) -> dict[str, Any]:
    table = tables.record
    col = table.c
    return {
        "insert_record": table.insert(),
        "records": sa.select(col.place, col.node, col.step, col.next, col.updates)
        .where(col.thread == _par("p_pk"), col.entry == _par("p_seq"))
        .order_by(col.seq),
    }


def _of_houses(tables: Tables) -> dict[str, Any]:
    """Give what deletes and copies, and the folds."""
    found: dict[str, Any] = {"insert_fold": tables.fold.insert()}
    found["delete_thread"] = tables.thread.delete().where(tables.thread.c.pk == _par("p_pk"))
    for name, table, seq in (
        ("checkpoint", tables.checkpoint, "seq"),
        ("record", tables.record, "entry"),
        ("fold", tables.fold, "seq"),
    ):
        mine = table.c.thread == _par("p_pk")
        others = [column for column in table.c if column.name != "thread"]
        copy = sa.select(sa.cast(_par("p_new"), sa.Integer), *others).where(mine)
        found[f"drop_{name}"] = table.delete().where(mine, table.c[seq] == _par("p_seq"))
        found[f"delete_{name}"] = table.delete().where(mine)
        found[f"copy_{name}"] = table.insert().from_select(["thread", *[column.name for column in others]], copy)
    return found
