"""Plain graph questions, answered from their definitions: sets, searches, removed nodes."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from graph_core_tests.model.graph import END, START

Digraph: TypeAlias = Mapping[str, tuple[str, ...]]
"""Node to successors, in the order of declaration."""


def reach(graph: Digraph, start: str, without: Iterable[str] = ()) -> frozenset[str]:
    """Everything on some path from `start`, itself included, that avoids `without`."""
    seen: set[str] = set(without)
    found: set[str] = set()
    todo = [start]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            found.add(node)
            todo.extend(graph.get(node, ()))
    return frozenset(found)


def breadth_first(graph: Digraph, starts: Iterable[str]) -> list[str]:
    """The nodes in breadth-first order from several starts."""
    order = list(dict.fromkeys(starts))
    for node in order:  # the list grows while it is walked
        order.extend(item for item in dict.fromkeys(graph.get(node, ())) if item not in order)
    return order


def dominators(graph: Digraph, node: str) -> frozenset[str]:
    """The nodes, `node` included, that every path from START to `node` passes."""
    candidates = reach(graph, START)
    return frozenset(d for d in candidates if d == node or node not in reach(graph, START, {d}))


def post_dominators(graph: Digraph, node: str) -> frozenset[str]:
    """The nodes, `node` included, that every path from `node` to END passes."""
    candidates = reach(graph, node)
    return frozenset(d for d in candidates if d == node or END not in reach(graph, node, {d}))


def without_edges_into(graph: Digraph, targets: Iterable[str]) -> Digraph:
    """The graph without the edges that lead to one of `targets`."""
    closed = frozenset(targets)
    return {n: tuple(s for s in successors if s not in closed) for n, successors in graph.items()}
