"""Codecs made of a user's own functions."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from graph_core.serializer.bodies import LOOSE
from graph_core.serializer.codec import GIVEN, Parts, only, taken
from graph_core.serializer.failure import Failure, exactly

if TYPE_CHECKING:
    from collections.abc import Callable


def encoded_by(encode: Callable[[Any], Any]) -> Callable[[Any], Parts]:
    """Let a function of the user's say what is written: anything that can be written."""
    return lambda value: {GIVEN: encode(value)}


def decoded_by(cls: type, decode: Callable[[Any], Any]) -> Callable[[Parts], Any]:
    """Let a function of the user's make the value: of what `encode` gave, else of what is written without one."""

    def made(parts: Parts) -> Any:
        found = decode(_given(cls, parts))
        if exactly(found) is not cls:
            raise Failure(f"decode gave {exactly(found).__qualname__}, not {cls.__qualname__}")
        return found

    return made


def _given(cls: type, parts: Parts) -> Any:
    if GIVEN in parts:
        return taken(parts, GIVEN)[0]
    if issubclass(cls, enum.Enum):
        return only(parts)
    return {name: item for name, item in parts.items() if name != LOOSE}
