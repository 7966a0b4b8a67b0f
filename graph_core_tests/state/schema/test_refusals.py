"""What is no schema is refused at once, with what would be right (rule T1)."""

import functools
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Protocol

import attrs
import pytest
from typing_extensions import TypeAliasType

from graph_core import APPEND, InvalidRecordError
from graph_core.state.schema import Schema
from graph_core_tests.state.schema import texts
from graph_core_tests.state.schema.made import typed_dict


class Shape(Protocol):
    """A protocol."""

    area: int


class Point(NamedTuple):
    """A tuple with names."""

    x: int


@attrs.frozen
class Derived:
    """A default that is made of another field."""

    a: int
    b: int = attrs.Factory(lambda self: self.a, takes_self=True)


def unary(_: object) -> None:
    """Not a strategy."""


NO_CLASSES: dict[str, tuple[Any, str]] = {
    "a bare value": (int, "the class int declares none"),
    "a list": (list[str], r"list\[str\] declares none"),
    "a protocol": (Shape, "the class Shape declares none"),
    "a named tuple": (Point, "the class Point declares none"),
    "an instance": ("x", "'x' declares none"),
    "what has no hash": ([], r"\[\] declares none"),
}
_lambda: Callable[[Any], Any] = lambda new: new  # noqa: E731  (a nameless one)
NO_STRATEGIES: dict[str, Any] = {"function": unary, "lambda": _lambda, "partial": functools.partial(unary)}


class TestNoSchema:
    @pytest.mark.parametrize(("given", "text"), NO_CLASSES.values(), ids=NO_CLASSES.keys())
    def test_what_it_is_and_what_would_be_right(self, given: Any, text: str) -> None:
        """T1: a schema that is one bare value is refused."""
        with pytest.raises(InvalidRecordError, match=f"{text}; a schema is a TypedDict, an attrs class, a dataclass"):
            Schema.of(given)


class TestHints:
    def test_class_field_and_hint_are_named(self) -> None:
        """T1: a hint that can not be resolved is an error, not silence."""
        with pytest.raises(InvalidRecordError, match=r"Unresolved: the hint of field 'price', .*'Decimal'.*TYPE_CHECK"):
            Schema.of(texts.Unresolved)

    def test_of_an_alias(self) -> None:
        """T1: so is an alias of what is not known."""
        unknown: Any = "list[Nowhere]"
        make: Any = TypeAliasType
        with pytest.raises(
            InvalidRecordError, match=r"field 'a' of S: its type, 'list\[Nowhere\]', can not be resolved"
        ):
            Schema.of(typed_dict("S", {"a": make("Alias", unknown)}))


class TestDefaults:
    def test_of_other_fields(self) -> None:
        """T1: when a run starts there is no instance that a default could look at."""
        with pytest.raises(InvalidRecordError, match="default of field 'b' of Derived is made of other fields"):
            Schema.of(Derived)


class TestStrategies:
    @pytest.mark.parametrize("given", NO_STRATEGIES.values(), ids=NO_STRATEGIES.keys())
    def test_not_binary(self, given: Callable[..., Any]) -> None:
        """T1: a function that takes no `(old, new)` is no strategy and nothing else."""
        with pytest.raises(InvalidRecordError, match=r"field 'a' of S: a key strategy is called with \(old, new\)"):
            Schema.of(typed_dict("S", {"a": Annotated[int, given]}))

    @pytest.mark.parametrize("given", ["append", unary, list])
    def test_in_metadata(self, given: Any) -> None:
        """T1: what stands there as the strategy must be one."""
        made = attrs.make_class("Made", {"a": attrs.field(type=int, metadata={"strategy": given})})
        with pytest.raises(InvalidRecordError, match=r"field 'a' of Made: a key strategy is called with \(old, new\)"):
            Schema.of(made)

    @pytest.mark.parametrize("given", [str, tuple[str, ...], int | None])
    def test_append_makes_lists(self, given: Any) -> None:
        """S6: APPEND on a key that can not hold a list would end in a list nevertheless."""
        with pytest.raises(InvalidRecordError, match=r"field 'a' of S: APPEND makes a list, .* as list\[\.\.\.\]"):
            Schema.of(typed_dict("S", {"a": Annotated[given, APPEND]}))
