"""P7, P8, P12, P13, P15: branches that pause beside branches that win, fail, wait or leave."""

import asyncio
from typing import Any

import pytest

from graph_core import (
    END,
    INLINE,
    START,
    CompileConfig,
    NodeAggregationStrategy,
    RunnableConfig,
    Send,
    interrupt,
)
from graph_core_tests.interrupts.asking import T, asked, asks, each_run, ids, outputs
from graph_core_tests.resume.keeping import Flaky
from graph_core_tests.shapes import State, failure_of, graph, raises, says

GO_ON: Any = None
ANY_OF = RunnableConfig(thread_id="t", default_aggregation=NodeAggregationStrategy.ANY_OF)
EDGES = ("START > a", "a > b, c", "b > d", "c > d", "d > END")


class TestAnyOf:
    """P7: an interrupt pauses only when no branch can still arrive."""

    @each_run
    def test_another_branch_wins(self, run: Any) -> None:
        """P7: the one that arrives wins, the question of the other is gone."""
        app = graph("START > a", "a > b, c", "b > d", "c > e", "e > d", "d > END", b=asks("b")).compile()
        result = run(app, {}, RunnableConfig(thread_id="t", aggregation={"d": NodeAggregationStrategy.ANY_OF}))
        assert (result.status, result.state["m"]) == ("done", ["a", "c", "e", "d"])
        assert app.get_state(T).interruptions == ()

    def test_all_wait(self) -> None:
        """P7: if all wait, the first that is answered wins."""
        app = graph(*EDGES, b=asks("b"), c=asks("c")).compile()
        paused = app.run({}, ANY_OF)
        assert asked(paused) == [("b", "b?"), ("c", "c?")]
        done = app.run(GO_ON, ANY_OF.with_resume(answers={ids(paused)["c"]: 1}))
        assert (done.state["m"], app.get_state(T).interruptions) == (["a", "c:1", "d"], ())

    def test_all_are_answered(self) -> None:
        """P7: arriving together the smaller key wins; so it does after pauses by settings."""
        app = graph(*EDGES).compile(CompileConfig(interrupts_after=["b", "c"]))
        assert len(app.run({}, ANY_OF).interruptions) == 2
        assert app.run(GO_ON, ANY_OF).state["m"] == ["a", "b", "d"]

    @pytest.mark.parametrize("is_private", [False, True])
    def test_one_fails(self, is_private: bool) -> None:  # noqa: FBT001  (a parameter)
        """P7: it drops out, for good, before the run pauses for the other; both views of the state say so."""
        nodes = Flaky(failing={"c"})
        edges = ("START > a", "a > b, x", "b > d", "x > c", "c > d", "d > END")
        app = graph(*edges, b=asks("b"), c=nodes("c")).compile()
        config = RunnableConfig(default_aggregation=NodeAggregationStrategy.ANY_OF)
        paused = app.run({}, config if is_private else ANY_OF)
        thread = RunnableConfig(thread_id=paused.config.thread_id)
        assert (asked(paused), dict(paused.state)) == ([("b", "b?")], {"m": ["a"]})
        for _ in range(2):
            assert (app.get_state(thread).next, dict(app.get_state(thread).state)) == (("b",), {"m": ["a"]})
            app.run(GO_ON, thread)
        nodes.failing.clear()
        assert app.run(GO_ON, thread.with_resume(1)).state["m"] == ["a", "b:1", "d"]
        assert nodes.ran == ["c"]

    def test_all_fail_in_the_end(self) -> None:
        """P7: one error carries all causes, also what failed before the pause."""

        def ask(state: State) -> Any:
            raise ValueError(interrupt("?"))

        app = graph(*EDGES, b=ask, c=raises(OSError("c"))).compile()
        app.run({}, ANY_OF)
        failure = failure_of(app, GO_ON, ANY_OF.with_resume("b"))
        group: Any = failure.__cause__
        assert [str(each) for each in group.exceptions] == [
            "node 'b' failed: ValueError: b",
            "node 'c' failed: OSError: c (in an earlier run)",
        ]

    def test_all_fail_but_for_one_that_leaves(self) -> None:
        """P7, P15: leaving backwards is no arrival, so a branch that waits is waited for."""
        built = graph("START > s", "s > a", "a > b, c", "b > d", "c", "d > END", b=asks("b"))
        built.add_conditional_edges("c", says("s"), ["s", "d"])
        app = built.compile()
        assert asked(app.run({}, ANY_OF)) == [("b", "b?")]
        assert app.run(GO_ON, ANY_OF.with_resume(1)).state["m"] == ["s", "a", "b:1", "d"]

    def test_inside_of_all_of(self) -> None:
        """P7: an inner region that has its winner holds nothing up; another question of the outer one stays."""
        edges = ("START > s", "s > a, x", "a > b, c", "b > e", "c > e", "e > z", "x > z", "z > END")
        app = graph(*edges, b=asks("b"), x=asks("x")).compile()
        config = RunnableConfig(thread_id="t", aggregation={"e": NodeAggregationStrategy.ANY_OF})
        paused = app.run({}, config)
        assert (asked(paused), paused.state["m"]) == ([("x", "x?")], ["s", "a", "c", "e"])
        assert [each.node for each in app.get_state(T).interruptions] == ["x"]
        assert app.run(GO_ON, config.with_resume(1)).state["m"] == ["s", "a", "c", "e", "x:1", "z"]


