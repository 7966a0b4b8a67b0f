"""Schemas in a module whose annotations are texts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, NotRequired, Required, TypedDict, TypeVar

import attrs
import typing_extensions
from typing_extensions import ReadOnly

from graph_core import APPEND

if TYPE_CHECKING:
    from decimal import Decimal  # noqa: TC004  (only type checkers know it)

T = TypeVar("T")
Lines = typing_extensions.TypeAliasType("Lines", Annotated[list[str], APPEND])
Pair = typing_extensions.TypeAliasType("Pair", tuple[T, T], type_params=(T,))


class Base(TypedDict):
    """What every conversation has."""

    user: str
    messages: Annotated[list[str], APPEND]


class Chat(Base, total=False):
    """A conversation."""

    score: Required[float]
    note: ReadOnly[str]
    tree: Tree


class Tree(TypedDict):
    """A class that names itself, and is written after the one that uses it."""

    name: str
    children: NotRequired[list[Tree]]


class Aliases(TypedDict):
    """Keys whose types are aliases."""

    lines: Lines
    pair: Pair[int]


@attrs.frozen
class Order:
    """A record with a private field, class variables and a derived field."""

    limit: ClassVar[int] = 5
    item: str
    _secret: str | None = None
    lines: Annotated[list[str], APPEND] = attrs.field(factory=list[str])
    total: int = attrs.field(init=False, default=0)


@dataclasses.dataclass
class Trip:
    """A dataclass with what is no field."""

    limit: ClassVar[int] = 5
    city: str
    seed: dataclasses.InitVar[int]
    days: list[int] = dataclasses.field(default_factory=list[int])
    shown: str = dataclasses.field(init=False, default="")


@attrs.frozen
class Page(Generic[T]):
    """A generic record."""

    rows: list[T]
    last: T | None = None


@attrs.frozen
class Names(Page[str]):
    """A bound one."""

    title: str = ""


class Box(TypedDict, Generic[T]):
    """A generic TypedDict."""

    content: T


class Unresolved(TypedDict):
    """A key whose type only type checkers know."""

    price: Decimal


@attrs.frozen
class Foreign:
    """A record that is not resolved: inside a state that is no error."""

    price: Decimal


class Holder(TypedDict):
    """A state with such a record."""

    foreign: Foreign


def local_class() -> Any:
    """Make a class that names itself inside a function."""

    class Node(TypedDict):
        children: list[Node]  # type: ignore[misc]  # mypy knows no such class inside a function

    return Node
