"""P7: which branches of a fork are enough."""

import asyncio
import threading
from typing import Any

import pytest

from graph_core import APPEND, END, INLINE, RunnableConfig, Send, StateGraph
from graph_core_tests.control.ways import (
    ALL_OF,
    ANY,
    ANY_OF,
    FORK,
    NESTED,
    Threads,
    Together,
    Way,
    after,
    by_async,
    by_inline,
    by_sync,
    each_looped_way,
    each_threaded_way,
    each_way,
    first,
    forked,
    several,
    tree,
    until_threads_are_idle,
)
from graph_core_tests.drive import drive
from graph_core_tests.shapes import (
    Compiled,
    Runner,
    State,
    Update,
    appends,
    async_appends,
    graph,
    raises,
    run_async,
    run_sync,
    says,
    within,
)


def ran(compiled: Compiled, config: RunnableConfig, *order: str) -> list[str]:
    """Drive a run in an order of completion; nothing is left live. Gives `m`."""
    trace = drive(compiled, {}, first(*order), config)
    assert trace.error is None
    assert trace.live == 0
    assert trace.state is not None
    found: list[str] = trace.state["m"]
    return found


def bound(**aggregation: Any) -> RunnableConfig:
    """Bind strategies; `a` stands for `__PARALLEL__(a)`, what begins with `at_` for a convergence."""
    forks = {f"__PARALLEL__({name})": given for name, given in aggregation.items() if not name.startswith("at_")}
    ends = {name.removeprefix("at_"): given for name, given in aggregation.items() if name.startswith("at_")}
    return RunnableConfig(aggregation={**forks, **ends})


class TestWhereItIsGiven:
    TWO = ("START > a", "a > b, c", "b > d", "c > d", "d > e, f", "e > g", "f > g", "g > END")

    def test_all_of_is_the_default(self) -> None:
        """P7: without a setting all branches are needed."""
        assert ran(graph(*FORK).compile(), RunnableConfig(), "c") == ["a", "b", "c", "d"]

    @pytest.mark.parametrize("winner", ["b", "c"])
    def test_as_default(self, winner: str) -> None:
        """P7: ANY_OF as default: the first that arrives, the others leave nothing."""
        assert ran(graph(*FORK).compile(), ANY, winner) == ["a", winner, "d"]

    @pytest.mark.parametrize("config", [bound(at_d=ANY_OF), bound(a=ANY_OF)], ids=["convergence", "fork"])
    def test_for_one_of_two(self, config: RunnableConfig) -> None:
        """P7: bound to the convergence or the fork, it holds for that region only."""
        assert ran(graph(*self.TWO).compile(), config, "c", "f") == ["a", "c", "d", "e", "f", "g"]

    def test_end_is_a_convergence(self) -> None:
        """P7: `END` may be named."""
        compiled = graph("START > a", "a > b, c", "b > END", "c > END").compile()
        assert ran(compiled, RunnableConfig(aggregation={END: ANY_OF}), "c") == ["a", "c"]

    def test_every_fork_that_converges_there(self) -> None:
        """P7: each closed fork that converges at the node, each for itself."""
        compiled = graph("START > a", "a > b, c", "b > x, y", "x > z", "y > z", "c > z", "z > END").compile()
        assert ran(compiled, bound(at_z=ANY_OF), "b", "y", "c") == ["a", "b", "y", "z"]
        assert ran(compiled, bound(at_z=ANY_OF), "b", "c") == ["a", "c", "z"]
        assert ran(compiled, bound(b=ANY_OF), "b", "y", "c") == ["a", "b", "y", "c", "z"]

    @pytest.mark.parametrize(
        ("aggregation", "default", "expected"),
        [
            ({"__PARALLEL__(a)": ALL_OF, "d": ANY_OF}, ANY_OF, ["a", "b", "c", "d"]),
            ({"__PARALLEL__(a)": ANY_OF, "d": ALL_OF}, ALL_OF, ["a", "c", "d"]),
            ({"d": ALL_OF}, ANY_OF, ["a", "b", "c", "d"]),
            ({"d": ANY_OF}, ALL_OF, ["a", "c", "d"]),
        ],
        ids=["fork all", "fork any", "convergence all", "convergence any"],
    )
    def test_precedence(self, aggregation: dict[str, Any], default: Any, expected: list[str]) -> None:
        """P7: the fork's own, else its convergence's, else the default."""
        config = RunnableConfig(aggregation=aggregation, default_aggregation=default)
        assert ran(graph(*FORK).compile(), config, "c") == expected

    def test_a_fork_behind_copies_is_not_their_convergence(self) -> None:
        """P1, P7: copies join right before a fixed fork; its id binds the fork, not the copies."""
        built = graph("w > x, y", "x > z", "y > z", "z > END")
        built.add_parallel_conditional_edges("__START__", says([Send("w", {}), Send("w", {})]), ["w"])
        assert ran(built.compile(), bound(w=ANY_OF), "w", "y") == ["w", "w", "y", "z"]
        copies = RunnableConfig(aggregation={"__PARALLEL__(__START__)": ANY_OF})
        assert ran(built.compile(), copies) == ["w", "x", "y", "z"]


