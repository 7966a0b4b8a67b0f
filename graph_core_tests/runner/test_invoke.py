"""`invoke`, `try_invoke` and `invoke_and_get_output`."""

from types import MappingProxyType
from typing import Any

import pytest
from returns.result import Failure, Success

from graph_core import (
    APPEND,
    END,
    START,
    GraphRunnerException,
    InvalidRecordError,
    OverAllState,
    RemoveByHash,
    RunnableConfig,
    StateGraph,
    StreamMode,
)
from graph_core_tests.shapes import (
    RUNNERS,
    Compiled,
    Runner,
    State,
    Update,
    appends,
    async_appends,
    failure_of,
    graph,
    on,
    raises,
    says,
)

CHAIN = graph("START > a", "a > b", "b > END").compile()


class TestStart:
    def test_the_input_is_merged_by_the_strategies(self) -> None:
        """X0: the input is merged, not stored."""
        assert CHAIN.invoke({"m": "in"})["m"] == ["in", "a", "b"]
        assert CHAIN.invoke({"m": ["in", "put"]})["m"] == ["in", "put", "a", "b"]

    def test_only_what_was_given_and_written(self) -> None:
        """X0: nothing else is in the state (Java: testRunningOneNode)."""
        built = StateGraph().add_node("agent_1", says({"prop1": "test"})).add_edge(START, "agent_1")
        state = built.add_edge("agent_1", END).compile().invoke({"input": "test1"})
        assert dict(state) == {"input": "test1", "prop1": "test"}
        assert isinstance(state, OverAllState)

    def test_the_entry_condition_sees_the_input(self) -> None:
        """X0: the entry condition is evaluated on the input."""
        built = graph("a > END", "b > END").add_conditional_edges(START, on(lambda state: state["go"]), ["a", "b"])
        assert built.compile().invoke({"go": "b"})["m"] == ["b"]

    def test_start_may_lead_to_end(self) -> None:
        """X0: the entry condition may end the run."""
        built = graph("a > END").add_conditional_edges(START, says(END), ["a", END])
        assert dict(built.compile().invoke({"x": 1})) == {"x": 1}

    def test_any_mapping(self) -> None:
        """X0: inputs are any mapping with str keys."""
        inputs = MappingProxyType({"x": 1})
        assert CHAIN.invoke(inputs)["x"] == 1

    def test_a_state_as_input(self) -> None:
        """S1: a state is a mapping, so the end of one run may be the input of the next."""
        assert CHAIN.invoke(CHAIN.invoke({}))["m"] == ["a", "b", "a", "b"]

    def test_the_inputs_stay_as_they_are(self) -> None:
        """S6: a list that was handed in is never touched."""
        given = ["in"]
        CHAIN.invoke({"m": given})
        assert given == ["in"]

    @pytest.mark.parametrize("bad", [[], "x", 5, {1: 2}, [("a", 1)]])
    def test_other_inputs(self, bad: Any) -> None:
        """X0: anything else is an error that shows it."""
        error = failure_of(CHAIN, bad)
        assert error.code == "invalid_inputs"
        assert repr(bad) in str(error)

    def test_none_resumes(self) -> None:
        """K2: None resumes, which needs a thread."""
        none: Any = None
        error = failure_of(CHAIN, none)
        assert error.code == "missing_thread_id"
        assert "{} starts a run with nothing" in str(error)

    def test_another_config(self) -> None:
        """api: the config is a `RunnableConfig`."""
        bad: Any = {"thread_id": "t"}
        with pytest.raises(InvalidRecordError, match="the config of a run must be a RunnableConfig"):
            CHAIN.invoke({}, bad)
        with pytest.raises(InvalidRecordError, match="the config of a run must be a RunnableConfig"):
            CHAIN.stream({}, bad)

    def test_an_input_that_can_not_be_merged(self) -> None:
        """S8: a strategy that raises on the input names START and the key."""

        def refuse(old: Any, new: Any) -> Any:
            raise ValueError("no")

        built = StateGraph({"k": refuse}).add_node("a", says({})).add_edge(START, "a").add_edge("a", END)
        error = failure_of(built.compile(), {"k": 1})
        assert error.node_id == START
        assert "'k'" in str(error)
        assert isinstance(error.__cause__, ValueError)


