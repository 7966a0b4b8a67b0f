"""Classes change while data of them is kept: what is read, and what becomes of the rest."""

import collections
import dataclasses
import enum
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs
import pydantic
import pytest

from graph_core.serializer import DeserializationError, Serializer
from graph_core.serializer.failure import exactly

if TYPE_CHECKING:
    from collections.abc import Callable


@attrs.frozen
class OldUser:
    name: str


def _next(number: int) -> int:
    return number + 1


def _in_context(value: Any, user: Any, field: Any) -> Any:
    return value, user.name, field.name


_IN_CONTEXT: Any = attrs.Converter(_in_context, takes_self=True, takes_field=True)


@attrs.frozen
class User:
    name: str
    initials: str = attrs.field(default=attrs.Factory(lambda self: self.name[:1], takes_self=True))
    tags: list[str] = attrs.field(factory=list[str])
    level: int = attrs.field(default=2, converter=_next)
    size: Any = attrs.field(default=1, converter=_IN_CONTEXT)  # type: ignore[misc]
    rank: str = attrs.field(default="r", init=False)
    late: str = attrs.field(init=False, eq=False, repr=False)


@dataclasses.dataclass
class Row:
    name: str
    tags: list[str] = dataclasses.field(default_factory=list[str])
    level: int = 3
    rank: str = dataclasses.field(default="r", init=False)
    late: str = dataclasses.field(init=False, compare=False, repr=False)


class Line(NamedTuple):
    name: str
    level: int = 3


class Model(pydantic.BaseModel):
    name: str
    tags: list[str] = []
    level: int = 3


def written(value: Any, name: str = "it") -> bytes:
    """Write a value whose class has a name of ours."""
    return Serializer(names={name: exactly(value)}).dumps(value)


@pytest.mark.parametrize(
    ("cls", "expected"),
    [(User, User("ada")), (Row, Row("ada")), (Line, Line("ada")), (Model, Model(name="ada"))],
    ids=["attrs", "dataclass", "namedtuple", "pydantic"],
)
def test_new_fields_have_their_defaults(cls: Any, expected: Any) -> None:
    """Old data is read as if the class's constructor had been given what it has."""
    serializer = Serializer(names={"it": cls})
    again = serializer.loads(written(OldUser("ada")))
    assert again == expected
    assert serializer.loads(serializer.dumps(again)) == expected
    if cls in {User, Row, Model}:
        assert again.tags is not serializer.loads(written(OldUser("ada"))).tags


def made(*fields: str) -> list[Any]:
    """Make a class of each kind with these fields, and no defaults."""
    model: Callable[..., Any] = pydantic.create_model
    return [
        attrs.make_class("It", list(fields)),
        dataclasses.make_dataclass("It", fields),
        getattr(collections, "namedtuple")("It", fields),  # noqa: B009  (the kind without types)
        model("It", **dict.fromkeys(fields, (Any, ...))),
    ]


@pytest.mark.parametrize("at", range(4), ids=["attrs", "dataclass", "namedtuple", "pydantic"])
def test_new_fields_without_default(at: int) -> None:
    """There is nothing that could stand for them."""
    with pytest.raises(DeserializationError, match=r"^\$: '@it': the field 'b' is missing, and it has no default"):
        Serializer(names={"it": made("a", "b")[at]}).loads(written(made("a")[at](a=1)))


@pytest.mark.parametrize("at", range(4), ids=["attrs", "dataclass", "namedtuple", "pydantic"])
def test_fields_that_are_gone(at: int) -> None:
    """What they held is not dropped in silence; the text says what to do."""
    text = r"It has no field 'b'; .* register\(It, decode=…\), which is given the fields as a dict"
    with pytest.raises(DeserializationError, match=text):
        Serializer(names={"it": made("a")[at]}).loads(written(made("a", "b")[at](a=1, b=2)))


@pytest.mark.parametrize("at", range(4), ids=["attrs", "dataclass", "namedtuple", "pydantic"])
def test_the_order_of_fields_does_not_matter(at: int) -> None:
    """They are read by their names."""
    again = Serializer(names={"it": made("b", "a")[at]}).loads(written(made("a", "b")[at](a=1, b=2)))
    assert (again.a, again.b) == (1, 2)


@pytest.mark.parametrize("at", range(4), ids=["attrs", "dataclass", "namedtuple", "pydantic"])
def test_decode_upgrades_what_was_written(at: int) -> None:
    """It gets the fields as they were, and new data is written in the form of the class."""
    cls = made("total")[at]
    serializer = Serializer().register(
        cls, "it", decode=lambda fields: cls(total=fields.get("total", fields.get("a", 0) + fields.get("b", 0)))
    )
    assert serializer.loads(written(made("a", "b")[at](a=1, b=2))).total == 3
    assert serializer.loads(serializer.dumps(cls(total=5))).total == 5


def test_decode_upgrades_what_fits_no_hint() -> None:
    """The mark of such a record is no field."""
    serializer = Serializer().register(User, "it", decode=lambda fields: User(**fields))
    value: Any = OldUser
    assert serializer.loads(written(value(["a"]))) == User(["a"])  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def test_a_record_that_got_functions() -> None:
    """Data of before is given as the fields, data of since as what `encode` gave."""
    serializer = Serializer().register(
        User, "it", encode=lambda user: user.name, decode=lambda given: User(given if given == "bob" else given["name"])
    )
    assert serializer.loads(written(OldUser("ada"))) == User("ada")
    assert serializer.loads(serializer.dumps(User("bob"))) == User("bob")


def test_members_that_were_renamed() -> None:
    """`decode` is given the name that was written; the value may change without it."""

    class Old(enum.Enum):
        RED = 1

    class New(enum.Enum):
        RED = "red"

    class Renamed(enum.Enum):
        CRIMSON = 1

    assert Serializer(names={"it": New}).loads(written(Old.RED)) is New.RED
    with pytest.raises(DeserializationError, match="Renamed has no member 'RED'; it has CRIMSON"):
        Serializer(names={"it": Renamed}).loads(written(Old.RED))
    serializer = Serializer().register(Renamed, "it", decode=lambda name: Renamed["CRIMSON" if name == "RED" else name])
    assert serializer.loads(written(Old.RED)) is Renamed.CRIMSON
    assert serializer.loads(serializer.dumps(Renamed.CRIMSON)) is Renamed.CRIMSON