class TestKindsOfForks:
    def test_a_multi_route(self) -> None:
        """P7: a fork by a parallel condition; its update was before the branches, so it stays."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_parallel_conditional_edges("a", says(["b", "c"]), ["b", "c"])
        assert ran(built.compile(), ANY, "c") == ["a", "c", "d"]

    def test_several_conditions(self) -> None:
        """P7: a fork by several single routes."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_conditional_edges("a", says("b"), ["b"], name="one")
        built.add_conditional_edges("a", says("c"), ["c"], name="two")
        assert ran(built.compile(), ANY, "c") == ["a", "c", "d"]

    def test_sends(self) -> None:
        """P7: of several copies one is enough."""
        built = StateGraph({"m": APPEND}).add_node("w", lambda state: {"m": state["item"]}).add_node("d", appends("d"))
        built.add_parallel_conditional_edges("__START__", says([Send("w", {"item": n}) for n in "123"]), ["w"])
        compiled = built.add_edge("w", "d").add_edge("d", END).compile()
        trace = drive(compiled, {}, lambda running: 1, ANY)
        assert trace.state == {"m": ["2", "d"]}

    def test_an_open_fork(self) -> None:
        """P7, P14: the branches of an open fork count for the region around it."""
        compiled = graph("START > a", "a > b, c", "b > x, y", "c > y", "x > f", "y > f", "f > END").compile()
        assert ran(compiled, ANY, "b", "x") == ["a", "b", "x", "f"]

    def test_nothing_chosen(self) -> None:
        """P7, R4: an empty answer goes on at the convergence."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_parallel_conditional_edges("a", says([]), ["b", "c"])
        assert ran(built.compile(), ANY) == ["a", "d"]


class TestNested:
    def test_inner_any_outer_all(self) -> None:
        """P7: the inner fork takes the first, the outer waits for all."""
        assert ran(graph(*NESTED).compile(), bound(b=ANY_OF), "b", "y") == ["a", "b", "y", "z", "c", "d"]

    def test_outer_any_inner_all(self) -> None:
        """P7: the inner fork waits for all; a winner outside cancels it with all it holds."""
        assert ran(graph(*NESTED).compile(), bound(a=ANY_OF), "b", "y", "x", "z") == ["a", "b", "x", "y", "z", "d"]
        assert ran(graph(*NESTED).compile(), bound(a=ANY_OF), "b", "y", "c") == ["a", "c", "d"]

    def test_both(self) -> None:
        """P7: each has its own winner."""
        assert ran(graph(*NESTED).compile(), ANY, "b", "y", "z") == ["a", "b", "y", "z", "d"]
        assert ran(graph(*NESTED).compile(), ANY, "b", "y", "c") == ["a", "c", "d"]

    def test_a_failed_inner_region_drops_out(self) -> None:
        """P7, P8: it is one failed branch."""
        compiled = graph(*NESTED, x=raises(KeyError("x"))).compile()
        assert ran(compiled, bound(a=ANY_OF), "b", "x") == ["a", "c", "d"]

    @pytest.mark.parametrize("order", [(1, 0, 2), (0, 1, 2)], ids=str)
    def test_inner_and_outer_decided_at_once(self, order: tuple[int, ...]) -> None:
        """P7: a branch whose inner region is decided arrives together with its sibling; the smaller key wins."""
        pool = Together(*order)
        built = graph("START > a", "d > END").add_node("b", appends("b"), executor=INLINE)
        for name in "cxy":
            built.add_node(name, appends(name), executor=pool)
        built.add_edge("a", ["b", "c"]).add_edge("b", ["x", "y"]).add_edge(["x", "y", "c"], "d")
        assert by_sync(built.compile(), ANY).m == ["a", "b", "x", "d"]


class TestInnerJoins:
    EDGES = ("START > a", "a > b, c, e", "b > j", "c > j", "j > z", "e > z", "z > END")

    def test_they_wait_for_all(self) -> None:
        """P7: a join inside the region runs once, on what all have done that come to it."""
        trace = drive(graph(*self.EDGES).compile(), {}, first("b", "c", "j"), ANY)
        assert [run.seen["m"] for run in trace.runs if run.node == "j"] == [["a", "b", "c"]]
        assert trace.state == {"m": ["a", "b", "c", "j", "z"]}

    def test_a_failed_branch_is_not_waited_for(self) -> None:
        """P7: what has dropped out holds nobody."""
        compiled = graph(*self.EDGES, b=raises(KeyError("b"))).compile()
        assert ran(compiled, ANY, "c", "b", "j") == ["a", "c", "j", "z"]

    def test_a_join_that_can_not_be_merged_drops_out(self) -> None:
        """P7, S8: a strategy that raises at a join makes that branch fail."""
        built = graph(*self.EDGES, strategies={"m": APPEND, "k": once}, b=appends("b", k=1), c=appends("c", k=2))
        assert ran(built.compile(), ANY, "b", "c") == ["a", "e", "z"]

    def test_a_deferred_node(self) -> None:
        """P7, P13: it starts when all others wait or have arrived; then one has won already."""
        built = graph("START > a", "b > d", "d > END").add_node("late", appends("late"), defer=True)
        compiled = built.add_edge("a", ["late", "b"]).add_edge("late", "d").compile()
        trace = drive(compiled, {}, config=ANY)
        assert (trace.state, [run.node for run in trace.runs]) == ({"m": ["a", "b", "d"]}, ["a", "b", "d"])

    def test_a_deferred_node_when_all_others_failed(self) -> None:
        """P7, P13: what has failed is not waited for."""
        built = graph("START > a", "b > d", "d > END", b=raises(KeyError("b")))
        built.add_node("late", appends("late"), defer=True).add_edge("a", ["late", "b"]).add_edge("late", "d")
        assert ran(built.compile(), ANY) == ["a", "late", "d"]


def once(old: Any, new: Any) -> Any:
    """Be a strategy that takes one value only."""
    if old is not None:
        raise ValueError("a second value")
    return new


class TestFailing:
    @each_way
    def test_a_failing_branch_drops_out(self, way: Way) -> None:
        """P7: the other one wins."""
        assert way(graph(*FORK, b=raises(KeyError("b"))).compile(), ANY).m == ["a", "c", "d"]

    @each_way
    def test_all_fail(self, way: Way) -> None:
        """P7, P8: one error, with all causes in branch order."""
        error = way(graph(*FORK, b=raises(KeyError("b")), c=raises(OSError("c"))).compile(), ANY).failure
        assert tree(error) == ("b", ["b", "c"])
        assert [type(each.__cause__) for each in several(error)] == [KeyError, OSError]

    @pytest.mark.parametrize("earlier", ["b", "c"])
    def test_all_fail_in_any_order(self, earlier: str) -> None:
        """P7: the order of time does not matter."""
        trace = drive(graph(*FORK, b=raises(KeyError()), c=raises(KeyError())).compile(), {}, first(earlier), ANY)
        assert trace.error is not None
        assert tree(trace.error) == ("b", ["b", "c"])

    def test_all_refused_by_the_recursion_limit(self) -> None:
        """P7, X2: nodes that wait to join are refused like any other."""
        compiled = graph("START > a", "a > b, c", "b > x", "x > d", "c > d", "d > END").compile()
        trace = drive(compiled, {}, config=RunnableConfig(default_aggregation=ANY_OF, recursion_limit=1))
        assert trace.error is not None
        assert (tree(trace.error), trace.error.code) == (("b", ["b", "c"]), "recursion_limit")

    def test_refused_while_another_waits_behind_it(self) -> None:
        """P7, X2: when a join is refused, what it held may start, once."""
        edges = ("START > a", "a > b, c", "b > b2", "b2 > j, k", "j > k", "c > k", "k > d", "d > END")
        compiled = graph(*edges).compile()
        config = RunnableConfig(default_aggregation=ANY_OF, recursion_limit=3)
        trace = drive(compiled, {}, first("c", "b", "b2"), config)
        assert trace.error is not None
        assert trace.live == 0
        assert trace.error.code == "recursion_limit"

    def test_what_a_loser_raises_is_no_failure(self) -> None:
        """P7: a loser that raises while it is cancelled leaves nothing."""
        begun = asyncio.Event()

        async def loses(state: State) -> Update:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                raise KeyError("late")

        async def wins(state: State) -> Update:
            await begun.wait()
            return {"m": "c"}

        assert by_async(graph(*FORK, b=loses, c=wins).compile(), ANY).m == ["a", "c", "d"]


class TestLeavingBackwards:
    def back(self, **nodes: Any) -> StateGraph:
        """Build a fork whose branch c goes back to a while `m` has one a."""
        built = graph("START > a", "a > b, c", "b > d", "d > END", **nodes)
        return built.add_conditional_edges("c", lambda state: "a" if state["m"].count("a") < 2 else "d", ["a", "d"])

    def test_it_is_no_arrival(self) -> None:
        """P7, P15: who leaves waits for the others, and one that arrives wins."""
        assert ran(self.back().compile(), ANY, "c", "b") == ["a", "b", "d"]

    def test_when_all_leave_or_fail(self) -> None:
        """P7, P15: then the run goes back, with what they have done."""
        fails = [True]

        def fail_once(state: State) -> Update:
            if fails.pop() if fails else False:
                raise KeyError("b")
            return {"m": "b"}

        assert ran(self.back(b=fail_once).compile(), ANY, "c") == ["a", "c", "a", "c", "d"]

    def test_all_leave(self) -> None:
        """P15: all that left are merged."""
        built = graph("START > a", "a > b, c", "d > END")
        for name in "bc":
            built.add_conditional_edges(name, lambda state: "a" if state["m"].count("a") < 2 else "d", ["a", "d"])
        assert ran(built.compile(), ANY, "c") == ["a", "b", "c", "a", "c", "d"]


class TestTogether:
    @pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=str)
    @each_threaded_way
    def test_the_smaller_key_wins(self, way: Way, order: tuple[int, ...]) -> None:
        """P7: of those that arrive together the first in branch order, whichever was done first."""
        config = RunnableConfig(default_aggregation=ANY_OF, parallel_executors={"a": Together(*order)})
        assert way(graph(*FORK).compile(), config).m == ["a", "b", "d"]

    @each_threaded_way
    def test_a_failure_at_the_same_time(self, way: Way) -> None:
        """P7: a branch that fails at the same time drops out all the same."""
        config = RunnableConfig(default_aggregation=ANY_OF, parallel_executors={"a": Together(0, 1)})
        assert way(graph(*FORK, b=raises(KeyError("b"))).compile(), config).m == ["a", "c", "d"]

    def test_one_after_the_other(self) -> None:
        """P7: INLINE the first branch has arrived before the second begins."""
        ran_too: list[str] = []

        def notes(state: State) -> Update:
            ran_too.append("c")
            return {}

        assert by_inline(graph(*FORK, c=notes).compile(), ANY).m == ["a", "b", "d"]
        assert ran_too == []


class TestLosers:
    @each_threaded_way
    def test_what_can_not_be_stopped_is_dropped(self, way: Way) -> None:
        """P7: the run does not wait for a sync loser, and its result is nowhere."""
        begun, gate, ended = threading.Event(), threading.Event(), threading.Event()

        def loses(state: State) -> Update:
            begun.set()
            assert gate.wait(60)
            ended.set()
            return {"m": "b", "k": 1}

        def wins(state: State) -> Update:
            assert begun.wait(60)
            return {"m": "c"}

        run = way(graph(*FORK, b=loses, c=wins).compile(), ANY)
        was_running = not ended.is_set()
        gate.set()
        assert ended.wait(60)
        assert (was_running, run.state) == (True, {"m": ["a", "c", "d"]})

    @pytest.mark.parametrize("run", [run_sync, run_async], ids=["sync", "async"])
    def test_it_ends_while_the_run_goes_on(self, run: Runner) -> None:
        """P7: a result that comes after the region has ended is dropped, without an output, in the next region, too."""
        begun, gate = threading.Event(), threading.Event()

        def loses(state: State) -> Update:
            begun.set()
            assert gate.wait(60)
            return {"m": "b"}

        async def opens(state: State) -> Update:
            gate.set()
            await asyncio.to_thread(until_threads_are_idle)
            return {"m": "e"}

        edges = (*FORK[:-1], "d > e, f", "e > g", "f > g", "g > END")
        compiled = graph(*edges, b=loses, c=after(begun, "c"), e=opens).compile()
        result = within(lambda: run(compiled, {}, bound(a=ANY_OF)), 60)
        assert result.steps == [("a", 1), ("c", 2), ("d", 3), ("e", 4), ("f", 4), ("g", 5)]
        assert result.state["m"] == ["a", "c", "d", "e", "f", "g"]

    @each_looped_way
    def test_async_losers_are_cancelled_and_awaited(self, way: Way) -> None:
        """P7: when the run goes on, their `finally` has run, awaits included."""
        begun = threading.Event()
        ended: list[str] = []
        seen: list[list[str]] = []

        async def loses(state: State) -> Update:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                ended.append("b")
            return {"m": "b"}

        def wins(state: State) -> Update:
            assert begun.wait(60)
            return {"m": "c"}

        def sees(state: State) -> Update:
            seen.append(list(ended))
            return {"m": "d"}

        assert way(graph(*FORK, b=loses, c=wins, d=sees).compile(), ANY).m == ["a", "c", "d"]
        assert seen == [["b"]]

    @each_looped_way
    def test_losers_end_side_by_side(self, way: Way) -> None:
        """P7: all are cancelled before any is waited for, so they may wait for each other."""
        begun = threading.Semaphore(0)
        both = asyncio.Barrier(2)
        ended: list[str] = []

        async def loses(state: State) -> Update:
            begun.release()
            try:
                await asyncio.Event().wait()
            finally:
                await both.wait()
                ended.append("x")
            return {}

        def wins(state: State) -> Update:
            assert begun.acquire(timeout=60)
            assert begun.acquire(timeout=60)
            return {"m": "c"}

        assert way(forked("b", "b2", "c", b=loses, b2=loses, c=wins).compile(), ANY).m == ["a", "c", "d"]
        assert ended == ["x", "x"]

    def test_a_sibling_of_the_region_around_it_that_gives_a_coroutine(self) -> None:
        """R2, P7: what completes while a loser of an inner region is cancelled counts as ever."""
        begun, gate = threading.Event(), threading.Event()
        pool = Threads()

        async def loses(state: State) -> Update:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                gate.set()
                assert pool.told.wait(60)
            return {}

        def wins(state: State) -> Update:
            assert begun.wait(60)
            return {"m": "y"}

        def gives(state: State) -> Any:
            assert gate.wait(60)
            return async_appends("c")(state)

        built = graph("START > a", "b > x, y", "x > z", "y > z", "z > d", "d > END", x=loses, y=wins)
        built.add_node("c", gives, executor=pool).add_edge("a", ["b", "c"]).add_edge("c", "d")
        assert by_sync(built.compile(), bound(b=ANY_OF)).m == ["a", "b", "y", "z", "c", "d"]


def test_inline_is_one_of_the_ways() -> None:
    """P10: INLINE as the fork's own executor, too."""
    config = RunnableConfig(default_aggregation=ANY_OF, parallel_executors={"a": INLINE})
    assert by_sync(graph(*FORK).compile(), config).m == ["a", "b", "d"]
