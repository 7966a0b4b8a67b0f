"""P8: what a failing branch does to its siblings, and what comes out of it."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import attrs
import pytest

from graph_core import APPEND, END, INLINE, CompileConfig, GraphRunnerException, RunnableConfig, Send, StateGraph
from graph_core_tests.control.ways import (
    ANY_OF,
    FORK,
    NESTED,
    WAIT,
    Together,
    Way,
    by_async,
    each_looped_way,
    each_threaded_way,
    each_way,
    first,
    forked,
    set_soon,
    several,
    tree,
)
from graph_core_tests.drive import Trace, drive
from graph_core_tests.regions.orders import all_orders
from graph_core_tests.shapes import Action, Compiled, State, Update, appends, graph, raises, says

CANCEL = CompileConfig()
JOIN = ("START > a", "a > b, c, e", "b > d", "c > d", "e > f", "d > f", "f > END")


def fails(name: str) -> Action:
    """Make a node that raises its own name."""
    return raises(KeyError(name))


def nodes_of(trace: Trace) -> Any:
    """The nodes of the error that a driven run ended with; nothing is left live."""
    assert trace.error is not None
    assert trace.live == 0
    return tree(trace.error)


def ran(trace: Trace) -> list[str]:
    """The nodes that ran, sorted."""
    return sorted(run.node for run in trace.runs)


def in_every_order(make: Callable[[], Compiled]) -> list[Trace]:
    """One trace per order of completion."""
    traces = list(all_orders(make, {}))
    assert len(traces) > 1
    return traces


class TestCancel:
    def test_the_siblings_are_cancelled(self) -> None:
        """P8: with the first failure the run is over: what runs is cancelled, what follows never runs."""
        compiled = graph("START > a", "a > b, c", "b > d", "c > e", "e > d", "d > END", b=fails("b")).compile()
        trace = drive(compiled, {}, first("b"))
        assert (nodes_of(trace), ran(trace)) == ("b", ["a", "b", "c"])

    @each_way
    def test_an_inner_region_is_one_failed_branch(self, way: Way) -> None:
        """P8: the failure of an inner region ends the outer one, under every verb."""
        error = way(graph(*NESTED, x=fails("x"), c=appends("c")).compile(), RunnableConfig()).failure
        assert (tree(error), type(error.__cause__)) == ("x", KeyError)
        assert error.code == "execution_error"

    def test_siblings_of_the_outer_region_are_cancelled(self) -> None:
        """P8: also those in another inner region."""
        edges = ("START > a", "a > b, c", "b > x, y", "c > u, v", "x > p", "y > p", "u > q", "v > q", "p > d", "q > d")
        trace = drive(graph(*edges, "d > END", y=fails("y")).compile(), {}, first("b", "c", "y"))
        assert (nodes_of(trace), ran(trace)) == ("y", ["a", "b", "c", "u", "v", "x", "y"])

    @each_threaded_way
    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)], ids=str)
    def test_several_at_the_same_time(self, way: Way, order: tuple[int, ...]) -> None:
        """P8: one error of all that had failed, the first in branch order gives node id and text."""
        config = RunnableConfig(parallel_executors={"a": Together(*order)})
        error = way(forked("b", "c", "e", b=fails("b"), e=fails("e")).compile(), config).failure
        assert tree(error) == ("b", ["b", "e"])
        assert [repr(each.__cause__) for each in several(error)] == ["KeyError('b')", "KeyError('e')"]
        assert "2 branches failed, at the nodes 'b', 'e'; the first: node 'b' failed: KeyError: 'b'" in str(error)

    @each_threaded_way
    def test_an_inner_and_an_outer_one(self, way: Way) -> None:
        """P8: an inner failure that comes at the same time as an outer one is part of the outer group."""
        pool = Together(2, 1, 0)
        built = graph("START > a", "d > END").add_node("b", appends("b"), executor=INLINE)
        for name in "cxy":
            built.add_node(name, fails(name), executor=pool)
        built.add_edge("a", ["b", "c"]).add_edge("b", ["x", "y"]).add_edge(["x", "y", "c"], "d")
        assert tree(way(built.compile(), RunnableConfig()).failure) == ("x", [("x", ["x", "y"]), "c"])

    @each_threaded_way
    def test_what_a_pool_has_not_begun_is_no_failure(self, way: Way) -> None:
        """P8: a call that is cancelled while it waits for a thread does not count."""
        begun, gate = threading.Event(), threading.Event()

        def holds(state: State) -> Update:
            begun.set()
            assert gate.wait(60)
            return {}

        def fails_late(state: State) -> Update:
            assert begun.wait(60)
            raise KeyError("b")

        with ThreadPoolExecutor(1) as pool:
            built = graph("START > a", "d > END", c=holds, e=holds).add_node("b", fails_late, executor=INLINE)
            built.add_edge("a", ["c", "e", "b"]).add_edge(["b", "c", "e"], "d")
            ended = way(built.compile(), RunnableConfig(parallel_executors={"a": pool}))
            gate.set()
        assert tree(ended.failure) == "b"

    @each_looped_way
    def test_what_a_sibling_raises_when_it_is_cancelled(self, way: Way) -> None:
        """P8: that is a failure of its own, on every loop."""
        begun = threading.Event()

        async def fails_late(state: State) -> Update:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                raise KeyError("c")

        def fails_first(state: State) -> Update:
            assert begun.wait(60)
            raise KeyError("b")

        compiled = graph(*FORK, b=fails_first, c=fails_late).compile()
        assert tree(way(compiled, RunnableConfig()).failure) == ("b", ["b", "c"])

    @each_threaded_way
    def test_an_async_sibling_that_has_not_begun(self, way: Way) -> None:
        """P8: it is cancelled before it begins, without a trace."""
        begun: list[str] = []

        async def notes(state: State) -> Update:
            begun.append("c")
            return {}

        def gives(state: State) -> Any:
            return notes(state)

        for action in (notes, gives):
            built = graph("START > a", "d > END").add_node("c", action, executor=INLINE)
            built.add_node("b", fails("b"), executor=INLINE).add_edge("a", ["c", "b"]).add_edge(["b", "c"], "d")
            assert tree(way(built.compile(), RunnableConfig()).failure) == "b"
        assert begun == []

    @each_looped_way
    def test_a_sibling_that_ends_while_an_inner_one_is_cancelled(self, way: Way) -> None:
        """P8: what has been done by then is no failure, and is lost with the region."""
        begun, go = threading.Event(), threading.Event()
        ended = asyncio.Event()

        async def waits(state: State) -> Update:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                go.set()
                await ended.wait()
            return {}

        async def ends(state: State) -> Update:
            await set_soon(go)
            ended.set()
            return {"m": "c"}

        def fails_late(state: State) -> Update:
            assert begun.wait(60)
            raise KeyError("x")

        assert tree(way(graph(*NESTED, x=fails_late, y=waits, c=ends).compile(), RunnableConfig()).failure) == "x"

    @each_looped_way
    def test_an_async_action_that_can_not_even_be_called(self, way: Way) -> None:
        """X3: calling it raises, before there is anything to await."""

        async def act(state: State) -> Update:
            return {}

        nonsense: dict[str, Any] = {"nonsense": 1}
        error = way(graph(*FORK, b=partial(act, **nonsense)).compile(), RunnableConfig()).failure
        assert (error.node_id, type(error.__cause__)) == ("b", TypeError)


class TestCauses:
    def test_a_route(self) -> None:
        """P8, X3: a router that raises fails the branch of its source."""
        built = graph("START > a", "a > b, c", "c > d", "d > END").add_conditional_edges("b", fails("r"), ["d"])
        trace = drive(built.compile(), {})
        assert nodes_of(trace) == "b"
        assert trace.error is not None
        assert isinstance(trace.error.__cause__, KeyError)

    @pytest.mark.parametrize("edges", [FORK, JOIN], ids=["at the convergence", "at a join"])
    def test_a_merge(self, edges: tuple[str, ...]) -> None:
        """P8, S8: a strategy that raises where branches meet names the second node."""

        def once(old: Any, new: Any) -> Any:
            if old is not None:
                raise OSError("a second value")
            return new

        built = graph(*edges, strategies={"m": APPEND, "k": once}, b=appends("b", k=1), c=appends("c", k=2))
        trace = drive(built.compile(), {})
        assert nodes_of(trace) == "c"
        assert trace.error is not None
        assert isinstance(trace.error.__cause__, OSError)

    def test_the_recursion_limit(self) -> None:
        """P8, X2: a branch that is refused fails, before its node runs."""
        trace = drive(graph(*FORK).compile(), {}, config=RunnableConfig(recursion_limit=1))
        assert nodes_of(trace) == ("b", ["b", "c"])
        assert ran(trace) == ["a"]

    @each_threaded_way
    def test_the_error_of_a_run_inside(self, way: Way) -> None:
        """X3: a node that fails since its own run failed is named itself, with the inner error as the cause."""
        pool = ThreadPoolExecutor(1)
        pool.shutdown()
        inner = StateGraph().add_node("x", appends("x"), executor=pool).add_edge("__START__", "x").add_edge("x", END)
        compiled = inner.compile()

        def runs(state: State) -> Update:
            return dict(compiled.invoke({}))

        error = way(graph(*FORK, b=runs).compile(), RunnableConfig()).failure
        assert (error.node_id, error.code) == ("b", "execution_error")
        cause = error.__cause__
        assert isinstance(cause, GraphRunnerException)
        assert (cause.node_id, cause.code) == ("x", "executor_failed")


class TestWait:
    def test_siblings_go_on(self) -> None:
        """P8: in every order the sibling runs to its end, the convergence does not."""
        edges = ("START > a", "a > b, c", "b > d", "c > e", "e > d", "d > END")
        for trace in in_every_order(lambda: graph(*edges, b=fails("b")).compile(WAIT)):
            assert (nodes_of(trace), ran(trace)) == ("b", ["a", "b", "c", "e"])

    @each_way
    def test_under_every_verb(self, way: Way) -> None:
        """P8: the siblings have run to their end when the error is raised."""
        notes: list[str] = []

        def note(state: State) -> Update:
            notes.append("e")
            return {}

        edges = ("START > a", "a > b, c", "b > d", "c > e", "e > d", "d > END")
        error = way(graph(*edges, b=fails("b"), e=note).compile(WAIT), RunnableConfig()).failure
        assert (tree(error), notes) == ("b", ["e"])

    def test_async_siblings(self) -> None:
        """P8: they are not cancelled."""
        free = asyncio.Event()
        notes: list[str] = []

        async def fails_now(state: State) -> Update:
            raise KeyError("b")

        async def notes_late(state: State) -> Update:
            await free.wait()
            notes.append("c")
            return {}

        async def frees(state: State) -> Update:
            free.set()
            return {}

        compiled = forked("b", "c", "e", b=fails_now, c=notes_late, e=frees).compile(WAIT)
        # e gets its slot from b, so c goes on when b has failed
        assert tree(by_async(compiled, RunnableConfig(max_concurrency=2)).failure) == "b"
        assert notes == ["c"]

    def test_what_needs_the_failed_one_does_not_run(self) -> None:
        """P8: a join that it leads to is never reached, whichever came first; other nodes run."""
        edges = ("START > a", "a > b, c, e", "b > j", "c > j", "j > d", "e > f", "f > d", "d > END")
        for trace in in_every_order(lambda: graph(*edges, b=fails("b")).compile(WAIT)):
            assert (nodes_of(trace), ran(trace)) == ("b", ["a", "b", "c", "e", "f"])

    def test_what_an_arriving_sibling_held(self) -> None:
        """P3, P8: the last branch that runs arrives, and so lets another one start: that one runs, too."""

        def build() -> Compiled:
            built = graph("START > a", "a > b, c, x", "b > d", "x > d", "d > END", b=fails("b"))
            return built.add_conditional_edges("c", says("d"), ["x", "d"]).compile(WAIT)

        for trace in in_every_order(build):
            assert (nodes_of(trace), ran(trace)) == ("b", ["a", "b", "c", "x"])

    def test_an_open_fork_whose_targets_all_need_it(self) -> None:
        """P8, P14: the region ends when all branches of a fork inside wait for the failed one."""
        edges = ("START > a", "a > b, c", "b > x, y", "c > x, y", "x > d", "y > d", "d > END")
        for trace in in_every_order(lambda: graph(*edges, c=fails("c")).compile(WAIT)):
            assert (nodes_of(trace), ran(trace)) == ("c", ["a", "b", "c"])

    def test_an_inner_region(self) -> None:
        """P8: inside, the siblings go on; outside, the failed region is one failed branch."""
        for trace in in_every_order(lambda: graph(*NESTED, x=fails("x")).compile(WAIT)):
            assert (nodes_of(trace), ran(trace)) == ("x", ["a", "b", "c", "x", "y"])

    def test_several(self) -> None:
        """P8: all that fail are told, nested as the regions are, the same in every order."""
        failing: dict[str, Any] = {name: fails(name) for name in "xyc"}
        for trace in in_every_order(lambda: graph(*NESTED, **failing).compile(WAIT)):
            assert nodes_of(trace) == ("x", [("x", ["x", "y"]), "c"])

    def test_one_way_out_of_a_loop(self) -> None:
        """P8, P15: a branch that leaves backwards waits, and the run fails all the same."""
        built = graph("START > s", "s > a", "a > b, c", "b > d", "d > END", b=fails("b"))
        compiled = built.add_conditional_edges("c", says("s"), ["s", "d"]).compile(WAIT)
        for at in (first("b"), first("c")):
            trace = drive(compiled, {}, at)
            assert (nodes_of(trace), ran(trace)) == ("b", ["a", "b", "c", "s"])

    def test_a_deferred_node_runs(self) -> None:
        """P8, P13: it does not need the failed one, so it runs when nothing else can."""
        built = graph("START > a", "b > d", "c > d", "d > END", b=fails("b"))
        built.add_node("late", appends("late"), defer=True)
        compiled = built.add_edge("a", ["late", "b", "c"]).add_edge("late", "d").compile(WAIT)
        for order in (("b", "c"), ("c", "b")):
            trace = drive(compiled, {}, first(*order))
            assert (nodes_of(trace), [run.node for run in trace.runs]) == ("b", ["a", "b", "c", "late"])

    def test_a_deferred_node_that_needs_it_does_not(self) -> None:
        """P8, P13: one that the failed branch leads to never runs."""
        built = graph("START > a", "c > d", "d > END", b=fails("b"))
        built.add_node("late", appends("late"), defer=True)
        compiled = built.add_edge("a", ["late", "b", "c"]).add_edge("b", "late").add_edge("late", "d").compile(WAIT)
        for order in (("b", "c"), ("c", "b")):
            trace = drive(compiled, {}, first(*order))
            assert (nodes_of(trace), ran(trace)) == ("b", ["a", "b", "c"])

    def test_copies(self) -> None:
        """P6, P8: copies need each other only at the convergence."""

        def act(state: State) -> Update:
            if state["item"] == 1:
                raise KeyError("one")
            return {"m": "w"}

        def build() -> Compiled:
            built = StateGraph({"m": APPEND}).add_node("w", act).add_node("v", appends("v")).add_node("d", appends("d"))
            sends = says([Send("w", {"item": n}) for n in range(3)])
            built.add_parallel_conditional_edges("__START__", sends, ["w"], converge_at="d")
            return built.add_edge("w", "v").add_edge("v", "d").add_edge("d", END).compile(WAIT)

        for trace in in_every_order(build):
            assert (nodes_of(trace), ran(trace)) == ("w", ["v", "v", "w", "w", "w"])

    def test_conditions_go_on(self) -> None:
        """P8: routers of siblings are called, too."""
        built = graph("START > a", "a > b, c", "b > d", "e > d", "d > END", b=fails("b"))
        compiled = built.add_conditional_edges("c", says("e"), ["e", "d"]).compile(WAIT)
        trace = drive(compiled, {}, first("b"))
        assert (nodes_of(trace), ran(trace)) == ("b", ["a", "b", "c", "e"])

    def test_refused_by_the_recursion_limit(self) -> None:
        """P8, X2: the others go on as far as the limit allows."""
        edges = ("START > a", "a > b, c", "b > x", "x > d", "c > d", "d > END")
        trace = drive(graph(*edges).compile(WAIT), {}, first("b"), RunnableConfig(recursion_limit=2))
        assert (nodes_of(trace), ran(trace)) == ("x", ["a", "b", "c"])

    @each_way
    def test_any_of_has_its_own_rule(self, way: Way) -> None:
        """P7, P8: with ANY_OF a failing branch drops out under both settings."""
        config = RunnableConfig(default_aggregation=ANY_OF)
        for settings in (WAIT, CANCEL):
            assert way(graph(*FORK, b=fails("b")).compile(settings), config).m == ["a", "c", "d"]

    def test_with_a_limit(self) -> None:
        """P8, P9: siblings that wait for a slot get one."""
        compiled = forked("b", "c", "e", b=fails("b")).compile(attrs.evolve(WAIT, max_concurrency=1))
        trace = drive(compiled, {})
        assert (nodes_of(trace), ran(trace)) == ("b", ["a", "b", "c", "e"])
