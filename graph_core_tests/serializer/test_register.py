"""The list of what can be written and read: names, functions of the user's, copies."""

import enum
import re
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import attrs
import pytest

from graph_core import InvalidRecordError
from graph_core.serializer import DeserializationError, SerializationError, Serializer
from graph_core_tests.serializer.exact import back
from graph_core_tests.serializer.made import Color, Money, Movie, Name, Open, Pair, Right

EUR = Money(Decimal(1))
MONEY = f"{Money.__module__}.Money"


def other_money() -> type[Any]:
    """Make another class of the same name."""
    other = attrs.make_class("Money", {"amount": attrs.field()})
    other.__module__ = Money.__module__
    return other


def test_the_usual_name_is_that_of_the_class() -> None:
    """It is readable and does not depend on the order of registration."""
    serializer = Serializer(Money).register(Color, "color").register(Pair)
    assert repr(serializer) == f"Serializer({MONEY!r}, 'color', '{Pair.__module__}.Pair')"
    assert f'"@{MONEY}"'.encode() in serializer.dumps(EUR)
    assert b'{"$":"@color","v":"RED"}' in serializer.dumps(Color.RED)


def test_a_name_is_never_one_of_the_librarys() -> None:
    """A class may have the name of a built-in form."""
    serializer = Serializer(names={"tuple": Money})
    assert back((EUR,), serializer) == (EUR,)


def test_names_given_at_construction() -> None:
    """A class may be moved to another module when its name stays."""
    data = Serializer(names={"money": Money}).dumps(EUR)
    moved = other_money()
    assert Serializer(names={"money": moved}).register(moved).loads(data.replace(b',"currency":"EUR"', b"")) == moved(
        Decimal(1)
    )


def test_registering_again_changes_nothing() -> None:
    """The same class under the same name is fine, and so is what is built in."""
    serializer = Serializer(Money, Decimal, list, bool, type(None)).register(Money).register(Money, MONEY)
    assert repr(serializer) == f"Serializer({MONEY!r})"
    assert repr(Serializer(names={"m": Money}).register(Money)) == "Serializer('m')"


WRONG: list[tuple[Callable[[Any], object], str]] = [
    (lambda s: s.register(Money, "else"), f"is registered as '{MONEY}'; it can not be 'else' as well"),
    (lambda s: s.register(other_money()), f"the name '{MONEY}' of .* is that of .*Money'> already"),
    (lambda s: s.register(Color, MONEY), "is that of .* already; give one of them a name of its own"),
    (lambda s: s.register(5), "a class is registered, not 5"),
    (lambda s: s.register(list[int] | None), "a class is registered, not "),
    (lambda s: s.register(Movie), "Movie is a TypedDict, .* with_schema.Movie. registers what it holds"),
    (lambda s: s.register(Decimal, "d"), "is built in; it has a form that can not be changed"),
    (lambda s: s.register(dict, encode=str, decode=eval), "is built in"),
    (lambda s: s.register(bool, "b"), "bool'> is built in"),
    (lambda s: s.register(Color, ""), "is a str that is not empty, not ''"),
    (lambda s: s.register(Color, 5), "is a str that is not empty, not 5"),
    (lambda s: s.register(Name), "say how it is written: register.Name, encode=…, decode=…."),
    (lambda s: s.register(enum.Enum), "enum with members"),
    (lambda s: s.register(Name, decode=Name), "say how it is written"),
    (lambda s: s.register(Money, encode=str), "needs decode=… as well"),
    (lambda s: s.register(attrs.make_class("E", ["a"], bases=(ValueError,))), "E extends a built-in type"),
]


@pytest.mark.parametrize(("register", "text"), WRONG, ids=range(len(WRONG)))
def test_what_can_not_be_registered(register: Any, text: str) -> None:
    """It is told when it is registered, and leaves the list as it was."""
    serializer = Serializer(Money)
    with pytest.raises(InvalidRecordError, match=text):
        register(serializer)
    assert repr(serializer) == f"Serializer({MONEY!r})"


def test_functions_say_how_a_class_is_written() -> None:
    """What `encode` gives may be anything that can be written."""
    lock = type(threading.Lock())
    serializer = Serializer().register(Name, "name", encode=str, decode=Name)
    serializer.register(re.Pattern, "pattern", encode=lambda p: (p.pattern, p.flags), decode=lambda v: re.compile(*v))
    assert type(back([Name("a")], serializer)[0]) is Name
    assert back({Name("k"): 1}, serializer) == {Name("k"): 1}
    assert back(re.compile("a", re.IGNORECASE), serializer) == re.compile("a", re.IGNORECASE)
    with pytest.raises(SerializationError, match=re.escape("register(lock, encode=…, decode=…)")):
        serializer.dumps({"a": threading.Lock(), "b": lock})


def test_functions_go_before_the_form_of_a_record() -> None:
    """They may be given later, for a class that is on the list."""
    serializer = Serializer(Money).register(Money, encode=lambda m: [m.amount, m.currency], decode=lambda v: Money(*v))
    assert back(EUR, serializer) == EUR
    assert b'"$v"' in serializer.dumps(EUR)
    assert back(EUR, serializer.register(Money)) == EUR


def test_functions_that_fail_are_told_with_the_place() -> None:
    """Their error is the cause."""
    serializer = Serializer().register(Name, encode=lambda _: 1 / 0, decode=lambda _: 1 / 0)  # type: ignore[arg-type, return-value] # pyright: ignore[reportArgumentType]
    with pytest.raises(SerializationError, match=r"^\$\.a\[0\]: ZeroDivisionError") as caught:
        serializer.dumps({"a": [Name("x")]})
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    data = Serializer().register(Name, encode=str, decode=Name).dumps({"a": [Name("x")]})
    with pytest.raises(DeserializationError, match=r"^\$\.a\[0\]: .* can not be read: ZeroDivisionError") as found:
        serializer.loads(data)
    assert isinstance(found.value.__cause__, ZeroDivisionError)


def test_decode_must_make_an_instance() -> None:
    """Else the loaded value would be of another class than the written one."""
    as_str: Any = str
    serializer = Serializer().register(Name, "n", encode=str, decode=as_str)
    with pytest.raises(DeserializationError, match="'@n': decode gave str, not Name"):
        serializer.loads(serializer.dumps(Name("a")))


def test_encode_that_gives_the_value_itself() -> None:
    """It would be written for ever, so it is told."""
    serializer = Serializer().register(Name, encode=lambda name: name, decode=Name)
    with pytest.raises(SerializationError, match="contains itself"):
        serializer.dumps(Name("a"))


def test_copies_are_independent() -> None:
    """A copy has more on its list, the original has not."""
    first = Serializer(Money)
    second = first.with_types(Color, Right)
    assert back([EUR, Color.RED, Right.READ], second) == [EUR, Color.RED, Right.READ]
    second.register(Pair)
    assert repr(first) == f"Serializer({MONEY!r})"
    with pytest.raises(SerializationError, match="Color"):
        first.dumps(Color.RED)


def test_an_alias_stands_for_its_class() -> None:
    """Type arguments are not part of a value."""
    assert back(Open(1), Serializer().register(Open[int])) == Open(1)
