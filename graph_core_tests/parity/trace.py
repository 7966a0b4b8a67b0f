"""A scenario's graph compiled, and what is done with it: what came of it, as plain JSON values."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import attrs

from graph_core import (
    INLINE,
    CompileConfig,
    CompiledGraph,
    GraphRunnerException,
    GraphStateException,
    InterruptionMetadata,
    MemorySaver,
    RunnableConfig,
)
from graph_core_tests.parity.build import build, id_of

if TYPE_CHECKING:
    from graph_core import NodeOutput, OverAllState, StateSnapshot
    from graph_core_tests.parity.scenario import RunSpec, Scenario

Driver: TypeAlias = Literal["threads", "inline", "async"]
DRIVERS: tuple[Driver, ...] = ("threads", "inline", "async")


@attrs.frozen
class Output:
    """A node and the state at that moment.

    Args:
        node: the node.
        state: the state.
        inner: it comes from inside a region.
        when: where the run pauses, if this is an interruption: `before`, `after` or `inside` the node.
    """

    node: str
    state: Mapping[str, object]
    inner: bool = False
    when: str | None = None


@attrs.frozen
class Entry:
    """A checkpoint: the node that was done, what comes next, and the state."""

    node: str
    next: tuple[str, ...]
    state: Mapping[str, object]


@attrs.frozen
class Failure:
    """How a run ended that did not finish: the error's code, node and text, and the text of its cause."""

    code: str
    node_id: str | None
    text: str
    cause: str


@attrs.frozen
class Run:
    """What one operation gave: a run's outputs in order, or checkpoints, newest first; and the error that ended it."""

    outputs: tuple[Output, ...] = ()
    entries: tuple[Entry, ...] = ()
    failure: Failure | None = None


@attrs.frozen
class Trace:
    """The codes of the compile problems, or the runs."""

    problems: frozenset[str] = frozenset()
    runs: tuple[Run, ...] = ()


def trace(scenario: Scenario, runs: Sequence[RunSpec], driver: Driver) -> Trace:
    """Build, compile with the scenario's saver, and do one operation after the other."""
    try:
        app = _compiled(scenario, driver)
    except GraphStateException as error:
        return Trace(frozenset(problem.code for problem in error.errors))
    thread = Threads(app, driver)
    return Trace(runs=tuple(thread.done(run) for run in runs))


def final_states(scenario: Scenario, runs: Sequence[RunSpec], driver: Driver) -> list[Mapping[str, object]]:
    """The states that `invoke` or `ainvoke` give."""
    thread = Threads(_compiled(scenario, driver), driver)
    states: list[Mapping[str, object]] = []
    for run in runs:
        if run.op == "stream":
            states.append(plain_state(thread.invoked(run)))
        else:
            thread.done(run)
    return states


def _compiled(scenario: Scenario, driver: Driver) -> CompiledGraph:
    graph = build(scenario.graph, "async" if driver == "async" else "sync")
    settings = scenario.compile
    config = CompileConfig(
        checkpoint_saver=None if settings.saver is None else MemorySaver(),
        recursion_limit=settings.recursion_limit,
        interrupts_before=settings.interrupt_before,
        interrupts_after=settings.interrupt_after,
        interrupt_before_edge=settings.interrupt_before_edge,
        detect_mutation=True,
    )
    return graph.compile(config)


@attrs.frozen
class Threads:
    """A compiled graph, and the configs that were saved by name."""

    app: CompiledGraph
    driver: Driver
    saved: dict[str, RunnableConfig] = attrs.field(factory=dict[str, RunnableConfig])

    def done(self, run: RunSpec) -> Run:
        """Do one operation."""
        outputs: list[Output] = []
        try:
            entries = self._streamed(run, outputs) if run.op == "stream" else self._looked(run)
        except GraphRunnerException as error:
            failure = Failure(error.code, error.node_id, str(error), str(error.__cause__))
            return Run(tuple(outputs), failure=failure)
        return Run(tuple(outputs), tuple(map(_entry, entries)))

    def invoked(self, run: RunSpec) -> OverAllState:
        """Do a `stream` operation without its outputs."""
        if self.driver == "async":
            return asyncio.run(self.app.ainvoke(run.input, self._config(run)))
        return self.app.invoke(run.input, self._config(run))

    def _config(self, run: RunSpec) -> RunnableConfig:
        base = self.saved.get(run.config_from or "", RunnableConfig())
        config = RunnableConfig(
            thread_id=run.thread or base.thread_id,
            checkpoint_id=base.checkpoint_id,
            default_parallel_executor=INLINE if self.driver == "inline" else None,
            aggregation={id_of(name): strategy for name, strategy in run.aggregation.items()},
        )
        return config.with_resume() if run.resume else config

    def _streamed(self, run: RunSpec, outputs: list[Output]) -> Sequence[StateSnapshot]:
        """What came before an error stays in `outputs`."""
        if self.driver == "async":
            asyncio.run(self._collect(run, outputs))
        else:
            for output in self.app.stream(run.input, self._config(run)):
                outputs.append(_output(output))  # noqa: PERF401 - as told above
        return ()

    async def _collect(self, run: RunSpec, outputs: list[Output]) -> None:
        async for output in self.app.astream(run.input, self._config(run)):
            outputs.append(_output(output))  # noqa: PERF401 - what came before an error has to stay

    def _looked(self, run: RunSpec) -> Sequence[StateSnapshot]:
        """Look at a thread or change it; the checkpoints that were asked for, or that was made or picked."""
        config = self._config(run)
        if run.op == "history":
            return self._history(config)
        if run.op == "pick":
            found = next(entry for entry in self._history(config) if entry.node == id_of(run.node))
            self.saved[run.save_as] = found.config
            return (found,)
        if run.op == "update_state":
            as_node = None if run.as_node is None else id_of(run.as_node)
            config = self.saved[run.save_as] = self._updated(config, run.values, as_node)
        return (self._state(config),)

    def _history(self, config: RunnableConfig) -> Sequence[StateSnapshot]:
        if self.driver == "async":
            return asyncio.run(self.app.aget_state_history(config))
        return self.app.get_state_history(config)

    def _state(self, config: RunnableConfig) -> StateSnapshot:
        return asyncio.run(self.app.aget_state(config)) if self.driver == "async" else self.app.get_state(config)

    def _updated(self, config: RunnableConfig, values: Mapping[str, Any], as_node: str | None) -> RunnableConfig:
        if self.driver == "async":
            return asyncio.run(self.app.aupdate_state(config, values, as_node))
        return self.app.update_state(config, values, as_node)


def _output(output: NodeOutput) -> Output:
    """A region's own output has a place behind its branches (P11), so it stands one level above that place."""
    region = output.node.startswith("__PARALLEL__(")
    state = {} if output.state is None else plain_state(output.state)
    when = output.when if isinstance(output, InterruptionMetadata) else None
    return Output(output.node, state, inner=len(output.branch) > int(region), when=when)


def _entry(snapshot: StateSnapshot) -> Entry:
    return Entry(snapshot.node, snapshot.next, plain_state(snapshot.state))


def plain_state(state: Mapping[str, object]) -> dict[str, object]:
    """A deep copy taken now, of plain containers only."""
    return {key: _plain(value) for key, value in state.items()}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return plain_state(cast("Mapping[str, object]", value))
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    return value
