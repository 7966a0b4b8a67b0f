"""Bytes from anywhere: whatever they are, they give a value or one kind of error, and build nothing unknown."""

import contextlib
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core.serializer import DeserializationError, Serializer
from graph_core_tests.serializer.made import (
    Account,
    Color,
    Mode,
    Model,
    Money,
    Open,
    Order,
    Page,
    Pair,
    Point,
    Right,
    Short,
)
from graph_core_tests.serializer.test_built_in import ANY

KNOWN = Serializer(Account, Color, Mode, Model, Money, Open, Order, Page, Pair, Point, Right, Short)
HERE = Money.__module__
TREES = [
    # tags
    '{"$":null}',
    '{"$":5,"v":1}',
    '{"$":[],"v":1}',
    '{"$":{"$":"tuple","v":[]},"v":1}',
    '{"$":"","v":1}',
    '{"$":"@","v":1}',
    '{"$":"eval","v":"1"}',
    '{"$":"list","v":[]}',
    '{"$":"@builtins.eval","$v":"1"}',
    '{"$":"@os.system","$v":"true"}',
    '{"$":"$1","v":1}',
    # parts
    '{"$":"tuple"}',
    '{"$":"tuple","v":[],"w":1}',
    '{"$":"tuple","w":[]}',
    '{"$":"tuple","v":"ab"}',
    '{"$":"tuple","v":{"a":1}}',
    '{"$":"dict","v":{}}',
    '{"$":"dict","v":[[1]]}',
    '{"$":"dict","v":[[1,2,3]]}',
    '{"$":"dict","v":["ab"]}',
    '{"$":"dict","v":[[1,2],[1,3]]}',
    '{"$":"dict","v":[[1,2],[true,3]]}',
    '{"$":"dict","v":[[[],1]]}',
    '{"$":"set","v":[1,1]}',
    '{"$":"set","v":[1,true]}',
    '{"$":"set","v":[[]]}',
    '{"$":"set","v":"ab"}',
    '{"$":"frozenset","v":[{}]}',
    '{"$":"ordered_dict","v":[[1,2]]}',
    '{"$":"counter","v":"abc"}',
    '{"$":"frozen_mapping","v":5}',
    '{"$":"defaultdict","v":{},"factory":"eval"}',
    '{"$":"defaultdict","v":{},"factory":[]}',
    '{"$":"defaultdict","v":{}}',
    '{"$":"deque","v":[1,2],"maxlen":1}',
    '{"$":"deque","v":[],"maxlen":-1}',
    '{"$":"deque","v":[],"maxlen":"1"}',
    '{"$":"deque","v":[],"maxlen":99999999999999999999}',
    # numbers
    '{"$":"int","v":5}',
    '{"$":"int","v":"5"}',
    '{"$":"int","v":"0x10000000000000000"}',
    '{"$":"int","v":"1_0000000000000000000"}',
    '{"$":"int","v":" 10000000000000000000"}',
    '{"$":"int","v":"FFFFFFFFFFFFFFFFFFFFF"}',
    '{"$":"int","v":"x"}',
    '{"$":"float","v":"1.5"}',
    '{"$":"float","v":"NaN"}',
    '{"$":"float","v":1.5}',
    '{"$":"float","v":[]}',
    '{"$":"complex","v":[1,2]}',
    '{"$":"complex","v":[1.0]}',
    '{"$":"complex","v":"1j"}',
    '{"$":"decimal","v":"x"}',
    '{"$":"decimal","v":1.5}',
    '{"$":"decimal","v":"1E+99999999999999999999999"}',
    '{"$":"fraction","v":[1,0]}',
    '{"$":"fraction","v":[1.5,2]}',
    '{"$":"fraction","v":"1/2"}',
    # texts
    '{"$":"str","v":"YWI="}',
    '{"$":"str","v":"/w=="}',
    '{"$":"str","v":5}',
    '{"$":"bytes","v":"!"}',
    '{"$":"bytes","v":"YQ"}',
    '{"$":"bytes","v":"YQ==YQ=="}',
    '{"$":"bytes","v":"ä"}',
    '{"$":"bytes","v":[1]}',
    '{"$":"bytearray","v":5}',
    '{"$":"uuid","v":"{00000000-0000-0000-0000-000000000001}"}',
    '{"$":"uuid","v":"1"}',
    '{"$":"uuid","v":1}',
    '{"$":"path","v":5}',
    '{"$":"posix_path","v":["a","b"]}',
    '{"$":"windows_path","v":null}',
    # times
    '{"$":"datetime","v":"2020-01-01"}',
    '{"$":"datetime","v":"2020-01-01T00:00:00Z"}',
    '{"$":"datetime","v":"2020-13-01T00:00:00"}',
    '{"$":"datetime","v":5}',
    '{"$":"datetime","v":"2020-01-01T00:00:00","tz":"UTC"}',
    '{"$":"datetime","v":"2020-01-01T00:00:00","fold":2}',
    '{"$":"datetime","v":"2020-01-01T00:00:00","fold":[]}',
    '{"$":"datetime","v":"2020-01-01T00:00:00","x":1}',
    '{"$":"datetime"}',
    '{"$":"time","v":"25:00:00"}',
    '{"$":"time","v":"T01:00:00"}',
    '{"$":"date","v":"20200101"}',
    '{"$":"date","v":"2020-W01-1"}',
    '{"$":"timedelta","v":[1,2]}',
    '{"$":"timedelta","v":[1.5,0,0]}',
    '{"$":"timedelta","v":[999999999999,0,0]}',
    '{"$":"timezone","v":[]}',
    '{"$":"timezone","v":[5]}',
    '{"$":"timezone","v":[{"$":"timedelta","v":[9,0,0]}]}',
    '{"$":"timezone","v":[{"$":"timedelta","v":[0,0,0]},5]}',
    '{"$":"zoneinfo","v":"../../etc/passwd"}',
    '{"$":"zoneinfo","v":"/etc/passwd"}',
    '{"$":"zoneinfo","v":"No/Where"}',
    '{"$":"zoneinfo","v":"Europe"}',
    '{"$":"zoneinfo","v":""}',
    '{"$":"zoneinfo","v":5}',
    # records
    f'{{"$":"@{HERE}.Money"}}',
    f'{{"$":"@{HERE}.Money","amount":1}}',
    f'{{"$":"@{HERE}.Money","amount":{{"$":"decimal","v":"1"}},"else":1}}',
    f'{{"$":"@{HERE}.Money","amount":{{"$":"decimal","v":"1"}},"currency":null}}',
    f'{{"$":"@{HERE}.Money","amount":{{"$":"decimal","v":"1"}},"__class__":null}}',
    f'{{"$":"@{HERE}.Money","$v":1}}',
    f'{{"$":"@{HERE}.Order","lines":{{"$":"tuple","v":[]}},"total":1}}',
    f'{{"$":"@{HERE}.Pair"}}',
    f'{{"$":"@{HERE}.Pair","left":1,"right":true}}',
    f'{{"$":"@{HERE}.Pair","left":1,"count":1}}',
    f'{{"$":"@{HERE}.Short","items":[1,2,3]}}',
    f'{{"$":"@{HERE}.Short","items":{{}}}}',
    f'{{"$":"@{HERE}.Color","v":"BLUE"}}',
    f'{{"$":"@{HERE}.Color","v":"__class__"}}',
    f'{{"$":"@{HERE}.Color","v":"red"}}',
    f'{{"$":"@{HERE}.Color","v":[]}}',
    f'{{"$":"@{HERE}.Color"}}',
    f'{{"$":"@{HERE}.Right","v":99}}',
    f'{{"$":"@{HERE}.Right","v":"READ"}}',
    f'{{"$":"@{HERE}.Right","v":-1}}',
]


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("around", ["%s", '{"a":[%s]}', '{"$":"tuple","v":[%s]}'], ids=["bare", "json", "tuple"])
def test_what_is_never_written_is_refused(tree: str, around: str) -> None:
    """Wrong shapes, wrong types and foreign forms give the one error, and its place."""
    with pytest.raises(DeserializationError) as caught:
        KNOWN.loads(f'{{"$1":{around % tree}}}'.encode())
    assert caught.value.path.startswith({"%s": "$", '{"a":[%s]}': "$.a[0]"}.get(around, "$[0]"))
    assert caught.value.code in {"corrupt_data", "unregistered_type"}


