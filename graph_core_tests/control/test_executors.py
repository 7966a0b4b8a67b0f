"""P10: where actions run, and what happens when an executor does not run them."""

import asyncio
import itertools
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextvars import copy_context
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import pytest

from graph_core import APPEND, END, INLINE, START, GraphRunnerException, OverAllState, RunnableConfig, StateGraph
from graph_core.runner import crew
from graph_core.runner.remote import RemoteCall
from graph_core_tests.control import actions
from graph_core_tests.control.actions import VAR
from graph_core_tests.control.ways import (
    FORK,
    NESTED,
    Ended,
    Threads,
    Together,
    Way,
    by_async,
    by_inline,
    by_sync,
    each_threaded_way,
    each_way,
    forked,
    tree,
)
from graph_core_tests.shapes import Action, Compiled, State, Update, async_appends, graph, says, within

T = TypeVar("T")
DEPTHS = itertools.count(40)
OVERFLOW = 200
"""More branches than the shared pool has threads."""


def processes() -> ProcessPoolExecutor:
    """Make a pool of one process."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    """A pool of one process, started once: that takes a second."""
    with processes() as executor:
        yield executor


def nothing(state: State) -> Update:
    """Do nothing."""
    return {}


class TestWhichOne:
    @pytest.mark.parametrize(
        ("default", "fork", "node", "expected"),
        [
            (False, False, False, "graph"),
            (True, False, False, "default"),
            (True, True, False, "fork"),
            (False, True, False, "fork"),
            (True, True, True, "node"),
            (True, False, True, "node"),
        ],
    )
    @each_threaded_way
    def test_precedence(self, way: Way, *, default: bool, fork: bool, node: bool, expected: str) -> None:
        """P10: the node's, else the fork's, else the default, else the shared pool."""
        with (
            ThreadPoolExecutor(1, thread_name_prefix="default") as of_all,
            ThreadPoolExecutor(1, thread_name_prefix="fork") as of_fork,
            ThreadPoolExecutor(1, thread_name_prefix="node") as of_node,
        ):
            built = graph("START > a", "c > d", "d > END", a=nothing, c=nothing, d=nothing)
            built.add_node("b", actions.thread, executor=of_node if node else None)
            built.add_edge("a", ["b", "c"]).add_edge("b", "d")
            config = RunnableConfig(
                default_parallel_executor=of_all if default else None, parallel_executors={"a": of_fork} if fork else {}
            )
            found = way(built.compile(), config).m
        assert found == [expected]

    @each_threaded_way
    def test_an_inner_fork(self, way: Way) -> None:
        """P10: the fork's executor is for its own branches; those of a closed fork inside have the default."""
        with (
            ThreadPoolExecutor(1, thread_name_prefix="outer") as outer,
            ThreadPoolExecutor(1, thread_name_prefix="rest") as rest,
        ):
            config = RunnableConfig(default_parallel_executor=rest, parallel_executors={"a": outer})
            found = way(graph(*NESTED, make=lambda _: actions.thread).compile(), config).m
        assert found[1:6] == ["outer", "rest", "rest", "outer", "outer"]

    @each_threaded_way
    def test_routers_of_branches(self, way: Way) -> None:
        """P10: a router runs where its source runs."""
        seen: list[str] = []

        def route(state: State) -> str:
            seen.append(threading.current_thread().name.split("_")[0])
            return "d"

        with ThreadPoolExecutor(1, thread_name_prefix="fork") as fork:
            built = graph("START > a", "a > b, c", "c > d", "d > END").add_conditional_edges("b", route, ["d"])
            assert way(built.compile(), RunnableConfig(parallel_executors={"a": fork})).m == ["a", "b", "c", "d"]
        assert seen == ["fork"]

    @each_threaded_way
    def test_an_executor_of_ones_own(self, way: Way) -> None:
        """P10: any executor will do."""
        own = Threads()
        config = RunnableConfig(parallel_executors={"a": own})
        found = way(graph(*FORK, make=lambda _: actions.thread).compile(), config).m
        own.join()
        assert found[1:3] == ["own", "own"]

    def test_async_actions_need_none(self) -> None:
        """P10: async actions run on the loop, whatever the executor."""
        config = RunnableConfig(default_parallel_executor=Together(9))
        compiled = graph(*FORK, make=async_appends).compile()
        for way in (by_sync, by_async):
            assert way(compiled, config).m == ["a", "b", "c", "d"]


