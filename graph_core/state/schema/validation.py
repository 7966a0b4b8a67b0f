"""Validation at the door: every key of an input or an update is checked (rule T3)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from graph_core.state.nested import MARKERS, REPLACING
from graph_core.state.schema.changes import unknown_key
from graph_core.state.schema.checks import structure_of
from graph_core.state.schema.hints import class_of
from graph_core.state.schema.problems import absent_keys, of_model, texts_of
from graph_core.state.schema.updates import update_check
from graph_core.state.schema.view import model_validator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graph_core.state.schema.schema import Schema


def checked_values(
    schema: Schema, values: Mapping[str, Any], *, lax: bool, partial: bool
) -> tuple[dict[str, Any], list[str]]:
    """Check what is written to a state.

    Args:
        schema: what the keys must be.
        values: key → value or marker.
        lax: convert where nothing is lost.
        partial: required keys may be missing.

    Returns:
        The values, converted where that was needed, and the problems.
    """
    checks = _checks_of(schema, lax=lax)
    found: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in values.items():
        check = checks.get(key)
        if check is None:
            problems.append(unknown_key(key, schema.fields))
            continue
        try:
            found[key] = check(value)
        except Exception as error:  # noqa: BLE001  (all problems are told at once)
            problems += texts_of(error, f"$.{key}")
    if not partial:
        absent = [name for name, field in schema.fields.items() if field.required and name not in values]
        problems += absent_keys(absent)
    if schema.kind == "pydantic":
        problems += _of_model(schema, found, structure_of(lax=False))
    return found, problems


@functools.lru_cache(maxsize=1024)
def _checks_of(schema: Schema, *, lax: bool) -> dict[str, Callable[[Any], Any]]:
    structure = structure_of(lax=lax)
    return {name: update_check(field, structure) for name, field in schema.fields.items()}


def _of_model(schema: Schema, values: Mapping[str, Any], structure: Callable[[Any, Any], Any]) -> list[str]:
    """Ask a pydantic model about its own constraints and validators, of the values that are whole.

    Where keys are missing, it can only be asked about those that are there.
    """
    whole = {key: value for key, value in _unmarked(values).items() if _is_whole(schema, key, value, structure)}
    known = None if schema.fields.keys() <= whole.keys() else whole
    try:
        model_validator(class_of(schema.cls))(whole)
    except Exception as error:  # noqa: BLE001  (a validator of the user's may need a key that is not there)
        found = of_model(error, known) if hasattr(error, "errors") else error if known is None else None
        return [] if found is None else list(texts_of(found, "$"))
    return []


def _unmarked(values: Mapping[str, Any]) -> dict[str, Any]:
    opened: dict[str, Any] = {k: v.value if isinstance(v, REPLACING) else v for k, v in values.items()}
    return {key: value for key, value in opened.items() if value.__class__ not in MARKERS}


def _is_whole(schema: Schema, key: str, value: Any, structure: Callable[[Any, Any], Any]) -> bool:
    try:
        structure(value, schema.fields[key].type)
    except Exception:  # noqa: BLE001  (an element, or some entries: a part of a value)
        return False
    return True
