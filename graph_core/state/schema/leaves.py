"""Values without parts: checked by their class, and converted where that was asked for."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
import pathlib
import typing
import uuid
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from graph_core.state.schema.hints import class_of, plain
from graph_core.state.schema.kinds import admits, kinds_of
from graph_core.state.schema.problems import mismatch

Hook: TypeAlias = Callable[[Any, Any], Any]
"""`(value, hint) -> value`: the same object where nothing had to be converted."""

_TRUTH: Final = {"true": True, "false": False}


def leaf(lax: bool, hint: Any) -> Hook:  # noqa: FBT001  (every factory is bound to it)
    """Make the hook of a type whose values have no parts that could be checked.

    Args:
        lax: convert where nothing is lost: `"5"` → 5, 2.0 → 2, `"2024-01-31"` → a date, a label → an enum.
        hint: the type.
    """
    kinds = kinds_of(hint)
    kind: Any = class_of(plain(hint))

    def check(value: Any, _: Any) -> Any:
        if admits(kinds, type(value)):
            return float(value) if lax and kind is float and type(value) is int else value
        if lax and isinstance(kind, type):
            try:
                return _converted(kind, value)
            except (ValueError, TypeError, ArithmeticError):
                pass
        raise mismatch(hint, value)

    return check


def literal(hint: Any) -> Hook:
    """Make the hook of a `Literal`; labels are compared with their class, so that `True` is not 1."""
    labels = {(label.__class__, label) for label in typing.get_args(plain(hint))}

    def check(value: Any, _: Any) -> Any:
        try:
            fits = (value.__class__, value) in labels
        except TypeError:  # a value without a hash
            fits = False
        if fits:
            return value
        raise mismatch(hint, value)

    return check


def _converted(kind: Any, value: Any) -> Any:
    if issubclass(kind, enum.Enum):
        return kind(value)
    for target, convert in _CONVERSIONS.items():
        if kind is target:
            return convert(value)
    raise TypeError(kind)


def _int(value: Any) -> int:
    if isinstance(value, str):
        return int(value)
    if isinstance(value, float | decimal.Decimal) and value == int(value):
        return int(value)
    raise TypeError(value)


def _bool(value: Any) -> bool:
    if isinstance(value, str) and value.lower() in _TRUTH:
        return _TRUTH[value.lower()]
    raise TypeError(value)


def _of(*kinds: type) -> Callable[[Any], Callable[[Any], Any]]:
    """Call the target's constructor with values of some classes only."""

    def bound(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def convert(value: Any) -> Any:
            if type(value) not in kinds:
                raise TypeError(value)
            return make(value)

        return convert

    return bound


_CONVERSIONS: Final[dict[Any, Callable[[Any], Any]]] = {
    int: _int,
    bool: _bool,
    float: _of(str, decimal.Decimal)(float),
    complex: _of(str)(complex),
    decimal.Decimal: _of(str, int)(decimal.Decimal),
    fractions.Fraction: _of(str, int)(fractions.Fraction),
    uuid.UUID: _of(str)(uuid.UUID),
    dt.datetime: _of(str)(dt.datetime.fromisoformat),
    dt.date: _of(str)(dt.date.fromisoformat),
    dt.time: _of(str)(dt.time.fromisoformat),
    pathlib.Path: _of(str)(pathlib.Path),
    pathlib.PurePath: _of(str)(pathlib.PurePath),
    bytearray: _of(bytes)(bytearray),
    bytes: _of(bytearray)(bytes),
}
