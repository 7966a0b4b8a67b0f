"""The state of a run: a mapping that never changes."""

import copy
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from returns.maybe import Nothing, Some

from graph_core import (
    APPEND,
    KeyStrategyFactoryBuilder,
    OverAllState,
    StateMergeError,
)
from graph_core.exception import InvalidRecordError
from graph_core.state.merger import Merger
from graph_core_tests.travel import pickled, travelled

WRITES: list[tuple[str, Callable[[Any], object]]] = [
    ("set", lambda mapping: mapping.__setitem__("a", 2)),
    ("delete", lambda mapping: mapping.__delitem__("a")),
    ("in-place or", lambda mapping: mapping.__ior__({"a": 2})),
    ("clear", lambda mapping: mapping.clear()),
    ("pop", lambda mapping: mapping.pop("a")),
    ("popitem", lambda mapping: mapping.popitem()),
    ("setdefault", lambda mapping: mapping.setdefault("b", 2)),
    ("update", lambda mapping: mapping.update(a=2)),
]


class TestMapping:
    def test_it_is_a_mapping(self) -> None:
        """S1: a state is a `Mapping[str, Any]`."""
        assert isinstance(OverAllState(), Mapping)

    def test_reads(self) -> None:
        """S1: `state["k"]`, `get`, `in` and `len` read it as any mapping."""
        state = OverAllState({"a": 1, "b": None})
        assert (state["a"], state.get("a"), state.get("z"), state.get("z", 0)) == (1, 1, None, 0)
        assert ("a" in state, "z" in state, len(state)) == (True, False, 2)

    def test_a_missing_key_is_a_key_error(self) -> None:
        """S1: `state["k"]` of an absent key raises as in any mapping."""
        with pytest.raises(KeyError, match="z"):
            OverAllState({"a": 1})["z"]

    def test_iteration_is_in_insertion_order(self) -> None:
        """S1: keys come in the order of their first write, however often they are written."""
        state = OverAllState({"b": 1, "a": 2}).updated({"c": 3}).updated({"b": 4})
        assert list(state) == ["b", "a", "c"]
        assert list(state.items()) == [("b", 4), ("a", 2), ("c", 3)]

    def test_it_equals_a_mapping_of_the_same_values(self) -> None:
        """S1: only the values count in a comparison."""
        assert OverAllState({"a": 1}, {"a": APPEND}) == {"a": 1} == OverAllState({"a": 1})
        assert OverAllState({"a": 1}) != {"a": 2}

    def test_nothing_given_is_an_empty_state(self) -> None:
        """S1: a state without data has no keys, not even `input` (Java registers it)."""
        assert dict(OverAllState()) == {}
        assert dict(OverAllState().key_strategies) == {}

    def test_it_shows_its_values(self) -> None:
        """S1: `repr` names the class and the values."""
        assert repr(OverAllState({"a": [1]})) == "OverAllState({'a': [1]})"

    def test_data_is_the_values(self) -> None:
        """S1: Java's `data()` is the values, read-only."""
        state = OverAllState({"a": 1})
        assert state.data == {"a": 1}
        with pytest.raises(TypeError, match="immutable"):
            state.data["a"] = 2  # type: ignore[index]  # pyright: ignore[reportIndexIssue]  (the checkers see it, too)

    def test_any_mapping_can_be_its_data(self) -> None:
        """S1: the data may be any mapping with `str` keys."""
        assert OverAllState(MappingProxyType({"a": 1})) == {"a": 1}


class TestJavaReads:
    def test_value_of_a_key(self) -> None:
        """S1: `value(key)` is `Some` of the value."""
        assert OverAllState({"a": 1}).value("a") == Some(1)

    def test_value_of_an_absent_key(self) -> None:
        """S1: an absent key reads as `Nothing`."""
        assert OverAllState().value("a") == Nothing

    def test_a_stored_none_reads_as_nothing(self) -> None:
        """S1: a stored `None` reads as `Nothing`, and as the default."""
        state = OverAllState({"a": None})
        assert (state.value("a"), state.value("a", of=int), state.value_or("a", 7)) == (Nothing, Nothing, 7)

    @pytest.mark.parametrize("value", [0, "", [], {}, False], ids=repr)
    def test_a_falsy_value_is_a_value(self, value: Any) -> None:
        """S1: only `None` reads as `Nothing`."""
        state = OverAllState({"a": value})
        assert (state.value("a"), state.value_or("a", "default")) == (Some(value), value)

    def test_value_of_a_type(self) -> None:
        """S1: `value(key, of=T)` is `Nothing` on a type mismatch."""
        state = OverAllState({"a": "x"})
        assert (state.value("a", of=str), state.value("a", of=int)) == (Some("x"), Nothing)

    def test_value_or(self) -> None:
        """S1: `value_or` gives the value, or the default of an absent key."""
        state = OverAllState({"a": 1})
        assert (state.value_or("a", 7), state.value_or("z", 7)) == (1, 7)


