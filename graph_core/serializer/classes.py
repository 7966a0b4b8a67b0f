"""What kind a class is, and the codec that this makes."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from graph_core.serializer.enums import enum_codec
from graph_core.serializer.fields import RecordField, attrs_fields, dataclass_fields, model_fields, tuple_fields
from graph_core.serializer.models import is_model, model_codec
from graph_core.serializer.records import record_codec, restorable
from graph_core.serializer.tuples import is_namedtuple, tuple_codec
from graph_core.state.schema.hints import class_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core.serializer.codec import Codec

_Fields: TypeAlias = Callable[[Any], Iterator[RecordField]]
_Make: TypeAlias = Callable[[Any, str, "Sequence[RecordField]"], "Codec"]


def _kind_of(cls: Any) -> tuple[_Fields, _Make] | None:
    """Tell how the fields of a record are found, and how its codec is made; `None` if it is no record."""
    if is_model(cls):
        return model_fields, model_codec
    if is_namedtuple(cls):
        return tuple_fields, tuple_codec
    if attrs.has(cls):
        return attrs_fields, record_codec
    return (dataclass_fields, record_codec) if dataclasses.is_dataclass(cls) else None


def fields_of(cls: Any) -> tuple[RecordField, ...] | None:
    """Give the fields of a record, or of an alias as `Page[int]`; `None` if it is none.

    >>> fields_of(int) is None
    True
    """
    origin: Any = class_of(cls)
    kind = _kind_of(origin) if isinstance(origin, type) else None
    return None if kind is None else tuple(kind[0](cls))


def is_registrable(cls: Any) -> bool:
    """Tell whether a class can be registered without functions: an enum, or a record that holds all in its fields.

    >>> is_registrable(enum.Enum("Color", "RED")), is_registrable(int)
    (True, False)
    """
    if is_enum(cls):
        return True
    kind = _kind_of(cls) if isinstance(cls, type) else None
    return kind is not None and (kind[1] is not record_codec or restorable(cls))


def is_enum(cls: Any) -> bool:
    """Tell whether it is an enum with members.

    >>> is_enum(enum.Enum), is_enum(enum.Enum("Color", "RED"))
    (False, True)
    """
    return isinstance(cls, enum.EnumMeta) and bool(cls.__members__)


def codec_for(cls: Any, tag: str) -> Codec | None:
    """Make the codec of a record or an enum; `None` if a class is neither.

    Raises:
        InvalidRecordError: a record extends a built-in type.
    """
    if is_enum(cls):
        return enum_codec(cls, tag)
    kind = _kind_of(cls)
    return None if kind is None else kind[1](cls, tag, tuple(kind[0](cls)))
