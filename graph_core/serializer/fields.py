"""The fields of records: what they may hold, and what stands for one that was not there when data was written."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final, final

import attrs

from graph_core.exception import InvalidRecordError
from graph_core.state.schema.hints import bindings, class_of, resolved, substituted
from graph_core.state.schema.kinds import Kinds, admits, kinds_of

_CONVERTER: Final[Any] = attrs.Converter
_FACTORY: Final[Any] = attrs.Factory


@final
@attrs.frozen
class RecordField:
    """A field of a record.

    Args:
        name: of the attribute.
        hint: what it declares to hold; `Any` if that is not known.
        default: gives what stands for it where data does not have it, of what was restored before it: the
            instance, of a pydantic model the fields as a dict; `None`: nothing does.
        required: an instance always has it.
        converts: the class converts what it is given, so the hint does not tell what the field holds.
    """

    name: str
    hint: Any
    default: Callable[[Any], Any] | None = None
    required: bool = True
    converts: bool = False
    _kinds: Kinds = attrs.field(
        init=False, default=attrs.Factory(lambda self: None if self.converts else kinds_of(self.hint), takes_self=True)
    )

    def fits(self, kind: type) -> bool:
        """Tell whether values of a class are declared for it."""
        return self._kinds is None or kind in self._kinds or admits(self._kinds, kind)


def hint_in(cls: Any, name: str, given: Any) -> Any:
    """Resolve a hint where it was written; `Any` if that can not be done."""
    origin: Any = class_of(cls)
    written = ((base, inspect.get_annotations(base)) for base in origin.__mro__)
    owner, hint = next(((base, own[name]) for base, own in written if name in own), (origin, given))
    try:
        return substituted(resolved(owner, name, hint), bindings(cls))
    except InvalidRecordError:
        return Any


def attrs_fields(cls: Any) -> Iterator[RecordField]:
    """Give the fields of an attrs class, those that its constructor does not take too."""
    for item in attrs.fields(class_of(cls)):
        hint = Any if item.type is None else hint_in(cls, item.name, item.type)
        converts = item.converter is not None
        yield RecordField(item.name, hint, _attrs_default(item), required=item.init, converts=converts)


def _attrs_default(item: Any) -> Callable[[Any], Any] | None:
    if item.default is attrs.NOTHING:
        return None

    def make(instance: Any) -> Any:
        value = item.default
        if isinstance(value, _FACTORY):
            value = value.factory(instance) if value.takes_self else value.factory()
        if isinstance(item.converter, _CONVERTER):
            return item.converter(value, instance, item)
        return value if item.converter is None else item.converter(value)

    return make


def dataclass_fields(cls: Any) -> Iterator[RecordField]:
    """Give the fields of a dataclass, those that its constructor does not take too."""
    for item in dataclasses.fields(class_of(cls)):
        default: Callable[[Any], Any] | None = None
        if item.default_factory is not dataclasses.MISSING:
            default = functools.partial(_made, item.default_factory)
        elif item.default is not dataclasses.MISSING:
            default = functools.partial(_given, item.default)
        yield RecordField(item.name, hint_in(cls, item.name, item.type), default, required=item.init)


def _made(factory: Callable[[], Any], _: Any) -> Any:
    return factory()


def _given(value: Any, _: Any) -> Any:
    return value


def tuple_fields(cls: Any) -> Iterator[RecordField]:
    """Give the fields of a namedtuple."""
    origin: Any = class_of(cls)
    for name in origin._fields:
        default: Callable[[Any], Any] | None = None
        if name in origin._field_defaults:
            default = functools.partial(_given, origin._field_defaults[name])
        yield RecordField(name, hint_in(cls, name, Any), default)


def model_fields(cls: Any) -> Iterator[RecordField]:
    """Give the fields of a pydantic model."""
    cls.model_rebuild(raise_errors=False)
    for name, info in cls.model_fields.items():
        default = None if info.is_required() else functools.partial(_of_model, info)
        yield RecordField(name, info.annotation, default)


def _of_model(info: Any, before: dict[str, Any]) -> Any:
    return info.get_default(call_default_factory=True, validated_data=dict(before))