@pytest.mark.parametrize("data", ['{"$2":1}', '{"$":1}', '{"$1x":1}', '{"$":"tuple"}'])
def test_another_version_is_refused(data: str) -> None:
    """A document of a form to come is not taken for data."""
    with pytest.raises(DeserializationError, match="unknown version"):
        Serializer().loads(data.encode())


@pytest.mark.parametrize("depth", [300, 1000, 100_000])
@pytest.mark.parametrize(
    ("left", "right"),
    [("[", "]"), ('{"a":', "}"), ('{"$":"tuple","v":[', "]}"), (f'{{"$":"@{HERE}.Open","value":', "}")],
    ids=["list", "dict", "tuple", "record"],
)
def test_what_is_nested_too_deeply_is_refused(left: str, right: str, depth: int) -> None:
    """The stack of Python is never exhausted."""
    data = f'{{"$1":{left * depth}1{right * depth}}}'.encode()
    try:
        KNOWN.loads(data)
    except DeserializationError as error:
        assert len(str(error)) < 1000  # noqa: PT017  (it may be read, where there is room)
    plain = f"{left * depth}1{right * depth}".encode()
    if left[0] == "[" and depth == 100_000:
        with pytest.raises(DeserializationError, match="this is no JSON"):
            KNOWN.loads(plain)


