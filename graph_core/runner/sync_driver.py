"""Answers what a run asks without an event loop: direct calls, and a pool for branches."""

from __future__ import annotations

import inspect
from asyncio import CancelledError
from collections import deque
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, final

from graph_core.action.interrupts import Apart, is_answering
from graph_core.config.executors import INLINE, ActionExecutor
from graph_core.exception import GraphRunnerException
from graph_core.runner.asks import FAILURES, IMMEDIATE, Cancel, Done, Save, Wait
from graph_core.runner.crew import Crew
from graph_core.runner.loops import PrivateLoop, Work, as_coroutine, private_loop
from graph_core.runner.remote import outcome, submit

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from concurrent.futures import Executor

    from graph_core.compiler.plan import Call
    from graph_core.config import RunnableConfig
    from graph_core.runner.branch import Branch
    from graph_core.runner.run import Steps
    from graph_core.state import OverAllState
    from graph_core.streaming import NodeOutput

T = TypeVar("T")
_GONE: Final = object()


@final
class SyncDriver:
    """Drives one run in the thread that reads it.

    Args:
        config: the config of the run, for its executors.
    """

    def __init__(self, config: RunnableConfig[Any]) -> None:
        self._executors = config.parallel_executors
        self._default = config.default_parallel_executor
        self._loop: PrivateLoop | None = None
        self._inline: deque[Branch] = deque()
        self._done: SimpleQueue[Done] = SimpleQueue()
        self._running: dict[Branch, Future[Any] | Work | None] = {}
        self._crew: Crew | None = None

    def outputs(
        self, steps: Steps, ended: Callable[[], Iterable[Save]] = tuple[Save]
    ) -> Generator[NodeOutput, None, OverAllState[Any]]:
        """Give the outputs of a run as they come, and return its final state.

        Closing the generator stops the run: what still runs is cancelled.

        Args:
            steps: the run.
            ended: gives what is left to be saved when it is over, however it ended.
        """
        outputs = self._outputs(steps, ended)
        return _apart(outputs) if is_answering() else outputs

    def _outputs(  # noqa: C901, PLR0912  (the hot loop)
        self, steps: Steps, ended: Callable[[], Iterable[Save]]
    ) -> Generator[NodeOutput, None, OverAllState[Any]]:
        try:
            ask = next(steps)
            while True:
                if ask.__class__ is tuple:
                    call, state, config = cast("Any", ask)
                    try:
                        if call.executor is None or call.executor is INLINE or call.is_async:
                            result = call.fn(state) if config is None else call.fn(state, config)
                        else:
                            result = _elsewhere(call, state, config)
                        if result.__class__ not in IMMEDIATE and inspect.isawaitable(result):
                            result = self._awaited(result)
                    except FAILURES as error:
                        ask = steps.throw(error)
                    else:
                        ask = steps.send(result)
                elif isinstance(ask, Wait):
                    ask = steps.send(self._wait(ask))
                elif isinstance(ask, Cancel):
                    ask = steps.send(self._cancel(ask.is_over))
                elif isinstance(ask, Save):
                    try:
                        result = ask.call()
                    except FAILURES as error:
                        ask = steps.throw(error)
                    else:
                        ask = steps.send(result)
                else:
                    yield cast("NodeOutput", ask)
                    ask = next(steps)
        except StopIteration as end:
            return cast("OverAllState[Any]", end.value)
        finally:
            steps.close()
            try:
                self._close()
            finally:
                for save in ended():
                    save.call()

    def _awaited(self, work: Any) -> Any:
        if self._loop is None:
            self._loop = private_loop()
        return self._loop.run(as_coroutine(work))

    def _wait(self, ask: Wait) -> list[Done]:
        running = self._running
        start = self._inline.append if self._default is INLINE and not self._executors else self._start
        for branch in ask.starts:
            is_bare = branch.call.executor is None and not branch.call.is_async
            (start if is_bare else self._start)(branch)
        found = self._run_inline(one=ask.one) if self._inline else []
        if not running:
            return found
        while not found or not self._done.empty():
            done = self._taken()
            if self._running.pop(done[0], _GONE) is _GONE:  # it was cancelled: its result is dropped
                continue
            if done[2].__class__ not in IMMEDIATE and inspect.isawaitable(done[2]):
                self._start_async(done[0], as_coroutine(done[2]))
            else:
                found.append(done)
        return found

    def _run_inline(self, *, one: bool) -> list[Done]:
        """Run what was to run here, in order, until one fails or a call elsewhere is done."""
        inline, running = self._inline, self._running
        found: list[Done] = []
        while inline and not (found and one) and (not running or self._done.empty()):
            branch = inline.popleft()
            fn, config = branch.call.fn, branch.config
            try:
                value = fn(branch.view) if config is None else fn(branch.view, config)
            except FAILURES as error:
                found.append((branch, False, error))
                return found
            if value.__class__ in IMMEDIATE or not inspect.isawaitable(value):
                found.append((branch, True, value))
                if value.__class__ is not dict:  # perhaps no update at all: what comes next is not for here to say
                    return found
            else:
                self._start_async(branch, as_coroutine(value))
        return found

    def _taken(self) -> Done:
        if self._loop is not None:
            self._loop.wait(self._done)
        return self._done.get()

    def _start(self, branch: Branch) -> None:
        if branch.call.is_async:
            self._start_async(branch, called(branch))
            return
        executor = branch.executor(self._executors, self._default)
        if executor is None:
            if self._crew is None:
                self._crew = Crew(self._reported)
            self._running[branch] = None
            self._crew.add(branch)
        elif executor is INLINE:
            self._inline.append(branch)
        else:
            self._submit(branch, executor)

    def _submit(self, branch: Branch, executor: ActionExecutor) -> None:
        self._running[branch] = None
        try:
            future = submit(cast("Executor", executor), branch.call, branch.inputs)
        except GraphRunnerException as error:
            self._reported((branch, False, error))
            return
        self._running[branch] = future
        future.add_done_callback(lambda done: self._pooled(branch, done))

    def _start_async(self, branch: Branch, work: Work) -> None:
        if self._loop is None:
            self._loop = private_loop()

        def finish(is_result: bool, value: Any) -> None:
            self._done.put((branch, is_result, value))

        self._running[branch] = work
        self._loop.start(work, finish)

    def _pooled(self, branch: Branch, future: Future[Any]) -> None:
        if future.cancelled() and branch not in self._running:  # by the run itself
            return
        self._reported((branch, *outcome(branch.call, future)))

    def _reported(self, done: Done) -> None:
        self._done.put(done)
        loop = self._loop
        if loop is not None:
            loop.wake()

    def _cancel(self, is_over: Callable[[Branch], bool]) -> list[Done]:
        self._inline = deque(branch for branch in self._inline if not is_over(branch))
        if self._crew is not None:
            self._crew.drop(is_over)
        self._stop([self._running.pop(branch) for branch in list(self._running) if is_over(branch)])
        found: list[Done] = []
        while not self._done.empty():
            found.append(self._done.get())
        for done in found:
            if not is_over(done[0]):
                self._done.put(done)
        # `CancelledError` is what cancelling made of a call.
        return [done for done in found if is_over(done[0]) and not isinstance(done[2], CancelledError)]

    def _stop(self, over: list[Future[Any] | Work | None]) -> None:
        works: list[Work] = []
        for running in over:
            if isinstance(running, Future):
                running.cancel()
            elif running is not None:
                works.append(running)
        if works and self._loop is not None:
            self._loop.cancel(works)

    def _close(self) -> None:
        self._cancel(lambda _: True)
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.close()


