"""The schemas of the typing tests, one of each kind."""

import dataclasses
import enum
from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

import attrs
import pydantic

from graph_core import APPEND

Label: TypeAlias = Literal["good", "bad"]


class Doc(TypedDict):
    """A state of which `n` has to be given."""

    n: int
    log: NotRequired[Annotated[list[str], APPEND]]


class DocUpdate(TypedDict, total=False):
    """What a node may say about it."""

    n: int
    log: list[str]


class Asked(TypedDict):
    """What a run takes."""

    n: int


class Told(TypedDict):
    """What a run gives."""

    log: list[str]


class Item(TypedDict):
    """What is sent to a worker."""

    item: int
    name: str


@attrs.frozen
class Order:
    """A state as an attrs class."""

    n: int = 0
    log: list[str] = attrs.field(factory=list[str])


@attrs.frozen
class Parcel:
    """Another attrs class with the same fields."""

    n: int = 0
    log: list[str] = attrs.field(factory=list[str])


@dataclasses.dataclass(frozen=True)
class Note:
    """A state as a dataclass."""

    n: int = 0


class Form(pydantic.BaseModel):
    """A state as a pydantic model."""

    n: int = 0


@attrs.frozen
class Desk:
    """A context."""

    user: str = "ann"


class Verdict(enum.Enum):
    """Labels as an enum."""

    GOOD = "good"
    BAD = "bad"
