"""One state in every kind of class that can be a schema."""

import dataclasses
import operator
from typing import Annotated, Any, NotRequired, TypedDict

import attrs
import pydantic
import pytest

from graph_core import APPEND
from graph_core_tests.shapes import RUNNERS


class AsDict(TypedDict):
    """The TypedDict: it has no defaults."""

    name: str
    n: NotRequired[int]
    log: NotRequired[Annotated[list[str], APPEND]]
    total: NotRequired[Annotated[int, operator.add]]


@attrs.frozen
class AsAttrs:
    """The attrs class; one strategy stands in the metadata."""

    name: str
    n: int = 0
    log: list[str] = attrs.field(factory=list[str], metadata={"strategy": APPEND})
    total: Annotated[int, operator.add] = 5


@dataclasses.dataclass
class AsDataclass:
    """The dataclass, which its holder may change."""

    name: str
    n: int = 0
    log: Annotated[list[str], APPEND] = dataclasses.field(default_factory=list[str])
    total: Annotated[int, operator.add] = 5


class AsModel(pydantic.BaseModel):
    """The pydantic model."""

    name: str
    n: int = 0
    log: Annotated[list[str], APPEND] = []
    total: Annotated[int, operator.add] = 5


RECORDS: dict[str, Any] = {"attrs": AsAttrs, "dataclass": AsDataclass, "pydantic": AsModel}
ALL: dict[str, Any] = {"typed_dict": AsDict, **RECORDS}

each_kind = pytest.mark.parametrize("schema", ALL.values(), ids=ALL.keys())
each_record = pytest.mark.parametrize("schema", RECORDS.values(), ids=RECORDS.keys())
each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS.keys())
