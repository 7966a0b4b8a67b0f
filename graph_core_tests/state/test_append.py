"""APPEND: a list that grows."""

import re
from typing import Any

import attrs
import pytest

from graph_core import APPEND, MERGE, REPLACE, AppendStrategy, KeyStrategy, Overwrite, RemoveByHash, StateMergeError
from graph_core.state.merger import Merger
from graph_core.state.overall_state import OverAllState, merge_into
from graph_core_tests.state.sequences import written

UNIQUE = AppendStrategy(allow_duplicate=False)


@attrs.frozen
class Message:
    """A record."""

    text: str


class TestElements:
    @pytest.mark.parametrize(
        "new", [["b", "c"], ("b", "c"), {"b", "c"}, frozenset("bc")], ids=["list", "tuple", "set", "frozenset"]
    )
    def test_a_container_extends(self, new: Any) -> None:
        """S6: a list, tuple, set or frozenset extends."""
        assert (APPEND(["a"], new)[0], sorted(APPEND(["a"], new))) == ("a", ["a", "b", "c"])

    @pytest.mark.parametrize("new", ["bc", b"bc", {"b": 1}, Message("b"), 1, 0, False, range(2)], ids=repr)
    def test_anything_else_is_one_element(self, new: Any) -> None:
        """S6: str, bytes, a mapping, a record and any other value are one element."""
        assert APPEND(["a"], new) == ["a", new]

    def test_order(self) -> None:
        """S6: the new elements come behind the old ones, in their order."""
        assert APPEND([3, 1], [2, 0]) == [3, 1, 2, 0]

    def test_only_the_outer_container_is_opened(self) -> None:
        """S6: containers inside the new list are elements."""
        assert APPEND([], [["a"], ("b",)]) == [["a"], ("b",)]

    def test_duplicates_are_kept(self) -> None:
        """S6: APPEND keeps duplicates unless told otherwise."""
        assert APPEND(["a"], ["a", "a"]) == ["a", "a", "a"]


class TestOldValue:
    def test_absent(self) -> None:
        """S6: the first write makes the list."""
        assert written(APPEND, "a") == {"k": ["a"]} == written(APPEND, ["a"])

    def test_an_empty_list_on_an_absent_key(self) -> None:
        """S6: an empty list makes an empty list, as in Java."""
        assert written(APPEND, []) == {"k": []}

    @pytest.mark.parametrize("old", ["original", 1, {"a": 1}, ("a", "b"), Message("a"), False], ids=repr)
    def test_no_list(self, old: Any) -> None:
        """S6: an old value that is no list becomes the first element (Java loses it)."""
        assert APPEND(old, ["appended"]) == [old, "appended"]

    def test_a_stored_none_is_no_element(self) -> None:
        """S1, S6: a stored `None` reads as nothing, so the list begins with the new value."""
        state = OverAllState({"k": None}, {"k": APPEND})
        assert state.updated({"k": "a"}) == {"k": ["a"]}


class TestNone:
    def test_an_old_value_stays(self) -> None:
        """S5: APPEND keeps the old value when the new one is `None`."""
        assert written(APPEND, ["a"], None) == {"k": ["a"]}

    def test_an_absent_key_stays_absent(self) -> None:
        """S5: APPEND leaves an absent key absent when the new value is `None`."""
        assert written(APPEND, None) == {}

    def test_inside_a_list_it_is_an_element(self) -> None:
        """S5: only the new value itself is left out, a `None` in a list is an element."""
        assert APPEND(["a"], [None]) == ["a", None]


class TestPurity:
    def test_the_old_list_is_never_touched(self) -> None:
        """S6: a list that was handed out is never touched (Java: issue 4757)."""
        old = ["question"]
        new = APPEND(old, "user-answer")
        assert (new, old, new is old) == (["question", "user-answer"], ["question"], False)

    def test_the_new_list_is_never_kept(self) -> None:
        """S6: the list that a node returned stays its own."""
        returned = ["a"]
        state = OverAllState({}, {"k": APPEND}).updated({"k": returned})
        returned.append("b")
        assert state == {"k": ["a"]}

    def test_a_series_extends_its_own_list_only(self) -> None:
        """S6: inside one merge the engine may extend its own list, never the one it began with."""
        base = OverAllState({"k": ["a"]}, {"k": APPEND})
        merger = Merger({"k": APPEND})
        merged = merge_into(base, merger, [{"k": "b"}, {"k": ["c"]}, {"k": RemoveByHash("a")}, {"k": None}])
        assert (dict(merged), dict(base)) == ({"k": ["b", "c"]}, {"k": ["a"]})

    def test_an_overwritten_list_is_not_extended_in_place(self) -> None:
        """S6: a list that came in by `Overwrite` belongs to the node, also in the middle of a series."""
        mine = ["x"]
        base = OverAllState({}, {"k": APPEND})
        merged = merge_into(base, Merger({"k": APPEND}), [{"k": "a"}, {"k": Overwrite(mine)}, {"k": "b"}])
        assert (dict(merged), mine) == ({"k": ["x", "b"]}, ["x"])


