"""Graphs that ask, every way to run them, and what they have asked."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import attrs
import pytest

from graph_core import (
    INLINE,
    BaseCheckpointSaver,
    CompileConfig,
    CompiledGraph,
    InterruptionMetadata,
    NodeOutput,
    RunnableConfig,
    RunResult,
    StateGraph,
    interrupt,
)
from graph_core_tests.threads.savers import opened

Compiled: TypeAlias = CompiledGraph[Any, Any, Any, Any]
Run: TypeAlias = Callable[[Compiled, Any, RunnableConfig], RunResult[Any]]
T = RunnableConfig(thread_id="t")


def run_sync(app: Compiled, inputs: Any, config: RunnableConfig) -> RunResult[Any]:
    """Run under the sync verbs, branches in the default pool."""
    return app.run(inputs, config)


def run_inline(app: Compiled, inputs: Any, config: RunnableConfig) -> RunResult[Any]:
    """Run everything on the engine's own thread."""
    return app.run(inputs, attrs.evolve(config, default_parallel_executor=INLINE))


def run_async(app: Compiled, inputs: Any, config: RunnableConfig) -> RunResult[Any]:
    """Run in a loop of its own."""
    return asyncio.run(app.arun(inputs, config))


each_run = pytest.mark.parametrize("run", [run_sync, run_inline, run_async])


@pytest.fixture(params=["memory", "serialized", "database"])
def saver(request: pytest.FixtureRequest) -> Iterator[BaseCheckpointSaver]:
    """Each kind of saver."""
    with opened(request.param) as made:
        yield made


def compiled(graph: StateGraph, saver: BaseCheckpointSaver, **options: Any) -> Compiled:
    """Compile with a saver."""
    return graph.compile(CompileConfig(checkpoint_saver=saver, **options))


def asks(name: str) -> Callable[[Any], dict[str, Any]]:
    """Make a node that asks, and appends its name with the answer to `m`."""
    return lambda state: {"m": f"{name}:{interrupt(f'{name}?')}"}


@attrs.define
class Failing:
    """A node that asks, and fails with its answer as long as it is told to.

    Args:
        prefix: what it appends before its answer.
        fails: whether it fails.
    """

    prefix: str = ""
    fails: bool = True

    def __call__(self, state: Any) -> dict[str, Any]:
        """Ask."""
        answer = interrupt("?")
        if self.fails:
            raise ValueError("b")
        return {"m": f"{self.prefix}{answer}"}


def asked(result: RunResult[Any]) -> list[tuple[str, Any]]:
    """What a run waits for: the nodes and what they ask, in order."""
    return [(each.node, each.payload) for each in result.interruptions]


def ids(result: RunResult[Any]) -> dict[str, str]:
    """Node → the id of what it asks."""
    return {each.node: each.id for each in result.interruptions}


def answers(result: RunResult[Any], given: Mapping[str, Any]) -> RunnableConfig:
    """Give the config that answers by node."""
    known = ids(result)
    return T.with_resume(answers={known[node]: answer for node, answer in given.items()})


def shown(output: NodeOutput) -> str:
    """Tell an output: the node, with `?` for a pause and when it is."""
    return f"{output.node}?{output.when}" if isinstance(output, InterruptionMetadata) else output.node


def outputs(app: Compiled, inputs: Any, config: RunnableConfig = T) -> list[str]:
    """Stream, and tell the outputs; in one step by branch."""
    return [shown(output) for output in app.stream(inputs, config)]
