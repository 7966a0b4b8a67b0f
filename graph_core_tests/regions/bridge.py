"""The engine's graph of a model's description: the same nodes, routes and updates."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any, cast

from graph_core import (
    APPEND,
    DEFAULT,
    END,
    MERGE,
    REMOVE,
    REPLACE,
    START,
    AppendStrategy,
    Command,
    CommandAction,
    MultiCommand,
    MultiCommandAction,
    RemoveByHash,
    ReplaceAllWith,
    Send,
    StateGraph,
)
from graph_core_tests.model import graph as model
from graph_core_tests.model.values import evaluate_route, evaluate_update, visit_value

_STRATEGIES: Mapping[str, Any] = {
    "replace": REPLACE,
    "append": APPEND,
    "append_unique": AppendStrategy(allow_duplicate=False),
    "merge": MERGE,
}
_IDS = {model.START: START, model.END: END}


def _bare(_: str, action: Any) -> Any:
    return action


def built(described: model.Graph, wrap: Callable[[str, Any], Any] = _bare) -> StateGraph:
    """Build the engine's graph; `wrap` gives the action of a node, made of the one that it has."""
    graph = StateGraph({key: _STRATEGIES[name] for key, name in described.strategies.items()})
    for node in described.nodes:
        if node.command is not None:
            _add_command(graph, node, node.command)
        else:
            graph.add_node(node.id, wrap(node.id, _action(node)), defer=node.defer)
    for number, edge in enumerate(described.edges):
        _add_edge(graph, edge, f"route{number}")
    return graph


def _id(name: str) -> str:
    return _IDS.get(name, name)


def _mappings(edge: model.Edge) -> dict[Any, str]:
    return {DEFAULT if label == model.DEFAULT else label: _id(node) for label, node in edge.mappings.items()}


def _action(node: model.Node) -> Callable[[Any], dict[str, Any]]:
    visits = itertools.count(1)

    def act(state: Any) -> dict[str, Any]:
        visit = next(visits)
        return marked(evaluate_update(visit_value(node.updates, visit), dict(state), visit))

    return act


def _add_command(graph: StateGraph, node: model.Node, edge: model.Edge) -> None:
    action = _multi(edge) if edge.kind == "parallel_conditional" else _single(edge)
    graph.add_node(node.id, action, _mappings(edge), sends=edge.sends, defer=node.defer, converge_at=_at(edge))


def _add_edge(graph: StateGraph, edge: model.Edge, name: str) -> None:
    source = _id(edge.source)
    if edge.kind == "edge":
        graph.add_edge(source, [_id(target) for target in edge.targets], converge_at=_at(edge))
    elif edge.kind == "conditional":
        graph.add_conditional_edges(source, _single(edge), _mappings(edge), name=name)
    else:
        graph.add_parallel_conditional_edges(
            source, _multi(edge), _mappings(edge), name=name, sends=edge.sends, converge_at=_at(edge)
        )


def _answers(edge: model.Edge) -> Callable[[Any], tuple[list[Any], dict[str, Any]]]:
    evaluations = itertools.count(1)

    def answer(state: Any) -> tuple[list[Any], dict[str, Any]]:
        number = next(evaluations)
        labels = evaluate_route(edge.routes[min(number, len(edge.routes)) - 1], dict(state))
        update = marked(evaluate_update(visit_value(edge.route_updates, number), dict(state), number))
        return [_label(label) for label in labels], update

    return answer


def _label(label: Any) -> Any:
    if isinstance(label, dict):
        node, state = cast("Any", label)["$send"]
        return Send(_id(node), state)
    return label


def _single(edge: model.Edge) -> CommandAction:
    answer = _answers(edge)

    def route(state: Any) -> Command:
        labels, update = answer(state)
        return Command(labels[0], update)

    return CommandAction(route)


def _multi(edge: model.Edge) -> MultiCommandAction:
    answer = _answers(edge)

    def route(state: Any) -> Any:
        labels, update = answer(state)
        if not labels:
            return [] if not update else MultiCommand.nothing(update)
        return MultiCommand(labels, update)

    return MultiCommandAction(route)


def marked(update: Mapping[str, Any]) -> dict[str, Any]:
    """Give an update with the model's markers as the library's."""
    return {key: _marker(value) for key, value in update.items()}


def _marker(value: Any) -> Any:
    if value.__class__ is list:
        return [_marker(element) for element in value]
    if value.__class__ is dict:
        name, operand = next(iter(value.items()), ("", None))
        if name == "$remove":
            return REMOVE
        if name == "$replace_all":
            return ReplaceAllWith[Any](operand)
        if name == "$remove_by_hash":
            return RemoveByHash(operand)
    return value


def _at(edge: model.Edge) -> str | None:
    return None if edge.converge_at is None else _id(edge.converge_at)