class TestImmutability:
    @pytest.mark.parametrize("write", [write for _, write in WRITES], ids=[name for name, _ in WRITES])
    def test_no_way_to_write(self, write: Callable[[Any], object]) -> None:
        """S1: a state is immutable, and the error says what to do instead."""
        state = OverAllState({"a": 1})
        with pytest.raises(TypeError, match=re.escape("return an update from the node, or use state.updated(...)")):
            write(state)
        assert dict(state) == {"a": 1}

    def test_no_attributes(self) -> None:
        """S1: nothing else can be hung on a state."""
        state: Any = OverAllState()
        with pytest.raises(AttributeError):
            state.extra = 1

    def test_an_update_gives_a_new_state(self) -> None:
        """S1: `updated` leaves the state as it was."""
        state = OverAllState({"a": 1})
        assert (dict(state.updated({"a": 2})), dict(state)) == ({"a": 2}, {"a": 1})

    def test_later_changes_of_the_data_do_not_reach_it(self) -> None:
        """S1: the mapping that a state was made of is not kept."""
        data = {"a": 1}
        state = OverAllState(data)
        data["a"] = 2
        assert dict(state) == {"a": 1}

    def test_later_changes_of_the_strategies_do_not_reach_it(self) -> None:
        """S1: the strategies that a state was made with stay the same."""
        strategies = {"a": APPEND}
        state = OverAllState({}, strategies)
        del strategies["a"]
        assert dict(state.key_strategies) == {"a": APPEND}
        assert state.updated({"a": 1}) == {"a": [1]}

    def test_strategies_are_read_only(self) -> None:
        """S1: the strategies that a state shows can not be changed through it."""
        strategies: Any = OverAllState({}, {"a": APPEND}).key_strategies
        with pytest.raises(TypeError, match="immutable"):
            strategies["a"] = None


