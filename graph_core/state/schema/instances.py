"""Instances of schema classes where a mapping of values could stand: inputs, updates, payloads (rules S9, T2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_core.state.schema.changes import changes_between
from graph_core.state.schema.read import kind_of
from graph_core.state.schema.same import is_same
from graph_core.state.schema.schema import Schema
from graph_core.state.strategies import ReplaceStrategy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graph_core.state.schema.field import SchemaField
    from graph_core.state.strategies import KeyStrategy


def is_instance(value: object) -> bool:
    """Tell whether a value is an instance of an attrs class, a dataclass or a pydantic model."""
    return kind_of(type(value)) is not None


def values_of(instance: object) -> dict[str, Any]:
    """Give key → value of all fields of an instance.

    Raises:
        InvalidRecordError: its class can not be a schema.
    """
    return Schema.of(type(instance)).values(instance)


def said_values(instance: Any, strategy: Callable[[str], KeyStrategy]) -> dict[str, Any]:
    """Give key → value of what an instance says.

    That is every field, but one that equals its default and would be merged by something else than
    REPLACE adds nothing (as the empty list under APPEND). A pydantic model knows which fields were set.

    Args:
        instance: of a schema class.
        strategy: key → its strategy.
    """
    schema = Schema.of(type(instance))
    found = schema.values(instance)
    is_model = schema.kind == "pydantic"
    given: Any = instance.model_fields_set if is_model else ()

    def is_said(key: str, value: object) -> bool:
        if key in given or not _is_default(schema.fields[key], value):
            return True
        return not is_model and isinstance(strategy(key), ReplaceStrategy)

    return {key: value for key, value in found.items() if is_said(key, value)}


def _is_default(field: SchemaField, value: object) -> bool:
    if field.make_default is None:
        return False
    try:
        return is_same(field.make_default(), value)
    except Exception:  # noqa: BLE001  (a factory of the user's: then it is none)
        return False


def update_of_instance(
    instance: object, state: Mapping[str, Any], strategy: Callable[[str], KeyStrategy], where: str
) -> dict[str, Any]:
    """Give the update that makes a state say what an instance says.

    Args:
        instance: of a schema class.
        state: the state that the update is merged into.
        strategy: key → its strategy.
        where: who made the instance, for error texts.

    Raises:
        GraphRunnerException: no update gives one of the values (code ``invalid_update``).
    """
    said = said_values(instance, strategy)
    before = {key: state[key] for key in said if key in state}
    strategies = {key: strategy(key) for key in said}
    return changes_between(before, said, strategies, where, Schema.of(type(instance)).name)