def test_a_stack_that_is_nearly_full() -> None:
    """Where Python's own limit is reached first, that is told in the same way."""

    def further(depth: int) -> Any:
        return further(depth - 1) if depth else KNOWN.loads(('{"$1":' + "[" * 250 + "]" * 250 + "}").encode())

    found = set[str]()
    for depth in range(300, 960, 20):
        try:
            further(depth)
        except DeserializationError as error:
            found.add(str(error).rpartition(": ")[2])
        except RecursionError:
            break
    assert found <= {"nested too deeply to be read"}


def test_huge_texts_of_numbers_are_read_in_time() -> None:
    """Digits that Python would refuse or take long for are no decimal digits."""
    value = int("f" * 200_000, 16)
    assert KNOWN.loads(('{"$1":{"$":"int","v":"' + "f" * 200_000 + '"}}').encode()) == value
    with pytest.raises(DeserializationError):
        KNOWN.loads(('{"$1":{"$":"int","v":"' + "9" * 200_000 + 'x"}}').encode())


def test_the_last_of_double_keys_counts() -> None:
    """JSON does not say what they mean, and orjson takes the last."""
    assert KNOWN.loads(b'{"a":1,"a":2}') == {"a": 2}
    assert KNOWN.loads(b'{"$1":{"$":"tuple","$":"set","v":[1]}}') == {1}


@given(st.binary(max_size=60))
def test_any_bytes(data: bytes) -> None:
    """They are a value or an error."""
    with contextlib.suppress(DeserializationError):
        KNOWN.loads(data)


@pytest.mark.parametrize("data", [None, 5, "", object(), [], "$"], ids=repr)
def test_what_are_no_bytes(data: Any) -> None:
    """The same error, not another."""
    with pytest.raises(DeserializationError, match="this is no JSON"):
        KNOWN.loads(data)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_drivers_have_other_kinds_of_bytes(kind: Any) -> None:
    """A saver gets what its database gives."""
    assert KNOWN.loads(kind(KNOWN.dumps((1,)))) == (1,)


TAGS = [
    *("tuple", "dict", "set", "int", "float", "decimal", "bytes", "datetime", "time", "timezone", "zoneinfo", "deque"),
    *("defaultdict", "command", "multi_command", "send", "overwrite", "remove", "ndarray", "numpy", "str", "fraction"),
    *(f"@{HERE}.{kind.__name__}" for kind in (Account, Color, Mode, Model, Money, Open, Order, Pair, Point, Right)),
]
KEYS = [
    *("v", "$v", "$loose", "$set", "$extra", "$private", "$", "tz", "fold", "maxlen", "factory", "name", "amount"),
    *("value", "left", "right", "x", "y", "goto_node", "goto_nodes", "update", "node", "state", "lines", "total"),
]
_LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=5) | st.sampled_from(TAGS)


def _inside(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    parts = st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    tags = st.sampled_from(TAGS)
    return st.lists(inner, max_size=3) | parts | st.builds(_tagged, tags, parts) | st.builds(_boxed, tags, inner)


def _tagged(tag: str, parts: dict[str, Any]) -> dict[str, Any]:
    return {"$": tag, **parts}


def _boxed(tag: str, value: Any) -> dict[str, Any]:
    return {"$": tag, "v": value}


_JSON: st.SearchStrategy[Any] = st.recursive(_LEAVES, _inside, max_leaves=10)


@given(_JSON)
def test_any_tree(tree: Any) -> None:
    """A document of any tree is a value that can be written again, or an error."""
    try:
        value = KNOWN.loads(json.dumps({"$1": tree}).encode())
    except DeserializationError:
        return
    KNOWN.dumps(value)


@given(ANY, st.data())
def test_changed_bytes(value: Any, data: st.DataObject) -> None:
    """What was cut, or changed at one place, is a value or an error."""
    written = bytearray(KNOWN.dumps([value, Money(Decimal(1)), Pair(value, 1), Color.RED]))
    at = data.draw(st.integers(0, len(written) - 1))
    if data.draw(st.booleans()):
        del written[at:]
    else:
        written[at] = data.draw(st.sampled_from(b'"$@v[]{}:,0129ax\x00\xff'))
    with contextlib.suppress(DeserializationError):
        KNOWN.loads(bytes(written))
