"""Views: instances of a schema's class, built from a state (rule T2)."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from graph_core.exception import GraphRunnerException
from graph_core.exception.texts import said
from graph_core.state.frozen import ReadOnlyDict
from graph_core.state.schema.changes import close_to
from graph_core.state.schema.hints import shown
from graph_core.state.schema.kinds import actual, admits, kinds_of

if TYPE_CHECKING:
    from graph_core.state.schema.field import Kind, SchemaField

View: TypeAlias = Callable[[Mapping[str, Any], str], Any]
"""`(state, where) -> instance`."""
Make: TypeAlias = Callable[[Sequence[Any]], Any]
"""`(values) -> instance`."""
_MOST_KNOWN: Final = 256


@final
class DictView(ReadOnlyDict[str, Any]):
    """The view of a TypedDict: a mapping that nobody can change."""

    __slots__ = ()
    advice = "the view of a state is immutable: return an update from the node"

    def __repr__(self) -> str:
        """Show the entries as a dict does."""
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the entries."""
        return DictView, (dict(self),)


def view_of(cls: Any, kind: Kind, fields: Sequence[SchemaField], name: str, *, trusted: bool = False) -> View:
    """Compile the adapter of a schema.

    What a view costs is one look-up of all keys, one of their classes, and one call of the constructor:
    that a combination of classes fits is remembered.

    Args:
        cls: the class, without type arguments.
        kind: what the class is.
        fields: its fields.
        name: its name, for error texts.
        trusted: the values fit already: every one was checked against the same types when it was written.
    """
    if kind == "typed_dict":
        return _dict_view(fields, name, trusted=trusted)
    values_at = _getter([field.name for field in fields])
    make = _maker(cls, kind, fields)
    part_of = _partial_view(cls, kind, fields, name)
    if trusted:
        return _trusting_view(values_at, make, part_of, name)
    known: set[Any] = set()

    def view(state: Mapping[str, Any], where: str) -> Any:
        try:
            values = values_at(state)
        except KeyError:
            return part_of(state, where)
        classes = tuple(map(type, values))
        if classes not in known:
            _checked(fields, values, where, name)
            _remember(known, classes)
        try:
            return make(values)
        except Exception as error:
            raise _unbuilt(error, where, name) from error

    return view


def _trusting_view(values_at: Callable[[Mapping[str, Any]], Any], make: Make, part_of: View, name: str) -> View:
    def view(state: Mapping[str, Any], where: str) -> Any:
        try:
            values = values_at(state)
        except KeyError:
            return part_of(state, where)
        try:
            return make(values)
        except Exception as error:
            raise _unbuilt(error, where, name) from error

    return view


def _dict_view(fields: Sequence[SchemaField], name: str, *, trusted: bool) -> View:
    """Make the adapter of a TypedDict, whose view is a dict."""
    names = [field.name for field in fields]
    required = frozenset(field.name for field in fields if field.required)
    known: set[Any] = set()

    def view(state: Mapping[str, Any], where: str) -> Any:
        found = {key: state[key] for key in names if key in state}
        classes: tuple[Any, ...] = tuple(map(type, found.values()))
        if len(found) < len(names):
            if not required <= found.keys():
                key = next(key for key in names if key in required and key not in found)
                raise missing_key(key, where, name, state)
            classes = (*found, *classes)
        if not trusted and classes not in known:
            _checked([field for field in fields if field.name in found], list(found.values()), where, name)
            _remember(known, classes)
        return DictView(found)

    return view


def _partial_view(cls: Any, kind: Kind, fields: Sequence[SchemaField], name: str) -> View:
    """Make the adapter for states in which some keys are not there."""
    by_name = {field.name: field for field in fields}
    required = [field.name for field in fields if field.required]
    known: set[Any] = set()

    @functools.lru_cache(maxsize=_MOST_KNOWN)
    def maker(names: tuple[str, ...]) -> Make:
        return _named_maker(cls, kind, [by_name[name] for name in names])

    def view(state: Mapping[str, Any], where: str) -> Any:
        for key in required:
            if key not in state:
                raise missing_key(key, where, name, state)
        there = {key: state[key] for key in by_name if key in state}
        names, values = tuple(there), list(there.values())
        classes = (names, *map(type, values))
        if classes not in known:
            _checked([by_name[key] for key in names], values, where, name)
            _remember(known, classes)
        try:
            return maker(names)(values)
        except Exception as error:
            raise _unbuilt(error, where, name) from error

    return view


def missing_key(key: str, where: str, name: str, state: Mapping[str, Any]) -> GraphRunnerException:
    """Name a required key that is not in the state, and whose view needs it."""
    close = close_to(key, state)
    text = f"{where}: {name} requires key {key!r}, which is not in the state{close}; give it with the input,"
    text = f"{text} let an earlier node write it, or declare a default (of a TypedDict: NotRequired)"
    return GraphRunnerException(text, "missing_key")


def _remember(known: set[Any], classes: Any) -> None:
    if len(known) >= _MOST_KNOWN:  # classes made at run time must not fill the memory
        known.clear()
    known.add(classes)


def _getter(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    if len(names) > 1:
        return operator.itemgetter(*names)
    if not names:
        return lambda _: ()
    (only,) = names
    return lambda state: (state[only],)


def _maker(cls: Any, kind: Kind, fields: Sequence[SchemaField]) -> Make:
    if kind in {"attrs", "dataclass"} and _takes_by_position(cls, [field.alias for field in fields]):
        return (lambda values: cls(values[0])) if len(fields) == 1 else lambda values: cls(*values)
    return _named_maker(cls, kind, fields)


def _takes_by_position(cls: Any, aliases: list[str]) -> bool:
    """Tell whether a constructor takes its fields in their order: an `InitVar` may be between, or it is their own."""
    try:
        parameters = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [each.name for each in parameters if each.kind in kinds][: len(aliases)] == aliases


def _named_maker(cls: Any, kind: Kind, fields: Sequence[SchemaField]) -> Make:
    names = [field.name for field in fields]
    if kind == "pydantic":
        validate = model_validator(cls)
        return lambda values: validate(dict(zip(names, values, strict=True)))
    aliases = [field.alias for field in fields]
    return lambda values: cls(**dict(zip(aliases, values, strict=True)))


def model_validator(cls: Any) -> Callable[[Mapping[str, Any]], Any]:
    """Give the strict validator of a pydantic model that takes the fields by their names."""
    if any(info.validation_alias is not None for info in cls.model_fields.values()):
        return lambda values: cls.model_validate(values, strict=True, by_alias=False, by_name=True)
    validate = cls.__pydantic_validator__.validate_python
    return lambda values: validate(values, strict=True)


def _checked(fields: Sequence[SchemaField], values: Sequence[Any], where: str, name: str) -> None:
    for field, value in zip(fields, values, strict=True):
        if not field.converts and not admits(kinds_of(field.type), type(value)):
            text = f"{where}: key {field.name!r} of {name} must be {shown(field.type)}, not {actual(value)}"
            raise GraphRunnerException(text, "invalid_value")


def _unbuilt(error: Exception, where: str, name: str) -> GraphRunnerException:
    text = f"{where}: {name} can not be built from the state: {said(error)}"
    return GraphRunnerException(text, "invalid_value")
