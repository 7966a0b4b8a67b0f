"""Runs sync actions in the shared pool, with as few switches between threads as the work needs."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from graph_core.runner.asks import FAILURES
from graph_core.runner.failures import caused, executor_failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from graph_core.runner.asks import Done
    from graph_core.runner.branch import Branch

Report: TypeAlias = "Callable[[Done], object]"
POOL_SIZE: Final = 128
_lock: Final = threading.Lock()
_pools: Final[list[ThreadPoolExecutor]] = []
_depth: Final = ContextVar("graph_core_depth", default=0)


def default_pool() -> Executor:
    """Give the shared pool, made when it is first needed; the interpreter shuts it down at exit.

    A run inside an action of the pool gets the next pool: else outer actions that wait for inner
    ones could fill the pool, and wait for ever. How deep it is, its context tells in every thread.
    """
    depth = _depth.get()
    with _lock:
        while len(_pools) <= depth:
            _pools.append(ThreadPoolExecutor(POOL_SIZE, thread_name_prefix=f"graph_core-{len(_pools)}"))
        return _pools[depth]


def pooled(context: Context, fn: Callable[..., Any], inputs: tuple[Any, ...]) -> tuple[bool, Any]:
    """Call in a pool's thread, in a context whose runs use the next pool; give whether it returned, and what."""
    try:
        return True, context.run(_deeper, fn, inputs)
    except BaseException as error:
        return False, error


def _deeper(fn: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    _depth.set(_depth.get() + 1)
    return fn(*inputs)


@final
class Crew:
    """Calls of one run's branches, taken in order by as many threads as are needed.

    One thread is woken at a time: it takes a call, and before it begins wakes the next one if
    there are more. So short calls are worked off by few threads, and long ones all overlap.

    Args:
        report: gets each call's outcome, in the thread that ran it.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._calls: deque[tuple[Branch, Context]] = deque()
        self._waking = False
        self._pool = default_pool()

    def add(self, branch: Branch) -> None:
        """Run a branch's call as soon as a thread is free."""
        call = (branch, copy_context())
        self._calls.append(call)
        try:
            self._wake()
        except RuntimeError as error:  # the interpreter ends, or has no thread left
            with contextlib.suppress(ValueError):  # a thread has taken it meanwhile
                self._calls.remove(call)
                self._report((branch, False, caused(executor_failed(branch.call, error), error)))

    def drop(self, is_over: Callable[[Branch], bool]) -> None:
        """Forget calls that have not begun."""
        for call in list(self._calls):
            if is_over(call[0]):
                with contextlib.suppress(ValueError):  # a thread has taken it meanwhile
                    self._calls.remove(call)

    def _wake(self) -> None:
        if self._calls and not self._waking:
            self._waking = True
            try:
                self._pool.submit(self._work)
            except RuntimeError:
                self._waking = False
                raise

    def _work(self) -> None:
        self._waking = False
        while True:
            try:
                branch, context = self._calls.popleft()
            except IndexError:
                return
            with contextlib.suppress(RuntimeError):  # else this thread takes the next call, too
                self._wake()
            self._report((branch, *pooled(context, branch.call.fn, branch.inputs)))


def run_here(branch: Branch) -> Done:
    """Call the sync action of a branch, now."""
    try:
        return branch, True, branch.call.fn(*branch.inputs)
    except FAILURES as error:
        return branch, False, error
