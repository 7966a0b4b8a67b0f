"""Reading the fields of a class: TypedDict, attrs class, dataclass, pydantic model (rule T1)."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import sys
import typing
from typing import TYPE_CHECKING, Any, Final

import attrs
import typing_extensions

from graph_core.exception import InvalidRecordError
from graph_core.state.markers import UNTRACKED
from graph_core.state.schema.field import Kind, SchemaField
from graph_core.state.schema.hints import bindings, class_of, resolved, substituted, unwrapped
from graph_core.state.schema.strategy import checked_strategy, refuse_inner_strategy, strategy_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_MUTABLE: Final = (list, dict, set, bytearray)
_STRATEGY: Final = "strategy"
_FACTORY: Final[Any] = attrs.Factory
_CONVERTER: Final[Any] = attrs.Converter


def kind_of(cls: Any) -> Kind | None:
    """Tell what kind of schema a class (or an alias as `Page[int]`) is; `None` if it is none."""
    origin: Any = class_of(cls)
    if not isinstance(origin, type):
        return None
    if typing_extensions.is_typeddict(origin):
        return "typed_dict"
    if _is_model(origin):
        return "pydantic"
    if attrs.has(origin):
        return "attrs"
    return "dataclass" if dataclasses.is_dataclass(origin) else None


def _is_model(cls: type) -> bool:
    """Tell whether it is a pydantic model; whoever has one has imported pydantic."""
    pydantic: Any = sys.modules.get("pydantic")
    if pydantic is None or cls is pydantic.BaseModel:
        return False
    return issubclass(cls, pydantic.BaseModel) and not issubclass(cls, pydantic.RootModel)


class Reader:
    """Reads the fields of one class.

    Args:
        cls: the class or an alias of it.
        strict: a hint that can not be resolved is an error; else it says nothing.
    """

    def __init__(self, cls: Any, *, strict: bool) -> None:
        self.origin: Any = class_of(cls)
        self.name: str = self.origin.__qualname__
        self.strict = strict
        self.bound = bindings(cls)

    def fields(self) -> list[SchemaField]:
        """Give the fields in the order of declaration.

        Raises:
            InvalidRecordError: a hint can not be resolved, a strategy takes no two values, or a default
                depends on the instance.
        """
        readers: dict[Any, Callable[[], Iterator[SchemaField]]] = {
            "typed_dict": self._of_typed_dict,
            "attrs": self._of_attrs,
            "dataclass": self._of_dataclass,
            "pydantic": self._of_model,
        }
        return list(readers[kind_of(self.origin)]())

    def where(self, name: str) -> str:
        """Name a field in an error text."""
        return f"field {name!r} of {self.name}"

    def _field(self, name: str, hint: Any, metadata: Mapping[Any, Any], **more: Any) -> SchemaField:
        found = unwrapped(substituted(hint, self.bound))
        if self.strict and isinstance(found.type, str | typing.ForwardRef):
            raise InvalidRecordError(f"{self.where(name)}: its type, {found.type!r}, can not be resolved")
        if found.required is not None:
            more["required"] = found.required
        if _STRATEGY in metadata:
            strategy: Any = checked_strategy(metadata[_STRATEGY], self.where(name)) if self.strict else None
        else:
            strategy = strategy_in(found.metadata, self.where(name)) if self.strict else None
            if self.strict and strategy is None:
                refuse_inner_strategy(hint, self.where(name))
        more["is_untracked"] = any(item is UNTRACKED for item in found.metadata)
        return SchemaField(name, found.type, strategy, **more)

    def _hint(self, name: str, given: Any) -> Any:
        """Resolve the hint of a field where it was written."""
        owner, hint = next(self._written(name), (self.origin, given))
        try:
            return resolved(owner, name, hint)
        except InvalidRecordError:
            if self.strict:
                raise
            return Any

    def _written(self, name: str) -> Iterator[tuple[type, Any]]:
        for base in self.origin.__mro__:
            own = inspect.get_annotations(base)
            if name in own:
                yield base, own[name]

    def _of_typed_dict(self) -> Iterator[SchemaField]:
        for name, given in inspect.get_annotations(self.origin).items():
            yield self._field(name, self._hint(name, given), {}, required=name in self.origin.__required_keys__)

    def _of_attrs(self) -> Iterator[SchemaField]:
        for item in attrs.fields(self.origin):
            if not item.init:
                continue  # made by the class itself
            hint = Any if item.type is None else self._hint(item.name, item.type)
            more: dict[str, Any] = {"alias": item.alias, "kw_only": item.kw_only}
            default = self._attrs_default(item)
            more |= {"required": default is None, "make_default": default, "converts": item.converter is not None}
            yield self._field(item.name, hint, item.metadata, **more)

    def _attrs_default(self, item: Any) -> Any:
        if item.default is attrs.NOTHING:
            return None
        if not isinstance(item.default, _FACTORY):
            make = _given(item.default)
        elif item.default.takes_self and self.strict:
            raise self._bound_to_instance(item.name, "a factory that takes no instance, attrs.Factory(list)")
        else:
            make = item.default.factory
        if item.converter is None or isinstance(item.converter, _CONVERTER):
            return make  # such a converter may look at the instance
        return functools.partial(_converted, item.converter, make)

    def _bound_to_instance(self, name: str, right: str) -> InvalidRecordError:
        text = f"the default of {self.where(name)} is made of other fields, and a state has no such instance when a"
        return InvalidRecordError(f"{text} run starts; give {right}, or let a node write the key")

    def _of_dataclass(self) -> Iterator[SchemaField]:
        for item in dataclasses.fields(self.origin):
            if not item.init:
                continue  # made by the class itself
            default: Callable[[], object] | None = None
            if item.default_factory is not dataclasses.MISSING:
                default = item.default_factory
            elif item.default is not dataclasses.MISSING:
                default = _given(item.default)
            more: dict[str, Any] = {"required": default is None, "make_default": default, "kw_only": item.kw_only}
            yield self._field(item.name, self._hint(item.name, item.type), item.metadata, **more)

    def _of_model(self) -> Iterator[SchemaField]:
        self._complete()
        for name, info in self.origin.model_fields.items():
            default: Callable[[], object] | None = None
            if info.default_factory is not None:
                if info.default_factory_takes_validated_data and self.strict:
                    raise self._bound_to_instance(name, "a factory without parameters, Field(default_factory=list)")
                default = info.default_factory
            elif not info.is_required():
                default = info.get_default  # it copies, as a model does for each instance
            hint = typing.Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
            yield self._field(name, hint, {}, required=default is None, make_default=default, kw_only=True)

    def _complete(self) -> None:
        try:
            self.origin.model_rebuild()
        except Exception as error:
            if not self.strict:
                return
            text = f"{self.name}: the hint of a field can not be resolved ({error}); its names must be known where"
            raise InvalidRecordError(f"{text} the class is, or call {self.name}.model_rebuild() later") from error


def _given(value: object) -> Callable[[], object]:
    """Give a default as a factory; a container is copied, so that no two runs share it."""
    if isinstance(value, _MUTABLE):
        return functools.partial(copy.deepcopy, value)
    return functools.partial(_identity, value)


def _converted(converter: Callable[[object], object], make: Callable[[], object]) -> object:
    return converter(make())


def _identity(value: object) -> object:
    return value
