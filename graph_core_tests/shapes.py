"""Small graphs for tests: nodes that append their id to `m`, and every way to run a graph."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import attrs
from attrs import define, field

from graph_core import (
    APPEND,
    END,
    INLINE,
    START,
    CompileConfig,
    CompiledGraph,
    GraphProblem,
    GraphRunnerException,
    GraphStateException,
    KeyStrategy,
    NodeOutput,
    OverAllState,
    RunnableConfig,
    StateGraph,
)

Update: TypeAlias = dict[str, Any]
State: TypeAlias = OverAllState[Any]
Compiled: TypeAlias = CompiledGraph[Any, Any, Any, Any]
Action: TypeAlias = Callable[..., Any]

PATIENCE = 10.0
"""Seconds after which a call counts as hanging."""


@define
class Result:
    """How a run went: its outputs in the order that does not depend on time, and its end."""

    outputs: list[NodeOutput] = field(factory=list[NodeOutput])
    error: GraphRunnerException | None = None

    @property
    def steps(self) -> list[tuple[str, int]]:
        """The nodes that ran with their steps, without START, END and regions."""
        return [(o.node, o.step) for o in self.outputs if not o.node.startswith("__")]

    @property
    def regions(self) -> list[tuple[str, list[str]]]:
        """The regions that ended, with their `m`."""
        return [(o.node, shown(o)["m"]) for o in self.outputs if o.node.startswith("__PARALLEL__")]

    @property
    def state(self) -> dict[str, Any]:
        """The final state."""
        last = max(self.outputs, key=lambda output: output.sequence)
        assert last.is_end
        return shown(last)

    @property
    def failure(self) -> GraphRunnerException:
        """The error that ended the run."""
        assert self.error is not None
        return self.error


def _sorted(outputs: list[NodeOutput]) -> list[NodeOutput]:
    return sorted(outputs, key=lambda output: (output.step, output.branch, output.sequence))


def run_sync(compiled: Compiled, inputs: Mapping[str, Any], config: RunnableConfig | None = None) -> Result:
    """Run under the sync verbs, branches in the default pool."""
    result = Result()
    try:
        for output in compiled.stream(inputs, config):
            result.outputs.append(output)
    except GraphRunnerException as error:
        result.error = error
    result.outputs = _sorted(result.outputs)
    return result


def run_inline(compiled: Compiled, inputs: Mapping[str, Any], config: RunnableConfig | None = None) -> Result:
    """Run under the sync verbs, everything on the engine's own thread."""
    return run_sync(compiled, inputs, attrs.evolve(config or RunnableConfig(), default_parallel_executor=INLINE))


def run_async(compiled: Compiled, inputs: Mapping[str, Any], config: RunnableConfig | None = None) -> Result:
    """Run under the async verbs in a loop of its own."""
    result = Result()

    async def read() -> None:
        async for output in compiled.astream(inputs, config):
            result.outputs.append(output)

    try:
        asyncio.run(read())
    except GraphRunnerException as error:
        result.error = error
    result.outputs = _sorted(result.outputs)
    return result


Runner: TypeAlias = Callable[[Compiled, Mapping[str, Any], RunnableConfig | None], Result]
RUNNERS: Mapping[str, Runner] = {"sync": run_sync, "inline": run_inline, "async": run_async}
"""Every way to run a graph, by name."""


def appends(name: str, **more: Any) -> Callable[[State], Update]:
    """Make a node that appends its id to `m`, and writes `more`."""

    def act(state: State) -> Update:
        return {"m": name, **more}

    return act


def async_appends(name: str, **more: Any) -> Action:
    """Make an async node that appends its id to `m` after the loop has had a turn."""

    async def act(state: State) -> Update:
        await asyncio.sleep(0)
        return {"m": name, **more}

    return act


def node(act: Callable[[State], Any]) -> Action:
    """Give a lambda as an action; a checker knows then what its state is."""
    return act


def says(answer: Any) -> Callable[[State], Any]:
    """Make a route that always answers the same."""

    def route(state: State) -> Any:
        return answer

    return route


def raises(error: BaseException) -> Callable[[State], Any]:
    """Make an action that raises."""

    def act(state: State) -> Any:
        raise error

    return act


def graph(
    *edges: str,
    make: Callable[[str], Action] = appends,
    strategies: Mapping[str, KeyStrategy] | None = None,
    later: Sequence[str] = (),
    **nodes: Action,
) -> StateGraph:
    """Build the graph of edges like ``"A > B, C"``; a node that is not given appends its id to `m`.

    Args:
        edges: source and targets; `START` and `END` are the constants.
        make: gives the action of every node that is not given.
        strategies: key strategies, else only `m` has one, APPEND.
        later: nodes of the edges that the test adds itself.
        nodes: actions by id.
    """
    constants = {"START": START, "END": END}
    parts = [[part.strip() for part in edge.replace(">", ",").split(",")] for edge in edges]
    built = StateGraph({"m": APPEND} if strategies is None else strategies)
    for name in dict.fromkeys(part for names in parts for part in [*names]):
        if name not in constants and name not in later:
            built.add_node(name, nodes.pop(name, None) or make(name))
    for name, action in nodes.items():
        built.add_node(name, action)
    for source, *targets in parts:
        if targets:
            built.add_edge(constants.get(source, source), [constants.get(target, target) for target in targets])
    return built


def problems_of(built: StateGraph, config: CompileConfig | None = None) -> dict[tuple[str, str], str]:
    """Compile, and give what is wrong: (code, place) → text."""
    try:
        built.compile(config)
    except GraphStateException as error:
        return {(problem.code, problem.place): problem.message for problem in error.errors}
    return {}


def codes(problems: Sequence[GraphProblem]) -> list[str]:
    """The codes of problems, in order."""
    return [problem.code for problem in problems]


def failure_of(
    compiled: Compiled, inputs: Mapping[str, Any], config: RunnableConfig | None = None
) -> GraphRunnerException:
    """Run a graph that fails, and give its error."""
    return compiled.try_invoke(inputs, config).failure()


def within(call: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Call in a thread, and give what it returns or raise what it raises; fail if it hangs."""
    outcome: list[tuple[bool, Any]] = []

    def work() -> None:
        try:
            outcome.append((True, call()))
        except BaseException as error:  # noqa: BLE001  (handed on to the test)
            outcome.append((False, error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "the call hangs"
    returned, value = outcome[0]
    if not returned:
        raise value
    return value


def on(action: Callable[[State], Any]) -> Callable[[State], Any]:
    """Give an action as it is; the checkers then know what a lambda gets."""
    return action


def shown(output: NodeOutput) -> dict[str, Any]:
    """The state of an output, empty where there is none."""
    return {} if output.state is None else dict(output.state)
