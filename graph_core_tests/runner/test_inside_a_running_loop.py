"""X1: sync verbs inside a running event loop, and async actions under them."""

import asyncio
import threading
from collections.abc import Generator
from contextvars import ContextVar
from typing import Any

import pytest

from graph_core import END, GraphRunnerException, RunnableConfig
from graph_core_tests.shapes import State, Update, async_appends, graph, says

FORK = ("START > a", "a > b, c", "b > d", "c > d", "d > END")


class TestSyncActions:
    async def test_without_a_loop_of_its_own(self) -> None:
        """X1: a sync run of sync actions needs no event loop, and works inside a running one."""
        before = threading.active_count()
        assert graph("START > a", "a > b", "b > END").compile().invoke({})["m"] == ["a", "b"]
        assert threading.active_count() == before

    async def test_a_region(self) -> None:
        """X1: branches run in the pool."""
        assert graph(*FORK).compile().invoke({})["m"] == ["a", "b", "c", "d"]


class TestAsyncActions:
    async def test_in_a_thread_of_its_own(self) -> None:
        """X1: the private loop is in its own thread if one is running here."""
        seen: set[int] = set()
        loops: set[int] = set()

        async def act(state: State) -> Update:
            seen.add(threading.get_ident())
            loops.add(id(asyncio.get_running_loop()))
            return {"m": "x"}

        compiled = graph(*FORK, make=lambda _: act).compile()
        assert compiled.invoke({})["m"] == ["x"] * 4
        assert threading.get_ident() not in seen
        assert len(seen) == len(loops) == 1
        assert id(asyncio.get_running_loop()) not in loops

    async def test_the_thread_ends_with_the_run(self) -> None:
        """X1: nothing is left of the private loop."""
        compiled = graph(*FORK, make=async_appends).compile()
        compiled.invoke({})
        assert [thread for thread in threading.enumerate() if thread.name == "graph_core loop"] == []

    async def test_the_thread_ends_with_a_closed_stream(self) -> None:
        """X1: nor after a stream that was closed."""
        outputs = graph(*FORK, make=async_appends).compile().stream({})
        assert [next(outputs).node for _ in range(2)][1] == "a"
        assert [thread.name for thread in threading.enumerate()].count("graph_core loop") == 1
        outputs.close()
        assert [thread for thread in threading.enumerate() if thread.name == "graph_core loop"] == []

    async def test_a_failure(self) -> None:
        """X3: the error comes out of the private loop."""

        async def fails(state: State) -> Update:
            raise KeyError("k")

        for edges in (("START > b", "b > END"), FORK):
            compiled = graph(*edges, make=async_appends, b=fails).compile()
            with pytest.raises(GraphRunnerException, match="node 'b' failed: KeyError") as caught:
                compiled.invoke({})
            assert isinstance(caught.value.__cause__, KeyError)

    async def test_contextvars(self) -> None:
        """P10: contextvars reach the private loop's thread."""
        var: ContextVar[str] = ContextVar("var", default="none")
        var.set("set")

        async def act(state: State) -> Update:
            return {"m": var.get()}

        assert graph(*FORK, make=lambda _: act).compile().invoke({})["m"] == ["set"] * 4

    async def test_mixed_branches(self) -> None:
        """X1: sync branches in the pool, async ones on the private loop, joined as ever."""
        compiled = graph(*FORK, b=async_appends("b")).compile()
        assert compiled.invoke({})["m"] == ["a", "b", "c", "d"]

    async def test_siblings_are_cancelled(self) -> None:
        """P8: a failing branch cancels an async sibling, whose `finally` has run when the run ends."""
        ended = threading.Event()
        started = threading.Event()

        async def waits(state: State) -> Update:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return {}

        def fails(state: State) -> Update:
            assert started.wait(20)
            raise KeyError("k")

        with pytest.raises(GraphRunnerException, match="node 'c' failed"):
            graph(*FORK, b=waits, c=fails).compile().invoke({})
        assert ended.is_set()


class TestPrivateLoop:
    def test_one_loop_per_run(self) -> None:
        """X1: all async actions of a sync run share one private loop, and no two runs do."""
        loops: list[asyncio.AbstractEventLoop] = []

        async def act(state: State) -> Update:
            loops.append(asyncio.get_running_loop())
            return {"m": "x"}

        compiled = graph(*FORK, make=lambda _: act).compile()
        compiled.invoke({})
        compiled.invoke({})
        assert len(loops) == 8
        assert len({id(loop) for loop in loops}) == 2
        assert all(loop.is_closed() for loop in loops)

    def test_in_this_thread(self) -> None:
        """X1: without a running loop the private one runs here."""
        seen: set[int] = set()

        async def act(state: State) -> Update:
            seen.add(threading.get_ident())
            return {}

        graph(*FORK, make=lambda _: act).compile().invoke({})
        assert seen == {threading.get_ident()}

    def test_async_branches_overlap(self) -> None:
        """P2: two async branches run at the same time under a sync verb."""
        both = asyncio.Barrier(2)

        async def meets(state: State) -> Update:
            await asyncio.wait_for(both.wait(), 20)
            return {"m": "x"}

        assert graph(*FORK, b=meets, c=meets).compile().invoke({})["m"] == ["a", "x", "x", "d"]

    def test_sync_and_async_branches_overlap(self) -> None:
        """P2: an async branch goes on while a sync one blocks in the pool."""
        gate = threading.Event()

        async def opens(state: State) -> Update:
            gate.set()
            return {"m": "b"}

        def waits(state: State) -> Update:
            assert gate.wait(20)
            return {"m": "c"}

        assert graph(*FORK, b=opens, c=waits).compile().invoke({})["m"] == ["a", "b", "c", "d"]

    def test_an_async_router(self) -> None:
        """R2: an async router under a sync verb, on the main path and in a branch."""

        async def route(state: State, config: RunnableConfig) -> str:
            return "d"

        built = graph("START > a", "a > b, c", "c > d", "d > END").add_conditional_edges("b", route, ["d"])
        assert built.compile().invoke({})["m"] == ["a", "b", "c", "d"]
        built = graph("START > a", "d > END").add_conditional_edges("a", route, ["d", END])
        assert built.compile().invoke({})["m"] == ["a", "d"]

    def test_a_nested_run(self) -> None:
        """X1: a node of an async run may call a sync verb of another graph."""
        inner = graph("START > x", "x > END", x=async_appends("x")).compile()

        async def outer(state: State) -> Update:
            return {"m": inner.invoke({})["m"]}

        assert graph("START > a", "a > END", a=outer).compile().invoke({})["m"] == ["x"]
        assert asyncio.run(graph("START > a", "a > END", a=outer).compile().ainvoke({}))["m"] == ["x"]


def test_an_awaitable_that_is_no_coroutine() -> None:
    """R2: a sync action may give any awaitable, in a branch too."""

    class Later:
        def __await__(self) -> Generator[Any, Any, Update]:
            yield from asyncio.sleep(0).__await__()
            return {"m": "x"}

    assert graph(*FORK, make=lambda _: says(Later())).compile().invoke({})["m"] == ["x"] * 4
