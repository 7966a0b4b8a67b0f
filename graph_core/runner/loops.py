"""The private event loop of a sync run with async actions (rule X1)."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from types import CoroutineType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Iterable
    from queue import SimpleQueue

Finish: TypeAlias = Callable[[bool, Any], None]
Work: TypeAlias = Coroutine[Any, Any, Any]


def as_coroutine(work: Any) -> Work:
    """Give an awaitable as a coroutine; one that is never begun can be closed then."""
    return cast("Work", work) if work.__class__ is CoroutineType else _coroutine(work)


async def _coroutine(work: Any) -> Any:
    return await work


class PrivateLoop(Protocol):
    """An event loop that belongs to one run."""

    def run(self, work: Work) -> Any:
        """Run a coroutine to its end, and give its result."""
        ...

    def start(self, work: Work, finish: Finish) -> None:
        """Start a coroutine; `finish` gets its result."""
        ...

    def cancel(self, works: Iterable[Work]) -> None:
        """Cancel coroutines that were started, and wait until all of them have ended."""
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


async def _settled(work: Work, finish: Finish) -> None:
    try:
        result = await work
    except BaseException as error:
        finish(False, error)
        if isinstance(error, asyncio.CancelledError):
            raise
    else:
        finish(True, result)


async def _all_done(tasks: list[asyncio.Task[None]]) -> None:
    if tasks:
        await asyncio.wait(tasks)


class _Tasks:
    """The coroutines that run in a loop; all but `begin` is called in its thread."""

    def __init__(self) -> None:
        self._tasks: dict[Work, asyncio.Task[None]] = {}

    def begin(self, loop: asyncio.AbstractEventLoop, work: Work, finish: Finish) -> None:
        task = self._tasks[work] = loop.create_task(_settled(work, finish))
        task.add_done_callback(lambda _: self._ended(work))

    def _ended(self, work: Work) -> None:
        work.close()  # it may have been cancelled before it began
        del self._tasks[work]

    def cancel(self, works: Iterable[Work]) -> Work:
        """Cancel now; what is given waits for the end."""
        tasks = [self._tasks[work] for work in works if work in self._tasks]
        for task in tasks:
            task.cancel()
        return _all_done(tasks)


class _LoopHere:
    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._woken = asyncio.Event()
        self._tasks = _Tasks()

    def run(self, work: Work) -> Any:
        try:
            return self._runner.run(work, context=copy_context())
        except BaseException:
            self._forget_a_stop()
            raise

    def _forget_a_stop(self) -> None:
        # Ctrl-C may come when the work is done and has asked the loop to stop, but before it has stopped:
        # it would stop the next work then
        self._loop.call_soon(self._loop.stop)
        self._loop.run_forever()

    def start(self, work: Work, finish: Finish) -> None:
        def settled(is_result: bool, value: Any) -> None:
            finish(is_result, value)
            self._woken.set()

        self._tasks.begin(self._loop, work, settled)

    def cancel(self, works: Iterable[Work]) -> None:
        self.run(self._tasks.cancel(works))

    def wait(self, done: SimpleQueue[Any]) -> None:
        while done.empty():  # whoever puts something in wakes the loop afterwards
            self._woken.clear()
            self.run(self._until_woken())

    async def _until_woken(self) -> None:
        await self._woken.wait()

    def wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the run has ended, and its loop is closed
            self._loop.call_soon_threadsafe(self._woken.set)

    def close(self) -> None:
        self._runner.close()


class _LoopInThread:
    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._tasks = _Tasks()
        self._thread = threading.Thread(target=self._serve, name="graph_core loop", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._runner.close()

    def run(self, work: Work) -> Any:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def start(self, work: Work, finish: Finish) -> None:
        self._loop.call_soon_threadsafe(self._tasks.begin, self._loop, work, finish)

    def cancel(self, works: Iterable[Work]) -> None:
        self.run(self._cancelled(works))

    async def _cancelled(self, works: Iterable[Work]) -> None:
        await self._tasks.cancel(works)

    def wait(self, done: SimpleQueue[Any]) -> None:  # noqa: ARG002  (the queue blocks by itself)
        return

    def wake(self) -> None:
        return

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
