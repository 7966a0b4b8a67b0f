"""Containers of the standard library; lists and dicts themselves are the writer's."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import TYPE_CHECKING, Any, Final

from graph_core.serializer.codec import PAYLOAD, Codec, Parts, as_is, boxed, only, taken
from graph_core.serializer.failure import Failure
from graph_core.state.frozen import FrozenMapping

if TYPE_CHECKING:
    from collections.abc import Callable

DICT: Final = "dict"
"""The tag of a dict that is no JSON object: its entries are pairs."""

_FACTORIES: Final[dict[str, Callable[[], Any]]] = {
    kind.__name__: kind for kind in (list, dict, set, frozenset, tuple, str, bytes, int, float, complex, bool)
}


def _entries(parts: Parts) -> dict[Any, Any]:
    pairs = as_is(list, only(parts))
    found = {key: item for key, item in (as_is(list, pair) for pair in pairs)}  # noqa: C416  (each must be a pair)
    return found if len(found) == len(pairs) else _twice("key")


def _twice(what: str) -> Any:
    raise Failure(f"a {what} is there twice")


def _mapping(cls: Any, tag: str) -> Codec:
    return boxed(cls, tag, dict, lambda entries: cls(as_is(dict, entries)))


def _set(cls: Any, tag: str) -> Codec:
    """Make the codec of a kind of set; equal ones give the same bytes in every process."""

    def made(items: Any) -> Any:
        found = cls(as_is(list, items))
        return found if len(found) == len(items) else _twice("element")

    return boxed(cls, tag, list, made, is_sorted=True)


def _deque(parts: Parts) -> deque[Any]:
    items, longest = taken(parts, PAYLOAD, "maxlen")
    found: deque[Any] = deque(as_is(list, items), longest)
    if len(found) != len(items):
        raise Failure("it holds more than it may")
    return found


def _of_default(value: defaultdict[Any, Any]) -> Parts:
    factory: Any = value.default_factory
    name = None if factory is None else getattr(factory, "__name__", "")
    if factory is not None and _FACTORIES.get(name or "") is not factory:
        raise Failure(f"the factory of a defaultdict must be a built-in type as list or int, not {factory!r}")
    return {PAYLOAD: dict(value), "factory": name}


def _default(parts: Parts) -> defaultdict[Any, Any]:
    entries, name = taken(parts, PAYLOAD, "factory")
    return defaultdict(None if name is None else _FACTORIES[name], as_is(dict, entries))


PAIRS: Final = Codec(dict, DICT, lambda value: {PAYLOAD: [list(pair) for pair in value.items()]}, _entries)
CONTAINERS: Final[tuple[Codec, ...]] = (
    boxed(tuple, "tuple", list, lambda items: tuple(as_is(list, items))),
    _set(set, "set"),
    _set(frozenset, "frozenset"),
    _mapping(OrderedDict, "ordered_dict"),
    _mapping(Counter, "counter"),
    _mapping(FrozenMapping, "frozen_mapping"),
    Codec(defaultdict, "defaultdict", _of_default, _default),
    Codec(deque, "deque", lambda value: {PAYLOAD: list(value), "maxlen": value.maxlen}, _deque),
)
