"""The compiled graph of a description: successors, forks, points behind Send targets (P1)."""

from collections.abc import Mapping

from attrs import evolve, frozen

from graph_core_tests.model.digraph import Digraph
from graph_core_tests.model.graph import END, START, Edge, Graph

POINT = "#fork"
"""What a point's id ends with: the fixed fork right behind its source."""


@frozen
class Fork:
    """A source with several ways: its targets in branch order (`END` not counted)."""

    source: str
    origin: str
    targets: tuple[str, ...]
    sends: frozenset[str]
    converge_at: tuple[str, ...]

    @property
    def id(self) -> str:
        """The id of the parallel node."""
        return f"__PARALLEL__({'__START__' if self.origin == START else self.origin})"


@frozen
class Flow:
    """The graph the rules talk about: `routes` are the edges as declared, per source."""

    graph: Graph
    succ: Digraph
    routes: Mapping[str, tuple[Edge, ...]]
    forks: Mapping[str, Fork]

    def is_point(self, node: str) -> bool:
        """Whether this is a point that runs nothing."""
        return node.endswith(POINT)


def _declared(graph: Graph) -> dict[str, list[Edge]]:
    """Per source all edges, in order, a node's own command last."""
    routes: dict[str, list[Edge]] = {START: [], **{node.id: [] for node in graph.nodes}}
    for edge in graph.edges:
        routes[edge.source].append(edge)
    for node in graph.nodes:
        if node.command is not None:
            routes[node.id].append(node.command)
    return routes


def _is_fork(graph: Graph, source: str, edges: list[Edge]) -> bool:
    """Several fixed targets, a multi route, several conditions, or a mix (P, R8)."""
    commands = [node.command for node in graph.nodes if node.id == source]
    declared = [edge for edge in edges if edge not in commands]
    fixed = sum(len(edge.targets) for edge in declared)
    conditions = sum(edge.kind == "conditional" for edge in declared)
    multi = any(edge.kind == "parallel_conditional" for edge in edges)
    return multi or fixed + conditions > 1


def _send_targets(edges: list[Edge]) -> frozenset[str]:
    """Those named by `sends`, and the only target of a multi route (P1)."""
    found: set[str] = set()
    for edge in edges:
        found.update(edge.sends)
        targets = [target for target in edge.reachable if target != END]
        if edge.kind == "parallel_conditional" and len(targets) == 1:
            found.update(targets)
    return frozenset(found)


def _insert_points(routes: dict[str, list[Edge]]) -> None:
    """Put a point behind each Send target that is a fixed fork and nothing else."""
    sent = frozenset[str]().union(*(_send_targets(edges) for edges in routes.values()))
    for node in sorted(sent):
        edges = routes.get(node, [])
        fixed = all(edge.kind == "edge" for edge in edges)
        if fixed and sum(len(edge.targets) for edge in edges) > 1:
            point = node + POINT
            routes[point] = [evolve(edge, source=point) for edge in edges]
            routes[node] = [Edge(node, targets=(point,))]


def build_flow(graph: Graph) -> Flow:
    """The compiled graph; every mapped target of a condition counts as an edge."""
    routes = _declared(graph)
    forks = {source for source, edges in routes.items() if _is_fork(graph, source, edges)}
    _insert_points(routes)
    found: dict[str, Fork] = {}
    succ: dict[str, tuple[str, ...]] = {}
    for source, edges in routes.items():
        origin = source.removesuffix(POINT)
        targets = dict.fromkeys(target for edge in edges for target in edge.reachable)
        succ[source] = tuple(targets)
        if origin in forks and source + POINT not in routes:
            nodes = tuple(target for target in targets if target != END)
            late = tuple(edge.converge_at for edge in edges if edge.converge_at is not None)
            found[source] = Fork(source, origin, nodes, _send_targets(edges), late)
    frozen_routes = {source: tuple(edges) for source, edges in routes.items()}
    return Flow(graph, succ, frozen_routes, found)