class TestProcesses:
    def test_branches(self, pool: Executor) -> None:
        """P10: under the sync verbs the branches run there, the main path here."""
        config = RunnableConfig(default_parallel_executor=pool)
        found = by_sync(graph(*FORK, make=lambda _: actions.where).compile(), config).m
        here = str(os.getpid())
        assert [str(pid) == here for pid in found] == [True, False, False, True]

    def test_under_the_async_verbs(self, pool: Executor) -> None:
        """P10: there the main path runs in the default executor, too."""
        config = RunnableConfig(default_parallel_executor=pool)
        found = by_async(graph(*FORK, make=lambda _: actions.where).compile(), config).m
        assert len(set(found)) == 1
        assert os.getpid() not in found

    @each_threaded_way
    def test_a_node_of_its_own(self, way: Way, pool: Executor) -> None:
        """P10: one node on the main path."""
        built = graph("b > END", b=actions.where).add_node("a", actions.where, executor=pool).add_edge("a", "b")
        first, second = way(built.add_edge(START, "a").compile(), RunnableConfig()).m
        assert first != second == os.getpid()

    @each_threaded_way
    def test_the_config_travels_without_what_can_not(self, way: Way, pool: Executor) -> None:
        """P10: node id, step, context, metadata and thread are there; store and executors stay here."""
        config = RunnableConfig(
            parallel_executors={"a": pool},
            default_parallel_executor=INLINE,
            thread_id="t",
            context=("c", 1),
            metadata={"k": 5},
            store=threading.Lock(),
        )
        built = StateGraph({"m": APPEND, "x": lambda old, new: new}).add_node("a", says({"x": 1}))
        built.add_node("b", actions.what).add_node("c", actions.where).add_node("d", nothing)
        built.add_edge(START, "a").add_edge("a", ["b", "c"]).add_edge(["b", "c"], "d").add_edge("d", END)
        (pid, *told), other = way(built.compile(), config).m
        assert (pid, told) == (other, ["b", 2, ("c", 1), 5, None, "t", None, {}])
        assert pid != os.getpid()

    @each_threaded_way
    def test_routers(self, way: Way, pool: Executor) -> None:
        """P10: a router of a branch runs there, and its Command comes back."""
        built = graph("START > a", "a > b, c", "c > d", "d > END", b=actions.where, c=actions.where)
        built.add_conditional_edges("b", actions.route, ["d"])
        found = way(built.compile(), RunnableConfig(parallel_executors={"a": pool})).m
        assert found[1] == found[2] == found[3] != os.getpid()

    def test_what_travels(self) -> None:
        """P10: a call is pickled with the state's values only, and runs without the context variables."""

        def keep(_: Any, new: Any) -> Any:
            return new

        def call() -> Any:
            VAR.set("here")
            state: OverAllState[Any] = OverAllState({"m": 1}, {"m": keep})  # a strategy that can not be pickled
            return RemoteCall(actions.sees, (state,), copy_context())

        here = copy_context().run(call)
        assert here() == {"m": [(1, "here")]}
        assert pickle.loads(pickle.dumps(here))().unpacked() == {"m": [(1, "unset")]}  # noqa: S301  (our own)

    @each_threaded_way
    def test_an_error(self, way: Way, pool: Executor) -> None:
        """P8, P10: what the action raised there is the cause here."""
        compiled = graph(*FORK, b=actions.breaks, c=actions.where).compile()
        error = way(compiled, RunnableConfig(parallel_executors={"a": pool})).failure
        assert (tree(error), repr(error.__cause__)) == ("b", "KeyError('here')")

    @each_threaded_way
    def test_an_action_that_can_not_be_pickled(self, way: Way, pool: Executor) -> None:
        """P8, P10: it is a failing node, and the pool is still whole."""
        config = RunnableConfig(parallel_executors={"a": pool})
        compiled = graph(*FORK, b=says({}), c=actions.where).compile()
        assert way(compiled, config).failure.node_id == "b"
        assert way(graph(*FORK, b=actions.where, c=actions.where).compile(), config).state is not None

    @each_threaded_way
    def test_a_worker_that_dies(self, way: Way) -> None:
        """P10: the run ends with an error that tells of the executor."""
        with processes() as own:
            built = graph("START > a", "b > END", b=actions.dies).add_node("c", nothing, executor=INLINE)
            compiled = built.add_edge("a", ["b", "c"]).add_edge("c", END).compile()
            error = way(compiled, RunnableConfig(parallel_executors={"a": own})).failure
        self.broken(error)

    @each_threaded_way
    def test_a_worker_that_dies_on_the_main_path(self, way: Way) -> None:
        """P10: the same for a node with an executor of its own."""
        with processes() as own:
            built = StateGraph().add_node("b", actions.dies, executor=own).add_edge(START, "b").add_edge("b", END)
            error = way(built.compile(), RunnableConfig()).failure
        self.broken(error)

    def broken(self, error: GraphRunnerException) -> None:
        """Check that the error tells of the executor of b, and of nothing else."""
        assert (error.node_id, error.code) == ("b", "executor_failed")
        assert isinstance(error.__cause__, BrokenExecutor)
        assert "the executor of node 'b' can not run its action" in str(error)


