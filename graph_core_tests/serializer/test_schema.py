"""`with_schema` finds the classes that a schema names, wherever they stand in its hints."""

import enum
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Generic, Literal, NewType, Optional, TypedDict, TypeVar

import attrs
import pydantic
import pytest
import typing_extensions

from graph_core import APPEND, InvalidRecordError
from graph_core.serializer import Serializer
from graph_core_tests.serializer.made import Color, Model, Money, Movie, Number, Open, Order, Page, Pair, Point, Right

T = TypeVar("T")
B = TypeVar("B", bound=Money)
Alias = typing_extensions.TypeAliasType("Alias", "list[Money | Alias]")
Id = NewType("Id", Number)


@attrs.frozen
class Tree:
    children: "tuple[Tree, ...]"
    label: Color


class Left(TypedDict):
    right: "Other | None"
    a: Money


class Other(TypedDict):
    left: list[Left]


@attrs.frozen
class Growing(Generic[T]):
    value: T
    inner: "Growing[list[T]] | None" = None


@attrs.frozen
class Unknown:
    value: "NoSuchName"  # type: ignore[name-defined] # noqa: F821 # pyright: ignore[reportUndefinedVariable]
    other: Color


@attrs.frozen
class Broken(ValueError):
    color: Color


class Derived(Open[Money]):
    pass


def names(*hints: Any) -> set[str]:
    """Give the bare names of what is found."""
    text = repr(Serializer().with_schema(*hints)).removeprefix("Serializer(").removesuffix(")")
    return {name.strip("'").rpartition(".")[2] for name in text.split(", ") if name}


CASES: list[tuple[Any, set[str]]] = [
    (int, set()),
    (Any, set()),
    (None, set()),
    (Money, {"Money"}),
    (Optional[Money], {"Money"}),  # noqa: UP045  (this form, too)
    (Money | Color | None, {"Money", "Color"}),
    (dict[Color, list[tuple[Money, ...]]], {"Money", "Color"}),
    (Mapping[str, Annotated[list[Money], APPEND, []]], {"Money"}),
    (Literal[Color.RED, 5], {"Color"}),
    (typing_extensions.Literal[Number.ONE], {"Number"}),
    (type[Money], {"Money"}),
    (Callable[[Color], Money], {"Money", "Color"}),
    (Callable[..., Money], {"Money"}),
    (Alias, {"Money"}),
    (Id, {"Number"}),
    (Movie, {"Money", "Color"}),
    (Left, {"Money"}),
    (Tree, {"Tree", "Color"}),
    (Order, {"Order", "Money"}),
    (Open[Color], {"Open", "Color"}),
    (Open, {"Open"}),
    (Derived, {"Derived", "Money"}),
    (Point[Money], {"Point", "Money"}),
    (Page[Color], {"Page[Color]", "Color"}),
    (Model, {"Model"}),
    (Pair, {"Pair"}),
    (Growing[Color], {"Growing", "Color"}),
    (Unknown, {"Unknown", "Color"}),
    (Broken, {"Color"}),
    (Right, {"Right"}),
    (enum.Enum, set()),
]


@pytest.mark.parametrize(("hint", "expected"), CASES, ids=range(len(CASES)))
def test_it_is_found(hint: Any, expected: set[str]) -> None:
    """In fields, containers, unions, labels and aliases; those that name each other are read once."""
    assert names(hint) == expected


def test_several_schemas() -> None:
    """A graph has more than one."""
    assert names(Movie, int, Point[int]) == {"Money", "Color", "Point"}


def test_what_is_on_the_list_stays_as_it_is() -> None:
    """A name or functions that were given for a class are kept."""
    serializer = Serializer(names={"m": Money}).with_schema(Movie)
    assert b'"@m"' in serializer.dumps(Money(1))  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def test_two_of_one_name_are_told() -> None:
    """Data could not tell which of them it is of."""

    def made() -> Any:
        return pydantic.create_model("Twin", a=(int, 1))

    with pytest.raises(InvalidRecordError, match=r"Twin.* already; give one of them a name of its own"):
        Serializer().with_schema(made(), list[made()])  # type: ignore[misc]


def test_type_parameters() -> None:
    """A type variable says no more than its bound."""
    assert names(B) == names(list[B]) == {"Money"}  # type: ignore[valid-type] # pyright: ignore[reportGeneralTypeIssues]
