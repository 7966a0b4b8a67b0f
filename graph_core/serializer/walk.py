"""Which classes a schema names: in its fields, in containers, unions and aliases, in the fields of those."""

from __future__ import annotations

import typing
from typing import Any, Final

import typing_extensions

from graph_core.serializer.classes import fields_of, is_registrable
from graph_core.serializer.fields import hint_in
from graph_core.state.schema.hints import class_of, parts_of

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST: Final = 64  # a generic class that holds itself with ever larger arguments has no end
_LITERALS: Final[Any] = (typing.Literal, typing_extensions.Literal)


def classes_in(hint: Any) -> Iterator[type]:
    """Find the records and enums that a hint names, each one once.

    >>> import enum
    >>> Color = enum.Enum("Color", "RED")
    >>> list(classes_in(dict[str, list[Color] | None]))
    [<enum 'Color'>]
    """
    return _found(hint, set(), 0)


def _found(hint: Any, seen: set[str], depth: int) -> Iterator[type]:
    for part in parts_of(hint):
        key = f"{id(class_of(part))} {part!r}"  # not every hint has a hash
        if key in seen or depth > _DEEPEST:
            continue
        seen.add(key)
        origin: Any = class_of(part)
        if is_registrable(origin):
            yield origin
        for inner in _inside(part, origin):
            yield from _found(inner, seen, depth + 1)


def _inside(part: Any, origin: Any) -> Iterator[Any]:
    if origin in _LITERALS:
        yield from map(type, typing.get_args(part))
        return
    for argument in typing.get_args(part):
        yield from argument if isinstance(argument, list) else [argument]
    if typing_extensions.is_typeddict(origin):
        yield from (hint_in(part, name, hint) for name, hint in origin.__annotations__.items())
    for field in fields_of(part) or ():
        yield field.hint
