"""The runnable graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, cast, final

import attrs
from returns.result import Failure, Result, Success
from typing_extensions import TypeVar

from graph_core.compiler.plan import GraphPlan
from graph_core.compiler.shown import shown_edges, shown_nodes
from graph_core.exception import GraphRunnerException
from graph_core.runner import GraphRunnerContext
from graph_core.runner.inputs import admitted
from graph_core.runner.sync_driver import SyncDriver, drained
from graph_core.runner.verbs import ThreadVerbs, checked
from graph_core.state.frozen import FrozenMapping
from graph_core.streaming import InterruptionMetadata, NodeOutput, RunResult, StreamMode

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Mapping, Sequence

    from graph_core.config import CompileConfig, RunnableConfig
    from graph_core.edge import EdgeValue
    from graph_core.node import ConditionalParallelNode, Node, ParallelNode
    from graph_core.runner.run import Steps
    from graph_core.state import KeyStrategy, OverAllState
    from graph_core.streaming import RunStatus

S = TypeVar("S", default=Any)
C = TypeVar("C", default=Any)
I = TypeVar("I", default=S)
O = TypeVar("O", default=S)


@final
@attrs.frozen(eq=False, repr=False)
class CompiledGraph(ThreadVerbs[C], Generic[S, C, I, O]):
    """A compiled graph: immutable, and safe for any number of concurrent runs.

    Made by `StateGraph.compile()`. Each verb takes the inputs, a mapping whose values are merged
    into the state by the key strategies, and a `RunnableConfig`; each has an async twin.

    >>> from graph_core import END, START, StateGraph
    >>> graph = StateGraph().add_node("double", lambda s: {"n": s["n"] * 2})
    >>> compiled = graph.add_edge(START, "double").add_edge("double", END).compile()
    >>> compiled.invoke({"n": 4})["n"]
    8
    """

    _plan: GraphPlan

    @property
    def name(self) -> str | None:
        """Name of the graph."""
        return self._plan.name

    @property
    def config(self) -> CompileConfig:
        """What the graph was compiled with."""
        return self._plan.config

    @property
    def nodes(self) -> Mapping[str, Node | ParallelNode | ConditionalParallelNode]:
        """Id → node, in the order of their addition; forks follow as `__PARALLEL__(source)`."""
        return FrozenMapping(shown_nodes(self._plan))

    @property
    def edges(self) -> Mapping[str, EdgeValue]:
        """Source → where it leads; a fork's source leads to its parallel node, that to the convergence."""
        return FrozenMapping(shown_edges(self._plan))

    @property
    def key_strategies(self) -> Mapping[str, KeyStrategy]:
        """Key → strategy, as declared."""
        return self._plan.merger.strategies

    def invoke(self, inputs: I | None, config: RunnableConfig[C] | None = None) -> OverAllState[O]:
        """Run to the end (or to a pause, which `run` tells), and give the state there.

        Args:
            inputs: values for the state; `{}` starts with nothing.
            config: settings of this call.

        Raises:
            GraphRunnerException: the run can not go on; `.node_id` and `.code` say where and why, and
                `__cause__` is what a node raised.
        """
        run, steps = self._begun(inputs, config, ())
        return cast("OverAllState[O]", drained(SyncDriver(run.config).outputs(steps, run.ended)))

    def run(self, inputs: I | None, config: RunnableConfig[C] | None = None) -> RunResult[O]:
        """Run, and tell how it ended.

        Raises:
            GraphRunnerException: as `invoke`.

        >>> from graph_core import END, START, StateGraph
        >>> graph = StateGraph().add_node("a", lambda s: {"x": 1}).add_edge(START, "a").add_edge("a", END)
        >>> graph.compile().run({}).status
        'done'
        """
        run, steps = self._begun(inputs, config, ())
        return _result(run, drained(SyncDriver(run.config).outputs(steps, run.ended)))

    def stream(self, inputs: I | None, config: RunnableConfig[C] | None = None) -> Generator[NodeOutput, None, None]:
        """Run as far as the outputs are read; closing the iterator stops the run.

        Raises:
            GraphRunnerException: as `invoke`, when the failing step is reached.

        >>> from graph_core import END, START, StateGraph
        >>> graph = StateGraph().add_node("a", lambda s: {"x": 1}).add_edge(START, "a").add_edge("a", END)
        >>> [output.node for output in graph.compile().stream({})]
        ['__START__', 'a', '__END__']
        """
        settings = checked(config)
        run, steps = self._begun(inputs, settings, _modes(settings))
        return _without_result(SyncDriver(run.config).outputs(steps, run.ended))

    def invoke_and_get_output(self, inputs: I | None, config: RunnableConfig[C] | None = None) -> NodeOutput:
        """Run to the end, and give the last output; of a run that pauses the first `InterruptionMetadata`.

        Raises:
            GraphRunnerException: as `invoke`.

        >>> from graph_core import END, START, StateGraph
        >>> graph = StateGraph().add_node("a", lambda s: {"x": 1}).add_edge(START, "a").add_edge("a", END)
        >>> graph.compile().invoke_and_get_output({}).is_end
        True
        """
        *_, last = self.stream(inputs, config)
        return _first(last)

    def try_invoke(
        self, inputs: I | None, config: RunnableConfig[C] | None = None
    ) -> Result[OverAllState[O], GraphRunnerException]:
        """Run for a caller who decides what to do with a failure.

        >>> from graph_core import END, START, StateGraph
        >>> graph = StateGraph().add_node("a", lambda s: {"x": 1 / s["n"]}).add_edge(START, "a").add_edge("a", END)
        >>> graph.compile().try_invoke({"n": 0}).failure().node_id
        'a'
        """
        try:
            return Success(self.invoke(inputs, config))
        except GraphRunnerException as error:
            return Failure(error)

    async def ainvoke(self, inputs: I | None, config: RunnableConfig[C] | None = None) -> OverAllState[O]:
        """`invoke` in an event loop; sync actions run in threads unless their executor is `INLINE`.

        Raises:
            GraphRunnerException: as `invoke`.
        """
        return (await self.arun(inputs, config)).state

    async def arun(self, inputs: I | None, config: RunnableConfig[C] | None = None) -> RunResult[O]:
        """`run` in an event loop.

        Raises:
            GraphRunnerException: as `invoke`.
        """
        from graph_core.runner.async_driver import AsyncDriver

        run, steps = self._begun(inputs, config, ())
        driver = AsyncDriver(run.config)
        async for _ in driver.outputs(steps, run.ended):
            pass  # pragma: no cover  (without a mode nothing is emitted)
        return _result(run, driver.state)

    async def astream(
        self, inputs: I | None, config: RunnableConfig[C] | None = None
    ) -> AsyncGenerator[NodeOutput, None]:
        """`stream` in an event loop.

        Raises:
            GraphRunnerException: as `invoke`, when the failing step is reached.
        """
        from graph_core.runner.async_driver import AsyncDriver

        settings = checked(config)
        run, steps = self._begun(inputs, settings, _modes(settings))
        outputs = AsyncDriver(run.config).outputs(steps, run.ended)
        try:
            async for output in outputs:
                yield output
        finally:
            await outputs.aclose()

    async def ainvoke_and_get_output(self, inputs: I | None, config: RunnableConfig[C] | None = None) -> NodeOutput:
        """`invoke_and_get_output` in an event loop.

        Raises:
            GraphRunnerException: as `invoke`.
        """
        outputs = [output async for output in self.astream(inputs, config)]
        return _first(outputs[-1])

    async def atry_invoke(
        self, inputs: I | None, config: RunnableConfig[C] | None = None
    ) -> Result[OverAllState[O], GraphRunnerException]:
        """`try_invoke` in an event loop."""
        try:
            return Success(await self.ainvoke(inputs, config))
        except GraphRunnerException as error:
            return Failure(error)

    def _begun(
        self, inputs: Any, config: RunnableConfig[Any] | None, modes: Sequence[StreamMode]
    ) -> tuple[GraphRunnerContext, Steps]:
        settings = checked(config)
        resumes = inputs is None or settings.checkpoint_id is not None or settings.resume is not None
        given = {} if inputs is None else admitted(self._plan.state, inputs)
        run = GraphRunnerContext(self._plan, settings, modes)
        return run, run.steps(given, resumes=resumes)


def _result(run: GraphRunnerContext, state: OverAllState[Any]) -> RunResult[Any]:
    status: RunStatus = "interrupted" if run.interruptions else "done"
    return RunResult(state=state, status=status, interruptions=run.interruptions, config=run.config.onward())


def _first(last: NodeOutput) -> NodeOutput:
    """Give the first of the pauses that the last output may be one of."""
    return last.pending[0] if isinstance(last, InterruptionMetadata) else last


def _modes(config: RunnableConfig[Any]) -> tuple[StreamMode, ...]:
    mode = config.stream_mode
    return (mode,) if isinstance(mode, StreamMode) else tuple(mode)


def _without_result(outputs: Generator[NodeOutput, None, Any]) -> Generator[NodeOutput, None, None]:
    yield from outputs
