"""Where runs pause by their settings (rule K5)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, TypeAlias

from graph_core.exception import InvalidRecordError

EVERYWHERE: Final = "*"
"""In the place of an id: every node."""
Interrupts: TypeAlias = "Collection[str | tuple[str, ...]]"
"""Ids of nodes, `"*"`, or paths: ids of child graphs, outermost first, and a node's in the last of them."""
# As `Any`: to a type checker `isinstance` does not narrow then.
_COLLECTION: Final[Any] = Collection
_STR: Final[Any] = str
_TUPLE: Final[Any] = tuple


def interrupts(value: Any) -> Interrupts:
    """Check and freeze the places where a run pauses; a path of one id is that id.

    Raises:
        InvalidRecordError: it is no collection of ids and paths.
    """
    given: Any = (value,) if isinstance(value, _STR) else value
    if not isinstance(given, _COLLECTION) or not all(map(_is_place, given)):
        text = 'interrupts_before and interrupts_after must be collections of node ids (or "*", or paths in tuples)'
        raise InvalidRecordError(f"{text}, not {value!r}")
    places: list[Any] = [*given]
    return tuple(dict.fromkeys(each[0] if isinstance(each, _TUPLE) and len(each) == 1 else each for each in places))


def _is_place(value: Any) -> bool:
    parts: tuple[Any, ...] = value if isinstance(value, _TUPLE) else (value,)
    return bool(parts) and all(isinstance(each, str) for each in parts)
