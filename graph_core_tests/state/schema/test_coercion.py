"""Conversion at the door, where it was asked for and loses nothing (rule T3)."""

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypedDict

import attrs
import pytest

from graph_core import APPEND, MERGE, GraphRunnerException, Overwrite, RemoveByHash, ReplaceAllWith
from graph_core_tests.state.schema.made import one_key


@attrs.frozen
class Item:
    """A record with a private field."""

    name: str
    _qty: int = 0


@dataclasses.dataclass(frozen=True)
class Box:
    """A dataclass."""

    items: list[Item]


@attrs.frozen
class Positive:
    """A record with a validator."""

    size: int = attrs.field(validator=attrs.validators.gt(0))


class Colour(enum.Enum):
    """Labels."""

    RED = "red"


class Level(int, enum.Enum):
    """Labels that are numbers."""

    LOW = 1


class Address(TypedDict):
    zip: int


ID = uuid.UUID(int=5)
CONVERTED: list[tuple[Any, Any, Any]] = [
    (int, "5", 5),
    (int, 2.0, 2),
    (int, decimal.Decimal(3), 3),
    (float, "2.5", 2.5),
    (float, 2, 2.0),
    (complex, "1j", 1j),
    (bool, "True", True),
    (bool, "false", False),
    (decimal.Decimal, "1.10", decimal.Decimal("1.10")),
    (decimal.Decimal, 5, decimal.Decimal(5)),
    (fractions.Fraction, "1/3", fractions.Fraction(1, 3)),
    (uuid.UUID, str(ID), ID),
    (dt.date, "2024-01-31", dt.date(2024, 1, 31)),
    (dt.datetime, "2024-01-31T10:00:00", dt.datetime(2024, 1, 31, 10)),  # noqa: DTZ001
    (dt.time, "10:00", dt.time(10)),
    (pathlib.Path, "a/b", pathlib.Path("a/b")),
    (bytes, bytearray(b"a"), b"a"),
    (bytearray, b"a", bytearray(b"a")),
    (Colour, "red", Colour.RED),
    (Level, 1, Level.LOW),
    (list[int], ("1", 2), [1, 2]),
    (list[float], [1, 2.5], [1.0, 2.5]),
    (Sequence[int], ("1",), (1,)),
    (set[int], ["1", "2"], {1, 2}),
    (AbstractSet[int], ["1"], {1}),
    (frozenset[str], ["a"], frozenset("a")),
    (collections.deque[int], ["1"], collections.deque([1])),
    (tuple[int, ...], ["1"], (1,)),
    (tuple[int, str], ["1", "a"], (1, "a")),
    (tuple[int, str], [1, "a"], (1, "a")),
    (dict[str, int], {"a": "1"}, {"a": 1}),
    (dict[int, str], {"1": "a"}, {1: "a"}),
    (Mapping[str, int], collections.OrderedDict(a="1"), collections.OrderedDict(a=1)),
    (collections.OrderedDict[str, int], {"a": "1"}, collections.OrderedDict(a=1)),
    (collections.OrderedDict[str, int], {"a": 1}, collections.OrderedDict(a=1)),
    (Item, {"name": "a", "_qty": "5"}, Item("a", 5)),
    (Item, {"name": "a"}, Item("a")),
    (Item, Item("a", "5"), Item("a", 5)),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    (Box, {"items": [{"name": "a"}]}, Box([Item("a")])),
    (Box, Box(({"name": "a"},)), Box([Item("a")])),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    (Address, {"zip": "5", "more": 1}, {"zip": 5, "more": 1}),
    (int | None, "5", 5),
    (int | str, "5", "5"),
    (Item | None, {"name": "a"}, Item("a")),
    (list[int] | list[str], ["1"], ["1"]),
]
REFUSED: list[tuple[Any, Any, str]] = [
    (int, 2.5, "expected int @ $.k, not float 2.5"),
    (int, "x", "expected int @ $.k, not str 'x'"),
    (int, True, "expected int @ $.k, not bool True"),
    (int, float("inf"), "expected int @ $.k, not float inf"),
    (bool, "no", "expected bool @ $.k, not str 'no'"),
    (bool, 1, "expected bool @ $.k, not int 1"),
    (str, 5, "expected str @ $.k, not int 5"),
    (decimal.Decimal, "x", "expected Decimal @ $.k, not str 'x'"),
    (dt.date, 5, "expected date @ $.k, not int 5"),
    (Colour, "blue", "expected Colour @ $.k, not str 'blue'"),
    (list[int], "12", "expected list[int] @ $.k, not str '12'"),
    (dict[int, str], {"1": "a", 1: "b"}, "expected int keys @ $.k, but two keys are converted to the same one"),
    (Item, {"name": "a", "nane": "b"}, "unknown key 'nane' @ $.k, did you mean 'name'?"),
    (Item, {}, "required key missing @ $.k.name"),
    (Item, 5, "expected Item @ $.k, not int 5"),
    (Positive, {"size": 0}, "ValueError: 'size' must be > 0: 0 @ $.k"),
    (Box, Box, "expected Box @ $.k, not <class"),
]