class TestFailures:
    """P8: a failure comes before a pause."""

    @pytest.mark.parametrize("on_error", ["cancel", "wait"])
    def test_a_sibling_fails(self, on_error: Any) -> None:
        """P8, P12: the run fails and does not hang; the question stays, and is answered with the next call."""
        nodes = Flaky(failing={"c"})
        built = graph("START > a", "a > b, c, e", "b > d", "c > d", "e > d", "d > END", b=asks("b"), c=nodes("c"))
        app = built.compile(CompileConfig(on_branch_error=on_error, interrupts_before=["e"]))
        in_order = RunnableConfig(thread_id="t", default_parallel_executor=INLINE)
        assert failure_of(app, {}, in_order).node_id == "c"
        nodes.failing.clear()
        snapshot = app.get_state(T)
        assert snapshot.status == "failed"
        found = {each.node: each.id for each in snapshot.interruptions}
        assert [*found] == ["b", "e"]
        result = app.run(GO_ON, T.with_resume(answers=dict.fromkeys(found.values(), 1)))
        while result.status == "interrupted":
            result = app.run(GO_ON, T)
        assert result.state["m"] == ["a", "b:1", "c", "e", "d"]

    @pytest.mark.parametrize("on_error", ["cancel", "wait"])
    def test_a_private_run(self, on_error: Any) -> None:
        """P8, X5: the question is kept with the one checkpoint that a failed private run leaves."""
        app = graph(*EDGES, b=asks("b"), c=raises(ValueError("c"))).compile(CompileConfig(on_branch_error=on_error))
        failure = failure_of(app, {}, RunnableConfig(default_parallel_executor=INLINE))
        snapshot = app.get_state(RunnableConfig(thread_id=failure.thread_id))
        assert [each.payload for each in snapshot.interruptions] == ["b?"]

    def test_a_private_run_whose_question_is_gone(self) -> None:
        """P7, X5: a question that an inner winner has cancelled is not kept."""
        edges = ("START > s", "s > a, x", "a > b, c", "b > e", "c > e", "e > z", "x > z", "z > END")
        app = graph(*edges, b=asks("b"), x=raises(ValueError("x"))).compile(CompileConfig(on_branch_error="wait"))
        config = RunnableConfig(aggregation={"e": NodeAggregationStrategy.ANY_OF}, default_parallel_executor=INLINE)
        snapshot = app.get_state(RunnableConfig(thread_id=failure_of(app, {}, config).thread_id))
        assert (snapshot.interruptions, snapshot.next) == ((), ("x",))

    def test_waits_for_what_can_go_on(self) -> None:
        """P8: with "wait" the others go on first, then the failed region ends, outer regions with it."""
        edges = ("START > s", "s > a, x", "a > b, c", "b > e", "c > e", "e > z", "x > y", "y > z", "z > END")
        nodes = Flaky(failing={"c"})
        app = graph(*edges, b=asks("b"), c=nodes("c"), x=asks("x")).compile(CompileConfig(on_branch_error="wait"))
        failure = failure_of(app, {}, T)
        assert (failure.node_id, app.get_state(T).next) == ("c", ("b", "c", "x"))
        nodes.failing.clear()
        found = {each.node: each.id for each in app.get_state(T).interruptions}
        paused = app.run(GO_ON, T.with_resume(answers={found["b"]: 1}))
        assert (asked(paused), paused.state["m"]) == ([("x", "x?")], ["s", "a", "b:1", "c", "e"])
        assert app.run(GO_ON, T.with_resume(2)).state["m"] == ["s", "a", "b:1", "c", "e", "x:2", "y", "z"]

    def test_an_inner_region_fails_under_any_of(self) -> None:
        """P7, P8: the failed inner region drops out of the outer one, which then pauses."""
        edges = ("START > s", "s > a, x", "a > b, c", "b > e", "c > e", "e > z", "x > z", "z > END")
        built = graph(*edges, b=asks("b"), c=raises(ValueError("c")), x=asks("x"))
        app = built.compile(CompileConfig(on_branch_error="wait"))
        config = RunnableConfig(thread_id="t", aggregation={"__PARALLEL__(s)": NodeAggregationStrategy.ANY_OF})
        assert asked(app.run({}, config)) == [("x", "x?")]
        found = {each.node: each.id for each in app.get_state(T).interruptions}
        assert app.run(GO_ON, config.with_resume(answers={found["x"]: 1})).state["m"] == ["s", "x:1", "z"]

    def test_the_limit(self) -> None:
        """X2, P8: a branch that the limit refuses ends the run; the question of another stays."""
        built = graph("START > a", "a > b, c", "b > d", "c", "d > END", b=asks("b"))
        built.add_conditional_edges("c", lambda s: "c" if s["m"].count("c") < 5 else "d", ["c", "d"])
        app = built.compile(CompileConfig(recursion_limit=3, on_branch_error="wait"))
        assert failure_of(app, {}, T).code == "recursion_limit"
        snapshot = app.get_state(T)
        assert (snapshot.status, [each.node for each in snapshot.interruptions]) == ("limit", ["b"])
        assert asked(app.run(GO_ON, RunnableConfig(thread_id="t", recursion_limit=9))) == [("b", "b?")]
        assert app.run(GO_ON, T.with_resume(1)).state["m"] == ["a", "b:1", *"ccccc", "d"]

    def test_a_task_that_asks_while_it_is_cancelled(self) -> None:
        """P8: is no failure of its own."""
        started = asyncio.Event()

        async def ask(state: State) -> Any:
            started.set()
            try:
                await asyncio.sleep(60)
            finally:
                interrupt("too late?")

        async def fail(state: State) -> Any:
            await started.wait()
            raise ValueError("c")

        app = graph(*EDGES, b=ask, c=fail).compile()
        failure = asyncio.run(app.atry_invoke({}, T)).failure()
        assert (failure.node_id, repr(failure.__cause__)) == ("c", "ValueError('c')")


