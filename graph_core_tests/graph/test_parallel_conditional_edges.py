"""`add_parallel_conditional_edges`: any number of targets."""

from typing import Any, Literal

import pytest

from graph_core import (
    END,
    START,
    CommandAction,
    ConditionalParallelNode,
    EdgeCondition,
    GraphStateException,
    InvalidRecordError,
    MultiCommandAction,
    Send,
    StateGraph,
)
from graph_core_tests.shapes import State, codes, graph, on, says


def pick(state: State) -> list[Literal["a", "b"]]:
    """Choose b, then a."""
    return ["b", "a"]


def send_each(state: State) -> list[Send[Any]]:
    """Send two copies."""
    return [Send("a", {"item": 1}), Send("a", {"item": 2})]


def chosen(condition: Any, mappings: Any = ("a", "b"), **options: Any) -> list[str]:
    """Run START → condition → some of a and b → END, and give `m`."""
    built = graph("a > END", "b > END").add_parallel_conditional_edges(START, condition, mappings, **options)
    found: list[str] = built.compile().invoke({}).get("m", [])
    return found


class TestForms:
    def test_a_function_and_a_dict(self) -> None:
        """R3: labels are mapped, in the order of the answer (Java: testAddParallelConditionalEdges)."""
        assert chosen(says(["second", "first"]), {"first": "a", "second": "b"}) == ["b", "a"]

    def test_one_label(self) -> None:
        """R2: a label alone is an answer (Java: testAddParallelConditionalEdgesWithSingleNode)."""
        assert chosen(says("b")) == ["b"]

    def test_the_annotation(self) -> None:
        """R3: the labels of the annotation are the ids."""
        assert chosen(pick, None) == ["b", "a"]

    def test_a_multi_command_action(self) -> None:
        """R2: a `MultiCommandAction` is what it wraps."""
        assert chosen(MultiCommandAction.of(says(("a", "b")))) == ["a", "b"]

    def test_an_edge_condition(self) -> None:
        """api: an `EdgeCondition` brings its mappings."""
        assert chosen(EdgeCondition.multi(says(["x"]), {"x": "b", "y": "a"}), None) == ["b"]

    def test_by_flags(self) -> None:
        """R2: the answer follows the state (Java: testAddParallelConditionalEdgesDynamic)."""
        built = graph("n1 > END", "n2 > END", "n3 > END").add_parallel_conditional_edges(
            START, on(lambda state: [name for name, flag in state["flags"].items() if flag]), ["n1", "n2", "n3"]
        )
        assert built.compile().invoke({"flags": {"n1": True, "n2": True, "n3": False}})["m"] == ["n1", "n2"]

    def test_different_successors(self) -> None:
        """P1 Δ: branches of different lengths join (Java refused: WithDifferentImmediateSuccessors)."""
        built = graph("START > s", "B > D", "C > C1", "D > E", "C1 > E", "E > END")
        built.add_parallel_conditional_edges("s", says(["B", "C"]), ["B", "C"])
        assert built.compile().invoke({})["m"] == ["s", "B", "D", "C", "C1", "E"]

    def test_sends_by_annotation(self) -> None:
        """P1: all targets of a route annotated to return only Sends are Send targets."""
        built = graph("START > s", "a > b", "b > END", s=says({})).add_parallel_conditional_edges(
            "s", send_each, ["a", "b"]
        )
        assert built.compile().edges["__PARALLEL__(s)"].id == END

    def test_sends_are_named(self) -> None:
        """P1: what `sends=` names is never the convergence."""
        built = graph("START > s", "a > b", "b > END", s=says({}))
        built.add_parallel_conditional_edges("s", says(["a"]), ["a", "b"], sends=["b"])
        assert built.compile().edges["__PARALLEL__(s)"].id == END

    def test_converge_at(self) -> None:
        """P1: `converge_at` chooses a later common post-dominator."""
        built = graph("START > s", "a > c", "b > c", "c > d", "d > END", s=says({}))
        built.add_parallel_conditional_edges("s", says(["a", "b"]), ["a", "b"], converge_at="d")
        assert built.compile().edges["__PARALLEL__(s)"].id == "d"

    def test_shown_as_a_fork(self) -> None:
        """P: a multi route is a fork, also when it happens to have one target."""
        built = graph("START > s", "a > END", s=says({})).add_parallel_conditional_edges("s", says("a"), ["a"])
        assert isinstance(built.compile().nodes["__PARALLEL__(s)"], ConditionalParallelNode)


class TestRaisedAtOnce:
    def test_from_end(self) -> None:
        """C1: nothing begins at END."""
        with pytest.raises(GraphStateException, match="END is not a valid edge sourceId!"):
            StateGraph().add_parallel_conditional_edges(END, says("a"), ["a"])

    @pytest.mark.parametrize("empty", [{}, [], ()])
    def test_an_empty_mapping(self, empty: Any) -> None:
        """C1: a mapping without an entry."""
        with pytest.raises(GraphStateException, match="edge mapping is empty!"):
            StateGraph().add_parallel_conditional_edges("a", says("a"), empty)

    def test_a_single_action(self) -> None:
        """R2: a `CommandAction` chooses one; the text names the source."""
        bad: Any = CommandAction.of(says("a"))
        with pytest.raises(InvalidRecordError, match="'s': add_parallel_conditional_edges takes a MultiCommandAction"):
            StateGraph().add_parallel_conditional_edges("s", bad, ["a"])

    def test_a_single_condition(self) -> None:
        """R2: an `EdgeCondition` with a `CommandAction` chooses one, too."""
        with pytest.raises(InvalidRecordError):
            StateGraph().add_parallel_conditional_edges("s", EdgeCondition.single(says("a"), ["a"]))

    @pytest.mark.parametrize("bad", [None, "a", 5])
    def test_what_can_not_be_called(self, bad: Any) -> None:
        """R2: a condition is a callable."""
        with pytest.raises(InvalidRecordError, match="wraps a callable"):
            StateGraph().add_parallel_conditional_edges("a", bad, ["a"])


class TestFoundByTheCompile:
    def test_without_a_mapping(self) -> None:
        """R3: a fork has to say where it may go."""
        built = graph("START > s", "a > END").add_parallel_conditional_edges("s", says("a"))
        problems = built.validate()
        assert codes(problems) == ["undeclared_targets"]
        assert problems[0].place == "edge s → ?"

    def test_an_unknown_send_target(self) -> None:
        """C2: `sends=` names nodes; the nearest id is a hint."""
        built = graph("START > s", "worker > END").add_parallel_conditional_edges(
            "s", says("worker"), ["worker"], sends=["workr"]
        )
        (problem,) = built.validate()
        assert problem.code == "unknown_id"
        assert "sends= of 's' names 'workr'" in problem.message
        assert "Did you mean 'worker'?" in problem.message
