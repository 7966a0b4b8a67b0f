"""Reading what the user gave as the state of a graph: strategies, schemas, collections of keys (rule T1)."""

from __future__ import annotations

import typing
from collections.abc import Callable, Collection, Mapping
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, cast

import typing_extensions

from graph_core.compiler.definition import Keys
from graph_core.exception import InvalidRecordError
from graph_core.state import KeyStrategy

if TYPE_CHECKING:
    from graph_core.serializer import Serializer
    from graph_core.state.schema import Schema

Strategies: TypeAlias = Mapping[str, KeyStrategy] | Callable[[], Mapping[str, KeyStrategy]]


class Options(TypedDict, total=False):
    """What `StateGraph` takes besides schemas, whatever they are."""

    name: str | None
    default_strategy: KeyStrategy
    coerce: bool
    serializer: Serializer | None


# Declared as `Any`: to a type checker `isinstance` does not narrow then, and what a value holds stays `Any`.
_COLLECTION: Any = Collection
_ALIASES: Any = (typing_extensions.TypeAliasType, getattr(typing, "TypeAliasType", typing_extensions.TypeAliasType))


def make_keys(  # noqa: PLR0917  (the order is that of the builder's parameters)
    state: Any,
    inputs: Any,
    outputs: Any,
    context: Any,
    default_strategy: KeyStrategy,
    serializer: Any,
    *,
    coerce: object,
) -> Keys:
    """Make the record of what was given to `StateGraph`.

    Raises:
        InvalidRecordError: a part of it is of another type, or a class is no schema.
    """
    if not isinstance(coerce, bool):
        raise InvalidRecordError(f"coerce must be True or False, not {coerce!r}")
    _check_serializer(serializer)
    state = _bare(state) if _is_alias(state) else state
    schema = _schema(state) if _is_class(state) else None
    return Keys(
        strategies={} if schema is not None else _strategies(state),
        default_strategy=_checked_strategy("the default", default_strategy),
        state=schema,
        inputs=_narrowed(inputs, "input_schema"),
        outputs=_narrowed(outputs, "output_schema"),
        context=None if context is None else _context(context),
        coerce=coerce,
        serializer=serializer,
    )


def _check_serializer(serializer: object) -> None:
    if serializer is None:
        return
    from graph_core.serializer import Serializer

    if not isinstance(serializer, Serializer):
        raise InvalidRecordError(f"serializer must be a Serializer, not {serializer!r}")


def view_schema(hint: Any) -> Schema | None:
    """Give the schema that an action's first parameter is annotated with; `None` if it is none."""
    bare = _bare(hint)
    if not _is_class(bare):
        return None
    from graph_core.state.schema.read import kind_of

    return None if kind_of(bare) is None else _schema(bare)


def given_schema(given: Any, where: str) -> Schema:
    """Give the schema that was given for a node.

    Raises:
        InvalidRecordError: it is no schema class.
    """
    bare = _bare(given)
    if not _is_class(bare):
        raise InvalidRecordError(f"{where}: input_schema must be a schema class, not {given!r}")
    return _schema(bare)


def _is_alias(given: Any) -> bool:
    return isinstance(given, _ALIASES) or typing.get_origin(given) is typing.Annotated


def _bare(given: Any) -> Any:
    """Take aliases, `Annotated` and type variables off a hint."""
    if given.__class__ is type or given is None:
        return given
    from graph_core.state.schema.hints import plain

    return plain(given)


def _is_class(given: Any) -> bool:
    return isinstance(given, type) or typing.get_origin(given) is not None


def _schema(given: Any) -> Schema:
    from graph_core.state.schema import Schema

    return Schema.of(given)


def _narrowed(given: Any, what: str) -> Schema | tuple[str, ...] | None:
    if given is None:
        return None
    if _is_class(given):
        return _schema(given)
    if isinstance(given, str | bytes) or not isinstance(given, _COLLECTION):
        raise InvalidRecordError(f"{what} must be a schema class or a collection of keys, not {given!r}")
    keys: tuple[Any, ...] = tuple(given)
    for key in keys:
        if not isinstance(key, str):
            raise InvalidRecordError(f"the keys of {what} must be str, not {key!r}")
    return keys


def _context(given: Any) -> Schema | type:
    if not _is_class(given):
        raise InvalidRecordError(f"context_schema must be a class, not {given!r}")
    from graph_core.state.schema.read import kind_of

    if kind_of(given) is not None:
        return _schema(given)
    if isinstance(given, type):
        return given
    raise InvalidRecordError(f"context_schema must be a class that a context can be an instance of, not {given!r}")


def _strategies(state: Strategies | None) -> Mapping[str, KeyStrategy]:
    found = state() if callable(state) else state
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        text = "the state must be a schema class, a mapping key → callable (old, new), or a factory of one"
        raise InvalidRecordError(f"{text}, not {found!r}")
    for key, strategy in found.items():
        if not isinstance(cast("Any", key), str):
            raise InvalidRecordError(f"the keys of a state must be str, not {key!r}")
        _checked_strategy(f"key {key!r}", strategy)
    return found


def _checked_strategy(where: str, strategy: KeyStrategy) -> KeyStrategy:
    if not callable(strategy) or iscoroutinefunction(strategy):
        text = f"the strategy of {where} must be a callable (old, new), and not async"
        raise InvalidRecordError(f"{text}, not {strategy!r}")
    return strategy
