"""A definition as a graph of integers, with its ways, forks and dominators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, final

import attrs

from graph_core.node import END, START

if TYPE_CHECKING:
    from graph_core.compiler.definition import Definition, NodeDefinition, Route

Successors = Callable[[int], Sequence[int]]


@final
@attrs.frozen(kw_only=True)
class Fork:
    """A source with several ways out at once (rules P, R8, R9).

    Args:
        source: the source.
        targets: where its branches may start, in branch order, without `END`.
        sends: those that are reached by `Send`.
        named: those of them that `sends=` names.
        fixed: all its targets are fixed ones.
        converge_at: the id where its branches shall join, if one was named.
    """

    source: int
    targets: tuple[int, ...]
    sends: frozenset[int]
    named: frozenset[int]
    fixed: bool
    converge_at: str | None


@final
@attrs.define(eq=False)
class Flow:
    """Sources and targets as integers: `START` is 0, the nodes follow as added, `END` is the last.

    Args:
        names: index → id.
        index: id → index.
        ways: source → the targets of each of its ways; a fixed way has one.
        commands: source → the targets of the commands that the node may return instead.
        forks: source → its fork.
        free: sources with a route that may lead to every node.
        succ: source → all its targets.
        pred: target → all its sources.
        order: what can be reached from `START`, breadth first.
    """

    names: list[str]
    index: dict[str, int]
    ways: list[list[tuple[int, ...]]]
    commands: list[tuple[int, ...]]
    forks: dict[int, Fork] = attrs.field(factory=dict[int, Fork])
    free: frozenset[int] = frozenset()
    succ: list[tuple[int, ...]] = attrs.field(factory=list[tuple[int, ...]])
    pred: list[list[int]] = attrs.field(factory=list[list[int]])
    order: list[int] = attrs.field(factory=list[int])

    @property
    def end(self) -> int:
        """Index of `END`."""
        return len(self.names) - 1

    def name(self, node: int) -> str:
        """Give the id of an index; a point behind a fork shows as the fork's node."""
        return self.names[node] if node < len(self.names) else f"__PARALLEL__({self.names[node - len(self.names)]})"


def flow_of(definition: Definition) -> Flow:
    """Make the integer graph; targets that are no nodes are left out, edges into `START` too."""
    names = [START, *definition.nodes, END]
    index = {name: i for i, name in enumerate(names)}
    everywhere = tuple(range(1, len(names)))
    flow = Flow(names=names, index=index, ways=[[] for _ in names], commands=[() for _ in names])
    free: set[int] = set()
    get, none = definition.nodes.get, ()
    for source, name in enumerate(names[:-1]):
        routes = definition.routes.get(name, none)
        node = get(name)
        commands = node.commands if node is not None else None
        if len(routes) == 1 and commands is None and isinstance(routes[0].target, str):
            target = index.get(routes[0].target, 0)
            flow.ways[source] = [(target,) if target else ()]
            continue
        flow.ways[source] = [_way(index, route, everywhere) for route in routes]
        if any(not isinstance(route.target, str) and route.target.mappings is None for route in routes):
            free.add(source)
        if commands is not None:
            flow.commands[source] = _known(index, (commands.mappings or {}).values())
        fork = _fork(source, routes, node, flow)
        if fork is not None:
            flow.forks[source] = fork
    flow.free = frozenset(free)
    flow.succ = [
        ways[0] if len(ways) == 1 and not extra else tuple(dict.fromkeys([*(t for way in ways for t in way), *extra]))
        for ways, extra in zip(flow.ways, flow.commands, strict=True)
    ]
    flow.pred = [[] for _ in names]
    for source, targets in enumerate(flow.succ):
        for target in targets:
            flow.pred[target].append(source)
    flow.order = reachable(0, flow.succ.__getitem__)
    return flow


def is_fork(routes: Sequence[Route], node: NodeDefinition | None) -> bool:
    """Tell whether a source may start several branches."""
    if node is not None and node.commands is not None and node.commands.kind != "single":
        return True
    return len(routes) > 1 or any(
        not isinstance(route.target, str) and route.target.is_multi_command for route in routes
    )


def _known(index: Mapping[str, int], ids: Iterable[str]) -> tuple[int, ...]:
    found = [index[id_] for id_ in ids if id_ in index]
    return tuple(target for target in dict.fromkeys(found) if target != 0)


