"""`add_conditional_edges`: one of several targets."""

import functools
from collections.abc import Callable
from typing import Any, Literal, cast

import pytest

from graph_core import (
    END,
    START,
    Command,
    CommandAction,
    EdgeCondition,
    GraphStateException,
    InvalidRecordError,
    MultiCommandAction,
    RunnableConfig,
    StateGraph,
)
from graph_core_tests.shapes import State, codes, graph, on, says


def pick(state: State) -> Literal["a", "b"]:
    """Choose b."""
    return "b"


def chosen(condition: Any, mappings: Any = ("a", "b"), inputs: dict[str, Any] | None = None) -> list[str]:
    """Run START → condition → a or b → END, and give `m`."""
    built = graph("a > END", "b > END").add_conditional_edges(START, condition, mappings)
    found: list[str] = built.compile().invoke(inputs or {})["m"]
    return found


class TestForms:
    def test_a_function_and_a_dict(self) -> None:
        """R3: a label means the node that it is mapped to."""
        assert chosen(says("yes"), {"yes": "b", "no": "a"}) == ["b"]

    def test_a_list_of_ids(self) -> None:
        """R3: in a list each id maps to itself."""
        assert chosen(says("a"), ["a", "b"]) == ["a"]

    def test_the_annotation(self) -> None:
        """R3: without mappings the labels of the annotation are the ids."""
        assert chosen(pick, None) == ["b"]

    def test_without_any_mapping(self) -> None:
        """R3: a single route without labels may go to every node."""
        assert chosen(says("b"), None) == ["b"]

    def test_a_command_action(self) -> None:
        """R2: a `CommandAction` is what it wraps."""
        assert chosen(CommandAction.of(says("b"))) == ["b"]

    def test_an_edge_condition(self) -> None:
        """api: an `EdgeCondition` brings its mappings."""
        assert chosen(EdgeCondition.single(says("x"), {"x": "b", "y": "a"}), None) == ["b"]

    def test_an_edge_condition_with_other_mappings(self) -> None:
        """api: mappings that are given win over those of the `EdgeCondition`."""
        assert chosen(EdgeCondition.single(says("x"), {"x": "b"}), {"x": "a", "y": "b"}) == ["a"]

    def test_a_multi_action_is_a_fork(self) -> None:
        """P: a `MultiCommandAction` chooses several, whichever verb it was given to."""
        assert chosen(MultiCommandAction.of(says(["b", "a"]))) == ["b", "a"]

    def test_a_partial(self) -> None:
        """R2: a partial is an action."""

        def by(word: str, state: State) -> str:
            return word

        assert chosen(functools.partial(by, "b")) == ["b"]

    def test_with_config(self) -> None:
        """R2: an action with two parameters gets the config (Java: testAddConditionalEdgesWithConfigAccess)."""

        def by_metadata(state: State, config: RunnableConfig) -> str:
            return str(config.metadata.get("route", "a"))

        built = graph("a > END", "b > END").add_conditional_edges(START, by_metadata, ["a", "b"]).compile()
        assert built.invoke({}, RunnableConfig(metadata={"route": "b"}))["m"] == ["b"]
        assert built.invoke({})["m"] == ["a"]

    def test_by_the_state(self) -> None:
        """R1: the action sees the state after the node's update (Java: testAddConditionalEdgesWithConfig)."""
        built = graph("START > s", "a > END", "b > END").add_conditional_edges(
            "s", on(lambda state: state["m"][-1] + state["prop1"]), {"svalue1": "a", "sother": "b"}
        )
        compiled = built.compile()
        assert compiled.invoke({"prop1": "value1"})["m"] == ["s", "a"]
        assert compiled.invoke({"prop1": "other"})["m"] == ["s", "b"]

    def test_with_an_update(self) -> None:
        """R6: a Command's update is merged before the target runs (Java: testCommandEdgeGraph)."""
        seen: list[str] = []

        def agent_3(state: State) -> dict[str, Any]:
            seen.append(state["prop1"])
            return {}

        built = graph("START > agent_1", "agent_1 > agent_2", "agent_3 > END", agent_3=agent_3)
        built.add_conditional_edges("agent_2", says(Command("agent_2", {"prop1": "content"})), {"agent_2": "agent_3"})
        assert built.compile().invoke({})["prop1"] == "content"
        assert seen == ["content"]


