"""The private event loop of a sync run with async actions (rule X1)."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from queue import SimpleQueue

Finish: TypeAlias = Callable[[bool, Any], None]


class PrivateLoop(Protocol):
    """An event loop that belongs to one run."""

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine to its end, and give its result."""
        ...

    def start(self, work: Coroutine[Any, Any, Any], finish: Finish) -> Callable[[], None]:
        """Start a coroutine; `finish` gets its result. Gives a function that cancels it."""
        ...

    def wait(self, done: SimpleQueue[Any]) -> None:
        """Return as soon as the queue holds something."""
        ...

    def wake(self) -> None:
        """Tell, from any thread, that the queue holds something."""
        ...

    def close(self) -> None:
        """Cancel what still runs, wait for its end, and close the loop."""
        ...


def private_loop() -> PrivateLoop:
    """Make a loop: in this thread, or in one of its own if a loop is running here."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _LoopHere()
    return _LoopInThread()


async def _settled(work: Coroutine[Any, Any, Any], finish: Finish) -> None:
    try:
        result = await work
    except BaseException as error:
        finish(False, error)
        if isinstance(error, asyncio.CancelledError):
            raise
    else:
        finish(True, result)


class _LoopHere:
    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._woken = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._runner.run(work, context=copy_context())

    def start(self, work: Coroutine[Any, Any, Any], finish: Finish) -> Callable[[], None]:
        def settled(is_result: bool, value: Any) -> None:
            finish(is_result, value)
            self._woken.set()

        task = self._loop.create_task(_settled(work, settled))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return lambda: self._cancel(task)

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        if not task.done():
            task.cancel()
            self._runner.run(_ended(task))

    def wait(self, done: SimpleQueue[Any]) -> None:
        while done.empty():
            self._woken.clear()
            if done.empty():
                self._runner.run(self._until_woken())

    async def _until_woken(self) -> None:
        await self._woken.wait()

    def wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the run has ended, and its loop is closed
            self._loop.call_soon_threadsafe(self._woken.set)

    def close(self) -> None:
        self._runner.close()


async def _ended(*tasks: asyncio.Task[Any]) -> None:
    await asyncio.wait(tasks)


class _LoopInThread:
    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._serve, name="graph_core loop", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._runner.close()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def start(self, work: Coroutine[Any, Any, Any], finish: Finish) -> Callable[[], None]:
        future = asyncio.run_coroutine_threadsafe(_settled(work, finish), self._loop)
        return lambda: self._cancel(future)

    def _cancel(self, future: Any) -> None:
        future.cancel()

    def wait(self, done: SimpleQueue[Any]) -> None:  # noqa: ARG002  (the queue blocks by itself)
        return

    def wake(self) -> None:
        return

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
