"""What comes back without being registered, in its exact class."""

import datetime as dt
import pathlib
import sys
import uuid
import zoneinfo
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core.serializer import SerializationError, Serializer
from graph_core.state.frozen import FrozenMapping
from graph_core_tests.serializer.exact import back, is_exact

PARIS = zoneinfo.ZoneInfo("Europe/Paris")
NAN = float("nan")
INF = float("inf")
VALUES: list[Any] = [
    None,
    True,
    0,
    -0.0,
    "ä€𝄞",
    2**64,
    -(2**63) - 1,
    10**4000,
    NAN,
    -NAN,
    INF,
    -INF,
    complex(-0.0, NAN),
    complex(INF, 1),
    Decimal("-0E+5"),
    Decimal("NaN12"),
    Decimal("-sNaN"),
    Decimal("-Infinity"),
    Decimal("1." + "1" * 60),
    Fraction(-(10**30), 3),
    "\ud800",
    "a\udc00\ud83d\ude00",
    {"\ud800": 1},
    b"",
    b"\x00\xff" * 9,
    bytearray(b"ab"),
    uuid.UUID(int=2**127 + 5),
    pathlib.Path("a/b.txt"),
    pathlib.Path(),
    pathlib.PurePosixPath("/x/y"),
    pathlib.PureWindowsPath("C:\\x\\y"),
    dt.date(1, 1, 1),
    dt.datetime.max,  # noqa: DTZ901  (without a time zone)
    dt.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=dt.UTC),
    dt.datetime(2020, 10, 25, 2, 30, tzinfo=PARIS),
    dt.datetime(2020, 10, 25, 2, 30, tzinfo=PARIS, fold=1),
    dt.datetime(2020, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=-5, seconds=1), "here")),
    dt.time(1, 2, tzinfo=dt.UTC, fold=1),
    dt.time(),
    dt.timedelta.min,
    dt.timedelta(microseconds=-1),
    dt.UTC,
    dt.timezone(dt.timedelta(hours=2)),
    PARIS,
    (),
    (1, (2,), [3, (4,)]),
    {1, "a", None},
    set[int](),
    frozenset({(1, 2), frozenset({3})}),
    {1: "int", "1": "str", None: 0, 1.5: [], (1, 2): (3,), b"k": {}, True + 1: 2},
    {True: 1, "x": 2},
    {"b": 1, "a": (2,)},
    {"$": 1},
    {"$": "tuple", "v": [1]},
    {"$1": 1},
    {"$1": {"$": "tuple", "v": []}},
    {"$2": None},
    {"a": {"$": "decimal", "v": "1"}, "b": (1,)},
    {"$": {"$": {"$": (1,)}}},
    deque([1, (2,)], 5),
    deque[int](),
    OrderedDict([("b", 1), ("a", 2)]),
    Counter("abca"),
    defaultdict(list, {"a": [1]}),
    defaultdict(None, {(1,): 2}),
    FrozenMapping({"a": (1,)}),
    FrozenMapping[str, int](),
]


WRAPS: list[Callable[[Any], Any]] = [lambda v: v, lambda v: {"a": [v]}, lambda v: (v, {5: v})]


@pytest.mark.parametrize("value", VALUES, ids=[f"{type(value).__name__}-{at}" for at, value in enumerate(VALUES)])
@pytest.mark.parametrize("wrap", WRAPS, ids=["bare", "json", "deep"])
def test_a_value_comes_back_as_it_was(value: Any, wrap: Any) -> None:
    """Class, value, order of keys and signs are the same, wherever the value stands."""
    assert is_exact(back(wrap(value)), wrap(value))


def test_what_is_written_is_json() -> None:
    """The document can be read by people, and kept where only JSON can be."""
    assert Serializer().dumps({"a": (1, Decimal("2.50"))}) == (
        b'{"$1":{"a":{"$":"tuple","v":[1,{"$":"decimal","v":"2.50"}]}}}'
    )


def test_a_dict_that_looks_like_a_document_is_data() -> None:
    """No value of a user's is taken for the library's own form."""
    written = Serializer().dumps({"$1": {"$": "tuple", "v": [1]}})
    assert Serializer().loads(written) == {"$1": {"$": "tuple", "v": [1]}}
    assert b'"dict"' in written


