"""Merging of whole updates into a state: the one place where strategies are called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from graph_core.exception import StateMergeError
from graph_core.exception.texts import said, shown
from graph_core.state.accepted import Accepted
from graph_core.state.frozen import FrozenMapping
from graph_core.state.markers import Overwrite, Remove, RemoveByHash, ReplaceAllWith
from graph_core.state.nested import CONTAINERS, MAPPING, MARKERS, SCALARS, refuse_nested_markers
from graph_core.state.strategies import REPLACE, AppendStrategy, KeyStrategy, MergeStrategy, ReplaceStrategy

if TYPE_CHECKING:
    from graph_core.state.schema.declared import Declared

Fold: TypeAlias = Callable[[Any, Any, Any], Any]
"""`(absent or old, new, owned) -> merged`; `owned` tells that old was made in this merge."""

_MOST_FOLDS: Final = 10_000
_REPLACING: Final = frozenset({Overwrite, ReplaceAllWith})
_ABSENT: Final = object()
_UNKNOWN: Final[Any] = object()
_set: Final[Any] = dict[str, Any].__setitem__
_get: Final[Any] = dict[str, Any].get
_pop: Final[Any] = dict[str, Any].pop


@final
class Merger:
    """The strategies of a graph, ready to merge updates.

    Args:
        strategies: key → strategy.
        default: the strategy of every other key.
        declared: the keys that there are, if a schema says so.
        untracked: keys that are not kept in checkpoints.
    """

    __slots__ = ("_folds", "declared", "default", "strategies", "untracked")

    def __init__(
        self,
        strategies: Mapping[str, KeyStrategy] | None = None,
        default: KeyStrategy = REPLACE,
        declared: Declared | None = None,
        untracked: frozenset[str] = frozenset(),
    ) -> None:
        given: Mapping[str, KeyStrategy] = {} if strategies is None else strategies
        self.strategies = FrozenMapping(given) if isinstance(given, dict) else given
        self.default = default
        self.declared = declared
        self.untracked = untracked
        self._folds: dict[str, Fold | Accepted | None] = {}

    def apply(  # noqa: C901  (one loop in one function: every update of every run goes through it)
        self, data: Mapping[str, Any], update: Mapping[str, Any], owned: set[str] | None = None
    ) -> None:
        """Merge one update into `data`, in place.

        Args:
            data: a dict or a state that nobody else has yet; its values are not touched, except lists
                and dicts of `owned`.
            update: the new values.
            owned: keys whose value was made by this series of merges, extended as more are made.

        Raises:
            StateMergeError: a key is no `str`, a marker stands where it means nothing, or a strategy raises.
        """
        folds = self._folds
        for key, value in update.items():
            kind = value.__class__
            if kind in MARKERS and self._marker(data, key, value, owned):
                continue
            fold: Any
            try:
                fold = folds[key]
            except (KeyError, TypeError):
                fold = self._fold(key)
            if fold is None:
                if kind not in SCALARS:
                    _refuse_at(value, key)
                _set(data, key, value)
                continue
            if fold.__class__ is Accepted:
                if kind not in fold:
                    fold.check(value)
                if kind not in SCALARS:
                    _refuse_at(value, key)
                _set(data, key, value)
                continue
            old = _get(data, key, _ABSENT)
            try:
                merged = fold(old, value, owned is not None and key in owned)
            except Exception as error:  # noqa: BLE001  (a strategy may raise anything)
                raise self._failed(key, error) from (None if isinstance(error, StateMergeError) else error)
            if merged is not _ABSENT:
                _set(data, key, merged)
                if owned is not None and merged is not old:
                    owned.add(key)

    def check(self, data: Mapping[str, Any], update: Mapping[str, Any]) -> None:
        """Tell whether an update can be merged, without making the values that come of it where that is dear.

        Raises:
            StateMergeError: as `apply`.
        """
        folds = self._folds
        for key, value in update.items():
            fold: Any = folds.get(key, _UNKNOWN)
            if value.__class__ in SCALARS and (
                fold is None or (fold.__class__ is Accepted and value.__class__ in fold)
            ):
                continue
            if fold.__class__ is _Append and fold.only_appends(value):
                continue
            if fold is _UNKNOWN or value.__class__ in MARKERS:
                self.apply(dict(data), {key: value})
            elif fold is None or fold.__class__ is Accepted:
                if fold is not None:
                    fold.check(value)
                _refuse_at(value, key)
            else:
                try:
                    fold(_get(data, key, _ABSENT), value, False)  # noqa: FBT003  (by position: it is hot)
                except Exception as error:  # noqa: BLE001  (a strategy may raise anything)
                    raise self._failed(key, error) from (None if isinstance(error, StateMergeError) else error)

    def strategy(self, key: str) -> KeyStrategy:
        """Give the strategy of a key, the default where none is declared."""
        return self.strategies.get(key, self.default)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the strategies."""
        return Merger, (self.strategies, self.default, self.declared, self.untracked)

    def __deepcopy__(self, _: object) -> Merger:
        """Strategies are pure (rule S2), so copies of a state share them."""
        return self

    def with_declared(self, declared: Declared | None) -> Merger:
        """Give the same strategies for other keys."""
        return Merger(self.strategies, self.default, declared, self.untracked)

    def _fold(self, key: Any) -> Fold | Accepted | None:
        if not isinstance(key, str):
            text = f"keys of an update must be str, but {shown(key)} is {type(key).__name__}"
            raise StateMergeError(text, "invalid_update", shown(key))
        accepted = None if self.declared is None else self.declared.accepted(key)
        try:
            strategy = self.strategy(key)
        except Exception as error:
            text = f"key {key!r}: looking up its strategy raised {said(error)}"
            raise StateMergeError(text, "key_strategy_failed", key) from error
        if len(self._folds) >= _MOST_FOLDS:  # keys made at run time must not fill the memory
            self._folds.clear()
        fold = self._folds[key] = _checked(_fold_of(strategy), accepted)
        return fold

    def _marker(self, data: Mapping[str, Any], key: str, value: Any, owned: set[str] | None) -> bool:
        self._fold(key)
        kind: type = value.__class__
        if kind is Remove:
            _pop(data, key, None)
        elif kind in _REPLACING:
            new = value.value
            _refuse_at([new] if new.__class__ in MARKERS else new, key)
            if self.declared is not None:
                self.declared.check_known(key, new)
            _set(data, key, new)
        else:
            strategy = self.strategy(key)
            if isinstance(strategy, ReplaceStrategy | MergeStrategy) or inspect.isbuiltin(strategy):
                text = f"key {key!r}: RemoveByHash removes an element of a list, so the key needs the APPEND strategy"
                raise StateMergeError(text, "misplaced_marker", key)
            return False
        if owned is not None:
            owned.discard(key)
        return True

    def _failed(self, key: str, error: Exception) -> StateMergeError:
        if isinstance(error, StateMergeError):
            return _located(error, key)
        strategy = getattr(self.strategy(key), "__qualname__", None) or shown(self.strategy(key))
        text = f"key {key!r}: its strategy {strategy} raised {said(error)}"
        return StateMergeError(text, "key_strategy_failed", key)


