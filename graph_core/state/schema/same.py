"""Whether two values are the same, so exactly that writing one over the other changes nothing."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Final

import attrs

_ORDERED: Final[Any] = (list, tuple)
_DICT: Final[Any] = dict
_SETS: Final[Any] = (set, frozenset)


def is_same(old: Any, new: Any) -> bool:
    """Tell whether two values are equal and of one type, at any depth of lists, tuples and dicts.

    Values that can not be compared (arrays, say) are not the same, unless they are one object.

    >>> is_same([1, {"a": 2}], [1, {"a": 2}]), is_same([1], [True]), is_same(1, 1.0)
    (True, False, False)
    """
    try:
        return _same(old, new)
    except Exception:  # noqa: BLE001  (a comparison of the user's, or a value that holds itself)
        return False


def _same(old: Any, new: Any) -> bool:
    if old is new:
        return True
    if old.__class__ is not new.__class__:
        return False
    if isinstance(old, _ORDERED):
        return len(old) == len(new) and all(map(_same, old, new))
    if isinstance(old, _DICT):
        return old.keys() == new.keys() and all(_same(old[key], new[key]) for key in old)
    names = _fields_of(old.__class__)
    if names is not None:  # its own equality may leave fields out
        return all(_same(getattr(old, name), getattr(new, name)) for name in names)
    return bool(old == new) and (not isinstance(old, _SETS) or sorted(map(_typed, old)) == sorted(map(_typed, new)))


def _typed(value: object) -> str:
    return f"{type(value).__qualname__} {value!r}"


@functools.lru_cache(maxsize=1024)
def _fields_of(cls: type) -> tuple[str, ...] | None:
    """Give the names of all fields of a record; `None` if the class is none."""
    if attrs.has(cls):
        return tuple(field.name for field in attrs.fields(cls))
    if dataclasses.is_dataclass(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    return None