async def called(branch: Branch) -> Any:
    """Call the async action of a branch."""
    return await branch.call.fn(*branch.inputs)


def _apart(outputs: Generator[NodeOutput, None, Any]) -> Generator[NodeOutput, None, Any]:
    """Give the outputs of a run that an action with answers has started: the answers are not for its nodes."""
    apart = Apart()
    try:
        while True:
            with apart:
                output = next(outputs)
            yield output
    except StopIteration as end:
        return end.value
    finally:
        with apart:
            outputs.close()


def _elsewhere(call: Call, state: Any, config: Any) -> Any:
    future = submit(cast("Executor", call.executor), call, (state,) if config is None else (state, config))
    try:
        wait([future])
    except BaseException:
        future.cancel()
        raise
    is_result, value = outcome(call, future)
    if is_result:
        return value
    raise value


def drained(outputs: Iterator[NodeOutput]) -> Any:
    """Run to the end without reading outputs, and give what the generator returns."""
    try:
        while True:
            next(outputs)
    except StopIteration as end:
        return end.value


def answered_now(
    asks: Generator[Any, Any, T], config: RunnableConfig[Any], ended: Callable[[], Iterable[Save]] = tuple[Save]
) -> T:
    """Answer the asks of a part of a run that emits nothing, here and now."""
    result: list[T] = []

    def part() -> Generator[Any, Any, Any]:
        result.append((yield from asks))
        return None

    drained(SyncDriver(config).outputs(part(), ended))
    return result[0]
