"""What type checkers, and a run, say of a run: what it takes and what it gives."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from typing import Any, assert_type

from returns.result import Result

from graph_core import (
    END,
    START,
    CompiledGraph,
    GraphRunnerException,
    InterruptionMetadata,
    NodeOutput,
    OverAllState,
    RunnableConfig,
    RunResult,
    StateGraph,
)
from graph_core_tests.typing.schemas import Asked, Desk, Doc, DocUpdate, Form, Note, Order, Told


def add_one(doc: Doc) -> DocUpdate:
    """Count."""
    return {"n": doc["n"] + 1, "log": ["counted"]}


def told() -> CompiledGraph[Doc, Desk, Asked, Told]:
    """Give a graph all of whose types differ."""
    graph = StateGraph(Doc, input_schema=Asked, output_schema=Told, context_schema=Desk)
    return graph.add_node("a", add_one).add_edge(START, "a").add_edge("a", END).compile()


class TestResults:
    def test_sync(self) -> None:
        """X1: each verb gives the output's type."""
        graph = told()
        assert_type(graph.invoke({"n": 1}), OverAllState[Told])
        assert_type(graph.run({"n": 1}), RunResult[Told])
        assert_type(graph.run({"n": 1}).state, OverAllState[Told])
        assert_type(graph.run({"n": 1}).interruptions, tuple[InterruptionMetadata, ...])
        assert_type(graph.invoke_and_get_output({"n": 1}), NodeOutput)
        assert_type(graph.try_invoke({"n": 1}), Result[OverAllState[Told], GraphRunnerException])
        assert graph.try_invoke({"n": 1}).unwrap().view() == {"log": ["counted"]}

    def test_stream(self) -> None:
        """X1: outputs in order."""
        outputs = told().stream({"n": 1})
        assert_type(outputs, Generator[NodeOutput, None, None])
        for output in outputs:
            assert_type(output.state, OverAllState[Any] | None)
            assert_type(output.update, Mapping[str, Any])

    async def test_async(self) -> None:
        """X1: the twins give the same types."""
        graph = told()
        assert_type(await graph.ainvoke({"n": 1}), OverAllState[Told])
        assert_type(await graph.arun({"n": 1}), RunResult[Told])
        assert_type(await graph.atry_invoke({"n": 1}), Result[OverAllState[Told], GraphRunnerException])
        assert_type(await graph.ainvoke_and_get_output({"n": 1}), NodeOutput)
        outputs = graph.astream({"n": 1})
        assert_type(outputs, AsyncGenerator[NodeOutput, None])
        assert [output.node async for output in outputs] == [START, "a", END]

    def test_view_of_the_output(self) -> None:
        """T1: the output is a view of the output schema."""
        view = told().invoke({"n": 1}).view()
        assert_type(view, Told)
        assert_type(view["log"], list[str])
        assert view == {"log": ["counted"]}


def counted(state: Order) -> Order:
    """Count."""
    return Order(state.n + 1, ["counted"])


class TestInputs:
    def test_a_typed_dict_is_given_as_a_dict(self) -> None:
        """T3: a display is read as the schema."""
        asked: Asked = {"n": 1}
        assert told().invoke(asked) == told().invoke({"n": 1})

    def test_instances(self) -> None:
        """T3: of an attrs class, a dataclass, a pydantic model."""
        order = StateGraph(Order).add_sequence(counted, ("last", lambda state: {}))
        order.add_edge(START, "counted").add_edge("last", END)
        assert_type(order.compile().invoke(Order(1)).view(), Order)
        assert order.compile().invoke(Order(1)).view() == Order(2, ["counted"])
        note = StateGraph(Note).add_node("a", lambda state: {}).add_edge(START, "a").add_edge("a", END)
        assert note.compile().invoke(Note(1)).view() == Note(1)
        form = StateGraph(Form).add_node("a", lambda state: {}).add_edge(START, "a").add_edge("a", END)
        assert form.compile().invoke(Form(n=1)).view() == Form(n=1)

    def test_without_a_schema_any_mapping(self) -> None:
        """T1: and what comes out holds anything."""
        graph = StateGraph().add_node("a", lambda state: {}).add_edge(START, "a").add_edge("a", END).compile()
        typed: Asked = {"n": 1}
        assert graph.invoke({"n": 1}) == graph.invoke(typed) == graph.invoke(OverAllState({"n": 1}))
        assert_type(graph.invoke({}), OverAllState[Any])


class TestConfig:
    def test_the_context_is_typed(self) -> None:
        """X6: a node reads what the caller gave."""
        seen: list[Desk] = []

        def ask(doc: Doc, config: RunnableConfig[Desk]) -> DocUpdate:
            assert_type(config, RunnableConfig[Desk])
            assert_type(config.context, Desk)
            seen.append(config.context)
            return {}

        graph = StateGraph(Doc, context_schema=Desk).add_node("ask", ask).add_edge(START, "ask").add_edge("ask", END)
        compiled = graph.compile()
        compiled.invoke({"n": 1}, RunnableConfig(context=Desk("bob")))
        compiled.invoke({"n": 1}, RunnableConfig(thread_id="t"))
        config = RunnableConfig(context=Desk("eve"))
        assert_type(config, RunnableConfig[Desk])
        compiled.invoke({"n": 1}, config.with_metadata(by="test"))
        assert seen == [Desk("bob"), Desk(), Desk("eve")]

    def test_without_a_context(self) -> None:
        """Such a config suits every graph."""
        config = RunnableConfig(thread_id="t")
        assert_type(config, RunnableConfig[Any])
        assert asyncio.run(told().ainvoke({"n": 1}, config))["log"] == ["counted"]
