"""Where the branches of each fork join (rule P1), and the region before it (rule P2)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

import attrs

from graph_core.compiler.flow import (
    Flow,
    Fork,
    Successors,
    chain,
    common,
    dominators,
    is_cyclic,
    reachable,
    reversed_edges,
)
from graph_core.exception import GraphProblem, problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@final
@attrs.define(eq=False)
class Region:
    """What the targets of a fork can reach before the convergence, without leaving backwards.

    Args:
        order: the nodes, breadth first from the fork.
        bits: the same as a bit set of indices.
        leaves: nodes outside that a way out of the region leads back to, as a bit set.
    """

    order: list[int]
    bits: int
    leaves: int


@final
@attrs.define(eq=False)
class Join:
    """The convergence of a fork, as far as it is known.

    Args:
        fork: the fork.
        back: the nodes that dominate its source, which is one of them, as a bit set (rule P15).
        candidates: common post-dominators of its targets, nearest first, the last one is `END`.
        position: which of them is taken.
        region: the region before that one.
    """

    fork: Fork
    back: int
    candidates: list[int]
    position: int
    region: Region

    @property
    def convergence(self) -> int:
        """The node (or point behind a fixed fork) where the branches join."""
        return self.candidates[self.position]


def bits_of(nodes: Sequence[int] | frozenset[int] | set[int]) -> int:
    """Give a set of indices as a bit set."""
    found = 0
    for node in nodes:
        found |= 1 << node
    return found


def region_of(flow: Flow, fork: Fork, convergence: int, back: int) -> Region:
    """Walk from the targets of a fork to its convergence."""
    stops = {convergence, flow.end}
    point = convergence - len(flow.names)
    leaves = 0
    seen: set[int] = set()
    order: list[int] = []
    ways: Iterator[int] | Sequence[int] = fork.targets
    sends = fork.sends - {fork.source}
    position = -1
    while True:
        for target in ways:
            if target in seen or target in stops:
                continue
            if back >> target & 1:  # a label leads back there, a copy may still be sent to it
                leaves |= 1 << target
                if target not in sends:
                    continue
            seen.add(target)
            order.append(target)
        sends = frozenset[int]()
        position += 1
        if position == len(order):
            return Region(order, bits_of(order), leaves)
        ways = () if order[position] == point else flow.succ[order[position]]


@final
class _Trees:
    """Dominator trees of a graph, each made when it is first asked for."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self.cyclic = is_cyclic(flow)

    @cached_property
    def forward(self) -> dict[int, int]:
        return dominators(0, self._flow.succ.__getitem__)

    @cached_property
    def post(self) -> tuple[dict[int, int], dict[int, int]]:
        tree = dominators(self._flow.end, self._flow.pred.__getitem__)
        return tree, _numbers(self._flow, tree)

    def back(self, source: int) -> int:
        """Give the nodes that dominate a source, which is one of them, as a bit set."""
        return bits_of(chain(source, self.forward)) if self.cyclic else 1 << source


def joins_of(flow: Flow) -> tuple[dict[int, Join], list[GraphProblem]]:
    """Find the convergence of every fork, so that convergences nest.

    Raises nothing: a `converge_at=` that can not be comes back as a problem.
    """
    found: list[GraphProblem] = []
    trees = _Trees(flow)
    joins: dict[int, Join] = {}
    for source in [node for node in flow.order if node in flow.forks]:
        fork = flow.forks[source]
        back = trees.back(source)
        nearest = _only_successor(flow, fork)
        candidates = [nearest] if nearest else _candidates(flow, fork, back, trees)
        join = Join(fork, back, candidates, 0, Region([], 0, 0))
        if fork.converge_at is not None:
            found += _chosen(flow, join, fork.converge_at)
        join.region = region_of(flow, fork, join.convergence, back)
        joins[source] = join
    _nest(flow, joins, trees)
    if any(fork.converge_at is not None for fork in flow.forks.values()):
        found += _not_nested(flow, joins)
    return joins, found


def _only_successor(flow: Flow, fork: Fork) -> int:
    """Give the node that all targets lead to at once, if that is so plain a fork; else 0."""
    if len(fork.targets) == 1 or not fork.targets or fork.converge_at is not None:
        return 0
    ways = flow.succ[fork.targets[0]]
    if len(ways) != 1 or ways[0] in fork.targets or ways[0] in fork.sends:
        return 0
    return ways[0] if all(flow.succ[target] == ways for target in fork.targets) else 0


