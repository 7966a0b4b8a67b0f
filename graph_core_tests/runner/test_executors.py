"""P10: where actions run."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from graph_core import INLINE, START, GraphRunnerException, RunnableConfig
from graph_core_tests.shapes import Compiled, State, Update, async_appends, graph, within

FORK = ("START > a", "a > b, c", "b > d", "c > d", "d > END")


def where(state: State) -> Update:
    """Append the name of the thread."""
    return {"m": threading.current_thread().name}


def threads(compiled: Compiled, config: RunnableConfig | None = None) -> list[str]:
    """Run, and give the names of the threads, without their numbers."""
    return [name.split("_")[0] for name in compiled.invoke({}, config)["m"]]


class TestSync:
    def test_the_default(self) -> None:
        """P10: the main path runs here, branches in the shared pool."""
        found = graph(*FORK, make=lambda _: where).compile().invoke({})["m"]
        assert found[0] == found[3] == threading.current_thread().name
        assert all(name.startswith("graph_core") for name in found[1:3])

    def test_inline(self) -> None:
        """P10: INLINE runs everything here."""
        found = threads(graph(*FORK, make=lambda _: where).compile(), RunnableConfig(default_parallel_executor=INLINE))
        assert set(found) == {threading.current_thread().name}

    def test_a_pool_for_all(self) -> None:
        """P10: the default executor."""
        with ThreadPoolExecutor(2, thread_name_prefix="mine") as pool:
            config = RunnableConfig(default_parallel_executor=pool)
            assert threads(graph(*FORK, make=lambda _: where).compile(), config)[1:3] == ["mine", "mine"]

    def test_a_pool_for_a_fork(self) -> None:
        """P10: the fork's executor, by its source; START has one too."""
        built = graph("START > a, b", "a > x, y", "b > z", "x > z", "y > z", "z > END", make=lambda _: where)
        with (
            ThreadPoolExecutor(1, thread_name_prefix="one") as one,
            ThreadPoolExecutor(1, thread_name_prefix="two") as two,
        ):
            config = RunnableConfig(parallel_executors={START: one, "a": two}, default_parallel_executor=INLINE)
            assert threads(built.compile(), config)[:4] == ["one", "two", "two", "one"]

    def test_a_fork_inline_beside_a_pool(self) -> None:
        """P10: one fork inline, the rest in the pool."""
        built = graph("START > a, b", "a > x, y", "b > z", "x > z", "y > z", "z > END", make=lambda _: where)
        found = threads(built.compile(), RunnableConfig(parallel_executors={"a": INLINE}))
        assert [name.startswith("graph") for name in found[:4]] == [True, False, False, True]

    def test_a_pool_for_a_node(self) -> None:
        """P10: the node's own executor wins, on the main path and in a branch."""
        with ThreadPoolExecutor(1, thread_name_prefix="own") as own:
            built = graph("c > d", "d > END", c=where, d=where).add_node("a", where, executor=own)
            built.add_node("b", where, executor=own).add_edge(START, "a").add_edge("a", ["b", "c"]).add_edge("b", "d")
            config = RunnableConfig(default_parallel_executor=INLINE)
            assert [name == "own" for name in threads(built.compile(), config)] == [True, True, False, False]

    def test_a_node_inline(self) -> None:
        """P10: a node may be inline where others are not."""
        built = graph("c > d", "d > END", c=where, d=where).add_node("b", where, executor=INLINE)
        built.add_edge(START, ["b", "c"]).add_edge("b", "d")
        found = built.compile().invoke({})["m"]
        assert found[0] == threading.current_thread().name != found[1]

    def test_the_pool_is_wide(self) -> None:
        """P10: at least 128 sync branches overlap by default."""
        names = [f"n{i}" for i in range(128)]
        together = threading.Barrier(128)

        def meet(state: State) -> Update:
            together.wait(30)
            return {}

        built = graph(f"START > {', '.join(names)}", *[f"{name} > END" for name in names], make=lambda _: meet)
        within(lambda: built.compile().invoke({}), 60)

    def test_runs_inside_pooled_nodes(self) -> None:
        """P10: inner runs do not wait for a pool that their outer ones fill."""
        inner = graph("START > x, y", "x > END", "y > END").compile()
        names = [f"n{i}" for i in range(128)]
        together = threading.Barrier(128)

        def outer(state: State) -> Update:
            together.wait(30)  # from here on every thread of the outer pool is taken
            return {"m": inner.invoke({})["m"]}

        built = graph(f"START > {', '.join(names)}", *[f"{name} > END" for name in names], make=lambda _: outer)
        assert within(lambda: built.compile().invoke({}), 60)["m"] == ["x", "y"] * 128