class TestConverted:
    @pytest.mark.parametrize(("hint", "value", "expected"), CONVERTED, ids=range(len(CONVERTED)))
    def test_what_loses_nothing(self, hint: Any, value: Any, expected: Any) -> None:
        """T3: with `coerce` a value is converted if nothing is lost."""
        assert one_key(hint).validate({"k": value}, coerce=True) == []
        found = one_key(hint).coerced({"k": value})["k"]
        assert (type(found), found) == (type(expected), expected)

    @pytest.mark.parametrize(("hint", "value", "text"), REFUSED, ids=range(len(REFUSED)))
    def test_what_would_lose_something(self, hint: Any, value: Any, text: str) -> None:
        """T3: all else stays a problem."""
        found = one_key(hint).validate({"k": value}, coerce=True)
        assert found[0].startswith(text)
        with pytest.raises(GraphRunnerException) as caught:
            one_key(hint).coerced({"k": value})
        assert caught.value.code == "invalid_input"
        assert str(caught.value) == f"S: {'; '.join(found)}"

    def test_required_keys(self) -> None:
        """T3: of a whole they must be there."""
        with pytest.raises(GraphRunnerException, match=r"required key missing @ \$\.k"):
            one_key(int).coerced({}, partial=False)


class TestKept:
    @pytest.mark.parametrize(
        ("hint", "value"),
        [
            (list[int], [1]),
            (dict[str, list[int]], collections.defaultdict(list, a=[1])),
            (Box, Box([Item("a")])),
            (Address, {"zip": 5}),
            (tuple[int, str], (1, "a")),
        ],
    )
    def test_what_fits_is_not_rebuilt(self, hint: Any, value: Any) -> None:
        """T3: a value that fits is handed on as it is."""
        assert one_key(hint).coerced({"k": value})["k"] is value

    def test_a_default_dict_stays_one(self) -> None:
        """T3: also where an entry is converted."""
        found = one_key(dict[str, int]).coerced({"k": collections.defaultdict(int, a="1")})["k"]
        assert found == {"a": 1}
        assert found["new"] == 0


class TestUpdates:
    @pytest.mark.parametrize("value", [("1", 2), ["1", 2]])
    def test_append(self, value: Any) -> None:
        """S6, T3: elements are converted, removals are left alone."""
        schema = one_key(list[int], APPEND)
        assert schema.coerced({"k": value}) == {"k": [1, 2]}
        assert schema.coerced({"k": "1"}) == {"k": 1}
        removal = [RemoveByHash("1")]
        assert schema.coerced({"k": removal})["k"] is removal

    def test_merge(self) -> None:
        """S7, T3: so are entries."""
        assert one_key(dict[str, int], MERGE).coerced({"k": {"a": "1"}}) == {"k": {"a": 1}}

    def test_markers(self) -> None:
        """S4, T3: so is what a marker holds."""
        schema = one_key(list[int])
        assert schema.coerced({"k": Overwrite(["1"])}) == {"k": Overwrite([1])}
        assert schema.coerced({"k": ReplaceAllWith(["1"])}) == {"k": ReplaceAllWith([1])}
        kept = Overwrite([1])
        assert schema.coerced({"k": kept})["k"] is kept
