"""Checks of what is written to a key: markers, and parts that its strategy puts together (rules S4 to S7)."""

from __future__ import annotations

import functools
import operator
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import typing_extensions

from graph_core.state.markers import REMOVE, RemoveByHash
from graph_core.state.nested import CONTAINERS, MAPPING, MARKERS, REPLACING
from graph_core.state.schema.containers import MAPPING_ORIGINS, checked_entries, each
from graph_core.state.schema.hints import class_of, parts_of
from graph_core.state.schema.kinds import is_shallow
from graph_core.state.schema.problems import ValueProblem, mismatch, of_fields
from graph_core.state.schema.records import checked_fields, fields_of, unknown_fields
from graph_core.state.schema.strategy import new_hint
from graph_core.state.strategies import AppendStrategy, MergeStrategy

if typing.TYPE_CHECKING:
    from graph_core.state.schema.field import SchemaField

Structure: TypeAlias = Callable[[Any, Any], Any]
Check: TypeAlias = Callable[[Any, Any, Structure], Any]

_MOST_KNOWN: Final = 64


def update_check(field: SchemaField, structure: Structure) -> Callable[[Any], Any]:
    """Compile the check of one key of an update.

    APPEND takes a container of elements, or one element; MERGE takes some of the entries; both take
    `None`, which changes nothing. A callable of the user's takes what it declares as its second
    parameter, else the type of the key. Markers stand for themselves.

    Returns:
        A callable that gives back the value, converted where `structure` converts; it raises one
        error with all problems, to be read by `texts_of`.
    """
    hint, strategy = new_hint(field), field.strategy
    merged = functools.partial(_merged, deep=isinstance(strategy, MergeStrategy) and strategy.deep)
    part_of: dict[Any, Check] = {AppendStrategy: _appended, MergeStrategy: merged}
    checked = part_of.get(strategy.__class__, _whole)
    remembers = is_shallow(hint) and checked is _whole
    known: set[Any] = set()

    def check(value: Any) -> Any:
        kind: Any = value.__class__
        if kind in known:
            return value
        if kind in MARKERS:
            return _marked(field, value, structure)
        found = checked(hint, value, structure)
        if remembers and found is value and len(known) < _MOST_KNOWN:
            known.add(kind)
        return found

    return check


def _whole(hint: Any, value: Any, structure: Structure) -> Any:
    return structure(value, hint)


def _marked(field: SchemaField, value: Any, structure: Structure) -> Any:
    if value.__class__ not in REPLACING:
        return value
    given: Any = value.value
    inner: Any = structure(given, field.type)
    return value if inner is given else value.__class__(inner)


def _appended(hint: Any, value: Any, structure: Structure) -> Any:
    if value is None:
        return value
    element = _element_of(hint)

    def one(item: Any, _: Any) -> Any:
        return item if item.__class__ is RemoveByHash else structure(item, element)

    if isinstance(value, CONTAINERS):
        checked = each(value, one, element)
        return value if all(map(operator.is_, checked, value)) else checked
    try:
        return structure(value, element)
    except ValueProblem as error:
        raise (error if error.path else mismatch(hint, value)) from None


def _element_of(hint: Any) -> Any:
    """Give the type of the elements of the list that a key holds."""
    for part in parts_of(hint):
        if isinstance(origin := typing.get_origin(part), type) and issubclass(list, origin):
            return typing.get_args(part)[0]
    return Any


def _merged(hint: Any, value: Any, structure: Structure, *, deep: bool) -> Any:
    """Check some of the entries of a mapping; those that are removed have no type."""
    if value is None:
        return value
    kind = next((part for part in parts_of(hint) if _is_mapping(part)), None)
    if kind is None or not isinstance(value, MAPPING):
        return structure(value, hint)

    def one(item: Any, item_hint: Any) -> Any:
        if item is REMOVE:
            return item
        nested = deep and isinstance(item, MAPPING)
        return _merged(item_hint, item, structure, deep=True) if nested else structure(item, item_hint)

    if typing_extensions.is_typeddict(class_of(kind)):
        changed: Mapping[Any, Any] | None = _some_fields(kind, value, one)
    else:
        args = typing.get_args(kind) or (Any, Any)
        changed = checked_entries(value, one, *args)
    return {**value, **changed} if changed else value


def _is_mapping(part: Any) -> bool:
    origin: Any = class_of(part)
    return origin in MAPPING_ORIGINS or typing_extensions.is_typeddict(origin)


def _some_fields(hint: Any, value: Mapping[str, Any], structure: Structure) -> dict[str, Any]:
    fields = fields_of(hint)
    unknown = unknown_fields(fields, value)
    if unknown:
        raise of_fields(unknown)
    return checked_fields(fields, value, structure)
