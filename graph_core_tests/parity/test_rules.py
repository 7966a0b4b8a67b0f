"""Differences from Java that no recorded scenario shows, a small graph for each."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from graph_core import (
    APPEND,
    END,
    INLINE,
    REPLACE,
    START,
    AppendStrategy,
    CompileConfig,
    GraphRunnerException,
    GraphStateException,
    NodeAggregationStrategy,
    OverAllState,
    RemoveByHash,
    RunnableConfig,
    StateGraph,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def compile_config(limit: int = 100) -> CompileConfig:
    """Without a saver."""
    return CompileConfig(checkpoint_saver=None, recursion_limit=limit)


def writes(update: Any) -> Callable[[OverAllState], Any]:
    """A node that always returns this."""

    def act(state: OverAllState) -> Any:
        return update

    return act


class TestStrategies:
    def test_old_value_is_raw(self) -> None:
        """S2: a strategy gets the old value itself, `None` when absent, for the input and for updates."""
        seen: list[object] = []

        def keep(old: object, new: object) -> object:
            seen.append(old)
            return new

        graph = StateGraph({"k": keep}).add_node("a", writes({"k": 2})).add_node("b", writes({"k": 3}))
        app = graph.add_edge(START, "a").add_edge("a", "b").add_edge("b", END).compile(compile_config())
        assert app.invoke({"k": 1})["k"] == 3
        assert set(seen) == {None, 1, 2}

    def test_input_is_an_ordinary_key(self) -> None:
        """S3: the key `input` follows the strategy it was given."""
        graph = StateGraph({"input": APPEND}).add_node("a", writes({"input": ["y"]}))
        app = graph.add_edge(START, "a").add_edge("a", END).compile(compile_config())
        assert app.invoke({"input": ["x"]})["input"] == ["x", "y"]


class TestAppend:
    def test_scalar_becomes_the_first_element(self) -> None:
        """S6: an old value that is no list becomes the first element."""
        assert OverAllState({"m": 1}, {"m": APPEND}).updated({"m": [2]})["m"] == [1, 2]

    def test_removal_is_by_equality(self) -> None:
        """S6: -1 and -2 have one hash code in CPython, and only the equal one is removed."""
        assert hash(-1) == hash(-2)
        assert OverAllState({"m": [-2, -1]}, {"m": APPEND}).updated({"m": RemoveByHash(-1)})["m"] == [-2]

    def test_unique_on_every_write(self) -> None:
        """S6: a single value that is there already is not appended again."""
        state = OverAllState({"m": [1]}, {"m": AppendStrategy(allow_duplicate=False)})
        assert state.updated({"m": 1})["m"] == [1]


class TestUpdates:
    def test_none_is_an_error(self) -> None:
        """S9: a node that returns `None` where an update is due fails the run, and the error names it."""
        graph = StateGraph({}).add_node("a", writes(None)).add_edge(START, "a").add_edge("a", END)
        with pytest.raises(GraphRunnerException, match="'a'") as caught:
            graph.compile(compile_config()).invoke({})
        assert caught.value.node_id == "a"


class TestRoutes:
    def test_empty_answer_goes_on_at_the_convergence(self) -> None:
        """R4: a multi route that chooses nothing goes on where its targets meet."""
        graph = StateGraph({"m": APPEND})
        for name in "abcd":
            graph.add_node(name, writes({"m": [name]}))
        graph.add_edge(START, "a").add_parallel_conditional_edges("a", writes(()), ["b", "c"])
        app = graph.add_edge(["b", "c"], "d").add_edge("d", END).compile(compile_config())
        assert [output.node for output in app.stream({})] == [START, "a", "__PARALLEL__(a)", "d", END]
        assert app.invoke({})["m"] == ["a", "d"]


@attrs.define
class AtOnce:
    """Async nodes that count how many of them run at once, and the most that ever did."""

    now: int = 0
    most: int = 0

    async def act(self, _: OverAllState) -> dict[str, object]:
        """Give the others time to begin."""
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.01)
        self.now -= 1
        return {}


class TestBindings:
    @pytest.mark.parametrize(
        "config",
        [
            RunnableConfig(parallel_executors={"b": INLINE}),
            RunnableConfig(aggregation={"b": NodeAggregationStrategy.ANY_OF}),
            RunnableConfig(max_concurrency={"b": 1}),
        ],
        ids=["executor", "aggregation", "limit"],
    )
    def test_unknown_id_is_an_error(self, config: RunnableConfig) -> None:
        """P9: b is neither a fork nor a convergence, so nothing may be bound to it."""
        graph = StateGraph({}).add_node("a", writes({})).add_node("b", writes({})).add_node("c", writes({}))
        graph.add_edge(START, "a").add_edge("a", ["b", "c"]).add_edge(["b", "c"], END)
        app = graph.compile(compile_config())
        with pytest.raises(GraphRunnerException, match="'b'") as caught:
            list(app.stream({}, config))
        assert caught.value.code == "unknown_id"

    @pytest.mark.parametrize("limit", [2, {"a": 2}], ids=["run", "fork"])
    def test_limit_holds_for_a_multi_route(self, limit: int | dict[str, int]) -> None:
        """P9: of five branches that a route chose two run at once, and never more."""
        counted, names = AtOnce(), list("bcdef")
        graph = StateGraph({}).add_node("a", writes({}))
        for name in names:
            graph.add_node(name, counted.act)
        graph.add_edge(START, "a").add_parallel_conditional_edges("a", writes(names), names)
        graph.add_edge(names, END).compile(compile_config()).invoke({}, RunnableConfig(max_concurrency=limit))
        assert counted.most == 2


class TestEventLoop:
    def test_sync_route_is_called_in_the_event_loop(self) -> None:
        """P10: under an async verb a sync node runs in a thread, a sync route of the main path in the loop."""
        seen: dict[str, int] = {}

        def act(state: OverAllState) -> dict[str, object]:
            seen["node"] = threading.get_ident()
            return {}

        def route(state: OverAllState) -> str:
            seen["route"] = threading.get_ident()
            return END

        graph = StateGraph({}).add_node("a", act).add_edge(START, "a").add_conditional_edges("a", route, [END])
        asyncio.run(graph.compile(compile_config()).ainvoke({}))
        assert seen["route"] == threading.get_ident()
        assert seen["node"] != threading.get_ident()


class TestCompile:
    def test_all_problems_at_once(self) -> None:
        """C1: two unknown targets and a missing entry point are three problems of one error."""
        graph = StateGraph({}).add_node("a", writes({})).add_node("b", writes({}))
        graph.add_edge("a", "x").add_edge("b", "y")
        with pytest.raises(GraphStateException) as caught:
            graph.compile(compile_config())
        codes = [problem.code for problem in caught.value.errors]
        assert codes.count("missing_node_referenced_by_edge") == 2
        assert codes.count("missing_entry_point") == 1

    def test_node_that_can_never_finish(self) -> None:
        """C2: from a and b no way leads to `END`."""
        graph = StateGraph({}).add_node("a", writes({})).add_node("b", writes({}))
        graph.add_edge(START, "a").add_edge("a", "b").add_edge("b", "a")
        assert {problem.code for problem in graph.validate()} == {"node_never_finishes"}


class TestRunning:
    def test_long_run(self) -> None:
        """X2: a run of 10,000 steps ends."""

        def count(state: OverAllState) -> dict[str, int]:
            return {"n": state["n"] + 1}

        def route(state: OverAllState) -> str:
            return "a" if state["n"] < 10_000 else END

        graph = StateGraph({"n": REPLACE}).add_node("a", count)
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", route, ["a", END])
        assert graph.compile(compile_config(10_000)).invoke({"n": 0})["n"] == 10_000
