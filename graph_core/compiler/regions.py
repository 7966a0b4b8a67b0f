"""Regions as they are run: which inner forks are closed (P14), and which nodes hold which (P3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from graph_core.compiler.convergence import Join, Region, bits_of, region_of
from graph_core.compiler.flow import Flow, postorder, reachable
from graph_core.exception import GraphProblem, problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@final
@attrs.define(eq=False)
class RegionLayout:
    """A region in its place: what is decided about it before it runs.

    Args:
        source: the fork.
        convergence: where its branches join; indices behind `END` are points behind fixed forks.
        back: the nodes that a branch leaves backwards to, as a bit set.
        forbidden: the source, and the ways back of the regions around it: no copy may be sent there.
        order: the nodes by rank.
        holders: by rank, the ranks of the nodes that hold it, as a bit set.
        inner: closed forks that its branches come to → their layouts.
        open: open forks in it.
    """

    source: int
    convergence: int
    back: int
    forbidden: int
    order: list[int]
    holders: list[int]
    inner: dict[int, RegionLayout]
    open: frozenset[int]


@final
class Layouts:
    """Makes the layouts of a graph, each once."""

    def __init__(self, flow: Flow, joins: dict[int, Join]) -> None:
        self._flow = flow
        self._joins = joins
        self._made: dict[tuple[int, int], RegionLayout] = {}
        self._placed: dict[tuple[int, int], Region] = {}
        self._doors: dict[tuple[int, int], int] = {}
        self._found: dict[GraphProblem, None] = {}

    @property
    def problems(self) -> list[GraphProblem]:
        """What is wrong with open forks, each thing once."""
        return list(self._found)

    def top(self) -> dict[int, RegionLayout]:
        """Lay out every fork that the main path comes to."""
        found: dict[int, RegionLayout] = {}
        for node in reachable(0, self._main_ways):
            if node in self._joins and node not in found:
                found[node] = self.layout(node, 0)
        return found

    def _main_ways(self, node: int) -> Sequence[int]:
        if node == self._flow.end:
            return ()
        join = self._joins.get(node)
        if join is None:
            return self._flow.succ[node]
        ways = [*_nodes(join.region.leaves), self._landing(join.convergence)]
        # A Command of a node that may fork, and END chosen alone, lead on without a region.
        commands = [] if join.fork.fixed else [t for t in self._flow.commands[node] if t != join.convergence]
        return [*ways, *commands]

    def _landing(self, convergence: int) -> int:
        """Give the node whose fork is a point, or the node itself."""
        size = len(self._flow.names)
        return convergence if convergence < size else convergence - size

    def _region(self, node: int, around: int) -> Region:
        """Give the region of a fork in a place where more nodes lead back than its own."""
        join = self._joins[node]
        touched = around & join.region.bits
        if not touched:
            return join.region
        key = (node, touched)
        if key not in self._placed:
            sends = frozenset(target for target in join.fork.sends if not touched >> target & 1)
            fork = attrs.evolve(join.fork, sends=sends)
            self._placed[key] = region_of(self._flow, fork, join.convergence, join.back | touched)
        return self._placed[key]

    def layout(self, source: int, around: int) -> RegionLayout:
        """Lay out the region of a fork; `around` holds the ways back of the regions around it."""
        join = self._joins[source]
        touched = around & (join.region.bits | join.region.leaves)
        key = (source, touched)
        if key in self._made:
            return self._made[key]
        back = join.back | around
        beyond = back & ~_bit(join.convergence)
        region = self._region(source, around)
        opened = self._open_forks(join, region, beyond)
        layout = RegionLayout(
            source, join.convergence, back, touched | 1 << source, region.order, [], {}, frozenset(opened)
        )
        self._made[key] = layout
        layout.holders = self._holders(region)
        self._check_open(join, region, opened, beyond)
        for target in sorted(join.fork.named):
            if layout.forbidden >> target & 1:
                self._found[problems.sends_back(self._flow.names[source], self._flow.names[target])] = None
        for node in self._stands(join, region, opened) if self._has_forks(region) else ():
            if node in self._joins and node not in opened and node != join.convergence - len(self._flow.names):
                layout.inner[node] = self.layout(node, beyond)
        return layout

    def _has_forks(self, region: Region) -> bool:
        return any(region.bits >> source & 1 for source in self._joins)

    def _starts(self, fork_node: int, region: Region) -> list[int]:
        return [t for t in self._joins[fork_node].fork.targets if region.bits >> t & 1]

    def _stands(self, join: Join, region: Region, opened: set[int]) -> list[int]:
        """List the nodes that branches stand on: not those inside closed regions."""
        point = join.convergence - len(self._flow.names)

        def ways(node: int) -> Sequence[int]:
            if node == point:
                return ()
            if node in self._joins and node not in opened:
                inner = self._joins[node]
                out = [self._landing(inner.convergence), *_nodes(inner.region.leaves), *self._flow.commands[node]]
            else:
                out = list(self._flow.succ[node])
            return [target for target in out if target < self._flow.end and region.bits >> target & 1]

        found: dict[int, None] = {}
        for start in self._starts(join.fork.source, region):
            if start not in found:
                found.update(dict.fromkeys(reachable(start, ways)))
        return list(found)

    def _open_forks(self, join: Join, region: Region, beyond: int) -> set[int]:
        """Find the open forks among all forks in a region, those inside closed ones too (P14)."""
        point = join.convergence - len(self._flow.names)
        forks = [node for node in region.order if node in self._joins and node != point]
        opened: set[int] = set()
        changed = bool(forks)
        while changed:
            changed = False
            sources = [join.fork.source, *opened]
            for node in forks:
                if node not in opened and self._is_open(node, region, sources, beyond):
                    opened.add(node)
                    changed = True
        return opened

    def _is_open(self, node: int, region: Region, sources: Sequence[int], beyond: int) -> bool:
        """Tell whether of two targets of one fork one reaches `node`, the other its region on another way."""
        own = self._region(node, beyond).bits & region.bits
        if not self._entered(node, beyond) & region.bits and not any(
            own >> target & 1 for source in sources for target in self._starts(source, region)
        ):
            return False
        before = self._into(region, 1 << node, without=-1)
        around = self._into(region, own, without=node)
        for source in sources:
            starts = bits_of(self._starts(source, region))
            to_it, past_it = starts & before, starts & around
            if to_it and past_it and (to_it | past_it).bit_count() > 1:
                return True
        return False

    def _entered(self, node: int, beyond: int) -> int:
        """Give the nodes outside a fork's region from which a way leads into it, past the fork."""
        region = self._region(node, beyond)
        key = (node, region.bits)
        if key not in self._doors:
            sources = {source for inside in region.order for source in self._flow.pred[inside]} - {node}
            self._doors[key] = bits_of(sources) & ~region.bits
        return self._doors[key]

    def _into(self, region: Region, goal: int, without: int) -> int:
        """Give the nodes of a region from which `goal` can be reached, `goal` included, past one node."""
        found = goal
        changed = True
        while changed:
            changed = False
            for node in reversed(region.order):
                if node == without or found >> node & 1:
                    continue
                if any(found >> target & 1 and region.bits >> target & 1 for target in self._flow.succ[node]):
                    found |= 1 << node
                    changed = True
        return found & ~(1 << without) if without >= 0 else found

    def _holders(self, region: Region) -> list[int]:
        rank = {node: i for i, node in enumerate(region.order)}
        ways = [[rank[t] for t in self._flow.succ[node] if t in rank] for node in region.order]
        if not any(ways):
            return [0] * len(ways)
        after = _closure(ways)
        sources: list[list[int]] = [[] for _ in ways]
        for node, targets in enumerate(ways):
            for target in targets:
                sources[target].append(node)
        before = _closure(sources)
        return [
            (before[node] & ~after[node]) | (before[node] & after[node] & ((1 << node) - 1))
            for node in range(len(ways))
        ]

    def _check_open(self, join: Join, region: Region, opened: set[int], beyond: int) -> None:
        names = self._flow.names
        around = names[join.fork.source]
        for node in sorted(opened.intersection(self._stands(join, region, opened)) if opened else ()):
            fork = self._joins[node].fork
            entered = [names[n] for n in _nodes(self._entered(node, beyond) & region.bits)]
            way = f"{', '.join(entered) or around} leads into them"
            if fork.sends:
                self._report(problems.open_sends(names[node], around, way))
            if fork.converge_at is not None:
                why = f"can not be chosen: its branches share nodes with others in the region of {around!r} ({way})"
                self._report(problems.invalid_converge_at(names[node], fork.converge_at, why))

    def _report(self, problem: GraphProblem) -> None:
        self._found[problem] = None


def _bit(node: int) -> int:
    return 1 << node


def _nodes(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _closure(ways: list[list[int]]) -> list[int]:
    """Give what each node reaches by one way or more, as bit sets."""
    found = [0] * len(ways)
    order = postorder(len(ways), [*ways, range(len(ways))].__getitem__)[:-1]
    changed = True
    while changed:
        changed = False
        for node in order:
            new = 0
            for target in ways[node]:
                new |= found[target] | 1 << target
            if new != found[node]:
                found[node] = new
                changed = True
    return found
