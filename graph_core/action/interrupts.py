"""Asking a person from inside of a node (rule K5)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final, Protocol, final, runtime_checkable

import attrs
from returns.maybe import Maybe, Nothing

from graph_core.exception import GraphInterrupt, InvalidRecordError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from graph_core.config import RunnableConfig
    from graph_core.state import OverAllState
    from graph_core.streaming import InterruptionMetadata


def interrupt(payload: Any) -> Any:
    """Ask a person, from inside of a node: the run pauses until somebody answers.

    The node then runs again from its beginning, and the call returns the answer. Of several calls in
    one node the answers of the earlier ones are remembered, in the order of the calls: so a node has to
    ask in the same order whenever it runs, and what it does before it asks it does again.

    Args:
        payload: what to ask; whoever answers finds it in `InterruptionMetadata.payload`. A saver that
            writes has to know its type.

    Returns:
        The answer, as it was given to `RunnableConfig.with_resume`; `None` is one.

    Raises:
        GraphInterrupt: nobody has answered yet. It is no `Exception`, so that an `except Exception`
            around the call lets it pass.

    >>> from graph_core import END, START, RunnableConfig, StateGraph
    >>> graph = StateGraph().add_node("ask", lambda state: {"name": interrupt("your name?")})
    >>> app = graph.add_edge(START, "ask").add_edge("ask", END).compile()
    >>> thread = RunnableConfig(thread_id="t")
    >>> app.run({}, thread).interruptions[0].payload
    'your name?'
    >>> app.invoke(None, thread.with_resume("Ann"))["name"]
    'Ann'
    """
    scope = _scope.get()
    index = 0
    if scope is not None:
        index = scope.asked
        scope.asked += 1
        if index < len(scope.answers):
            return scope.answers[index]
    raise GraphInterrupt(payload, index)


@runtime_checkable
class InterruptableAction(Protocol):
    """An action that may pause the run before or after itself (Java: `InterruptableAction`).

    A class need not inherit from it: an action with a method `interrupt` or `interrupt_after` is one. It is
    found through `functools.partial`, `functools.wraps` and the wrappers of this library. The methods may
    be async.

    >>> from returns.maybe import Some
    >>> from graph_core import END, START, InterruptionMetadata, RunnableConfig, StateGraph
    >>> class Pay(InterruptableAction):
    ...     def interrupt(self, node_id, state, config):
    ...         return Some(InterruptionMetadata(payload="pay?")) if state["sum"] > 100 else Nothing
    ...
    ...     def __call__(self, state, config):
    ...         return {"paid": config.feedback}
    >>> app = StateGraph().add_node("pay", Pay()).add_edge(START, "pay").add_edge("pay", END).compile()
    >>> thread = RunnableConfig(thread_id="t")
    >>> app.run({"sum": 200}, thread).interruptions[0].payload
    'pay?'
    >>> app.invoke(None, thread.with_resume("half"))["paid"]
    'half'
    """

    def interrupt(
        self, node_id: str, state: OverAllState[Any], config: RunnableConfig[Any]
    ) -> Maybe[InterruptionMetadata]:
        """Tell before the action runs whether the run has to pause.

        It is asked again when the thread goes on, with the answer (if one was given) in `config.feedback`.
        It has got its answer if it only asks the same again: payload and metadata are equal.
        """
        del node_id, state, config
        return Nothing

    def interrupt_after(
        self, node_id: str, state: OverAllState[Any], update: Mapping[str, Any], config: RunnableConfig[Any]
    ) -> Maybe[InterruptionMetadata]:
        """Tell after the action has run whether the run has to pause.

        Args:
            node_id: the node.
            state: the state that the action got.
            update: what it returned; the update of a command.
            config: the config that it got.
        """
        del node_id, state, update, config
        return Nothing


@final
@attrs.define
class Scope:
    """The answers for a call of an action, and how many questions it has asked so far."""

    answers: Sequence[Any]
    asked: int = 0


_scope: Final[ContextVar[Scope | None]] = ContextVar("graph_core_answers", default=None)


@final
@attrs.frozen
class Answered:
    """An action with the answers to its questions. It can be pickled, for executors in other processes.

    Args:
        fn: the action.
        answers: the answers, in the order of the questions.
        is_async: the action is a coroutine function.
    """

    fn: Callable[..., Any]
    answers: tuple[Any, ...]
    is_async: bool

    def __call__(self, *inputs: Any) -> Any:
        """Call the action."""
        scope = Scope(self.answers)
        if self.is_async:
            return _awaited(scope, self.fn, inputs)
        token = _scope.set(scope)
        try:
            result = self.fn(*inputs)
        finally:
            _scope.reset(token)
        return _later(scope, result) if inspect.isawaitable(result) else result


async def _awaited(scope: Scope, fn: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    return await _later(scope, fn(*inputs))


async def _later(scope: Scope, work: Awaitable[Any]) -> Any:
    token = _scope.set(scope)
    try:
        return await work
    finally:
        _scope.reset(token)


def is_answering() -> bool:
    """Tell whether this runs inside of an action that has answers: they are not for runs that it starts."""
    return _scope.get() is not None


@final
class Apart:
    """Makes the answers of the action around a run invisible to what the run does."""

    def __enter__(self) -> None:
        """Hide them."""
        self._token = _scope.set(None)

    def __exit__(self, *_: object) -> None:
        """Show them again."""
        _scope.reset(self._token)


@final
@attrs.frozen
class Hooks:
    """What an action says about pauses: its methods, if it has them."""

    before: Callable[..., Any] | None = None
    after: Callable[..., Any] | None = None


_NO_HOOKS: Final = Hooks()


def hooks_of(action: Any, what: str) -> Hooks:
    """Find the methods of an `InterruptableAction` behind an action and whatever wraps it.

    Args:
        action: the action.
        what: how to name it in an error, for example ``node 'a'``.

    Raises:
        InvalidRecordError: such a method does not take what it is called with.
    """
    fn = action
    while fn is not None and not (fn.__class__ is FunctionType and not fn.__dict__):
        before, after = _hook(fn, "interrupt"), _hook(fn, "interrupt_after")
        if before is not None or after is not None:
            _check_hook(before, what, "interrupt", "node_id, state, config")
            _check_hook(after, what, "interrupt_after", "node_id, state, update, config")
            return Hooks(before, after)
        fn = _inner(fn)
    return _NO_HOOKS


def _hook(fn: Any, name: str) -> Callable[..., Any] | None:
    """Give a method of an action, unless it is the one that never pauses."""
    method = getattr(fn, name, None)
    is_own = getattr(method, "__func__", method) is not getattr(InterruptableAction, name)
    return method if callable(method) and is_own else None


def _inner(fn: Any) -> Any:
    """Give what is wrapped."""
    if isinstance(fn, MethodType):
        return fn.__self__ if fn.__name__ == "__call__" else fn.__func__
    if isinstance(fn, partial):
        return fn.func
    return getattr(fn, "__wrapped__", None)


def _check_hook(method: Callable[..., Any] | None, what: str, name: str, parameters: str) -> None:
    if method is None:
        return
    try:
        inspect.signature(method).bind(*parameters.split(", "))
    except TypeError as error:
        text = f"{what}: the method {name} of its action must be callable with ({parameters}): {error}"
        raise InvalidRecordError(text) from None
    except ValueError:  # it is not written in Python, and does not tell
        return
