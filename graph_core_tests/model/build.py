"""Short ways to write small graphs in tests: ids, letters, and what each node appends."""

from collections.abc import Iterable, Mapping, Sequence

from graph_core_tests.model.graph import Edge, Graph, Json, Node, State


def node(name: str, *, defer: bool = False, **extra: Json) -> Node:
    """A node that appends its own id to `m` and writes `extra`."""
    return Node(name, ({"m": [name], **extra},), defer=defer)


def fixed(source: str, *targets: str, at: str | None = None) -> Edge:
    """A fixed edge; several targets make a fork, `at` is its `converge_at`."""
    return Edge(source, targets=targets, converge_at=at)


def when(source: str, targets: Iterable[str], *routes: Json) -> Edge:
    """A condition whose labels are the node ids."""
    return Edge(source, "conditional", mappings={t: t for t in targets}, routes=routes)


def multi(
    source: str,
    targets: Iterable[str],
    *routes: Json,
    sends: Sequence[str] = (),
    at: str | None = None,
    update: State | None = None,
) -> Edge:
    """A multi route whose labels are the node ids."""
    return Edge(
        source,
        "parallel_conditional",
        mappings={t: t for t in targets},
        routes=routes,
        sends=tuple(sends),
        converge_at=at,
        route_updates=(update,) if update else (),
    )


def send(target: str, **state: Json) -> Json:
    """One Send of a route's answer."""
    return {"$send": [target, dict(state)]}


def graph(*parts: Node | Edge, deferred: Iterable[str] = (), limit: int = 100) -> Graph:
    """The graph of these edges; nodes that are not given append their own id."""
    given: Mapping[str, Node] = {part.id: part for part in parts if isinstance(part, Node)}
    edges = tuple(part for part in parts if isinstance(part, Edge))
    names = dict.fromkeys(n for edge in edges for n in (edge.source, *edge.reachable))
    late = frozenset(deferred)
    nodes = tuple(given.get(name, node(name, defer=name in late)) for name in names if name not in {"START", "END"})
    return Graph(nodes, edges, {"m": "append"}, limit)
