"""Exact sameness: classes, order and signs count, and nan is nan."""

import datetime as dt
import math
from collections import deque
from collections.abc import Mapping
from typing import Any

import attrs

from graph_core.serializer import Serializer
from graph_core.serializer.failure import exactly

# Declared as `Any`: to a type checker `isinstance` does not narrow then.
_SETS: Any = (set, frozenset)
_ROWS: Any = (list, tuple, deque)
_MAPPING: Any = Mapping


def back(value: Any, serializer: Serializer | None = None) -> Any:
    """Give what comes back of a value."""
    serializer = serializer or Serializer()
    return serializer.loads(serializer.dumps(value))


def is_exact(one: Any, other: Any) -> bool:
    """Tell whether two values can not be told apart."""
    if exactly(one) is not exactly(other):
        return False
    parts = _parts(one)
    if parts is not None:
        return is_exact(parts, _parts(other))
    if isinstance(one, _SETS):
        return len(one) == len(other) and all(any(is_exact(a, b) for b in list(other)) for a in one)
    if isinstance(one, _ROWS):
        return len(one) == len(other) and all(map(is_exact, one, other))
    return repr(one) == repr(other) if "NaN" in repr(one) else bool(one == other)


def _parts(value: Any) -> list[Any] | None:
    """Give what a value is to be compared by, if that is not its own equality."""
    if isinstance(value, float | complex):
        return [repr(value), repr(math.copysign(1, value.real)), repr(math.copysign(1, value.imag))]
    if isinstance(value, dt.datetime | dt.time):
        return [value.replace(tzinfo=None).isoformat(), value.fold, repr(value.tzinfo)]
    if isinstance(value, _MAPPING):
        return list(value.items())
    return [getattr(value, field.name) for field in attrs.fields(exactly(value))] if attrs.has(exactly(value)) else None
