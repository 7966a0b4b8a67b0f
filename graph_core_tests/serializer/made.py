"""Classes of every kind, for the tests."""

import collections
import dataclasses
import datetime as dt
import enum
import functools
import typing
from decimal import Decimal
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import attrs
import pydantic

T = TypeVar("T")


def _twice(number: int) -> int:
    return number * 2


@attrs.frozen
class Money:
    amount: Decimal
    currency: str = "EUR"


@attrs.define
class Account:
    """Private fields, converters that are not idempotent, fields that the constructor does not take."""

    _secret: str
    doubled: int = attrs.field(converter=_twice)
    total: int = attrs.field(init=False)
    later: int = attrs.field(init=False, eq=False)
    tags: list[str] = attrs.field(factory=list[str], kw_only=True)
    kind: ClassVar[str] = "account"

    def __attrs_post_init__(self) -> None:
        """Set a field that the constructor does not take."""
        self.total = self.doubled + 1

    @functools.cached_property
    def shout(self) -> str:
        """Be kept once it was read."""
        return self._secret.upper()


@attrs.define(slots=False)
class Open(Generic[T]):
    value: T

    @functools.cached_property
    def twice(self) -> tuple[T, T]:
        """Be kept once it was read."""
        return self.value, self.value


@attrs.frozen(cache_hash=True)
class Cached:
    value: int


@attrs.frozen(cache_hash=True, slots=False)
class CachedOpen:
    value: int


@attrs.define
class Short:
    items: list[int] = attrs.field(validator=attrs.validators.max_len(2))


@dataclasses.dataclass
class Order:
    lines: list[Money]
    at: dt.datetime | None = None
    scale: dataclasses.InitVar[int] = 1
    total: int = dataclasses.field(init=False)
    note: str = dataclasses.field(default="", init=False)

    def __post_init__(self, scale: int) -> None:
        self.total = len(self.lines) * scale


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Point(Generic[T]):
    x: T
    y: T


class Slotted:
    __slots__ = ("hidden",)


@dataclasses.dataclass
class Half(Slotted):
    __slots__ = ("shown",)
    shown: int


@attrs.frozen
class Vector:
    v: Any  # the name of the main part of what is built in


class Pair(NamedTuple):
    left: Any
    right: int = 0


Old: Any = getattr(collections, "namedtuple")("Old", "a b")  # noqa: B009  (the kind without types)


class Color(enum.Enum):
    RED = "red"
    CRIMSON = "red"  # noqa: PIE796  (an alias)
    LIST = [1]  # noqa: RUF012  (a value without a hash)


class Lenient(enum.Enum):
    A = 1

    @classmethod
    def _missing_(cls, value: object) -> "Lenient":
        assert value == 5
        member = object.__new__(cls)
        member._name_, member._value_ = "made", 5
        return member


class Number(enum.IntEnum):
    ONE = 1


class Word(enum.StrEnum):
    A = "a"


class Right(enum.Flag):
    READ = 1
    WRITE = 2


class Mode(enum.IntFlag):
    X = 1


class Name(str):
    __slots__ = ()


class Count(int):
    pass


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")

    name: str
    price: Decimal = Decimal(1)
    tags: tuple[str, ...] = ()
    _seen: set[int] = pydantic.PrivateAttr(default_factory=set[int])
    _never: int = pydantic.PrivateAttr()

    @functools.cached_property
    def shout(self) -> str:
        """Be kept once it was read."""
        return self.name.upper()


class Twice(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(frozen=True)

    value: int = pydantic.Field(alias="Value")

    @pydantic.field_validator("value")
    @classmethod
    def double(cls, value: int) -> int:
        """Give another value for what it gave."""
        return value * 2


class Computed(pydantic.BaseModel):
    first: int
    _sum: int = pydantic.PrivateAttr(default_factory=lambda data: data["first"] + 10)
    _fixed: list[int] = pydantic.PrivateAttr(default=[1])

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @functools.cached_property
    def second(self) -> int:
        """Be kept once it was read."""
        return self.first + 1


class Page(pydantic.BaseModel, Generic[T]):
    items: list[T]
    next: "Page[T] | None" = None


class Numbers(pydantic.RootModel[list[int]]):
    pass


class Movie(typing.TypedDict):
    price: Money
    colors: typing.NotRequired[list[Color]]
