"""What a returned instance means: the update that makes the state say the same (rule T2)."""

from __future__ import annotations

import difflib
import inspect
import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from graph_core.exception import GraphRunnerException
from graph_core.exception.texts import shown
from graph_core.state.markers import REMOVE
from graph_core.state.nested import MAPPING, MARKERS
from graph_core.state.schema.field import MISSING
from graph_core.state.schema.same import is_same
from graph_core.state.strategies import AppendStrategy, KeyStrategy, MergeStrategy, ReplaceStrategy

if TYPE_CHECKING:
    from collections.abc import Iterable

Values: TypeAlias = Mapping[str, Any]
_ROUNDING: Final = 1e-12


def changes_between(
    before: Values, after: Values, strategies: Mapping[str, KeyStrategy], where: str, name: str
) -> dict[str, Any]:
    """Give the update that leads from the values of a view to those of a returned instance.

    Args:
        before: the values that the node got.
        after: the values it returned; a key that is missing is left alone.
        strategies: those of the schema, ready for the engine.
        where: the node, for error texts.
        name: the schema, for error texts.

    Raises:
        GraphRunnerException: no new value gives, by the strategy of its key, what was returned.
    """
    found: dict[str, Any] = {}
    for key, new in after.items():
        old = before.get(key, MISSING)
        if old is new or is_same(old, new):
            continue
        strategy = strategies.get(key)
        if strategy is None or isinstance(strategy, ReplaceStrategy) or new.__class__ in MARKERS:
            found[key] = new
            continue
        update = _update_for(strategy, old, new)
        if update is MISSING:
            raise _inexpressible(strategy, key, where, name)
        found[key] = update
    return found


def _update_for(strategy: KeyStrategy, old: Any, new: Any) -> Any:
    """Find what the strategy merges with the old value into the new one; `MISSING` if it can not be told."""
    grows = isinstance(strategy, AppendStrategy) and strategy.allow_duplicate
    if grows and old.__class__ is list and new.__class__ is list and _begins(new, old):
        return new[len(old) :]
    if isinstance(strategy, MergeStrategy) and _says_removals(new):
        return new if old is MISSING else entries(old, new, deep=strategy.deep)
    if old is MISSING and inspect.isbuiltin(strategy):
        return new  # the engine stores a first value as it is
    for make in _CANDIDATES:
        try:
            update = make(strategy, old, new)
            merged = strategy(None if old is MISSING else old, update)
        except Exception:  # noqa: BLE001, S112  (such an update can not be made, or the strategy does not take it)
            continue
        if _is_reached(merged, new):
            return update
    return MISSING


def _begins(new: list[Any], old: list[Any]) -> bool:
    """Tell whether a list is another one with more behind it; most often its elements are the same objects."""
    if len(new) < len(old):
        return False
    return all(map(operator.is_, old, new)) or is_same(old, new[: len(old)])


def _says_removals(new: Any) -> bool:
    return isinstance(new, MAPPING) and any(value is REMOVE for value in new.values())


def _tail(_: KeyStrategy, old: Any, new: Any) -> Any:
    """What comes behind the old elements."""
    return new[len(old) :]


def _difference(_: KeyStrategy, old: Any, new: Any) -> Any:
    """What was added to a number, a duration, a set."""
    return new - old


def _whole(strategy: KeyStrategy, old: Any, new: Any) -> Any:
    if isinstance(strategy, MergeStrategy) and isinstance(old, MAPPING) and isinstance(new, MAPPING):
        return entries(old, new, deep=strategy.deep)
    return new


_CANDIDATES: Final[tuple[Callable[[KeyStrategy, Any, Any], Any], ...]] = (_tail, _difference, _whole)


def _is_reached(merged: Any, new: Any) -> bool:
    """Tell whether a merge gives the returned value; sums of floats are rounded, so they may miss it by that."""
    if merged.__class__ is float and new.__class__ is float and math.isclose(merged, new, rel_tol=_ROUNDING):
        return True
    return is_same(merged, new)


def entries(old: Mapping[Any, Any], new: Mapping[Any, Any], *, deep: bool) -> dict[Any, Any]:
    """Give the entries that MERGE needs to make a mapping of another one; those that went are `REMOVE`.

    >>> entries({"a": 1, "b": 2}, {"a": 1, "c": 3}, deep=False)
    {'c': 3, 'b': REMOVE}
    """
    found: dict[Any, Any] = {}
    for key, value in new.items():
        before = old.get(key, MISSING)
        if is_same(before, value):
            continue
        nested = deep and isinstance(before, MAPPING) and isinstance(value, MAPPING)
        found[key] = entries(before, value, deep=True) if nested else value
    return found | {key: REMOVE for key in old if key not in new}


def refuse_foreign(after: Values, known: Iterable[str], where: str, name: str) -> None:
    """Refuse a mapping with keys that the schema has not.

    Raises:
        GraphRunnerException: one of the keys is unknown.
    """
    known = list(known)
    for key in after:
        if key not in known:
            raise GraphRunnerException(f"{where}: {name} has no key {key!r}{close_to(key, known)}", "invalid_update")


def unknown_key(key: object, known: Iterable[str]) -> str:
    """Say that an update has a key that the schema has not."""
    return f"unknown key {shown(key)} @ ${close_to(key, known)}"


def close_to(wrong: object, known: Iterable[str]) -> str:
    """Give the close match of a key as the end of a text; empty if there is none."""
    if type(wrong) is not str:  # its text may raise
        return ""
    close = difflib.get_close_matches(wrong, list(known), n=1)
    return f", did you mean {close[0]!r}?" if close else ""


def _inexpressible(strategy: KeyStrategy, key: str, where: str, name: str) -> GraphRunnerException:
    if isinstance(strategy, AppendStrategy):
        text = "its strategy APPEND only adds at the end, but the returned list is not the old one with more behind it"
    else:
        name_of = getattr(strategy, "__qualname__", None) or repr(strategy)
        text = f"its strategy {name_of} gives the returned value for none of the updates that it could mean"
    text = f"{where}: key {key!r} of the returned {name}: {text}; wrap the value, Overwrite(value), to replace the old"
    return GraphRunnerException(f"{text} one, or return a mapping with the update: {{{key!r}: …}}", "invalid_update")
