"""Instances of schema classes where a mapping of values could stand: inputs, updates, payloads (rules S9, T2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_core.state.schema.changes import changes_between
from graph_core.state.schema.read import kind_of
from graph_core.state.schema.same import is_same
from graph_core.state.schema.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


def said_values(instance: Any) -> dict[str, Any]:
    """Give key → value of the fields that whoever made an instance has set.

    A field that equals its default was not set, as far as can be told; a pydantic model knows.
    """
    schema = Schema.of(type(instance))
    found = schema.values(instance)
    given: Any = instance.model_fields_set if schema.kind == "pydantic" else ()
    defaults = schema.defaults()
    return {
        key: value
        for key, value in found.items()
        if key in given or key not in defaults or not is_same(defaults[key], value)
    }


def update_of_instance(
    instance: object, state: Mapping[str, Any], strategy: Callable[[str], KeyStrategy], where: str
) -> dict[str, Any]:
    """Give the update that makes a state say what an instance says, in the fields that were set.

    Args:
        instance: of a schema class.
        state: the state that the update is merged into.
        strategy: key → its strategy.
        where: who made the instance, for error texts.

    Raises:
        GraphRunnerException: no update gives one of the values (code ``invalid_update``).
    """
    said = said_values(instance)
    before = {key: state[key] for key in said if key in state}
    strategies = {key: strategy(key) for key in said}
    return changes_between(before, said, strategies, where, Schema.of(type(instance)).name)
