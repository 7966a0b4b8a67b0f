"""Schemas that are pydantic models (rules T1 to T3)."""

import operator
from typing import Annotated, Any, Generic, TypeVar

import pydantic
import pytest

from graph_core import APPEND, GraphRunnerException, InvalidRecordError, Overwrite
from graph_core.state.schema import Schema
from graph_core_tests.state.schema.made import typed_dict

WHERE = "node 'a'"
T = TypeVar("T")


class Item(pydantic.BaseModel):
    """A model inside a state."""

    name: str
    qty: int = 0


class Order(pydantic.BaseModel):
    """A state."""

    user: str
    items: Annotated[list[Item], APPEND] = []
    total: Annotated[int, operator.add] = pydantic.Field(default=0, ge=0)
    tags: set[str] = pydantic.Field(default_factory=set)


class Aliased(pydantic.BaseModel):
    """A model whose inputs have other names."""

    user_name: str = pydantic.Field(alias="userName")


class Checked(pydantic.BaseModel):
    """A model with validators of its own."""

    low: int
    high: int

    @pydantic.field_validator("low")
    @classmethod
    def _low(cls, value: int) -> int:
        if value < 0:
            raise ValueError("too low")
        return value

    @pydantic.model_validator(mode="after")
    def _ordered(self) -> "Checked":
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Early(pydantic.BaseModel):
    """A model whose validator needs all keys."""

    a: int
    b: int

    @pydantic.model_validator(mode="before")
    @classmethod
    def _both(cls, values: Any) -> Any:
        if values["a"] == values["b"]:
            raise LookupError("the same")
        return values


class Page(pydantic.BaseModel, Generic[T]):
    """A generic model."""

    rows: list[T]


class TestReading:
    def test_keys_strategies_and_defaults(self) -> None:
        """T1: fields, `Annotated` strategies, defaults and factories are read."""
        schema = Schema.of(Order)
        assert (schema.kind, list(schema.fields)) == ("pydantic", ["user", "items", "total", "tags"])
        assert schema.strategies() == {"items": APPEND, "total": operator.add}
        assert schema.defaults() == {"items": [], "total": 0, "tags": set()}
        assert schema.defaults()["items"] is not schema.defaults()["items"]
        assert [name for name, field in schema.fields.items() if field.required] == ["user"]

    def test_generic(self) -> None:
        """T1: a model with type arguments is a class of its own."""
        assert Schema.of(Page[int]).fields["rows"].type == list[int]

    @pytest.mark.parametrize("model", [pydantic.RootModel[int], pydantic.BaseModel])
    def test_models_without_keys(self, model: Any) -> None:
        """T1: a root model is one bare value, and the base of all models is none."""
        with pytest.raises(InvalidRecordError, match="a schema is a TypedDict"):
            Schema.of(model)

    def test_hints_that_can_not_be_resolved(self) -> None:
        """T1: the class is named, inside a state it is not checked."""
        space: dict[str, Any] = {"__name__": __name__}
        exec(  # noqa: S102  (no type checker accepts it)
            "import pydantic\nclass Open(pydantic.BaseModel):\n    price: 'Nowhere'\n    prices: list['Nowhere']\n",
            space,
        )
        with pytest.raises(InvalidRecordError, match="Open: the hint of a field can not be resolved"):
            Schema.of(space["Open"])
        holder = Schema.of(typed_dict("Holder", {"open": space["Open"]}))
        assert holder.validate({"open": space["Open"].model_construct(price=5, prices=[5])}) == []

    def test_defaults_of_other_fields(self) -> None:
        """T1: when a run starts there is no instance that a default could look at."""

        class Derived(pydantic.BaseModel):
            a: int
            b: int = pydantic.Field(default_factory=lambda data: data["a"])

        with pytest.raises(InvalidRecordError, match=r"default of field 'b' of .*Derived is made of other fields"):
            Schema.of(Derived)


