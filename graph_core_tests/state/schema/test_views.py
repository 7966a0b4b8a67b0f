"""Views: what a node gets of a state (rule T2)."""

import dataclasses
import enum
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, NewType, NotRequired, Protocol, TypedDict, TypeVar

import attrs
import pytest
import typing_extensions

from graph_core import GraphRunnerException, OverAllState
from graph_core.state.schema import Schema
from graph_core.state.schema.kinds import actual
from graph_core_tests.state.schema import texts
from graph_core_tests.state.schema.made import typed_dict

WHERE = "node 'a'"


class Request(TypedDict):
    """A state."""

    user: str
    size: int
    note: NotRequired[str]


@attrs.frozen
class Frozen:
    """A record with a private field."""

    user: str
    _size: int = 1


@attrs.define(kw_only=True)
class Named:
    """A record that is built by names."""

    user: str
    size: int = 1


@dataclasses.dataclass
class Data:
    """A dataclass."""

    user: str
    size: int = 1


@attrs.frozen
class One:
    """A record with one field, of a type that its converter makes."""

    size: int = attrs.field(converter=int)


@attrs.frozen
class Positive:
    """A record with a validator."""

    size: int = attrs.field(validator=attrs.validators.gt(0))


class Colour(enum.Enum):
    """Labels."""

    RED = "red"


class Shape(Protocol):
    """A protocol."""

    area: int


Bound = TypeVar("Bound", bound=int)
Either = TypeVar("Either", int, str)
UserId = NewType("UserId", int)
FITS: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "int": (int, [1], [True, 1.0, "1", None]),
    "float": (float, [1, 1.5], [True, "1"]),
    "complex": (complex, [1, 1.5, 1j], [True]),
    "bool": (bool, [True], [1]),
    "list": (list[int], [[1], ["not looked at"]], [(1,), None]),
    "Mapping": (Mapping[str, int], [{}, OverAllState()], [[]]),
    "union": (int | None, [1, None], ["1", True]),
    "union with bool": (int | bool, [1, True], ["1"]),
    "Literal": (Literal["a", 1], ["a", "not looked at", 1], [True, None]),
    "Enum": (Colour, [Colour.RED], ["red"]),
    "TypedDict": (Request, [{}], [[]]),
    "record": (Frozen, [Frozen("a")], [{}]),
    "type": (type[int], [int], [1]),
    "Callable": (Callable[[int], int], [abs], [1]),
    "NewType": (UserId, [1], ["1"]),
    "bound parameter": (Bound, [1], ["1"]),
    "parameter of a choice": (Either, [1, "1"], [None]),
    "LiteralString": (typing.LiteralString, ["a"], [1]),
    "LiteralString of the backport": (typing_extensions.LiteralString, ["a"], [1]),
    "Any": (Any, [1, None], []),
    "object": (object, [1, True, None], []),
    "union with Any": (int | Any, ["a"], []),
    "Protocol": (Shape, [1], []),
    "None": (None, [None], [1]),
    "Never": (typing.Never, [], [1, None]),
}
EACH_FIT = [pytest.param(h, v, id=f"{name} {i}") for name, (h, vs, _) in FITS.items() for i, v in enumerate(vs)]
EACH_MISFIT = [pytest.param(h, v, id=f"{name} {i}") for name, (h, _, vs) in FITS.items() for i, v in enumerate(vs)]


