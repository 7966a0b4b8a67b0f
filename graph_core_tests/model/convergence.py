"""Where forks converge and what lies between: P1, P2 and the ways back of P15."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from graph_core_tests.model.digraph import (
    Digraph,
    dominators,
    post_dominators,
    reach,
    without_edges_into,
)
from graph_core_tests.model.flow import Flow, Fork
from graph_core_tests.model.graph import END


@frozen
class Placement:
    """One fork placed: its convergence, the possible ones (nearest first), region, ways back."""

    convergence: str
    candidates: tuple[str, ...]
    region: frozenset[str]
    backs: frozenset[str]
    late_refused: bool = False


def region_nodes(flow: Flow, fork: Fork, stop: str, backs: frozenset[str]) -> frozenset[str]:
    """What the targets reach before `stop` and without leaving backwards (P2).

    A Send target of the fork itself is entered even if it is a way back (P15).
    """
    inner = without_edges_into(flow.succ, {stop, END, *backs})
    entered = [t for t in fork.targets if t != stop and (t in fork.sends or t not in backs)]
    return frozenset[str]().union(*(reach(inner, target) for target in entered))


def _candidates(flow: Flow, fork: Fork, backs: frozenset[str]) -> tuple[str, ...]:
    """The common post-dominators of the targets, nearest first; END is the last.

    Ways that leave backwards do not count unless every target only leads back; a target that
    only leads back says nothing about the others.
    """
    graph: Digraph = without_edges_into(flow.succ, backs)
    entered = [t for t in fork.targets if t in fork.sends or t not in backs]
    targets = [target for target in entered if END in reach(graph, target)]
    if not targets:
        graph, targets = flow.succ, [t for t in fork.targets if END in reach(flow.succ, t)]
    if not targets:
        return (END,)
    common = post_dominators(graph, targets[0])
    for target in targets[1:]:
        common &= post_dominators(graph, target)
    behind = {node: len(post_dominators(graph, node) & common) for node in common}
    return tuple(sorted(common, key=lambda node: -behind[node]))


def _fits(flow: Flow, fork: Fork, region: frozenset[str], stop: str) -> bool:
    """Whether `stop` is no Send target of the fork or of a fork inside its region."""
    inner = [flow.forks[node] for node in region if node in flow.forks]
    return stop == END or all(stop not in each.sends for each in (fork, *inner))


def _nests(flow: Flow, region: frozenset[str], stop: str, backs: frozenset[str], found: Mapping[str, str]) -> bool:
    """Whether the forks inside converge inside, or where this one does."""
    inner = [node for node in region if node in found and not flow.forks[node].converge_at]
    return all(found[node] in region | backs | {stop} for node in inner)


def _place(flow: Flow, fork: Fork, backs: frozenset[str], found: Mapping[str, str]) -> Placement:
    """The first candidate that fits, or the one that `converge_at` asks for."""
    candidates = _candidates(flow, fork, backs)
    chosen, fitting = "", list[str]()
    for stop in candidates:
        region = region_nodes(flow, fork, stop, backs - {stop})
        if _fits(flow, fork, region, stop):
            fitting.append(stop)
            if not chosen and (stop == END or _nests(flow, region, stop, backs, found)):
                chosen = stop
    refused = False
    for wish in fork.converge_at:
        later = wish in fitting and candidates.index(wish) >= candidates.index(chosen)
        refused = refused or not later
        chosen = wish if later else chosen
    stop_backs = backs - {chosen}
    region = region_nodes(flow, fork, chosen, stop_backs)
    return Placement(chosen, candidates, region, stop_backs, refused)


def _place_all(flow: Flow, backs: Mapping[str, frozenset[str]]) -> dict[str, Placement]:
    """All forks, again and again until no convergence moves."""
    found: dict[str, str] = {}
    for _ in range(len(flow.succ) + 2):
        placed = {f: _place(flow, fork, backs[f], found) for f, fork in flow.forks.items()}
        stops = {source: place.convergence for source, place in placed.items()}
        if stops == found:
            return placed
        found = stops
    message = "the convergences of this graph do not settle"
    raise ValueError(message)


def enclosing(placed: Mapping[str, Placement]) -> dict[str, frozenset[str]]:
    """Per fork the forks in whose regions it lies, at any depth."""
    return {source: _around(placed, source) for source in placed}


def _around(placed: Mapping[str, Placement], source: str) -> frozenset[str]:
    """The forks around one, outwards as long as there are more."""
    found: set[str] = set()
    todo: list[str] = [source]
    while todo:
        node = todo.pop()
        outer = {f for f, place in placed.items() if node in place.region and f != source}
        todo.extend(outer - found)
        found |= outer
    return frozenset(found)


def place_forks(flow: Flow) -> tuple[dict[str, Placement], dict[str, frozenset[str]]]:
    """Every fork placed, and the forks around each.

    A way back leads to a node that dominates the fork's source or an enclosing fork's; the
    convergences of the fork and of the enclosing ones are none. Which forks enclose which is
    taken from a first round that knows the fork's own dominators only.
    """
    doms = {source: dominators(flow.succ, source) for source in flow.forks}
    first = _place_all(flow, doms)
    around = enclosing(first)
    backs = {source: ways_back(doms, first, around, source) for source in flow.forks}
    return _place_all(flow, backs), around


def ways_back(
    doms: Mapping[str, frozenset[str]],
    placed: Mapping[str, Placement],
    around: Mapping[str, Iterable[str]],
    source: str,
) -> frozenset[str]:
    """The nodes to which a branch of this fork leaves backwards."""
    outer = list(around[source])
    nodes = doms[source].union(*(doms[fork] for fork in outer))
    return nodes - {placed[fork].convergence for fork in outer}
