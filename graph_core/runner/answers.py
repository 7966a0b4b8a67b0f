"""Reading what nodes and routes answer (rules R2 to R6, R9, S9)."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from graph_core.action import Command, MultiCommand, Send
from graph_core.action.command import is_instance
from graph_core.compiler.plan import ForkPlan, NodePlan, RoutePlan
from graph_core.exception import GraphRunnerException
from graph_core.node import START
from graph_core.runner import failures
from graph_core.state.frozen import FrozenMapping

if TYPE_CHECKING:
    from graph_core.state import OverAllState

Target: TypeAlias = tuple[NodePlan, Mapping[str, Any] | None, RoutePlan | None]
"""A node to go to; for a `Send` with its state, and the route that sent it."""
Choice: TypeAlias = tuple[list[Target], list[Mapping[str, Any]]]
"""Targets without duplicates, in branch order, and the updates of the routes in their order."""
NOTHING: Mapping[str, Any] = {}
"""The update of an answer that has none."""


def update_of(node: NodePlan, result: Any, state: OverAllState[Any]) -> Mapping[str, Any]:
    """Give the update of a state that a node returned.

    Raises:
        GraphRunnerException: it is no update.
    """
    if isinstance(result, Mapping):
        try:
            return dict(cast("Mapping[str, Any]", result))
        except Exception as error:  # a mapping of the user's may raise anything
            raise failures.unreadable_update(node.id, cast("object", result), error) from error
    if result is None and node.returns_none:
        return NOTHING
    if isinstance(result, Command | MultiCommand):
        raise failures.undeclared_command(node.id, cast("object", result))
    if is_instance(result):
        return resolved(node.id, result, state)
    raise failures.invalid_update(node.id, result)


def resolved(node_id: str, update: Any, state: OverAllState[Any]) -> Mapping[str, Any]:
    """Give the update of a command; of an instance of a schema that is what it says else than the state.

    Raises:
        GraphRunnerException: no update gives one of its values.
    """
    if isinstance(update, Mapping):
        return cast("Mapping[str, Any]", update)
    from graph_core.state.schema.instances import update_of_instance

    try:
        return update_of_instance(update, state, state._merger.strategy, f"node {node_id!r}")  # pyright: ignore[reportPrivateUsage]  (the state's own)
    except GraphRunnerException as error:
        raise failures.refused(error, node_id) from error.__cause__


def is_command(node: NodePlan, result: Any) -> bool:
    """Tell whether a node with commands answered with one, instead of an update."""
    return isinstance(result, Command | MultiCommand) or (node.answers_only and not isinstance(result, Mapping))


def choose_one(route: RoutePlan, answer: Any) -> tuple[NodePlan, Mapping[str, Any]]:
    """Give the target and the update of a single route's answer.

    Raises:
        GraphRunnerException: the answer is no label, or is not mapped.
    """
    update = NOTHING
    label: Any = answer
    if answer.__class__ is Command:
        label, update = answer.goto_node, _said(answer.update)
    elif isinstance(answer, list | tuple | Send | MultiCommand):
        text = "a single route goes to one label; use add_parallel_conditional_edges for several, and for Sends"
        raise failures.invalid_answer(route, cast("object", answer), text)
    return _labelled(route, label), update


def choose_many(route: RoutePlan, answer: Any) -> tuple[list[Target], Mapping[str, Any]]:
    """Give the targets and the update of a multi route's answer.

    Raises:
        GraphRunnerException: a part of the answer is neither a label nor a `Send`, or is not mapped.
    """
    update = NOTHING
    if answer.__class__ is MultiCommand:
        labels, update = answer.goto_nodes, _said(answer.update)
    elif answer.__class__ is Command:
        labels, update = [answer.goto_node], _said(answer.update)
    elif isinstance(answer, list | tuple):
        labels = cast("Sequence[Any]", answer)
        if not labels and route.default is not None:
            return [(route.default, None, None)], update
    else:
        labels = [answer]
    targets: list[Target] = []
    for label in labels:
        if label.__class__ is Send:
            targets.append((_sent(route, label.node), label.state, route))
        else:
            targets.append((_labelled(route, label), None, None))
    return targets, update


def _said(update: Any) -> Any:
    return NOTHING if update.__class__ is FrozenMapping and not update else update


def _labelled(route: RoutePlan, label: Any) -> NodePlan:
    try:
        target = route.labels.get(label)
        is_start = label is None or bool(label == START)
    except Exception as error:
        raise failures.invalid_answer(route, label, "a label must be hashable and comparable") from error
    if target is not None:
        return target
    if is_start:
        raise failures.invalid_answer(route, label, "a route must answer with a label; map one to END to end the run")
    if route.default is not None:
        return route.default
    raise failures.unmapped(route, label)


def _sent(route: RoutePlan, node_id: str) -> NodePlan:
    for target in route.labels.values():
        if target.id == node_id and not target.is_end:
            return target
    if route.default is not None and route.default.id == node_id and not route.default.is_end:
        return route.default
    if node_id in {"__END__", START}:
        raise failures.invalid_answer(route, Send(node_id), "a copy can only be sent to a node; END is a label")
    raise failures.unmapped(route, node_id)


def merged_choice(choices: Sequence[tuple[Sequence[Target], Mapping[str, Any]]]) -> Choice:
    """Unite the targets of several routes: plain ones without duplicates, every `Send`."""
    targets: list[Target] = []
    seen: set[int] = set()
    for found, _ in choices:
        for target in found:
            if target[1] is not None:
                targets.append(target)
            elif target[0].index not in seen:
                seen.add(target[0].index)
                targets.append(target)
    return targets, [update for _, update in choices if update is not NOTHING]


Calls: TypeAlias = "Generator[RoutePlan, Any, Choice]"


def evaluate(fork: ForkPlan) -> Calls:
    """Ask for the answers of a fork's routes one after the other, and give the targets of all.

    Raises:
        GraphRunnerException: an answer is no label, or is not mapped; then no update is made.
    """
    if fork.fixed is not None:
        return list[Target](fork.fixed), []
    choices: list[tuple[Sequence[Target], Mapping[str, Any]]] = []
    for route in fork.routes:
        if isinstance(route, NodePlan):
            choices.append(([(route, None, None)], NOTHING))
            continue
        choices.append(_chosen(route, (yield route)))
    return merged_choice(choices)


def _chosen(route: RoutePlan, answer: Any) -> tuple[list[Target], Mapping[str, Any]]:
    """Read an answer, whose parts are the user's objects and may raise anything."""
    try:
        if route.multi:
            return choose_many(route, answer)
        target, update = choose_one(route, answer)
    except GraphRunnerException:
        raise
    except Exception as error:
        raise failures.invalid_answer(route, answer, "which can not be read") from error
    return [(target, None, None)], update


def evaluate_one(route: RoutePlan) -> Calls:
    """Ask for the answer of a single route, and give its target.

    Raises:
        GraphRunnerException: the answer is no label, or is not mapped.
    """
    return merged_choice([_chosen(route, (yield route))])


def command_choice(route: RoutePlan, answer: Any) -> Choice:
    """Give the targets and updates of a command that a node returned."""
    return merged_choice([_chosen(route, answer)])