def test_factories_of_default_dicts() -> None:
    """The factory comes back if it is a built-in type, else it is refused."""
    again = back(defaultdict(int, {"a": 1}))
    assert again["b"] == 0
    with pytest.raises(SerializationError, match="must be a built-in type as list or int"):
        Serializer().dumps(defaultdict[str, int](lambda: 1))


def test_the_longest_deque_is_kept() -> None:
    """A bounded deque stays bounded."""
    assert back(deque([1, 2], 2)).maxlen == 2


def test_utc_is_the_one() -> None:
    """The zone of UTC comes back as the same object, and one with a name keeps it."""
    assert back(dt.UTC) is dt.UTC
    assert str(back(dt.timezone(dt.timedelta(0), "Z"))) == "Z"
    assert back(PARIS) is PARIS


def test_a_zone_without_key_is_refused() -> None:
    """A zone that was read from a file can not be found again."""
    place = next(pathlib.Path(each) / "UTC" for each in zoneinfo.TZPATH if (pathlib.Path(each) / "UTC").exists())
    with place.open("rb") as file:
        nameless = zoneinfo.ZoneInfo.from_file(file)
    with pytest.raises(SerializationError, match=r"^\$\.at: a ZoneInfo without a key can not be found again"):
        Serializer().dumps({"at": nameless})


def test_equal_sets_are_written_alike() -> None:
    """The bytes do not depend on the order in which a set was filled."""
    forth, back_ = {f"k{i}" for i in range(40)}, {f"k{i}" for i in reversed(range(40))}
    assert Serializer().dumps(forth) == Serializer().dumps(back_)


def test_mutable_values_are_fresh() -> None:
    """What comes back shares nothing with what was written, and shared values come back as equal copies."""
    inner = [1]
    again = back([inner, inner, (inner,)])
    assert again == [[1], [1], ([1],)]
    assert again[0] is not again[1]
    assert again[0] is not inner


def test_the_context_of_decimals_does_not_matter() -> None:
    """Neither precision nor traps of the thread change or let pass a number."""
    number = Decimal("1234567890.123456789E+5")
    with localcontext(Context(prec=2, capitals=0, traps=[])):
        written = Serializer().dumps(number)
        assert is_exact(Serializer().loads(written), number)
    assert is_exact(Serializer().loads(written), number)


def test_the_limit_of_digits_does_not_matter() -> None:
    """An integer of any size is written and read, however many decimal digits Python would convert."""
    assert sys.get_int_max_str_digits() < 10**4
    assert back(-(7**20_000)) == -(7**20_000)


_KEYS = st.text() | st.integers() | st.booleans() | st.none() | st.tuples(st.integers(), st.text()) | st.dates()
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.text(st.characters(categories=["Cs", "Lu"]))
    | st.binary()
    | st.decimals()
    | st.fractions()
    | st.uuids()
    | st.dates()
    | st.times(timezones=st.just(dt.UTC) | st.none())
    | st.datetimes(timezones=st.timezones() | st.none(), allow_imaginary=True)
    | st.timedeltas()
    | st.complex_numbers()
    | st.sampled_from(["$", "$1", "v"])
)


def _inside(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = _KEYS | st.sampled_from(["$", "$1", "v"])
    return (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.dictionaries(st.text() | st.just("$"), inner, max_size=4)
        | st.sets(_KEYS, max_size=4)
        | st.frozensets(_KEYS, max_size=4)
        | st.lists(inner, max_size=4).map(deque)
        | st.dictionaries(_KEYS, inner, max_size=4).map(OrderedDict)
    )


ANY: st.SearchStrategy[Any] = st.recursive(_LEAVES, _inside, max_leaves=12)


@given(ANY)
def test_any_value_comes_back(value: Any) -> None:
    """Whatever is put together of these comes back exactly, and is written the same again."""
    written = Serializer().dumps(value)
    again = Serializer().loads(written)
    assert is_exact(again, value)
    assert Serializer().dumps(again) == written