class TestInstances:
    def test_typed_dict(self) -> None:
        """T2: the view of a TypedDict is a mapping of its keys, those that may be missing included."""
        state = OverAllState({"x": 0, "user": "u", "size": 1, "note": "n"})
        found = Schema.of(Request).view(state, WHERE)
        assert (repr(found), found) == (repr(dict(found)), {"user": "u", "size": 1, "note": "n"})
        assert Schema.of(Request).view({"user": "u", "size": 1}, WHERE) == {"user": "u", "size": 1}

    @pytest.mark.parametrize("cls", [Named, Data])
    def test_records(self, cls: Any) -> None:
        """T2: an instance of the class, with the default of a key that is not there."""
        assert Schema.of(cls).view({"x": 0, "user": "u", "size": 5}, WHERE) == cls(user="u", size=5)
        for _ in range(2):
            assert Schema.of(cls).view({"user": "u"}, WHERE) == cls(user="u")

    def test_private_fields(self) -> None:
        """T2: the key is the field's name, the constructor gets it by its alias."""
        assert Schema.of(Frozen).view({"user": "u", "_size": 5}, WHERE) == Frozen("u", 5)
        assert Schema.of(Frozen).view({"user": "u"}, WHERE) == Frozen("u")

    def test_converters(self) -> None:
        """T2: a field that converts takes other types as well."""
        assert Schema.of(One).view({"size": "5"}, WHERE) == One(5)

    def test_generic(self) -> None:
        """T2: an alias with arguments gives an instance of its class."""
        assert Schema.of(texts.Page[int]).view({"rows": [1]}, WHERE) == texts.Page([1])

    def test_values_are_shared(self) -> None:
        """S10: values are not copied."""
        rows = [1]
        assert Schema.of(texts.Page[int]).view({"rows": rows, "last": 1}, WHERE).rows is rows

    def test_many_combinations_of_classes(self) -> None:
        """T2: the memory of what fits stays bounded, and forgetting changes nothing."""
        schema = Schema.of(typed_dict("Anything", {"a": object, "b": Any}))
        for number in range(600):
            value = type(f"Made{number}", (), {})()
            assert schema.view({"a": value, "b": 1}, WHERE) == {"a": value, "b": 1}


class TestMissingKeys:
    @pytest.mark.parametrize("cls", [Request, Frozen, Named, Data])
    def test_where_and_key_are_named(self, cls: Any) -> None:
        """T2: a required key that is not in the state raises, naming both."""
        text = rf"node 'a': {cls.__name__} requires key 'user', which is not in the state"
        with pytest.raises(GraphRunnerException, match=text) as caught:
            Schema.of(cls).view({"size": 1}, WHERE)
        assert caught.value.code == "missing_key"


class TestWrongTypes:
    @pytest.mark.parametrize("cls", [Request, Named, Data])
    def test_key_and_both_types_are_named(self, cls: Any) -> None:
        """T2: so does a value of the wrong type, whether all keys are there or not."""
        for state in ({"user": 5, "size": 1}, {"user": 5, "size": 1, "note": "n"}, {"user": "u", "size": "5"}):
            with pytest.raises(
                GraphRunnerException, match=r"node 'a': key '\w+' of \w+ must be \w+, not \w+ "
            ) as caught:
                Schema.of(cls).view(state, WHERE)
            assert caught.value.code == "invalid_value"

    def test_with_a_default_missing(self) -> None:
        """T2: also where a key with a default is absent."""
        with pytest.raises(GraphRunnerException, match="key 'user' of Data must be str, not int 5"):
            Schema.of(Data).view({"user": 5}, WHERE)

    def test_what_the_class_raises(self) -> None:
        """T2: a validator of the class has its say; its exception is the cause."""
        for cls, state in ((Positive, {"size": 0}), (One, {"size": "x"})):
            with pytest.raises(GraphRunnerException, match="can not be built from the state: ValueError") as caught:
                Schema.of(cls).view(state, WHERE)
            assert caught.value.code == "invalid_value"
            assert isinstance(caught.value.__cause__, ValueError)

    def test_what_the_class_raises_on_its_defaults(self) -> None:
        """T2: the same where a key is absent."""

        @attrs.frozen
        class Never:
            size: int = attrs.field(default=0, validator=attrs.validators.gt(0))

        with pytest.raises(GraphRunnerException, match="Never can not be built"):
            Schema.of(Never).view({}, WHERE)

    @pytest.mark.parametrize(("hint", "value"), EACH_FIT)
    def test_what_fits(self, hint: Any, value: Any) -> None:
        """T2: only the outermost type is looked at."""
        assert Schema.of(typed_dict("S", {"k": hint})).view({"k": value}, WHERE) == {"k": value}

    @pytest.mark.parametrize(("hint", "value"), EACH_MISFIT)
    def test_what_does_not(self, hint: Any, value: Any) -> None:
        """T2: `bool` is no number, an `int` is a `float`."""
        with pytest.raises(GraphRunnerException, match="key 'k' of S must be"):
            Schema.of(typed_dict("S", {"k": hint})).view({"k": value}, WHERE)

    def test_how_values_are_shown(self) -> None:
        """T2: short scalars are shown, of all else the class."""
        assert [actual(value) for value in (int, "x" * 100, [1])] == ["<class 'int'>", "str", "list"]
