"""Pydantic models, found without importing pydantic: restored as they were, not validated again."""

from __future__ import annotations

import copy
import sys
from typing import TYPE_CHECKING, Any, Final

from graph_core.serializer.bodies import LOOSE, field_of, put_fields, refuse_unknown
from graph_core.serializer.codec import Codec, Parts, as_is
from graph_core.serializer.failure import Failure
from graph_core.serializer.records import other_attributes, refuse_others
from graph_core.state.schema.field import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core.serializer.fields import RecordField

_SET, _EXTRA, _PRIVATE = "$set", "$extra", "$private"
_OURS: Final = frozenset({LOOSE, _SET, _EXTRA, _PRIVATE})


def is_model(cls: type) -> bool:
    """Tell whether it is a pydantic model; whoever has one has imported pydantic."""
    pydantic: Any = sys.modules.get("pydantic")
    return pydantic is not None and issubclass(cls, pydantic.BaseModel)


def model_codec(cls: Any, tag: str, fields: Sequence[RecordField]) -> Codec:
    """Make the codec of a model: its fields, which of them were set, extra ones, and private attributes."""
    names = tuple(field.name for field in fields)
    known = frozenset(names)
    others = other_attributes(cls, known)
    allowed = known | _OURS

    def encode(value: Any) -> Parts:
        extra: dict[str, Any] = value.__pydantic_extra__ or {}
        was_set: set[str] = value.__pydantic_fields_set__
        parts: Parts = {}
        if was_set != {*names, *extra}:
            parts[_SET] = [name for name in (*names, *extra) if name in was_set]
        if extra:
            parts[_EXTRA] = extra
        if private := _private(value):
            parts[_PRIVATE] = private
        refuse_others(value, known, others)
        return put_fields(fields, value.__dict__, parts)

    def decode(parts: Parts) -> Any:
        refuse_unknown(allowed, parts, cls)
        return _restored(cls, fields, parts)

    return Codec(cls, tag, encode, decode)


def _private(value: Any) -> dict[str, Any]:
    undefined: Any = sys.modules["pydantic_core"].PydanticUndefined
    held: dict[str, Any] = value.__pydantic_private__ or {}
    return {name: item for name, item in held.items() if item is not undefined}


def _restored(cls: Any, fields: Sequence[RecordField], parts: Parts) -> Any:
    extra = as_is(dict, parts.get(_EXTRA, {}))
    private = as_is(dict, parts.get(_PRIVATE, {}))
    was_set = set(as_is(list, parts.get(_SET, [*(parts.keys() - _OURS), *extra])))
    held: dict[str, Any] = {}
    for field in fields:
        item = field_of(field, parts)
        held[field.name] = field.default(held) if item is MISSING and field.default else item
    if extra and cls.model_config.get("extra") != "allow":
        raise Failure(f"{cls.__qualname__} has no extra fields")
    if not was_set <= held.keys() | extra.keys() or not private.keys() <= cls.__private_attributes__.keys():
        raise Failure("it names fields that are not there")
    instance = cls.__new__(cls)
    instance.__setstate__(
        {
            "__dict__": held,
            "__pydantic_fields_set__": was_set,
            "__pydantic_extra__": extra if cls.model_config.get("extra") == "allow" else None,
            "__pydantic_private__": {**_private_defaults(cls, held), **private} if cls.__private_attributes__ else None,
        }
    )
    return instance


def _private_defaults(cls: Any, held: dict[str, Any]) -> dict[str, Any]:
    undefined: Any = sys.modules["pydantic_core"].PydanticUndefined
    found = {name: _private_default(item, held) for name, item in cls.__private_attributes__.items()}
    return {name: item for name, item in found.items() if item is not undefined}


def _private_default(item: Any, held: dict[str, Any]) -> Any:
    if item.default_factory is None:
        return copy.deepcopy(item.default)
    takes_data = getattr(item, "default_factory_takes_validated_data", False)  # newer versions have it
    return item.default_factory({**held}) if takes_data else item.default_factory()
