"""Records come back as they were: attrs classes, dataclasses, namedtuples, enums (restored, not constructed)."""

import dataclasses
import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core.serializer import DeserializationError, SerializationError, Serializer
from graph_core_tests.serializer.exact import back, is_exact
from graph_core_tests.serializer.made import (
    Account,
    Cached,
    CachedOpen,
    Color,
    Count,
    Half,
    Lenient,
    Mode,
    Money,
    Name,
    Number,
    Old,
    Open,
    Order,
    Pair,
    Point,
    Right,
    Short,
    Word,
)
from graph_core_tests.serializer.test_built_in import ANY

if TYPE_CHECKING:
    from collections.abc import Callable

KNOWN = Serializer(
    Account, Cached, CachedOpen, Color, Half, Mode, Money, Number, Old, Open, Order, Pair, Point, Right, Short, Word
)
EUR = Money(Decimal("1.50"))


@pytest.mark.parametrize(
    "value",
    [
        EUR,
        Account("s", 2, tags=["a"]),
        Open(Open((1,))),
        Order([EUR], dt.datetime(2020, 1, 1, tzinfo=dt.UTC), 5),
        Point(x=(1,), y=2.5),
        Pair((1,), 2),
        Old(1, [Old(2, 3)]),
        Cached(1),
        CachedOpen(2),
        Short([1]),
        *Color,
        [Color.CRIMSON],
        Number.ONE,
        Word.A,
        Right.READ | Right.WRITE,
        Right(0),
        Mode.X,
        Mode(8),
        {Number.ONE: {Word.A: 1}},
        {Point(x=1, y=2), Cached(3)},
        [Number.ONE, 1, Word.A, "a"],
    ],
    ids=repr,
)
def test_it_comes_back(value: Any) -> None:
    """It is equal, and everything in it is of the class it was of."""
    again = back(value, KNOWN)
    assert type(again) is type(value)
    assert again == value
    assert not isinstance(value, list) or is_exact(again, cast("Any", value))


def test_a_converter_does_not_run_again() -> None:
    """What a converter, a validator or `__post_init__` made of its arguments is kept."""
    account = Account("s", 2)
    account.total = 99
    again = back(account, KNOWN)
    assert (again.doubled, again.total, again._secret) == (4, 99, "s")  # noqa: SLF001
    assert not hasattr(again, "later")
    assert again.shout == "S"
    assert back(Order([EUR], None, 7), KNOWN).total == 7


def test_a_cached_property_is_made_anew() -> None:
    """It is no part of the value, whether it was read already or not."""
    value = Open(3)
    assert value.twice == (3, 3)
    again = back(value, KNOWN)
    assert "twice" not in vars(again)
    assert again.twice == (3, 3)


def test_a_cached_hash_is_made_anew() -> None:
    """A hash that was kept is of one process only."""
    for value in (Cached(5), CachedOpen(5)):
        assert hash(value)
        assert hash(back(value, KNOWN)) == hash(value)


def test_an_instance_of_a_generic_is_one_of_its_class() -> None:
    """What `Open[int](3)` notes about its type arguments is no content."""
    assert back(Open[int](3), KNOWN) == Open(3)


@pytest.mark.parametrize("value", [Name("a"), Count(1), attrs.evolve(EUR), True], ids=repr)
def test_a_subclass_is_another_type(value: Any) -> None:
    """A value is never written as one of a base class."""
    if type(value) is bool:
        assert back([value, 1, 1.0]) == [True, 1, 1.0]
        assert is_exact(back([value, 1, 1.0]), [True, 1, 1.0])
        return
    with pytest.raises(SerializationError, match="is not registered") as caught:
        Serializer().dumps({"a": value})
    assert caught.value.code == "unregistered_type"
    with pytest.raises(SerializationError, match="is not registered"):
        Serializer().dumps({value: 1})


def test_what_is_no_field_is_refused() -> None:
    """An attribute that is no field would be lost, so it is told."""
    value: Any = Open(1)
    value.other = 2
    with pytest.raises(SerializationError, match=r"^\$\[0\]: its attribute 'other' is no field of Open, so it would"):
        KNOWN.dumps([value])
    half: Any = Half(1)
    assert back(half, KNOWN) == half
    half.hidden = 5
    with pytest.raises(SerializationError, match="its attribute 'hidden' is no field of Half"):
        KNOWN.dumps(half)


def test_a_field_that_is_not_set_is_refused() -> None:
    """A record without one of its fields could not be read."""
    broken = object.__new__(Money)
    with pytest.raises(SerializationError, match="its field 'amount' is not set"):
        KNOWN.dumps(broken)


_MONEY: Any = Money
_PAIR: Any = Pair


@pytest.mark.parametrize("value", [_MONEY("1", 5), _PAIR(1, "x"), Point(x=1, y=[])], ids=repr)
def test_what_fits_no_hint_comes_back_all_the_same(value: Any) -> None:
    """Python does not hold a record to its hints, so what was written can be read."""
    assert back(value, KNOWN) == value


def test_what_its_validators_would_refuse_comes_back_all_the_same() -> None:
    """A list may have grown since the record was made."""
    value = Short([1])
    value.items.extend([2, 3])
    assert back(value, KNOWN) == value


def test_a_wrong_type_inside_a_record_is_refused() -> None:
    """Data that is not what the class declares was not written so: nothing is converted, and nothing built."""
    data = KNOWN.dumps(Pair(1, 2)).replace(b'"right":2', b'"right":"2"')
    with pytest.raises(DeserializationError, match=r"Pair': right must be int, not str '2'"):
        KNOWN.loads(data)
    data = KNOWN.dumps(Short([1])).replace(b"[1]", b"[1,2,3]")
    with pytest.raises(DeserializationError, match="can not be read: ValueError"):
        KNOWN.loads(data)


@dataclasses.dataclass
class Raising:
    value: int

    def __getattribute__(self, name: str) -> Any:
        if name == "value":
            raise LookupError(name)
        return super().__getattribute__(name)


def test_what_a_class_raises_is_told_with_its_place() -> None:
    """An error of the user's own code is the cause."""
    with pytest.raises(SerializationError, match=r"^\$\.a: LookupError: value$") as caught:
        Serializer(Raising).dumps({"a": object.__new__(Raising)})
    assert isinstance(caught.value.__cause__, LookupError)


def test_members_without_a_name_are_refused() -> None:
    """A member that a look-up made can not be found by its name."""
    serializer = Serializer(Lenient)
    assert back(Lenient.A, serializer) is Lenient.A
    with pytest.raises(SerializationError, match="is no member that can be found by its name"):
        serializer.dumps(Lenient(5))


@given(st.lists(ANY, min_size=2, max_size=2), st.sampled_from([Pair, Old, Open, Point]))
def test_records_of_anything(values: list[Any], cls: Any) -> None:
    """Whatever a record holds comes back exactly."""
    make: dict[Any, Callable[[], Any]] = {
        Open: lambda: Open(values),
        Point: lambda: Point(x=values[0], y=values[1]),
    }
    value = make.get(cls, lambda: cls(*values))()
    again = back(value, KNOWN)
    assert type(again) is cls
    if cls is Point:
        assert is_exact([again.x, again.y], values)
    else:
        assert is_exact(again, value)
