"""Validation at the door: all problems at once, each with its path (rule T3)."""

import collections
import dataclasses
import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, NotRequired, TypedDict

import attrs
import pytest
from typing_extensions import TypeAliasType

from graph_core import APPEND, MERGE, REMOVE, AppendStrategy, MergeStrategy, Overwrite, RemoveByHash, ReplaceAllWith
from graph_core.state.schema import Schema
from graph_core_tests.state.schema import texts
from graph_core_tests.state.schema.made import one_key, typed_dict


@attrs.define
class Item:
    """A record."""

    name: str
    qty: int = 0


@dataclasses.dataclass
class Box:
    """A dataclass that holds records."""

    items: list[Item]


class Address(TypedDict):
    """A TypedDict inside a state."""

    city: str
    zip: NotRequired[int]


class Colour(enum.Enum):
    """Labels."""

    RED = "red"


UserId = NewType("UserId", int)
JSON = "dict[str, Json] | list[Json] | str | int | None"
Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | None")


def lines(old: list[str], new: list[str] | str) -> list[str]:
    """A strategy that takes less than the key holds."""
    return [*old, new] if isinstance(new, str) else old + new


def generic(old: texts.T, new: texts.T) -> texts.T:
    """A strategy whose second parameter says nothing."""
    return new or old


def problems(hint: Any, value: Any, *metadata: Any, coerce: bool = False) -> list[str]:
    """The problems of a key `k`."""
    return one_key(hint, *metadata).validate({"k": value}, coerce=coerce)


VALID: dict[str, tuple[Any, list[Any]]] = {
    "scalars": (int, [1, -(10**30)]),
    "float": (float, [1.5, 1]),
    "list": (list[int], [[], [1, 2]]),
    "list of floats": (list[float], [[1, 2.5]]),
    "nested list": (list[list[int]], [[[1], []]]),
    "bare list": (list, [[object()]]),
    "Sequence": (Sequence[str], [["a"], ("a",), "ab"]),
    "Iterable": (Iterable[int], [[1], iter([1])]),
    "set": (set[int], [{1}]),
    "deque": (collections.deque[int], [collections.deque([1])]),
    "tuple": (tuple[int, str], [(1, "a")]),
    "empty tuple": (tuple[()], [()]),
    "long tuple": (tuple[int, ...], [(), (1, 2)]),
    "dict": (dict[str, int], [{}, {"a": 1}, collections.defaultdict(int, a=1)]),
    "dict of lists": (dict[str, list[int]], [{"a": [1]}]),
    "Mapping": (Mapping[str, Item], [{"a": Item("a")}]),
    "Counter": (collections.Counter[str], [collections.Counter("aab")]),
    "record": (Item, [Item("a", 1)]),
    "dataclass": (Box, [Box([Item("a")])]),
    "generic record": (texts.Page[int], [texts.Page([1], 2)]),
    "TypedDict": (Address, [{"city": "c"}, {"city": "c", "zip": 1, "more": 1}]),
    "optional": (int | None, [1, None]),
    "union": (int | str | list[int], [1, "a", [1]]),
    "union of containers": (list[int] | list[str], [[1], ["a"]]),
    "union of records": (Item | Address, [Item("a"), {"city": "c"}]),
    "Literal": (Literal["a", 1], ["a", 1]),
    "Enum": (Colour, [Colour.RED]),
    "NewType": (UserId, [1]),
    "Any": (Any, [object(), None]),
    "list of Any": (list[Any], [[1, None]]),
    "inner Annotated": (list[Annotated[int, []]], [[1]]),
    "recursive alias": (Json, [{"a": [1, "b", {"c": None}]}]),
    "Callable": (Callable[[int], int], [abs]),
    "type": (type[int], [int]),
}
EACH_VALID = [pytest.param(h, v, id=f"{name} {i}") for name, (h, vs) in VALID.items() for i, v in enumerate(vs)]
INVALID: dict[str, tuple[Any, Any, list[str]]] = {
    "text": (int, "5", ["expected int @ $.k, not str '5'"]),
    "bool": (int, True, ["expected int @ $.k, not bool True"]),
    "bool for float": (float, True, ["expected float @ $.k, not bool True"]),
    "int for str": (str, 5, ["expected str @ $.k, not int 5"]),
    "elements": (list[int], [1, "a", None], ["expected int @ $.k[1], not str 'a'", "expected int @ $.k[2], not None"]),
    "a tuple": (list[int], (1,), ["expected list[int] @ $.k, not tuple"]),
    "a text for list[str]": (list[str], "ab", ["expected list[str] @ $.k, not str 'ab'"]),
    "nested elements": (list[list[int]], [[1], ["a"]], ["expected int @ $.k[1][0], not str 'a'"]),
    "set": (set[int], {"a"}, ["expected int @ $.k[0], not str 'a'"]),
    "position": (tuple[int, str], (1, 2), ["expected str @ $.k[1], not int 2"]),
    "length": (tuple[int, str], (1,), ["expected tuple[int, str] @ $.k, not a tuple of 1"]),
    "no tuple": (tuple[int, str], [1, "a"], ["expected tuple[int, str] @ $.k, not list"]),
    "entry": (dict[str, int], {"a": "b"}, ["expected int @ $.k['a'], not str 'b'"]),
    "entry key": (dict[str, int], {5: 1}, ["expected str @ $.k[5], not int 5"]),
    "no mapping": (dict[str, int], [1], ["expected dict[str, int] @ $.k, not list"]),
    "field": (list[Item], [Item("a", "5")], ["expected int @ $.k[0].qty, not str '5'"]),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    "field of a field": (Box, Box([Item(5)]), ["expected str @ $.k.items[0].name, not int 5"]),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    "generic": (texts.Page[int], texts.Page(["a"]), ["expected int @ $.k.rows[0], not str 'a'"]),
    "no record": (Item, {"name": "a"}, ["expected Item @ $.k, not dict"]),
    "TypedDict": (
        Address,
        {"zip": "a"},
        ["required key missing @ $.k.city", "expected int @ $.k.zip, not str 'a'"],
    ),
    "no TypedDict": (Address, [], ["expected Address @ $.k, not list"]),
    "optional": (int | None, "a", ["expected int | None @ $.k, not str 'a'"]),
    "inside a union": (list[int] | None, ["a"], ["expected int @ $.k[0], not str 'a'"]),
    "no member fits": (list[int] | list[str], [None], ["expected list[int] | list[str] @ $.k, not list"]),
    "Literal": (Literal["a", 1], True, ["expected Literal['a', 1] @ $.k, not bool True"]),
    "Literal without hash": (Literal["a"], [], ["expected Literal['a'] @ $.k, not list"]),
    "Enum": (Colour, "red", ["expected Colour @ $.k, not str 'red'"]),
    "NewType": (UserId, "a", ["expected int @ $.k, not str 'a'"]),
    "recursive alias": (
        Json,
        {"a": [1.5]},
        [f"expected {JSON} @ $.k['a'][0], not float 1.5"],
    ),
    "Callable": (Callable[[int], int], 5, ["expected Callable[[int], int] @ $.k, not int 5"]),
    "Callable of anything": (Callable[..., int], 5, ["expected Callable[..., int] @ $.k, not int 5"]),
}

