"""What type checkers, and a run, say of a state."""

from collections.abc import Mapping
from typing import Any, assert_type

from returns.maybe import Maybe, Nothing, Some

from graph_core import OverAllState
from graph_core_tests.typing.schemas import Doc


class TestReads:
    def test_value(self) -> None:
        """S1: a `Maybe`, of the type that is asked for."""
        state = OverAllState({"n": 1})
        assert_type(state.value("n"), Maybe[Any])
        assert_type(state.value("n", of=int), Maybe[int])
        assert_type(state.value("n", int).map(str).value_or("none"), str)
        assert (state.value("n", of=int), state.value("n", of=str), state.value("m")) == (Some(1), Nothing, Nothing)

    def test_value_or(self) -> None:
        """S1: the default says the type."""
        state = OverAllState({"n": 1})
        assert_type(state.value_or("n", 0), int)
        assert_type(state.value_or("name", ""), str)
        assert state.value_or("n", 0) + 1 == 2

    def test_as_a_mapping(self) -> None:
        """S1: it is one, of anything."""
        state = OverAllState({"n": 1})
        assert_type(state["n"], Any)
        assert_type(state.data, Mapping[str, Any])
        mapping: Mapping[str, Any] = state
        assert dict(mapping) == {"n": 1}

    def test_updated(self) -> None:
        """S1: a state of the same schema."""
        state: OverAllState[Doc] = OverAllState({"n": 1})
        assert_type(state.updated({"n": 2}), OverAllState[Doc])
        assert_type(state.updated({"n": 2}).view(), Doc)
        assert state.updated({"n": 2})["n"] == 2


class TestViews:
    def test_a_bare_name_is_any_state(self) -> None:
        """T2: and its view is anything."""
        bare: OverAllState = OverAllState({"n": 1})
        assert_type(bare, OverAllState[Any])
        assert bare.view()["n"] == 1

    def test_a_narrower_state_is_a_wider_one(self) -> None:
        """A state only gives its view: what takes a state of a base takes one of what is below it."""

        def first(state: OverAllState[Mapping[str, object]]) -> object:
            return state["n"]

        typed: OverAllState[Doc] = OverAllState({"n": 1})
        assert first(typed) == 1
