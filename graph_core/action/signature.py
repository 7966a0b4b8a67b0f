"""What can be read off a callable without calling it: parameters, async or not, its return hint."""

from __future__ import annotations

import functools
import inspect
import typing
import warnings
from types import CodeType, FunctionType, MethodType, SimpleNamespace
from typing import Any, Final, final

import attrs

from graph_core.exception import InvalidRecordError, UnresolvedHintWarning

if typing.TYPE_CHECKING:
    from collections.abc import Callable

MISSING_HINT: Final = object()
_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_STATE_AND_CONFIG: Final = 2


@final
@attrs.frozen
class Signature:
    """How an action is called.

    Args:
        takes_config: it is called with `(state, config)`, else with `(state)`.
        is_async: it is a coroutine function.
    """

    takes_config: bool
    is_async: bool


_PLAIN: Final = {(t, a): Signature(t, a) for t in (False, True) for a in (False, True)}


def signature_of(fn: Callable[..., Any], what: str) -> Signature:
    """Read how an action is called.

    Args:
        fn: the action.
        what: how to name it in an error, for example ``node 'a'``.

    Raises:
        InvalidRecordError: it can not be called with `(state)` or `(state, config)`.
    """
    function: Any = fn
    if function.__class__ is FunctionType:
        code: CodeType = function.__code__
        flags = code.co_flags
        plain = not function.__defaults__ and not code.co_kwonlyargcount and not flags & inspect.CO_VARARGS
        if plain and 1 <= code.co_argcount <= _STATE_AND_CONFIG:
            return _PLAIN[code.co_argcount == _STATE_AND_CONFIG, bool(flags & inspect.CO_COROUTINE)]
    return _PLAIN[_takes_config(fn, what), is_coroutine_function(fn)]


def is_coroutine_function(fn: Callable[..., Any]) -> bool:
    """Tell whether calling gives a coroutine: functions, methods, partials and objects with an async `__call__`."""
    work = _without_partials(fn)
    return inspect.iscoroutinefunction(work) or inspect.iscoroutinefunction(_call_method(work))


def name_of(fn: Callable[..., Any]) -> str:
    """Give the `__name__` of a callable; empty for lambdas, partials and other nameless ones."""
    name = getattr(fn, "__name__", "")
    return "" if name == "<lambda>" else name


def _without_partials(fn: Any) -> Any:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return fn


def _call_method(fn: Any) -> Any:
    """Give the method that runs when an object is called: the one of its class."""
    return getattr(fn.__class__, "__call__", None)  # noqa: B004  (what it is matters, not whether there is one)


def _takes_config(fn: Callable[..., Any], what: str) -> bool:
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):  # builtins without a signature take the state
        return False
    if any(p.kind is inspect.Parameter.KEYWORD_ONLY and p.default is inspect.Parameter.empty for p in parameters):
        raise _uncallable(fn, what)
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    required = sum(p.default is inspect.Parameter.empty for p in positional)
    starred = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    if required > _STATE_AND_CONFIG or not (positional or starred):
        raise _uncallable(fn, what)
    named = [p.name for p in positional[1:_STATE_AND_CONFIG]] == ["config"]
    return required == _STATE_AND_CONFIG or named or not positional


def _uncallable(fn: Callable[..., Any], what: str) -> InvalidRecordError:
    name = name_of(fn) or repr(fn)
    return InvalidRecordError(f"{what}: {name} must be callable with (state) or with (state, config)")


@final
@attrs.frozen
class Hints:
    """What an action is annotated with; `MISSING_HINT` where it says nothing, or nothing that can be resolved.

    Args:
        state: the hint of the first parameter that a call gives.
        returned: the return hint.
    """

    state: Any = MISSING_HINT
    returned: Any = MISSING_HINT


_NO_HINTS: Final = Hints()


def hints_of(fn: Callable[..., Any], what: str) -> Hints:
    """Resolve the hints of a callable: a function, method, partial, or object with `__call__`.

    Args:
        fn: the action.
        what: how to name it in a warning.

    Returns:
        The hints; one that can not be resolved is an `UnresolvedHintWarning` that names the action (rule R10).
    """
    if fn.__class__ is FunctionType and not fn.__annotations__:
        return _NO_HINTS
    function, name = _function_behind(fn)
    hints: dict[str, Any] = getattr(function, "__annotations__", None) or {}
    found = _NO_HINTS
    if name in hints:
        found = attrs.evolve(found, state=_resolved(function, hints[name], f"the hint of parameter {name!r}", what))
    if "return" in hints:
        found = attrs.evolve(found, returned=_resolved(function, hints["return"], "the return hint", what))
    return found


def _resolved(function: Any, hint: Any, where: str, what: str) -> Any:
    if not isinstance(hint, str) and not _holds_text(hint):
        return hint
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    names = {name: cell.cell_contents for name, cell in cells if _filled(cell)}
    names.update({p.__name__: p for p in getattr(function, "__type_params__", ())})
    holder = SimpleNamespace(__annotations__={"hint": hint})
    try:
        return typing.get_type_hints(holder, function.__globals__, names, include_extras=True)["hint"]
    except Exception as error:  # noqa: BLE001  (an annotation is code of the user's: whatever it raises)
        text = f"{what}: {where} of {name_of(function) or repr(function)}, {hint!r}, can not be resolved ({error}); "
        warnings.warn(f"{text}nothing is inferred from it", UnresolvedHintWarning, stacklevel=2)
        return MISSING_HINT


def _holds_text(hint: Any) -> bool:
    """Tell whether there is text inside a hint, as in `list["Label"]`; that of a `Literal` is its own."""
    if typing.get_origin(hint) is typing.Literal:
        return False
    return any(isinstance(each, str | typing.ForwardRef) or _holds_text(each) for each in typing.get_args(hint))


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  (an empty cell raises)
    except ValueError:
        return False
    return True


def _function_behind(fn: Any) -> tuple[FunctionType | None, str]:
    """Give the function whose annotations count, and the parameter that a call gives the state to.

    There is none for classes and what is not written in Python.
    """
    bound, named = 0, set[str]()
    while isinstance(fn, functools.partial):
        bound += len(fn.args)
        named |= set(fn.keywords)
        fn = fn.func
    work = inspect.unwrap(fn)
    if not isinstance(work, FunctionType | MethodType):
        work = _unbound(inspect.unwrap(_call_method(work)), work)
    if isinstance(work, MethodType):
        bound += 1
        work = inspect.unwrap(work.__func__)
    if not isinstance(work, FunctionType):
        return None, ""
    names = work.__code__.co_varnames[: work.__code__.co_argcount]
    return work, next((name for name in names[bound:] if name not in named), "")


def _unbound(call: Any, instance: Any) -> Any:
    """Bind the `__call__` of a class to its instance."""
    return MethodType(call, instance) if isinstance(call, FunctionType) else call
