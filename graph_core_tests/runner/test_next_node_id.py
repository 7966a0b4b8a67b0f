"""R1: after a node the runner asks where to go on, and gets a `Command`: target and state."""

from typing import Any

import pytest

from graph_core import (
    END,
    START,
    Command,
    CommandAction,
    GraphRunnerContext,
    GraphRunnerException,
    RunnableConfig,
    StateGraph,
)
from graph_core_tests.shapes import State, graph, on, raises, says


def context_of(built: StateGraph) -> GraphRunnerContext:
    """Make the cursor of a run."""
    return GraphRunnerContext(built.compile()._plan, RunnableConfig(metadata={"k": "t"}))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (the cursor itself is under test)


def after(built: StateGraph, node: str, state: dict[str, Any] | None = None) -> Command[Any]:
    """Ask where to go from a node with a state."""
    compiled_state: State = built.compile().invoke({}) if state is None else State(state)
    return context_of(built).next_node_id(node, compiled_state)


class TestTargets:
    def test_a_fixed_edge(self) -> None:
        """R1: a fixed edge gives its target, and the state as it is."""
        command = after(graph("START > a", "a > END"), "a", {"m": ["x"]})
        assert (command.goto_node, dict(command.update)) == (END, {"m": ["x"]})

    def test_start(self) -> None:
        """R1: so does the entry edge."""
        assert after(graph("START > a", "a > END"), START, {}).goto_node == "a"

    def test_a_condition(self) -> None:
        """R1: a conditional edge runs its action on the state."""
        built = graph("START > a", "b > END").add_conditional_edges("a", on(lambda state: state["x"]), {1: "b", 2: END})
        assert after(built, "a", {"x": 1}).goto_node == "b"
        assert after(built, "a", {"x": 2}).goto_node == END

    def test_a_condition_with_config(self) -> None:
        """R2: the action may take the config."""

        def route(state: State, config: RunnableConfig) -> str:
            return "b" if config.metadata["k"] == "t" else END

        built = graph("START > a", "b > END").add_conditional_edges("a", route, ["b", END])
        assert after(built, "a", {}).goto_node == "b"

    def test_a_condition_with_an_update(self) -> None:
        """R6: the state to go on with holds the route's update, merged by the strategies."""
        built = graph("START > a", "b > END").add_conditional_edges("a", says(Command("b", {"m": "r"})), ["b", END])
        command = after(built, "a", {"m": ["a"]})
        assert (command.goto_node, dict(command.update)) == ("b", {"m": ["a", "r"]})

    def test_a_fork(self) -> None:
        """R1, P: a fork's source leads to its parallel node, that to the convergence."""
        built = graph("START > a", "a > b, c", "b > d", "c > d", "d > END")
        assert after(built, "a", {}).goto_node == "__PARALLEL__(a)"
        assert after(built, "__PARALLEL__(a)", {}).goto_node == "d"


class TestFailures:
    def test_an_unknown_node(self) -> None:
        """R1: a node that is not there is an error that names it."""
        with pytest.raises(GraphRunnerException, match="'zz'"):
            after(graph("START > a", "a > END"), "zz", {})

    def test_end(self) -> None:
        """R1: nothing comes after END."""
        with pytest.raises(GraphRunnerException):
            after(graph("START > a", "a > END"), END, {})

    def test_a_label_that_is_not_mapped(self) -> None:
        """R4: source, label and the allowed labels."""
        built = graph("START > a").add_conditional_edges("a", says("zz"), ["a", END])
        with pytest.raises(GraphRunnerException, match="'zz' in conditional edge with sourceId: 'a'"):
            after(built, "a", {})

    def test_a_condition_that_raises(self) -> None:
        """X3: its exception is the cause."""
        built = graph("START > a").add_conditional_edges("a", raises(KeyError("k")), ["a", END])
        with pytest.raises(GraphRunnerException) as caught:
            after(built, "a", {})
        assert isinstance(caught.value.__cause__, KeyError)

    def test_a_command_node(self) -> None:
        """R9: a node without edges has no way that can be asked for."""
        built = graph("b > END").add_node("a", CommandAction(says(Command("b"))), ["b", END]).add_edge(START, "a")
        with pytest.raises(GraphRunnerException, match="'a'"):
            after(built, "a", {})


class TestCursor:
    def test_before_the_run(self) -> None:
        """api: node and step of the cursor."""
        context = context_of(graph("START > a", "a > END"))
        assert (context.current_node_id, context.step) == (START, 0)

    def test_during_the_run(self) -> None:
        """api: they follow the main path."""
        context = context_of(graph("START > a", "a > b", "b > END"))
        steps = context.steps({})
        next(steps)
        assert (context.current_node_id, context.step) == ("a", 1)
        steps.send({"m": "a"})
        assert (context.current_node_id, context.step) == ("b", 2)
        steps.close()