class TestViews:
    def test_an_instance(self) -> None:
        """T2: a model built from the state, defaults filled in; inner models are handed on."""
        item = Item(name="a")
        view = Schema.of(Order).view({"user": "u", "items": [item], "x": 1}, WHERE)
        assert view == Order(user="u", items=[item])
        assert view.items[0] is item

    def test_all_keys_there(self) -> None:
        """T2: the same where no default is needed."""
        state: dict[str, Any] = {"user": "u", "items": [], "total": 1, "tags": {"a"}}
        assert Schema.of(Order).view(state, WHERE) == Order(user="u", total=1, tags={"a"})

    def test_names_not_aliases(self) -> None:
        """T2: the keys of a state are the names of the fields."""
        assert Schema.of(Aliased).view({"user_name": "u"}, WHERE) == Aliased(userName="u")

    def test_errors(self) -> None:
        """T2: missing keys, wrong types and what a validator refuses name the node."""
        for state, code in (
            ({}, "missing_key"),
            ({"user": 5}, "invalid_value"),
            ({"user": "u", "total": -1}, "invalid_value"),
        ):
            with pytest.raises(GraphRunnerException, match=r"node 'a': .*Order") as caught:
                Schema.of(Order).view(state, WHERE)
            assert caught.value.code == code

    def test_strict(self) -> None:
        """T2: nothing is converted, not even inside."""
        with pytest.raises(GraphRunnerException, match="can not be built"):
            Schema.of(Page[int]).view({"rows": ["5"]}, WHERE)


class TestChanges:
    def test_a_model_that_was_changed(self) -> None:
        """T2: a changed view is compared with what it held, its own lists included."""
        schema = Schema.of(Order)
        view = schema.view({"user": "u", "items": [Item(name="a")], "tags": {"x"}}, WHERE)
        before = schema.before(view)
        view.items.append(Item(name="b"))
        view.total += 2
        assert schema.changes(before, view, WHERE) == {"items": [Item(name="b")], "total": 2}

    def test_nothing_changed(self) -> None:
        """T2: an equal one means no update."""
        schema = Schema.of(Order)
        view = schema.view({"user": "u"}, WHERE)
        assert schema.changes(schema.before(view), view.model_copy(), WHERE) == {}


class TestValidation:
    def test_types_and_paths(self) -> None:
        """T3: checked as in every other schema, inner models by their fields."""
        wrong = Item.model_construct(name="a", qty="5")
        assert Schema.of(Order).validate({"user": 5, "items": [wrong]}) == [
            "expected str @ $.user, not int 5",
            "expected int @ $.items[0].qty, not str '5'",
        ]

    def test_constraints(self) -> None:
        """T3: constraints and validators of the model are heard, for updates of some keys too."""
        assert Schema.of(Order).validate({"total": -1}) == ["Input should be greater than or equal to 0 @ $.total"]
        assert Schema.of(Order).validate({"total": Overwrite(-1)}) == [
            "Input should be greater than or equal to 0 @ $.total"
        ]
        assert Schema.of(Checked).validate({"low": -1}) == ["Value error, too low @ $.low"]

    def test_of_the_whole(self) -> None:
        """T3: a validator of the whole model is heard when all keys are there."""
        assert Schema.of(Checked).validate({"low": 2}) == []
        assert Schema.of(Checked).validate({"low": 2, "high": 1}) == ["Value error, low is above high @ $"]
        assert Schema.of(Checked).validate({"low": 1, "high": 2}) == []

    def test_validators_that_raise(self) -> None:
        """T3: what one raises is a problem, unless it may be for want of a key."""
        assert Schema.of(Early).validate({"a": 1}) == []
        assert Schema.of(Early).validate({"a": 1, "b": 1}) == ["LookupError: the same @ $"]
        assert Schema.of(Early).validate({"a": 1, "b": 2}) == []

    def test_parts_of_a_value(self) -> None:
        """S6: one element of a list is no whole value, the model is not asked about it."""
        assert Schema.of(Order).validate({"items": Item(name="a")}) == []

    def test_aliases(self) -> None:
        """T3: keys are the names of the fields."""
        assert Schema.of(Aliased).validate({"user_name": "u"}) == []
        assert Schema.of(Aliased).validate({"userName": "u"}) == [
            "unknown key 'userName' @ $, did you mean 'user_name'?"
        ]


class TestCoercion:
    def test_models_are_built_of_mappings(self) -> None:
        """T3: by pydantic, which converts on its own."""
        assert Schema.of(Order).coerced({"items": [{"name": "a", "qty": "5"}]}) == {"items": [Item(name="a", qty=5)]}
        wrong = Item.model_construct(name="a", qty="5")
        assert Schema.of(Order).coerced({"items": [wrong]}) == {"items": [Item(name="a", qty=5)]}

    def test_its_problems_have_paths(self) -> None:
        """T3: what pydantic finds is told as all else is."""
        found = Schema.of(typed_dict("S", {"page": Page[int]})).validate({"page": {"rows": [1, "x"]}}, coerce=True)
        assert len(found) == 1
        assert found[0].endswith("@ $.page.rows[1]")
