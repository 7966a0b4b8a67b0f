"""Strategies for every kind of key, and random series of updates for them."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from hypothesis import strategies as st

from graph_core import (
    APPEND,
    MERGE,
    REMOVE,
    REPLACE,
    AppendStrategy,
    KeyStrategy,
    MergeStrategy,
    OverAllState,
    Overwrite,
    RemoveByHash,
    ReplaceAllWith,
)

Update: TypeAlias = Mapping[str, Any]
Values: TypeAlias = st.SearchStrategy[Any]


def longest(old: Any, new: Any) -> Any:
    """A strategy of a user's: the value whose text is longer."""
    return new if len(str(new)) > len(str(old)) else old


STRATEGIES: dict[str, KeyStrategy] = {
    "replaced": REPLACE,
    "appended": APPEND,
    "unique": AppendStrategy(allow_duplicate=False),
    "merged": MERGE,
    "deep": MergeStrategy(deep=True),
    "longest": longest,
}

SCALARS: Values = st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2)
_NAMES = st.sampled_from("xyz")
_FLAT: Values = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(_NAMES, SCALARS, max_size=3)
PLAIN: Values = _FLAT | st.lists(_FLAT, max_size=2) | st.dictionaries(_NAMES, _FLAT, max_size=2)
LISTS: Values = st.lists(PLAIN, max_size=4)
MAPPINGS: Values = st.dictionaries(_NAMES, PLAIN, max_size=3)

_ELEMENTS: Values = PLAIN | st.builds(RemoveByHash, SCALARS)
_APPENDED: Values = _ELEMENTS | st.lists(_ELEMENTS, max_size=4)
_ENTRIES: Values = st.dictionaries(_NAMES, PLAIN | st.just(REMOVE), max_size=3)
_DEEP_ENTRIES: Values = st.dictionaries(_NAMES, PLAIN | st.just(REMOVE) | _ENTRIES, max_size=3)
_ANYWHERE: Values = st.just(None) | st.just(REMOVE)
_REPLACED: Values = st.builds(Overwrite, PLAIN) | st.builds(ReplaceAllWith, LISTS)
VALUES: dict[str, Values] = {
    "replaced": PLAIN | _REPLACED,
    "appended": _APPENDED | _REPLACED,
    "unique": _APPENDED,
    "merged": _ENTRIES | st.builds(Overwrite, MAPPINGS),
    "deep": _DEEP_ENTRIES | st.builds(Overwrite, MAPPINGS),
    "longest": PLAIN | _REPLACED,
}

UPDATES: st.SearchStrategy[Update] = st.fixed_dictionaries(
    {}, optional={key: values | _ANYWHERE for key, values in VALUES.items()}
)
SERIES: st.SearchStrategy[list[Update]] = st.lists(UPDATES, max_size=6)


def state_after(updates: Iterable[Update], strategies: Mapping[str, KeyStrategy] = STRATEGIES) -> OverAllState:
    """The state that a series of updates gives, merged one by one."""
    state = OverAllState({}, strategies)
    for update in updates:
        state = state.updated(update)
    return state


def written(strategy: KeyStrategy, *values: Any) -> dict[str, Any]:
    """What the state holds when values were written to key `k` one after the other."""
    return dict(state_after([{"k": value} for value in values], {"k": strategy}))
