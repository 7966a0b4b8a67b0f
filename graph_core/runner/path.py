"""The main path of a run: nodes, routes, and regions one after the other (rules R1 to R9, X0 to X3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from graph_core.action import Command
from graph_core.exception import GraphRunnerException
from graph_core.node import END
from graph_core.runner import failures
from graph_core.runner.answers import (
    NOTHING,
    Choice,
    Target,
    choose_one,
    command_choice,
    evaluate,
    is_command,
    update_of,
)
from graph_core.runner.asks import FAILURES, Ask
from graph_core.runner.branch import LAST_NODES
from graph_core.runner.forks import any_of_forks, check_sends
from graph_core.runner.history import NOTHING as NO_DATA
from graph_core.runner.history import PENDING, Boundary
from graph_core.runner.mutation import check_unchanged
from graph_core.runner.region_runner import RegionRunner
from graph_core.state.overall_state import merge_one

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from graph_core.checkpoint import BranchRecord
    from graph_core.compiler.plan import ForkPlan, NodePlan, RegionPlan, RoutePlan
    from graph_core.runner.run import Turn
    from graph_core.state import OverAllState

from graph_core.runner.pausing import Pausing


class MainPath(Pausing):
    """Walks from node to node; it asks, and a driver answers."""

    def _whole(self, node: NodePlan, state: OverAllState[Any], step: int) -> Turn:
        """Walk to the end; every step is saved, shown and looked at as far as somebody wants that."""
        is_watched = self.stops is not None
        while not node.is_end:
            step += 1
            if self.is_refused(node, step):
                raise self.limit_reached(node)
            self._node, self.step, self.state = node, step, state
            call = node
            if is_watched or self.gate is not None:
                call, config = yield from self._before(node, state, step)
            else:
                config = self.config_for(node, step) if node.takes_config else None
            view = self._guarded(state)
            if node.need is not None and len(state) != node.need.total:
                node.need.check(state)
            try:
                result = yield (call, view, config)
            except FAILURES as error:
                raise (stop := (yield from self._broken_off(node, error, state, step))) from stop.__cause__
            target, state, step = yield from self._answered(node, result, state, view, step)
            if self._after is not None:
                self._stands_after(node.id, state, step)
            node = target
        return node, state, step

    def _plain(self, node: NodePlan, state: OverAllState[Any], step: int) -> Turn:  # noqa: C901  (a call more for each step costs)
        """Walk to the end on the shortest way: nobody reads, and nothing is saved unless it stops unfinished."""
        merger, remember = self.plan.merger, self.last_step - LAST_NODES
        done, pending = cast("NodePlan | None", None), False
        try:
            while not node.is_end:
                step += 1
                if step > remember and self.is_refused(node, step):
                    raise self.limit_reached(node)  # noqa: TRY301  (every failure has to note where the run stands)
                self._node, self.step, self.state = node, step, state
                config = self.config_for(node, step) if node.takes_config else None
                if node.need is not None and len(state) != node.need.total:
                    node.need.check(state)
                try:
                    result = yield (node, state, config)
                except FAILURES as error:
                    raise (stop := (yield from self._broken_off(node, error, state, step))) from stop.__cause__
                if result.__class__ is not dict or (node.next is None and node.route is None):
                    node, state, step = yield from self._answered(node, result, state, state, step)
                    done = None
                    continue
                try:
                    state = merge_one(state, merger, result)
                except Exception as error:
                    raise (failure := failures.merge_failed(node.id, error)) from failure.__cause__
                done = node
                if node.next is not None:
                    node = node.next
                    continue
                route = cast("RoutePlan", node.route)
                config, pending = self.config_for(node, step) if route.takes_config else None, True
                if route.need is not None and len(state) != route.need.total:
                    route.need.check(state)
                try:
                    answer = yield (route, state, config)
                except FAILURES as error:
                    raise (failure := failures.of_call(route, error)) from failure.__cause__
                target, change = choose_one(route, answer)
                if change is not NOTHING:
                    state, _ = self.folded(route.source, state, (change,))
                node, pending = target, False
        except BaseException:
            self._stopped(done, node, state, step, pending=pending)
            raise
        return node, state, step

    def _stopped(
        self, done: NodePlan | None, node: NodePlan, state: OverAllState[Any], step: int, *, pending: bool
    ) -> None:
        """Note where a run stands that was not looked at: at a node, or between a node and its route."""
        if done is not None and pending:
            self.boundary = Boundary(done.id, (), state, step, PENDING)
        elif done is not None and (self.boundary is None or self.boundary.step < step):
            self.boundary = Boundary(done.id, (node.id,), state, step - 1)

    def _answered(  # noqa: C901  (a generator more for each step costs)
        self, node: NodePlan, result: Any, state: OverAllState[Any], view: OverAllState[Any], step: int
    ) -> Turn:
        """Go on with what a node answered, whatever it is, and show it."""
        check_unchanged(node, state, view)
        if self.stops is not None:
            yield from self._looks_after(node, state, result, step)
        self.gate = None
        if node.commands is not None and is_command(node, result):
            return (yield from self._command(node, node.commands, result, state, step))
        update = result if result.__class__ is dict else update_of(node, result, state)
        state = self.merged(node.id, state, update)
        if node.next is not None:
            yield from self._reached(node.id, (node.next.id,), state, (update,), step)
            if self.emits:
                yield from self._shown(node.id, state, update, (), step)
            return node.next, state, step
        if self._after is not None:
            yield from self._stands_before_edge(node, state, update, step)
        self._is_done(node, state, (update,), step)
        if node.route is None:
            yield from self._shown(node.id, state, update, (), step)
            return (yield from self._fork(node, state, step))
        try:
            answer = yield from self._asked(node, node.route, state, step)
            target, change = choose_one(node.route, answer)
            after, changes = self.folded(node.id, state, (change,) if change is not NOTHING else ())
        except GraphRunnerException:  # the node itself was done: its work is not lost (X3)
            yield from self._shown(node.id, state, update, (), step)
            raise
        yield from self._reached(node.id, (target.id,), after, changes, step)
        if self.emits:
            yield from self._shown(node.id, after, update, changes, step)
        return target, after, step

    def _fork(self, node: NodePlan, state: OverAllState[Any], step: int) -> Turn:
        if node.fork is None or not node.fork.routes:
            raise failures.missing_edge(node.id)
        return (yield from self._leave(node, state, step))

    def _command(self, node: NodePlan, route: RoutePlan, result: Any, state: OverAllState[Any], step: int) -> Turn:
        """Follow a command that a node returned instead of an update (R9)."""
        targets, updates = command_choice(route, result)
        if route.multi and not (node.is_either and isinstance(result, Command)):
            return (yield from self._branch_out(node, (targets, updates), state, step, shows=True))
        state, updates = self.folded(node.id, state, updates)
        yield from self._reached(node.id, (targets[0][0].id,), state, updates, step)
        yield from self._shown(node.id, state, {}, updates, step)
        return targets[0][0], state, step

    def _followed(
        self, node: NodePlan, state: OverAllState[Any], step: int
    ) -> Generator[Ask, Any, tuple[NodePlan, OverAllState[Any], list[Mapping[str, Any]]]]:
        """Follow the only way out of a node, and give the target, the state, and what the route changed."""
        if node.next is not None:
            return node.next, state, []
        route = cast("RoutePlan", node.route)
        answer = yield from self._asked(node, route, state, step)
        target, change = choose_one(route, answer)
        return (target, *self.folded(node.id, state, (change,) if change is not NOTHING else ()))

    def _leave(self, node: NodePlan, state: OverAllState[Any], step: int) -> Turn:
        """Follow the way out of a node that is `START` or a fork, or whose routes are pending."""
        if node.fork is None:
            target, state, changes = yield from self._followed(node, state, step)
            yield from self._reached(node.id, (target.id,), state, changes, step)
            return target, state, step
        choice = yield from self._evaluated(node, node.fork, state, step)
        return (yield from self._branch_out(node, choice, state, step))

    def leave(self, node: NodePlan, state: OverAllState[Any], step: int) -> Turn:
        """Follow the way out of a node whose routes are pending."""
        return (yield from self._leave(node, state, step))

    def _evaluated(
        self, node: NodePlan, fork: ForkPlan, state: OverAllState[Any], step: int
    ) -> Generator[Ask, Any, Choice]:
        walk = evaluate(fork)
        try:
            route = next(walk)
            while True:
                route = walk.send((yield from self._asked(node, route, state, step)))
        except StopIteration as end:
            return cast("Choice", end.value)

    def stand_in(
        self, node: NodePlan, state: OverAllState[Any], update: Mapping[str, Any], step: int
    ) -> Generator[Ask, Any, None]:
        """Save an update as the result of a node, its routes evaluated after it, and go no further (K4)."""
        state = self.merged(node.id, state, update)
        self._since = None
        has_edges = node.next is not None or node.route is not None
        if not has_edges and (node.fork is None or not node.fork.routes):
            raise failures.missing_edge(node.id)
        if node.fork is None:
            target, state, changes = yield from self._followed(node, state, step)
            yield from self._reached(node.id, (target.id,), state, changes, step)
            return
        if node.index not in self.plan.regions:
            raise failures.inner_fork(node.id)
        choice = yield from self._evaluated(node, node.fork, state, step)
        yield from self._chosen(node, choice, state, step)

    def _asked(self, node: NodePlan, route: RoutePlan, state: OverAllState[Any], step: int) -> Generator[Ask, Any, Any]:
        config = self.config_for(node, step, self.gate) if route.takes_config else None
        view = self._guarded(state)
        if route.need is not None:
            route.need.check(state)
        try:
            answer = yield (route, view, config)
        except FAILURES as error:
            raise (failure := failures.of_call(route, error)) from failure.__cause__
        check_unchanged(route, state, view)
        return answer

    def _branch_out(
        self, node: NodePlan, choice: Choice, state: OverAllState[Any], step: int, *, shows: bool = False
    ) -> Turn:
        """Enter the region of a fork, and give where the run goes on behind it."""
        nodes, after, data = yield from self._chosen(node, choice, state, step)
        if shows:
            yield from self._shown(node.id, state, {}, (), step)
        if nodes is None:
            return self.plan.end, after, step
        self._stands_after(node.id, after, step)
        return (yield from self.in_region(self.plan.regions[node.index], after, step, nodes, data, ()))

    def _chosen(
        self, node: NodePlan, choice: Choice, state: OverAllState[Any], step: int
    ) -> Generator[Ask, Any, tuple[list[Target] | None, OverAllState[Any], Mapping[str, Any]]]:
        """Save what a fork has chosen, and give its targets (`None`: only `END`), the state, and what was saved."""
        targets, changes = choice
        state, updates = self.folded(node.id, state, changes)
        nodes: list[Target] = [target for target in targets if not target[0].is_end]
        if targets and not nodes:
            yield from self._reached(node.id, (END,), state, updates, step)
            return None, state, NO_DATA
        region = self.plan.regions[node.index]
        check_sends(region, self.plan.merger, nodes)
        saved: list[Any] = list(map(self.tracked, updates))
        data: dict[str, Any] = {"targets": self.tracked_targets(nodes), "updates": saved}
        if any_of := any_of_forks(self.config, region):
            data["any_of"] = any_of
        yield from self._reached(node.id, (region.fork.id,), state, updates, step, data)
        return nodes, state, {**data, "updates": updates}

    def in_region(
        self,
        region: RegionPlan,
        state: OverAllState[Any],
        step: int,
        nodes: Sequence[Target],
        data: Mapping[str, Any],
        records: Sequence[BranchRecord],
    ) -> Turn:
        """Run a region, from its fork or from where its records end, and give where the run goes on."""
        log: list[Mapping[str, Any]] = []
        updates = data.get("updates", ())
        if nodes:
            self.region = runner = RegionRunner(self, data.get("any_of", ()))
            gate, self.gate = self.gate, None
            target, state, step = yield from runner.run(region, state, step, nodes, updates, records, gate)
            log, self.region, self.gate = [update for _, update in runner.log], None, runner.gate
        else:
            self.show_region(region, state, step, (0,), updates)
            target = region.fork.convergence
        self.told.clear()
        yield from self._reached(region.fork.id, (target.id,), state, log, step)
        if self.outputs:
            yield from self._taken()
        if target.point_of is not None:  # copies joined right behind a fixed fork, which runs now
            return (yield from self._leave(target.point_of, state, step))
        return target, state, step