class TestShutDown:
    @each_threaded_way
    def test_before_the_run(self, way: Way) -> None:
        """P10: an executor that takes no calls, in a branch."""
        own = ThreadPoolExecutor(1)
        own.shutdown()
        error = way(graph(*FORK).compile(), RunnableConfig(parallel_executors={"a": own})).failure
        assert tree(error) == ("b", ["b", "c"])
        assert error.code == "executor_failed"
        assert "can not run its action (RuntimeError: cannot schedule new futures after shutdown)" in str(error)

    @each_threaded_way
    def test_on_the_main_path(self, way: Way) -> None:
        """P10: the same for a node of the main path."""
        own = ThreadPoolExecutor(1)
        own.shutdown()
        built = StateGraph().add_node("a", actions.thread, executor=own).add_edge(START, "a").add_edge("a", END)
        error = way(built.compile(), RunnableConfig()).failure
        assert (error.node_id, error.code, type(error.__cause__)) == ("a", "executor_failed", RuntimeError)

    @each_threaded_way
    def test_while_calls_wait(self, way: Way) -> None:
        """P10: calls that the executor drops are failures, not silence."""
        own = ThreadPoolExecutor(1)
        gate = threading.Event()
        own.submit(gate.wait, 60)

        def drops(state: State) -> Update:
            own.shutdown(wait=False, cancel_futures=True)
            gate.set()
            return {}

        built = graph("START > a", "a > b, c", "b > d", "c > d", "d > END").add_node("o", drops, executor=INLINE)
        compiled = built.add_edge("a", "o").add_edge("o", "d").compile()
        error = way(compiled, RunnableConfig(parallel_executors={"a": own})).failure
        assert (tree(error), error.code) == (("b", ["b", "c"]), "executor_failed")


class TestContextvars:
    @pytest.mark.parametrize("kind", ["pool", "thread pool", "own"])
    @each_way
    def test_they_reach_every_branch(self, way: Way, kind: str) -> None:
        """P10: in every executor, in inner regions, too."""

        def sees(state: State) -> Update:
            return {"m": VAR.get()}

        async def sees_later(state: State) -> Update:
            return {"m": VAR.get()}

        def run() -> Any:
            VAR.set("caller")
            return asyncio.run(nested.ainvoke({}, config)) if way is by_async else nested.invoke({}, config)

        nested = graph(*NESTED, make=lambda name: sees_later if name in "cx" else sees).compile()
        own = Threads()
        with ThreadPoolExecutor(2) as threads:
            executor: Any = {"pool": None, "thread pool": threads, "own": own}[kind]
            config = RunnableConfig(default_parallel_executor=INLINE if way is by_inline else executor)
            assert within(lambda: copy_context().run(run))["m"] == ["caller"] * 7
        own.join()
        assert VAR.get() == "unset"

    def test_a_branch_keeps_what_it_sets_to_itself(self) -> None:
        """P10: each branch has a context of its own."""
        both = threading.Barrier(2)

        def sets(state: State) -> Update:
            VAR.set("mine")
            both.wait(60)
            return {}

        def sees(state: State) -> Update:
            both.wait(60)
            return {"m": VAR.get()}

        def sees_alone(state: State) -> Update:
            return {"m": VAR.get()}

        compiled = graph(*FORK, b=sets, c=sees, d=sees_alone).compile()
        assert by_sync(compiled, RunnableConfig()).m == ["a", "unset", "unset"]


def running(inner: Compiled) -> Action:
    """Make a node that runs a graph."""

    def act(state: State) -> Update:
        return {"m": inner.invoke({})["m"]}

    return act


