"""One entry of a thread's history, and what branches add to it (rule K1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, final

import attrs

from graph_core.checkpoint.ids import LONGEST_ID, check_checkpoint_id
from graph_core.exception import InvalidRecordError
from graph_core.state.frozen import FrozenMapping

NOTHING: Final[Mapping[str, Any]] = FrozenMapping()
"""An empty mapping."""


@final
@attrs.frozen(kw_only=True)
class BranchRecord:
    """A node that a branch of a region has finished; appended to the entry of the region.

    Args:
        key: the branch's place in its region, nested forks below their parent.
        node_id: the node that is done.
        next: where the branch goes on, in the engine's own words.
        step: the number of the step.
        updates: what the node and its routes returned, in the order in which they are merged.

    >>> BranchRecord(key=(0,), node_id="b", step=2, updates=({"x": 1},)).next
    {}
    """

    key: tuple[int, ...]
    node_id: str
    next: Mapping[str, Any] = NOTHING
    step: int
    updates: tuple[Mapping[str, Any], ...] = ()


@final
@attrs.frozen(kw_only=True)
class Checkpoint:
    """One entry of a thread's history: where the run stood after a step, and the state there.

    A saver is given it without `state` and `records`, which it ignores, and gives it back with them.
    Two checkpoints are equal if all they hold is.

    Args:
        id: unique in its thread; `new_id` makes one.
        thread_id: the thread.
        parent_id: the checkpoint it follows on; `None` for the first of its path.
        node_id: the node that was done.
        next_node_ids: the nodes that come next.
        step: the number of the step.
        run_id: the run that wrote it.
        created_at: when; it orders nothing, savers keep the order of insertion.
        path: ids of the child graphs around the node; `()` is the graph itself. Each path has a
            history and a head of its own.
        metadata: what `list` can filter by.
        data: what the engine has to remember besides.
        state: the whole state. It is the reader's own: changing it changes nothing that is stored.
        records: what branches have finished since, in order of insertion.

    Raises:
        InvalidRecordError: the id is empty, longer than 255 characters or holds NUL, or `created_at` has no time zone.

    >>> entry = Checkpoint(id="c1", thread_id="t", node_id="a", next_node_ids=("b",), step=1, run_id="r")
    >>> entry.parent_id is None, entry.created_at.tzinfo is UTC
    (True, True)
    """

    id: str
    thread_id: str
    parent_id: str | None = None
    node_id: str
    next_node_ids: tuple[str, ...] = ()
    step: int
    run_id: str
    created_at: datetime = attrs.field(factory=partial(datetime.now, UTC))
    path: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = NOTHING
    data: Mapping[str, Any] = NOTHING
    state: Mapping[str, Any] = NOTHING
    records: tuple[BranchRecord, ...] = ()

    def __attrs_post_init__(self) -> None:
        """Check what would otherwise fail in one database and not in the other."""
        own = self.id
        if own.__class__ is not str or not own.isascii() or not own.isprintable() or not 0 < len(own) < LONGEST_ID:
            check_checkpoint_id(own)
        if self.created_at.tzinfo is None:
            text = "created_at must have a time zone, as datetime.now(UTC) has"
            raise InvalidRecordError(f"{text}, not {self.created_at!r}")