MARKED: list[Any] = [REMOVE, Overwrite([1]), ReplaceAllWith([1]), RemoveByHash("any")]
WRONGLY_MARKED: list[Any] = [Overwrite(["a"]), ReplaceAllWith(["a"])]
UNHINTED: list[Callable[[Any, Any], Any]] = [lambda old, new: new, max, generic]


class TestTypes:
    @pytest.mark.parametrize(("hint", "value"), EACH_VALID)
    def test_what_fits(self, hint: Any, value: Any) -> None:
        """T3: a value of the declared type is no problem."""
        assert problems(hint, value) == []

    @pytest.mark.parametrize(("hint", "value", "expected"), INVALID.values(), ids=INVALID.keys())
    def test_what_does_not(self, hint: Any, value: Any, expected: list[str]) -> None:
        """T3: every problem is told, with its path, the type that was expected, and what came."""
        assert problems(hint, value) == expected

    def test_twice(self) -> None:
        """T3: what was found to fit does not hide what does not."""
        schema = Schema.of(typed_dict("S", {"k": int}))
        assert [schema.validate({"k": value}) for value in (1, 2, True, "a")][2:] == [
            ["expected int @ $.k, not bool True"],
            ["expected int @ $.k, not str 'a'"],
        ]

    def test_a_value_that_holds_itself(self) -> None:
        """T3: it is a problem, not the end of the program."""
        endless: list[Any] = []
        endless.append(endless)
        (found,) = problems(Json, endless)
        assert found.startswith("is nested too deeply to be checked, or holds itself @ $.k[0][0]")
        assert len(found) < 150

    def test_a_record_that_is_not_complete(self) -> None:
        """T3: an attribute that was deleted is not checked."""
        item = Item("a")
        del item.qty
        assert problems(Item, item) == []

    def test_nothing_is_rebuilt(self) -> None:
        """T3: checking leaves the values as they are, iterators unread."""
        numbers = iter([1, 2])
        assert (problems(Iterable[int], numbers), list(numbers)) == ([], [1, 2])


class TestKeys:
    def test_unknown_ones(self) -> None:
        """T3: they are problems, with a close match if there is one."""
        schema = Schema.of(Address)
        expected = ["unknown key 'citty' @ $, did you mean 'city'?", "unknown key 5 @ $"]
        values: Any = {"citty": "c", 5: 1}
        assert schema.validate(values) == expected
        assert schema.unknown_keys(values) == expected
        assert schema.unknown_keys({"city": 5}) == []

    def test_missing_ones(self) -> None:
        """T3: required keys may be missing in an update, not in a whole."""
        assert Schema.of(Address).validate({}) == []
        assert Schema.of(Address).validate({}, partial=False) == ["required key missing @ $.city"]
        assert Schema.of(Address).validate({"city": "c"}, partial=False) == []

    def test_all_at_once(self) -> None:
        """T3: the problems of all keys are told together."""
        assert len(Schema.of(Address).validate({"city": 5, "zip": "a", "x": 1})) == 3


