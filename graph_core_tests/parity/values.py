"""The scenario language: what an update or a route of a scenario means on a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from graph_core import REMOVE, RemoveByHash, ReplaceAllWith

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")


def nth(items: Sequence[T], index: int) -> T:
    """The item of that visit; the last one repeats."""
    return items[min(index, len(items) - 1)]


def update_of(template: Mapping[str, object], state: Mapping[str, object], visit: int) -> dict[str, object]:
    """The update that a template gives on a state, with fresh containers; `visit` counts from 0."""
    return {key: value_of(item, state, visit) for key, item in template.items()}


def value_of(template: object, state: Mapping[str, object], visit: int) -> object:
    """A literal, or what an operator like `{"$inc": key}` says."""
    if isinstance(template, list):
        return [value_of(item, state, visit) for item in cast("list[object]", template)]
    if not isinstance(template, dict):
        return template
    mapping = cast("dict[str, object]", template)
    if len(mapping) == 1:
        [(name, argument)] = mapping.items()
        if operator := OPERATORS.get(name):
            return operator(argument, state, visit)
    return update_of(mapping, state, visit)


def _increment(state: Mapping[str, object], key: object) -> int:
    return _number(state, str(key)) + 1


def _number(state: Mapping[str, object], key: str) -> int:
    value = state.get(key)
    return value if isinstance(value, int) else 0


def _size(state: Mapping[str, object], key: object) -> int:
    value = state.get(str(key))
    return len(cast("list[object]", value)) if isinstance(value, list) else 0


def _replacement(values: object) -> ReplaceAllWith[object]:
    return ReplaceAllWith(cast("list[object]", values))


OPERATORS: dict[str, Callable[[object, Mapping[str, object], int], object]] = {
    "$get": lambda key, state, _visit: state.get(str(key)),
    "$inc": lambda key, state, _visit: _increment(state, key),
    "$size": lambda key, state, _visit: _size(state, key),
    "$visits": lambda _key, _state, visit: visit + 1,
    "$remove": lambda _key, _state, _visit: REMOVE,
    "$replace_all": lambda values, _state, _visit: _replacement(values),
    "$remove_by_hash": lambda value, _state, _visit: RemoveByHash(value),
}


def route_of(template: object, state: Mapping[str, object]) -> object:
    """A literal label or list of labels, the value of a key, or the side that `if_lt` chooses."""
    if not isinstance(template, dict):
        return template
    mapping = cast("dict[str, object]", template)
    if "$get" in mapping:
        return state.get(str(mapping["$get"]))
    key, limit = cast("tuple[str, int]", mapping["if_lt"])
    return mapping["then"] if _number(state, key) < limit else mapping["else"]
