"""What can be wrong with a definition, before any fork is looked at (rules C1, C2)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from graph_core.compiler.flow import Flow, flow_of, is_fork, reachable
from graph_core.edge import DEFAULT
from graph_core.exception import GraphProblem, problems
from graph_core.node import END, START

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from graph_core.compiler.definition import Answers, Definition, NodeDefinition, Route


def problems_of(definition: Definition) -> tuple[list[GraphProblem], Flow]:
    """Find everything that is wrong with nodes, edges, mappings and ways.

    Returns:
        The problems in the order of the Java library's checks, and the integer graph.
    """
    flow = flow_of(definition)
    found = [problems.invalid_node_identifier(id_) for id_ in definition.nodes if _bad_id(id_)]
    if not definition.routes.get(START):
        found.append(problems.missing_entry_point())
    for source, routes in definition.routes.items():
        if not _is_sound(definition, source, routes):
            found += _of_source(definition, source, routes)
    for id_, node in definition.nodes.items():
        if node.commands is not None or node.sends or not definition.routes.get(id_):
            found += _of_node(definition, id_, node)
    found += _of_free_routes(flow)
    if definition.routes.get(START):
        found += _of_ways(flow)
    return found, flow


def _is_sound(definition: Definition, source: str, routes: tuple[Route, ...]) -> bool:
    """Tell at once that a source with one way to a node, as most have, needs no closer look."""
    if len(routes) != 1 or source not in definition.nodes:
        return False
    target = routes[0].target
    return isinstance(target, str) and target in definition.nodes and routes[0].converge_at is None


def _bad_id(id_: str) -> bool:
    return not id_.strip() or id_.startswith("__")


def _of_source(definition: Definition, source: str, routes: tuple[Route, ...]) -> Iterator[GraphProblem]:
    if source != START and source not in definition.nodes:
        yield problems.missing_source(source, definition.nodes)
    yield from _fixed_targets(definition, source, routes)
    names = Counter(route.name for route in routes if route.name)
    yield from (problems.duplicate_condition(source, name) for name, count in names.items() if count > 1)
    for route in routes:
        if not isinstance(route.target, str):
            yield from _labels(definition, source, route.target.mappings or {})
            yield from _sends(definition, source, route.sends, route.target.mappings)
            yield from _answers(source, route.name, route.answers, route.target.mappings)
        if route.converge_at is not None:
            yield from _converge_at(definition, source, routes, route.converge_at)


def _fixed_targets(definition: Definition, source: str, routes: tuple[Route, ...]) -> Iterator[GraphProblem]:
    fixed = [route.target for route in routes if isinstance(route.target, str)]
    twice = [target for target, count in Counter(fixed).items() if count > 1]
    if twice:
        yield problems.duplicate_targets(source, twice)
    if END in fixed and len(set(fixed)) > 1:
        yield problems.end_among_targets(source)
    for target in dict.fromkeys(fixed):
        yield from _target(definition, source, target)


def _target(definition: Definition, source: str, target: str) -> Iterator[GraphProblem]:
    if target == START:
        yield problems.edge_into_start(source)
    elif target != END and target not in definition.nodes:
        yield problems.missing_target(source, target, definition.nodes)


def _labels(definition: Definition, source: str, mappings: Mapping[Any, str]) -> Iterator[GraphProblem]:
    for label, target in mappings.items():
        if target == START:
            yield problems.edge_into_start(source)
        elif target != END and target not in definition.nodes:
            yield problems.missing_in_mapping(source, label, target, definition.nodes)


def _answers(
    source: str, route: str, answers: Answers | None, mappings: Mapping[Any, str] | None
) -> Iterator[GraphProblem]:
    """Compare the labels that an annotation names with those that are mapped (R3)."""
    if answers is None or mappings is None or not answers.labels:
        return
    unmapped = [label for label in answers.labels if label not in mappings] if DEFAULT not in mappings else []
    never = [label for label in mappings if label not in answers.labels and label is not DEFAULT]
    if unmapped or (never and not answers.sends):
        yield problems.labels_disagree(source, route, unmapped, [] if answers.sends else never)


def _sends(
    definition: Definition, source: str, ids: tuple[str, ...], mappings: Mapping[Any, str] | None
) -> Iterator[GraphProblem]:
    for id_ in ids:
        if id_ in {START, END}:
            yield problems.sends_to_no_node(source, id_)
        elif id_ not in definition.nodes:
            yield problems.unknown_id(f"sends= of {source!r}", id_, definition.nodes)
        elif mappings is not None and id_ not in mappings.values():
            yield problems.sends_unmapped(source, id_)


def _converge_at(definition: Definition, source: str, routes: tuple[Route, ...], wanted: str) -> Iterator[GraphProblem]:
    node = definition.nodes.get(source)
    if not is_fork(routes, node):
        yield problems.invalid_converge_at(source, wanted, "means nothing: there is only one way out, so nothing joins")
    named = {route.converge_at for route in routes} - {None}
    if len(named) > 1 and wanted == next(r.converge_at for r in routes if r.converge_at is not None):
        yield problems.invalid_converge_at(source, wanted, f"is not the only one: {sorted(map(str, named))} are named")


def _of_node(definition: Definition, id_: str, node: NodeDefinition) -> Iterator[GraphProblem]:
    if node.commands is not None:
        yield from _labels(definition, id_, node.commands.mappings or {})
        yield from _answers(id_, "command", node.commands.answers, node.commands.mappings)
        if node.commands.mappings is None:
            yield problems.undeclared_targets(id_, "so its commands lead nowhere")
    elif not definition.routes.get(id_):
        yield problems.missing_edge(id_)
    mappings: Mapping[Any, str] | None = {} if node.commands is None else node.commands.mappings
    yield from _sends(definition, id_, node.sends, mappings)


def _after_forks(flow: Flow) -> set[int]:
    found: set[int] = set()
    for fork in flow.forks.values():
        for target in fork.targets:
            if target not in found:
                found.update(reachable(target, flow.succ.__getitem__))
    return found


def _of_free_routes(flow: Flow) -> Iterator[GraphProblem]:
    after_forks = _after_forks(flow) if flow.free else set[int]()
    for source in sorted(flow.free):
        if source in flow.forks:
            yield problems.undeclared_targets(flow.names[source], "but it is part of a fork, whose branches must join")
        elif source in after_forks:
            yield problems.undeclared_targets(flow.names[source], "but a fork leads to it, whose branches must join")


def _of_ways(flow: Flow) -> Iterator[GraphProblem]:
    reached = set(flow.order)
    finishing = _finishing(flow)
    for node in range(1, flow.end):
        if node not in reached:
            yield problems.unreachable_node(flow.names[node])
        elif node not in finishing:
            yield problems.never_finishes(flow.names[node])


def _finishing(flow: Flow) -> set[int]:
    """Give the least set of nodes that can finish; a node with a broken way is taken to be able to."""
    able = {flow.end}
    able.update(node for node in range(1, flow.end) if not flow.ways[node] and not flow.commands[node])
    able.update(node for node in range(1, flow.end) if any(not way for way in flow.ways[node]))
    queue = list(able)
    for done in queue:
        for node in flow.pred[done]:
            if node not in able and _can_finish(flow, node, able):
                able.add(node)
                queue.append(node)
    return able


def _can_finish(flow: Flow, node: int, able: set[int]) -> bool:
    """Tell whether a source, one of whose targets can finish, can finish whatever it chooses."""
    if len(flow.ways[node]) == 1 or any(target in able for target in flow.commands[node]):
        return True
    return all(any(target in able for target in way) for way in flow.ways[node])
