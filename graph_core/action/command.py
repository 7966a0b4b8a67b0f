"""Answers that say where to go: `Command`, `MultiCommand` and `Send`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, Never, cast, final, overload

import attrs
from typing_extensions import TypeVar

from graph_core.action.node_ref import NodeRef
from graph_core.exception import InvalidRecordError
from graph_core.state.frozen import FrozenMapping

L = TypeVar("L", bound=Hashable, default=Any, covariant=True)
N = TypeVar("N", bound=str, default=Any, covariant=True)
P = TypeVar("P")
T = TypeVar("T")
_NOTHING: Final[Mapping[str, Any]] = FrozenMapping()
# Declared as `Any`: to a type checker `isinstance` does not narrow then, and what a value holds stays `Any`.
_MAPPING: Final[Any] = Mapping
_SEQUENCE: Final[Any] = Sequence


def _label(_: object, __: object, label: Any) -> None:
    if label is None:
        raise InvalidRecordError("a command needs a label or node id to go to, not None; END ends the run")
    if isinstance(label, list | tuple | Mapping):
        raise InvalidRecordError(f"a command goes to one label, not to {label!r}; several: MultiCommand([...])")
    if isinstance(label, Send):
        raise InvalidRecordError(f"a command goes to a label, not to {label!r}; Sends: MultiCommand([...])")
    try:
        hash(label)
    except TypeError:
        raise InvalidRecordError(f"a label must be hashable, not {label!r}") from None


def _update(update: Any) -> Any:
    if isinstance(update, _MAPPING):
        return FrozenMapping(update) if update else _NOTHING
    if not is_instance(update):
        text = f"the update of a command must be a mapping (or an instance of a schema), not {update!r}"
        raise InvalidRecordError(f"{text}; {{}} changes nothing")
    return update


def is_instance(value: object) -> bool:
    """Tell whether a value is an instance of a class that can be a schema; they are loaded when this is asked."""
    from graph_core.state.schema import instances

    return instances.is_instance(value)


def _id(node: Any) -> Any:
    return node.id if isinstance(node, NodeRef) else node


def _node(_: object, __: object, node: Any) -> None:
    if not isinstance(node, str) or not node.strip():
        raise InvalidRecordError(f"a Send needs the id of a node, not {node!r}")


def _state(state: Any) -> Mapping[str, Any]:
    if not isinstance(state, _MAPPING) and is_instance(state):
        from graph_core.state.schema.instances import values_of

        return FrozenMapping(values_of(state))
    if not isinstance(state, _MAPPING) or not all(isinstance(key, str) for key in state):
        raise InvalidRecordError(f"the state of a Send must be a mapping with str keys, not {state!r}")
    return FrozenMapping(state)


@final
@attrs.frozen
class Command(Generic[L]):
    """One label (or node id) to go to, and an update of the state to make first.

    Args:
        goto_node: a label of the route's mapping.
        update: merged by the key strategies before the target runs; an instance of a schema updates the
            fields that differ from what the state has.

    Raises:
        InvalidRecordError: no label, a label that is not hashable, or an update that is no mapping.

    >>> Command("retry", {"tries": 1})
    Command(goto_node='retry', update={'tries': 1})
    """

    goto_node: L = attrs.field(validator=_label)
    update: Any = attrs.field(default=_NOTHING, converter=_update)

    def with_update(self, update: Mapping[str, Any]) -> Command[L]:
        """Give this command with another update."""
        return Command(self.goto_node, update)

    def __hash__(self) -> int:
        """Hash by the label: equal commands have equal labels."""
        return hash(self.goto_node)


@final
@attrs.frozen(init=False)  # what attrs finds out for itself, mypy has to be told
class Send(Generic[N]):
    """A copy of a node, to be run on a state of its own; its type parameter is the node's id.

    Args:
        node: id of a mapped node (no label, never `END`), or a `NodeRef`, which makes the state checked.
        state: laid over the fork's state for what this copy sees; it never enters the merged state. Of
            an instance of a schema all fields are.

    Raises:
        InvalidRecordError: the node is no `str`, or the state no mapping with `str` keys.

    >>> Send("work", {"item": 1})
    Send(node='work', state={'item': 1})
    """

    node: str = attrs.field(converter=_id, validator=_node)
    state: Mapping[str, Any] = attrs.field(default=_NOTHING, converter=_state)

    # The callable is for mypy: an argument that may be one is read last, when the payload's type is known.
    @overload
    def __init__(self, node: NodeRef[P], state: P | Callable[[P], Never]) -> None: ...
    @overload
    def __init__(self, node: N, state: object = ...) -> None: ...
    def __init__(self, node: Any, state: Any = _NOTHING) -> None:
        made: Any = self
        made.__attrs_init__(node, state)

    def __hash__(self) -> int:
        """Hash by the node: equal Sends have equal nodes."""
        return hash(self.node)


def _labels(labels: Sequence[T | Send[Any]]) -> tuple[T | Send[Any], ...]:
    if isinstance(labels, str | bytes) or not isinstance(labels, _SEQUENCE):
        raise InvalidRecordError(f"a MultiCommand needs a sequence of labels and Sends, not {labels!r}")
    found: tuple[Any, ...] = tuple(labels)
    for label in found:
        if not isinstance(label, Send):
            _label(None, None, label)
    return found


def _not_empty(_: object, __: object, labels: Any) -> None:
    if not labels:
        raise InvalidRecordError("goto_nodes cannot be empty; MultiCommand.nothing(update) chooses no node")


@final
@attrs.frozen
class MultiCommand(Generic[L]):
    """Several labels or `Send`s to go to, and one update to make first.

    Args:
        goto_nodes: labels and Sends, at least one; `MultiCommand.nothing()` chooses none.
        update: merged by the key strategies once, before the branches start.

    Raises:
        InvalidRecordError: an empty sequence, a label that is `None` or not hashable, or a bad update.

    >>> MultiCommand(["a", "b"]).goto_nodes, MultiCommand(["a"]).to_command()
    (('a', 'b'), Command(goto_node='a', update={}))
    """

    goto_nodes: Sequence[L | Send[Any]] = attrs.field(converter=_labels, validator=_not_empty)
    update: Any = attrs.field(default=_NOTHING, converter=_update)

    if TYPE_CHECKING:  # pyright takes no label's type through a converter

        def __init__(self, goto_nodes: Sequence[L | Send[Any]], update: Any = ...) -> None: ...

    @classmethod
    def nothing(cls, update: Any = _NOTHING) -> MultiCommand[L]:
        """Choose no node: the run goes on at the convergence."""
        chosen = cls((cast("L", "-"),), update)
        object.__setattr__(chosen, "goto_nodes", ())
        return chosen

    def with_update(self, update: Mapping[str, Any]) -> MultiCommand[L]:
        """Give this command with another update."""
        changed: MultiCommand[L] = MultiCommand.nothing(update)
        object.__setattr__(changed, "goto_nodes", self.goto_nodes)
        return changed

    @property
    def is_single_node(self) -> bool:
        """Tell whether exactly one label or Send was chosen."""
        return len(self.goto_nodes) == 1

    def to_command(self) -> Command[L]:
        """Give the `Command` to the only label.

        Raises:
            InvalidRecordError: there are several labels or none, or the only one is a Send.
        """
        if not self.is_single_node:
            raise InvalidRecordError(f"Cannot convert MultiCommand with {len(self.goto_nodes)} nodes to Command")
        return Command(cast("L", self.goto_nodes[0]), self.update)

    def __hash__(self) -> int:
        """Hash by the labels: equal commands have equal labels."""
        return hash(self.goto_nodes)
