"""Runs sync actions in the shared pool, with as few switches between threads as the work needs."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

if TYPE_CHECKING:
    from collections.abc import Callable

    from graph_core.runner.asks import Done
    from graph_core.runner.branch import Branch

Report: TypeAlias = "Callable[[Done], object]"
POOL_SIZE: Final = 128
_lock: Final = threading.Lock()
_pools: Final[list[ThreadPoolExecutor]] = []
_here: Final = threading.local()


def default_pool() -> Executor:
    """Give the shared pool, made when it is first needed; the interpreter shuts it down at exit.

    A run inside an action of the pool gets the next pool: else outer actions that wait for inner
    ones could fill the pool, and wait for ever.
    """
    depth: int = getattr(_here, "depth", 0)
    with _lock:
        while len(_pools) <= depth:
            _pools.append(ThreadPoolExecutor(POOL_SIZE, thread_name_prefix=f"graph_core-{len(_pools)}"))
        return _pools[depth]


def pooled(depth: int, context: Context, fn: Callable[..., Any], inputs: tuple[Any, ...]) -> tuple[bool, Any]:
    """Call in a pool's thread, whose own runs use the next pool; give whether it returned, and what."""
    _here.depth = depth + 1
    try:
        return True, context.run(fn, *inputs)
    except BaseException as error:
        return False, error


def depth_here() -> int:
    """Give how many pools deep this thread is."""
    return getattr(_here, "depth", 0)


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
        self._depth = depth_here()

    def add(self, branch: Branch) -> None:
        """Run a branch's call as soon as a thread is free."""
        self._calls.append((branch, copy_context()))
        self._wake()

    def drop(self, is_over: Callable[[Branch], bool]) -> None:
        """Forget calls that have not begun."""
        for call in list(self._calls):
            if is_over(call[0]):
                with contextlib.suppress(ValueError):  # a thread has taken it meanwhile
                    self._calls.remove(call)

    def _wake(self) -> None:
        if self._calls and not self._waking:
            self._waking = True
            self._pool.submit(self._work)

    def _work(self) -> None:
        self._waking = False
        while True:
            try:
                branch, context = self._calls.popleft()
            except IndexError:
                return
            self._wake()
            inputs = (branch.view,) if branch.config is None else (branch.view, branch.config)
            self._report((branch, *pooled(self._depth, context, branch.call.fn, inputs)))


def run_here(branch: Branch) -> Done:
    """Call the sync action of a branch, now."""
    fn = branch.call.fn
    try:
        return branch, True, fn(branch.view) if branch.config is None else fn(branch.view, branch.config)
    except Exception as error:
        return branch, False, error
