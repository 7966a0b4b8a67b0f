"""Answers what a run asks in an event loop: tasks for branches, threads for sync actions."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections import deque
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast, final

from graph_core.action.interrupts import Apart, is_answering
from graph_core.compiler.plan import RoutePlan
from graph_core.config.executors import INLINE
from graph_core.exception import GraphRunnerException
from graph_core.runner.asks import FAILURES, IMMEDIATE, Cancel, Done, Save, Wait
from graph_core.runner.crew import Crew, default_pool, pooled, run_here
from graph_core.runner.failures import caused, executor_failed
from graph_core.runner.loops import as_coroutine
from graph_core.runner.remote import outcome, submit

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterable
    from concurrent.futures import Executor, Future

    from graph_core.config import RunnableConfig
    from graph_core.runner.branch import Branch
    from graph_core.runner.run import Steps
    from graph_core.streaming import NodeOutput

T = TypeVar("T")


@final
class AsyncDriver:
    """Drives one run in the task that reads it.

    Args:
        config: the config of the run, for its executors.
    """

    def __init__(self, config: RunnableConfig[Any]) -> None:
        self._executors = config.parallel_executors
        self._default = config.default_parallel_executor
        self._crew: Crew | None = None
        self._crewed: set[Branch] = set()
        self._loop = asyncio.get_running_loop()
        self._inline: deque[Branch] = deque()
        self._done: list[Done] = []
        self._tasks: dict[asyncio.Task[Any], Branch] = {}
        self._pooled: dict[Branch, Future[Any]] = {}
        self._waiter: asyncio.Future[None] | None = None
        self.state: Any = None

    def outputs(
        self, steps: Steps, ended: Callable[[], Iterable[Save]] = tuple[Save]
    ) -> AsyncGenerator[NodeOutput, None]:
        """Give the outputs of a run as they come; `state` then holds its final state.

        Closing the generator, or cancelling its reader, stops the run: what still runs is cancelled.

        Args:
            steps: the run.
            ended: gives what is left to be saved when it is over, however it ended.
        """
        outputs = self._outputs(steps, ended)
        return _apart(outputs) if is_answering() else outputs

    async def _outputs(  # noqa: C901, PLR0912  (the hot loop)
        self, steps: Steps, ended: Callable[[], Iterable[Save]]
    ) -> AsyncGenerator[NodeOutput, None]:
        cancellations = _cancellations()
        try:
            ask = next(steps)
            while True:
                if ask.__class__ is tuple:
                    call, state, config = cast("Any", ask)
                    try:
                        if call.is_async:
                            result = await (call.fn(state) if config is None else call.fn(state, config))
                            failure = None
                        else:
                            failure, result = await self._sync(call, state, config)
                    except FAILURES as error:
                        if isinstance(error, asyncio.CancelledError) and _cancellations() > cancellations:
                            raise
                        failure, result = error, None
                    ask = steps.send(result) if failure is None else steps.throw(failure)
                elif isinstance(ask, Wait):
                    ask = steps.send(await self._wait(ask))
                elif isinstance(ask, Cancel):
                    ask = steps.send(await self._cancel(ask.is_over))
                elif isinstance(ask, Save):
                    try:
                        result = await _saved(ask)
                    except Exception as error:
                        ask = steps.throw(error)
                    else:
                        ask = steps.send(result)
                else:
                    yield cast("NodeOutput", ask)
                    ask = next(steps)
        except StopIteration as end:
            self.state = end.value
        finally:
            steps.close()
            try:
                await self._cancel(lambda _: True)
            finally:
                await _all_saved(ended())

    async def _sync(self, call: Any, state: Any, config: Any) -> tuple[BaseException | None, Any]:
        """Call a sync action, and give what it raised, which may be what no coroutine can raise, or returned."""
        inputs = (state,) if config is None else (state, config)
        executor = call.executor if call.executor is not None or call.__class__ is RoutePlan else self._default
        if executor is INLINE or (executor is None and call.__class__ is RoutePlan):
            try:
                result = call.fn(*inputs)  # a route of the main path only decides: a thread would cost more than it
            except FAILURES as error:
                return error, None
        else:
            if executor is None:
                work = partial(pooled, copy_context(), call.fn, inputs)
                try:
                    waiting = self._loop.run_in_executor(default_pool(), work)
                except RuntimeError as error:  # the interpreter ends, or has no thread left
                    return caused(executor_failed(call, error), error), None
                is_result, result = await waiting
            else:
                future = submit(cast("Executor", executor), call, inputs)
                await _done(future)
                is_result, result = outcome(call, future)
            if not is_result:
                return result, None
        is_plain = result.__class__ in IMMEDIATE or not inspect.isawaitable(result)
        return None, result if is_plain else await result

    async def _wait(self, ask: Wait) -> list[Done]:
        for branch in ask.starts:
            (self._start_async if branch.call.is_async else self._start)(branch)
        while self._inline and (not self._done or not ask.one):
            self._finish(*run_here(self._inline.popleft()))
            if self._done and self._done[-1][2].__class__ is not dict:  # what comes next is not for here to say
                break
        while not self._done:
            if not self._tasks and not self._pooled and not self._crewed:
                return []
            self._waiter = self._loop.create_future()
            await self._waiter
        found, self._done = self._done, []
        return found

    def _start(self, branch: Branch) -> None:
        executor = branch.executor(self._executors, self._default)
        if executor is None:
            if self._crew is None:
                self._crew = Crew(self._from_crew)
            self._crewed.add(branch)
            self._crew.add(branch)
        elif executor is INLINE:
            self._inline.append(branch)
        else:
            self._submit(branch, cast("Executor", executor))

    def _start_async(self, branch: Branch) -> None:
        fn = branch.call.fn
        try:
            work = fn(branch.view) if branch.config is None else fn(branch.view, branch.config)
        except Exception as error:
            self._finish(branch, False, error)
        else:
            self._start_task(branch, as_coroutine(work))

    def _submit(self, branch: Branch, executor: Executor) -> None:
        try:
            future = submit(executor, branch.call, branch.inputs)
        except GraphRunnerException as error:
            self._finish(branch, False, error)
            return
        self._pooled[branch] = future
        future.add_done_callback(lambda done: self._from_thread(branch, done))

    def _from_crew(self, done: Done) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits for the result
            self._loop.call_soon_threadsafe(self._crew_done, done)

    def _crew_done(self, done: Done) -> None:
        if done[0] in self._crewed:  # else the run has ended: the result is dropped
            self._crewed.remove(done[0])
            self._finish(*done)

    def _start_task(self, branch: Branch, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks[task] = branch
        task.add_done_callback(self._task_done)

    def _task_done(self, task: asyncio.Task[Any]) -> None:
        branch = self._tasks.pop(task, None)
        if branch is None:  # it ended while it was being cancelled
            return
        try:
            value = task.result()
        except asyncio.CancelledError:
            self._finish(branch, False, asyncio.CancelledError("the action cancelled itself"))
        except BaseException as error:
            self._finish(branch, False, error)
        else:
            self._finish(branch, True, value)

    def _from_thread(self, branch: Branch, future: Future[Any]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits for the result
            self._loop.call_soon_threadsafe(self._thread_done, branch, future)

    def _thread_done(self, branch: Branch, future: Future[Any]) -> None:
        if self._pooled.pop(branch, None) is None:  # the run has ended: the result is dropped
            return
        self._finish(branch, *outcome(branch.call, future))

    def _finish(self, branch: Branch, is_result: bool, value: Any) -> None:
        if value.__class__ not in IMMEDIATE and inspect.isawaitable(value):
            self._start_task(branch, as_coroutine(value))
            return
        self._done.append((branch, is_result, value))
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def _cancel(self, is_over: Callable[[Branch], bool]) -> list[Done]:
        self._inline = deque(branch for branch in self._inline if not is_over(branch))
        if self._crew is not None:
            self._crew.drop(is_over)
        self._crewed = {branch for branch in self._crewed if not is_over(branch)}
        for branch in [branch for branch in self._pooled if is_over(branch)]:
            self._pooled.pop(branch).cancel()
        tasks = {task: branch for task, branch in self._tasks.items() if is_over(branch)}
        for task in tasks:
            task.remove_done_callback(self._task_done)
            del self._tasks[task]
            task.cancel()
        if tasks:
            await _ended(list(tasks))
        late = [done for done in self._done if is_over(done[0])]
        self._done = [done for done in self._done if not is_over(done[0])]
        for task, branch in tasks.items():
            if not task.cancelled() and task.exception() is not None:
                late.append((branch, False, task.exception()))
        return late


async def _apart(outputs: AsyncGenerator[NodeOutput, None]) -> AsyncGenerator[NodeOutput, None]:
    """Give the outputs of a run that an action with answers has started: the answers are not for its nodes."""
    apart = Apart()
    try:
        while True:
            with apart:
                output = await anext(outputs)
            yield output
    except StopAsyncIteration:
        return
    finally:
        with apart:
            await outputs.aclose()


async def _saved(save: Save) -> Any:
    """Call a saver; one that may take long is not cut short when the run is cancelled: it ends what it does."""
    if not save.blocks:
        return save.call()
    work = asyncio.ensure_future(asyncio.to_thread(save.call))
    await _ended([work])
    return work.result()


async def _all_saved(saves: Iterable[Save]) -> None:
    """Save all that a run leaves, even if it is cancelled meanwhile: a thread is always given back."""
    cancelled: asyncio.CancelledError | None = None
    for save in saves:
        try:
            await _saved(save)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


def _cancellations() -> int:
    """Count how often this task was cancelled: with one more since, it is the run that is meant, not an action."""
    task = asyncio.current_task()
    return task.cancelling() if task is not None else 0


async def _done(future: Future[Any]) -> None:
    """Wait until a future is done, whatever it holds; it is cancelled if the waiting task is."""
    waiting = asyncio.wrap_future(future)
    try:
        await asyncio.wait({waiting})
    except asyncio.CancelledError:
        waiting.cancel()
        raise
    if not waiting.cancelled():
        waiting.exception()


async def _ended(tasks: list[asyncio.Task[Any]]) -> None:
    """Wait until tasks have ended, even if the waiting task is cancelled meanwhile."""
    cancelled: asyncio.CancelledError | None = None
    while not all(task.done() for task in tasks):
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError as error:
            cancelled = error
    for task in tasks:
        if cancelled is not None and not task.cancelled():
            task.exception()  # nobody asks for it any more
    if cancelled is not None:
        raise cancelled


async def answered_in_loop(
    asks: Generator[Any, Any, T], config: RunnableConfig[Any], ended: Callable[[], Iterable[Save]] = tuple[Save]
) -> T:
    """Answer the asks of a part of a run that emits nothing, in the running loop."""
    result: list[T] = []

    def part() -> Generator[Any, Any, Any]:
        result.append((yield from asks))
        return None

    async for _ in AsyncDriver(config).outputs(part(), ended):
        pass  # pragma: no cover  (nothing is emitted)
    return result[0]