class TestAsync:
    async def test_the_default(self) -> None:
        """P10: sync actions run in the shared pool, also on the main path."""
        found = (await graph(*FORK, make=lambda _: where).compile().ainvoke({}))["m"]
        assert all(name.startswith("graph_core") for name in found)

    async def test_a_pool_for_all_for_a_fork_for_a_node(self) -> None:
        """P10: the node's, else the fork's, else the default."""
        with (
            ThreadPoolExecutor(1, thread_name_prefix="all") as everything,
            ThreadPoolExecutor(1, thread_name_prefix="fork") as fork,
            ThreadPoolExecutor(1, thread_name_prefix="node") as node,
        ):
            built = graph("START > a", "c > d", "d > END", a=where, c=where, d=where)
            built.add_node("b", where, executor=node).add_edge("a", ["b", "c"]).add_edge("b", "d")
            config = RunnableConfig(default_parallel_executor=everything, parallel_executors={"a": fork})
            state = await built.compile().ainvoke({}, config)
            assert [name.split("_")[0] for name in state["m"]] == ["all", "node", "fork", "all"]

    async def test_async_actions_stay_on_the_loop(self) -> None:
        """P10: an executor is for sync actions."""
        with ThreadPoolExecutor(1) as pool:
            config = RunnableConfig(default_parallel_executor=pool)
            assert (await graph(*FORK, make=async_appends).compile().ainvoke({}, config))["m"] == ["a", "b", "c", "d"]


class TestAwaitables:
    @pytest.mark.parametrize("pool", [None, INLINE, "own"])
    async def test_a_sync_action_that_gives_a_coroutine(self, pool: Any) -> None:
        """R2: what an action gives in a thread is awaited on the loop."""

        def act(state: State) -> Any:
            return async_appends("x")(state)

        compiled = graph(*FORK, make=lambda _: act).compile()
        with ThreadPoolExecutor(1) as own:
            config = RunnableConfig(default_parallel_executor=own if pool == "own" else pool)
            assert within(lambda: compiled.invoke({}, config))["m"] == ["x"] * 4
            assert (await compiled.ainvoke({}, config))["m"] == ["x"] * 4


class Refusing(Executor):
    """An executor that takes nothing."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Refuse."""
        raise RuntimeError("no more work")


class Dropping(Executor):
    """An executor that cancels what it is given, as a pool that is shut down does with what waits."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Give a future that is cancelled."""
        future: Future[Any] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


@pytest.mark.parametrize("pool", [Refusing(), Dropping()], ids=["refusing", "dropping"])
class TestBrokenExecutors:
    def check(self, error: GraphRunnerException) -> None:
        """The error names a branch, or the node of the main path."""
        assert error.node_id in {"a", "b", "c"}
        assert error.__cause__ is not None

    def test_in_a_branch(self, pool: Executor) -> None:
        """X3, P8: a branch that its executor does not run fails; nothing hangs."""
        config = RunnableConfig(parallel_executors={"a": pool})
        self.check(within(lambda: graph(*FORK).compile().try_invoke({}, config)).failure())

    def test_in_a_branch_of_an_async_run(self, pool: Executor) -> None:
        """X3, P8: the same under the async verbs."""
        config = RunnableConfig(parallel_executors={"a": pool})
        self.check(within(lambda: _run(graph(*FORK).compile(), config)).failure())

    def test_on_the_main_path(self, pool: Executor) -> None:
        """X3: a node that its executor does not run fails."""
        built = graph("b > END").add_node("a", where, executor=pool).add_edge(START, "a").add_edge("a", "b")
        self.check(within(lambda: built.compile().try_invoke({})).failure())

    def test_on_the_main_path_of_an_async_run(self, pool: Executor) -> None:
        """X3: the same under the async verbs."""
        built = graph("b > END").add_node("a", where, executor=pool).add_edge(START, "a").add_edge("a", "b")
        self.check(within(lambda: _run(built.compile(), RunnableConfig())).failure())


def _run(compiled: Compiled, config: RunnableConfig) -> Any:
    return asyncio.run(compiled.atry_invoke({}, config))
