"""Strategies of schemas as the engine calls them (rules T1 and S8)."""

import collections
import collections.abc
import decimal
import functools
import operator
import pickle
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NewType, TypedDict

import pytest

from graph_core import APPEND, MERGE, REMOVE, REPLACE, KeyStrategy, OverAllState, StateMergeError
from graph_core.state.schema import MISSING, Schema, SchemaField, agreed_strategies, empty_value
from graph_core_tests.state.schema.made import one_key, typed_dict


def joined(old: list[str], new: list[str]) -> list[str]:
    """A strategy that knows nothing of `None`."""
    return old + new


def written(hint: Any, strategy: KeyStrategy, *values: Any) -> Any:
    """What the state holds after some writes to a key."""
    state = OverAllState({}, one_key(hint, strategy).strategies())
    for value in values:
        state = state.updated({"k": value})
    return state["k"]


UserId = NewType("UserId", int)


class Open(TypedDict, total=False):
    a: int


class Closed(TypedDict):
    a: int


EMPTY: dict[str, tuple[Any, Any]] = {
    "list": (list[str], []),
    "Sequence": (Sequence[str], []),
    "dict": (dict[str, int], {}),
    "Mapping": (collections.abc.Mapping[str, int], {}),
    "set": (set[int], set()),
    "Set": (collections.abc.Set[int], set()),
    "frozenset": (frozenset[int], frozenset()),
    "tuple": (tuple[int, ...], ()),
    "str": (str, ""),
    "int": (int, 0),
    "float": (float, 0.0),
    "bool": (bool, False),
    "Counter": (collections.Counter[str], collections.Counter()),
    "Decimal": (decimal.Decimal, decimal.Decimal()),
    "NewType": (UserId, 0),
    "Annotated": (Annotated[int, "doc"], 0),
    "bare": (list, []),
    "TypedDict": (Open, {}),
}
NONE: dict[str, Any] = {
    "optional": int | None,
    "union": int | str,
    "Literal": Literal["a"],
    "fixed tuple": tuple[int, str],
    "TypedDict with required keys": Closed,
    "record": SchemaField,
    "Any": Any,
}


_operator: Any = operator  # of `and_` type checkers know no types
BUILTINS: list[tuple[Any, int]] = [(max, -5), (min, 5), (operator.mul, 3), (_operator.and_, 6)]


class TestEmptyValue:
    @pytest.mark.parametrize(("hint", "expected"), EMPTY.values(), ids=EMPTY.keys())
    def test_of(self, hint: Any, expected: Any) -> None:
        """T1: list → `[]`, dict → `{}`, int → 0, and so on."""
        found = empty_value(hint)
        assert (type(found), found) == (type(expected), expected)

    @pytest.mark.parametrize("hint", NONE.values(), ids=NONE.keys())
    def test_there_is_none(self, hint: Any) -> None:
        """T1: where no value is empty, the callable gets `None` (rule S8)."""
        assert empty_value(hint) is MISSING

    def test_it_is_fresh(self) -> None:
        """T1: two keys never share one."""
        assert empty_value(list[str]) is not empty_value(list[str])


