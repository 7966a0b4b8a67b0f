"""A scenario's graph compiled and run: what it did, as plain JSON values."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import attrs

from graph_core import INLINE, CompileConfig, GraphRunnerException, GraphStateException, RunnableConfig
from graph_core_tests.parity.build import build, id_of

if TYPE_CHECKING:
    from graph_core import CompiledGraph, NodeOutput
    from graph_core_tests.parity.scenario import RunSpec, Scenario

Driver: TypeAlias = Literal["threads", "inline", "async"]
DRIVERS: tuple[Driver, ...] = ("threads", "inline", "async")


@attrs.frozen
class Output:
    """A node and the state at that moment; `inner` says that it comes from inside a region."""

    node: str
    state: Mapping[str, object]
    inner: bool = False


@attrs.frozen
class Failure:
    """How a run ended that did not finish: the error's code, node and text, and the text of its cause."""

    code: str
    node_id: str | None
    text: str
    cause: str


@attrs.frozen
class Run:
    """The outputs of one run in order, and the error that ended it."""

    outputs: tuple[Output, ...]
    failure: Failure | None = None


@attrs.frozen
class Trace:
    """The codes of the compile problems, or the runs."""

    problems: frozenset[str] = frozenset()
    runs: tuple[Run, ...] = ()


def trace(scenario: Scenario, runs: Sequence[RunSpec], driver: Driver) -> Trace:
    """Build, compile without a saver, and run."""
    try:
        app = _compiled(scenario, driver)
    except GraphStateException as error:
        return Trace(frozenset(problem.code for problem in error.errors))
    return Trace(runs=tuple(_run(app, run, driver) for run in runs))


def final_state(scenario: Scenario, run: RunSpec, driver: Driver) -> Mapping[str, object]:
    """The state that `invoke` or `ainvoke` gives."""
    app, inputs, config = _compiled(scenario, driver), run.input or {}, _config(run, driver)
    state = asyncio.run(app.ainvoke(inputs, config)) if driver == "async" else app.invoke(inputs, config)
    return plain_state(state)


def _compiled(scenario: Scenario, driver: Driver) -> CompiledGraph:
    graph = build(scenario.graph, "async" if driver == "async" else "sync")
    limit = scenario.compile.recursion_limit
    return graph.compile(CompileConfig(checkpoint_saver=None, recursion_limit=limit, detect_mutation=True))


def _config(run: RunSpec, driver: Driver) -> RunnableConfig:
    return RunnableConfig(
        thread_id=run.thread,
        default_parallel_executor=INLINE if driver == "inline" else None,
        aggregation={id_of(name): strategy for name, strategy in run.aggregation.items()},
    )


def _run(app: CompiledGraph, run: RunSpec, driver: Driver) -> Run:
    outputs: list[Output] = []
    try:
        if driver == "async":
            asyncio.run(_collect(app, run, outputs))
        else:
            for output in app.stream(run.input or {}, _config(run, driver)):
                outputs.append(_output(output))  # noqa: PERF401 - what came before an error has to stay
    except GraphRunnerException as error:
        return Run(tuple(outputs), Failure(error.code, error.node_id, str(error), str(error.__cause__)))
    return Run(tuple(outputs))


async def _collect(app: CompiledGraph, run: RunSpec, outputs: list[Output]) -> None:
    async for output in app.astream(run.input or {}, _config(run, "async")):
        outputs.append(_output(output))  # noqa: PERF401 - what came before an error has to stay


def _output(output: NodeOutput) -> Output:
    """A region's own output has a place behind its branches (P11), so it stands one level above that place."""
    region = output.node.startswith("__PARALLEL__(")
    state = {} if output.state is None else plain_state(output.state)
    return Output(output.node, state, inner=len(output.branch) > int(region))


def plain_state(state: Mapping[str, object]) -> dict[str, object]:
    """A deep copy taken now, of plain containers only."""
    return {key: _plain(value) for key, value in state.items()}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return plain_state(cast("Mapping[str, object]", value))
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    return value
