"""Differences from Java in what a thread keeps, and how a run goes on with it; a small graph for each."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from graph_core import (
    APPEND,
    END,
    REPLACE,
    START,
    CompileConfig,
    GraphRunnerException,
    MemorySaver,
    OverAllState,
    RunnableConfig,
    StateGraph,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from graph_core import CompiledGraph

THREAD = RunnableConfig(thread_id="t")


@attrs.define
class Failing:
    """Appends a name; the first visits fail. Counts its visits."""

    name: str
    failures: int = 0
    visits: int = 0

    def __call__(self, _: OverAllState) -> dict[str, object]:
        """Be the node."""
        self.visits += 1
        if self.visits <= self.failures:
            raise ValueError(self.name)
        return {"m": [self.name]}


def compile_config(limit: int = 100) -> CompileConfig:
    """With a saver of its own."""
    return CompileConfig(checkpoint_saver=MemorySaver(), recursion_limit=limit, detect_mutation=True)


def line(*nodes: Failing) -> CompiledGraph:
    """The nodes one after the other; only `m` has a strategy."""
    graph = StateGraph({"m": APPEND})
    source = START
    for node in nodes:
        graph.add_node(node.name, node).add_edge(source, node.name)
        source = node.name
    return graph.add_edge(source, END).compile(compile_config())


def fails(run: Callable[[], object], code: str) -> GraphRunnerException:
    """The error of this code that a run ends with."""
    with pytest.raises(GraphRunnerException) as caught:
        run()
    assert caught.value.code == code
    return caught.value


class TestGoingOn:
    def test_after_the_recursion_limit(self) -> None:
        """X2: a run that its limit has stopped goes on, with as many steps again."""

        def count(state: OverAllState) -> dict[str, int]:
            return {"n": state.value_or("n", 0) + 1}

        def route(state: OverAllState) -> str:
            return "a" if state["n"] < 10 else END

        graph = StateGraph({"n": REPLACE}).add_node("a", count).add_edge(START, "a")
        app = graph.add_conditional_edges("a", route, ["a", END]).compile(compile_config(6))
        fails(lambda: app.invoke({}, THREAD), "recursion_limit")
        assert (app.get_state(THREAD).status, app.get_state(THREAD).next) == ("limit", ("a",))
        assert [output.node for output in app.stream(None, THREAD)] == ["a"] * 4 + [END]
        assert app.get_state(THREAD).state["n"] == 10

    def test_failed_route_is_evaluated_again(self) -> None:
        """X3: a has run and is saved, its route pending; the resume asks the route and does not run a again."""
        first, evaluated = Failing("a"), Failing("route", failures=1)

        def route(state: OverAllState) -> str:
            evaluated(state)
            return "b"

        graph = StateGraph({"m": APPEND}).add_node("a", first).add_node("b", Failing("b")).add_edge(START, "a")
        app = graph.add_conditional_edges("a", route, ["b"]).add_edge("b", END).compile(compile_config())
        fails(lambda: app.invoke({}, THREAD), "execution_error")
        left = app.get_state(THREAD)
        assert (left.node, left.is_pending, left.state["m"]) == ("a", True, ["a"])
        assert app.invoke(None, THREAD)["m"] == ["a", "b"]
        assert (first.visits, evaluated.visits) == (1, 2)

    def test_without_an_input(self) -> None:
        """K2: `None` as the input goes on, without anything else being said."""
        first = Failing("a")
        app = line(first, Failing("b", failures=1))
        fails(lambda: app.invoke({}, THREAD), "execution_error")
        assert [output.node for output in app.stream(None, THREAD)] == ["b", END]
        assert first.visits == 1

    def test_keys_without_a_strategy(self) -> None:
        """K3: a key that no strategy was declared for survives a resume, and may be given on one."""
        app = line(Failing("a"), Failing("b", failures=1))
        fails(lambda: app.invoke({"kept": 1}, THREAD), "execution_error")
        state = app.invoke({"new": 2}, THREAD.with_resume())
        assert dict(state) == {"kept": 1, "new": 2, "m": ["a", "b"]}

    def test_finished_branch_is_not_run_again(self) -> None:
        """K1: c is done and recorded before b fails; b alone is what comes next, and what a resume runs."""
        done, visits = asyncio.Event(), {"b": 0, "c": 0}

        async def b(state: OverAllState) -> dict[str, object]:
            visits["b"] += 1
            if visits["b"] == 1:
                await done.wait()
                raise ValueError("b")
            return {"m": ["b"]}

        async def c(state: OverAllState) -> dict[str, object]:
            visits["c"] += 1
            return {"m": ["c"]}

        async def after_c(state: OverAllState) -> dict[str, object]:
            done.set()
            await asyncio.sleep(0)
            return {"m": ["e"]}

        graph = StateGraph({"m": APPEND}).add_node("a", Failing("a")).add_node("b", b).add_node("c", c)
        graph.add_node("e", after_c).add_node("d", Failing("d")).add_edge(START, "a").add_edge("a", ["b", "c"])
        graph.add_edge("c", "e").add_edge(["b", "e"], "d")
        app = graph.add_edge("d", END).compile(compile_config())

        async def main() -> list[str]:
            with pytest.raises(GraphRunnerException, match="'b'"):
                await app.ainvoke({}, THREAD)
            left = await app.aget_state(THREAD)
            assert left.next[0] == "b"
            assert left.state["m"][:2] == ["a", "c"]
            return [str(name) for name in (await app.ainvoke(None, THREAD))["m"]]

        assert asyncio.run(main()) == ["a", "b", "c", "e", "d"]
        assert visits == {"b": 2, "c": 1}


class TestPrivateRuns:
    def test_share_nothing(self) -> None:
        """X5: a second run without a thread id does not see the first."""
        app = line(Failing("a"))
        assert [app.invoke({})["m"] for _ in range(2)] == [["a"], ["a"]]

    def test_name_the_thread_when_they_stop(self) -> None:
        """X5: one that fails leaves one checkpoint, and its error says under which id."""
        app = line(Failing("a"), Failing("b", failures=1))
        error = fails(lambda: app.invoke({}), "execution_error")
        left = RunnableConfig(thread_id=error.thread_id)
        assert [entry.node for entry in app.get_state_history(left)] == ["a"]
        assert app.invoke(None, left)["m"] == ["a", "b"]


def routed() -> CompiledGraph:
    """Node a leads to b or c, as the key `to` says."""

    def route(state: OverAllState) -> str:
        return str(state["to"])

    graph = StateGraph({"m": APPEND, "to": REPLACE})
    for name in "abc":
        graph.add_node(name, Failing(name))
    graph.add_edge(START, "a").add_conditional_edges("a", route, ["b", "c"])
    return graph.add_edge(["b", "c"], END).compile(compile_config())


class TestUpdates:
    def test_route_is_evaluated_after_the_update(self) -> None:
        """K4: values as node a are merged once, then a's route is asked; the resume goes where it says."""
        app = routed()
        app.invoke({"to": "b"}, THREAD)
        start = app.get_state_history(THREAD)[-1]
        updated = app.update_state(start.config, {"m": ["human"], "to": "c"}, as_node="a")
        assert app.get_state(updated).next == ("c",)
        assert app.get_state(updated).state["m"] == ["human"]
        assert app.invoke(None, updated)["m"] == ["human", "c"]

    def test_history_is_only_added_to(self) -> None:
        """K4: the checkpoint that was updated stays; the new one is its child."""
        app = routed()
        app.invoke({"to": "b"}, THREAD)
        before = app.get_state_history(THREAD)
        updated = app.update_state(before[-1].config, {"to": "c"})
        head, *rest = app.get_state_history(THREAD)
        assert head.config.checkpoint_id == updated.checkpoint_id
        assert head.parent_id == before[-1].config.checkpoint_id
        assert list(map(seen, rest)) == list(map(seen, before))

    def test_none_is_a_value(self) -> None:
        """K4: a key is set to `None`."""
        app = routed()
        app.invoke({"to": "b"}, THREAD)
        assert app.get_state(app.update_state(THREAD, {"to": None})).state["to"] is None


def seen(entry: Any) -> tuple[object, ...]:
    """All that tells two checkpoints apart; whether one is the last one aside."""
    return entry.config.checkpoint_id, entry.parent_id, entry.node, entry.next, dict(entry.state), entry.step
