"""What is raised at once, what a compile collects, and what a compile fixes for ever."""

from typing import Any

import pytest
from returns.result import Failure, Success

from graph_core import (
    APPEND,
    END,
    START,
    CompileConfig,
    CompiledGraph,
    GraphStateException,
    InvalidRecordError,
    Node,
    StateGraph,
)
from graph_core_tests.shapes import Compiled, appends, codes, graph, says


class TestValidation:
    def test_step_by_step(self) -> None:
        """C1, C2: what Java's testValidation finds; a node without an edge is a problem here (Δ)."""
        built = StateGraph()
        assert "missing Entry Point" in str(built.validate()[0])
        built.add_edge(START, "agent_1")
        assert "refers to undefined node 'agent_1'!" in built.validate()[0].message
        built.add_node("agent_1", says({}))
        assert codes(built.validate()) == ["missing_edge"]
        built.add_edge("agent_1", END)
        assert built.validate() == ()
        with pytest.raises(GraphStateException):
            built.add_edge(END, "agent_1")
        with pytest.raises(GraphStateException):
            built.add_conditional_edges("agent_1", says("x"), {})
        built.add_node("agent_2", says({})).add_edge("agent_2", "agent_3")
        assert codes(built.validate()) == ["missing_node_referenced_by_edge", "unreachable_node"]

    def test_validate_and_compile_find_the_same(self) -> None:
        """C1: `compile` raises one error with what `validate` gives."""
        built = graph("START > a", "b > c")
        with pytest.raises(GraphStateException) as caught:
            built.compile()
        assert caught.value.errors == built.validate()
        assert codes(built.validate()) == ["missing_edge", "missing_edge", "unreachable_node", "unreachable_node"]

    def test_validate_changes_nothing(self) -> None:
        """C1: a graph may be validated any number of times."""
        built = graph("START > a")
        assert built.validate() == built.validate()
        assert built.add_edge("a", END).validate() == ()


class TestCompileResult:
    def test_success(self) -> None:
        """C5: a graph that is fine comes as `Success`."""
        result = graph("START > a", "a > END").compile_result()
        assert isinstance(result, Success)
        assert isinstance(result.unwrap(), CompiledGraph)

    def test_failure(self) -> None:
        """C5: problems come as `Failure`, nothing is raised."""
        result = StateGraph().compile_result()
        assert isinstance(result, Failure)
        assert codes(result.failure().errors) == ["missing_entry_point"]

    def test_the_config(self) -> None:
        """C5: the config is taken."""
        assert graph("START > a", "a > END").compile_result(CompileConfig(name="n")).unwrap().name == "n"

    def test_another_config(self) -> None:
        """C5: what is no config is an error of the caller, not of the graph."""
        bad: Any = {"recursion_limit": 5}
        with pytest.raises(InvalidRecordError, match="compile takes a CompileConfig"):
            graph("START > a", "a > END").compile(bad)

    def test_a_factory_that_gives_no_action(self) -> None:
        """C1: what only the compile can see names the node."""
        bad: Any = Node("a", lambda config: 5)  # type: ignore[arg-type,return-value]  # pyright: ignore[reportArgumentType]  (the fault under test)
        built = StateGraph().add_node(bad).add_edge(START, "a").add_edge("a", END)
        with pytest.raises(
            (InvalidRecordError, GraphStateException), match="node 'a': its factory must give a callable"
        ):
            built.compile()


class TestImmutable:
    def build(self) -> tuple[StateGraph, Compiled]:
        """Give a builder, and what was compiled of it."""
        built = graph("START > a", "a > END")
        return built, built.compile()

    def test_later_changes_do_not_reach_it(self) -> None:
        """C5: a compiled graph is what it was when it was compiled."""
        built, compiled = self.build()
        built.add_node("b", appends("b")).add_edge("a", "b").add_edge(START, "b")
        assert compiled.invoke({})["m"] == ["a"]
        assert set(compiled.nodes) == {"a"}
        assert compiled.edges["a"].id == END

    def test_the_strategies_are_fixed(self) -> None:
        """C5: a strategy mapping that is changed later does not reach it."""
        strategies: dict[str, Any] = {"m": APPEND}
        built = StateGraph(strategies).add_node("a", appends("a")).add_edge(START, "a").add_edge("a", END)
        compiled = built.compile()
        strategies["m"] = max
        strategies["n"] = APPEND
        assert compiled.invoke({"n": 1})["m"] == ["a"]
        assert compiled.invoke({"n": 1})["n"] == 1
        assert dict(compiled.key_strategies) == {"m": APPEND}

    def test_the_mapping_is_fixed(self) -> None:
        """C5: a mapping that is changed later does not reach it."""
        labels = {"x": "a"}
        built = graph("a > b", "b > END").add_conditional_edges(START, says("x"), labels)
        labels["x"] = "b"
        assert built.compile().invoke({})["m"] == ["a", "b"]

    def test_its_views_can_not_be_written(self) -> None:
        """C5: nodes, edges and strategies are read-only."""
        _, compiled = self.build()
        views: list[Any] = [compiled.nodes, compiled.edges, compiled.key_strategies]
        for view in views:
            with pytest.raises(TypeError):
                view["a"] = None

    def test_two_compiles_are_independent(self) -> None:
        """C5: one builder may be compiled often."""
        built, compiled = self.build()
        other = built.compile(CompileConfig(name="other", recursion_limit=7))
        assert (compiled.name, other.name) == (None, "other")
        assert other.config.recursion_limit == 7
        assert other.invoke({})["m"] == compiled.invoke({})["m"]

    def test_the_name(self) -> None:
        """api: the compile's name, else the graph's."""
        built = StateGraph(name="g").add_node("a", says({})).add_edge(START, "a").add_edge("a", END)
        assert built.compile().name == "g"
        assert built.compile(CompileConfig(name="c")).name == "c"