class TestUpdated:
    def test_undeclared_keys_are_replaced(self) -> None:
        """S3: a key without a strategy is replaced (Java: testDefaultKeyStrategyIsReplace)."""
        state = OverAllState({"key1": "original_value1", "key2": "original_value2"})
        expected = {"key1": "new_value1", "key2": "original_value2", "key3": "new_value3"}
        assert expected == state.updated({"key1": "new_value1", "key3": "new_value3"})

    def test_input_is_an_ordinary_key(self) -> None:
        """S3: `input` has the strategy that was declared for it (Java: always REPLACE)."""
        assert OverAllState({"input": ["a"]}, {"input": APPEND}).updated({"input": "b"}) == {"input": ["a", "b"]}

    def test_a_declared_strategy_wins(self) -> None:
        """S3: each key is merged by its own strategy (Java: withKeyStrategies)."""
        state = OverAllState({"input": "initial", "metadata": "meta"}, {"metadata": lambda _, new: f"{new}-merged"})
        expected = {"input": "new input", "metadata": "new meta-merged"}
        assert expected == state.updated({"input": "new input", "metadata": "new meta"})

    def test_the_default_of_a_merger(self) -> None:
        """S3: a key without a strategy uses the graph's default strategy."""
        merger = Merger({"b": APPEND}, lambda old, new: (old, new))
        state: dict[str, Any] = {"a": 1}
        merger.apply(state, {"a": 2, "b": 3})
        assert state == {"a": (1, 2), "b": [3]}
        assert merger.strategy("b") is APPEND

    def test_an_empty_update_changes_nothing(self) -> None:
        """S9: an empty mapping is fine."""
        assert OverAllState({"a": 1}).updated({}) == {"a": 1}

    def test_any_mapping_is_an_update(self) -> None:
        """S9: an update may be any mapping, a state too."""
        state = OverAllState({"a": 1})
        assert state.updated(MappingProxyType({"b": 2})) == {"a": 1, "b": 2} == state.updated(OverAllState({"b": 2}))

    @pytest.mark.parametrize("update", [None, [("a", 1)], "a", 1], ids=repr)
    def test_anything_else_is_no_update(self, update: Any) -> None:
        """S9: what is no mapping is an error, `None` included, and its text says that an empty one is fine."""
        with pytest.raises(StateMergeError, match=re.escape(f"(an empty one is fine), not {update!r}")) as caught:
            OverAllState().updated(update)
        assert caught.value.code == "invalid_update"

    @pytest.mark.parametrize("key", [1, None, ("a",), b"a"], ids=repr)
    def test_keys_are_str(self, key: Any) -> None:
        """S9: a key that is no `str` is an error that shows it."""
        with pytest.raises(
            StateMergeError, match=re.escape(f"must be str, but {key!r} is {type(key).__name__}")
        ) as caught:
            OverAllState().updated({key: 1})
        assert (caught.value.code, caught.value.key) == ("invalid_update", repr(key))

    def test_keys_that_can_not_be_hashed(self) -> None:
        """S9: a mapping that gives keys which no dict could hold is refused the same way."""

        class Odd(dict[Any, Any]):
            def items(self) -> Any:
                return [([], 1)]

        with pytest.raises(StateMergeError, match="must be str"):
            OverAllState().updated(Odd(a=1))

    def test_nothing_is_stored_of_a_failed_update(self) -> None:
        """S1: when one key of an update fails, the state is as it was."""
        state = OverAllState({"a": 1}, {"b": max})
        with pytest.raises(StateMergeError):
            state.updated({"b": 1}).updated({"a": 2, "b": "x"})
        assert dict(state) == {"a": 1}

    def test_many_keys_made_at_run_time(self) -> None:
        """S3: keys that are made while a graph runs do not fill the memory of its merger."""
        merger = Merger({"m": APPEND})
        for number in range(10_050):
            merger.apply({}, {f"key{number}": number})
        state: dict[str, Any] = {}
        merger.apply(state, {"m": 1, "key1": 2})
        assert state == {"m": [1], "key1": 2}
        assert len(merger._folds) < 10_000  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (what it keeps is no part of its face)


class TestInvalid:
    @pytest.mark.parametrize("data", [[("a", 1)], {1: 2}, "a", 3], ids=repr)
    def test_data(self, data: Any) -> None:
        """S1: the data of a state are a mapping with `str` keys."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"mapping with str keys, not {data!r}")):
            OverAllState(data)

    def test_strategy(self) -> None:
        """S2: a strategy is a callable; the error names the key."""
        wrong: Any = "append"
        with pytest.raises(InvalidRecordError, match="key 'a' must be callable, not 'append'"):
            OverAllState({}, {"a": wrong})


class TestTravel:
    def test_rules_travel_with_it(self) -> None:
        """S1: a pickled or copied state keeps the strategies of keys that only a rule names."""
        builder = KeyStrategyFactoryBuilder().add_suffix_strategy("_log", APPEND).add_pattern_strategy("x+", APPEND)
        state = OverAllState({}, builder.build()())
        for other in travelled(state):
            assert other.updated({"a_log": 1, "xx": 2, "y": 3}) == {"a_log": [1], "xx": [2], "y": 3}

    def test_a_deep_copy_shares_nothing_but_strategies(self) -> None:
        """S1, S2: the values of a deep copy are its own; strategies are pure and shared."""

        class Strategy:
            def __call__(self, old: Any, new: Any) -> Any:
                return old or new

        strategy = Strategy()
        state = OverAllState({"a": [1]}, {"b": strategy})
        other = copy.deepcopy(state)
        assert (other["a"], other["a"] is state["a"]) == ([1], False)
        assert other.key_strategies["b"] is strategy
        assert copy.copy(state)["a"] is state["a"]

    def test_the_default_travels_with_it(self) -> None:
        """S3: the graph's default strategy survives a pickle."""
        merger = pickled(Merger({}, APPEND))
        state: dict[str, Any] = {}
        merger.apply(state, {"a": 1})
        assert state == {"a": [1]}
