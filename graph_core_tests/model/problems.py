"""What keeps a graph from compiling, as far as parallel regions are concerned."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from attrs import frozen

from graph_core_tests.model.convergence import Placement
from graph_core_tests.model.digraph import reach
from graph_core_tests.model.flow import Flow
from graph_core_tests.model.graph import END, START

OpenIn: TypeAlias = Mapping[str, tuple[frozenset[str], frozenset[str]]]
"""Per region its open forks and its visible nodes."""


@frozen
class Problem:
    """A code and the node it is about.

    `open_sends`, `converge_at`, `end_among_fixed`, `send_back`, `unreachable` and
    `cannot_finish` are the rules' own. `ambiguous_back` and `open_sends_hidden` mark graphs
    about which the rules can be read in two ways.
    """

    code: str
    node: str


def _open_problems(flow: Flow, opened_in: OpenIn) -> Iterator[Problem]:
    """Sends and `converge_at` on open forks (P1, P6)."""
    for opened, visible in opened_in.values():
        for fork in sorted(opened):
            hidden = "" if fork in visible else "_hidden"
            if flow.forks[fork].sends:
                yield Problem("open_sends" + hidden, flow.forks[fork].origin)
            if flow.forks[fork].converge_at:
                yield Problem("converge_at" + hidden, flow.forks[fork].origin)


def _late_problems(
    flow: Flow, placed: Mapping[str, Placement], around: Mapping[str, frozenset[str]]
) -> Iterator[Problem]:
    """`converge_at` that is no later common post-dominator up to the enclosing convergence."""
    for source, place in placed.items():
        beyond = [
            outer
            for outer in around[source]
            if place.convergence not in placed[outer].region | placed[outer].backs | {placed[outer].convergence}
        ]
        if place.late_refused or (flow.forks[source].converge_at and beyond):
            yield Problem("converge_at", flow.forks[source].origin)


def _back_problems(
    flow: Flow,
    placed: Mapping[str, Placement],
    around: Mapping[str, frozenset[str]],
    doms: Mapping[str, frozenset[str]],
) -> Iterator[Problem]:
    """Sends backwards (P15), and ways back that depend on which fork was entered first."""
    for source, place in placed.items():
        fork = flow.forks[source]
        outer = frozenset[str]().union(*(doms[each] for each in around[source]))
        if fork.sends & (outer | {source, fork.origin}):
            yield Problem("send_back", fork.origin)
        unclear = place.backs - doms[source]
        leads = {s for node in place.region for s in flow.succ[node]} | set(fork.targets)
        if unclear & leads:
            yield Problem("ambiguous_back", fork.origin)


def _shape_problems(flow: Flow) -> Iterator[Problem]:
    """`END` among fixed targets, unreachable nodes, nodes that can never finish (P1, C2)."""
    for source, edges in flow.routes.items():
        fixed = [target for edge in edges if edge.kind == "edge" for target in edge.targets]
        if len(fixed) > 1 and END in fixed:
            yield Problem("end_among_fixed", source)
        if len(fixed) > len(set(fixed)):
            yield Problem("duplicate_target", source)
    finishing = _finishing(flow)
    reached = reach(flow.succ, START)
    for node in flow.routes:
        if node not in reached:
            yield Problem("unreachable", node)
        if node not in finishing:
            yield Problem("cannot_finish", node)


def _finishing(flow: Flow) -> set[str]:
    """The least set of nodes that can finish (C2)."""
    finishing = {END}
    while more := {node for node in flow.routes if node not in finishing and _ends(flow, node, finishing)}:
        finishing |= more
    return finishing


def _ends(flow: Flow, node: str, finishing: set[str]) -> bool:
    """Whether a node can finish if those can: fixed targets all, a route by some target."""
    edges = flow.routes[node]
    return bool(edges) and all(
        all(target in finishing for target in edge.targets)
        if edge.kind == "edge"
        else any(target in finishing for target in edge.reachable)
        for edge in edges
    )


def find_problems(
    flow: Flow,
    placed: Mapping[str, Placement],
    around: Mapping[str, frozenset[str]],
    doms: Mapping[str, frozenset[str]],
    opened_in: OpenIn,
) -> tuple[Problem, ...]:
    """All problems, each once."""
    found = [
        *_shape_problems(flow),
        *_open_problems(flow, opened_in),
        *_late_problems(flow, placed, around),
        *_back_problems(flow, placed, around, doms),
    ]
    return tuple(dict.fromkeys(found))
