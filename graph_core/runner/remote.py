"""Calls that may leave the process (rule P10)."""

from __future__ import annotations

import pickle
import traceback
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextvars import Context, copy_context
from typing import TYPE_CHECKING, Any, Final, final

import attrs

from graph_core.config import RunnableConfig
from graph_core.exception import GraphInterrupt, RemoteActionError
from graph_core.exception.texts import said, shown
from graph_core.runner.asks import FAILURES
from graph_core.runner.failures import executor_failed
from graph_core.runner.questions import question_of
from graph_core.state import OverAllState
from graph_core.state.merger import Merger
from graph_core.state.overall_state import state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from graph_core.compiler.plan import Call

# Declared as `Any`: to a type checker `isinstance` does not narrow then.
_FUTURE: Final[Any] = Future


@final
@attrs.frozen
class Packed:
    """What an action returned in another process, to be read at home, where a failure can be named."""

    data: bytes

    def unpacked(self) -> Any:
        """Read it."""
        return pickle.loads(self.data)  # noqa: S301  (the executor is the user's, and reads such bytes anyway)


@final
class RemoteCall:
    """A call of an action. In this process it has the context variables of the run, elsewhere it has none.

    Pickled, the state goes without its strategies, but with its schema, and the config without store and executors.
    """

    def __init__(self, fn: Callable[..., Any], inputs: tuple[Any, ...], context: Context | None) -> None:
        self._fn = fn
        self._inputs = inputs
        self._context = context

    def __call__(self) -> Any:
        """Call the action."""
        if self._context is None:
            return _called_elsewhere(self._fn, self._inputs)
        try:
            return self._context.run(self._fn, *self._inputs)
        except (GraphInterrupt, BaseExceptionGroup) as error:  # an executor may know no more than `Exception`
            question = question_of(error)
            if question is None:
                raise
            return question

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without what belongs to this process."""
        return RemoteCall, (self._fn, tuple(map(_portable, self._inputs)), None)


def submit(executor: Executor, call: Call, inputs: tuple[Any, ...]) -> Future[Any]:
    """Hand a call to an executor.

    Raises:
        GraphRunnerException: the executor takes no calls (code `executor_failed`).
    """
    try:
        future: Any = executor.submit(RemoteCall(call.fn, inputs, copy_context()))
    except Exception as error:
        raise executor_failed(call, error) from error
    if not isinstance(future, _FUTURE):
        raise executor_failed(call, TypeError(f"its submit gave {shown(future)}, which is no Future"))
    found: Future[Any] = future
    return found


def outcome(call: Call, future: Future[Any]) -> tuple[bool, Any]:
    """Give what a done future holds; a broken executor is a failure of its own."""
    error = CancelledError("it was dropped") if future.cancelled() else future.exception()
    if isinstance(error, BrokenExecutor | CancelledError):
        failure = executor_failed(call, error)
        failure.__cause__ = error
        return False, failure
    if error is not None:
        return False, error
    result = future.result()
    try:
        value = result.unpacked() if isinstance(result, Packed) else result
        return not isinstance(value, GraphInterrupt), value
    except Exception as unreadable:
        return False, unreadable


def _called_elsewhere(fn: Callable[..., Any], inputs: tuple[Any, ...]) -> Packed:
    """Call in another process, where what can not be read at home would break the user's whole pool."""
    try:
        return Packed(pickle.dumps(fn(*inputs)))
    except FAILURES as error:
        question = question_of(error)
        failure = error if question is None else question
        try:
            packed = pickle.dumps(failure)
            pickle.loads(packed)  # noqa: S301  (our own bytes: only a test whether it can travel)
        except Exception:
            text = "".join(traceback.format_exception(error))
            raise RemoteActionError(f"{said(error)} (which can not be pickled)\n{text}") from None
        if question is not None:
            return Packed(packed)
        raise


def _portable(value: Any) -> Any:
    if value.__class__ is OverAllState:
        declared = value._merger.declared
        return state_of(value, Merger(declared=declared))
    return value.portable() if value.__class__ is RunnableConfig else value
