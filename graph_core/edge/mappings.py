"""Mappings of labels to nodes (rules R3 and R5)."""

from __future__ import annotations

import collections.abc
import enum
import types
import typing
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast, final

from graph_core.exception import InvalidRecordError
from graph_core.state.frozen import FrozenMapping

Mappings: TypeAlias = Mapping[Any, str] | Sequence[str]
"""Label → node id, or a sequence of node ids that are their own labels."""


_AWAITED: Final = frozenset({collections.abc.Awaitable, collections.abc.Coroutine})


@final
class Default:
    """Type of `DEFAULT`, the label that catches all labels which are not mapped."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show the public name."""
        return "DEFAULT"

    def __reduce__(self) -> str:
        """Pickle, copy and deepcopy to the one instance."""
        return "DEFAULT"


DEFAULT: Final = Default()
"""As a key of a mapping it catches every label that is not mapped."""


def normalized(mappings: Mappings | None) -> Mapping[Hashable, str] | None:
    """Give a mapping as label → node id.

    Raises:
        InvalidRecordError: it is neither a mapping nor a sequence, or an id is no `str`.
    """
    if mappings is None:
        return None
    if isinstance(mappings, Mapping):
        pairs: Iterable[tuple[Any, Any]] = cast("Mapping[Any, Any]", mappings).items()
    elif isinstance(mappings, str) or not isinstance(mappings, Sequence):
        text = "mappings must be a dict label → node id or a list of node ids"
        raise InvalidRecordError(f"{text}, not {mappings!r}")
    else:
        pairs = [(node, node) for node in mappings]
    found = dict(pairs)
    for label, node in found.items():
        if not isinstance(node, str):
            raise InvalidRecordError(f"label {label!r} must be mapped to the id of a node (a str), not to {node!r}")
        if label is None:
            raise InvalidRecordError(f"None is no label, but it is mapped to {node!r}; DEFAULT catches all others")
    return FrozenMapping(found)


def labels_of(hint: Any) -> Mapping[Hashable, str] | None:
    """Read label → node id off a `Literal[...]` or `Enum` annotation.

    Returns:
        `None` if the annotation names no labels. The labels of a `Literal` are the node ids; of an
        enum the members are the labels and their values the node ids.

    Raises:
        InvalidRecordError: a label can not be a node id.
    """
    labels: list[tuple[Any, Any]] = []
    for part in union_parts(hint):
        if typing.get_origin(part) is typing.Literal:
            labels += [(label, getattr(label, "value", label)) for label in typing.get_args(part)]
        elif isinstance(part, type) and issubclass(part, enum.Enum):
            labels += [(member, member.value) for member in part]
        else:
            return None
    for label, node in labels:
        if not isinstance(node, str):
            text = f"label {label!r} is taken from an annotation, so it must be the id of a node (a str)"
            raise InvalidRecordError(f"{text}; give mappings={{label: node id}} instead")
    return FrozenMapping(dict(labels)) if labels else None


def answers_of(hint: Any) -> tuple[Hashable, ...] | None:
    """Give the labels that an annotation names: of a `Literal`, an `Enum` or `bool`; `None` if it names none."""
    found: list[Hashable] = []
    for part in union_parts(hint):
        if typing.get_origin(part) is typing.Literal:
            found += typing.get_args(part)
        elif isinstance(part, type) and issubclass(part, enum.Enum):
            found += list(part)
        elif part is bool:
            found += [True, False]
        else:
            return None
    return tuple(found)


def union_parts(hint: Any) -> tuple[Any, ...]:
    """Give the members of a union, through aliases and `Annotated`; any other hint alone."""
    value = getattr(hint, "__value__", None)
    if value is not None and typing.get_origin(hint) is None:  # the alias of a `type` statement
        return union_parts(value)
    origin = typing.get_origin(hint)
    if origin is typing.Annotated:
        return union_parts(typing.get_args(hint)[0])
    if origin in _AWAITED:  # of a sync callable that gives one
        return union_parts(typing.get_args(hint)[-1])
    if origin is typing.Union or origin is types.UnionType:
        return tuple(part for arg in typing.get_args(hint) for part in union_parts(arg))
    return (hint,)
