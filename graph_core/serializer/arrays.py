"""Arrays and scalars of numpy, which is never imported here: whoever has an array has imported it."""

from __future__ import annotations

import math
import re
import sys
from typing import Any, Final

import attrs

from graph_core.serializer.codec import PAYLOAD, Codec, Parts, as_is, taken
from graph_core.serializer.failure import Failure
from graph_core.serializer.texts import base64, from_base64

# Numbers, times and texts of a fixed size; no objects, which would need pickle, and no records.
_DTYPE: Final = re.compile(r"[<>|=][biufcmMSU][1-9]\d*(\[\d*[a-zA-Z]+\])?")
_ARRAY, _SCALAR = "ndarray", "numpy"


def array_codec(kind: type) -> Codec | None:
    """Give the codec of a class of numpy; `None` if it is of elsewhere."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        return None
    if kind is numpy.ndarray:
        return attrs.evolve(ARRAY, cls=kind)
    return attrs.evolve(SCALAR, cls=kind) if issubclass(kind, numpy.generic) else None


def _numpy() -> Any:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        raise Failure("this is of numpy, which is not imported here; `import numpy` where the graph is defined")
    return numpy


def _put_array(array: Any) -> Parts:
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    parts: Parts = {"dtype": _name_of(array.dtype), "shape": list(array.shape), "order": order}
    return parts | {PAYLOAD: base64(array.tobytes(order))}


def _name_of(dtype: Any) -> str:
    name: str = dtype.str
    if dtype.hasobject or not _DTYPE.fullmatch(name):
        raise Failure(f"an array of dtype {dtype!r} can not be written without pickle; write a list, or numbers")
    return name


def _get_array(parts: Parts) -> Any:
    name, shape, order, data = taken(parts, "dtype", "shape", "order", PAYLOAD)
    flat = _elements(name, data)
    if not all(type(size) is int and size >= 0 for size in as_is(list, shape)) or math.prod(shape) != flat.size:
        raise Failure(f"{flat.size} elements have not the shape {shape!r}")
    if order not in {"C", "F"}:
        raise Failure(f"an order is 'C' or 'F', not {order!r}")
    return flat.reshape(shape, order=order)


def _elements(name: Any, data: Any) -> Any:
    """Give the elements as an array of one dimension that can be written to.

    Raises:
        Failure: they are no numbers, times or texts.
    """
    numpy = _numpy()
    if not _DTYPE.fullmatch(as_is(str, name)):
        raise Failure(f"{name!r} is no dtype of numbers, times or texts")
    found = numpy.frombuffer(from_base64(data), numpy.dtype(name)).copy()
    if found.dtype.kind == "b" and (found.view(numpy.uint8) > 1).any():
        raise Failure("a bool is one of two bytes")
    if found.dtype.kind == "U":
        found.tolist()  # raises if one is no character
    return found


def _put_scalar(scalar: Any) -> Parts:
    if scalar.dtype.kind in "SU":  # a text, whose zeros at the end an array would lose
        whole = scalar[:]
        return {"dtype": scalar.dtype.kind, PAYLOAD: whole}
    return {"dtype": _name_of(scalar.dtype), PAYLOAD: base64(scalar.tobytes())}


def _get_scalar(parts: Parts) -> Any:
    name, data = taken(parts, "dtype", PAYLOAD)
    numpy = _numpy()
    if name == "U":
        return numpy.str_(as_is(str, data))
    if name == "S":
        return numpy.bytes_(as_is(bytes, data))
    (found,) = _elements(name, data)
    return found


# Their classes are known when numpy is.
ARRAY: Final = Codec(object, _ARRAY, _put_array, _get_array)
SCALAR: Final = Codec(object, _SCALAR, _put_scalar, _get_scalar)
