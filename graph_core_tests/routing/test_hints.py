"""R10: hints that can not be resolved are a warning that names the action."""

import functools
import warnings
from typing import Any, Literal

import pytest

from graph_core import END, START, RunnableConfig, StateGraph, UnresolvedHintWarning
from graph_core_tests.shapes import Action, State, Update, graph, says


def unresolvable(state: State) -> str:
    """Choose b."""
    return "b"


def bad_parameter(state: State) -> Literal["b"]:
    """Choose b."""
    return "b"


# As `from __future__ import annotations` leaves hints whose names are imported for type checkers only.
unresolvable.__annotations__["return"] = "Missing"
bad_parameter.__annotations__["state"] = "Missing"


def quoted(state: "State") -> "Literal['b', 'c']":
    """Choose c."""
    return "c"


class TestWarnings:
    def test_of_a_return_hint(self) -> None:
        """R10: it names the source, the action and the hint; nothing is inferred."""
        with pytest.warns(UnresolvedHintWarning) as caught:
            built = graph("b > END").add_conditional_edges(START, unresolvable)
        text = str(caught[0].message)
        assert "the condition of '__START__'" in text
        assert "the return hint of unresolvable" in text
        assert "'Missing'" in text
        assert built.compile().invoke({})["m"] == ["b"]

    def test_of_a_parameter_hint(self) -> None:
        """R10: of the first parameter, too."""
        with pytest.warns(UnresolvedHintWarning, match="the hint of parameter 'state' of bad_parameter"):
            graph("b > END").add_conditional_edges(START, bad_parameter)

    def test_of_a_node(self) -> None:
        """R10: of nodes."""
        with pytest.warns(UnresolvedHintWarning, match="node 'n': the return hint of unresolvable"):
            StateGraph().add_node("n", unresolvable)

    def test_of_a_method_and_a_partial(self) -> None:
        """R10: through what wraps the function."""

        class Holder:
            def method(self, state: State) -> str:
                """Choose b."""
                return str(self)

            def __call__(self, state: State) -> str:
                """Choose b."""
                return str(self)

        Holder.method.__annotations__["return"] = "Missing"
        Holder.__call__.__annotations__["return"] = "Missing"
        given: list[Action] = [Holder().method, Holder(), functools.partial(unresolvable)]
        for action in given:
            with pytest.warns(UnresolvedHintWarning):
                graph("b > END").add_conditional_edges(START, action)


class TestSilence:
    @pytest.mark.parametrize(
        "action", [quoted, says("c"), functools.partial(quoted)], ids=["quoted", "plain", "partial"]
    )
    def test_what_can_be_resolved(self, action: Any) -> None:
        """R10: no warning where there is nothing to warn of."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            built = graph("b > END", "c > END").add_conditional_edges(START, action)
        assert built.compile().invoke({})["m"] == ["c"]

    def test_a_hint_of_a_local_class(self) -> None:
        """R10: names of the enclosing function are found as far as the action uses them."""
        word = "c"

        def route(state: State) -> Literal["b", "c"]:
            return "c" if word == "c" else "b"

        assert graph("b > END", "c > END").add_conditional_edges(START, route).compile().invoke({})["m"] == ["c"]

    def test_other_parameters_do_not_count(self) -> None:
        """R10: only the first parameter's hint and the return hint are read."""

        def act(state: State, config: RunnableConfig) -> Update:
            return {"m": "a"}

        act.__annotations__["config"] = "Missing"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            built = graph("START > a", "a > END", a=act)
        assert built.compile().invoke({})["m"] == ["a"]

    def test_end_is_a_label(self) -> None:
        """R3: a builtin without annotations says nothing."""
        built = graph("START > a").add_conditional_edges("a", len, {1: END})
        assert built.compile().invoke({})["m"] == ["a"]
