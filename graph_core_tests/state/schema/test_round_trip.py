"""Laws that hold for every schema and every value (rules T1 to T3)."""

import copy
import dataclasses
import operator
from collections.abc import Mapping
from typing import Annotated, Any

import attrs
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import APPEND, GraphRunnerException, OverAllState
from graph_core.state.schema import Schema
from graph_core.state.schema.same import is_same
from graph_core_tests.state.schema.made import typed_dict
from graph_core_tests.state.schema.values import COMMON, Values

WHERE = "node 'a'"
TYPES: list[tuple[Any, Values]] = [*COMMON, (Annotated[int, max], st.integers(-3, 3))]


def made(kind: str, hints: Mapping[str, Any]) -> Any:
    """Make a schema class."""
    if kind == "typed_dict":
        return typed_dict("Made", dict(hints))
    if kind == "dataclass":
        return dataclasses.make_dataclass("Made", list(hints.items()))
    if kind == "pydantic":
        create: Any = pydantic.create_model  # its parameters are the fields
        return create("Made", **{name: (hint, ...) for name, hint in hints.items()})
    bare: Any = type("Made", (), {"__annotations__": dict(hints)})
    return attrs.frozen(bare) if kind == "frozen attrs" else attrs.define(bare)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Schema, dict[str, Any], dict[str, Any]]:
    """A schema, and two sets of values that fit."""
    chosen = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=5))
    kind = draw(st.sampled_from(["typed_dict", "attrs", "frozen attrs", "dataclass", "pydantic"]))
    keys = [f"k{number}" for number in range(len(chosen))]
    first, second = ({key: draw(values) for key, (_, values) in zip(keys, chosen, strict=True)} for _ in range(2))
    return Schema.of(made(kind, {key: hint for key, (hint, _) in zip(keys, chosen, strict=True)})), first, second


def values_of(schema: Schema, view: Any) -> dict[str, Any]:
    """What a view holds."""
    return dict(view) if schema.kind == "typed_dict" else {name: getattr(view, name) for name in schema.fields}


class TestRoundTrip:
    @given(cases())
    def test_input_to_view_loses_nothing(self, case: tuple[Schema, dict[str, Any], dict[str, Any]]) -> None:
        """T1 to T3: what fits is no problem, is not converted, and a view shows it as it is."""
        schema, values, _ = case
        assert schema.validate(values, partial=False) == []
        assert all(is_same(found, values[key]) for key, found in schema.coerced(values).items() if key in values)
        state = OverAllState({}, schema.strategies()).updated(values)
        assert is_same(values_of(schema, schema.view(state, WHERE)), dict(state))

    @given(cases())
    def test_a_view_that_comes_back_changes_nothing(self, case: tuple[Schema, dict[str, Any], dict[str, Any]]) -> None:
        """T2: the same view, or an equal one, means no update."""
        schema, values, _ = case
        view = schema.view(values, WHERE)
        before = schema.before(view)
        assert schema.changes(before, view, WHERE) == {}
        assert schema.changes(before, schema.view(copy.deepcopy(values), WHERE), WHERE) == {}

    @given(cases())
    def test_a_returned_instance_is_what_the_state_becomes(
        self, case: tuple[Schema, dict[str, Any], dict[str, Any]]
    ) -> None:
        """T2: the update gives exactly the returned values; only a strategy that can not give them is an error."""
        schema, first, second = case
        state = OverAllState(first, schema.strategies())
        before, result = schema.before(schema.view(state, WHERE)), schema.view(second, WHERE)
        try:
            update = schema.changes(before, result, WHERE)
        except GraphRunnerException as refused:
            error = refused
        else:
            assert is_same(dict(state.updated(update)), second)
            assert all(not is_same(first[key], second[key]) for key in update)
            assert schema.validate(update) == []
            return
        assert error.code == "invalid_update"
        assert any(f"key {key!r}" in str(error) for key in schema.strategies())

    @pytest.mark.parametrize(("hint", "values"), TYPES, ids=range(len(TYPES)))
    @given(st.data())
    def test_plain_keys_always_have_an_update(self, hint: Any, values: Values, data: st.DataObject) -> None:
        """T2: REPLACE, MERGE and the sum of integers can give every value."""
        schema = Schema.of(made("frozen attrs", {"k": hint}))
        if schema.fields["k"].strategy in {APPEND, max} or hint == Annotated[list[int], operator.add]:
            return
        first, second = data.draw(values), data.draw(values)
        update = schema.changes({"k": first}, schema.view({"k": second}, WHERE), WHERE)
        assert is_same(OverAllState({"k": first}, schema.strategies()).updated(update)["k"], second)
