"""Arrays and scalars of numpy: as bytes of a known kind, never by pickle, and without importing numpy."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from graph_core import InvalidRecordError
from graph_core.serializer import DeserializationError, SerializationError, Serializer
from graph_core_tests.serializer.exact import back

ARRAYS: list[Any] = [
    np.arange(6).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(10, dtype=">i2")[::3],
    np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    np.array(1.5),
    np.zeros((0, 3)),
    np.array([True, False]),
    np.array([1 + 2j], "complex64"),
    np.array(["a", "äö€"]),
    np.array([b"a", b"bc"]),
    np.array(["2020-01-01", "NaT"], "datetime64[D]"),
    np.array([1, 2], "timedelta64[25ms]"),
    np.array([np.nan, -0.0, np.inf], "float16"),
    np.array([], "float32"),
]
SCALARS: list[Any] = [
    np.float64(0.1),
    np.float32("nan"),
    np.int8(-5),
    np.uint64(2**64 - 1),
    np.bool_(1),
    np.complex128(1j),
    np.str_("ä\0"),
    np.str_(""),
    np.bytes_(b"a\0"),
    np.datetime64("2020-01-01T00:00:00.5"),
    np.timedelta64(5, "h"),
]


@pytest.mark.parametrize("array", ARRAYS, ids=[f"{at}-{array.dtype}" for at, array in enumerate(ARRAYS)])
def test_an_array_comes_back(array: Any) -> None:
    """Kind of elements, shape, order in memory and bytes are the same, and it can be written to."""
    again = back({"a": (array,)})["a"][0]
    assert (type(again), again.dtype, again.shape) == (type(array), array.dtype, array.shape)
    assert again.tobytes() == array.tobytes()
    assert again.flags.writeable
    assert again.flags.f_contiguous or not np.isfortran(array)


@pytest.mark.parametrize("scalar", SCALARS, ids=[type(scalar).__name__ + str(at) for at, scalar in enumerate(SCALARS)])
def test_a_scalar_comes_back(scalar: Any) -> None:
    """It stays a scalar of numpy."""
    again = back([scalar])[0]
    assert (type(again), again.dtype, again.tobytes()) == (type(scalar), scalar.dtype, scalar.tobytes())


@pytest.mark.parametrize(
    "array",
    [
        np.array([object()]),
        np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")]),
        np.zeros(2, "V3"),
    ],
    ids=lambda array: str(array.dtype),
)
def test_other_elements_are_refused(array: Any) -> None:
    """Objects would need pickle; records have no such form."""
    with pytest.raises(SerializationError, match="can not be written without pickle"):
        Serializer().dumps(array)


def test_kinds_of_arrays_are_other_types() -> None:
    """What a masked array or a matrix holds besides its elements would be lost."""
    make: Any = np.ma.array
    with pytest.raises(SerializationError, match=r"MaskedArray'> is not registered"):
        Serializer().dumps(make([1]))


@pytest.mark.parametrize("kind", [np.ndarray, np.float64, np.str_], ids=lambda kind: kind.__name__)
def test_they_are_built_in(kind: Any) -> None:
    """To register them is not needed, and does not change their form."""
    serializer = Serializer(kind)
    serializer.dumps(np.float64(1))
    assert repr(serializer.register(kind)) == "Serializer()"
    with pytest.raises(InvalidRecordError, match="is built in"):
        serializer.register(kind, encode=str, decode=kind)


def test_where_numpy_is_not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data of it is told to need it; other values are not concerned."""
    data = Serializer().dumps(np.arange(2))
    monkeypatch.delitem(sys.modules, "numpy")
    with pytest.raises(DeserializationError, match="`import numpy` where the graph is defined"):
        Serializer().loads(data)
    with pytest.raises(SerializationError, match="is not registered"):
        Serializer().dumps([object()])


@pytest.mark.parametrize(
    "entries",
    [
        '"dtype":"|O8","shape":[1],"order":"C","v":"AAAAAAAAAAA="',
        '"dtype":"O","shape":[1],"order":"C","v":"AAAAAAAAAAA="',
        '"dtype":"i4,i4","shape":[1],"order":"C","v":"AAAAAAAAAAA="',
        '"dtype":"<i3","shape":[1],"order":"C","v":"AAAA"',
        '"dtype":"<i8","shape":[2],"order":"C","v":"AAAAAAAAAAA="',
        '"dtype":"<i8","shape":[-1],"order":"C","v":"AAAAAAAAAAA="',
        '"dtype":"<i8","shape":[true],"order":"C","v":"AAAAAAAAAAA="',
        '"dtype":"<i8","shape":1,"order":"C","v":"AAAAAAAAAAA="',
        '"dtype":"<i8","shape":[1],"order":"A","v":"AAAAAAAAAAA="',
        '"dtype":"<i8","shape":[1],"order":[],"v":"AAAAAAAAAAA="',
        '"dtype":"<i8","shape":[1],"order":"C","v":"AAAA"',
        '"dtype":"<i8","shape":[1],"order":"C","v":"!"',
        '"dtype":5,"shape":[1],"order":"C","v":""',
        '"dtype":"<M8[x]","shape":[1],"order":"C","v":"AAAAAAAAAAA="',
        '"dtype":"|b1","shape":[1],"order":"C","v":"Ag=="',
        '"dtype":"<U1","shape":[1],"order":"C","v":"/////w=="',
        '"dtype":"|u1","shape":[99999999999999999999999],"order":"C","v":""',
        '"dtype":"|u1","shape":[],"v":""',
    ],
)
def test_a_bad_array_is_refused(entries: str) -> None:
    """Kind, shape and bytes must be of each other, and of what is written."""
    with pytest.raises(DeserializationError):
        Serializer().loads(f'{{"$1":{{"$":"ndarray",{entries}}}}}'.encode())


@pytest.mark.parametrize("entries", ['"dtype":"<i8","v":""', '"dtype":"U","v":5', '"dtype":"S","v":"a"', '"v":1'])
def test_a_bad_scalar_is_refused(entries: str) -> None:
    """A scalar is one element."""
    with pytest.raises(DeserializationError):
        Serializer().loads(f'{{"$1":{{"$":"numpy",{entries}}}}}'.encode())


PROGRAM = """
import sys
from graph_core import InvalidRecordError
from graph_core.serializer import Serializer
try:
    Serializer().dumps(object())
except Exception as error:
    print(error)
try:
    Serializer().loads(sys.argv[1].encode())
except Exception as error:
    print(error)
print("numpy" in sys.modules)
"""


def test_numpy_is_never_imported() -> None:
    """Where it is not imported, data of it is told to need it."""
    data = Serializer().dumps(np.arange(2)).decode()
    run = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", PROGRAM, data], capture_output=True, text=True, check=True
    )
    first, second, third = run.stdout.splitlines()
    assert first.startswith("$: <class 'object'> is not registered")
    assert "`import numpy` where the graph is defined" in second
    assert third == "False"
