"""The cheap check of a value: whether its class fits the outermost type of a hint."""

from __future__ import annotations

import dataclasses
import functools
import typing
from typing import Any, Final, TypeAlias

import attrs
import typing_extensions

from graph_core.state.schema.hints import class_of, parts_of

Kinds: TypeAlias = tuple[type, ...] | None
"""Classes of which a value must be an instance; `None`: any value will do."""

_NUMBERS: Final[dict[Any, tuple[type, ...]]] = {float: (float, int), complex: (complex, float, int)}
_SHORT: Final = 40


def kinds_of(hint: Any) -> Kinds:
    """Give the classes of which a value of this type is an instance.

    An `int` is a `float` (PEP 484); of a `Literal` the classes of its labels, of a TypedDict `dict`;
    a `Protocol`, and what is not understood, takes every value.

    >>> kinds_of(list[str] | None)
    (<class 'list'>, <class 'NoneType'>)
    """
    found: list[type] = []
    for part in parts_of(hint):
        kinds = _of_part(part)
        if kinds is None:
            return None
        found += kinds
    return tuple(dict.fromkeys(found))


def _of_part(part: Any) -> Kinds:
    origin: Any = class_of(part)
    if origin in {typing.Literal, typing_extensions.Literal}:
        return tuple(label.__class__ for label in typing.get_args(part))
    if typing_extensions.is_typeddict(origin):
        return (dict,)
    if origin in {typing.Never, typing.NoReturn, typing_extensions.Never}:
        return ()
    if not isinstance(origin, type) or origin is object or origin is Any or typing_extensions.is_protocol(origin):
        return (str,) if origin in {typing.LiteralString, typing_extensions.LiteralString} else None
    return _NUMBERS.get(origin, (origin,))


def admits(kinds: Kinds, kind: Any) -> bool:
    """Tell whether values of a class may stand there; `bool` is no number.

    >>> admits((int,), bool), admits((float, int), int), admits(None, str)
    (False, True, True)
    """
    if kinds is None:
        return True
    if kind is bool:
        kinds = tuple(other for other in kinds if other not in {int, float, complex})
    return issubclass(kind, kinds)


@functools.lru_cache(maxsize=1024)
def is_shallow(hint: Any) -> bool:
    """Tell whether the class of a value says all: there is nothing inside to be checked."""
    return all(_is_plain_class(part) for part in parts_of(hint))


def _is_plain_class(part: Any) -> bool:
    if part is Any or part is object:
        return True
    return part.__class__ is type and not attrs.has(part) and not dataclasses.is_dataclass(part)


def actual(value: Any) -> str:
    """Show what a value is, for the end of an error text.

    >>> actual("5"), actual([1]), actual(None)
    ("str '5'", 'list', 'None')
    """
    if value is None or isinstance(value, type):
        return repr(value)
    kind: Any = value.__class__
    text = repr(value) if kind in {str, int, float, bool} else ""
    return f"{kind.__name__} {text}" if 0 < len(text) <= _SHORT else kind.__name__
