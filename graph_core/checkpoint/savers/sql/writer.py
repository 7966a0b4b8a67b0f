"""What is written of histories, inside a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

from graph_core.checkpoint.errors import ConflictError, duplicate_checkpoint, lost, not_the_head
from graph_core.checkpoint.retention import Link, cut, in_one
from graph_core.checkpoint.savers.sql.frames import framed, unframed
from graph_core.checkpoint.savers.sql.reader import known_thread, row_by_id, thread_row
from graph_core.checkpoint.savers.sql.rows import hashed, moment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from graph_core.checkpoint.checkpoint import Checkpoint
    from graph_core.checkpoint.retention import Retention
    from graph_core.checkpoint.savers.sql.rows import ThreadRow
    from graph_core.checkpoint.savers.sql.transaction import Transaction

MANY_PATHS = 1000
SLACK = 16
PARTS = ("checkpoint", "record", "fold")


@final
@attrs.define
class Held:
    """What a run that holds a thread knows of it, so that a put needs no query; forgotten when a write fails.

    Args:
        thread_id: the thread.
        run_id: the run.
        pk: the key of the thread's row.
        last: the number of what was inserted last; whoever writes proves by it that nothing came between.
        head: the number of the head of path `()`.
        heads: number and id of the head of each path that was asked for.
        unpruned: how much was inserted since the last pruning.
        slack: how much may be, so that the cost of a pruning is shared by many.
    """

    thread_id: str
    run_id: str
    pk: int
    last: int
    head: int
    heads: dict[str, tuple[int, str | None]] = attrs.field(factory=dict[str, tuple[int, str | None]])
    unpruned: int = 0
    slack: int = SLACK


def held(transaction: Transaction, thread_id: str, run_id: str) -> Held:
    """Read what a run knows of a thread, and keep others from changing it.

    Raises:
        LostThreadError: the run does not hold the thread.
    """
    row = thread_row(transaction, thread_id, "thread_locked")
    if row is None or row.owner != run_id:
        raise lost(thread_id, run_id, None if row is None else row.owner)
    return Held(thread_id, run_id, row.pk, row.last, row.head)


def _advance(transaction: Transaction, known: Held, count: int, head: int) -> None:
    """Claim the next numbers of a thread.

    Raises:
        LostThreadError: others have written, or the run does not hold the thread any more.
    """
    last = known.last + count
    values = {"p_pk": known.pk, "p_owner": known.run_id, "p_last": known.last, "v_last": last, "v_head": head}
    if transaction.run("advance", **values) != 1:
        raise lost(known.thread_id, known.run_id, "?")
    known.last, known.head = last, head
    known.unpruned += count


def put(transaction: Transaction, known: Held, checkpoint: Checkpoint, values: dict[str, Any], fork: bool) -> None:  # noqa: FBT001
    """Insert a checkpoint.

    Raises:
        LostThreadError: its parent is not the head, or what is known does not hold any more.
        UnknownCheckpointError: it forks from one that the path does not hold.
        DuplicateCheckpointError: the thread holds one of that id.
    """
    path = values["path"]
    base, head = known.heads.get(path) or _head(transaction, known.pk, path)
    if head != checkpoint.parent_id:
        base = _forked(transaction, known, checkpoint, fork, head)
    seq = known.last + 1
    _advance(transaction, known, 1, known.head if path else seq)
    try:
        transaction.run("insert_checkpoint", thread=known.pk, seq=seq, base=base, **values)
    except ConflictError as error:
        raise duplicate_checkpoint(known.thread_id, checkpoint.id) from error
    if len(known.heads) > MANY_PATHS:
        known.heads.clear()
    known.heads[path] = (seq, checkpoint.id)


def _head(transaction: Transaction, pk: int, path: str) -> tuple[int, str | None]:
    found = transaction.row("head", p_pk=pk, p_path=path, p_limit=1)
    return (0, None) if found is None else (found[10], found[0])


def _forked(transaction: Transaction, known: Held, checkpoint: Checkpoint, fork: bool, head: str | None) -> int:  # noqa: FBT001
    parent = checkpoint.parent_id
    if not fork:
        raise not_the_head(known.thread_id, parent, head)
    if parent is None:
        return 0
    found: int = row_by_id(transaction, known.thread_id, known.pk, parent, checkpoint.path)[10]
    return found


def put_records(transaction: Transaction, known: Held, entry: str, rows: Sequence[dict[str, Any]]) -> None:
    """Insert branch records.

    Raises:
        LostThreadError: what is known does not hold any more.
        UnknownCheckpointError: the thread holds no such checkpoint.
    """
    numbers = {id_: seq for seq, id_ in known.heads.values()}
    if entry not in numbers:
        numbers[entry] = row_by_id(transaction, known.thread_id, known.pk, entry, None)[10]
    first = known.last + 1
    _advance(transaction, known, len(rows), known.head)
    for seq, row in enumerate(rows, first):
        transaction.run("insert_record", thread=known.pk, entry=numbers[entry], seq=seq, **row)


def delete(transaction: Transaction, pk: int) -> None:
    """Delete a thread with all it holds."""
    for name in (*PARTS, "thread"):
        transaction.run(f"delete_{name}", p_pk=pk)


def copy(transaction: Transaction, row: ThreadRow, new_thread_id: str) -> None:
    """Copy a thread with all it holds, without its owner."""
    insert_thread(
        transaction,
        new_thread_id,
        status=row.status,
        last=row.last,
        head=row.head,
        data=row.data,
        metadata=row.metadata,
    )
    new = known_thread(transaction, new_thread_id)
    for name in PARTS:
        transaction.run(f"copy_{name}", p_pk=row.pk, p_new=new.pk)


def insert_thread(transaction: Transaction, thread_id: str, **values: Any) -> None:
    """Insert a thread that no run holds."""
    free = {"owner": "", "expires": 0, "last": 0, "head": 0, "data": None, "metadata": None, **values}
    transaction.run("insert_thread", id=thread_id, hash=hashed(thread_id), **free)


def prune(transaction: Transaction, pk: int, retention: Retention, now: datetime) -> tuple[int, int]:
    """Fold what goes into what stays; tell how many went and how many are left."""
    links = [
        Link(seq, base or None, path, moment(created))
        for seq, base, path, created in transaction.rows("links", p_pk=pk)
    ]
    plan = cut(links, retention, now)

    def changes(seq: int) -> Any:
        return [unframed(found) for (found,) in transaction.rows("changes", p_pk=pk, p_seq=seq)]

    for seq, base, between in plan.rebased:
        folded = framed(in_one([step for one in (*between, seq) for step in changes(one)]))
        transaction.run("rebase", p_pk=pk, p_seq=seq, v_base=base or 0, v_changes=folded)
    for seq in plan.dropped:
        for name in PARTS:
            transaction.run(f"drop_{name}", p_pk=pk, p_seq=seq)
    return len(plan.dropped), len(links) - len(plan.dropped)
