"""How the old and the new value of one key become one (rules S2 to S8)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, TypeAlias, final

import attrs

from graph_core.state.markers import REMOVE, RemoveByHash
from graph_core.state.nested import CONTAINERS, MAPPING, REPLACING

KeyStrategy: TypeAlias = Callable[[Any, Any], Any]
"""`(old, new) -> merged`; `old` is the raw value, or `None` when the key is absent."""

_NUMBERS: Final = frozenset({int, float})


@final
@attrs.frozen
class ReplaceStrategy:
    """The new value wins, `None` included.

    >>> ReplaceStrategy()(1, None) is None
    True
    """

    def __call__(self, old: Any, new: Any) -> Any:  # noqa: ARG002  (every strategy is called with both)
        """Give the new value."""
        return _unwrapped(new)


@final
@attrs.frozen
class AppendStrategy:
    """Appends to a list; the lists that were handed in are never touched.

    A list, tuple, set or frozenset extends, anything else is one element, `None` is nothing.

    Args:
        allow_duplicate: `False` keeps only the first of equal elements, on every write.

    >>> APPEND(["a"], ["b", "c"]), APPEND("a", "b"), AppendStrategy(allow_duplicate=False)([1, 2], 2)
    (['a', 'b', 'c'], ['a', 'b'], [1, 2])
    """

    allow_duplicate: bool = True

    def __call__(self, old: Any, new: Any) -> Any:
        """Give a new list of the old and the new elements; the old value where `new` is `None`."""
        if new is None:
            return old
        if isinstance(new, REPLACING):
            return _unwrapped(new)
        merged: list[Any] = [] if old is None else [*old] if isinstance(old, list) else [old]
        self.extend(merged, new)
        return merged

    def extend(self, merged: list[Any], new: Any) -> None:
        """Append to a list that belongs to the caller, in place."""
        if isinstance(new, CONTAINERS):
            for element in new:
                _append(merged, element)
        else:
            _append(merged, new)
        if not self.allow_duplicate:
            merged[:] = _unique(merged)


@final
@attrs.frozen
class MergeStrategy:
    """Merges mappings entry by entry and records field by field; of other values the new one wins.

    Args:
        deep: merge mappings inside mappings as well.

    Raises:
        TypeError: the values are of different types (`int` and `float` go together).

    >>> MERGE({"a": 1, "b": 1}, {"b": 2, "c": 2})
    {'a': 1, 'b': 2, 'c': 2}
    """

    deep: bool = False

    def __call__(self, old: Any, new: Any) -> Any:
        """Give a new merged value; the old one where `new` is `None`."""
        if new is None:
            return old
        if isinstance(new, REPLACING):
            return _unwrapped(new)
        if isinstance(new, MAPPING):
            return self._mapping(old, new)
        if old is None:
            return new
        return self._values(old, new)

    def extend(self, merged: dict[Any, Any], new: Mapping[Any, Any]) -> None:
        """Merge entries into a dict that belongs to the caller, in place."""
        for key, value in new.items():
            if value is REMOVE:
                merged.pop(key, None)
            elif self.deep and isinstance(value, MAPPING):
                inner = merged.get(key)
                merged[key] = self._mapping(inner if isinstance(inner, MAPPING) else None, value)
            else:
                merged[key] = value

    def _mapping(self, old: Any, new: Mapping[Any, Any]) -> Any:
        if old is not None and not isinstance(old, MAPPING):
            raise _incompatible(old, new)
        merged: dict[Any, Any] = {} if old is None else {**old}
        self.extend(merged, new)
        return merged

    def _values(self, old: Any, new: Any) -> Any:
        if old.__class__ is new.__class__:
            return self._record(old, new)
        if {old.__class__, new.__class__} <= _NUMBERS:
            return new
        raise _incompatible(old, new)

    def _record(self, old: Any, new: Any) -> Any:
        kind: type[Any] = new.__class__
        if attrs.has(kind):
            names = {field.name: field.alias for field in attrs.fields(kind) if field.init}
            return attrs.evolve(new, **self._fields(old, new, names))
        if dataclasses.is_dataclass(kind):
            names = {field.name: field.name for field in dataclasses.fields(kind) if field.init}
            return dataclasses.replace(new, **self._fields(old, new, names))
        return new

    def _fields(self, old: Any, new: Any, names: Mapping[str, str]) -> dict[str, Any]:
        """Merge the fields of two records that are not the same, as the Java library does."""
        pairs = {alias: (getattr(old, name), getattr(new, name)) for name, alias in names.items()}
        return {alias: self._field(*pair) for alias, pair in pairs.items() if pair[0] is not pair[1]}

    def _field(self, old: Any, new: Any) -> Any:
        if new is None or old is None:
            return old if new is None else new
        if isinstance(old, MAPPING) and isinstance(new, MAPPING):
            return self._mapping(old, new)
        return self._record(old, new) if old.__class__ is new.__class__ else new


REPLACE: Final = ReplaceStrategy()
"""The new value wins."""
APPEND: Final = AppendStrategy()
"""The new elements are appended."""
MERGE: Final = MergeStrategy()
"""Entries and fields are merged, the new ones win."""


def _unwrapped(new: Any) -> Any:
    """Give what `Overwrite` or `ReplaceAllWith` holds, anything else as it is."""
    return new.value if isinstance(new, REPLACING) else new


def _append(merged: list[Any], element: Any) -> None:
    if element.__class__ is not RemoveByHash:
        merged.append(element)
    elif element.value in merged:
        merged.remove(element.value)


def _unique(values: list[Any]) -> list[Any]:
    if all(isinstance(value, Hashable) for value in values):
        try:
            return list(dict.fromkeys(values))
        except TypeError:  # a tuple that holds a list is Hashable by type only
            pass
    kept: list[Any] = []
    for value in values:
        if value not in kept:
            kept.append(value)
    return kept


def _incompatible(old: Any, new: Any) -> TypeError:
    names = f"{type(old).__name__} and {type(new).__name__}"
    return TypeError(f"can not merge the incompatible types {names}; use Overwrite(value) to replace the old value")
