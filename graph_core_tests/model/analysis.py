"""What the rules say about a graph before it runs: P1, P2, P3, P14, P15."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from graph_core_tests.model.convergence import Placement, place_forks
from graph_core_tests.model.digraph import Digraph, breadth_first, dominators, reach
from graph_core_tests.model.flow import POINT, Flow, Fork, build_flow
from graph_core_tests.model.graph import END, START, Graph
from graph_core_tests.model.problems import Problem, find_problems


@frozen
class ForkInfo:
    """One fork: what its region holds and how branches move in it.

    `convergence` may be a point (`w#fork`): the fixed fork behind the Send target `w`.
    `open` are the forks of the region that get no region of their own in it; `visible` those a
    branch of this region can stand on (not hidden in a closed one). `holds` are pairs (u, v).
    """

    fork: Fork
    convergence: str
    candidates: tuple[str, ...]
    region: frozenset[str]
    backs: frozenset[str]
    enclosing: frozenset[str]
    ranks: Mapping[str, int]
    holds: frozenset[tuple[str, str]]
    open: frozenset[str]
    visible: frozenset[str]


@frozen
class Analysis:
    """All forks by source, the order of the nodes from START, and what is wrong."""

    flow: Flow
    forks: Mapping[str, ForkInfo]
    order: Mapping[str, int]
    problems: tuple[Problem, ...]

    def fork(self, source: str) -> ForkInfo:
        """The fork of that node, whether or not a point stands behind it."""
        return self.forks.get(source + POINT) or self.forks[source]


def inside(flow: Flow, place: Placement) -> Digraph:
    """The region as a graph: no path through the convergence or out of it by P15."""
    kept = place.region - place.backs
    return {n: tuple(s for s in flow.succ[n] if s in kept) for n in sorted(place.region)}


def _ranks(flow: Flow, fork: Fork, place: Placement) -> dict[str, int]:
    """Breadth-first positions from the fork; a point stands right behind its source."""
    graph = inside(flow, place)
    plain = {
        node: tuple(s for t in successors for s in (graph[t] if flow.is_point(t) else (t,)))
        for node, successors in graph.items()
    }
    starts = [target for target in fork.targets if target in place.region]
    order = breadth_first(plain, starts)
    with_points = [n for node in order for n in (node, node + POINT) if n in place.region]
    return {node: position for position, node in enumerate(with_points)}


def _holds(graph: Digraph, ranks: Mapping[str, int]) -> frozenset[tuple[str, str]]:
    """The pairs (u, v) of P3: u reaches v, and v not u or u has the smaller rank."""
    reached = {node: reach(graph, node) for node in graph}
    return frozenset((u, v) for u in graph for v in reached[u] - {u} if u not in reached[v] or ranks[u] < ranks[v])


def _opens(graph: Digraph, targets: Iterable[str], source: str, inner: frozenset[str]) -> bool:
    """Whether of two different targets one reaches the fork, the other its region past it."""
    entered = [target for target in targets if target in graph]
    return any(
        source in reach(graph, one) and reach(graph, other, {source}) & inner
        for one in entered
        for other in entered
        if one != other
    )


def _open_forks(flow: Flow, source: str, placed: Mapping[str, Placement]) -> frozenset[str]:
    """The open forks of one region: all closed at first, repeated until stable (P14)."""
    place = placed[source]
    graph = inside(flow, place)
    candidates = [node for node in sorted(place.region) if node in flow.forks]
    found: set[str] = set()
    while True:
        ways = [flow.forks[source].targets]
        ways += [tuple(t for t in flow.forks[f].targets if t not in place.backs) for f in found]
        more = {
            fork
            for fork in candidates
            if fork not in found and any(_opens(graph, targets, fork, placed[fork].region) for targets in ways)
        }
        if not more:
            return frozenset(found)
        found |= more


def _visible(flow: Flow, source: str, placed: Mapping[str, Placement], opened: frozenset[str]) -> frozenset[str]:
    """The nodes branches of this region stand on: closed forks are passed in one step."""
    place = placed[source]
    graph = dict(inside(flow, place))
    for fork in place.region & set(flow.forks) - opened:
        inner = placed[fork]
        exits = {inner.convergence, *(s for n in inner.region for s in flow.succ[n])} - inner.region
        graph[fork] = tuple(exits & place.region - place.backs)
    starts = [target for target in flow.forks[source].targets if target in place.region]
    return frozenset(breadth_first(graph, starts))


def analyse(graph: Graph) -> Analysis:
    """Everything the rules decide about a graph when it is compiled."""
    flow = build_flow(graph)
    placed, around = place_forks(flow)
    infos: dict[str, ForkInfo] = {}
    for source, fork in flow.forks.items():
        place = placed[source]
        ranks = _ranks(flow, fork, place)
        opened = _open_forks(flow, source, placed)
        infos[source] = ForkInfo(
            fork=fork,
            convergence=place.convergence,
            candidates=place.candidates,
            region=place.region,
            backs=place.backs,
            enclosing=around[source],
            ranks=ranks,
            holds=_holds(inside(flow, place), ranks),
            open=opened,
            visible=_visible(flow, source, placed, opened),
        )
    order = {node: n for n, node in enumerate(breadth_first(flow.succ, [START])) if node != END}
    doms = {source: dominators(flow.succ, source) for source in flow.forks}
    opened_in = {source: (info.open, info.visible) for source, info in infos.items()}
    problems = find_problems(flow, placed, around, doms, opened_in)
    return Analysis(flow, infos, order, problems)
