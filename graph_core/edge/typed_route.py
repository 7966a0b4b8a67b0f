"""Routes whose labels a type checker sees."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from enum import Enum
from typing import Any, Generic, TypeVar, final, overload

import attrs

from graph_core.action import Command, CommandAction, MultiCommand, NodeRef, Send
from graph_core.edge.edge import EdgeCondition

L = TypeVar("L", bound=Hashable)
Text = TypeVar("Text", bound=str)
Member = TypeVar("Member", bound=Enum)


@final
@attrs.frozen
class TypedRoute(Generic[L]):
    """A route action that waits for its mapping; made by `route(action)`.

    Args:
        action: what answers.
    """

    action: CommandAction

    def to(self, mappings: Mapping[L, str | NodeRef[Any]], *, name: str | None = None) -> EdgeCondition:
        """Map every label to a node.

        Args:
            mappings: label → node id (or `NodeRef`).
            name: the condition's name, else the action's `__name__`.

        Returns:
            The condition, for both `add_conditional_edges` and `add_parallel_conditional_edges`.

        Raises:
            InvalidRecordError: the mapping is empty, or maps to no node id.
        """
        ids = {label: node.id if isinstance(node, NodeRef) else node for label, node in mappings.items()}
        return EdgeCondition(self.action, ids, name, either=True)


@overload
def route(action: Callable[..., Coroutine[Any, Any, Command[L]]]) -> TypedRoute[L]: ...
@overload
def route(action: Callable[..., Coroutine[Any, Any, MultiCommand[L]]]) -> TypedRoute[L]: ...
@overload
def route(action: Callable[..., Coroutine[Any, Any, Text]]) -> TypedRoute[Text]: ...
@overload
def route(action: Callable[..., Coroutine[Any, Any, Member]]) -> TypedRoute[Member]: ...
@overload
def route(action: Callable[..., Coroutine[Any, Any, Sequence[L | Send[Any]]]]) -> TypedRoute[L]: ...
@overload
def route(action: Callable[..., Coroutine[Any, Any, L]]) -> TypedRoute[L]: ...
@overload
def route(action: Callable[..., Command[L]]) -> TypedRoute[L]: ...
@overload
def route(action: Callable[..., MultiCommand[L]]) -> TypedRoute[L]: ...
@overload
def route(action: Callable[..., Text]) -> TypedRoute[Text]: ...
@overload
def route(action: Callable[..., Member]) -> TypedRoute[Member]: ...
@overload
def route(action: Callable[..., Sequence[L | Send[Any]]]) -> TypedRoute[L]: ...
@overload
def route(action: Callable[..., L]) -> TypedRoute[L]: ...
def route(action: Callable[..., Any]) -> TypedRoute[Any]:
    """Begin a condition whose labels are checked: `route(action).to({label: node})`.

    Args:
        action: callable `(state)` or `(state, config)`, sync or async, whose return annotation names
            its labels: `Literal[...]`, an `Enum`, `bool`, a sequence of them, `Command[...]`, `MultiCommand[...]`.

    Raises:
        InvalidRecordError: the action is not callable.

    >>> from typing import Literal
    >>> from graph_core import END
    >>> def verdict(state: object) -> Literal["good", "bad"]: return "good"
    >>> dict(route(verdict).to({"good": END, "bad": "repair"}).mappings)
    {'good': '__END__', 'bad': 'repair'}
    """
    return TypedRoute(CommandAction.of(action))
