"""Laws of merging that hold for every state and every series of updates."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import APPEND, MERGE, REMOVE, AppendStrategy, MergeStrategy, OverAllState, Overwrite
from graph_core.state.merger import Merger
from graph_core.state.overall_state import merge_into, merge_one
from graph_core_tests.state.sequences import (
    LISTS,
    MAPPINGS,
    PLAIN,
    SERIES,
    STRATEGIES,
    UPDATES,
    VALUES,
    Update,
    state_after,
    written,
)
from graph_core_tests.travel import travelled

each_strategy = pytest.mark.parametrize("key", list(STRATEGIES))


class TestSeries:
    @given(SERIES)
    def test_one_series_is_the_updates_one_by_one(self, updates: list[Update]) -> None:
        """S2: each update counts once in a state, merged alone or in a series."""
        merger = Merger(STRATEGIES)
        expected = OverAllState({}, STRATEGIES)
        for update in updates:
            expected = merge_one(expected, merger, update)
        assert expected == merge_into(OverAllState({}, STRATEGIES), merger, updates)

    @given(SERIES, st.integers(0, 6))
    def test_a_series_can_be_cut_anywhere(self, updates: list[Update], cut: int) -> None:
        """S2: a series merged in two parts gives the same state."""
        merger, base = Merger(STRATEGIES), OverAllState({}, STRATEGIES)
        first = merge_into(base, merger, updates[:cut])
        assert merge_into(base, merger, updates) == merge_into(first, merger, updates[cut:])

    @given(SERIES)
    def test_no_key_comes_from_nowhere(self, updates: list[Update]) -> None:
        """S1: a state holds only keys that were written."""
        assert set(state_after(updates)) <= {key for update in updates for key in update}


class TestPurity:
    @given(SERIES, SERIES)
    def test_a_merge_never_changes_its_inputs(self, before: list[Update], updates: list[Update]) -> None:
        """S2, S6: neither the old state nor an update is touched, not even deep inside."""
        base = state_after(before)
        expected = copy.deepcopy((dict(base), updates))
        merge_into(base, Merger(STRATEGIES), updates)
        assert expected == (dict(base), updates)

    @given(SERIES, UPDATES)
    def test_updated_is_pure(self, before: list[Update], update: Update) -> None:
        """S1: `updated` gives a new state, the same one each time, and leaves its own as it was."""
        base = state_after(before)
        untouched = copy.deepcopy(dict(base))
        assert base.updated(update) == base.updated(update)
        assert untouched == base

    @given(SERIES, SERIES)
    def test_a_later_series_never_changes_an_earlier_state(self, before: list[Update], later: list[Update]) -> None:
        """S6: what a series made for itself is never extended by the next one."""
        merger = Merger(STRATEGIES)
        first = merge_into(OverAllState({}, STRATEGIES), merger, before)
        expected = copy.deepcopy(dict(first))
        merge_into(first, merger, later)
        assert expected == first


class TestAppend:
    @given(LISTS, LISTS, LISTS)
    def test_append_is_associative(self, a: list[Any], b: list[Any], c: list[Any]) -> None:
        """S6: it does not matter in which portions elements are appended."""
        assert APPEND(a, APPEND(b, c)) == APPEND(APPEND(a, b), c)

    @given(LISTS)
    def test_the_empty_list_is_the_identity(self, elements: list[Any]) -> None:
        """S6: nothing appended changes nothing, and appended to nothing a list is itself."""
        assert elements == APPEND(elements, []) == APPEND([], elements) == APPEND(None, elements)

    @given(SERIES)
    def test_unique_has_no_duplicates_after_every_write(self, updates: list[Update]) -> None:
        """S6: `allow_duplicate=False` removes duplicates on every write."""
        for end in range(len(updates)):
            elements: list[Any] = state_after(updates[: end + 1]).value_or("unique", [])
            assert all(element not in elements[:position] for position, element in enumerate(elements))

    @given(LISTS, PLAIN)
    def test_unique_keeps_what_append_keeps_once(self, elements: list[Any], new: Any) -> None:
        """S6: `allow_duplicate=False` gives the elements that APPEND gives, the first of each."""
        every = APPEND(elements, new)
        first = [element for position, element in enumerate(every) if element not in every[:position]]
        expected = elements if new is None else first
        assert expected == AppendStrategy(allow_duplicate=False)(elements, new)


class TestMerge:
    @given(st.lists(MAPPINGS, min_size=1, max_size=5))
    def test_the_last_one_wins(self, mappings: list[dict[str, Any]]) -> None:
        """S7: each entry has the value that was written last."""
        expected = {key: value for mapping in mappings for key, value in mapping.items()}
        assert {"k": expected} == written(MERGE, *mappings)

    @given(MAPPINGS, MAPPINGS, MAPPINGS)
    def test_merge_is_associative(self, a: dict[str, Any], b: dict[str, Any], c: dict[str, Any]) -> None:
        """S7: it does not matter in which portions entries are merged."""
        assert MERGE(a, MERGE(b, c)) == MERGE(MERGE(a, b), c)

    @given(MAPPINGS, MAPPINGS)
    def test_deep_is_shallow_where_no_mapping_meets_a_mapping(self, a: dict[str, Any], b: dict[str, Any]) -> None:
        """S7: `deep=True` differs only in entries that hold a mapping on both sides."""
        merged = MergeStrategy(deep=True)(a, b)
        both = {key for key in a.keys() & b.keys() if isinstance(a[key], dict) and isinstance(b[key], dict)}
        expected = {**a, **b}
        assert {key: expected[key] for key in expected.keys() - both} == {
            key: merged[key] for key in merged.keys() - both
        }

    @given(MAPPINGS)
    def test_merge_is_idempotent(self, mapping: dict[str, Any]) -> None:
        """S7: a mapping merged with itself or with nothing is itself."""
        for merge in (MERGE, MergeStrategy(deep=True)):
            assert mapping == merge(mapping, mapping) == merge(mapping, {}) == merge(None, mapping)


class TestMarkers:
    @each_strategy
    @given(st.data())
    def test_remove_removes_under_every_strategy(self, key: str, data: st.DataObject) -> None:
        """S4: `REMOVE` deletes the key, whatever it holds, and one that is absent stays absent."""
        state = state_after([{key: value} for value in data.draw(st.lists(VALUES[key], max_size=2))])
        assert key not in state.updated({key: REMOVE})

    @each_strategy
    @given(st.data(), PLAIN)
    def test_overwrite_replaces_under_every_strategy(self, key: str, data: st.DataObject, value: Any) -> None:
        """S4: `Overwrite(value)` is stored as it is, whatever was there."""
        state = state_after([{key: before} for before in data.draw(st.lists(VALUES[key], max_size=2))])
        assert {**state, key: value} == state.updated({key: Overwrite(value)})


class TestTravel:
    @given(SERIES)
    def test_a_state_survives_pickle_and_copies(self, updates: list[Update]) -> None:
        """S1: a pickled, copied or deep-copied state is equal, and merges as the original does."""
        state = state_after(updates)
        for other in travelled(state):
            assert state == other
            assert dict(state.key_strategies) == dict(other.key_strategies)
            assert state.updated({"appended": 1}) == other.updated({"appended": 1})

    @each_strategy
    def test_strategies_travel(self, key: str) -> None:
        """S2: a strategy that was pickled merges as the original does."""
        for strategy in travelled(STRATEGIES[key]):
            assert written(STRATEGIES[key], {"x": 1}, {"y": 2}) == written(strategy, {"x": 1}, {"y": 2})
