"""One region of the main path, run or repeated (rules P1 to P15, K7)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, final

import attrs

from graph_core.checkpoint import BranchRecord
from graph_core.exception import GraphRunnerException
from graph_core.runner import failures
from graph_core.runner.asks import FAILURES, Ask, Done, Wait
from graph_core.runner.limits import is_over
from graph_core.runner.regions import Walk
from graph_core.runner.resume import targets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from graph_core.compiler.plan import RegionPlan
    from graph_core.runner.answers import (
        Target,
    )
    from graph_core.runner.branch import Branch, Key
    from graph_core.runner.movement import Outcome
    from graph_core.state import OverAllState


@final
class RegionRunner(Walk):
    """Runs one region of the main path with all regions in it, and is gone when it ends."""

    def run(
        self,
        plan: RegionPlan,
        state: OverAllState[Any],
        step: int,
        targets: Sequence[Target],
        updates: Sequence[Mapping[str, Any]],
        records: Sequence[BranchRecord] = (),
    ) -> Generator[Ask, Any, Outcome]:
        """Run a region from its fork until enough branches have arrived, or all have ended or left.

        What branches did in earlier runs is taken from records instead of being done again (K7).

        Raises:
            GraphRunnerException: a branch failed that the region needs; the others were cancelled.
        """
        self.regions = [] if records else None
        self._enter(plan, None, state, step, targets, updates)
        outputs, keeps_told = self._run.outputs, self._run.history is not None and self._records is None
        self._run.told.clear()
        if records:
            yield from self.replay(records)
            self.regions = None
        while True:
            if self._records:
                done, self._records = self._records, []
                yield from self._run.recorded(_together(done) if self._decided else done)
            if self._decided or self._failing:
                yield from self._resolved()
            if self._outcome is not None:  # it is saved before its last outputs are shown
                return self._outcome
            yield from outputs
            outputs.clear()
            if self._failure is not None:
                raise self._failure
            starts = self._next_starts()
            told: list[Done] = yield Wait(starts, self._one)
            if keeps_told:
                self._run.told.append(told)
            self._tell(told)

    def _next_starts(self) -> list[Branch]:
        """Give the branches whose calls may start now."""
        starts, self._starts = self._starts, []
        if self._limiter is not None:
            starts = self._admitted + self._limiter.admitted(starts)
            self._admitted = []
        return starts

    def replay(self, records: Sequence[BranchRecord]) -> Generator[Ask, Any, None]:
        """Let branches do what is recorded, without calling anything.

        Raises:
            GraphRunnerException: the graph is another one than the one that was recorded.
        """
        emits, self._emits = self._emits, ()
        recorded, self._records = self._records, None
        failing = self._failing
        waiting: dict[Key, Branch] = {}
        for record in records:
            if record.next.get("dropped"):
                self._drop(waiting, record.key)
                continue
            self._repeat(self._waiting_for(waiting, record.key, record.node_id), record)
            if self._decided and not record.next.get("together"):
                failing, self._failing = failing + self._failing, []
                yield from self._resolved()
                _take_out(waiting)
        self._emits, self._records, self._failing = emits, recorded, failing + self._failing
        self._starts = [*waiting.values(), *self._starts]

    def _repeat(self, branch: Branch, record: BranchRecord) -> None:
        """Do what a branch did."""
        following = record.next
        updates = list(record.updates)
        self._routing.pop(branch, None)
        if not following.get("routed"):
            branch.result = updates.pop(0)
            if branch.result:
                self._log(branch, branch.result)
        if following.get("pending"):
            branch.is_routed = True
            self._follow(branch)
            return
        branch.walk, branch.call = None, branch.node
        if "to" not in following:
            self._follow(branch)
            return
        targets = targets_of(self._run.plan, following["to"])
        if branch.node.fork is None:
            self._go(branch, targets[0][0], updates)
        else:
            self._fork(branch, targets, updates, silent=bool(following.get("silent")))

    def _gather(self, waiting: dict[Key, Branch]) -> None:
        """Add the branches that would start now to those that do not run."""
        waiting.update((branch.key, branch) for branch in self._starts)
        self._starts = []

    def _drop(self, waiting: dict[Key, Branch], key: Key) -> None:
        """Let a branch drop out that failed under ANY_OF, itself or all branches of its own region."""
        self._gather(waiting)
        branch = waiting.pop(key, None)
        for region in self.regions or ():
            if region.parent is not None and region.parent.key == key and not is_over(region):
                region.is_over, branch = True, region.parent
        if branch is not None:
            self._routing.pop(branch, None)
            self._fail(branch, failures.dropped_out(branch.node.id))
        _take_out(waiting)

    def _waiting_for(self, waiting: dict[Key, Branch], key: Key, node_id: str | None = None) -> Branch:
        """Take a branch out of those that would start now, or that wait for others, by its key and its node.

        It ran although it would have to wait if something that failed had not let it go: under ANY_OF what
        drops out holds nobody, and a deferred node starts beside a branch that failed.

        Raises:
            GraphRunnerException: there is none.
        """
        self._gather(waiting)
        branch = waiting.get(key)
        if branch is not None and node_id in {None, branch.node.id}:
            return waiting.pop(key)
        groups = [group for region in self.regions or () if not is_over(region) for group in region.groups]
        for group, rank in [(each, rank) for each in groups for rank in each.waiting]:
            branches = group.waiting[rank]
            held = min(branches, key=lambda each: each.key)
            if held.key == key and node_id in {None, held.node.id}:
                del group.waiting[rank]
                self._join(group, rank, branches)
                break
        if not self._starts:
            raise failures.stale(node_id or str(key))
        return self._starts.pop()

    def begin(self, plan: RegionPlan, state: OverAllState[Any], step: int, targets: Sequence[Target]) -> None:
        """Let the branches of a region stand on their targets, without a reader, however many steps they have gone."""
        self._emits, self._last_step, self.regions = (), sys.maxsize, []
        self._enter(plan, None, state, step, targets)

    @property
    def starting(self) -> Sequence[Branch]:
        """The branches whose calls would start now."""
        return self._starts

    def stand_in(self, branch: Branch, update: dict[str, Any]) -> Generator[Ask, Any, list[BranchRecord]]:
        """Take an update for what a branch's node gave, evaluate its routes, and give the record of it.

        Raises:
            GraphRunnerException: the update can not be merged, or a route fails.
        """
        self._records = records = list[BranchRecord]()
        self._starts.remove(branch)
        branch.walk, branch.call, branch.is_routed = None, branch.node, False  # it may stand before its routes
        told: Done = (branch, True, update)
        while not records:
            self._tell([told])
            if branch.region.errors:
                raise branch.region.errors[-1][1]
            if branch in self._starts and branch.call is not branch.node:
                self._starts.remove(branch)
                try:
                    told = (branch, True, (yield (branch.call, branch.view, branch.config)))
                except FAILURES as error:
                    told = (branch, False, error)
        return records

    def recording(
        self, told: Sequence[Sequence[Done]], answer: Callable[[Generator[Ask, Any, None]], None]
    ) -> list[BranchRecord]:
        """Record what calls gave, in their order, each for the branch of that key."""
        self._records = records = list[BranchRecord]()
        waiting: dict[Key, Branch] = {}
        failed: list[Key] = []
        for batch in told:
            before = len(records)
            for original, is_result, value in batch:
                try:
                    branch = self._waiting_for(waiting, original.key)
                except GraphRunnerException:  # it stands where a region has ended without those that failed
                    for key in failed:
                        self._drop(waiting, key)
                    answer(self._resolved())
                    branch = self._waiting_for(waiting, original.key)
                if is_result or branch.call is not branch.node:
                    self._tell([(branch, is_result, value)])
                else:
                    waiting[branch.key] = branch
                    failed.append(branch.key)
            self._failing = []
            if self._decided:
                records[before:] = _together(records[before:])
                answer(self._resolved())
                _take_out(waiting)
        return records


def _together(records: list[BranchRecord]) -> list[BranchRecord]:
    """Mark records of calls that were told at once: of branches that arrive together the smaller key wins (P7)."""
    return [*(attrs.evolve(each, next={**each.next, "together": True}) for each in records[:-1]), *records[-1:]]


def _take_out(waiting: dict[Key, Branch]) -> None:
    """Take out the branches whose region is over."""
    for key in [key for key, branch in waiting.items() if is_over(branch.region)]:
        del waiting[key]
