"""One run of a compiled graph: where it stands, and where it goes (Java: `GraphRunnerContext`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from graph_core.action import Command
from graph_core.exception import GraphInterrupt, GraphRunnerException
from graph_core.node import END, START
from graph_core.runner import failures
from graph_core.runner.inputs import check_begun, check_required, defaults_of
from graph_core.runner.pauses import Paused
from graph_core.runner.resume import resumed, state_of_thread
from graph_core.runner.sync_driver import answered_now
from graph_core.state.overall_state import state_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph_core.runner.run import Steps, Turn
    from graph_core.state import OverAllState

from graph_core.runner.path import MainPath


@final
class GraphRunnerContext(MainPath):
    """The cursor of a run. `steps()` is the run itself; it asks, and a driver answers.

    Args:
        plan: the compiled graph.
        config: the config of the call.
        modes: the stream modes that somebody reads; without one no outputs are made.

    Attributes:
        step: the step of the node that runs, or ran last, on the main path, from 1; 0 at `START`.
        state: the state that this node got.
    """

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
        target, after, _ = answered_now(self._followed(node, state, self.step), self.config)
        return Command(target.id, after)

    def steps(self, inputs: Mapping[str, Any], *, resumes: bool = False) -> Steps:
        """Run from `START` to `END`, or on from where the thread stands, and return the final state.

        Args:
            inputs: checked values for the state.
            resumes: go on with the thread.

        Raises:
            GraphRunnerException: the run can not go on.
        """
        try:
            state = yield from self._steps(resumed(self, inputs) if resumes else self._started(inputs))
        except Paused as paused:
            self.status = "interrupted"
            if self.emits:
                self._sequence += len(self.interruptions)
                yield from self.interruptions
            return self.plan.state.given(paused.state)
        except GraphInterrupt as error:
            self.status = "failed"
            self.failure = failures.misplaced_interrupt(None, error)
            failures.name_thread(self.failure, self.thread_id)
            raise self.failure from error
        except GraphRunnerException as error:
            failures.name_thread(error, self.thread_id)
            self.failure = error
            self.status = "limit" if error.code == "recursion_limit" else "failed"
            raise
        except Exception:  # what no part of a run should raise
            self.status = "failed"
            raise
        self.status = "done"
        return state

    def _steps(self, begin: Turn) -> Steps:
        node, state, step = yield from begin
        is_bare = not self.emits and not self.plan.config.detect_mutation and self.stops is None
        is_plain = is_bare and not self.is_kept
        node, state, step = yield from (self._plain if is_plain else self._whole)(node, state, step)
        given = self.plan.state.given(state)
        if self.emits:
            yield from self._shown(END, given, {}, (), step + 1)
        return given

    def _started(self, inputs: Mapping[str, Any]) -> Turn:
        """Take the inputs in, show them, and follow the way out of `START` (X0)."""
        start, history = self.plan.start, self.history
        known: Mapping[str, Any] = {}
        if history is not None and not history.is_private:
            known = yield from state_of_thread(self, history)
        begun = state_of({**defaults_of(self.plan.state), **known}, self.plan.merger)
        check_required(self.plan.state, inputs, begun)
        state = self.merged(START, begun, inputs)
        check_begun(self.plan.state, state)
        self.begins()
        self._is_done(start, state, (), 0)
        if self.emits:
            yield from self._shown(START, state, inputs, (), 0)
        return (yield from self._leave(start, state, 0))