class TestChain:
    def test_appending(self) -> None:
        """S6: scalars and lists in a row (Java: testWithAppender)."""

        def agent_3(state: State) -> Update:
            return {"m": "message3", "steps": len(state["m"]) + 1}

        built = graph(
            "START > agent_1", "agent_1 > agent_2", "agent_2 > agent_3", "agent_3 > END",
            agent_1=says({"m": "message1"}), agent_2=says({"m": ["message2"]}), agent_3=agent_3,
        )  # fmt: skip
        assert dict(built.compile().invoke({})) == {"m": ["message1", "message2", "message3"], "steps": 3}

    def test_removing(self) -> None:
        """S6: an element is removed by equality (Java: testWithAppenderOneAppendOneRemove)."""
        built = graph("START > a", "a > b", "b > c", "c > END", c=says({"m": ["c", RemoveByHash("b")]}))
        assert built.compile().invoke({})["m"] == ["a", "c"]

    def test_a_loop(self) -> None:
        """R1: a condition sees the state after each visit."""
        built = graph("START > a").add_conditional_edges(
            "a", on(lambda state: len(state["m"]) < 5), {True: "a", False: END}
        )
        assert built.compile().invoke({})["m"] == ["a"] * 5

    def test_an_empty_update(self) -> None:
        """S9: an empty mapping is fine."""
        assert dict(graph("START > a", "a > END", a=says({})).compile().invoke({})) == {}

    def test_a_node_that_returns_nothing(self) -> None:
        """S9: a node annotated `-> None` may return None."""

        def act(state: State) -> None:
            return

        assert dict(graph("START > a", "a > END", a=act).compile().invoke({"x": 1})) == {"x": 1}

    @pytest.mark.parametrize("name", RUNNERS)
    def test_sync_and_async_nodes_mixed(self, name: str) -> None:
        """X1: one engine serves both worlds."""
        run: Runner = RUNNERS[name]
        built = graph("START > a", "a > b", "b > c, d", "c > e", "d > e", "e > END", b=async_appends("b"))
        built = graph(
            "START > a", "a > b", "b > c, d", "c > e", "d > e", "e > END", b=async_appends("b"), d=async_appends("d")
        )
        assert run(built.compile(), {}, None).state["m"] == ["a", "b", "c", "d", "e"]

    def test_a_chain_of_a_thousand(self) -> None:
        """X1: the engine's stack does not grow with the path."""
        names = [f"n{i}" for i in range(1000)]
        built = StateGraph({"m": APPEND}).add_sequence(*[(name, appends(name)) for name in names])
        compiled = built.add_edge(START, "n0").add_edge("n999", END).compile()
        assert compiled.invoke({}, RunnableConfig(recursion_limit=1000))["m"] == names


class TestTryInvoke:
    def test_success(self) -> None:
        """api: the final state as `Success`."""
        result = CHAIN.try_invoke({})
        assert isinstance(result, Success)
        assert result.unwrap()["m"] == ["a", "b"]

    def test_failure(self) -> None:
        """api: the error as `Failure`."""
        result = graph("START > a", "a > END", a=raises(KeyError("k"))).compile().try_invoke({})
        assert isinstance(result, Failure)
        assert isinstance(result.failure(), GraphRunnerException)

    async def test_in_a_loop(self) -> None:
        """api: the a-twin."""
        assert (await CHAIN.atry_invoke({})).unwrap()["m"] == ["a", "b"]
        compiled = graph("START > a", "a > END", a=raises(KeyError("k"))).compile()
        assert (await compiled.atry_invoke({})).failure().node_id == "a"


class TestInvokeAndGetOutput:
    def test_the_last_output(self) -> None:
        """api: the output of END, with the final state."""
        output = CHAIN.invoke_and_get_output({})
        assert output.is_end
        assert output.state is not None
        assert output.state["m"] == ["a", "b"]

    async def test_in_a_loop(self) -> None:
        """api: the a-twin."""
        output = await CHAIN.ainvoke_and_get_output({}, RunnableConfig(stream_mode=StreamMode.UPDATES))
        assert (output.is_end, output.state) == (True, None)


def test_views_of_the_compiled_graph() -> None:
    """api: name and strategies can be read."""
    compiled: Compiled = graph("START > a", "a > END").compile()
    assert dict(compiled.key_strategies) == {"m": APPEND}
    assert compiled.name is None
