"""Values with fields: records, pydantic models and TypedDicts inside a state."""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import attrs

from graph_core.state.nested import MAPPING
from graph_core.state.schema.changes import close_to
from graph_core.state.schema.hints import class_of
from graph_core.state.schema.problems import (
    ValueProblem,
    at_field,
    mismatch,
    missing,
    of_fields,
    of_model,
)
from graph_core.state.schema.read import Reader, kind_of

if typing.TYPE_CHECKING:
    from graph_core.state.schema.field import SchemaField
    from graph_core.state.schema.leaves import Hook

Structure: TypeAlias = Callable[[Any, Any], Any]
_ABSENT: Final = object()
_DICT: Final[Any] = dict


@functools.lru_cache(maxsize=1024)
def fields_of(hint: Any) -> tuple[SchemaField, ...]:
    """Give the fields of a class inside a state; what can not be resolved in it is not checked."""
    return tuple(Reader(hint, strict=False).fields())


def record(structure: Structure, lax: bool, hint: Any) -> Hook:  # noqa: FBT001  (bound in a list of factories)
    """Make the hook of an attrs class, a dataclass or a pydantic model.

    A value must be an instance; `lax` builds one of a mapping.
    """
    cls: Any = class_of(hint)

    def check(value: Any, _: Any) -> Any:
        if isinstance(value, cls):
            there = {field.name: getattr(value, field.name, _ABSENT) for field in fields_of(hint)}
            changed = checked_fields(fields_of(hint), _present(there), structure)
            return _evolved(hint, value, changed) if changed else value
        if lax and isinstance(value, MAPPING):
            return _built(hint, cls, value, structure)
        raise mismatch(hint, value)

    return check


def typed_dict(structure: Structure, hint: Any) -> Hook:
    """Make the hook of a TypedDict; further keys are allowed, as static type checkers allow them."""

    def check(value: Any, _: Any) -> Any:
        if not isinstance(value, _DICT):
            raise mismatch(hint, value)
        changed = checked_fields(fields_of(hint), value, structure, complete=True)
        return {**value, **changed} if changed else value

    return check


def checked_fields(
    fields: tuple[SchemaField, ...], values: Mapping[str, Any], structure: Structure, *, complete: bool = False
) -> dict[str, Any]:
    """Check the values of fields.

    Args:
        fields: the fields.
        values: name → value; those that are missing are not checked.
        structure: the check of a value.
        complete: a required one that is missing is a problem.

    Returns:
        Those that were converted.

    Raises:
        ClassValidationError: with a note of its name at the error of each field that does not fit.
    """
    changed: dict[str, Any] = {}
    errors: list[Exception] = []
    for field in fields:
        value = values.get(field.name, _ABSENT)
        if value is _ABSENT:
            if complete and field.required:
                errors.append(at_field(missing(), field.name))
            continue
        try:
            checked = structure(value, field.type)
        except Exception as error:  # noqa: BLE001  (all problems are told at once)
            errors.append(at_field(error, field.name))
        else:
            if checked is not value:
                changed[field.name] = checked
    if errors:
        raise of_fields(errors)
    return changed


def unknown_fields(fields: tuple[SchemaField, ...], values: Mapping[str, Any]) -> list[Exception]:
    """Give a problem for each key that is no field."""
    names = [field.name for field in fields]
    return [ValueProblem(f"unknown key {key!r}", close_to(key, names)) for key in values if key not in names]


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not _ABSENT}


def _built(hint: Any, cls: Any, value: Mapping[str, Any], structure: Structure) -> Any:
    """Build an instance of a mapping."""
    fields = fields_of(hint)
    if kind_of(hint) == "pydantic":
        return _modelled(cls, value)
    errors = unknown_fields(fields, value)
    changed: dict[str, Any] = {}
    try:
        changed = checked_fields(fields, value, structure, complete=True)
    except Exception as error:  # noqa: BLE001  (all problems are told at once)
        errors.append(error)
    if errors:
        raise of_fields(errors)
    return cls(**{field.alias: {**value, **changed}[field.name] for field in fields if field.name in value})


def _modelled(cls: Any, value: Any) -> Any:
    try:
        return cls.model_validate(value)
    except ValueError as error:  # pydantic's is one
        raise of_model(error) or error from None


def _evolved(hint: Any, value: Any, changed: dict[str, Any]) -> Any:
    if kind_of(hint) == "pydantic":
        return value.model_copy(update=changed)
    if kind_of(hint) == "dataclass":
        return dataclasses.replace(value, **changed)
    aliases = {field.name: field.alias for field in fields_of(hint)}
    return attrs.evolve(value, **{aliases[name]: item for name, item in changed.items()})