def _way(index: Mapping[str, int], route: Route, everywhere: tuple[int, ...]) -> tuple[int, ...]:
    if isinstance(route.target, str):
        target = index.get(route.target, 0)
        return (target,) if target else ()
    if route.target.mappings is None:
        return everywhere
    return _known(index, route.target.mappings.values())


def _fork(source: int, routes: Sequence[Route], node: NodeDefinition | None, flow: Flow) -> Fork | None:
    if not is_fork(routes, node):
        return None
    end, index = flow.end, flow.index
    sends: set[int] = set()
    named: set[int] = set()
    joins = [route.converge_at for route in routes if route.converge_at is not None]
    for route, way in zip(routes, flow.ways[source], strict=True):
        if isinstance(route.target, str):
            continue
        inside = [target for target in way if target != end]
        if route.target.is_multi_command and (route.only_sends or len(inside) == 1):
            sends.update(inside)
        named.update(_known(index, route.sends))
    commands = [target for target in flow.commands[source] if target != end]
    if node is not None:
        if node.commands is not None and node.commands.kind == "multi" and len(commands) == 1:
            sends.update(commands)
        named.update(_known(index, node.sends))
        joins += [node.converge_at] if node.converge_at is not None else []
    targets = dict.fromkeys([*(t for way in flow.ways[source] for t in way if t != end), *commands])
    return Fork(
        source=source,
        targets=tuple(targets),
        sends=frozenset(sends | named),
        named=frozenset(named),
        fixed=not commands and all(isinstance(route.target, str) for route in routes),
        converge_at=joins[0] if joins else None,
    )


def reachable(start: int, successors: Successors) -> list[int]:
    """List what can be reached, breadth first, `start` included."""
    seen = {start}
    order = [start]
    for node in order:
        for target in successors(node):
            if target not in seen:
                seen.add(target)
                order.append(target)
    return order


def all_lead_out(flow: Flow) -> bool:
    """Tell whether every node can reach `END`, where one that nothing leads out of is taken to lead there.

    Else where branches join can not be told; what is wrong is reported by other checks.
    """
    dead_ends = [node for node in range(flow.end) if not flow.succ[node]]
    for node in dead_ends:
        flow.succ[node] = (flow.end,)
        flow.pred[flow.end].append(node)
    if dead_ends:
        flow.order = reachable(0, flow.succ.__getitem__)
    return len(reachable(flow.end, flow.pred.__getitem__)) == len(flow.names)


def is_cyclic(flow: Flow) -> bool:
    """Tell whether a way from `START` leads in a circle."""
    reached = set(flow.order)
    left = {node: sum(source in reached for source in flow.pred[node]) for node in flow.order}
    free = [node for node in flow.order if not left[node]]
    for node in free:
        for target in flow.succ[node]:
            left[target] -= 1
            if not left[target]:
                free.append(target)
    return len(free) < len(flow.order)


def postorder(start: int, successors: Successors) -> list[int]:
    """List what can be reached in depth-first postorder."""
    done: list[int] = []
    seen = {start}
    stack = [(start, iter(successors(start)))]
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(successors(target))))
                break
        else:
            stack.pop()
            done.append(node)
    return done


def dominators(start: int, successors: Successors) -> dict[int, int]:
    """Give the immediate dominator of each node that can be reached; `start` is its own.

    Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
    """
    order = postorder(start, successors)
    number = {node: i for i, node in enumerate(order)}
    before: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for target in successors(node):
            before[target].append(node)
    found = {start: start}
    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            new = -1
            for other in before[node]:
                if other in found:
                    new = other if new < 0 else common(new, other, found, number)
            if found.get(node) != new:
                found[node] = new
                changed = True
    return found


def common(a: int, b: int, tree: Mapping[int, int], number: Mapping[int, int]) -> int:
    """Give the nearest node of a dominator tree above both."""
    while a != b:
        while number[a] < number[b]:
            a = tree[a]
        while number[b] < number[a]:
            b = tree[b]
    return a


def chain(node: int, tree: Mapping[int, int]) -> list[int]:
    """List a node and all above it in a dominator tree, the root last."""
    found = [node]
    while tree[node] != node:
        node = tree[node]
        found.append(node)
    return found


def reversed_edges(nodes: Sequence[int], successors: Successors) -> dict[int, list[int]]:
    """Give target → sources for the edges between some nodes, which lead to no others."""
    found: dict[int, list[int]] = {node: [] for node in nodes}
    for node in nodes:
        for target in successors(node):
            found[target].append(node)
    return found
