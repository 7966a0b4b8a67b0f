"""Records: attrs classes and dataclasses.

An instance is restored as it was, as `pickle` would do it: its constructor is not called, so converters
do not run a second time, and fields that the constructor does not take come back too.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import attrs

from graph_core.exception import InvalidRecordError
from graph_core.serializer.bodies import LOOSE, field_of, put_fields, refuse_unknown
from graph_core.serializer.codec import Codec, Parts
from graph_core.serializer.failure import Failure
from graph_core.state.schema.field import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core.serializer.fields import RecordField

_HASH: Final = "_attrs_cached_hash"
_HEAP_TYPE: Final = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement
_SLOTS_THAT_HOLD_NOTHING: Final = frozenset({"__weakref__", "__dict__", _HASH})
_set: Final = object.__setattr__

Others: TypeAlias = tuple[frozenset[str], tuple[str, ...]]
"""The names in `__dict__` that need not be kept, and the slots that are no fields."""


def restorable(cls: type) -> bool:
    """Tell whether all that instances hold is in attributes: not so if a base is a built-in type."""
    return all(base is object or base.__flags__ & _HEAP_TYPE for base in cls.__mro__)


def record_codec(cls: Any, tag: str, fields: Sequence[RecordField]) -> Codec:
    """Make the codec of an attrs class or a dataclass.

    Raises:
        InvalidRecordError: a base is a built-in type, and what instances hold as such would be lost.
    """
    if not restorable(cls):
        text = f"{cls.__qualname__} extends a built-in type, whose content is in no field"
        raise InvalidRecordError(f"{text}; say how it is written: register({cls.__qualname__}, encode=…, decode=…)")
    order = [field.name for field in fields]
    names = frozenset(order)
    others = other_attributes(cls, names)
    validates = attrs.has(cls) and any(item.validator for item in attrs.fields(cls))
    caches_hash = _caches_hash(cls)

    def encode(value: Any) -> Parts:
        held = {name: item for name in order if (item := getattr(value, name, MISSING)) is not MISSING}
        refuse_others(value, names, others)
        return put_fields(fields, held, {LOOSE: True} if validates and not _is_sound(value) else {})

    def decode(parts: Parts) -> Any:
        refuse_unknown(names, parts, cls)
        instance = _restored(cls, fields, parts)
        if caches_hash:
            _set(instance, _HASH, None)
        if validates and LOOSE not in parts:
            attrs.validate(instance)
        return instance

    return Codec(cls, tag, encode, decode)


def _restored(cls: Any, fields: Sequence[RecordField], parts: Parts) -> Any:
    instance = object.__new__(cls)
    for field in fields:
        item = field_of(field, parts)
        if item is MISSING and field.default is not None:
            item = field.default(instance)
        if item is not MISSING:
            _set(instance, field.name, item)
    return instance


def _caches_hash(cls: type) -> bool:
    cached = attrs.ClassProps.Hashability.HASHABLE_CACHED
    return any(attrs.inspect(base).hashability is cached for base in cls.__mro__ if "__attrs_attrs__" in vars(base))


def _is_sound(value: Any) -> bool:
    """Tell whether the class's own validators take an instance, as they did when it was made."""
    try:
        attrs.validate(value)
    except Exception:  # noqa: BLE001  (a validator may raise anything)
        return False
    return True


def other_attributes(cls: type, names: frozenset[str]) -> Others:
    """Find what instances may hold besides fields."""
    cached = {name for base in cls.__mro__ for name, item in vars(base).items() if _is_cached(item)}
    slots: set[str] = set()
    for base in cls.__mro__:
        own: Any = vars(base).get("__slots__", ())
        if "__attrs_attrs__" not in vars(base):  # attrs makes its own slots: of fields, and of cached properties
            slots |= {own} if isinstance(own, str) else set(own)
    return frozenset(cached | {_HASH}), tuple(sorted(slots - names - _SLOTS_THAT_HOLD_NOTHING))


def _is_cached(item: object) -> bool:
    return isinstance(item, cast("Any", functools.cached_property))


def refuse_others(value: Any, names: frozenset[str], others: Others) -> None:
    """Refuse an instance that holds more than its fields, as that would be lost."""
    cached, slots = others
    extra = [name for name in getattr(value, "__dict__", ()) if name not in names and name not in cached]
    extra += [name for name in slots if hasattr(value, name)]
    extra = [name for name in extra if not name.startswith("__")]  # of Python's own, as `__orig_class__`
    if extra:
        name = type(value).__qualname__
        text = f"its attribute {extra[0]!r} is no field of {name}, so it would be lost; declare it as one, or say how"
        raise Failure(f"{text} instances are written: register({name}, encode=…, decode=…)")
