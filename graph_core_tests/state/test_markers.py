"""REMOVE, Overwrite, ReplaceAllWith and RemoveByHash."""

import re
from typing import Any

import attrs
import pytest

from graph_core import (
    APPEND,
    MERGE,
    REMOVE,
    REPLACE,
    InvalidRecordError,
    KeyStrategy,
    MergeStrategy,
    OverAllState,
    Overwrite,
    RemoveByHash,
    ReplaceAllWith,
    StateMergeError,
)
from graph_core.state.merger import Merger
from graph_core.state.overall_state import merge_into
from graph_core_tests.state.sequences import STRATEGIES, written
from graph_core_tests.travel import travelled

MARKERS: list[Any] = [REMOVE, Overwrite(1), ReplaceAllWith([1]), RemoveByHash(1)]
each_marker = pytest.mark.parametrize("marker", MARKERS, ids=repr)
each_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES.keys())


def never(old: Any, new: Any) -> Any:
    """A strategy that must not be called."""
    raise AssertionError(f"called with {old!r} and {new!r}")


class TestRemove:
    @each_strategy
    def test_under_every_strategy(self, strategy: KeyStrategy) -> None:
        """S4: `REMOVE` as a value deletes the key under every strategy."""
        assert OverAllState({"k": [1], "other": 2}, {"k": strategy}).updated({"k": REMOVE}) == {"other": 2}

    @each_strategy
    def test_of_an_absent_key(self, strategy: KeyStrategy) -> None:
        """S4: a key that is not there stays away."""
        assert written(strategy, REMOVE) == {}

    def test_the_strategy_is_not_called(self) -> None:
        """S4: removal is the engine's, a strategy never sees the marker."""
        assert OverAllState({"k": 1}, {"k": never}).updated({"k": REMOVE}) == {}

    def test_a_key_that_was_removed_begins_anew(self) -> None:
        """S4: after its removal a key is absent for its strategy."""
        assert written(APPEND, "a", REMOVE, "b") == {"k": ["b"]}

    def test_in_a_series(self) -> None:
        """S4: in a series a removed list is not extended any more."""
        merged = merge_into(OverAllState(), Merger({"k": APPEND}), [{"k": "a"}, {"k": REMOVE}, {"k": "b"}])
        assert merged == {"k": ["b"]}

    def test_one_instance(self) -> None:
        """S4: it is one object, also after pickle and copies, and shows its name."""
        assert all(other is REMOVE for other in travelled(REMOVE))
        assert repr(REMOVE) == "REMOVE"


class TestOverwrite:
    @each_strategy
    @pytest.mark.parametrize("value", [None, 7, [3], {"a": 1}, "text"], ids=repr)
    def test_under_every_strategy(self, strategy: KeyStrategy, value: Any) -> None:
        """S4: `Overwrite(value)` replaces under every strategy."""
        assert OverAllState({"k": [1, 2]}, {"k": strategy}).updated({"k": Overwrite(value)}) == {"k": value}

    @each_strategy
    def test_replace_all_with(self, strategy: KeyStrategy) -> None:
        """S4: `ReplaceAllWith(list)` is its list form."""
        assert OverAllState({"k": [1, 2]}, {"k": strategy}).updated({"k": ReplaceAllWith((3, 4))}) == {"k": [3, 4]}

    def test_the_strategy_is_not_called(self) -> None:
        """S4: replacing is the engine's, a strategy never sees the marker."""
        assert OverAllState({"k": 1}, {"k": never}).updated({"k": Overwrite(2)}) == {"k": 2}

    @pytest.mark.parametrize("strategy", [APPEND, MERGE, MergeStrategy(deep=True)], ids=repr)
    def test_called_by_a_strategy_of_the_users(self, strategy: KeyStrategy) -> None:
        """S4: the strategies unwrap it when they are called themselves."""
        assert (strategy([1], Overwrite(2)), strategy({"a": 1}, ReplaceAllWith([2]))) == (2, [2])

    def test_the_list_is_the_nodes(self) -> None:
        """S4: `ReplaceAllWith` gives a fresh list each time."""
        marker: ReplaceAllWith[int] = ReplaceAllWith([0, 1])
        assert (marker.value, marker.value is marker.value) == ([0, 1], False)

    def test_records(self) -> None:
        """S4: markers compare by what they hold."""
        assert Overwrite([1]) == Overwrite([1]) != Overwrite([2])
        assert RemoveByHash(1) == RemoveByHash(1) != RemoveByHash(2)
        assert ReplaceAllWith([1]) == ReplaceAllWith((1,)) != ReplaceAllWith([2])

    @each_marker
    def test_travel(self, marker: Any) -> None:
        """S4: markers survive a pickle, so that they can come back from another process."""
        assert (marker, marker, marker) == travelled(marker)