def _numbers(flow: Flow, post: Mapping[int, int]) -> dict[int, int]:
    """Number the nodes so that every post-dominator has a larger number than what it dominates."""
    below: dict[int, list[int]] = {}
    for node, above in post.items():
        if node != above:
            below.setdefault(above, []).append(node)
    order = reachable(flow.end, lambda node: below.get(node, ()))
    return {node: len(order) - i for i, node in enumerate(order)}


def _candidates(flow: Flow, fork: Fork, back: int, trees: _Trees) -> list[int]:
    targets: Sequence[int] = fork.targets
    post, number = trees.post
    if trees.cyclic:
        inner, leads_back = _forward(flow, fork, back)
        if leads_back:
            local = dominators(flow.end, reversed_edges([*inner, flow.end], _without(flow, back)).__getitem__)
            forward = [target for target in targets if target in local]
            if forward:
                targets, post, number = forward, local, _numbers(flow, local)
    if not targets:
        return [flow.end]
    nearest = targets[0]
    for target in targets[1:]:
        nearest = common(nearest, target, post, number)
    size = len(flow.names)
    found: list[int] = []
    for node in chain(nearest, post):
        found.append(node)
        if node in flow.forks and flow.forks[node].fixed:
            found.append(size + node)
    return found


def _without(flow: Flow, back: int) -> Successors:
    return lambda node: [target for target in flow.succ[node] if not back >> target & 1] if node != flow.end else ()


def _forward(flow: Flow, fork: Fork, back: int) -> tuple[list[int], bool]:
    """List what the targets reach without going back, and tell whether any way goes back."""
    order = [t for t in fork.targets if not back >> t & 1 or (t in fork.sends and t != fork.source)]
    seen = set(order)
    leads_back = len(order) < len(fork.targets)
    for node in order:
        for target in flow.succ[node]:
            if back >> target & 1:
                leads_back = True
            elif target not in seen and target != flow.end:
                seen.add(target)
                order.append(target)
    return order, leads_back


def _chosen(flow: Flow, join: Join, wanted: str) -> list[GraphProblem]:
    """Take the convergence that the user named."""
    names = [flow.name(node) for node in join.candidates]
    if wanted in names:
        join.position = names.index(wanted)
        return []
    source = flow.names[join.fork.source]
    why = f"is no node that all its branches reach; it can be one of {names}"
    return [problems.invalid_converge_at(source, wanted, why)]


def _nest(flow: Flow, joins: dict[int, Join], trees: _Trees) -> None:
    """Move convergences on until no one is a Send target, and none lies outside a region around it."""
    changed = True
    while changed:
        changed = False
        for join in joins.values():
            while _must_move(flow, join, joins):
                if len(join.candidates) == 1 and join.convergence != flow.end:
                    join.candidates = _candidates(flow, join.fork, join.back, trees)
                if join.position + 1 == len(join.candidates):
                    break
                join.position += 1
                join.region = region_of(flow, join.fork, join.convergence, join.back)
                changed = True


def _must_move(flow: Flow, join: Join, joins: Mapping[int, Join]) -> bool:
    convergence = join.convergence
    if convergence in join.fork.sends:
        return True
    # The fork behind a point that is the convergence runs after the region, so it is not inside.
    point = convergence - len(flow.names)
    inner = [joins[node] for node in join.region.order if node in joins and node != point]
    if any(convergence in other.fork.sends for other in inner):
        return True
    return join.fork.converge_at is None and any(_crosses(flow, join, other) for other in inner)


def _crosses(flow: Flow, outer: Join, inner: Join) -> bool:
    there = inner.convergence
    if there == outer.convergence or (there >= len(flow.names) and outer.region.bits >> (there - len(flow.names)) & 1):
        return False
    return there >= len(flow.names) or not (outer.region.bits | outer.back) >> there & 1


def _not_nested(flow: Flow, joins: Mapping[int, Join]) -> list[GraphProblem]:
    found: list[GraphProblem] = []
    for outer in joins.values():
        for node in outer.region.order:
            inner = joins.get(node)
            behind = node == outer.convergence - len(flow.names)
            if inner is not None and not behind and inner.fork.converge_at is not None and _crosses(flow, outer, inner):
                around, at = flow.names[outer.fork.source], flow.name(outer.convergence)
                why = f"lies outside the region of {around!r}, whose branches join at {at!r}"
                found.append(problems.invalid_converge_at(flow.names[node], inner.fork.converge_at, why))
    for join in joins.values():
        wanted = join.fork.converge_at
        is_known = wanted in [flow.name(candidate) for candidate in join.candidates]
        if wanted is not None and is_known and flow.name(join.convergence) != wanted:
            why = "is reached by Send, so no branch can join there"
            found.append(problems.invalid_converge_at(flow.names[join.fork.source], wanted, why))
    return found
