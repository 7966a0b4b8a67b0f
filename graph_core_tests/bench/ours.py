"""The same graphs as the yardsticks, built with the library."""

from __future__ import annotations

import asyncio
import operator
from typing import TYPE_CHECKING, Any, TypeAlias

from graph_core import (
    APPEND,
    END,
    INLINE,
    REPLACE,
    START,
    CompileConfig,
    OverAllState,
    RunnableConfig,
    Send,
    StateGraph,
)
from graph_core_tests.bench.floor import message

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from graph_core import BaseCheckpointSaver, CompiledGraph

Update: TypeAlias = dict[str, Any]
Work: TypeAlias = "Callable[[OverAllState], Update]"
Wrap: TypeAlias = "Callable[[Work], Callable[[OverAllState], Any]]"

Route: TypeAlias = "Callable[[OverAllState], Any]"
WrapRoute: TypeAlias = "Callable[[Route], Callable[[OverAllState], Any]]"

NOTHING = {"total": 0, "done": 0}
ON_THE_ENGINE = RunnableConfig(default_parallel_executor=INLINE)


def plain(work: Work) -> Work:
    """A synchronous node."""
    return work


def tasks(work: Work) -> Callable[[OverAllState], Awaitable[Update]]:
    """An asynchronous node."""

    async def run(state: OverAllState) -> Update:
        return work(state)

    return run


def plain_route(route: Route) -> Route:
    """A synchronous condition."""
    return route


def task_route(route: Route) -> Callable[[OverAllState], Awaitable[Any]]:
    """An asynchronous condition."""

    async def run(state: OverAllState) -> Any:
        return route(state)

    return run


def compiled(graph: StateGraph, limit: int = 100, saver: BaseCheckpointSaver | None = None) -> CompiledGraph:
    """Speed is measured without a saver, unless a row names one."""
    return graph.compile(CompileConfig(checkpoint_saver=saver, recursion_limit=limit))


def chain_graph(n: int, wrap: Wrap = plain, width: int = 1) -> StateGraph:
    """A chain of n nodes that count `x` up, with a state of `width` keys."""
    graph = StateGraph({"x": REPLACE, **{f"k{number}": REPLACE for number in range(width - 1)}})
    for number in range(n):
        graph.add_node(f"n{number}", wrap(lambda state: {"x": state["x"] + 1}))
        graph.add_edge(f"n{number - 1}" if number else START, f"n{number}")
    return graph.add_edge(f"n{n - 1}", END)


def chain(n: int, wrap: Wrap = plain, width: int = 1, saver: BaseCheckpointSaver | None = None) -> CompiledGraph:
    """The chain, compiled."""
    return compiled(chain_graph(n, wrap, width), n, saver)


def loop(n: int, wrap: Wrap = plain, wrap_route: WrapRoute = plain_route) -> CompiledGraph:
    """Evaluate, and revise until the score is n."""

    def route(state: OverAllState) -> str:
        return "revise" if state["score"] < n else END

    graph = StateGraph({"score": REPLACE, "draft": REPLACE})
    graph.add_node("evaluate", wrap(lambda state: {"score": state["score"] + 1}))
    graph.add_node("revise", wrap(lambda state: {"draft": state["draft"] + 1}))
    graph.add_edge(START, "evaluate").add_edge("revise", "evaluate")
    graph.add_conditional_edges("evaluate", wrap_route(route), ["revise", END])
    return compiled(graph, 2 * n)


def counter(n: int, saver: BaseCheckpointSaver | None = None) -> CompiledGraph:
    """One node that counts `x` up until it is n."""

    def route(state: OverAllState) -> str:
        return "count" if state["x"] < n else END

    graph = StateGraph({"x": REPLACE}).add_node("count", plain(lambda state: {"x": state["x"] + 1}))
    graph.add_edge(START, "count").add_conditional_edges("count", route, ["count", END])
    return compiled(graph, n, saver)


def fan_graph(
    n: int, chosen: int | None, wrap: Wrap = plain, wrap_route: WrapRoute = plain_route, wait: float = 0
) -> StateGraph:
    """From start to n workers, or to every (n / chosen)-th of them, and to a join; the workers may wait."""
    graph = StateGraph({"total": operator.add, "done": REPLACE})
    graph.add_node("start", wrap(lambda _state: {"done": 0}))
    graph.add_node("join", wrap(lambda state: {"done": state["total"]}))

    async def waiting(_state: OverAllState) -> Update:
        await asyncio.sleep(wait)
        return {"total": 1}

    names = [f"w{number}" for number in range(n)]
    for name in names:
        graph.add_node(name, waiting if wait else wrap(lambda _state: {"total": 1}))
    graph.add_edge(START, "start").add_edge(names, "join").add_edge("join", END)
    if chosen is None:
        return graph.add_edge("start", names)
    some = names[:: n // chosen]

    def choose(_state: OverAllState) -> list[str]:
        return some

    return graph.add_parallel_conditional_edges("start", wrap_route(choose), names)


def fan(
    n: int, chosen: int | None, wrap: Wrap = plain, wrap_route: WrapRoute = plain_route, wait: float = 0
) -> CompiledGraph:
    """The fork, compiled."""
    return compiled(fan_graph(n, chosen, wrap, wrap_route, wait))


def send(n: int, wrap: Wrap = plain, wrap_route: WrapRoute = plain_route) -> CompiledGraph:
    """A plan sends n items to one worker."""

    def each(_state: OverAllState) -> list[Send]:
        return [Send("work", {"i": item}) for item in range(n)]

    graph = StateGraph({"total": operator.add, "done": REPLACE})
    graph.add_node("plan", wrap(lambda _state: {"done": 0}))
    graph.add_node("work", wrap(lambda state: {"total": state["i"] - state["i"] + 1}))
    graph.add_node("reduce", wrap(lambda state: {"done": state["total"]}))
    graph.add_edge(START, "plan").add_edge("work", "reduce").add_edge("reduce", END)
    graph.add_parallel_conditional_edges("plan", wrap_route(each), ["work"])
    return compiled(graph)


def messages(n: int, saver: BaseCheckpointSaver | None = None) -> CompiledGraph:
    """A list that grows by one message a step until it has n."""

    def route(state: OverAllState) -> str:
        return "agent" if len(state["messages"]) < n else END

    graph = StateGraph({"messages": APPEND})
    graph.add_node("agent", plain(lambda state: {"messages": [message(len(state["messages"]))]}))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", route, ["agent", END])
    return compiled(graph, n, saver)


def nested_graph(depth: int, branches: int, core: int) -> StateGraph:
    """Forks inside forks: each level has a fork, `branches` plain branches, one with the next level, and a join.

    The innermost level has a chain of `core` nodes: depth * (branches + 2) + core nodes in all.
    """
    graph = StateGraph({})

    def add(*names: str) -> None:
        for name in names:
            graph.add_node(name, plain(lambda _state: {}))

    chain_names = [f"c{number}" for number in range(core)]
    add(*chain_names)
    for level in range(depth):
        works = [f"w{level}.{number}" for number in range(branches)]
        inner = f"f{level + 1}" if level + 1 < depth else chain_names[0]
        add(f"f{level}", f"j{level}", *works)
        graph.add_edge(f"f{level}", [*works, inner]).add_edge(works, f"j{level}")
        graph.add_edge(f"j{level}", f"j{level - 1}" if level else END)
    for source, target in zip(chain_names, [*chain_names[1:], f"j{depth - 1}"], strict=True):
        graph.add_edge(source, target)
    return graph.add_edge(START, "f0")
