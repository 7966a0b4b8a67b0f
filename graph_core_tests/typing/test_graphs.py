"""What type checkers, and a run, say of a graph: its four type parameters."""

from collections.abc import Mapping
from typing import Any, assert_type

from returns.result import Result

from graph_core import APPEND, END, START, CompiledGraph, GraphStateException, KeyStrategyFactoryBuilder, StateGraph
from graph_core_tests.typing.schemas import Asked, Desk, Doc, Form, Note, Order, Told


class TestSchemas:
    def test_each_kind_is_state_input_and_output(self) -> None:
        """T1: the input and the output are the state's type, if nothing else is said."""
        assert_type(StateGraph(Doc), StateGraph[Doc, Any, Doc, Doc])
        assert_type(StateGraph(Order), StateGraph[Order, Any, Order, Order])
        assert_type(StateGraph(Note), StateGraph[Note, Any, Note, Note])
        assert_type(StateGraph(Form), StateGraph[Form, Any, Form, Form])

    def test_options_change_nothing(self) -> None:
        """The other arguments have no part in the type."""
        assert_type(StateGraph(Order, name="orders", coerce=True), StateGraph[Order, Any, Order, Order])
        assert_type(StateGraph(name="any", default_strategy=APPEND), StateGraph[Any, Any, Mapping[str, Any], Any])

    def test_narrower_schemas(self) -> None:
        """T1: each has its place among the parameters."""
        assert_type(StateGraph(Doc, input_schema=Asked), StateGraph[Doc, Any, Asked, Doc])
        assert_type(StateGraph(Doc, output_schema=Told), StateGraph[Doc, Any, Doc, Told])
        assert_type(StateGraph(Doc, context_schema=Desk), StateGraph[Doc, Desk, Doc, Doc])
        full = StateGraph(Doc, input_schema=Asked, output_schema=Told, context_schema=Desk)
        assert_type(full, StateGraph[Doc, Desk, Asked, Told])

    def test_collections_of_keys(self) -> None:
        """T1: keys say nothing of types, so the input is a mapping and the output's view anything."""
        assert_type(StateGraph(Doc, output_schema=["log"]), StateGraph[Doc, Any, Doc, Any])
        assert_type(StateGraph(Doc, output_schema=["n"], context_schema=Desk), StateGraph[Doc, Desk, Doc, Any])
        assert_type(StateGraph(Doc, input_schema=["n"]), StateGraph[Any, Any, Mapping[str, Any], Any])
        assert_type(StateGraph(Doc, input_schema=Asked, output_schema=["n"]), StateGraph[Any, Any, Asked, Any])


class TestWithoutSchema:
    def test_the_input_is_a_mapping(self) -> None:
        """T1: strategies, a factory of them or nothing: any key may be given, but as a mapping."""
        assert_type(StateGraph(), StateGraph[Any, Any, Mapping[str, Any], Any])
        assert_type(StateGraph({"log": APPEND}), StateGraph[Any, Any, Mapping[str, Any], Any])
        assert_type(StateGraph(lambda: {"log": APPEND}), StateGraph[Any, Any, Mapping[str, Any], Any])
        factory = KeyStrategyFactoryBuilder().build()
        assert_type(StateGraph(factory), StateGraph[Any, Any, Mapping[str, Any], Any])

    def test_narrower_schemas(self) -> None:
        """T1: they may be there without one of the state."""
        assert_type(StateGraph(context_schema=Desk), StateGraph[Any, Desk, Mapping[str, Any], Any])
        assert_type(StateGraph(output_schema=Told), StateGraph[Any, Any, Mapping[str, Any], Told])
        assert_type(StateGraph(output_schema=["log"]), StateGraph[Any, Any, Mapping[str, Any], Any])
        assert_type(StateGraph({"log": APPEND}, input_schema=Asked), StateGraph[Any, Any, Asked, Any])
        both = StateGraph({"log": APPEND}, input_schema=Asked, output_schema=Told)
        assert_type(both, StateGraph[Any, Any, Asked, Told])


def any_graph(graph: StateGraph) -> StateGraph:
    """Take a graph of which nothing is known."""
    return graph


def any_compiled(graph: CompiledGraph) -> CompiledGraph:
    """Take a compiled graph of which nothing is known."""
    return graph


def with_desk(graph: CompiledGraph[Any, Desk]) -> CompiledGraph[Any, Desk]:
    """Take a graph that works with a `Desk`."""
    return graph


class TestDefaults:
    def test_of_the_type_parameters(self) -> None:
        """The input and the output default to the state, all the rest to anything."""
        doc: StateGraph[Doc] = StateGraph(Doc)
        assert_type(doc, StateGraph[Doc, Any, Doc, Doc])
        assert_type(any_graph(doc), StateGraph[Any, Any, Any, Any])

    def test_a_bare_name_is_any_graph(self) -> None:
        """Whatever the parameters are."""
        asked = StateGraph(Order, input_schema=Asked, context_schema=Desk)
        assert any_graph(asked) is asked
        plain = both_ends(StateGraph()).compile()
        assert any_compiled(plain) is plain
        assert with_desk(plain) is plain


def both_ends(graph: StateGraph) -> StateGraph:
    """Give it a node that changes nothing."""
    return graph.add_node("a", lambda state: {}).add_edge(START, "a").add_edge("a", END)


class TestCompile:
    def test_keeps_the_parameters(self) -> None:
        """C5: so does every verb before."""
        graph = StateGraph(Doc, input_schema=Asked, output_schema=Told, context_schema=Desk)
        chained = graph.add_node("a", lambda state: {}).add_edge(START, "a").add_edge("a", END)
        assert_type(chained, StateGraph[Doc, Desk, Asked, Told])
        assert_type(chained.compile(), CompiledGraph[Doc, Desk, Asked, Told])

    def test_compile_result(self) -> None:
        """C5: a `Result` of the graph, or of what is wrong with it."""
        result = StateGraph(Doc).compile_result()
        assert_type(result, Result[CompiledGraph[Doc, Any, Doc, Doc], GraphStateException])
        assert_type(result.failure().code, str)
        assert result.failure().code == "missing_entry_point"
