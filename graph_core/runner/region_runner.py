"""One region of the main path, run or repeated (rules P1 to P15, K7)."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, cast, final

import attrs

from graph_core.checkpoint import BranchRecord
from graph_core.compiler.plan import RoutePlan
from graph_core.exception import GraphRunnerException
from graph_core.runner import failures
from graph_core.runner.asks import FAILURES, Ask, Done, Wait
from graph_core.runner.gate import Gate
from graph_core.runner.holding import at
from graph_core.runner.limits import is_over
from graph_core.runner.pauses import read
from graph_core.runner.questions import question_of
from graph_core.runner.regions import Walk
from graph_core.runner.resume import targets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from graph_core.compiler.plan import Call, RegionPlan
    from graph_core.runner.answers import (
        Target,
    )
    from graph_core.runner.branch import Branch, Key
    from graph_core.runner.movement import Outcome
    from graph_core.state import OverAllState


@final
class RegionRunner(Walk):
    """Runs one region of the main path with all regions in it, and is gone when it ends."""

    def run(  # noqa: C901  (a generator more for each turn costs)
        self,
        plan: RegionPlan,
        state: OverAllState[Any],
        step: int,
        targets: Sequence[Target],
        updates: Sequence[Mapping[str, Any]],
        records: Sequence[BranchRecord] = (),
        gate: Gate | None = None,
    ) -> Generator[Ask, Any, Outcome]:
        """Run a region from its fork until enough branches have arrived, or all have ended or left.

        What branches did in earlier runs is taken from records instead of being done again (K7).

        Raises:
            GraphRunnerException: a branch failed that the region needs; the others were cancelled.
            Paused: no branch can move, and some wait for a person.
        """
        self.regions = [] if records else None
        self._enter(plan, None, state, step, targets, updates)
        if gate is not None:
            self._gates.update((each, Gate(is_open=gate.is_open, feedback=gate.feedback)) for each in self._starts)
        outputs, keeps_told = self._run.outputs, self._run.history is not None and self._records is None
        self._run.told.clear()
        if records:
            yield from self.replay(records)
            self._dropped = {region: len(region.errors) for region in self.regions or ()}
            self.regions = None
        while True:
            if self._records:
                yield from self._stored()
            if self._decided or self._failing:
                yield from self._resolved()
            if self._outcome is not None:  # it is saved before its last outputs are shown
                return self._outcome
            yield from outputs
            outputs.clear()
            if self._failure is not None:
                raise self._failure
            starts = self._next_starts()
            if self._records:  # of branches that pause before their nodes
                yield from self._stored()
            told: list[Done] = yield Wait(starts, self._one)
            if not told:
                yield from self._stands_still()
                continue
            if keeps_told:
                self._run.told.append(_without_hooks(told) if self._stops is not None else told)
            self._tell(told)

    def _stored(self) -> Generator[Ask, Any, None]:
        """Store what is recorded so far."""
        done, self._records = self._records or [], []
        yield from self._run.recorded(_together(done) if self._decided else done)

    def _stands_still(self) -> Generator[Ask, Any, None]:
        """End the regions that have failed, when nothing runs any more; if there are none, wait for a person.

        Raises:
            Paused: as said.
        """
        erring, self._erring = [region for region in self._erring if not is_over(region)], []
        if erring:  # a failure comes first: what is asked stays recorded
            for region in erring:
                region.busy = 0
            self._failing += erring
            return
        pending = self.pending()
        if not pending:
            raise RuntimeError("a region waits, but nothing runs in it; this is a fault of the engine")
        from graph_core.runner.preview import looked_at  # it needs this module

        drops = self._drops()
        if self._records is not None and drops:
            yield from self._run.recorded(drops)
        self._run.stand_still(pending, looked_at(self).state)

    def _drops(self) -> list[BranchRecord]:
        """Record the branches that have dropped out for good, since the run goes on without them (P7)."""
        found = self.standing_regions() if self.held() else []
        return [
            self._drop_of(region, key, error)
            for region in found
            if region.any_of
            for key, error in region.errors[self._dropped.get(region, 0) :]
        ]

    def left_open(self, *, is_interrupted: bool) -> list[BranchRecord]:
        """Give records of what branches of a private run have asked, and of those that dropped out if it pauses."""
        held = [each for each in self._held.values() if each.go_on is None]
        asks = [self._asked_of(each.branch, each.pause) for each in held]
        return [*asks, *self._drops()] if is_interrupted else asks

    def _next_starts(self) -> list[Branch]:
        """Give the branches whose calls may start now."""
        starts, self._starts = self._starts, []
        if self._stops is not None or self._gates:
            starts = self._admitted_starts(starts)
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
                self._drop(waiting, record.key, record.next.get("error"))
                continue
            self._repeat_pause(waiting, record)
            if self._decided and not record.next.get("together"):
                failing, self._failing = failing + self._failing, []
                yield from self._resolved()
                _take_out(waiting)
        self._emits, self._records, self._failing = emits, recorded, failing + self._failing
        self._starts = [*waiting.values(), *self._starts]

    def _repeat_pause(self, waiting: dict[Key, Branch], record: BranchRecord) -> None:
        """Do what a branch did: run a node, pause, or go on."""
        if "resumed" in record.next:
            branch = self._goes_on(waiting, record)
            if branch is not None:
                waiting[branch.key] = branch
            return
        branch = self._waiting_for(waiting, record.key, record.node_id)
        if "asks" in record.next:
            self._hold(branch, read(record.next["asks"]))
        else:
            if "pause" in record.next:
                self._after[branch] = read(record.next["pause"])
            self._repeat(branch, record)

    def _goes_on(self, waiting: dict[Key, Branch], record: BranchRecord) -> Branch | None:
        """Let a branch go on from a pause, or with another answer; give it if it runs its node now.

        Raises:
            GraphRunnerException: the graph is another one than the one that was recorded.
        """
        held = self._held.get(record.key)
        if held is not None and held.pause.id == record.next["resumed"]:
            return self._released(record.key, record.next)
        branch = self._waiting_for(waiting, record.key, record.node_id)
        self._gates[branch].goes_on_anew(record.next)
        return branch

    def _repeat(self, branch: Branch, record: BranchRecord) -> None:
        """Do what a branch did."""
        following = record.next
        updates = list(record.updates)
        self._routing.pop(branch, None)
        if not following.get("routed"):
            branch.result = updates.pop(0)
            if branch.result:
                self._log(branch, branch.result)
        if not following.get("routed"):
            self._gates.pop(branch, None)
        if following.get("pending"):
            branch.is_routed = True
            if branch in self._after:
                self._holds_after(branch, (branch.node.id,), partial(self._follow, branch))
            else:
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

    def _drop(self, waiting: dict[Key, Branch], key: Key, told: Mapping[str, Any] | None = None) -> None:
        """Let a branch drop out that failed under ANY_OF, itself or all branches of its own region."""
        self._gather(waiting)
        branch = waiting.pop(key, None)
        for region in self.regions or ():
            if region.parent is not None and region.parent.key == key and not is_over(region):
                region.is_over, branch = True, region.parent
        if branch is not None:
            self._routing.pop(branch, None)
            self._fail(branch, failures.dropped_out(branch.node.id, told))
        _take_out(waiting)

    def _waiting_for(self, waiting: dict[Key, Branch], key: Key, node_id: str | None = None) -> Branch:
        """Take a branch out of those that would start now, or that wait for others, by its key and its node.

        It ran although it would have to wait if something that failed had not let it go: under ANY_OF what
        drops out holds nobody, and a deferred node starts beside a branch that failed.

        Raises:
            GraphRunnerException: there is none.
        """
        self._gather(waiting)
        held = self._held.get(key)
        if held is not None and node_id in {None, held.branch.node.id}:
            return self._held.pop(key).branch  # an update stands for what it would have answered
        branch = waiting.get(key)
        if branch is not None and node_id in {None, branch.node.id}:
            return waiting.pop(key)
        groups = [group for region in self.regions or () if not is_over(region) for group in region.groups]
        for group, rank in [(each, rank) for each in groups for rank in each.waiting]:
            branches = group.waiting[rank]
            first = min(branches, key=lambda each: each.key)
            if first.key == key and node_id in {None, first.node.id}:
                del group.waiting[rank]
                self._join(group, rank, branches)
                break
        if not self._starts:
            raise failures.stale(node_id or str(key))
        return self._starts.pop()

    def begin(self, plan: RegionPlan, state: OverAllState[Any], step: int, targets: Sequence[Target]) -> None:
        """Let the branches of a region stand on their targets, without a reader, however many steps they have gone."""
        self._emits = self._shows = ()
        self._last_step, self.regions, self._stops = sys.maxsize, [], None
        self._enter(plan, None, state, step, targets)

    @property
    def starting(self) -> Sequence[Branch]:
        """The branches whose calls would start now."""
        return self._starts

    @property
    def ready(self) -> Sequence[Branch]:
        """The branches that an update can stand in for: those that would start now, or that pause."""
        return [*self._starts, *self.held()]

    def passed(self, node_id: str, path: Key | None) -> list[BranchRecord]:
        """Let the branches that pause on their way to a node come there, and give the records of that."""
        found = [each for each in self.held().values() if each.go_on is not None and node_id in each.next_ids]
        named = [each for each in found if path is None or each.branch.key == path[: len(each.branch.key)]]
        records = [at(each.branch, each.pause).resumed() for each in named]
        for record in records:
            self._released(record.key, record.next)
        return records

    def stand_in(self, branch: Branch, update: dict[str, Any]) -> Generator[Ask, Any, list[BranchRecord]]:
        """Take an update for what a branch's node gave, evaluate its routes, and give the record of it.

        Raises:
            GraphRunnerException: the update can not be merged, or a route fails.
        """
        self._records = records = list[BranchRecord]()
        self._starts = [each for each in self._starts if each is not branch]
        self._held.pop(branch.key, None)
        branch.walk, branch.call, branch.is_routed = None, branch.node, False  # it may stand before its routes
        branch.view = branch.state
        told: Done = (branch, True, update)
        while not records:
            self._tell([told])
            if branch.region.errors:
                raise branch.region.errors[-1][1]
            if branch in self._starts and cast("Call", branch.call).__class__ is RoutePlan:
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
        self._stops = self._run.stops
        waiting: dict[Key, Branch] = {}
        failed: list[Key] = []
        for batch in told:
            before = len(records)
            for original, is_result, value in batch:
                if not is_result and question_of(value) is not None:
                    continue
                try:
                    branch = self._waiting_for(waiting, original.key)
                except GraphRunnerException:  # it stands where a region has ended without those that failed
                    for key in failed:
                        self._drop(waiting, key)
                    answer(self._resolved())
                    branch = self._waiting_for(waiting, original.key)
                if is_result or branch.call.__class__ is RoutePlan:
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


def _without_hooks(told: list[Done]) -> list[Done]:
    """Leave out what only let nodes run: nobody needs it who repeats what they did."""
    return [(branch, ok, value) for branch, ok, value in told if not (ok and branch.call is branch.node.before)]


def _together(records: list[BranchRecord]) -> list[BranchRecord]:
    """Mark records of calls that were told at once: of branches that arrive together the smaller key wins (P7)."""
    return [*(attrs.evolve(each, next={**each.next, "together": True}) for each in records[:-1]), *records[-1:]]


def _take_out(waiting: dict[Key, Branch]) -> None:
    """Take out the branches whose region is over."""
    for key in [key for key, branch in waiting.items() if is_over(branch.region)]:
        del waiting[key]
