"""Enums: a member is written by its name, flags by their value."""

from __future__ import annotations

import enum
from typing import Any

from graph_core.serializer.codec import Codec, as_is, boxed
from graph_core.serializer.failure import Failure, exactly


def enum_codec(cls: Any, tag: str) -> Codec:
    """Make the codec of an enum; nothing of it is called but the look-up of members."""
    return _flag_codec(cls, tag) if issubclass(cls, enum.Flag) else boxed(cls, tag, _name_of, _member_in(cls))


def _name_of(member: Any) -> str:
    name: str = member.name
    if exactly(member).__members__.get(name) is not member:
        raise Failure(f"{member!r} is no member that can be found by its name")
    return name


def _member_in(cls: Any) -> Any:
    def member(name: Any) -> Any:
        if as_is(str, name) not in cls.__members__:
            raise Failure(f"{cls.__qualname__} has no member {name!r}; it has {', '.join(cls.__members__)}")
        return cls.__members__[name]

    return member


def _flag_codec(cls: Any, tag: str) -> Codec:
    def flags(value: Any) -> Any:
        found = cls(as_is(int, value))
        if type(found) is not cls or found.value != value:
            raise Failure(f"{cls.__qualname__} has no flags {value!r}")
        return found

    return boxed(cls, tag, lambda flags: flags.value, flags)