class TestWaiting:
    """P3, P13, P15: what waits for a branch that waits for a person."""

    def test_a_deferred_node(self) -> None:
        """P13: it does not start while a branch waits for a person."""
        built = graph("START > a", "a > b, l", "b > d", "d > END", later=["l"], b=asks("b"))
        built.add_node("l", lambda s: {"m": "l"}, defer=True).add_edge("l", "d")
        app = built.compile()
        assert app.run({}, T).state["m"] == ["a"]
        assert app.get_state(T).next == ("b", "l")
        assert outputs(app, GO_ON, T.with_resume(1)) == ["b", "l", "__PARALLEL__(a)", "d", END]

    def test_a_deferred_node_that_asks(self) -> None:
        """P13: nor does the next one, while a deferred one waits for a person."""
        built = graph("START > a", "a > b, l, k", "b > d", "d > END", later=["l", "k"])
        built.add_node("l", asks("l"), defer=True).add_edge("l", "d")
        built.add_node("k", lambda s: {"m": "k"}, defer=True).add_edge("k", "d")
        app = built.compile()
        paused = app.run({}, T)
        assert (asked(paused), paused.state["m"]) == ([("l", "l?")], ["a", "b"])
        assert app.run(GO_ON, T.with_resume(1)).state["m"] == ["a", "b", "l:1", "k", "d"]

    def test_a_branch_that_leaves_backwards(self) -> None:
        """P15: it has left once the other has its answer."""
        built = graph("START > s", "s > a", "a > b, c", "b > d", "c", "d > END", b=asks("b"))
        built.add_conditional_edges("c", lambda s: "s" if s["m"].count("c") < 2 else "d", ["s", "d"])
        app = built.compile()
        assert app.run({}, T).state["m"] == ["s", "a", "c"]
        paused = app.run(GO_ON, T.with_resume(1))
        assert (asked(paused), paused.state["m"]) == ([("b", "b?")], ["s", "a", "b:1", "c", "s", "a", "c"])
        assert app.run(GO_ON, T.with_resume(2)).state["m"][6:] == ["b:2", "c", "d"]

    def test_limited_slots(self) -> None:
        """P9, P12: who waits for a person holds no slot."""
        built = graph("START > a", "a", "w > z", "z > END", w=asks("w"))
        built.add_parallel_conditional_edges("a", says([Send("w", {}), Send("w", {}), Send("w", {})]), ["w"])
        app = built.compile(CompileConfig(max_concurrency=1))
        paused = app.run({}, T)
        assert len(paused.interruptions) == 3
        config = T.with_resume(answers={each.id: number for number, each in enumerate(paused.interruptions)})
        assert app.run(GO_ON, config).state["m"] == ["a", "w:0", "w:1", "w:2", "z"]

    def test_a_merge_that_fails(self) -> None:
        """S8, K1: what the branches come to can not be told: the state is the fork's, the pauses are all there."""

        def fold(old: Any, new: Any) -> Any:
            if old and new == "c":
                raise ValueError("no")
            return [*(old or []), new]

        edges = ("START > a", "a > b, c, e", "b > d", "c > d", "e > d", "d > END")
        app = graph(*edges, strategies={"m": fold}, a=says({}), e=asks("e")).compile()
        paused = app.run({"x": 1}, T)
        assert (asked(paused), dict(paused.state)) == ([("e", "e?")], {"x": 1})
        snapshot = app.get_state(T)
        assert (dict(snapshot.state), len(snapshot.interruptions), snapshot.error is not None) == ({"x": 1}, 1, True)

    def test_start_forks(self) -> None:
        """P12: a region at the very beginning."""
        app = graph("START > a, b", "a > z", "b > z", "z > END", a=asks("a")).compile()
        assert outputs(app, {}) == [START, "b", "a?inside"]
        assert app.invoke(GO_ON, T.with_resume(1))["m"] == ["a:1", "b", "z"]
