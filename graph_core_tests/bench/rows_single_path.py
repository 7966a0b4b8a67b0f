"""Rows on one path: chains, loops, a growing list."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from graph_core_tests.bench import floor, minimal, ours
from graph_core_tests.bench.measure import Variant
from graph_core_tests.bench.row import OURS, Row, Target, timed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core_tests.bench.measure import Settings

N = 1000
START = {"score": 0, "draft": 0}


def chain(settings: Settings) -> Sequence[Variant]:
    """A chain of 1000 nodes, synchronous."""
    n = settings.size(N)
    graph, app = minimal.chain(n, minimal.plain), ours.chain(n)

    def check(state: Any) -> bool:
        return bool(state["x"] == n)

    return (
        Variant("floor", floor.chain(n), check, n),
        Variant("minimal", lambda: graph.run("n0", {"x": 0}), check, n),
        Variant(OURS, lambda: app.invoke({"x": 0}), check, n),
    )


def async_chain(settings: Settings) -> Sequence[Variant]:
    """A chain of 1000 nodes, asynchronous."""
    n = settings.size(N)
    graph, app = minimal.chain(n, minimal.tasks), ours.chain(n, ours.tasks)

    def check(state: Any) -> bool:
        return bool(state["x"] == n)

    async def run_minimal() -> object:
        return await graph.arun("n0", {"x": 0})

    async def run_ours() -> object:
        return await app.ainvoke({"x": 0})

    return (
        Variant("floor", floor.async_chain(n), check, n),
        Variant("minimal", run_minimal, check, n),
        Variant(OURS, run_ours, check, n),
    )


def loop(settings: Settings) -> Sequence[Variant]:
    """A loop of 1000 iterations of two nodes and a condition, synchronous."""
    n = settings.size(N)
    graph, app = minimal.loop(n, minimal.plain), ours.loop(n)

    def check(state: Any) -> bool:
        return bool(state["score"] == n and state["draft"] == n - 1)

    return (
        Variant("floor", floor.loop(n), check, n),
        Variant("minimal", lambda: graph.run("evaluate", START), check, n),
        Variant(OURS, lambda: app.invoke(START), check, n),
    )


def async_loop(wrap_route: ours.WrapRoute, settings: Settings) -> Sequence[Variant]:
    """The same, asynchronous; our condition is of either kind."""
    n = settings.size(N)
    graph, app = minimal.loop(n, minimal.tasks), ours.loop(n, ours.tasks, wrap_route)

    def check(state: Any) -> bool:
        return bool(state["score"] == n and state["draft"] == n - 1)

    async def run_minimal() -> object:
        return await graph.arun("evaluate", START)

    async def run_ours() -> object:
        return await app.ainvoke(START)

    return (
        Variant("floor", floor.async_loop(n), check, n),
        Variant("minimal", run_minimal, check, n),
        Variant(OURS, run_ours, check, n),
    )


def messages(settings: Settings) -> Sequence[Variant]:
    """A list that grows to 1000 messages, without a saver."""
    n = settings.size(N)
    graph, app = minimal.messages(n, minimal.plain), ours.messages(n)

    def check(state: Any) -> bool:
        return len(state["messages"]) == n

    return (
        Variant("floor", floor.messages(n), check, n),
        Variant("minimal", lambda: graph.run("agent", {"messages": []}), check, n),
        Variant(OURS, lambda: app.invoke({"messages": []}), check, n),
    )


ASYNC_CONDITION, SYNC_CONDITION = partial(async_loop, ours.task_route), partial(async_loop, ours.plain_route)
NODE, ITERATION = "µs per node", "µs per iteration"
INTERPRETED = (Target(2.5, "minimal"),)

ROWS = (
    Row("chain-sync", "chain of 1000 nodes, sync", NODE, timed(chain), INTERPRETED),
    Row("chain-async", "chain of 1000 nodes, async", NODE, timed(async_chain), INTERPRETED),
    Row("loop-sync", "loop of 1000 with a condition, sync", ITERATION, timed(loop), INTERPRETED),
    Row("loop-async", "loop of 1000 with a condition, async", ITERATION, timed(ASYNC_CONDITION), INTERPRETED),
    Row("loop-mixed", "the same, async nodes, sync condition", ITERATION, timed(SYNC_CONDITION), INTERPRETED),
    Row("messages", "append-only list to 1000, no saver", ITERATION, timed(messages), (Target(4, "minimal"),)),
)