class TestFirstOldValue:
    def test_empty_instead_of_none(self) -> None:
        """T1: a callable of the user's gets the empty value of the type as its first old value."""
        assert written(list[str], joined, ["a"], ["b"]) == ["a", "b"]

    def test_after_the_key_was_removed(self) -> None:
        """T1: a key that was removed starts anew."""
        assert written(list[str], joined, ["a"], REMOVE, ["b"]) == ["b"]

    def test_without_an_empty_value(self) -> None:
        """S8: `None` then, as without a schema."""
        assert written(list[str] | None, lambda old, new: (old, new), ["a"]) == (None, ["a"])

    @pytest.mark.parametrize(("builtin", "first"), BUILTINS)
    def test_builtins_store_the_first_value(self, builtin: Any, first: int) -> None:
        """S8: a builtin is not called for an absent key: the empty value would lose `first`."""
        assert written(int, builtin, first) == first

    def test_methods_of_builtin_classes_are_called(self) -> None:
        """T1: `set.union` is no builtin function, so it gets the empty set."""
        assert written(set[int], set[int].union, {1}, {2}) == {1, 2}

    def test_ready_made_ones_are_left_alone(self) -> None:
        """T1: they know what an absent key is."""
        for strategy, hint in ((APPEND, list[int]), (MERGE, dict[str, int]), (REPLACE, int)):
            assert one_key(hint, strategy).strategies() == {"k": strategy}

    def test_names_stay(self) -> None:
        """T1: an error names the user's callable."""
        strategy = one_key(list[str], joined).strategies()["k"]
        assert (strategy.__qualname__, repr(strategy)) == ("joined", repr(joined))
        with pytest.raises(StateMergeError, match="its strategy joined raised TypeError"):
            written(list[str], joined, 5)

    def test_a_nameless_one_stays_nameless(self) -> None:
        """T1: a partial has no name, so it is shown as it is."""
        partial = functools.partial(joined)
        strategy = one_key(list[str], partial).strategies()["k"]
        assert getattr(strategy, "__qualname__", None) is None
        assert not hasattr(strategy, "other")

    def test_it_travels(self) -> None:
        """E1: a state with such a strategy can be sent to another process."""
        state = OverAllState({}, one_key(list[str], joined).strategies())
        assert pickle.loads(pickle.dumps(state)).updated({"k": ["a"]}) == {"k": ["a"]}  # noqa: S301  (our own bytes)


class TestMetadata:
    def test_the_outermost_wins(self) -> None:
        """T1: an alias may name a strategy, and who uses it another one."""
        inner = Annotated[list[str], APPEND]
        assert one_key(inner, REPLACE).fields["k"].strategy is REPLACE

    def test_what_others_put_there(self) -> None:
        """T1: classes, texts and objects that are no strategies are metadata of somebody else's."""

        class Unary:
            def __call__(self, value: object) -> bool:
                return bool(value)

        assert one_key(int, "doc", int, Unary()).fields["k"].strategy is None


class TestAgreement:
    def test_all_are_collected(self) -> None:
        """T1: the schemas of a graph declare its keys together; one without a strategy has no opinion."""
        append, add = (
            one_key(list[int], APPEND, name="A"),
            Schema.of(typed_dict("B", {"n": Annotated[int, operator.add]})),
        )
        found = agreed_strategies([one_key(list[int], name="P"), append, add, append])
        assert found == ({"k": APPEND, "n": operator.add}, [])

    def test_both_names_are_told(self) -> None:
        """T1: two schemas that disagree on a key's strategy are a problem that names them."""
        found, problems = agreed_strategies(
            [one_key(list[str], APPEND, name="A"), one_key(list[str], joined, name="B")]
        )
        assert found["k"] is APPEND
        text = "key 'k': A and B declare different strategies, AppendStrategy(allow_duplicate=True) and joined;"
        assert problems == [("k", f"{text} declare one strategy in both, or in only one of them")]

    def test_different_empty_values(self) -> None:
        """T1: one strategy that would start at `[]` here and at `()` there is a problem, too."""
        _, problems = agreed_strategies(
            [one_key(list[str], joined, name="A"), one_key(tuple[str, ...], joined, name="B")]
        )
        assert problems[0][1].startswith("key 'k': A and B start it at different empty values, [] and ()")

    def test_the_empty_value_is_taken_from_who_knows_it(self) -> None:
        """T1: a schema that also allows `None` does not take it away."""
        found, problems = agreed_strategies(
            [one_key(list[str] | None, joined, name="A"), one_key(list[str], joined, name="B")]
        )
        assert (found["k"](None, ["a"]), problems) == (["a"], [])
