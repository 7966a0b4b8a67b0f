"""Plain JSON values, which are most of what states hold: written and read at the speed of orjson."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import orjson

from graph_core.serializer.failure import exactly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_STRICT: Final = orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_LEAVES: Final[frozenset[type]] = frozenset({str, int, float, bool, type(None)})
_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_DEEPEST: Final = 256  # orjson gives up before
_MANY: Final = 16
_VALUES: Final[Callable[[dict[Any, Any]], Iterable[Any]]] = dict[Any, Any].values


def dumped(value: object) -> bytes | None:
    """Write a value that is plain JSON; `None` if it is not, or not all of it.

    >>> dumped({"a": [1, 2.5, None]})
    b'{"a":[1,2.5,null]}'
    >>> dumped({"a": (1, 2)}) is None
    True
    """
    kinds = _kinds(value)
    if kinds is None:
        return None
    try:
        text = orjson.dumps(value, option=_STRICT)
    except (TypeError, RuntimeError):  # they name no path, so the slow way says what is wrong
        return None
    if float in kinds and b"null" in text and orjson.loads(text) != value:  # it writes nan as null
        return None
    return text


def _kinds(value: object) -> set[type] | None:
    """Give the types of all values in a value; `None` if one is no plain JSON.

    orjson must not see others: it writes a tuple as a list and an enum as its value, and tuples that
    are nested very deeply, or without end, crash it. All values of one depth are looked at together,
    which leaves the loops to C; where they are many each container once, so that a cycle does not grow.
    """
    level: list[Any] = [value]
    kinds = found = {type(value)}
    for _ in range(_DEEPEST):
        nested = kinds - _LEAVES
        if not nested:
            return found
        below = _below(level, nested, alone=len(kinds) == 1)
        if below is None:
            return None
        level = list(chain.from_iterable(below))
        kinds = set(map(type, level))
        found |= kinds
    return None


def _below(level: list[Any], nested: set[Any], *, alone: bool) -> Iterable[Iterable[Any]] | None:
    """Give the insides of the containers of a level; `None` if one is no JSON container."""
    if not nested <= _CONTAINERS:
        return None
    if not alone:
        level = [item for item in level if exactly(item) in nested]
    if len(level) > _MANY:
        level = [*{id(item): item for item in level}.values()]
    if len(nested) > 1:
        return [item.values() if exactly(item) is dict else item for item in level]
    return map(_VALUES, level) if dict in nested else level
