"""Reading a class gives the keys of a state (rule T1)."""

import copy
import dataclasses
import pickle
import subprocess
import sys
import types
from typing import Annotated, Any, Final, Generic, TypedDict, TypeVar

import attrs
import pytest

from graph_core import APPEND
from graph_core.state.schema import MISSING, Schema
from graph_core_tests.state.schema import texts
from graph_core_tests.state.schema.made import typed_dict

T = TypeVar("T")


def types_of(cls: Any) -> dict[str, Any]:
    """The types of the keys."""
    return {name: field.type for name, field in Schema.of(cls).fields.items()}


def required_of(cls: Any) -> set[str]:
    """The keys that a view needs."""
    return {name for name, field in Schema.of(cls).fields.items() if field.required}


class Loose(TypedDict, total=False):
    """No key is required."""

    a: int


@dataclasses.dataclass(frozen=True)
class Marked:
    """A dataclass whose metadata name a strategy."""

    lines: list[str] = dataclasses.field(default_factory=list[str], metadata={"strategy": APPEND})


class TestTypedDict:
    def test_keys_types_and_strategies(self) -> None:
        """T1: inherited keys come first, types are resolved, `Annotated` names the strategy."""
        schema = Schema.of(texts.Chat)
        assert (schema.kind, schema.name) == ("typed_dict", "Chat")
        assert types_of(texts.Chat) == {
            "user": str,
            "messages": list[str],
            "score": float,
            "note": str,
            "tree": texts.Tree,
        }
        assert schema.fields["messages"].strategy is APPEND

    def test_what_is_required(self) -> None:
        """T1: `total=False`, `Required` and `NotRequired` are read from texts too."""
        assert required_of(texts.Chat) == {"user", "messages", "score"}
        assert required_of(texts.Tree) == {"name"}
        assert required_of(Loose) == set()

    def test_names_that_are_no_identifiers(self) -> None:
        """T1: the functional spelling allows any text as a key."""
        assert types_of(typed_dict("Odd", {"my key": int})) == {"my key": int}

    def test_a_class_without_keys(self) -> None:
        """T1: it declares nothing, which is allowed."""
        assert Schema.of(typed_dict("Nothing", {})).fields == {}


class TestRecords:
    def test_attrs(self) -> None:
        """T1: class variables and derived fields are no keys, a private field keeps its name."""
        schema = Schema.of(texts.Order)
        assert schema.kind == "attrs"
        assert types_of(texts.Order) == {"item": str, "_secret": str | None, "lines": list[str]}
        assert schema.fields["_secret"].alias == "secret"
        assert required_of(texts.Order) == {"item"}

    def test_attrs_fields_without_annotations(self) -> None:
        """T1: the type may be given to the field; without one every value will do."""
        made = attrs.make_class("Made", {"a": attrs.field(type=int), "b": attrs.field()})
        assert types_of(made) == {"a": int, "b": Any}
        bare: Any = type("Bare", (), {"a": attrs.field(type=int)})
        assert types_of(attrs.define(bare)) == {"a": int}

    def test_dataclass(self) -> None:
        """T1: `ClassVar`, `InitVar` and derived fields are no keys."""
        assert Schema.of(texts.Trip).kind == "dataclass"
        assert types_of(texts.Trip) == {"city": str, "days": list[int]}
        assert required_of(texts.Trip) == {"city"}

    def test_metadata(self) -> None:
        """T1: a strategy may stand in the metadata of a field."""
        made = attrs.make_class("Made", {"a": attrs.field(type=list[str], metadata={"strategy": APPEND})})
        assert Schema.of(made).fields["a"].strategy is APPEND
        assert Schema.of(Marked).fields["lines"].strategy is APPEND