class TestRunsInsideRuns:
    """P10: an action may run a graph itself, in any number, without a deadlock."""

    NAMES = tuple(f"n{number}" for number in range(OVERFLOW))

    def around(self, inner: Compiled, *, gather: int = 128) -> Compiled:
        """Build a graph of many branches, each of which runs `inner`; so many do it at the same time."""
        together, lock = threading.Barrier(gather), threading.Lock()
        counted = [0]

        def act(state: State) -> Update:
            with lock:
                counted[0] += 1
                waits = counted[0] <= gather
            if waits:
                together.wait(60)
            return {"m": inner.invoke({})["m"]}

        return forked(*self.NAMES, make=lambda name: act if name in self.NAMES else nothing).compile()

    @each_threaded_way
    def test_more_than_there_are_threads(self, way: Way) -> None:
        """P10: all threads are taken by actions that wait for their own runs."""
        inner = graph("START > x, y", "x > END", "y > END").compile()
        assert way(self.around(inner), RunnableConfig()).m == ["x", "y"] * OVERFLOW

    def test_three_deep(self) -> None:
        """P10: the inner ones are full of such actions as well."""
        third = graph("START > x, y", "x > END", "y > END").compile()
        second = graph("START > p, q", "p > END", "q > END", make=lambda _: running(third))
        assert by_sync(self.around(second.compile()), RunnableConfig()).m == ["x", "y"] * (2 * OVERFLOW)

    def test_through_another_executor(self) -> None:
        """P10: also if a run in between has an executor of its own."""
        third = graph("START > x, y", "x > END", "y > END").compile()
        with ThreadPoolExecutor(OVERFLOW) as own:
            second = StateGraph({"m": APPEND}).add_node("p", running(third), executor=own)
            second.add_edge(START, "p").add_edge("p", END)
            assert by_sync(self.around(second.compile()), RunnableConfig()).m == ["x", "y"] * OVERFLOW

    def test_an_async_run_in_a_thread(self) -> None:
        """P10: an action with a loop of its own."""
        third = graph("START > x, y", "x > END", "y > END").compile()

        def act(state: State) -> Update:
            return {"m": asyncio.run(third.ainvoke({}))["m"]}

        second = graph("START > p", "p > END", p=act)
        assert by_sync(self.around(second.compile()), RunnableConfig()).m == ["x", "y"] * OVERFLOW


class TestASharedPoolThatIsShutDown:
    """P10: as at the end of the program, in a pool that nothing else here uses."""

    def deep(self, call: Callable[[Executor], T]) -> T:
        """Call as if so many runs were around it."""

        def work() -> T:
            crew._depth.set(next(DEPTHS))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (no other test goes so deep)
            return call(crew.default_pool())

        return copy_context().run(work)

    def test_what_was_taken_is_finished(self) -> None:
        """P10: without a new thread the one that runs takes all calls."""
        gate = threading.Event()

        def run(pool: Executor) -> Ended:
            def ends(state: State) -> Update:
                pool.shutdown(wait=False)  # the others have been handed over; all threads are blocked
                gate.set()
                return {"m": "o"}

            built = forked(*names).add_node("o", ends, executor=INLINE).add_edge("a", "o").add_edge("o", "d")
            for _ in range(crew.POOL_SIZE):
                pool.submit(gate.wait, 60)
            return by_sync(built.compile(), RunnableConfig())

        names = [f"n{number}" for number in range(20)]
        assert self.deep(run).m == ["a", *names, "o", "d"]

    @pytest.mark.parametrize(("way", "node"), [(by_sync, ("b", ["b", "c"])), (by_async, "a")], ids=["sync", "async"])
    def test_a_run_that_begins_later(self, way: Way, node: Any) -> None:
        """P10: it fails where it needs the first thread."""

        def run(pool: Executor) -> Ended:
            pool.shutdown()
            return way(graph(*FORK).compile(), RunnableConfig())

        error = self.deep(run).failure
        assert (tree(error), error.code) == (node, "executor_failed")


PROGRAM = """
import threading
from graph_core import *
from graph_core_tests.shapes import graph
gate = threading.Event()
def waits(state):
    gate.wait(60)
    return {{}}
names = [f"n{{i}}" for i in range(300)]
compiled = graph(f"START > {{', '.join(names)}}", *[f"{{n}} > END" for n in names], make=lambda name: waits).compile()
{end}
"""
ABANDONED = """
outputs = graph("START > b, c", "b > END", "c > END").compile().stream({})
print(next(outputs).node, next(outputs).node in "bc")
"""
LATE = """
def late():
    threading.main_thread().join()
    print(graph("START > b, c", "b > END", "c > END").compile().try_invoke({}).failure().code)
threading.Thread(target=late).start()
"""
LOSERS = """
fast = graph("START > a", "a > b, c", "b > d", "c > d", "d > END", b=waits).compile()
print(fast.invoke({}, RunnableConfig(default_aggregation=NodeAggregationStrategy.ANY_OF))["m"])
gate.set()
"""


@pytest.mark.parametrize(
    ("end", "said"),
    [(ABANDONED, "__START__ True"), (LATE, "executor_failed"), (LOSERS, "['a', 'c', 'd']")],
    ids=["abandoned", "late", "losers"],
)
def test_the_program_ends_cleanly(end: str, said: str) -> None:
    """P10: the pool is shut down at exit, also when a run was abandoned or begins too late."""
    root = Path(__file__).parents[2]
    done = subprocess.run(  # noqa: S603  (this very interpreter)
        [sys.executable, "-W", "error", "-c", PROGRAM.format(end=end)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert (done.stdout.strip(), done.stderr, done.returncode) == (said, "", 0)
