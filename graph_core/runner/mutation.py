"""Finding values that a node changed in place (rule S10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from graph_core.runner.failures import mutated
from graph_core.state.overall_state import state_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph_core.compiler.plan import NodePlan, RoutePlan
    from graph_core.state import OverAllState


def guarded(state: OverAllState[Any]) -> OverAllState[Any]:
    """Give the state with every list, dict and set in it copied, so that a change touches the copy only."""
    return state_of({key: _guarded_value(value) for key, value in state.items()}, state._merger)  # pyright: ignore[reportPrivateUsage]  (the state's own)


def check_unchanged(call: NodePlan | RoutePlan, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Compare a state with the guarded one that an action got.

    Raises:
        GraphRunnerException: a value is not what it was.
    """
    if before is not after:
        for key in before:
            if not _same(before[key], after[key]):
                raise mutated(call, key)


def _guarded_value(value: Any) -> Any:
    try:
        return _copy(value)
    except RecursionError:  # a value that holds itself, or is very deep, goes unguarded
        return value


def _copy(value: Any) -> Any:
    kind = value.__class__
    if kind is list:
        return [_copy(element) for element in value]
    if kind is dict:
        return {key: _copy(element) for key, element in value.items()}
    if kind is tuple:
        return tuple(_copy(element) for element in value)
    return cast("set[Any]", value).copy() if kind is set else value


def _same(before: Any, after: Any) -> bool:
    if before is after:
        return True
    kind = before.__class__
    if kind is not after.__class__:
        return False
    if kind is dict:
        return list(before) == list(after) and all(_same(before[key], after[key]) for key in before)
    if kind in {list, tuple}:
        return len(before) == len(after) and all(_same(b, a) for b, a in zip(before, after, strict=True))
    return kind is set and before == after