class TestRaisedAtOnce:
    def test_from_end(self) -> None:
        """C1: nothing begins at END, with Java's text."""
        with pytest.raises(GraphStateException, match="END is not a valid edge sourceId!"):
            StateGraph().add_conditional_edges(END, says("a"), ["a"])

    @pytest.mark.parametrize("empty", [{}, [], ()])
    def test_an_empty_mapping(self, empty: Any) -> None:
        """C1: a mapping without an entry, with Java's text."""
        with pytest.raises(GraphStateException, match="edge mapping is empty!") as caught:
            StateGraph().add_conditional_edges("a", says("a"), empty)
        assert (caught.value.code, caught.value.errors[0].place) == ("edge_mapping_is_empty", "edge a → {}")

    @pytest.mark.parametrize("source", [None, ""])
    def test_no_source(self, source: Any) -> None:
        """C1: a source has to be named."""
        with pytest.raises(GraphStateException) as caught:
            StateGraph().add_conditional_edges(source, says("a"), ["a"])
        assert caught.value.code == "empty_source_node_by_edge"

    def test_a_source_that_is_no_text(self) -> None:
        """C1: a source is one id."""
        bad: Any = ["a"]
        with pytest.raises((InvalidRecordError, TypeError)):
            StateGraph().add_conditional_edges(bad, says("a"), ["a"])

    @pytest.mark.parametrize("bad", [None, "a", 5])
    def test_what_can_not_be_called(self, bad: Any) -> None:
        """R2: a condition is a callable."""
        with pytest.raises(InvalidRecordError, match="wraps a callable"):
            StateGraph().add_conditional_edges("a", bad, ["a"])

    def test_a_condition_without_an_action(self) -> None:
        """api: an `EdgeCondition` that is only drawn can not be walked."""
        with pytest.raises(InvalidRecordError, match="the condition of 'a' has no action"):
            StateGraph().add_conditional_edges("a", EdgeCondition(None, {"x": "b"}))

    def test_too_many_parameters(self) -> None:
        """R2: a condition takes the state, or state and config."""

        def three(state: State, config: RunnableConfig, more: int) -> str:
            return "a"

        with pytest.raises(InvalidRecordError, match="the condition of 'a': three must be callable"):
            StateGraph().add_conditional_edges("a", cast("Any", three), ["a"])

    def test_a_label_that_is_mapped_to_no_text(self) -> None:
        """R3: a label is mapped to the id of a node."""
        bad: Any = {"x": 5}
        with pytest.raises(InvalidRecordError, match="label 'x' must be mapped to the id of a node"):
            StateGraph().add_conditional_edges("a", says("x"), bad)


def route_one(state: State) -> str:
    """Choose x."""
    return "x"


class TestNames:
    def build(self, *conditions: tuple[Callable[..., Any], str | None]) -> StateGraph:
        """Make a source with conditions."""
        built = graph("START > s", "x > END")
        for condition, name in conditions:
            built.add_conditional_edges("s", condition, ["x", END], name=name)
        return built

    def test_the_functions_name(self) -> None:
        """R8: two conditions of one name on one source are a problem that names it."""
        problems = self.build((route_one, None), (route_one, None)).validate()
        assert codes(problems) == ["duplicate_conditional_edge_error"]
        assert problems[0].place == "edge s → route_one"
        assert "'route_one'" in problems[0].message

    def test_a_name_that_is_given(self) -> None:
        """R8: `name` wins over the function's."""
        assert self.build((route_one, "one"), (route_one, None)).validate() == ()
        assert codes(self.build((route_one, "n"), (says("x"), "n")).validate()) == ["duplicate_conditional_edge_error"]

    def test_one_name_on_two_sources(self) -> None:
        """R8: a name is unique on its source only."""
        built = self.build((route_one, None)).add_node("t", says({})).add_edge(START, "t")
        assert built.add_conditional_edges("t", route_one, ["x", END]).validate() == ()

    def test_nameless_ones_are_numbered(self) -> None:
        """R8: lambdas do not clash."""
        assert self.build((on(lambda state: "x"), None), (on(lambda state: END), None)).validate() == ()

    def test_a_number_does_not_clash_with_a_name(self) -> None:
        """R8: the number of a nameless condition is no name that a function has."""

        def condition1(state: State) -> str:
            return "x"

        assert self.build((on(lambda state: "x"), None), (condition1, None)).validate() == ()
        assert self.build((condition1, None), (on(lambda state: "x"), None)).validate() == ()
