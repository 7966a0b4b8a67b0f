"""Pydantic models come back as they were; they are not validated a second time."""

from decimal import Decimal
from typing import Any

import pydantic
import pytest

from graph_core.serializer import DeserializationError, SerializationError, Serializer
from graph_core_tests.serializer.exact import back
from graph_core_tests.serializer.made import Computed, Model, Numbers, Page, Twice

KNOWN = Serializer(Model, Numbers, Page, Page[int], Twice)


@pytest.mark.parametrize(
    "value",
    [
        Model(name="a"),
        Model(name="a", price=Decimal("2.50"), tags=("x",)),
        Model(name="a", more={"deep": (1,)}),  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
        Model.model_construct(name=5),
        Twice(Value=3),
        Page[int](items=[1], next=Page[int](items=[])),
        Page(items=[(1,)]),
        Numbers([1, 2]),
    ],
    ids=repr,
)
def test_it_comes_back(value: Any) -> None:
    """It is equal, of the same class, and knows which of its fields were set."""
    again = back(value, KNOWN)
    assert type(again) is type(value)
    assert again == value
    assert again.model_fields_set == value.model_fields_set
    assert again.model_extra == value.model_extra
    assert repr(again) == repr(value)


def test_private_attributes_come_back() -> None:
    """Those that have a value have it again, the others have none."""
    value = Model(name="a")
    value._seen.add(5)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    again = back(value, KNOWN)
    assert again._seen == {5}  # noqa: SLF001
    assert not hasattr(again, "_never")


def test_a_validator_does_not_run_again() -> None:
    """What it made of its argument is kept."""
    assert back(Twice(Value=3), KNOWN).value == 6


def test_a_cached_property_is_made_anew() -> None:
    """It is no field, so it is not written."""
    value = Model(name="a")
    assert value.shout == "A"
    again = back(value, KNOWN)
    assert "shout" not in vars(again)
    assert again.shout == "A"


def test_a_cached_computed_field_is_made_anew() -> None:
    """Such a one is in the instance, but no part of it."""
    value = Computed(first=1)
    assert value.second == 2
    assert back(value, Serializer(Computed)) == Computed(first=1)


def test_what_is_no_field_is_refused() -> None:
    """A copy may hold what the model has not declared, which would be lost."""
    value = Twice(Value=1).model_copy(update={"other": 5})
    with pytest.raises(SerializationError, match="its attribute 'other' is no field of Twice"):
        KNOWN.dumps(value)
    with pytest.raises(DeserializationError, match="Twice has no extra fields"):
        KNOWN.loads(KNOWN.dumps(Twice(Value=1)).replace(b'"value"', b'"$extra":{"a":1},"value"'))


def test_a_private_default_may_look_at_the_fields() -> None:
    """A factory that takes the validated data gets what was restored."""
    old = pydantic.create_model("Computed", first=(int, ...))
    data = Serializer(names={"c": old}).dumps(old(first=1))
    assert Serializer(names={"c": Computed}).loads(data) == Computed(first=1)


def test_a_field_that_is_not_set_is_refused() -> None:
    """A model that was made without a required field could not be read."""
    with pytest.raises(SerializationError, match="its field 'name' is not set"):
        KNOWN.dumps(Model.model_construct())


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ('"name":5', "name must be str, not int 5"),
        ('"price":{"$":"decimal","v":"1"}', "the field 'name' is missing"),
        ('"name":"a","$extra":[]', "dict must be here, not list"),
        ('"name":"a","$set":5', "list must be here, not int"),
        ('"name":"a","$set":[[]]', "can not be read: TypeError"),
        ('"name":"a","$set":["else"]', "names fields that are not there"),
        ('"name":"a","$private":{"_else":1}', "names fields that are not there"),
        ('"name":"a","else":1', "has no field 'else'"),
    ],
)
def test_a_bad_body_is_refused(entry: str, text: str) -> None:
    """Nothing is restored that could not have been written."""
    name = f"{Model.__module__}.Model"
    with pytest.raises(DeserializationError, match=text):
        KNOWN.loads(f'{{"$1":{{"$":"@{name}",{entry}}}}}'.encode())


def test_fields_that_came_later_have_their_defaults() -> None:
    """Old data is of a model that had fewer fields and no private attributes."""
    old = pydantic.create_model("Model", name=(str, ...))
    data = Serializer(names={"model": old}).dumps(old(name="a"))
    again = Serializer(names={"model": Model}).loads(data)
    assert again == Model(name="a")
    assert again.model_fields_set == {"name"}


def test_a_default_may_look_at_the_fields_before() -> None:
    """A factory that takes the validated data gets those that were restored."""

    class Derived(pydantic.BaseModel):
        first: int
        second: int = pydantic.Field(default_factory=lambda data: data["first"] + 1)

    old = pydantic.create_model("Derived", first=(int, ...))
    data = Serializer(names={"d": old}).dumps(old(first=1))
    assert Serializer(names={"d": Derived}).loads(data).second == 2
