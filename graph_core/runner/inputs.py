"""What a run begins with: its inputs and its context (rules T1, T3, X0)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from graph_core.exception import GraphRunnerException
from graph_core.exception.texts import said, shown
from graph_core.node import START
from graph_core.runner import failures

if TYPE_CHECKING:
    from graph_core.compiler.state import StatePlan
    from graph_core.config import RunnableConfig
    from graph_core.state import OverAllState
    from graph_core.state.schema import Schema


def admitted(plan: StatePlan, inputs: Any) -> dict[str, Any]:
    """Give the values that inputs stand for, checked against the schema of the graph.

    Raises:
        GraphRunnerException: they are no mapping with `str` keys (nor an instance of the schema), or do
            not fit; all problems are told.
    """
    door = plan.door
    given: Any = inputs if door is None else door.opened(inputs)
    if not isinstance(given, Mapping):
        raise failures.invalid_inputs(inputs)
    try:
        values = dict(cast("Mapping[str, Any]", given))
    except Exception as error:
        raise failures.invalid_inputs(inputs) from error
    if not all(isinstance(key, str) for key in list[Any](values)):
        raise failures.invalid_inputs(values)
    if door is None:
        return values
    found, problems = door.admitted(values)
    if problems:
        raise failures.refused_inputs(problems)
    return found


def admitted_update(state: OverAllState[Any], values: object) -> dict[str, Any]:
    """Give the values that somebody outside a run wants to merge into a state.

    Raises:
        GraphRunnerException: they are neither a mapping nor an instance of a schema.
    """
    from graph_core.state.schema.instances import is_instance, update_of_instance

    if isinstance(values, Mapping):
        return dict(cast("Mapping[str, Any]", values))
    if not is_instance(values):
        raise failures.invalid_values(values)
    return update_of_instance(values, state, state._merger.strategy, "update_state")  # pyright: ignore[reportPrivateUsage]  (the state's own)


def defaults_of(plan: StatePlan) -> dict[str, Any]:
    """Give what a state begins with, made anew.

    Raises:
        GraphRunnerException: a default does not fit its key, or its factory raises (code `invalid_default`).
    """
    found: dict[str, Any] = {}
    declared = plan.merger.declared
    for key, make in plan.defaults:
        try:
            found[key] = make()
            if declared is not None:
                declared.check_known(key, found[key])
        except Exception as error:
            text = f"the default of key {key!r} can not be used: {said(error)}"
            raise GraphRunnerException(text, "invalid_default", START) from error
    return found


def check_required(plan: StatePlan, inputs: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Refuse a start without a key that the input schema requires and the state has not yet.

    Raises:
        GraphRunnerException: as said (code `invalid_inputs`).
    """
    problems = () if plan.door is None else plan.door.absent(inputs, state)
    if problems:
        raise failures.refused_inputs(problems)


def check_begun(plan: StatePlan, state: Mapping[str, Any]) -> None:
    """Refuse a start with a state that the class of the schema refuses: its validators look at what was given.

    Raises:
        GraphRunnerException: as said (code `invalid_inputs`).
    """
    problems = () if plan.door is None else plan.door.refused(state)
    if problems:
        raise failures.refused_inputs(problems)


def with_context(plan: StatePlan, config: RunnableConfig[Any]) -> RunnableConfig[Any]:
    """Give a config whose context is an instance of the context schema.

    A mapping becomes an instance (of a TypedDict: it stays a mapping); without a context one of all
    defaults is made.

    Raises:
        GraphRunnerException: the context is none of these (code `invalid_context`).
    """
    wanted, context = plan.context, config.context
    if wanted is None:
        return config
    if isinstance(wanted, type):
        if not isinstance(context, wanted):
            raise failures.refused_context(f"expected {wanted.__qualname__}, not {shown(context)}")
        return config
    made = _context(wanted, context)
    return config if made is context else config.with_context(made)


def _context(schema: Schema, context: Any) -> Any:
    from graph_core.state.schema.hints import class_of

    if schema.kind != "typed_dict" and isinstance(context, class_of(schema.cls)):
        return context
    given: Any = {} if context is None else context
    if not isinstance(given, Mapping):
        raise failures.refused_context(f"expected {schema.name} (or a mapping of its keys), not {shown(context)}")
    values: dict[str, Any] = dict(cast("Mapping[str, Any]", given))
    problems = schema.validate(values, partial=False)
    if problems:
        raise failures.refused_context("; ".join(problems))
    try:
        return schema.view({**schema.defaults(), **values}, "the context")
    except GraphRunnerException as error:
        raise failures.refused_context(said(error)) from error
