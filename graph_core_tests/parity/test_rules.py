"""Differences from Java that no recorded scenario shows, a small graph for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from graph_core import (
    APPEND,
    END,
    REPLACE,
    START,
    AppendStrategy,
    CompileConfig,
    GraphRunnerException,
    GraphStateException,
    OverAllState,
    RemoveByHash,
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
