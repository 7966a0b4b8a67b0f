"""Errors name the place and the class, say what would be right, and travel between processes."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import attrs
import pytest

from graph_core import GraphRunnerException
from graph_core.serializer import DeserializationError, SerializationError, Serializer
from graph_core_tests.serializer.made import Count, Money, Name, Open, Pair, Vector
from graph_core_tests.travel import travelled

MONEY = Money(Decimal(1))
WHERE: list[tuple[Any, str]] = [
    (MONEY, "$"),
    ([1, MONEY], "$[1]"),
    ({"items": [0, 0, {"price": MONEY}]}, "$.items[2].price"),
    ({"two words": MONEY}, "$['two words']"),
    ({5: MONEY}, "$[5]"),
    ({MONEY: 5}, "$[Money(amount=Decimal('1'), currency='EUR')]"),
    ((0, MONEY), "$[1]"),
    ({MONEY}, "$[0]"),
    (Open([MONEY]), "$.value[0]"),
    (Pair(MONEY), "$.left"),
    (Vector([MONEY]), "$.v[0]"),
    ({"$v": MONEY, "v": 1}, "$['$v']"),
    ({"v": MONEY}, "$.v"),
]


READ = {"$", "$[1]", "$.items[2].price", "$.value[0]", "$.left", "$.v[0]", "$['$v']", "$.v"}
PLACES = [case for case in WHERE if case[1] in READ]


@pytest.mark.parametrize(("value", "path"), WHERE, ids=[f"{at}-{path}" for at, (_, path) in enumerate(WHERE)])
def test_what_is_not_registered_is_told_when_it_is_written(value: Any, path: str) -> None:
    """The text names path and class, and what to call."""
    serializer = Serializer(Open, Pair, Vector)
    with pytest.raises(SerializationError) as caught:
        serializer.dumps(value)
    expected = f"{path}: {Money!r} is not registered; Serializer().register(Money)"
    assert (str(caught.value), caught.value.code, caught.value.path) == (expected, "unregistered_type", path)


@pytest.mark.parametrize(("value", "path"), PLACES, ids=range(len(PLACES)))
def test_what_is_not_registered_is_not_read(value: Any, path: str) -> None:
    """Reading names the same place, where keys are those of JSON."""
    serializer = Serializer(Open, Pair, Vector)
    with pytest.raises(DeserializationError) as caught:
        serializer.loads(serializer.with_types(Money).dumps(value))
    assert (caught.value.code, caught.value.path) == ("unregistered_type", path)


def test_the_place_may_begin_elsewhere() -> None:
    """Who writes a part of something gives its name."""
    with pytest.raises(SerializationError, match=r"^\$\.state\.a\[0\]: "):
        Serializer().dumps([MONEY], "$.state.a")
    with pytest.raises(DeserializationError, match=r"^\$\.state\.a\[0\]: ") as caught:
        Serializer().loads(Serializer(Money).dumps([MONEY]), "$.state.a")
    assert (caught.value.code, caught.value.path) == ("unregistered_type", "$.state.a[0]")


def test_what_can_be_done_about_a_foreign_class() -> None:
    """A class of no known kind needs functions."""
    with pytest.raises(SerializationError, match=r"register\(Count, encode=…, decode=…\)"):
        Serializer().dumps([Count(1)])
    with pytest.raises(SerializationError, match=r"register\(function, encode=…, decode=…\)"):
        Serializer().dumps([test_the_place_may_begin_elsewhere])
    with pytest.raises(SerializationError, match=r"register\(E, encode=…, decode=…\)"):
        Serializer().dumps(attrs.make_class("E", ["a"], bases=(ValueError,))(1))


def cycles() -> Iterator[Any]:
    """Give values that contain themselves."""
    in_list: list[Any] = []
    in_list += [1, in_list]
    yield in_list
    in_dict: dict[str, Any] = {}
    in_dict["me"] = {"again": in_dict}
    yield in_dict
    in_tuple: list[Any] = []
    in_tuple.append((in_tuple, 1))
    yield in_tuple
    record: Any = Open(None)
    record.value = [record]
    yield record
    doubled: list[Any] = []
    doubled += [doubled, doubled]
    yield doubled


@pytest.mark.parametrize("value", list(cycles()), ids=["list", "dict", "tuple", "record", "twice"])
def test_what_contains_itself_is_told(value: Any) -> None:
    """There is no end to it."""
    with pytest.raises(SerializationError, match=r"^\$.*….*: a value around this one contains itself") as caught:
        Serializer(Open).dumps(value)
    assert len(str(caught.value)) < 400


def list_of(value: Any) -> list[Any]:
    """Put a value in a list."""
    return [value]


def triple(value: Any) -> tuple[Any, ...]:
    """Put a value in a tuple."""
    return value, 1.5, None


WRAPS: list[Callable[[Any], Any]] = [list_of, lambda v: {"a": v}, lambda v: (v,), Open, lambda v: {1: v}]


def nested(depth: int, wrap: Any) -> Any:
    """Nest a value."""
    value: Any = 1
    for _ in range(depth):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    "wrap",
    WRAPS,
    ids=["list", "dict", "tuple", "record", "pairs"],
)
@pytest.mark.parametrize("depth", [85, 126, 127, 254, 255, 300, 2000])
def test_what_is_nested_too_deeply_is_told(wrap: Any, depth: int) -> None:
    """Either it can be written and read, or it is told when it is written."""
    serializer = Serializer(Open)
    value = nested(depth, wrap)
    try:
        data = serializer.dumps(value)
    except SerializationError as error:
        assert "nested too deeply" in str(error)  # noqa: PT017  (both outcomes are right, depending on the depth)
        assert depth > 80
    else:
        assert serializer.dumps(serializer.loads(data)) == data


def test_the_depth_that_can_be_written() -> None:
    """Plain JSON may be 254 levels deep, records and tuples half of that."""
    assert Serializer().loads(Serializer().dumps(nested(254, list_of))) == nested(254, list_of)
    records = nested(252, Open)
    assert Serializer(Open).loads(Serializer(Open).dumps(records)) is not None


@pytest.mark.parametrize(
    "error",
    [SerializationError("no", "unregistered_type", "$.a"), DeserializationError("no", "corrupt_data", "$.a[1]")],
    ids=repr,
)
def test_errors_travel(error: Any) -> None:
    """They survive pickling and copying, with code, path and cause (rule E1)."""
    error.__cause__ = ValueError("why")
    for copy in travelled(error):
        again: Any = copy
        assert type(again) is type(error)
        assert GraphRunnerException in type(again).__mro__
        assert (str(again), again.code, again.path) == (str(error), error.code, error.path)
        assert repr(again.__cause__) == "ValueError('why')"


def test_the_usual_codes() -> None:
    """They are stable."""
    assert SerializationError("no").code == "serialization_failed"
    assert DeserializationError("no").code == "corrupt_data"
    assert (SerializationError("no").path, DeserializationError("no").path) == ("$", "$")


def test_a_stack_that_is_nearly_full() -> None:
    """Where Python's own limit is reached first, that is told in the same way."""
    plain, tuples = nested(250, list_of), nested(120, triple)

    def further(depth: int, value: Any) -> Any:
        return further(depth - 1, value) if depth else Serializer().dumps(value)

    found = set[str]()
    for value in (plain, tuples, [plain, 1.5, None]):
        for depth in range(300, 960, 7):
            try:
                further(depth, value)
            except SerializationError as error:
                found.add(str(error).partition(": ")[2][:18])
            except RecursionError:
                break
    assert found <= {"nested too deeply,", "RecursionError: ma"}
    assert "nested too deeply," in found


def test_a_dict_that_changes_while_it_is_written() -> None:
    """What is written would be neither the old nor the new value, so it is told."""
    state: dict[str, Any] = {"a": Name("x"), "b": 1}

    def encode(name: Name) -> str:
        state[f"new {len(state)}"] = 1
        return str(name)

    with pytest.raises(SerializationError, match=r"^\$: RuntimeError: dictionary changed size") as caught:
        Serializer().register(Name, encode=encode, decode=Name).dumps(state)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_classes_that_raise() -> None:
    """A class that can not be looked at is no obstacle to the message."""

    class Odd(type):
        def __repr__(cls) -> str:
            raise ValueError

        def __getattr__(cls, name: str) -> Any:
            raise LookupError(name)

    value = Odd("Value", (), {})()
    with pytest.raises(SerializationError, match=r"^\$\.a: "):
        Serializer().dumps({"a": value})


def test_keys_that_are_not_shown_well() -> None:
    """A key whose text is long or raises is no obstacle to the message."""

    class Odd(Name):
        __slots__ = ()

        def __repr__(self) -> str:
            raise ValueError

    with pytest.raises(SerializationError, match="whose repr raised ValueError"):
        Serializer().dumps({Odd("a"): 1})
