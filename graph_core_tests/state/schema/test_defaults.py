"""Defaults of schemas (rules T1 and X0)."""

import dataclasses
from typing import Any

import attrs

from graph_core.state.schema import Schema
from graph_core_tests.state.schema.made import typed_dict


def doubled(value: int) -> int:
    """A converter."""
    return value * 2


def kept(value: Any, _: object) -> Any:
    """A converter that may look at the instance."""
    return value


with_self: Any = attrs.Converter(kept, takes_self=True)


@attrs.frozen
class Defaults:
    """Defaults of all kinds."""

    needed: int
    plain: int = 1
    made: list[int] = attrs.field(factory=list[int])
    shared: dict[str, int] = attrs.field(default={"a": 1})
    converted: int = attrs.field(default=2, converter=doubled)
    bound: Any = attrs.field(default=3, converter=with_self)  # type: ignore[misc]  # mypy only knows functions here


@dataclasses.dataclass
class Trip:
    """The same as a dataclass."""

    city: str
    days: int = 3
    stops: list[str] = dataclasses.field(default_factory=list[str])


class TestDefaults:
    def test_attrs(self) -> None:
        """T1: defaults and factories initialise the state, through the converter of the field."""
        expected: dict[str, Any] = {"plain": 1, "made": [], "shared": {"a": 1}, "converted": 4, "bound": 3}
        assert Schema.of(Defaults).defaults() == expected

    def test_dataclass(self) -> None:
        """T1: so they do in dataclasses."""
        assert Schema.of(Trip).defaults() == {"days": 3, "stops": []}

    def test_typed_dict(self) -> None:
        """T1: a TypedDict has none."""
        assert Schema.of(typed_dict("S", {"a": int})).defaults() == {}

    def test_they_are_fresh(self) -> None:
        """T1: no two runs share a list, or a dict that was given as a value."""
        one, other = Schema.of(Defaults).defaults(), Schema.of(Defaults).defaults()
        assert one["made"] is not other["made"]
        assert one["shared"] is not other["shared"]
