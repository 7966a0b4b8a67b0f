"""Pauses of the main path (rule K5)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, cast

from graph_core.checkpoint import BranchRecord
from graph_core.runner import failures
from graph_core.runner.asks import FAILURES
from graph_core.runner.gate import check_answered, open_gate, pause_after, pause_before, pause_inside, with_answers
from graph_core.runner.history import PENDING, with_records
from graph_core.runner.mutation import check_unchanged
from graph_core.runner.pauses import Pending
from graph_core.runner.questions import hook_after, question_of, said
from graph_core.runner.run import Run

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from graph_core.compiler.plan import HookPlan, NodePlan
    from graph_core.config import RunnableConfig
    from graph_core.exception import GraphRunnerException
    from graph_core.runner.asks import Ask
    from graph_core.runner.history import Boundary, History
    from graph_core.runner.pauses import Pause
    from graph_core.runner.stops import Stops
    from graph_core.state import OverAllState
    from graph_core.streaming import InterruptionMetadata


class Pausing(Run):
    """Pauses before, inside and after nodes; where it does, the walk ends with `Paused`."""

    def _before(
        self, node: NodePlan, state: OverAllState[Any], step: int
    ) -> Generator[Ask, Any, tuple[NodePlan, RunnableConfig[Any] | None]]:
        """Pause before a node, or give how it is called."""
        gate, stops = open_gate(self.gate), self.stops
        config = self.config_for(node, step, gate)
        if stops is not None and not gate.is_asked:
            answer = None
            if node.before is not None:
                answer = yield from self._decided(node.before, state, config)
            made = partial(self.pause_of, (), node.id, step, "before")
            pause = pause_before(made, gate, answer, is_stop=stops.is_before(node.id))
            if pause is not None:
                yield from self._stands(node.id, pause, state, step)
        return with_answers(node, gate), config if node.takes_config else None

    def _decided(
        self, hook: HookPlan, state: OverAllState[Any], config: RunnableConfig[Any]
    ) -> Generator[Ask, Any, InterruptionMetadata | None]:
        """Ask the method of an `InterruptableAction`."""
        view = self._guarded(state)
        try:
            answer = yield (hook, view, config)
        except FAILURES as error:
            raise (failure := failures.of_call(hook, error)) from failure.__cause__
        check_unchanged(hook, state, view)
        return said(hook, answer)

    def _broken_off(
        self, node: NodePlan, error: BaseException, state: OverAllState[Any], step: int
    ) -> Generator[Ask, Any, GraphRunnerException]:
        """Give the failure that an action's is; if it was a question, pause instead."""
        question = question_of(error)
        if question is None:
            return failures.of_call(node, error)
        check_answered(node, self.gate, question)
        pause = pause_inside(partial(self.pause_of, (), node.id, step, "inside", question.index), self.gate, question)
        return (yield from self._stands(node.id, pause, state, step))

    def _stands(self, node_id: str, pause: Pause, state: OverAllState[Any], step: int) -> Generator[Ask, Any, NoReturn]:
        """Record a pause before or inside a node, and end the walk."""
        record = BranchRecord(key=(), node_id=node_id, next={"asks": pause.written()}, step=step - 1)
        history = cast("History", self.history)
        if history.is_private:
            self.pauses.append(record)
        elif history.forks:  # the old entry stays as it is
            self.boundary = with_records(cast("Boundary", self.boundary), [record])
            yield from history.entry(self.boundary, ())
        else:
            yield from self.recorded([record])
        self.stand_still([Pending(pause=pause, node_id=node_id, key=(), state=state, step=step)], state)

    def _looks_after(
        self, node: NodePlan, state: OverAllState[Any], update: Mapping[str, Any], step: int
    ) -> Generator[Ask, Any, None]:
        """Note that the run has to pause after a node; its entry says so, too."""
        stops = cast("Stops", self.stops)
        answer = None
        if node.after is not None:
            config = self.config_for(node, step, self.gate)
            answer = yield from self._decided(hook_after(node.after, update), state, config)
        made = partial(self.pause_of, (), node.id, step, "after")
        self._after = pause_after(made, answer, is_stop=stops.is_after(node.id))

    def _stands_after(self, node_id: str, state: OverAllState[Any], step: int) -> None:
        """End the walk if the run has to pause after a node."""
        pause, self._after = self._after, None
        if pause is not None:
            self.stand_still([Pending(pause=pause, node_id=node_id, key=(), state=state, step=step)], state)

    def _stands_before_edge(
        self, node: NodePlan, state: OverAllState[Any], update: Mapping[str, Any], step: int
    ) -> Generator[Any, Any, None]:
        """End a walk that has to pause after a node before its routes are evaluated, if the settings say so."""
        has_routes = node.route is not None or (node.fork is not None and node.fork.fixed is None)
        if not has_routes or not cast("Stops", self.stops).before_edge:
            return
        yield from self._reached(node.id, (), state, (update,), step, PENDING)
        if self.emits:
            yield from self._shown(node.id, state, update, (), step)
        self._stands_after(node.id, state, step)
