"""Routes whose labels a type checker sees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, final, overload

import attrs

from graph_core.action import Command, CommandAction, MultiCommand, NodeRef, Send
from graph_core.edge.edge import EdgeCondition

if TYPE_CHECKING:
    from graph_core.edge.mappings import Default

# No answer may fit two overloads of `route`: for a router whose parameters hold an `Any` mypy gives up then.
L = TypeVar("L", bound=Hashable)
Label = TypeVar("Label", bound=str | bytes | int | Enum | Send[Any])
Said = TypeVar("Said", covariant=True)
A = TypeVar("A", contravariant=True)


class Several(Protocol[Said]):
    """A sequence that is no `str`: that one looks only for a `str` in itself."""

    def __iter__(self) -> Iterator[Said]: ...
    def __contains__(self, item: object, /) -> bool: ...
    def __getitem__(self, index: int, /) -> Said: ...


@final
@attrs.frozen
class TypedRoute(Generic[A]):
    """A route action that waits for its mapping; made by `route(action)`.

    Its type parameter is what the action answers with. Where a `Send` is among that, checkers let every
    label pass: a `Send` names its node when it is made, and that node must be mapped, too.

    Args:
        action: what answers.
    """

    action: CommandAction

    @overload
    def to(self, mappings: Mapping[A, str | NodeRef[Any]], *, name: str | None = None) -> EdgeCondition: ...
    @overload
    def to(self, mappings: Mapping[A | Default, str | NodeRef[Any]], *, name: str | None = None) -> EdgeCondition: ...
    @overload
    def to(
        self: TypedRoute[Send[Any]], mappings: Mapping[Any, str | NodeRef[Any]], *, name: str | None = None
    ) -> EdgeCondition: ...
    def to(self, mappings: Mapping[Any, str | NodeRef[Any]], *, name: str | None = None) -> EdgeCondition:
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
def route(action: Callable[..., Awaitable[Command[L] | MultiCommand[L]]]) -> TypedRoute[L]: ...
@overload
def route(action: Callable[..., Awaitable[Several[Label]]]) -> TypedRoute[Label]: ...
@overload
def route(action: Callable[..., Awaitable[Label]]) -> TypedRoute[Label]: ...
@overload
def route(action: Callable[..., Command[L] | MultiCommand[L]]) -> TypedRoute[L]: ...
@overload
def route(action: Callable[..., Several[Label]]) -> TypedRoute[Label]: ...
@overload
def route(action: Callable[..., Label]) -> TypedRoute[Label]: ...
def route(action: Callable[..., Any]) -> TypedRoute[Any]:
    """Begin a condition whose labels are checked: `route(action).to({label: node})`.

    Args:
        action: callable `(state)` or `(state, config)`, sync or async, whose return annotation names
            its labels: `Literal[...]`, an `Enum`, `bool`, a sequence of them, `Command[...]`,
            `MultiCommand[...]`. To checkers it is either labels, or sequences, or commands, not now this
            and now that.

    Raises:
        InvalidRecordError: the action is not callable.

    >>> from typing import Literal
    >>> from graph_core import END
    >>> def verdict(state: object) -> Literal["good", "bad"]: return "good"
    >>> dict(route(verdict).to({"good": END, "bad": "repair"}).mappings)
    {'good': '__END__', 'bad': 'repair'}
    """
    return TypedRoute(CommandAction.of(action))