class TestGenerics:
    def test_arguments_take_the_place_of_parameters(self) -> None:
        """T1: an alias with type arguments is a schema."""
        assert types_of(texts.Page[int]) == {"rows": list[int], "last": int | None}
        assert types_of(texts.Box[int]) == {"content": int}

    def test_a_base_that_is_bound(self) -> None:
        """T1: what a generic base was given is known in the class."""
        assert types_of(texts.Names) == {"rows": list[str], "last": str | None, "title": str}

    def test_through_two_bases(self) -> None:
        """T1: also through a class that hands its own parameter on."""

        @attrs.frozen
        class Middle(texts.Page[list[T]], Generic[T]):
            pass

        @attrs.frozen
        class Last(Middle[int]):
            pass

        assert types_of(Last) == {"rows": list[list[int]], "last": list[int] | None}

    def test_parameters_that_stay_open(self) -> None:
        """T1: without arguments every value will do."""
        assert Schema.of(texts.Box).validate({"content": object()}) == []

    def test_aliases(self) -> None:
        """T1: `type` statements (here their older spelling) are looked through, with their metadata."""
        assert types_of(texts.Aliases) == {"lines": list[str], "pair": tuple[int, int]}
        assert Schema.of(texts.Aliases).fields["lines"].strategy is APPEND

    def test_what_else_stands_around_a_type(self) -> None:
        """T1: `Final` says nothing about the values, and inner `Annotated`s are taken off."""

        @dataclasses.dataclass
        class Wrapped:
            a: Final[int]
            b: list[Annotated[int, []]]
            c: Final = 5

        assert types_of(Wrapped) == {"a": int, "b": list[int], "c": Any}

    @pytest.mark.parametrize("name", ["Row", "Rows"] if sys.version_info >= (3, 12) else ["Row"])
    def test_type_parameters_of_the_class(self, name: str) -> None:
        """T1: both spellings of a generic class work, as texts and as they are."""
        older = "T = TypeVar('T')\n@attrs.frozen\nclass Row(Generic[T]):\n    a: T\n    b: 'list[T]'\n"
        newer = "type Row[W] = list[W]\n@attrs.frozen\nclass Rows[V]:\n    a: V\n    b: Row[V]\n"
        space: dict[str, Any] = {"__name__": __name__, "attrs": attrs, "TypeVar": TypeVar, "Generic": Generic}
        exec(older if name == "Row" else newer, space)  # noqa: S102  (the newer one is no Python before 3.12)
        assert types_of(space[name][int]) == {"a": int, "b": list[int]}


class TestResolving:
    def test_a_class_in_a_function_that_names_itself(self) -> None:
        """T1: its own name is known although it is in no module."""
        node: Any = texts.local_class()
        assert types_of(node)["children"] == types.GenericAlias(list, (node,))

    def test_inside_a_state_it_is_not_checked(self) -> None:
        """T3: a record whose hints only type checkers know may be a value."""
        assert Schema.of(texts.Holder).validate({"foreign": texts.Foreign("5")}) == []  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  (it is no Decimal)


class TestSchema:
    def test_one_class_one_schema(self) -> None:
        """T1: a class is read once; copies and pickles are the same schema."""
        schema = Schema.of(texts.Chat)
        assert Schema.of(texts.Chat) is schema
        assert copy.deepcopy(schema) is schema
        assert pickle.loads(pickle.dumps(schema)) is schema  # noqa: S301  (our own bytes)

    def test_it_shows_its_keys(self) -> None:
        """T1: kind, name and keys are shown."""
        assert repr(Schema.of(texts.Tree)) == "<Schema Tree (typed_dict): name, children>"

    def test_missing_is_one_object(self) -> None:
        """T1: the mark for no value survives copies and pickles."""
        assert copy.deepcopy(MISSING) is MISSING
        assert pickle.loads(pickle.dumps(MISSING)) is MISSING  # noqa: S301  (our own bytes)
        assert repr(MISSING) == "MISSING"

    def test_reading_loads_no_cattrs(self) -> None:
        """T3: cattrs and pydantic are loaded by whoever needs them, not by reading and viewing."""
        program = (
            "import sys\n"
            "from graph_core_tests.state.schema.texts import Tree\n"
            "from graph_core.state.schema import Schema\n"
            "Schema.of(Tree).view({'name': 'a'}, 'x')\n"
            "print({'cattrs', 'pydantic'} & set(sys.modules))\n"
        )
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - our own program
        assert run.stdout == "set()\n"
