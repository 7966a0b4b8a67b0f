"""Plain JSON values take the fast way: orjson's bytes, unless orjson would change a value."""

import enum
import json
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core.serializer import DeserializationError, Serializer
from graph_core.serializer.plain import dumped

_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
JSON: st.SearchStrategy[Any] = st.recursive(
    _LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


class Label(enum.StrEnum):
    A = "a"


class Name(str):
    __slots__ = ()


@given(JSON)
def test_plain_values_come_back(value: Any) -> None:
    """What is JSON comes back as it was: kinds, order of keys, signs of zeros."""
    assert repr(Serializer().loads(Serializer().dumps(value))) == repr(value)


@given(JSON)
def test_plain_values_are_readable_json(value: Any) -> None:
    """Anybody can read them: they are the JSON text of the value."""
    text = dumped(value)
    assert text is not None
    assert repr(json.loads(text)) == repr(value)


@pytest.mark.parametrize(
    "value",
    [
        (1,),
        float("nan"),
        float("inf"),
        Label.A,
        Name("a"),
        uuid.UUID(int=1),
        2**64,
        -(2**63) - 1,
        b"a",
        {1: 2},
        "\ud800",
    ],
    ids=repr,
)
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_what_orjson_would_change_is_not_plain(value: Any, depth: int) -> None:
    """A tuple is no list, a nan no null, an enum no str, wherever it stands."""
    for _ in range(depth):
        value = {"a": [0, value]}
    assert dumped(value) is None


@given(JSON, JSON)
def test_plain_values_beside_others(value: Any, other: Any) -> None:
    """What is plain in a dict that is not comes back as well, whatever its keys."""
    whole = {"a": value, "b": {"$": other, "c": '"$"'}, "tuple": (1,), "d": [value, {"$": value}]}
    assert repr(Serializer().loads(Serializer().dumps(whole))) == repr(whole)


@pytest.mark.parametrize("data", [b"", b"{", b"nan", b"\xff", b'"\\ud800"', b"[" * 100_000, b"1e999", b"1 2"])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    """Truncated, deep or foreign bytes are one kind of error."""
    with pytest.raises(DeserializationError, match="this is no JSON") as caught:
        Serializer().loads(data, "$.a")
    assert (caught.value.code, caught.value.path) == ("corrupt_data", "$.a")
