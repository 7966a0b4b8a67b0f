"""What can be done with a thread from outside: look at it, change it (rules K1, K4, K6)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from graph_core.config import RunnableConfig
from graph_core.exception import GraphInterrupt, GraphRunnerException, InvalidRecordError
from graph_core.exception.texts import shown
from graph_core.node import END, START
from graph_core.runner import failures
from graph_core.runner.asks import Save
from graph_core.runner.context import GraphRunnerContext
from graph_core.runner.history import is_over, records_at
from graph_core.runner.inputs import admitted_update
from graph_core.runner.pauses import all_shown
from graph_core.runner.preview import Preview, preview, standing_in
from graph_core.runner.resume import boundary_of, check_known, reopened
from graph_core.runner.waiting import asked_again, branch_records, pending_on_path
from graph_core.streaming import StateSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from graph_core.checkpoint import BaseCheckpointSaver, BranchRecord, Checkpoint, ThreadState
    from graph_core.compiler.plan import GraphPlan, RegionPlan
    from graph_core.runner.asks import Ask
    from graph_core.runner.history import Boundary, History
    from graph_core.runner.pauses import Pending


def _saver(plan: GraphPlan) -> BaseCheckpointSaver:
    if plan.config.checkpoint_saver is None:
        raise failures.no_saver()
    return plan.config.checkpoint_saver


def _thread_id(config: RunnableConfig[Any]) -> str:
    if config.thread_id is None:
        raise failures.no_thread_id()
    return config.thread_id


# -- looking ------------------------------------------------------------------------------------------------------


def snapshot(plan: GraphPlan, config: RunnableConfig[Any]) -> Generator[Ask, Any, StateSnapshot | None]:
    """Give where a thread stands (or stood, at `checkpoint_id`); `None` if there is no checkpoint.

    Raises:
        GraphRunnerException: there is no saver, no thread id, or no checkpoint of the id that was given.
    """
    saver, thread_id = _saver(plan), _thread_id(config)
    thread: ThreadState | None = yield Save(lambda: saver.state_of(thread_id), saver.blocks)
    if thread is None:
        return None
    checkpoint: Checkpoint | None = yield Save(lambda: saver.get(thread_id, config.checkpoint_id), saver.blocks)
    return None if checkpoint is None else _seen(plan, config, checkpoint, thread)


def history(
    plan: GraphPlan, config: RunnableConfig[Any], limit: int | None, before: object
) -> Generator[Ask, Any, tuple[StateSnapshot, ...]]:
    """Give the checkpoints of a thread, newest first.

    Raises:
        GraphRunnerException: there is no saver or thread id, or no checkpoint `before`.
        InvalidRecordError: `limit` or `before` is of another type.
    """
    saver, thread_id = _saver(plan), _thread_id(config)
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 0):
        raise InvalidRecordError(f"limit must be a whole number >= 0, not {limit!r}")
    most = None if limit is None else min(limit, sys.maxsize)
    last: Any = cast("Any", before).checkpoint_id if isinstance(before, RunnableConfig) else before
    if before is not None and not isinstance(last, str):
        raise InvalidRecordError(f"before must be a checkpoint id, or a config with one, not {shown(last)}")
    thread: ThreadState | None = yield Save(lambda: saver.state_of(thread_id), saver.blocks)
    if thread is None:
        return ()
    found: Sequence[Checkpoint] = yield Save(
        lambda: saver.list(thread_id, limit=most, before=cast("str | None", last)), saver.blocks
    )
    return tuple(_seen(plan, config, checkpoint, thread) for checkpoint in found)


def _seen(plan: GraphPlan, config: RunnableConfig[Any], checkpoint: Checkpoint, thread: ThreadState) -> StateSnapshot:
    boundary = boundary_of(plan, checkpoint)
    is_head, failure = thread.head == checkpoint.id, None
    records = records_at(checkpoint) if is_head else asked_again(records_at(checkpoint))
    at = config.at_checkpoint(checkpoint.thread_id, checkpoint.id)
    try:
        check_known(plan, boundary)
        seen = _preview(plan, config, boundary, records)
        failure = None if seen is None else seen.failure
    except GraphRunnerException as error:  # another graph wrote it
        seen, failure = None, error
    reason = None if failure is None else failures.told(failure)
    return StateSnapshot(
        node=checkpoint.node_id,
        next=checkpoint.next_node_ids if seen is None or not seen.branches else seen.next_ids,
        state=boundary.state if seen is None else seen.state,
        config=at,
        status=thread.status if is_head else None,
        step=checkpoint.step,
        created_at=checkpoint.created_at,
        parent_id=checkpoint.parent_id,
        run_id=checkpoint.run_id,
        is_pending=bool(checkpoint.data.get("pending")),
        is_live=is_head and thread.is_live,
        error=(thread.data.get("error") if is_head else None) or reason,
        interruptions=all_shown(_pending(boundary, records, seen), at.onward()),
    )


def _pending(boundary: Boundary, records: Sequence[BranchRecord], seen: Preview | None) -> Sequence[Pending]:
    """Give what a run waits for at an entry: on the main path, or in its region."""
    _, pending = pending_on_path(boundary, records)
    if pending is not None:
        return (pending,)
    return () if seen is None else seen.pending


def _preview(
    plan: GraphPlan, config: RunnableConfig[Any], boundary: Boundary, records: Sequence[BranchRecord]
) -> Preview | None:
    """Look into the region of an entry; `None` if it is none."""
    if not boundary.data.get("targets"):
        return None
    return preview(GraphRunnerContext(plan, _plain(config)), boundary, branch_records(records))


def _plain(config: RunnableConfig[Any]) -> RunnableConfig[Any]:
    return RunnableConfig(thread_id=config.thread_id, context=config.context, metadata=config.metadata)


# -- changing -----------------------------------------------------------------------------------------------------


def update(
    run: GraphRunnerContext, values: object, as_node: str | None, path: tuple[int, ...] | None
) -> Generator[Ask, Any, RunnableConfig[Any]]:
    """Add a checkpoint with values merged in, and give a config that names it (K4).

    Raises:
        GraphRunnerException: there is no saver, thread or checkpoint, another run holds the thread, the
            values can not be merged, a route fails, or `as_node` is no node (or stands for none of the
            branches, or several do).
    """
    kept, checkpoint = yield from reopened(run)
    boundary = boundary_of(run.plan, checkpoint)
    kept.found_at(boundary)
    change, records = admitted_update(boundary.state, values), records_at(checkpoint)
    if kept.forks:
        records = asked_again(records)
    _check_place(boundary, as_node, path)
    if as_node is None:
        yield from run.amended(boundary, change, records)
        return _named(run, kept, is_over(boundary.next_ids, boundary.data, records))
    seen = _preview(run.plan, run.config, boundary, records)
    if seen is not None:
        _check_branch(run.plan, boundary, seen, as_node, path)
    if seen is not None and as_node in seen.standing:
        record = yield from standing_in(run, boundary, branch_records(records), as_node, path, change)
        yield from run.amended(boundary, {}, [*records, *record])
    else:
        run.opens = bool(_pending(boundary, records, seen))
        yield from _as_node(run, boundary, seen, as_node, change)
    return _named(run, kept, cast("Boundary", run.boundary).next_ids == (END,))


def _check_place(boundary: Boundary, as_node: str | None, path: tuple[int, ...] | None) -> None:
    """Refuse what names no node, or a branch where there can be none."""
    if not isinstance(cast("object", as_node), str | None):
        raise InvalidRecordError(f"as_node must be the id of a node, not {shown(as_node)}")
    if path is None:
        return
    given = [*path] if isinstance(cast("object", path), tuple | list) else [None]
    if any(type(each) is not int for each in given):
        raise InvalidRecordError(f"path must be a key of a branch, a tuple of whole numbers, not {shown(path)}")
    is_region = bool(boundary.data.get("targets"))
    if as_node is None or not is_region:
        raise failures.missing_branch(as_node, (), boundary.node_id if is_region else None)


def _check_branch(
    plan: GraphPlan, boundary: Boundary, seen: Preview, as_node: str, path: tuple[int, ...] | None
) -> None:
    """Refuse to drop branches for an update that can only be meant for one of them."""
    region = plan.regions[plan.parallel_ids[boundary.next_ids[0]].source.index]
    node = None if as_node == boundary.node_id else plan.nodes.get(as_node)
    is_inside = node is not None and node.index in _nodes_of(region)
    if as_node not in seen.standing and (is_inside or path is not None):
        raise failures.missing_branch(as_node, seen.standing, boundary.node_id)


def _nodes_of(region: RegionPlan) -> set[int]:
    """Give the indices of the nodes of a region, and of all in it."""
    return {*region.rank}.union(*map(_nodes_of, region.inner.values()))


def _as_node(
    run: GraphRunnerContext, boundary: Boundary, seen: Preview | None, as_node: str, change: Mapping[str, Any]
) -> Generator[Ask, Any, None]:
    node = run.plan.start if as_node == START else run.plan.nodes.get(as_node)
    if node is None:
        raise failures.missing_node(as_node)
    is_fork = seen is not None and as_node == boundary.node_id  # drops the branches, and routes again
    state = boundary.state if seen is None or is_fork else seen.merged
    step = 0 if as_node == START else boundary.step + (not is_fork)
    yield from run.stand_in(node, state, change, step)


def _named(run: GraphRunnerContext, kept: History, is_done: bool) -> RunnableConfig[Any]:
    """Say how the thread is left, and name the checkpoint."""
    run.begins()
    run.status = "done" if is_done else "interrupted"
    return run.config.at_checkpoint(run.thread_id, kept.head)


def answered(
    work: Callable[[GraphRunnerContext], Generator[Ask, Any, Any]], run: GraphRunnerContext
) -> Generator[Ask, Any, Any]:
    """Do a part of a run as a run of its own: its failures name the thread."""
    try:
        return (yield from work(run))
    except (GraphRunnerException, GraphInterrupt) as error:
        failure = error if isinstance(error, GraphRunnerException) else failures.misplaced_interrupt(None, error)
        failures.name_thread(failure, run.thread_id)
        run.failure, run.status = failure, "failed"
        raise failure from failure.__cause__
