"""A run that is given up: its branches are cancelled, and their `finally` blocks have run."""

import asyncio
import threading
from typing import Any

import pytest

from graph_core import START
from graph_core_tests.shapes import Action, State, Update, appends, graph, within

FORK = ("START > a", "a > b, c", "b > d", "c > d", "d > END")
NESTED = ("START > a", "a > b, c", "b > x, y", "x > z", "y > z", "z > d", "c > d", "d > END")


class Waiting:
    """Async nodes that wait for ever, and note that they began and that they ended."""

    def __init__(self, count: int) -> None:
        self.all_began = asyncio.Event()
        self.ended: list[str] = []
        self.left = count

    def node(self, name: str) -> Action:
        """Make one."""

        async def act(state: State) -> Update:
            self.left -= 1
            if not self.left:
                self.all_began.set()
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                self.ended.append(name)
            return {}

        return act


class TestAinvoke:
    @pytest.mark.parametrize(("edges", "names"), [(FORK, "bc"), (NESTED, "xyc")], ids=["fork", "nested"])
    async def test_cancelling_the_task(self, edges: tuple[str, ...], names: str) -> None:
        """X4: all branches are cancelled and awaited; no task is left."""
        waiting = Waiting(len(names))
        compiled = graph(*edges, make=lambda name: waiting.node(name) if name in names else appends(name)).compile()
        before = asyncio.all_tasks()
        task = asyncio.create_task(compiled.ainvoke({}))
        await waiting.all_began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sorted(waiting.ended) == sorted(names)
        assert asyncio.all_tasks() == before

    async def test_cancelling_it_twice(self) -> None:
        """X4: a second cancellation while branches end does not leave them behind."""
        gate, began, cancelled = asyncio.Event(), asyncio.Event(), asyncio.Event()
        ended: list[str] = []

        async def stubborn(state: State) -> Update:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()
                await gate.wait()
                ended.append("b")
            return {}

        task = asyncio.create_task(graph(*FORK, b=stubborn).compile().ainvoke({}))
        await began.wait()
        task.cancel()
        await cancelled.wait()
        task.cancel()
        await asyncio.sleep(0)
        gate.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == ["b"]

    async def test_a_branch_that_swallows_the_cancellation(self) -> None:
        """X4: the run is cancelled all the same."""
        began = asyncio.Event()

        async def swallows(state: State) -> Update:
            began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return {"m": "b"}
            return {}

        task = asyncio.create_task(graph(*FORK, b=swallows).compile().ainvoke({}))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def test_sync_branches(self) -> None:
        """X4: a sync branch can not be stopped; its result is dropped when it comes."""
        gate, ended = threading.Event(), threading.Event()
        loop, began = asyncio.get_running_loop(), asyncio.Event()

        def blocks(state: State) -> Update:
            loop.call_soon_threadsafe(began.set)
            assert gate.wait(20)
            ended.set()
            return {"m": "b"}

        task = asyncio.create_task(graph(*FORK, b=blocks).compile().ainvoke({}))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not ended.is_set()
        gate.set()
        await asyncio.to_thread(ended.wait, 20)
        await asyncio.sleep(0)
        assert ended.is_set()

    async def test_the_graph_can_be_run_again(self) -> None:
        """C5: a cancelled run leaves nothing behind."""
        waiting = Waiting(2)
        compiled = graph(*FORK, b=waiting.node("b"), c=waiting.node("c")).compile()
        for _ in range(2):
            task = asyncio.create_task(compiled.ainvoke({}))
            await waiting.all_began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            waiting.all_began.clear()
            waiting.left = 2
        assert sorted(waiting.ended) == ["b", "b", "c", "c"]


class TestStreams:
    def opening(self, began: Any) -> Action:
        """Make a node that ends when another one has begun."""

        async def act(state: State) -> Update:
            await began.wait()
            return {"m": "c"}

        return act

    async def test_closing_astream(self) -> None:
        """api: closing the stream cancels the branches, and waits for them."""
        waiting = Waiting(1)
        compiled = graph(*FORK, b=waiting.node("b"), c=self.opening(waiting.all_began)).compile()
        before = asyncio.all_tasks()
        outputs = compiled.astream({})
        assert [(await anext(outputs)).node for _ in range(3)] == [START, "a", "c"]
        assert waiting.ended == []
        await outputs.aclose()
        assert waiting.ended == ["b"]
        assert asyncio.all_tasks() == before

    def test_closing_stream(self) -> None:
        """api: closing a sync stream cancels async branches on its private loop."""
        waiting = Waiting(1)
        compiled = graph(*FORK, b=waiting.node("b"), c=self.opening(waiting.all_began)).compile()
        outputs = compiled.stream({})
        assert [next(outputs).node for _ in range(3)] == [START, "a", "c"]
        assert waiting.ended == []
        within(outputs.close)
        assert waiting.ended == ["b"]

    async def test_closing_stream_inside_a_running_loop(self) -> None:
        """api: the same, where the private loop has a thread of its own."""
        waiting = Waiting(1)
        compiled = graph(*FORK, b=waiting.node("b"), c=self.opening(waiting.all_began)).compile()
        outputs = compiled.stream({})
        assert [next(outputs).node for _ in range(3)] == [START, "a", "c"]
        outputs.close()
        assert waiting.ended == ["b"]

    async def test_a_reader_that_is_cancelled(self) -> None:
        """X4: cancelling the task that reads a stream stops the run."""
        waiting = Waiting(2)
        compiled = graph(*FORK, b=waiting.node("b"), c=waiting.node("c")).compile()

        async def read() -> list[str]:
            return [output.node async for output in compiled.astream({})]

        task = asyncio.create_task(read())
        await waiting.all_began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(5):
            await asyncio.sleep(0)
        assert sorted(waiting.ended) == ["b", "c"]

    def test_closing_a_stream_of_sync_branches(self) -> None:
        """api: a sync branch that runs is not waited for; the next ones do not start."""
        gate, began = threading.Event(), threading.Event()
        ran: list[str] = []

        def blocks(state: State) -> Update:
            began.set()
            assert gate.wait(20)
            return {"m": "b"}

        def notes(state: State) -> Update:
            ran.append("d")
            return {}

        outputs = graph(*FORK, b=blocks, d=notes).compile().stream({})
        assert [next(outputs).node for _ in range(3)] == [START, "a", "c"]
        assert began.wait(20)
        within(outputs.close)
        gate.set()
        assert ran == []
