"""Namedtuples: written like records, by the names of their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graph_core.serializer.bodies import field_of, put_fields, refuse_unknown
from graph_core.serializer.codec import Codec, Parts
from graph_core.serializer.records import Others, refuse_others
from graph_core.state.schema.field import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core.serializer.fields import RecordField

_NO_OTHERS: Final[Others] = (frozenset(), ())


def is_namedtuple(cls: Any) -> bool:
    """Tell whether it is made by `namedtuple` or `NamedTuple`."""
    return tuple in cls.__mro__ and hasattr(cls, "_field_defaults")


def tuple_codec(cls: Any, tag: str, fields: Sequence[RecordField]) -> Codec:
    """Make the codec of a namedtuple."""
    names = tuple(field.name for field in fields)

    def encode(value: Any) -> Parts:
        refuse_others(value, frozenset(), _NO_OTHERS)
        return put_fields(fields, dict(zip(names, value, strict=True)), {})

    def decode(parts: Parts) -> Any:
        refuse_unknown(names, parts, cls)
        held: dict[str, Any] = {}
        for field in fields:
            item = field_of(field, parts)
            held[field.name] = field.default(held) if item is MISSING and field.default else item
        return cls._make(held.values())

    return Codec(cls, tag, encode, decode)
