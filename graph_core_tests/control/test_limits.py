"""P9: how many actions run at once."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest

from graph_core import APPEND, END, INLINE, CompileConfig, RunnableConfig, Send, StateGraph
from graph_core_tests.control.ways import (
    ANY_OF,
    FORK,
    NESTED,
    WAIT,
    Counter,
    Watch,
    Way,
    by_async,
    by_inline,
    by_sync,
    each_way,
    first,
    forked,
)
from graph_core_tests.drive import drive
from graph_core_tests.shapes import Action, State, Update, appends, graph, raises, says

MANY = [f"n{number}" for number in range(500)]


def watched(built: StateGraph, limit: Any, given: CompileConfig | None = None) -> tuple[Watch, Mapping[str, Any]]:
    """Drive a run with a limit to its end."""
    watch = Watch()
    trace = drive(built.compile(given), {}, watch, RunnableConfig(max_concurrency=limit))
    assert trace.error is None
    assert trace.live == 0
    assert trace.state is not None
    return watch, trace.state


class TestTheWholeRun:
    def test_500_branches_in_threads(self) -> None:
        """P9: with a limit of 8 exactly 8 run at once, never more."""
        counter, eight = Counter(), threading.Barrier(8)

        def act(state: State) -> Update:
            with counter.inside() as number:
                if number < 496:
                    eight.wait(60)
            return {"m": "x"}

        config = RunnableConfig(max_concurrency=8)
        nodes: dict[str, Action] = dict.fromkeys(MANY, act)
        assert len(by_sync(forked(*MANY, **nodes).compile(), config).m) == 502
        assert (counter.all, counter.most) == (500, 8)

    def test_500_branches_in_a_loop(self) -> None:
        """P9: the same with async actions."""
        counter, eight = Counter(), asyncio.Barrier(8)

        async def act(state: State) -> Update:
            with counter.inside() as number:
                if number < 496:
                    await eight.wait()
            return {"m": "x"}

        nodes: dict[str, Action] = dict.fromkeys(MANY, act)
        assert len(by_async(forked(*MANY, **nodes).compile(), RunnableConfig(max_concurrency=8)).m) == 502
        assert (counter.all, counter.most) == (500, 8)

    def test_500_sync_branches_in_a_loop(self) -> None:
        """P9: the same with sync actions under the async verbs."""
        counter, eight = Counter(), threading.Barrier(8)

        def act(state: State) -> Update:
            with counter.inside() as number:
                if number < 496:
                    eight.wait(60)
            return {"m": "x"}

        nodes: dict[str, Action] = dict.fromkeys(MANY, act)
        assert len(by_async(forked(*MANY, **nodes).compile(), RunnableConfig(max_concurrency=8)).m) == 502
        assert (counter.all, counter.most) == (500, 8)

    def test_inline(self) -> None:
        """P9: INLINE never more than one runs; a limit changes nothing."""
        counter = Counter()

        def act(state: State) -> Update:
            with counter.inside():
                return {"m": "x"}

        nodes: dict[str, Action] = dict.fromkeys(MANY, act)
        assert len(by_inline(forked(*MANY, **nodes).compile(), RunnableConfig(max_concurrency=8)).m) == 502
        assert (counter.all, counter.most) == (500, 1)

    @pytest.mark.parametrize("limit", [1, 2, 3])
    def test_nested(self, limit: int) -> None:
        """P9: the cap holds over all regions together."""
        watch, state = watched(graph(*NESTED), limit)
        assert (watch.most, state["m"]) == (min(limit, 3), ["a", "b", "x", "y", "z", "c", "d"])

    def test_routers_count(self) -> None:
        """P9: a route is an action, too, and takes a slot of its own."""
        built = graph("START > a", "a > b, c", "d > END")
        for name in "bc":
            built.add_conditional_edges(name, says("d"), ["d"])
        watch, state = watched(built, 1)
        assert (watch.most, state["m"]) == (1, ["a", "b", "c", "d"])

    def test_first_in_first_out(self) -> None:
        """P2, P9: what became ready first starts first."""
        built = graph("START > a", "a > b, c", "b > b2", "c > c2", "b2 > d", "c2 > d", "d > END")
        trace = drive(built.compile(), {}, config=RunnableConfig(max_concurrency=1))
        assert [run.node for run in trace.runs] == ["a", "b", "c", "b2", "c2", "d"]

    @each_way
    def test_one_with_nesting_does_not_deadlock(self, way: Way) -> None:
        """P9: a slot is held only while an action runs, not while a branch has branches."""
        counter = Counter()

        def make(name: str) -> Action:
            def act(state: State) -> Update:
                with counter.inside():
                    return {"m": name}

            return act

        edges = ("START > a", "a > b, c", "b > x, y", "c > u, v", "x > p, q", "p > r", "q > r", "r > z", "y > z")
        compiled = graph(*edges, "z > d", "u > w", "v > w", "w > d", "d > END", make=make).compile()
        ended = way(compiled, RunnableConfig(max_concurrency=1))
        assert (counter.most, "".join(ended.m)) == (1, "abxpqryzcuvwd")


class TestAFork:
    def test_its_branches(self) -> None:
        """P9: the mapping limits the named fork only."""
        edges = ("START > a", "a > b, c, e", "b > d", "c > d", "e > d", "d > f, g, h", "f > i", "g > i", "h > i")
        watch, _ = watched(graph(*edges, "i > END"), {"a": 2})
        assert (watch.by_fork["a"], watch.by_fork["d"]) == (2, 3)

    def test_start(self) -> None:
        """P9: START may be the source."""
        watch, _ = watched(graph("START > a, b, c", "a > END", "b > END", "c > END"), {"__START__": 2})
        assert watch.most == 2

    def test_every_enclosing_fork_counts(self) -> None:
        """P9: a call in an inner region takes a slot of the outer fork as well."""
        built = graph("START > a", "a > b, c", "b > x, y, w", "x > z", "y > z", "w > z", "z > d", "c > d", "d > END")
        watch, state = watched(built, {"a": 2})
        assert (watch.by_fork["a"], watch.by_fork["b"]) == (2, 2)
        assert state["m"] == ["a", "b", "x", "y", "w", "z", "c", "d"]

    @pytest.mark.parametrize(("outer", "inner"), [(1, 1), (1, 3), (2, 1), (3, 2), (2, 2)])
    def test_outer_and_inner(self, outer: int, inner: int) -> None:
        """P9: both hold, whichever is smaller."""
        built = graph("START > a", "a > b, c", "b > x, y, w", "x > z", "y > z", "w > z", "z > d", "c > d", "d > END")
        watch, state = watched(built, {"a": outer, "b": inner})
        assert (watch.by_fork["a"], watch.by_fork["b"]) == (outer, min(outer, inner))
        assert state["m"] == ["a", "b", "x", "y", "w", "z", "c", "d"]

    def test_each_activation_has_its_own(self) -> None:
        """P9: two copies with a fork inside are two activations."""
        built = StateGraph({"m": APPEND})
        for name in ("w", "x", "y", "z", "d"):
            built.add_node(name, appends(name))
        built.add_node("s", lambda _: {})
        built.add_parallel_conditional_edges("__START__", says([Send("s", {}), Send("s", {})]), ["s"], converge_at="d")
        built.add_parallel_conditional_edges("s", says(["x", "y", "w"]), ["x", "y", "w"])
        built.add_edge(["x", "y", "w"], "z").add_edge("z", "d").add_edge("d", END)
        watch, state = watched(built, {"s": 1})
        assert (watch.by_fork["s"], watch.most) == (1, 2)
        assert state["m"] == ["x", "y", "w", "z"] * 2 + ["d"]

    def test_again_in_a_loop(self) -> None:
        """P9: each time round the limit is whole again."""
        built = graph("START > a", "a > b, c, e", "b > d", "c > d", "e > d")
        built.add_conditional_edges("d", lambda state: "a" if state["m"].count("d") < 3 else END, ["a", END])
        watch, state = watched(built, {"a": 2})
        assert (watch.most, state["m"]) == (2, ["a", "b", "c", "e", "d"] * 3)

    @pytest.mark.parametrize("limit", [3, {"a": 3}], ids=["run", "fork"])
    def test_copies(self, limit: Any) -> None:
        """P9: copies count one by one."""
        built = StateGraph({"m": APPEND}).add_node("a", appends("a")).add_node("w", appends("w"))
        built.add_parallel_conditional_edges("a", says([Send("w", {}) for _ in range(10)]), ["w"])
        watch, state = watched(built.add_edge("__START__", "a").add_edge("w", END), limit)
        assert (watch.most, state["m"]) == (3, ["a", *["w"] * 10])

    def test_the_slot_is_for_an_action_only(self) -> None:
        """P9: a long branch holds no slot between its nodes, so its sibling gets its turn."""
        built = graph("START > a", "a > b, c", "b > b2", "b2 > b3", "b3 > d", "c > d", "d > END")
        trace = drive(built.compile(), {}, config=RunnableConfig(max_concurrency={"a": 1}))
        assert [run.node for run in trace.runs] == ["a", "b", "c", "b2", "b3", "d"]


class TestWhoseLimit:
    @pytest.mark.parametrize(
        ("compiled", "run", "most"),
        [(2, None, 2), (2, 1, 1), (1, 3, 3), (1, {}, 3), ({"a": 1}, 2, 2), (1, {"a": 2}, 2), ({"a": 2}, None, 2)],
        ids=str,
    )
    def test_the_run_overrides_the_compile(self, compiled: Any, run: Any, most: int) -> None:
        """P9: the run's value takes the place of the compile's, an empty mapping too."""
        watch, _ = watched(forked("b", "c", "e"), run, CompileConfig(max_concurrency=compiled))
        assert watch.most == most

    def test_without_one(self) -> None:
        """P9: without a limit all run at once."""
        watch, _ = watched(forked("b", "c", "e"), None)
        assert watch.most == 3

    @pytest.mark.parametrize("bad", [0, -1, True, 1.5, "2", {"a": 0}, {"a": "b"}, {"a": True}, ["a"]], ids=str)
    @pytest.mark.parametrize("kind", [RunnableConfig, CompileConfig])
    def test_no_limit(self, kind: Callable[..., Any], bad: Any) -> None:
        """P9: only whole numbers above zero are limits."""
        with pytest.raises(ValueError, match="max_concurrency must be a whole number > 0, or a mapping"):
            kind(max_concurrency=bad)


class TestWhatEndsEarly:
    def test_losers_give_their_slots_back(self) -> None:
        """P7, P9: cancelled calls hold nothing, and those that wait for a slot never start."""
        config = RunnableConfig(max_concurrency=2, default_aggregation=ANY_OF)
        edges = ("START > a", "a > b, c, e", "b > d", "c > d", "e > d", "d > f, g", "f > h", "g > h", "h > END")
        trace = drive(graph(*edges).compile(), {}, first("c", "g"), config)
        assert [run.node for run in trace.runs] == ["a", "b", "c", "d", "f", "g", "h"]
        assert trace.state == {"m": ["a", "c", "d", "g", "h"]}
        assert max(trace.choices) == 2

    def test_of_an_inner_region(self) -> None:
        """P7, P9: an outer branch that waits gets the slot of an inner loser."""
        config = RunnableConfig(max_concurrency=2, aggregation={"__PARALLEL__(b)": ANY_OF})
        edges = ("START > a", "a > b, c, e", "b > x, y, w", "x > z", "y > z", "w > z", "z > d", "c > d", "e > e2")
        trace = drive(graph(*edges, "e2 > d", "d > END").compile(), {}, first("b", "c", "e", "x"), config)
        assert [run.node for run in trace.runs] == ["a", "b", "c", "e", "x", "y", "e2", "z", "d"]
        assert trace.state == {"m": ["a", "b", "x", "z", "c", "e", "e2", "d"]}
        assert (max(trace.choices), trace.live) == (2, 0)

    def test_a_slot_that_is_given_on_to_a_loser(self) -> None:
        """P7, P9: a call that got its slot from the winner is cancelled with the others, and gives it back."""
        config = RunnableConfig(max_concurrency=1, aggregation={"__PARALLEL__(b)": ANY_OF})
        trace = drive(graph(*NESTED).compile(), {}, config=config)
        assert trace.state == {"m": ["a", "b", "x", "z", "c", "d"]}
        assert "y" not in [run.node for run in trace.runs]

    def test_failing_branches(self) -> None:
        """P8, P9: a failed call gives its slot back."""
        compiled = forked("b", "c", "e", b=raises(KeyError("b"))).compile(attrs.evolve(WAIT, max_concurrency={"a": 1}))
        trace = drive(compiled, {})
        assert [run.node for run in trace.runs] == ["a", "b", "c", "e"]

    @each_way
    def test_a_failure_ends_the_run_while_others_wait(self, way: Way) -> None:
        """P8, P9: what waits for a slot never starts."""
        notes: list[str] = []

        def note(state: State) -> Update:
            notes.append("c")
            return {}

        compiled = graph(*FORK, b=raises(KeyError("b")), c=note).compile()
        assert way(compiled, RunnableConfig(max_concurrency=1)).failure.node_id == "b"
        assert notes == []

    def test_inline_in_a_fork_beside_a_pool(self) -> None:
        """P9: the limit is one for all executors."""
        config = RunnableConfig(max_concurrency=1, parallel_executors={"b": INLINE})
        assert by_sync(graph(*NESTED).compile(), config).m == ["a", "b", "x", "y", "z", "c", "d"]
