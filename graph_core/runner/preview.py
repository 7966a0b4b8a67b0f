"""Looking into a region that stands still: where its branches are, and what they come to so far (rules K1, X5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from graph_core.checkpoint import BranchRecord
from graph_core.exception import GraphRunnerException
from graph_core.runner import failures
from graph_core.runner.asks import Cancel
from graph_core.runner.branch import Branch, Entry, Region, applied
from graph_core.runner.pauses import Pending
from graph_core.runner.region_runner import RegionRunner
from graph_core.runner.resume import targets_of
from graph_core.runner.waiting import branch_records, pending_on_path
from graph_core.state import OverAllState

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from graph_core.runner.asks import Ask, Done
    from graph_core.runner.branch import Key
    from graph_core.runner.history import Boundary
    from graph_core.runner.run import Run


@attrs.frozen
class Preview:
    """A region that stands still.

    Args:
        state: what the branches would come to if they joined now.
        branches: those that have not arrived, in branch order.
        next_ids: the nodes that they stand on, or that they go on to after a pause.
        pending: what branches wait for, in branch order.
        used: what was answered to nodes that have not finished.
        failure: why their state can not be told; `state` is that of the fork then.
    """

    state: OverAllState[Any]
    branches: tuple[Branch, ...]
    next_ids: tuple[str, ...]
    pending: tuple[Pending, ...]
    used: tuple[Pending, ...]
    failure: GraphRunnerException | None = None

    @property
    def standing(self) -> tuple[str, ...]:
        """The nodes that an update can stand in for: those that come next, and those that branches pause after."""
        return tuple(dict.fromkeys((*self.next_ids, *(branch.node.id for branch in self.branches))))

    @property
    def merged(self) -> OverAllState[Any]:
        """The state, if it can be told.

        Raises:
            GraphRunnerException: the branches can not be merged.
        """
        if self.failure is not None:
            raise self.failure
        return self.state


def preview(run: Run, boundary: Boundary, records: Sequence[BranchRecord]) -> Preview:
    """Look into the region of an entry.

    Raises:
        GraphRunnerException: the graph is another one than the one that wrote the entry.
    """
    runner = _begun(run, boundary)
    _answered(runner.replay(records))
    return looked_at(runner)


Waiting: TypeAlias = "tuple[tuple[Pending, ...], tuple[Pending, ...]]"
"""What is pending, and what was answered to nodes that have not finished."""


def waiting_at(run: Run, boundary: Boundary, records: Sequence[BranchRecord]) -> Waiting:
    """Give what a run waits for at an entry, and what it has waited for there.

    Raises:
        GraphRunnerException: the graph is another one than the one that wrote the entry.
    """
    gate, pending = pending_on_path(boundary, records)
    node_id = boundary.next_ids[0] if boundary.next_ids else boundary.node_id
    state, step = boundary.state, boundary.step
    answered = [pause for pause, _ in gate.used.values()]
    used = tuple(Pending(pause=pause, node_id=node_id, key=(), state=state, step=step) for pause in answered)
    if pending is not None:
        return (pending,), used
    within = branch_records(records)
    if not any("asks" in each.next or "pause" in each.next for each in within):
        return (), used
    seen = preview(run, boundary, within)
    return seen.pending, (*used, *seen.used)


def looked_at(runner: RegionRunner) -> Preview:
    """Look into a region that was brought to where it stands."""
    regions = runner.standing_regions()
    held = runner.held()
    standing = [*runner.starting, *held]
    for region in regions:
        if not region.is_over:
            for group in region.groups:
                standing += [branch for waiting in group.waiting.values() for branch in waiting]
    inner = {id(region.parent): region for region in regions if region.parent is not None}
    top = regions[0]
    live = tuple(sorted((each for each in standing if id(each) not in inner), key=lambda branch: branch.key))
    shown = [held[each].next_ids if each in held else (each.node.id,) for each in live]
    next_ids = tuple(id_ for ids in shown for id_ in ids)
    seen = Preview(top.state, live, next_ids, runner.pending(), runner.used())
    try:
        return attrs.evolve(seen, state=applied(top.state, _log_of(top, standing, inner)))
    except GraphRunnerException as error:  # a strategy that fails must not hide where the thread stands
        return attrs.evolve(seen, failure=error)


def records_of(run: Run, boundary: Boundary, told: Sequence[Sequence[Done]]) -> list[BranchRecord]:
    """Make records of what the calls of a region gave, in the order in which they were done."""
    runner = _begun(run, boundary)
    return [*runner.recording(told, _answered), *runner.unrouted()]


def standing_in(
    run: Run,
    boundary: Boundary,
    records: Sequence[BranchRecord],
    node_id: str,
    path: tuple[int, ...] | None,
    update: Mapping[str, Any],
) -> Generator[Ask, Any, list[BranchRecord]]:
    """Let an update stand for the result of the branch that stands on a node; its routes are evaluated.

    Raises:
        GraphRunnerException: no branch can start there, several do and `path` names none of them, or a
            route fails.
    """
    runner = _begun(run, boundary)
    _answered(runner.replay(records))
    named, passed = None if path is None else tuple(path), list[BranchRecord]()
    found = _standing(runner, node_id, named)
    if not found:
        passed = runner.passed(node_id, named)
        found = _standing(runner, node_id, named)
    if len(found) != 1:
        ready = _standing(runner, node_id, None)
        raise failures.no_branch(node_id, path, [branch.key for branch in ready])
    return [*passed, *(yield from runner.stand_in(found[0], dict(update)))]


def _standing(runner: RegionRunner, node_id: str, path: Key | None) -> list[Branch]:
    ready = [branch for branch in runner.ready if branch.node.id == node_id]
    return [branch for branch in ready if path is None or branch.key == path]


def _begun(run: Run, boundary: Boundary) -> RegionRunner:
    plan = run.plan
    fork = plan.parallel_ids.get(boundary.next_ids[0])
    region = None if fork is None else plan.regions.get(fork.source.index)
    if region is None:
        raise failures.stale(boundary.next_ids[0])
    runner = RegionRunner(run, boundary.data.get("any_of", ()))
    targets = targets_of(plan, boundary.data["targets"])
    runner.begin(region, boundary.state, boundary.step, targets)
    return runner


def _answered(asks: Generator[Any, Any, None]) -> None:
    """Answer the asks of a region in which nothing runs."""
    try:
        ask = next(asks)
        while True:
            assert isinstance(ask, Cancel)  # noqa: S101  (nothing else is asked where nothing is called)
            ask = asks.send([])
    except StopIteration:
        return


def _log_of(region: Region, standing: Sequence[Branch], inner: Mapping[int, Region]) -> list[Entry]:
    """Give the entries of all branches of a region in key order, each once."""
    branches = [*region.arrived, *(branch for _, branch in region.left)]
    branches += [branch for branch in standing if branch.region is region]
    branches += [each.parent for each in inner.values() if each.parent is not None and each.parent.region is region]
    found: dict[int, Entry] = {}
    for branch in sorted(dict.fromkeys(branches), key=lambda each: each.key):
        below = inner.get(id(branch))
        log = branch.log if below is None else [*branch.log, *_log_of(below, standing, inner)]
        found.update((id(entry), entry) for entry in log)
    return list(found.values())