class TestMarkers:
    @pytest.mark.parametrize("value", MARKED)
    def test_they_stand_for_themselves(self, value: Any) -> None:
        """S4, T3: markers are allowed as the value of a key."""
        assert problems(list[int], value) == []
        assert problems(list[int], value, APPEND) == []

    @pytest.mark.parametrize("value", WRONGLY_MARKED)
    def test_what_is_overwritten_with_is_checked(self, value: Any) -> None:
        """T3: `Overwrite` holds a whole value."""
        assert problems(list[int], value, APPEND) == ["expected int @ $.k[0], not str 'a'"]

    def test_not_inside(self) -> None:
        """S4: a marker inside a value is of the wrong type."""
        assert problems(list[int], [REMOVE]) == ["expected int @ $.k[0], not Remove"]
        assert problems(list[int], Overwrite(Overwrite([1]))) == ["expected list[int] @ $.k, not Overwrite"]


class TestAppend:
    @pytest.mark.parametrize("value", [[1], (1, 2), {1}, 1, None, [RemoveByHash("x"), 1], []])
    def test_what_it_takes(self, value: Any) -> None:
        """S5, S6: containers of elements, one element, nothing, and removals."""
        assert problems(list[int], value, APPEND) == []

    @pytest.mark.parametrize(
        ("hint", "value", "expected"),
        [
            (list[int], ["a", 1], ["expected int @ $.k[0], not str 'a'"]),
            (list[int], "a", ["expected list[int] @ $.k, not str 'a'"]),
            (list[Address], {"zip": 1}, ["required key missing @ $.k.city"]),
            (list[list[int]], [1], ["expected list[int] @ $.k[0], not int 1"]),
            (list[int] | None, ["a"], ["expected int @ $.k[0], not str 'a'"]),
        ],
    )
    def test_what_it_does_not(self, hint: Any, value: Any, expected: list[str]) -> None:
        """S6, T3: each element has the type of the list's elements."""
        assert problems(hint, value, AppendStrategy()) == expected

    @pytest.mark.parametrize("hint", [list, Any])
    def test_elements_of_any_type(self, hint: Any) -> None:
        """T3: where the elements have no type, all will do."""
        assert problems(hint, [object()], APPEND) == []


class TestMerge:
    def test_some_entries(self) -> None:
        """S4, S7: an update holds some of the entries, removed ones have no type."""
        assert problems(dict[str, int], {"a": REMOVE, "b": 1}, MERGE) == []
        assert problems(dict[str, int], {"a": "x"}, MERGE) == ["expected int @ $.k['a'], not str 'x'"]
        assert problems(dict[str, int], None, MERGE) == []
        assert problems(dict, {"a": object()}, MERGE) == []

    def test_some_keys_of_a_typed_dict(self) -> None:
        """S7: the required ones may be missing."""
        assert problems(Address, {"zip": 5}, MERGE) == []
        assert problems(Address, {"zip": "a"}, MERGE) == ["expected int @ $.k.zip, not str 'a'"]
        assert problems(Address, {"zipp": 5}, MERGE) == ["unknown key 'zipp' @ $.k, did you mean 'zip'?"]

    def test_entries_of_entries(self) -> None:
        """S7: only deep MERGE takes a part of an entry."""
        assert problems(dict[str, Address], {"a": {"zip": REMOVE}}, MergeStrategy(deep=True)) == []
        assert problems(dict[str, Address], {"a": {"zip": 5}}, MERGE) == ["required key missing @ $.k['a'].city"]

    def test_other_values(self) -> None:
        """S7: of what is no mapping the whole value is checked."""
        assert problems(Item, Item("a"), MERGE) == []
        assert problems(dict[str, int], 5, MERGE) == ["expected dict[str, int] @ $.k, not int 5"]


class TestCallables:
    @pytest.mark.parametrize("value", ["a", ["a"]])
    def test_the_second_parameter_says_what_they_take(self, value: Any) -> None:
        """T3: a strategy that takes less than the key holds says so in its hints."""
        assert problems(list[str], value, lines) == []
        assert problems(list[str], 5, lines) == ["expected list[str] | str @ $.k, not int 5"]

    @pytest.mark.parametrize("strategy", UNHINTED)
    def test_else_the_type_of_the_key(self, strategy: Any) -> None:
        """T3: without hints, or with one that says nothing, the key's own type holds."""
        assert problems(int, "a", strategy) == ["expected int @ $.k, not str 'a'"]
