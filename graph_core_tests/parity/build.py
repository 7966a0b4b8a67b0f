"""Scenario → `StateGraph`: the nodes and routers of a scenario, synchronous or asynchronous."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import attrs

from graph_core import (
    APPEND,
    END,
    MERGE,
    REPLACE,
    START,
    AppendStrategy,
    Command,
    CommandAction,
    MultiCommand,
    MultiCommandAction,
    OverAllState,
    StateGraph,
)
from graph_core_tests.parity.values import nth, route_of, update_of

if TYPE_CHECKING:
    from graph_core import KeyStrategy
    from graph_core_tests.parity.scenario import EdgeSpec, GraphSpec, Ids, NodeSpec, Route

World: TypeAlias = Literal["sync", "async"]

STRATEGIES: Mapping[str, KeyStrategy] = {
    "replace": REPLACE,
    "append": APPEND,
    "append_unique": AppendStrategy(allow_duplicate=False),
    "merge": MERGE,
}


class ScenarioError(RuntimeError):
    """What a scenario's node or router raises when it says `fail`."""


def build(spec: GraphSpec, world: World) -> StateGraph:
    """The graph of a scenario; visits and evaluations are counted from now on, as in the Java harness."""
    graph = StateGraph({key: STRATEGIES[name] for key, name in spec.key_strategies.items()})
    for node in spec.nodes:
        _add_node(graph, node, world)
    for edge in spec.edges:
        _add_edge(graph, edge, world)
    return graph


def _add_node(graph: StateGraph, node: NodeSpec, world: World) -> None:
    name = id_of(node.id)
    match node.kind:
        case "update":
            graph.add_node(name, _node_action(node, world))
        case "command":
            graph.add_node(name, _single(node, world), _mappings(node))
        case "multi_command":
            graph.add_node(name, _multi(node, world), _mappings(node))


def _add_edge(graph: StateGraph, edge: EdgeSpec, world: World) -> None:
    match edge.kind:
        case "edge":
            graph.add_edge(_ids(edge.source), _ids(edge.target))
        case "conditional":
            graph.add_conditional_edges(_one(edge.source), _single(edge, world), _mappings(edge))
        case "parallel_conditional":
            graph.add_parallel_conditional_edges(_one(edge.source), _multi(edge, world), _mappings(edge))


def _node_action(node: NodeSpec, world: World) -> Callable[[OverAllState], object]:
    """Each visit waits, then fails or gives its update."""
    visits = itertools.count()

    def update(state: OverAllState, visit: int) -> dict[str, object]:
        if node.fail is not None and (node.fail_times is None or visit < node.fail_times):
            raise ScenarioError(node.fail)
        return update_of(nth(node.updates, visit), state, visit)

    def act(state: OverAllState) -> dict[str, object]:
        visit = next(visits)
        time.sleep(node.delay_ms / 1000)
        return update(state, visit)

    async def act_async(state: OverAllState) -> dict[str, object]:
        visit = next(visits)
        await asyncio.sleep(node.delay_ms / 1000)
        return update(state, visit)

    return act if world == "sync" else act_async


def _answer(route: Route, visits: itertools.count[int], state: OverAllState) -> tuple[object, dict[str, object]]:
    """The route of this evaluation and its update."""
    visit = next(visits)
    if route.fail is not None:
        raise ScenarioError(route.fail)
    update = update_of(nth(route.route_updates, visit), state, visit)
    return route_of(nth(route.routes, visit), state), update


@attrs.frozen
class _Router:
    """A router without a name of its own: two on one source may not share one (R8)."""

    decide: Callable[[OverAllState], object]

    def __call__(self, state: OverAllState) -> object:
        return self.decide(state)


@attrs.frozen
class _AsyncRouter(_Router):
    """The same as a coroutine function."""

    async def __call__(self, state: OverAllState) -> object:
        return self.decide(state)


ROUTERS: Mapping[World, type[_Router]] = {"sync": _Router, "async": _AsyncRouter}


def _single(route: Route, world: World) -> CommandAction:
    visits = itertools.count()

    def decide(state: OverAllState) -> Command:
        target, update = _answer(route, visits, state)
        return Command(cast("str", target), update)

    return CommandAction.of(ROUTERS[world](decide))


def _multi(route: Route, world: World) -> MultiCommandAction:
    visits = itertools.count()

    def decide(state: OverAllState) -> MultiCommand:
        targets, update = _answer(route, visits, state)
        return MultiCommand(cast("list[str]", targets), update)

    return MultiCommandAction.of(ROUTERS[world](decide))


def _mappings(route: Route) -> dict[str, str]:
    return {label: id_of(target) for label, target in route.mappings.items()}


def id_of(name: str) -> str:
    """Give a scenario's id as the library has it."""
    return {"START": START, "END": END}.get(name, name)


def _ids(names: Ids) -> str | list[str]:
    return id_of(names) if isinstance(names, str) else [id_of(name) for name in names]


def _one(source: Ids) -> str:
    """The single source of a conditional edge."""
    return id_of(source) if isinstance(source, str) else id_of(source[0])
