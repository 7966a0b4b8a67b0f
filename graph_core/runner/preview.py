"""Looking into a region that stands still: where its branches are, and what they come to so far (rules K1, X5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs

from graph_core.exception import GraphRunnerException
from graph_core.runner import failures
from graph_core.runner.asks import Cancel
from graph_core.runner.branch import Branch, Entry, Region, applied
from graph_core.runner.limits import is_over
from graph_core.runner.region_runner import RegionRunner
from graph_core.runner.resume import targets_of
from graph_core.state import OverAllState

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from graph_core.checkpoint import BranchRecord
    from graph_core.runner.asks import Ask, Done
    from graph_core.runner.history import Boundary
    from graph_core.runner.run import Run


@attrs.frozen
class Preview:
    """A region that stands still.

    Args:
        state: what the branches would come to if they joined now.
        branches: those that have not arrived, in branch order.
        failure: why their state can not be told; `state` is that of the fork then.
    """

    state: OverAllState[Any]
    branches: tuple[Branch, ...]
    failure: GraphRunnerException | None = None

    @property
    def merged(self) -> OverAllState[Any]:
        """The state, if it can be told.

        Raises:
            GraphRunnerException: the branches can not be merged.
        """
        if self.failure is not None:
            raise self.failure
        return self.state

    @property
    def next_ids(self) -> tuple[str, ...]:
        """The nodes that the branches stand on."""
        return tuple(branch.node.id for branch in self.branches)


def preview(run: Run, boundary: Boundary, records: Sequence[BranchRecord]) -> Preview:
    """Look into the region of an entry.

    Raises:
        GraphRunnerException: the graph is another one than the one that wrote the entry.
    """
    runner = _begun(run, boundary)
    _answered(runner.replay(records))
    return looked_at(runner)


def looked_at(runner: RegionRunner) -> Preview:
    """Look into a region that was brought to where it stands."""
    regions = cast("list[Region]", runner.regions)
    standing = [*runner.starting]
    for region in regions:
        if not is_over(region):
            for group in region.groups:
                standing += [branch for waiting in group.waiting.values() for branch in waiting]
    inner = {id(region.parent): region for region in regions if region.parent is not None and not is_over(region)}
    top = regions[0]
    live = tuple(sorted((each for each in standing if id(each) not in inner), key=lambda branch: branch.key))
    try:
        return Preview(applied(top.state, _log_of(top, standing, inner)), live)
    except GraphRunnerException as error:  # a strategy that fails must not hide where the thread stands
        return Preview(top.state, live, error)


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
    ready = [branch for branch in runner.starting if branch.node.id == node_id]
    found = [branch for branch in ready if path is None or branch.key == tuple(path)]
    if len(found) != 1:
        raise failures.no_branch(node_id, path, [branch.key for branch in ready])
    return (yield from runner.stand_in(found[0], dict(update)))


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
