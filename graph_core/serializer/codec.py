"""How one class is written and read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, final

import attrs

from graph_core.serializer.failure import Failure, at_key, exactly

Parts: TypeAlias = dict[str, Any]
"""Name → value: of what a value consists, and of what it is made again."""

TAG: Final = "$"
"""The key of the tag, in a JSON object that stands for something else than itself."""
PAYLOAD: Final = "v"
"""The name of the only part, or of the main one."""
GIVEN: Final = "$v"
"""The name of what a function of the user's gave; no field of a record has it."""
REGISTERED: Final = "@"
"""In a tag, before the name of a registered class, so that no name is ever one of the library's own tags."""


@final
@attrs.frozen
class Codec:
    """How one class is written and read.

    Neither way is recursive: parts are written after they were given, and read before they are taken.

    Args:
        cls: the class; its subclasses are others.
        tag: stands in the JSON for it.
        encode: gives the parts of a value; it may raise anything.
        decode: gives the value of parts, which come from anywhere; it may raise anything.
        is_sorted: the main part is a list whose order means nothing, so it is put in one.
    """

    cls: type
    tag: str
    encode: Callable[[Any], Parts]
    decode: Callable[[Parts], Any]
    is_sorted: bool = False


def boxed(
    cls: type, tag: str, put: Callable[[Any], Any], get: Callable[[Any], Any], *, is_sorted: bool = False
) -> Codec:
    """Make the codec of a class whose values are told by one other value.

    Args:
        cls: the class.
        tag: its tag.
        put: value → what can be written.
        get: the other way.
        is_sorted: what is written is a list whose order means nothing.
    """
    return Codec(cls, tag, lambda value: {PAYLOAD: put(value)}, lambda parts: get(only(parts)), is_sorted)


def only(parts: Parts) -> Any:
    """Give the only part.

    Raises:
        Failure: there are others.
    """
    return parts[PAYLOAD] if len(parts) == 1 and PAYLOAD in parts else taken(parts, PAYLOAD)[0]


def taken(parts: Parts, *names: str) -> list[Any]:
    """Give parts, which must be these and no others.

    Raises:
        Failure: they are others.
    """
    if parts.keys() != set(names):
        held = " and ".join(map(repr, parts)) or "nothing"
        raise Failure(f"it must have {' and '.join(map(repr, names)) or 'nothing'}, not {held}")
    return [parts[name] for name in names]


def at_part(tag: str | None, name: str) -> str:
    """Give the piece of a path for a part; the main part of a built-in form has none.

    >>> at_part("tuple", "v"), at_part("@Point", "v"), at_part(None, "v")
    ('', '.v', '.v')
    """
    is_main = (tag is not None and name == GIVEN) or (
        name == PAYLOAD and tag is not None and not tag.startswith(REGISTERED)
    )
    return "" if is_main else at_key(name)


def as_is(kind: type, value: Any) -> Any:
    """Give the value if its class is the one it must be.

    Raises:
        Failure: it is another.
    """
    if exactly(value) is not kind:
        raise Failure(f"{kind.__name__} must be here, not {exactly(value).__name__}")
    return value
