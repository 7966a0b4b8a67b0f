"""Numbers that JSON can not hold, and those of the standard library."""

from __future__ import annotations

import decimal
import fractions
import math
from typing import Any, Final

from graph_core.serializer.codec import Codec, as_is, boxed
from graph_core.serializer.failure import Failure

_LEAST, _MOST = -(2**63), 2**64 - 1
_DECIMALS: Final = decimal.Context(traps=[decimal.InvalidOperation])
_FLOATS: Final = frozenset({"nan", "-nan", "inf", "-inf"})


def fits(number: int) -> bool:
    """Tell whether orjson writes such an integer.

    >>> fits(2**64 - 1), fits(2**64)
    (True, False)
    """
    return _LEAST <= number <= _MOST


def _hex(number: int) -> str:
    return f"{number:x}"  # as decimals the digits would be limited, and take long


def _integer(text: Any) -> int:
    number = int(as_is(str, text), 16)
    if fits(number) or _hex(number) != text:
        raise Failure("this is not how an integer of this size is written")
    return number


def _special(number: float) -> str:
    return "-nan" if math.isnan(number) and math.copysign(1, number) < 0 else str(number)


def _float(text: Any) -> float:
    if as_is(str, text) not in _FLOATS:
        raise Failure(f"{text!r} is no float that needs this form")
    return float(text)


def _decimal(text: Any) -> decimal.Decimal:
    return decimal.Decimal(as_is(str, text), _DECIMALS)  # the context of the thread may let anything pass as NaN


def _fraction(pair: Any) -> fractions.Fraction:
    above, below = as_is(list, pair)
    return fractions.Fraction(as_is(int, above), as_is(int, below))


def _complex(pair: Any) -> complex:
    real, imaginary = as_is(list, pair)
    return complex(as_is(float, real), as_is(float, imaginary))


INTEGER: Final = boxed(int, "int", _hex, _integer)
FLOAT: Final = boxed(float, "float", _special, _float)
NUMBERS: Final[tuple[Codec, ...]] = (
    INTEGER,
    FLOAT,
    boxed(complex, "complex", lambda number: [number.real, number.imag], _complex),
    boxed(decimal.Decimal, "decimal", str, _decimal),
    boxed(fractions.Fraction, "fraction", lambda number: [number.numerator, number.denominator], _fraction),
)
