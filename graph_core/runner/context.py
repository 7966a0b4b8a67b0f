"""One run of a compiled graph: where it stands, and where it goes (Java: `GraphRunnerContext`)."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias, cast, final

from graph_core.action import Command
from graph_core.config.runnable_config import Place
from graph_core.exception import GraphRunnerException
from graph_core.node import END, START
from graph_core.runner import failures
from graph_core.runner.answers import (
    NOTHING,
    Choice,
    Target,
    choose_one,
    command_choice,
    evaluate,
    is_command,
    resolved,
    update_of,
)
from graph_core.runner.asks import FAILURES, Ask
from graph_core.runner.bindings import check_bindings
from graph_core.runner.branch import LAST_NODES
from graph_core.runner.inputs import check_begun, check_required, defaults_of, with_context
from graph_core.runner.limits import Limiter
from graph_core.runner.mutation import check_unchanged, guarded
from graph_core.runner.regions import RegionRunner
from graph_core.runner.sync_driver import answered_now
from graph_core.state.overall_state import merge_one, state_of
from graph_core.streaming import NodeOutput, StreamMode

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from graph_core.compiler.plan import ForkPlan, GraphPlan, NodePlan, RegionPlan, RoutePlan
    from graph_core.config import RunnableConfig
    from graph_core.state import OverAllState

Steps: TypeAlias = "Generator[Ask, Any, OverAllState[Any]]"
Turn: TypeAlias = "Generator[Ask, Any, tuple[NodePlan, OverAllState[Any], int]]"
"""Asks what it must, and gives the next node, the state and the largest step so far."""


@final
class GraphRunnerContext:
    """The cursor of a run. `steps()` is the run itself; it asks, and a driver answers.

    Args:
        plan: the compiled graph.
        config: the config of the call.
        modes: the stream modes that somebody reads; without one no outputs are made.

    Attributes:
        step: the step of the node that runs, or ran last, on the main path, from 1; 0 at `START`.
        state: the state that this node got.
    """

    def __init__(self, plan: GraphPlan, config: RunnableConfig[Any], modes: Sequence[StreamMode] = ()) -> None:
        call = with_context(plan.state, config.for_call())
        check_bindings(plan, call)
        self.plan = plan
        self.thread_id = call.thread_id or _random_id()
        self.config = call if call.thread_id else call.with_thread_id(self.thread_id)
        self.run_id = _random_id()
        self.run_data: dict[str, Any] = config.run_data
        self.emits = tuple(modes)
        self.outputs: list[NodeOutput] = []
        self.limit = call.recursion_limit or plan.config.recursion_limit
        self.last_step = self.limit
        self.recent: deque[str] = deque(maxlen=LAST_NODES)
        self.step = 0
        self.state: OverAllState[Any] = state_of({}, plan.merger)
        self._node = plan.start
        self._sequence = 0

    @property
    def current_node_id(self) -> str:
        """The node that runs, or ran last, on the main path; `START` before the first."""
        return self._node.id

    def next_node_id(self, node_id: str, state: OverAllState[Any]) -> Command:
        """Tell where a run goes on after a node, by calling the node's routes (R1).

        Args:
            node_id: `START`, a node, or `__PARALLEL__(source)`.
            state: the state after that node.

        Returns:
            The target and, as the update, the state to go on with. A fork goes to its
            `__PARALLEL__(source)`, that one to its convergence.

        Raises:
            GraphRunnerException: there is no such node, or its route fails.
        """
        fork = self.plan.parallel_ids.get(node_id)
        if fork is not None:
            return Command(fork.convergence.id, state)
        node = self.plan.start if node_id == START else self.plan.nodes.get(node_id)
        if node is None:
            raise failures.missing_node(node_id)
        if node.fork is not None:
            return Command(node.fork.id, state)
        if node.next is None and node.route is None:
            raise failures.missing_edge(node_id)
        target, after, _ = answered_now(self._leave(node, state, self.step), self.config)
        return Command(target.id, after)

    # -- the run ----------------------------------------------------------------------------

    def steps(self, inputs: Mapping[str, Any]) -> Steps:
        """Run from `START` to `END`, and return the final state.

        Raises:
            GraphRunnerException: the run can not go on.
        """
        try:
            return (yield from self._steps(inputs))
        except GraphRunnerException as error:
            failures.name_thread(error, self.thread_id)
            raise

    def _steps(self, inputs: Mapping[str, Any]) -> Steps:  # noqa: C901, PLR0912  (the hot loop: a call more for each step costs)
        node, state, step = yield from self._started(inputs)
        merger, is_plain = self.plan.merger, not self.emits and not self.plan.config.detect_mutation
        remember = self.last_step - LAST_NODES
        while not node.is_end:
            if node.point_of is not None:  # copies joined right behind a fixed fork, which runs now
                node, state, step = yield from self._leave(node.point_of, state, step)
                continue
            step += 1
            if step > remember and self.is_refused(node, step):
                raise self.limit_reached(node)
            self._node, self.step, self.state = node, step, state
            config = self.config_for(node, step) if node.takes_config else None
            view = state if is_plain else self._guarded(state)
            if node.need is not None and len(state) != node.need.total:
                node.need.check(state)
            try:
                result = yield (node, view, config)
            except FAILURES as error:
                raise (failure := failures.of_call(node, error)) from failure.__cause__
            if result.__class__ is not dict or not is_plain:
                node, state, step = yield from self._answered(node, result, state, view, step)
                continue
            try:
                state = merge_one(state, merger, result)
            except Exception as error:
                raise (failure := failures.merge_failed(node.id, error)) from failure.__cause__
            if node.next is not None:
                node = node.next
            elif node.route is None:
                node, state, step = yield from self._fork(node, state, step)
            else:
                route = node.route
                config = self.config_for(node, step) if route.takes_config else None
                if route.need is not None and len(state) != route.need.total:
                    route.need.check(state)
                try:
                    answer = yield (route, state, config)
                except FAILURES as error:
                    raise (failure := failures.of_call(route, error)) from failure.__cause__
                node, change = choose_one(route, answer)
                if change is not NOTHING:
                    state, _ = self.folded(route.source, state, (change,))
        return (yield from self._ended(state, step))

    def _started(self, inputs: Mapping[str, Any]) -> Turn:
        """Take the inputs in, show them, and follow the way out of `START` (X0)."""
        begun = state_of(defaults_of(self.plan.state), self.plan.merger)
        check_required(self.plan.state, inputs, begun)
        state = self.merged(START, begun, inputs)
        check_begun(self.plan.state, state)
        if self.emits:
            yield from self._shown(START, state, inputs, (), 0)
        return (yield from self._leave(self.plan.start, state, 0))

    def _ended(self, state: OverAllState[Any], step: int) -> Steps:
        """Give what the caller gets of the last state, and show it (X0, T1)."""
        given = self.plan.state.given(state)
        if self.emits:
            yield from self._shown(END, given, {}, (), step + 1)
        return given

    def _answered(
        self, node: NodePlan, result: Any, state: OverAllState[Any], view: OverAllState[Any], step: int
    ) -> Turn:
        """Go on with what a node answered, whatever it is, and show it."""
        check_unchanged(node, state, view)
        if node.commands is not None and is_command(node, result):
            return (yield from self._command(node, node.commands, result, state, step))
        update = result if result.__class__ is dict else update_of(node, result, state)
        state = self.merged(node.id, state, update)
        if node.route is None:
            yield from self._shown(node.id, state, update, (), step)
            return (node.next, state, step) if node.next is not None else (yield from self._fork(node, state, step))
        try:
            answer = yield from self._asked(node, node.route, state, step)
            target, change = choose_one(node.route, answer)
            after, changes = self.folded(node.id, state, (change,) if change is not NOTHING else ())
        except GraphRunnerException:  # the node itself was done: its work is not lost (X3)
            yield from self._shown(node.id, state, update, (), step)
            raise
        yield from self._shown(node.id, after, update, changes, step)
        return target, after, step

    def _fork(self, node: NodePlan, state: OverAllState[Any], step: int) -> Turn:
        if node.fork is None or not node.fork.routes:
            raise failures.missing_edge(node.id)
        return (yield from self._leave(node, state, step))

    def _guarded(self, state: OverAllState[Any]) -> OverAllState[Any]:
        return guarded(state) if self.plan.config.detect_mutation else state

    def _command(self, node: NodePlan, route: RoutePlan, result: Any, state: OverAllState[Any], step: int) -> Turn:
        """Follow a command that a node returned instead of an update (R9)."""
        targets, updates = command_choice(route, result)
        if route.multi and not (node.is_either and isinstance(result, Command)):
            yield from self._shown(node.id, state, {}, (), step)
            return (yield from self._branch_out(node, (targets, updates), state, step))
        state, updates = self.folded(node.id, state, updates)
        yield from self._shown(node.id, state, {}, updates, step)
        return targets[0][0], state, step

    def _leave(self, node: NodePlan, state: OverAllState[Any], step: int) -> Turn:
        """Follow the way out of a node that is `START` or a fork."""
        if node.next is not None:
            return node.next, state, step
        if node.route is not None:
            answer = yield from self._asked(node, node.route, state, step)
            target, change = choose_one(node.route, answer)
            return target, self.folded(node.id, state, (change,))[0] if change is not NOTHING else state, step
        walk = evaluate(cast("ForkPlan", node.fork))
        try:
            route = next(walk)
            while True:
                route = walk.send((yield from self._asked(node, route, state, step)))
        except StopIteration as end:
            choice: Choice = end.value
        return (yield from self._branch_out(node, choice, state, step))

    def _asked(self, node: NodePlan, route: RoutePlan, state: OverAllState[Any], step: int) -> Generator[Ask, Any, Any]:
        config = self.config_for(node, step) if route.takes_config else None
        view = self._guarded(state)
        if route.need is not None:
            route.need.check(state)
        try:
            answer = yield (route, view, config)
        except FAILURES as error:
            raise (failure := failures.of_call(route, error)) from failure.__cause__
        check_unchanged(route, state, view)
        return answer

    def _branch_out(self, node: NodePlan, choice: Choice, state: OverAllState[Any], step: int) -> Turn:
        """Run the region of a fork, and give where the run goes on."""
        targets, updates = choice
        state, updates = self.folded(node.id, state, updates)
        nodes: list[Target] = [target for target in targets if not target[0].is_end]
        if targets and not nodes:
            return targets[0][0], state, step
        region = self.plan.regions[node.index]
        if not nodes:
            self.show_region(region, state, step, (0,), updates)
            yield from self._taken()
            return region.fork.convergence, state, step
        return (yield from RegionRunner(self).run(region, state, step, nodes, updates))

    # -- what regions and drivers need ---------------------------------------------------------

    def config_for(self, node: NodePlan, step: int) -> RunnableConfig[Any]:
        """Give the config that a node gets (X6)."""
        place = Place(node.id, (), step, self.last_step, self.run_id, self.run_data)
        return self.config.at(place, node.metadata)

    def merged(self, node_id: str, state: OverAllState[Any], update: Mapping[str, Any]) -> OverAllState[Any]:
        """Merge an update of a node into a state.

        Raises:
            GraphRunnerException: it can not be merged.
        """
        try:
            return merge_one(state, self.plan.merger, update)
        except Exception as error:
            raise (failure := failures.merge_failed(node_id, error)) from failure.__cause__

    def folded(
        self, node_id: str, state: OverAllState[Any], updates: Sequence[Any]
    ) -> tuple[OverAllState[Any], list[Mapping[str, Any]]]:
        """Merge the updates of commands into a state, and give them as mappings.

        Raises:
            GraphRunnerException: one can not be merged.
        """
        found: list[Mapping[str, Any]] = []
        for each in updates:
            update = resolved(node_id, each, state)
            state = self.merged(node_id, state, update)
            found.append(update)
        return state, found

    def limiter(self) -> Limiter | None:
        """Make what keeps to the limit of calls at once, if there is one (P9)."""
        limit = self.config.max_concurrency
        if limit is None:
            limit = self.plan.config.max_concurrency
        return Limiter(limit) if limit else None

    def is_refused(self, node: NodePlan, step: int) -> bool:
        """Tell whether the recursion limit refuses a node; else it is one of the last that the error names (X2)."""
        if step > self.last_step:
            return True
        self.recent.append(node.id)
        return False

    def limit_reached(self, node: NodePlan) -> GraphRunnerException:
        """Make the error of a node that the recursion limit refuses (X2)."""
        return failures.recursion_limit(node.id, self.limit, self.thread_id, tuple(self.recent))

    def show(
        self,
        node_id: str,
        state: OverAllState[Any],
        update: Mapping[str, Any],
        route_updates: Sequence[Mapping[str, Any]],
        step: int,
        branch: tuple[int, ...],
    ) -> None:
        """Make the outputs of a step, one for each mode that is read."""
        for mode in self.emits:
            output = NodeOutput(
                node=node_id,
                state=state if mode is StreamMode.VALUES else None,
                update=update,
                route_updates=tuple(route_updates),
                step=step,
                branch=branch,
                sequence=self._sequence,
                config=self.config,
                mode=mode,
            )
            self._sequence += 1
            self.outputs.append(output)

    def show_region(
        self,
        region: RegionPlan,
        state: OverAllState[Any],
        step: int,
        place: tuple[int, ...],
        updates: Sequence[Mapping[str, Any]],
    ) -> None:
        """Make the outputs of a region that has ended (P11)."""
        self.show(region.fork.id, state, {}, updates, step, place)

    def _shown(
        self,
        node_id: str,
        state: OverAllState[Any],
        update: Mapping[str, Any],
        changes: Sequence[Mapping[str, Any]],
        step: int,
    ) -> Generator[NodeOutput, Any, None]:
        self.show(node_id, state, update, changes, step, ())
        yield from self._taken()

    def _taken(self) -> Generator[NodeOutput, Any, None]:
        outputs, self.outputs = self.outputs, []
        yield from outputs


def _random_id() -> str:
    return os.urandom(16).hex()
