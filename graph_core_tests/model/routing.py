"""What the routes of one source answer: labels, Sends, Commands (R2, R4, R5, R6, R8)."""

from collections.abc import Sequence

from attrs import frozen

from graph_core_tests.model.errors import MISSING_NODE, SEND, SINGLE_ROUTE, ModelError
from graph_core_tests.model.graph import DEFAULT, END, START, Edge, Json, State
from graph_core_tests.model.values import evaluate_route, evaluate_update, visit_value


@frozen
class Target:
    """A chosen node; with `send` a copy of it that gets this state laid over."""

    node: str
    send: State | None = None


@frozen
class Answer:
    """The targets in branch order, and the updates in order of declaration."""

    targets: tuple[Target, ...]
    updates: tuple[State, ...]


def answer(edge: Edge, state: State, visit: int) -> Answer:
    """What one edge says on this state at its n-th evaluation.

    Raises:
        ModelError: For a label that is not mapped, or a Send to END.
    """
    if edge.kind == "edge":
        return Answer(tuple(Target(target) for target in edge.targets), ())
    route = edge.routes[min(visit, len(edge.routes)) - 1]
    labels = evaluate_route(route, state)
    if edge.kind == "conditional" and len(labels) != 1:
        raise ModelError(SINGLE_ROUTE, edge.source)
    if not labels and DEFAULT in edge.mappings:
        labels = [DEFAULT]
    update = evaluate_update(visit_value(edge.route_updates, visit), state, visit)
    return Answer(tuple(_target(edge, label) for label in labels), (update,) if update else ())


def _target(edge: Edge, label: Json) -> Target:
    """One element of a router's answer."""
    if isinstance(label, dict) and isinstance(sent := label.get("$send"), list):
        node, state = sent
        if node == END or edge.kind == "conditional" or not isinstance(state, dict):
            raise ModelError(SEND, edge.source)
        if node not in edge.reachable:
            raise ModelError(MISSING_NODE, f"{edge.source}: {node}")
        return Target(str(node), state)
    node = edge.mappings.get(str(label), edge.mappings.get(DEFAULT, ""))
    if node in {"", START}:
        raise ModelError(MISSING_NODE, f"{edge.source}: {label}")
    return Target(node)


def chosen(targets: Sequence[Target]) -> list[Target]:
    """The branches of an answer: plain targets once, `END` only if it stands alone."""
    result: list[Target] = []
    for target in targets:
        if target.send is not None or target not in result:
            result.append(target)
    nodes = [target for target in result if target.node != END]
    return nodes or result