class TestMisplaced:
    @each_marker
    @each_strategy
    @pytest.mark.parametrize("shape", ["[[{}]]", "({},)", "mapping", "deep"])
    def test_nested(self, marker: Any, strategy: KeyStrategy, shape: str) -> None:
        """S4: nested anywhere else a marker is an error that names the key."""
        value = {"[[{}]]": [[marker]], "({},)": ((marker,),), "mapping": [{"a": marker}], "deep": [1, [2, (marker,)]]}
        with pytest.raises(StateMergeError, match=re.escape(f"key 'k': {marker!r} stands inside a value")) as caught:
            written(strategy, value[shape])
        assert (caught.value.code, caught.value.key) == ("misplaced_marker", "k")

    @each_marker
    def test_inside_a_replacement(self, marker: Any) -> None:
        """S4: a marker inside `Overwrite` or `ReplaceAllWith` would be stored, so it is an error."""
        replacements: list[Any] = [Overwrite(marker), Overwrite([marker]), ReplaceAllWith([marker])]
        for replacement in replacements:
            with pytest.raises(StateMergeError, match=re.escape(f"{marker!r} stands inside a value")):
                written(APPEND, replacement)

    def test_the_place_is_named(self) -> None:
        """S4: the error shows the way to the marker and what would be right."""
        text = "key 'k': REMOVE stands inside a value, at $['a'][1], where it means nothing; make it the value of a key"
        with pytest.raises(StateMergeError, match=re.escape(text)):
            written(REPLACE, {"a": [0, REMOVE]})

    def test_sets_are_looked_through(self) -> None:
        """S4: a marker in a set is found as well."""
        with pytest.raises(StateMergeError, match="REMOVE"):
            written(REPLACE, {REMOVE})

    def test_no_other_object_is_entered(self) -> None:
        """S4: only lists, tuples, sets and mappings are looked through."""

        @attrs.frozen
        class Box:
            content: Any

        assert written(REPLACE, [Box(REMOVE), range(3), object]) == {"k": [Box(REMOVE), range(3), object]}

    @pytest.mark.parametrize("strategy", [REPLACE, APPEND, MERGE], ids=repr)
    def test_a_value_that_holds_itself(self, strategy: KeyStrategy) -> None:
        """S4: a value that holds itself has an end."""
        value: dict[str, Any] = {"a": [1]}
        value["self"] = [value]
        assert written(strategy, value)["k"]

    def test_a_value_of_any_depth(self) -> None:
        """S4: a value may be nested deeper than Python can recurse."""
        value: list[Any] = [1]
        for _ in range(5_000):
            value = [value]
        assert written(REPLACE, value)["k"] is value

    def test_one_list_in_many_places(self) -> None:
        """S4: a part that is held often is looked through once: 2^60 ways lead to the innermost list."""
        value: list[Any] = [[1]]
        for _ in range(60):
            value = [value, value]
        assert written(REPLACE, value)["k"] is value

    def test_a_legal_place_makes_no_other_place_legal(self) -> None:
        """S4: a mapping that is legal under MERGE is not legal at a second place where it is not."""
        entry = {"x": REMOVE}
        with pytest.raises(StateMergeError, match=re.escape("$['b'][0]['x']")):
            written(MergeStrategy(deep=True), {"a": entry, "b": [entry]})


class TestWhatReplacesAll:
    @pytest.mark.parametrize("bad", [5, "ab", b"ab", None], ids=repr)
    def test_no_elements(self, bad: Any) -> None:
        """S4, S6: it takes the elements of a list; a text is one element, not many."""
        with pytest.raises(InvalidRecordError, match="elements of the new list"):
            ReplaceAllWith(bad)
