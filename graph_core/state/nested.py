"""Finding markers inside values, where they would be stored as if they were data (rule S4)."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Final

from graph_core.exception import StateMergeError
from graph_core.state.markers import Overwrite, Remove, RemoveByHash, ReplaceAllWith

SCALARS: Final = frozenset({str, int, float, bool, type(None), bytes})
MARKERS: Final = frozenset({Remove, Overwrite, ReplaceAllWith, RemoveByHash})
# Declared as `Any`: to a type checker `isinstance` does not narrow then, and what a value holds stays `Any`.
REPLACING: Final[Any] = (Overwrite, ReplaceAllWith)
CONTAINERS: Final[Any] = (list, tuple, set, frozenset)
MAPPING: Final[Any] = Mapping


def refuse_nested_markers(
    value: Any,
    allowed: type | None = None,
    *,
    within: type | tuple[type, ...] = (),
    deep: bool = False,
) -> None:
    """Refuse a marker inside a value.

    Args:
        value: the value to look through; only lists, tuples, sets and mappings are entered.
        allowed: a marker type that is legal as an element of `value`.
        within: the types of `value` for which `allowed` holds.
        deep: `allowed` holds for the elements of elements as well, as long as all are `within`.

    Raises:
        StateMergeError: a marker that is not allowed was found.
    """
    if _is_plain(value):
        return
    pending: list[tuple[Any, tuple[Any, ...], bool]] = [(value, (), allowed is not None)]
    entered: dict[tuple[int, bool], Any] = {}  # holds the values, so that no id is used twice
    while pending:
        container, path, legal = pending.pop()
        legal = legal and isinstance(container, within)
        if (id(container), legal) in entered:  # an element of itself, or of many others
            continue
        entered[id(container), legal] = container
        for step, element in _steps(container):
            kind = element.__class__
            if kind in MARKERS:
                if not legal or kind is not allowed:
                    raise _misplaced(element, (*path, step))
            elif not _is_plain(element):
                pending.append((element, (*path, step), legal and deep))


def _is_plain(value: Any) -> bool:
    """Tell that nothing inside a value has to be looked at."""
    if isinstance(value, MAPPING):
        elements: Iterable[Any] = value.values()
    elif isinstance(value, CONTAINERS):
        elements = value
    else:
        return True
    return SCALARS.issuperset(map(type, elements)) or not any(map(_is_looked_at, set(map(type, elements))))


@functools.lru_cache(maxsize=1024)
def _is_looked_at(kind: type) -> bool:
    return kind in MARKERS or issubclass(kind, (*CONTAINERS, MAPPING))


def _steps(container: Any) -> Iterable[tuple[Any, Any]]:
    return container.items() if isinstance(container, MAPPING) else enumerate[Any](container)


def _misplaced(marker: Any, path: tuple[Any, ...]) -> StateMergeError:
    at = "".join(f"[{step!r}]" for step in path)
    text = f"{marker!r} stands inside a value, at ${at}, where it means nothing; "
    return StateMergeError(f"{text}make it the value of a key of the update", "misplaced_marker")
