"""Every small region in every completion order: the machine and the model of the rules agree."""

import itertools
import os
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import pytest

from graph_core import GraphStateException
from graph_core_tests.drive import Trace
from graph_core_tests.model.analysis import analyse
from graph_core_tests.model.build import fixed, graph, multi, when
from graph_core_tests.model.graph import END, START, Edge, Graph
from graph_core_tests.model.simulator import Result, run
from graph_core_tests.regions.bridge import built
from graph_core_tests.regions.orders import all_orders

Ways: TypeAlias = tuple[str, tuple[str, ...]]
"""How a source leads on: `fixed`, `when` (its targets in turn) or `multi` (all of them), and where."""

SHARE = float(os.environ.get("GRAPH_CORE_SHARE", "0.006"))
"""How many of the five-node regions are tried; there are tens of thousands."""

DOUBTS = {"ambiguous_back", "open_sends_hidden", "converge_at_hidden"}
"""What the model marks as to be read in two ways, which is no problem of a graph."""


def edge(source: str, ways: Ways) -> Edge:
    """Make the edge of a source."""
    kind, targets = ways
    if kind == "fixed":
        return fixed(source, *targets)
    if kind == "when":
        return when(source, targets, *targets)
    return multi(source, targets, list(targets), sends=[])


def subsets(targets: Sequence[str], least: int) -> Iterator[tuple[str, ...]]:
    """All subsets, in the order given."""
    for size in range(least, len(targets) + 1):
        yield from itertools.combinations(targets, size)


def ways_of(targets: Sequence[str]) -> list[Ways]:
    """All ways out of a source: fixed, by turns, and several by a route."""
    nodes = [target for target in targets if target != END]
    found: list[Ways] = [("fixed", (target,)) for target in targets]
    found += [("fixed", chosen) for chosen in subsets(nodes, 2)]
    found += [("when", chosen) for size in (2, 3) for chosen in itertools.permutations(targets, size)]
    found += [("multi", chosen) for chosen in subsets(targets, 2) if len(set(chosen) - {END}) > 1]
    return found


def forks_of(targets: Sequence[str]) -> list[Ways]:
    """Only the ways that fork."""
    return [ways for ways in ways_of(targets) if ways[0] == "multi" or (ways[0] == "fixed" and len(ways[1]) > 1)]


Choice: TypeAlias = tuple[Ways, ...]
"""The ways out of each node of a region, the first of which forks."""


def forward(names: str) -> Iterator[Choice]:
    """All acyclic regions: a forks, every other node leads to later ones or to END."""
    choices = [forks_of(list(names[1:]))]
    choices += [ways_of([*names[i + 1 :], END]) for i in range(1, len(names))]
    return itertools.product(*choices)


def anyhow(names: str) -> Iterator[Choice]:
    """All regions, also cyclic ones, in which a source leads to at most two targets."""
    targets = [*names, END]
    small = [ways for ways in ways_of(targets) if len(ways[1]) < 3]
    forks = [ways for ways in forks_of(targets) if len(ways[1]) < 3]
    return itertools.product(forks, *[small for _ in names[1:]])


def described(names: str, choice: Choice, limit: int = 12) -> Graph:
    """Give a region as the model knows it."""
    edges = [edge(name, ways) for name, ways in zip(names, choice, strict=True)]
    return graph(fixed(START, "a"), *edges, limit=limit)


def accepted(names: str, choices: Iterable[Choice]) -> list[Graph]:
    """Give the graphs that have all their nodes and that the rules accept without doubt."""
    graphs = (described(names, choice) for choice in choices)
    return [each for each in graphs if len(each.nodes) == len(names) and not analyse(each).problems]


def of_model(result: Result) -> list[tuple[int, tuple[int, ...], str, str]]:
    """What ran, in an order that does not depend on time."""
    return sorted((each.step, each.key, each.node, repr(each.seen)) for each in result.runs)


def of_machine(trace: Trace) -> list[tuple[int, tuple[int, ...], str, str]]:
    """What ran, in an order that does not depend on time."""
    return sorted((each.step, each.key, each.node, repr(each.seen)) for each in trace.runs)


def check(region: Graph, orders: int) -> None:
    """Compare the machine in its orders with the model in one."""
    expected = run(region, {})
    compiled = built(region)
    assert compiled.validate() == ()
    for trace in all_orders(lambda: built(region).compile(), {}, limit=orders, recursion_limit=region.recursion_limit):
        assert (trace.error.code if trace.error else "done") == expected.ended, region.edges
        assert trace.live == 0
        if expected.ended == "done":
            assert of_machine(trace) == of_model(expected), region.edges
            assert trace.state == expected.state, region.edges
            regions = sorted((name, repr(state)) for name, state in trace.regions())
            assert regions == sorted((each.id, repr(each.state)) for each in expected.regions), region.edges


def sampled(choices: Iterator[Choice], chances: float) -> list[Choice]:
    """Take some by chance, always the same ones."""
    chance = random.Random(1)  # noqa: S311  (a reproducible sample, nothing secret)
    return [each for each in choices if chance.random() < chances]


class TestAcyclic:
    @pytest.mark.parametrize(("names", "count"), [("abc", 8), ("abcd", 392)])
    def test_all_of_up_to_four_nodes(self, names: str, count: int) -> None:
        """P1 to P4, P14: every acyclic region of that size, in all completion orders."""
        graphs = accepted(names, forward(names))
        assert len(graphs) == count
        for each in graphs:
            check(each, 100)

    def test_those_of_five_nodes(self) -> None:
        """P1 to P4, P14: those with five nodes; a share of them, all with GRAPH_CORE_SHARE=1 (a matter of minutes)."""
        graphs = accepted("abcde", sampled(forward("abcde"), SHARE))
        assert len(graphs) >= 200
        for each in graphs:
            check(each, 40)


class TestCyclic:
    @pytest.mark.parametrize(("names", "count"), [("ab", 5), ("abc", 538)])
    def test_all_of_up_to_three_nodes(self, names: str, count: int) -> None:
        """P15: every region of that size, ways back included."""
        graphs = accepted(names, anyhow(names))
        assert len(graphs) == count
        for each in graphs:
            check(each, 20)

    def test_some_of_four_nodes(self) -> None:
        """P15: a sample of those with four nodes."""
        graphs = accepted("abcd", sampled(anyhow("abcd"), 0.005))
        assert len(graphs) >= 200
        for each in graphs:
            check(each, 10)


@pytest.mark.parametrize(("names", "chances"), [("abc", 0.2), ("abcd", 0.001)])
def test_what_the_model_refuses_does_not_compile(names: str, chances: float) -> None:
    """C2, P1, P6: a small graph that the rules refuse is refused by the compiler, too."""
    refused = 0
    for choice in sampled(anyhow(names), chances):
        region = described(names, choice)
        problems = {problem.code for problem in analyse(region).problems} - DOUBTS - {"send_back"}
        if problems and len(region.nodes) == len(names):
            refused += 1
            with pytest.raises(GraphStateException):
                built(region).compile()
    assert refused > 100
