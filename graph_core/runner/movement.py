"""Where branches stand, when they start, join, arrive and leave, and how a region ends (rules P1 to P8, P13, P15)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeAlias

from graph_core.exception import GraphRunnerException
from graph_core.runner import failures
from graph_core.runner.branch import LAST_NODES, Branch, Entry, Group, Key, Region, applied, joined_log
from graph_core.runner.conflicts import refuse_conflicts
from graph_core.runner.mutation import guarded
from graph_core.state import REMOVE
from graph_core.state.nested import REPLACING
from graph_core.state.overall_state import state_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph_core.checkpoint import BranchRecord
    from graph_core.compiler.plan import Need, NodePlan, RegionPlan
    from graph_core.runner.answers import Target
    from graph_core.runner.gate import Gate
    from graph_core.runner.limits import Limiter
    from graph_core.runner.pauses import Pause
    from graph_core.runner.run import Run
    from graph_core.state import OverAllState

Outcome: TypeAlias = "tuple[NodePlan, OverAllState[Any], int]"
"""Where the run goes on, with which state, and the largest step so far."""


class Movement(ABC):
    """The branches of one region of the main path, and of all regions in it.

    Nothing runs here: `starts` collects the branches whose calls shall start, `decided` and
    `failing` the regions that have to end once all that was told is taken in, `routing` the
    branches whose node is done, but not its routes, `erring` the regions whose branches go on
    although one has failed. `gates` holds what is known of pauses where a branch goes on from
    one, `gate` that of what comes behind the region, `after` the pauses to make once the steps of
    their branches are recorded.
    """

    def __init__(self, run: Run, any_of: Collection[str]) -> None:
        settings = run.plan.config
        self._run = run
        self._merger = run.plan.merger
        self._emits = self._shows = run.emits
        self._guards = settings.detect_mutation
        self._waits = settings.on_branch_error == "wait"
        self._checks_conflicts = settings.on_conflict == "error"
        self._any_of = frozenset(any_of)
        self._limiter: Limiter | None = run.limiter()
        self._last_step = run.last_step
        self._stops = run.stops
        self._one = bool(run.emits or any_of or run.stops is not None)
        self._gates: dict[Branch, Gate] = {}
        self._after: dict[Branch, Pause] = {}
        self._starts: list[Branch] = []
        self._routing: dict[Branch, None] = {}
        self._admitted: list[Branch] = []
        self._decided: list[Region] = []
        self._failing: list[Region] = []
        self._erring: list[Region] = []
        self._records: list[BranchRecord] | None = [] if run.is_kept else None
        self.log: list[Entry] = []
        self.gate: Gate | None = None
        self.regions: list[Region] | None = None
        self._outcome: Outcome | None = None
        self._failure: GraphRunnerException | None = None

    # -- a region begins -------------------------------------------------------------------------

    def _enter(
        self,
        plan: RegionPlan,
        parent: Branch | None,
        state: OverAllState[Any],
        step: int,
        targets: Sequence[Target],
        updates: Sequence[Mapping[str, Any]] = (),
        *,
        silent: bool = False,
    ) -> None:
        region = Region(plan, parent, state, step, len(targets))
        region.updates, region.silent = updates, silent
        if self.regions is not None:
            self.regions.append(region)
        region.any_of = plan.fork.id in self._any_of
        if self._limiter is not None:
            self._limiter.enter(region)
        prefix, group = region.prefix, region.group
        starts: list[Branch] = []
        for position, (target, payload, _) in enumerate(targets):
            key = prefix + (position,)  # noqa: RUF005  (an unpacking costs twice as much, for each branch)
            if payload is not None:
                self._copy(region, target, key, self._overlaid(state, payload))
            elif plan.tracked or target.index not in plan.entries:
                self._place(Branch(region, target, key, group, state, step, []), target)
            else:
                starts.append(Branch(region, target, key, group, state, step, []))
        self._start_all(starts)
        for each in region.groups:
            self._settle(region, each)
        if parent is not None and parent in self._gates:
            self._pass_on(parent, [each for each in self._starts if each.region is region])

    def _copy(self, region: Region, target: NodePlan, key: Key, base: OverAllState[Any]) -> None:
        """Start the branch of a `Send`, which is private up to the convergence (P6)."""
        private = Group(base, tracked=region.plan.tracked)
        if region.plan.tracked:
            region.groups.append(private)
        self._stand(Branch(region, target, key, private, base, region.step, []), target)

    def _overlaid(self, state: OverAllState[Any], payload: Mapping[str, Any]) -> OverAllState[Any]:
        """Lay the state of a `Send` over the fork's state, without strategies (P6)."""
        laid = dict(state)
        for key, value in payload.items():
            if value is REMOVE:
                laid.pop(key, None)
            else:
                laid[key] = value.value if value.__class__ in REPLACING else value
        return state_of(laid, self._merger)

    # -- a branch moves --------------------------------------------------------------------------

    def _move(self, branch: Branch, target: NodePlan) -> None:
        """Go from a node to the next one: arrive, leave, or stand there until it may start."""
        region, group = branch.region, branch.group
        if region.plan.tracked:
            group.leave(branch.rank)
        self._place(branch, target)
        if group.waiting:
            self._settle(region, group)
        elif region.plan.deferred:
            self._wake(region)
        if region.errors:
            self._maybe_end(region)

    def _place(self, branch: Branch, target: NodePlan) -> None:
        region = branch.region
        plan = region.plan
        if target is plan.convergence:
            region.arrived.append(branch)
            if region.any_of:
                self._decided.append(region)
        elif plan.back >> target.index & 1:
            region.left.append((target, branch))
        else:
            self._stand(branch, target)
            return
        region.busy -= 1
        region.live -= 1
        self._maybe_end(region)

    def _stand(self, branch: Branch, target: NodePlan) -> None:
        region = branch.region
        plan = region.plan
        if target.point_of is not None:  # an inner region of copies ended behind a fixed fork, which runs now
            branch.node = target.point_of
            branch.rank = plan.rank[branch.node.index]  # its copies' source holds it, so the region is tracked
            branch.is_routed, branch.call = True, branch.node  # no node ran
            branch.group.stand(branch.rank)
            self._at_fork(branch)
            return
        branch.node = target
        if not plan.tracked:
            self._start(branch)
            return
        rank = branch.rank = plan.rank[target.index]
        group = branch.group
        group.stand(rank)
        group.waiting.setdefault(rank, []).append(branch)
        region.busy -= 1

    @abstractmethod
    def _at_fork(self, branch: Branch) -> None:
        """Go on with the fork that a branch stands on."""

    def _settle(self, region: Region, group: Group) -> None:
        """Start what waits in a group and is held by nobody (P3)."""
        if group.waiting:
            holders = region.plan.holders
            for rank, branches in list(group.waiting.items()):
                is_free = not holders[rank] & group.mask and not branches[0].node.defer
                if is_free and group.waiting.get(rank) is branches:  # one that fails may have started others
                    del group.waiting[rank]
                    self._join(group, rank, branches)
        if region.plan.deferred:
            self._wake(region)

    def _wake(self, region: Region) -> None:
        """Start one deferred node, when everything else in the region waits (P13)."""
        if region.busy or not region.live:
            return
        free = [
            (rank, branches[0].key, group)
            for group in region.groups
            for rank, branches in group.waiting.items()
            if not region.plan.holders[rank] & group.mask
        ]
        if free:
            rank, _, group = min(free, key=lambda each: each[:2])
            self._join(group, rank, group.waiting.pop(rank))

    def _join(self, group: Group, rank: int, branches: list[Branch]) -> None:
        """Make one branch of those that wait on a node (P4), and start it."""
        branch = min(branches, key=lambda each: each.key)
        region = branch.region
        region.busy += 1
        if len(branches) > 1:
            group.leave(rank, len(branches) - 1)
            region.live -= len(branches) - 1
            branch.step = max(each.step for each in branches)
            if self._gates:
                self._pass_on(next((each for each in branches if each in self._gates), branch), [branch])
            try:
                branch.log, branch.state = self._merged(group.base, branches)
            except GraphRunnerException as error:
                self._fail(branch, error)
                return
        self._start(branch)

    @abstractmethod
    def _forget_held(self, region: Region) -> None:
        """Forget the pauses of branches of a region that has ended without them."""

    @abstractmethod
    def _carry(self, branches: Sequence[Branch], parent: Branch | None) -> None:
        """Let the answer that a branch has arrived with reach what comes behind its region."""

    @abstractmethod
    def _pass_on(self, branch: Branch, branches: Sequence[Branch]) -> None:
        """Let the answer that a branch goes on with reach those that it becomes."""

    def _merged(self, base: OverAllState[Any], branches: list[Branch]) -> tuple[list[Entry], OverAllState[Any]]:
        """Give the common log of branches that join, and what it makes of a state (P4, P5)."""
        if self._checks_conflicts:
            refuse_conflicts(self._merger, branches)
        log = joined_log(branches)
        return log, applied(base, log)

    def _start(self, branch: Branch) -> None:
        self._start_all([branch])

    def _start_all(self, branches: list[Branch]) -> None:
        """Let branches run the nodes that they stand on."""
        run, guards = self._run, self._guards
        remember, start = self._last_step - LAST_NODES, self._starts.append
        for branch in branches:
            step = branch.step = branch.step + 1
            branch.is_routed = False
            node = branch.node
            if step > remember and run.is_refused(node, step):
                self._fail(branch, run.limit_reached(node))
                continue
            branch.call = node
            if node.need is not None and not self._has_needs(branch, node.need):
                continue
            branch.view = guarded(branch.state) if guards else branch.state
            branch.config = run.config_for(node, step) if node.takes_config else None
            start(branch)

    def _has_needs(self, branch: Branch, need: Need, *, shows: bool = False) -> bool:
        """Tell whether a branch has what a call needs; if not, it failed there."""
        try:
            need.check(branch.state)
        except GraphRunnerException as error:
            if shows:  # the node itself was done: its work is not lost (X3)
                self._show(branch, ())
                self._record_pending(branch)
            self._fail(branch, error)
            return False
        return True

    @abstractmethod
    def _record_pending(self, branch: Branch) -> None:
        """Record a node whose routes are not done."""

    @abstractmethod
    def _record_dropped(self, region: Region) -> None:
        """Record the branches that dropped out of a region that has ended without them."""

    @abstractmethod
    def _show(self, branch: Branch, updates: Sequence[Mapping[str, Any]]) -> None:
        """Make the output of a branch's node."""

    # -- a region ends ---------------------------------------------------------------------------

    def _maybe_end(self, region: Region) -> None:
        """End a region in which nothing can move any more."""
        if region.is_over or (region.any_of and region.arrived):
            return
        if region.errors and not region.any_of:
            if region.plan.deferred:
                self._wake(region)
            if not region.busy:
                self._failing.append(region)
        elif not region.live:
            if region.arrived or region.left:
                self._close(region, region.arrived + [branch for _, branch in region.left])
            else:
                self._failing.append(region)

    def _close(self, region: Region, branches: list[Branch]) -> None:
        """Merge what arrived, and go on at the convergence or, if a branch left, where it went."""
        region.is_over = True
        first = branches[0]
        try:
            if len(branches) == 1 and first.group is region.group and not first.is_stale:
                log, state = first.log, first.state
            else:
                log, state = self._merged(region.state, branches)
        except GraphRunnerException as error:
            region.errors.append((region.place, error))
            self._failed(region)
            return
        step = max(branch.step for branch in branches)
        is_back = bool(region.left) and not (region.any_of and region.arrived)
        target = self._way_back(region) if is_back else region.plan.convergence
        if is_back and region.any_of:
            self._record_dropped(region)
        parent = region.parent
        if self._gates:
            self._carry(branches, parent)
        self._forget_held(region)
        if (self._emits if parent is not None else self._shows) and not region.silent:
            self._run.show_region(region.plan, state, step, region.place, region.updates)
        if parent is None:
            self.log = log
            self._outcome = target, state, step
            return
        parent.log.extend(log)
        parent.state = state
        parent.step = step
        self._move(parent, target)

    def _way_back(self, region: Region) -> NodePlan:
        """Of several ways back take the one that leaves most regions, then the first from `START` (P15)."""
        order = self._run.plan.rank_from_start
        targets = [target for target, _ in region.left]
        return min(targets, key=lambda target: (-_regions_left(region, target), order[target.index]))

    def _fail(self, branch: Branch, error: GraphRunnerException) -> None:
        """Take in that a branch failed: it drops out, holds what needs it, or ends its region (P7, P8)."""
        region = branch.region
        region.errors.append((branch.key, error))
        region.busy -= 1
        if region.any_of:
            region.live -= 1
            if region.plan.tracked:
                branch.group.leave(branch.rank)
                self._settle(region, branch.group)
            self._maybe_end(region)
        elif self._waits:
            self._erring.append(region)
            self._maybe_end(region)
        else:
            self._failing.append(region)

    def _failed(self, region: Region) -> None:
        """Make one failed branch of the enclosing region out of a failed region, or end the run."""
        region.is_over = True
        errors = [error for _, error in sorted(region.errors, key=lambda each: each[0])]
        error = failures.branches_failed(errors)
        if region.parent is None:
            self._failure = error
        else:
            self._fail(region.parent, error)


def _regions_left(region: Region | None, target: NodePlan) -> int:
    count = 0
    while region is not None and region.plan.back >> target.index & 1:
        count += 1
        region = region.parent.region if region.parent is not None else None
    return count