def _plain(strategy: KeyStrategy) -> Fold:
    """Make the fold of a strategy of the user's, or of a builtin (rule S8)."""
    builtin = inspect.isbuiltin(strategy)
    allowed = None if builtin else RemoveByHash

    def fold(old: Any, new: Any, _: Any) -> Any:
        if new.__class__ not in SCALARS:
            refuse_nested_markers(new, allowed, within=CONTAINERS)
        if old is _ABSENT:
            return new if builtin else strategy(None, new)
        return strategy(old, new)

    return fold


class _Append:
    __slots__ = ("strategy",)

    def __init__(self, strategy: AppendStrategy) -> None:
        self.strategy = strategy

    def only_appends(self, new: Any) -> bool:
        """Tell at once that a value is plain data to be appended, which can not fail."""
        kind = new.__class__
        is_plain = kind in SCALARS or (kind is list and SCALARS.issuperset(map(type, new)))
        return is_plain and self.strategy.allow_duplicate

    def __call__(self, old: Any, new: Any, own: Any) -> Any:
        if new is None:
            return old
        if new.__class__ not in SCALARS:
            refuse_nested_markers(new, RemoveByHash, within=CONTAINERS)
        if own:  # the list was made by this merge
            self.strategy.extend(old, new)
            return old
        return self.strategy(None if old is _ABSENT else old, new)


class _Merge:
    __slots__ = ("strategy",)

    def __init__(self, strategy: MergeStrategy) -> None:
        self.strategy = strategy

    def __call__(self, old: Any, new: Any, own: Any) -> Any:
        if new is None:
            return old
        if new.__class__ not in SCALARS:
            refuse_nested_markers(new, Remove, within=MAPPING, deep=self.strategy.deep)
        if own and old.__class__ is dict and isinstance(new, MAPPING):
            self.strategy.extend(old, new)
            return old
        return self.strategy(None if old is _ABSENT else old, new)


class _Checked:
    """A fold whose outcome has to fit the key."""

    __slots__ = ("accepted", "fold")

    def __init__(self, fold: Fold, accepted: Accepted) -> None:
        self.fold = fold
        self.accepted = accepted

    def __call__(self, old: Any, new: Any, own: Any) -> Any:
        merged = self.fold(old, new, own)
        if merged is not _ABSENT and merged.__class__ not in self.accepted:
            self.accepted.check(merged)
        return merged


def _checked(fold: Fold | None, accepted: Accepted | None) -> Fold | Accepted | None:
    if accepted is None:
        return fold
    if fold is None:
        return accepted
    if isinstance(fold, _Append) and accepted.admits(list):
        return fold
    return _Checked(fold, accepted)


def _fold_of(strategy: KeyStrategy) -> Fold | None:
    if isinstance(strategy, ReplaceStrategy):
        return None
    if isinstance(strategy, AppendStrategy):
        return _Append(strategy)
    if isinstance(strategy, MergeStrategy):
        return _Merge(strategy)
    return _plain(strategy)


def _located(error: StateMergeError, key: str) -> StateMergeError:
    return StateMergeError(f"key {key!r}: {error}", error.code, key) if error.code != "invalid_value" else error


def _refuse_at(value: Any, key: str) -> None:
    try:
        refuse_nested_markers(value)
    except StateMergeError as error:
        raise _located(error, key) from None
