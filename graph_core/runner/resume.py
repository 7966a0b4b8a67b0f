"""Going on from a checkpoint (rules K2, K3, X2, X3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_core.node import END, START
from graph_core.runner import failures
from graph_core.runner.history import Boundary, is_over, records_at
from graph_core.runner.inputs import defaults_of
from graph_core.runner.waiting import answered, asked_again, asked_anew, branch_records, pending_on_path
from graph_core.state.overall_state import state_of

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from graph_core.checkpoint import BranchRecord, Checkpoint
    from graph_core.compiler.plan import GraphPlan, NodePlan
    from graph_core.runner.answers import Target
    from graph_core.runner.asks import Ask
    from graph_core.runner.history import History
    from graph_core.runner.path import MainPath
    from graph_core.runner.run import Turn


def state_of_thread(run: MainPath, history: History) -> Generator[Ask, Any, Mapping[str, Any]]:
    """Take the thread of a run that starts anew, and give the values that it has so far.

    Raises:
        GraphRunnerException: another run holds it.
    """
    checkpoint: Checkpoint | None = yield from history.opened(None, create=True, take_over=_takes_over(run))
    if checkpoint is None:
        return {}
    records = branch_records(records_at(checkpoint))
    if not records:
        return checkpoint.state
    from graph_core.runner.preview import preview  # it needs regions, which need this module

    return preview(run, boundary_of(run.plan, checkpoint), records).merged


def resumed(run: MainPath, inputs: Mapping[str, Any]) -> Turn:
    """Go on with a thread: give the node, the state and the step that it goes on with.

    Raises:
        GraphRunnerException: there is no saver, no thread id, no such thread or checkpoint, or nothing
            to go on with.
    """
    from graph_core.runner.preview import waiting_at  # it needs regions, which need this module

    history, checkpoint = yield from reopened(run)
    boundary, records = boundary_of(run.plan, checkpoint), records_at(checkpoint)
    if history.forks:
        records = asked_again(records)
    if is_over(boundary.next_ids, boundary.data, records):
        raise failures.finished(run.thread_id, checkpoint.id)
    check_known(run.plan, boundary)
    if inputs:
        records = asked_anew(records)
    new = answered(run.config, run.thread_id, *waiting_at(run, boundary, records))
    history.found_at(boundary)
    is_kept = records or new or not {"targets", "pause"}.isdisjoint(boundary.data)
    if inputs or (history.forks and is_kept):  # the old entry stays as it is
        boundary = yield from run.amended(boundary, inputs, [*records, *new])
    elif new:
        yield from run.recorded(new)
    run.resumes_at(boundary, max([checkpoint.step, *(record.step for record in records)]))
    return (yield from _gone_on(run, boundary, [*records, *new]))


def reopened(run: MainPath) -> Generator[Ask, Any, tuple[History, Checkpoint]]:
    """Take a thread that is there, and give the checkpoint that the call is about.

    Raises:
        GraphRunnerException: there is no saver, no thread id, no such thread or checkpoint, or another run
            holds the thread.
    """
    history = run.history
    if history is None:
        raise failures.no_saver()
    if history.is_private:
        raise failures.no_thread_id()
    checkpoint = yield from history.opened(run.config.checkpoint_id, create=False, take_over=_takes_over(run))
    if checkpoint is None:
        raise failures.nothing_to_resume(run.thread_id)
    return history, checkpoint


def _takes_over(run: MainPath) -> bool:
    return run.config.resume is not None and run.config.resume.take_over


def boundary_of(plan: GraphPlan, checkpoint: Checkpoint) -> Boundary:
    """Give where a checkpoint stands; keys that are not saved begin at their defaults."""
    known = {key: value for key, value in defaults_of(plan.state).items() if key in plan.state.untracked}
    state = state_of({**known, **checkpoint.state}, plan.merger)
    return Boundary(checkpoint.node_id, checkpoint.next_node_ids, state, checkpoint.step, checkpoint.data)


def _gone_on(run: MainPath, boundary: Boundary, records: Sequence[BranchRecord]) -> Turn:
    plan, state, step = run.plan, boundary.state, boundary.step
    run.gate, pending = pending_on_path(boundary, records)
    if pending is not None:
        run.stand_still([pending], state)
    if boundary.data.get("pending"):
        return (yield from run.leave(node_of(plan, boundary.node_id), state, step))
    next_id = boundary.next_ids[0]
    fork = plan.parallel_ids.get(next_id)
    if fork is None:
        return node_of(plan, next_id), state, step
    if "targets" not in boundary.data:  # a point behind a fixed fork
        return (yield from run.leave(fork.source, state, step))
    region = plan.regions[fork.source.index]
    targets = targets_of(plan, boundary.data["targets"])
    return (yield from run.in_region(region, state, step, targets, boundary.data, branch_records(records)))


def check_known(plan: GraphPlan, boundary: Boundary) -> None:
    """Refuse an entry that the graph does not lead on from.

    Raises:
        GraphRunnerException: another graph wrote it.
    """
    if boundary.data.get("pending"):
        node_of(plan, boundary.node_id)
        return
    next_id = boundary.next_ids[0]
    fork = plan.parallel_ids.get(next_id)
    if fork is None:
        node_of(plan, next_id)
    elif "targets" in boundary.data and fork.source.index not in plan.regions:
        raise failures.stale(next_id)


def targets_of(plan: GraphPlan, targets: Sequence[tuple[str, Mapping[str, Any] | None]]) -> list[Target]:
    """Give the targets that a fork had chosen.

    Raises:
        GraphRunnerException: the graph has such a node no longer.
    """
    return [(node_of(plan, id_), payload, None) for id_, payload in targets]


def node_of(plan: GraphPlan, id_: str) -> NodePlan:
    """Give a node by its id.

    Raises:
        GraphRunnerException: the graph has it no longer.
    """
    if id_ == START:
        return plan.start
    node = plan.end if id_ == END else plan.nodes.get(id_)
    if node is None:
        raise failures.stale(id_)
    return node
