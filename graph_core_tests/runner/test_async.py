"""The a-twins: in a loop, without blocking it."""

import asyncio
import threading
from typing import Any

import pytest

from graph_core import END, INLINE, START, GraphRunnerException, InvalidRecordError, RunnableConfig
from graph_core_tests.shapes import State, Update, async_appends, graph, raises


class TestVerbs:
    async def test_ainvoke(self) -> None:
        """X1: the final state."""
        compiled = graph("START > a", "a > b", "b > END", b=async_appends("b")).compile()
        assert (await compiled.ainvoke({"m": "in"}))["m"] == ["in", "a", "b"]

    async def test_astream(self) -> None:
        """X1: the outputs in order."""
        compiled = graph("START > a", "a > b", "b > END").compile()
        assert [output.node async for output in compiled.astream({})] == [START, "a", "b", END]

    async def test_the_errors_are_the_same(self) -> None:
        """X3: a failing node, sync or async."""

        async def fails(state: State) -> Update:
            raise KeyError("k")

        for action in (raises(KeyError("k")), fails):
            compiled = graph("START > a", "a > END", a=action).compile()
            with pytest.raises(GraphRunnerException, match="node 'a' failed: KeyError: 'k'") as caught:
                await compiled.ainvoke({})
            assert isinstance(caught.value.__cause__, KeyError)

    async def test_wrong_inputs(self) -> None:
        """X0: as under the sync verbs."""
        bad: Any = 5
        compiled = graph("START > a", "a > END").compile()
        with pytest.raises(GraphRunnerException, match="the inputs of a run must be a mapping"):
            await compiled.ainvoke(bad)
        with pytest.raises(GraphRunnerException, match="the inputs of a run must be a mapping"):
            [output async for output in compiled.astream(bad)]
        with pytest.raises(InvalidRecordError, match="must be a RunnableConfig"):
            await compiled.ainvoke({}, bad)


class TestSyncActions:
    async def test_in_a_thread(self) -> None:
        """P10: sync actions run in a pool, so that the loop goes on."""
        seen: list[int] = []

        def act(state: State) -> Update:
            seen.append(threading.get_ident())
            return {}

        await graph("START > a", "a > END", a=act).compile().ainvoke({})
        assert seen != [threading.get_ident()]

    async def test_the_loop_goes_on(self) -> None:
        """P10: while a sync action blocks, other tasks run."""
        gate = threading.Event()
        loop = asyncio.get_running_loop()
        started = asyncio.Event()

        def blocks(state: State) -> Update:
            loop.call_soon_threadsafe(started.set)
            assert gate.wait(20)
            return {"m": "a"}

        task = asyncio.create_task(graph("START > a", "a > END", a=blocks).compile().ainvoke({}))
        await asyncio.wait_for(started.wait(), 20)
        gate.set()
        assert (await task)["m"] == ["a"]

    async def test_inline(self) -> None:
        """P10: INLINE runs them on the loop's own thread."""
        seen: list[int] = []

        def act(state: State) -> Update:
            seen.append(threading.get_ident())
            return {}

        compiled = graph("START > a", "a > b, c", "b > END", "c > END", make=lambda _: act).compile()
        await compiled.ainvoke({}, RunnableConfig(default_parallel_executor=INLINE))
        assert set(seen) == {threading.get_ident()}

    async def test_what_gives_an_awaitable(self) -> None:
        """R2: an action that is no coroutine function may give an awaitable."""

        def act(state: State) -> Any:
            return async_appends("a")(state)

        compiled = graph("START > a", "a > b, c", "b > END", "c > END", make=lambda _: act).compile()
        for config in (RunnableConfig(), RunnableConfig(default_parallel_executor=INLINE)):
            assert (await compiled.ainvoke({}, config))["m"] == ["a"] * 3

    async def test_routers(self) -> None:
        """R2: routers are sync or async, with or without config."""

        async def later(state: State, config: RunnableConfig) -> str:
            await asyncio.sleep(0)
            return "b" if config.node_id == "a" else "no"

        def now(state: State) -> str:
            return END

        built = graph("START > a", "c > END").add_node("b", async_appends("b"))
        built.add_conditional_edges("a", later, ["b", "c"]).add_conditional_edges("b", now, ["c", END])
        assert (await built.compile().ainvoke({}))["m"] == ["a", "b"]


class TestStopping:
    async def test_astream_is_lazy(self) -> None:
        """api: nothing runs before the first read; closing stops the run."""
        ran: list[str] = []

        async def act(state: State) -> Update:
            ran.append("a")
            return {}

        outputs = graph("START > a", "a > b", "b > END", make=lambda _: act).compile().astream({})
        assert ran == []
        assert (await anext(outputs)).node == START
        assert ran == []
        assert (await anext(outputs)).node == "a"
        await outputs.aclose()
        assert ran == ["a"]

    async def test_cancelling_ainvoke(self) -> None:
        """X4: cancelling the task cancels the node that runs, and its `finally` blocks run."""
        started, ended = asyncio.Event(), asyncio.Event()

        async def waits(state: State) -> Update:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return {}

        task = asyncio.create_task(graph("START > a", "a > END", a=waits).compile().ainvoke({}))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended.is_set()

    async def test_a_timeout_around_it(self) -> None:
        """X4: `asyncio.timeout` around a run works as around any await."""

        async def waits(state: State) -> Update:
            await asyncio.Event().wait()
            return {}

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await graph("START > a", "a > END", a=waits).compile().ainvoke({})