class TestRemoveByHash:
    def test_alone(self) -> None:
        """S6: `RemoveByHash(x)` removes the first element equal to x."""
        assert APPEND([1, 2, 1], RemoveByHash(1)) == [2, 1]

    def test_inside_a_list(self) -> None:
        """S6: it works inside a list, at its place among the new elements."""
        assert APPEND([1, 2], [RemoveByHash(1), 3, RemoveByHash(3), RemoveByHash(2), 4]) == [4]

    def test_by_equality(self) -> None:
        """S6: elements are compared by equality, hashable or not (Java: by hash code)."""
        assert APPEND([{"a": 1}, Message("x")], [RemoveByHash(Message("x")), RemoveByHash({"a": 1})]) == []

    def test_equal_hashes_are_not_equality(self) -> None:
        """S6: an element of the same hash that is not equal stays."""
        assert hash(-1) == hash(-2)
        assert APPEND([-1], RemoveByHash(-2)) == [-1]

    def test_an_element_that_is_not_there(self) -> None:
        """S6: nothing happens if no element is equal."""
        assert APPEND([1], RemoveByHash(2)) == [1]

    def test_on_an_absent_key(self) -> None:
        """S6: the marker itself never becomes an element (in Java it does)."""
        assert written(APPEND, RemoveByHash(1)) == {"k": []}

    @pytest.mark.parametrize("strategy", [REPLACE, MERGE, max], ids=["REPLACE", "MERGE", "builtin"])
    def test_under_another_strategy(self, strategy: KeyStrategy) -> None:
        """S4, S6: a marker where it means nothing is an error that names the key and the right strategy."""
        with pytest.raises(StateMergeError, match=r"key 'k': .*APPEND") as caught:
            written(strategy, RemoveByHash(1))
        assert (caught.value.code, caught.value.key) == ("misplaced_marker", "k")

    def test_a_strategy_of_the_users_may_understand_it(self) -> None:
        """S8: any other callable is called with it."""
        assert written(lambda old, new: APPEND(old, new)[-2:], [1, 2, 3], RemoveByHash(3)) == {"k": [2]}

    @pytest.mark.parametrize("new", [{"a": RemoveByHash(1)}, [[RemoveByHash(1)]], [{"a": RemoveByHash(1)}]], ids=repr)
    def test_deeper(self, new: Any) -> None:
        """S6: alone or inside a list, anywhere else it would be stored as data."""
        with pytest.raises(StateMergeError, match=re.escape("RemoveByHash(value=1) stands inside a value")):
            written(APPEND, new)


class TestUnique:
    @pytest.mark.parametrize("new", ["a", ["a"], ["b", "a", "b"], ("b", "b")], ids=repr)
    def test_every_write(self, new: Any) -> None:
        """S6: `allow_duplicate=False` removes duplicates on every write (Java: of list and list only)."""
        assert sorted(UNIQUE(["a"], new)) == sorted({"a", *new})

    def test_the_first_write(self) -> None:
        """S6: the first write is a write, too."""
        assert written(UNIQUE, ["a", "a"]) == {"k": ["a"]}

    def test_what_was_there_before(self) -> None:
        """S6: duplicates that the old list had go with the next write."""
        assert UNIQUE([1, 1, 2], []) == [1, 2]

    def test_the_first_one_stays(self) -> None:
        """S6: the order is that of the first of each."""
        assert UNIQUE(["b", "a"], ["c", "a", "b"]) == ["b", "a", "c"]

    def test_values_that_can_not_be_hashed(self) -> None:
        """S6: equality decides for lists and mappings as well."""
        assert UNIQUE([{"a": 1}], [{"a": 1}, [1], [1]]) == [{"a": 1}, [1]]

    def test_values_that_only_look_hashable(self) -> None:
        """S6: a tuple that holds a list is compared by equality."""
        assert UNIQUE([([1],)], [([1],), ([2],)]) == [([1],), ([2],)]

    def test_in_a_series(self) -> None:
        """S6: the list that a series extends has no duplicates either."""
        base = OverAllState({}, {"k": UNIQUE})
        assert merge_into(base, Merger({"k": UNIQUE}), [{"k": "a"}, {"k": "b"}, {"k": "a"}]) == {"k": ["a", "b"]}

    def test_it_is_a_record(self) -> None:
        """S2: strategies with equal settings are equal."""
        assert (AppendStrategy() == APPEND, UNIQUE == APPEND) == (True, False)
