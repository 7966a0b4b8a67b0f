"""Actions in a module whose annotations are texts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from graph_core import Command, OverAllState  # noqa: TC001  (its hints are resolved)

if TYPE_CHECKING:
    from decimal import Decimal

F = TypeVar("F", bound=Callable[..., Any])


def labels(state: OverAllState) -> Literal["a", "b"]:
    """Resolved in its module."""
    return "a"


def nothing(state: OverAllState) -> None:
    """Returns nothing."""


def unresolved(state: OverAllState) -> Decimal:
    """The name is there for type checkers only."""
    raise NotImplementedError


def unresolved_parameter(state: Decimal) -> Literal["a"]:
    """The same for the parameter."""
    return "a"


def unresolved_second_parameter(state: OverAllState, config: Decimal) -> Literal["a"]:
    """Nothing is inferred from the second one."""
    return "a"


def local(name: str) -> Callable[[OverAllState], Any]:
    """Give a function whose hint names a class of its enclosing function."""

    class Choice(str):
        __slots__ = ()

    def router(_: OverAllState) -> Choice:
        return Choice(name)

    return router


def late() -> Callable[[OverAllState], Any]:
    """Give a function whose hint names what its enclosing function has not made."""

    def router(_: OverAllState) -> Choice:
        return Choice()

    if router.__name__ == "router":
        return router

    class Choice(str):
        __slots__ = ()

    return router


def logged(fn: F) -> F:
    """Wrap a function of any module."""

    @functools.wraps(fn)
    def wrapper(*args: Any) -> Any:
        return fn(*args)

    return wrapper  # type: ignore[return-value]  # pyright: ignore[reportReturnType]  (it is called as the function is)


class Router:
    """A callable object; its fields have hints, too."""

    limit: Decimal
    command: Command

    def __call__(self, _: OverAllState) -> Literal["a"]:
        """Answer."""
        return "a"

    def method(self, _: OverAllState) -> Literal["m"]:
        """Answer."""
        return "m"

    @staticmethod
    def static(_: OverAllState) -> Literal["s"]:
        """Answer."""
        return "s"

    @classmethod
    def of_class(cls, _: OverAllState) -> Literal["c"]:
        """Answer."""
        return "c"
