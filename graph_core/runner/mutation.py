"""Finding values that a node changed in place (rule S10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graph_core.runner.failures import mutated
from graph_core.state.overall_state import state_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph_core.compiler.plan import Call
    from graph_core.state import OverAllState


_COPIED: Final = frozenset({list, dict, tuple, set})


def guarded(state: OverAllState[Any]) -> OverAllState[Any]:
    """Give the state with every list, dict and set in it copied, so that a change touches the copy only."""
    return state_of({key: _guarded_value(value) for key, value in state.items()}, state._merger)  # pyright: ignore[reportPrivateUsage]  (the state's own)


def check_unchanged(call: Call, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Compare a state with the guarded one that an action got.

    Raises:
        GraphRunnerException: a value is not what it was.
    """
    if before is not after:
        for key in before:
            if not _is_same(before[key], after[key]):
                raise mutated(call, key)


def _guarded_value(value: Any) -> Any:
    try:
        return _copy(value, {})
    except Exception:  # a value that is very deep, or whose parts can not be hashed, goes unguarded
        return value


def _is_same(before: Any, after: Any) -> bool:
    try:
        return _same(before, after, set())
    except Exception as error:  # only what is not identical is compared
        return isinstance(error, RecursionError)


def _copy(value: Any, made: dict[int, Any]) -> Any:
    kind = value.__class__
    if kind not in _COPIED:
        return value
    if id(value) in made:
        return made[id(value)]
    found: Any
    if kind is list:
        found = made[id(value)] = []
        found.extend(_copy(element, made) for element in value)
    elif kind is dict:
        found = made[id(value)] = {}
        found.update((key, _copy(element, made)) for key, element in value.items())
    elif kind is tuple:
        found = made[id(value)] = tuple(_copy(element, made) for element in value)
    else:
        found = made[id(value)] = value.copy()
    return found


def _same(before: Any, after: Any, seen: set[tuple[int, int]]) -> bool:
    pair = (id(before), id(after))
    if before is after or pair in seen:
        return True
    seen.add(pair)
    kind = before.__class__
    if kind is not after.__class__:
        return False
    if kind is dict:
        return list(before) == list(after) and all(_same(before[key], after[key], seen) for key in before)
    if kind in {list, tuple}:
        return len(before) == len(after) and all(_same(b, a, seen) for b, a in zip(before, after, strict=True))
    return kind is set and before == after
