"""Edges of a graph definition: a source, and where it may go to."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast, final

import attrs
from returns.maybe import Maybe, Nothing, Some

from graph_core.action import Action, CommandAction, MultiCommandAction
from graph_core.action.signature import name_of
from graph_core.edge.mappings import Mappings, normalized
from graph_core.exception import InvalidRecordError
from graph_core.state.frozen import FrozenMapping

_SEQUENCE: Final[Any] = Sequence  # as `Any`: to a type checker `isinstance` does not narrow then


def _route_action(_: object, __: object, action: Any) -> None:
    if action is not None and not isinstance(action, CommandAction | MultiCommandAction):
        kind = type(action).__name__
        text = f"an EdgeCondition holds a CommandAction, a MultiCommandAction or None, not {action!r} ({kind})"
        raise InvalidRecordError(f"{text}; EdgeCondition.single(fn, mappings) and .multi(fn, mappings) wrap callables")


def _some_mapping(_: object, __: object, mappings: Any) -> None:
    if mappings is not None and not mappings:
        raise InvalidRecordError("edge mapping is empty! Map at least one label to a node")


def _name(_: object, __: object, name: Any) -> None:
    if name is not None and (not isinstance(name, str) or not name):
        raise InvalidRecordError(f"the name of a condition must be a str that is not empty, not {name!r}")


@final
@attrs.frozen
class EdgeCondition:
    """A condition: a route action, and the nodes that its labels mean.

    Args:
        action: what chooses; `None` for a condition that is only drawn.
        mappings: label → node id, a list of node ids, or `None` where every node may be chosen.
        name: how the condition is called, else the action's `__name__`.
        either: the verb that adds it decides whether it chooses one target or several.

    Raises:
        InvalidRecordError: the action is of another type, or the mapping is empty or maps to no `str`.

    >>> condition = EdgeCondition.single(lambda state: "ok", {"ok": "store", "bad": "repair"})
    >>> condition.is_multi_command, condition.mappings["bad"], condition.multi_action()
    (False, 'repair', <Nothing>)
    """

    action: CommandAction | MultiCommandAction | None = attrs.field(validator=_route_action)
    mappings: Mapping[Hashable, str] | None = attrs.field(converter=normalized, validator=_some_mapping)
    name: str | None = attrs.field(default=None, validator=_name)
    either: bool = attrs.field(default=False, kw_only=True, eq=False, repr=False)

    @classmethod
    def single(cls, fn: Action | CommandAction, mappings: Mappings | None) -> EdgeCondition:
        """Make a condition that chooses one target."""
        return cls(CommandAction.of(fn), cast("Any", mappings))

    @classmethod
    def multi(cls, fn: Action | MultiCommandAction, mappings: Mappings | None) -> EdgeCondition:
        """Make a condition that chooses any number of targets."""
        return cls(MultiCommandAction.of(fn), cast("Any", mappings))

    @property
    def is_multi_command(self) -> bool:
        """Tell whether the condition may choose several targets."""
        return isinstance(self.action, MultiCommandAction)

    def single_action(self) -> Maybe[CommandAction]:
        """Give the action if it chooses one target."""
        return Some(self.action) if isinstance(self.action, CommandAction) else Nothing

    def multi_action(self) -> Maybe[MultiCommandAction]:
        """Give the action if it may choose several targets."""
        return Some(self.action) if isinstance(self.action, MultiCommandAction) else Nothing

    @property
    def label(self) -> str:
        """The name, else the action's `__name__`, else an empty text."""
        return self.name or (name_of(self.action.fn) if self.action is not None else "")


def _target(_: object, __: object, target: Any) -> None:
    if target is not None and (not isinstance(target, str) or not target.strip()):
        raise InvalidRecordError(f"the id of an edge's target must be a str that is not blank, not {target!r}")


def _condition(_: object, __: object, condition: Any) -> None:
    if condition is not None and not isinstance(condition, EdgeCondition):
        raise InvalidRecordError(f"the value of an edge must be an EdgeCondition, not {condition!r}")


@final
@attrs.frozen
class EdgeValue:
    """Where an edge leads: exactly one of a node id and a condition.

    Raises:
        InvalidRecordError: both are set, or neither, or one is of another type.

    >>> EdgeValue.of("store").id
    'store'
    """

    id: str | None = attrs.field(default=None, validator=_target)
    value: EdgeCondition | None = attrs.field(default=None, validator=_condition)

    def __attrs_post_init__(self) -> None:
        """Check that exactly one of the two is set."""
        if (self.id is None) is (self.value is None):
            raise InvalidRecordError(f"exactly one of id and value must be set, not {self.id!r} and {self.value!r}")

    @classmethod
    def of(cls, target: str | EdgeCondition) -> EdgeValue:
        """Make one of a node id or of a condition."""
        return cls(value=target) if isinstance(target, EdgeCondition) else cls(target)

    @property
    def target_ids(self) -> tuple[str, ...]:
        """Ids of all nodes that may be reached, each once; empty where every node may be."""
        if self.value is None:
            return (self.id,) if self.id is not None else ()
        return tuple(dict.fromkeys((self.value.mappings or {}).values()))

    def with_target_ids_updated(self, new_target: NewTarget) -> EdgeValue:
        """Give this value with `new_target` applied to its node id, or to each one of its mapping."""
        if self.value is None:
            changed = new_target(cast("str", self.id))
            return EdgeValue.of(changed) if isinstance(changed, str) else changed
        if self.value.mappings is None:
            return self
        mappings = {label: _id_of(new_target(node), node) for label, node in self.value.mappings.items()}
        return EdgeValue(value=attrs.evolve(self.value, mappings=FrozenMapping(mappings)))


NewTarget: TypeAlias = Callable[[str], str | EdgeValue]


def _id_of(target: str | EdgeValue, old: str) -> str:
    return target if isinstance(target, str) else target.id or old


def _source(_: object, __: object, source: Any) -> None:
    if not isinstance(source, str) or not source.strip():
        raise InvalidRecordError(f"the source of an edge must be a str that is not blank, not {source!r}")


def _values(targets: Any) -> tuple[Any, ...]:
    if isinstance(targets, EdgeValue):
        return (targets,)
    if isinstance(targets, str) or not isinstance(targets, _SEQUENCE):
        raise InvalidRecordError(f"the targets of an edge must be a sequence of EdgeValues, not {targets!r}")
    return tuple(targets)


def _only_values(edge: Any, _: object, targets: Any) -> None:
    if not targets:
        raise InvalidRecordError(f"the edge from {edge.source_id!r} has no target; give at least one EdgeValue")
    for target in targets:
        if not isinstance(target, EdgeValue):
            text = f"the edge from {edge.source_id!r} has the target {target!r}, which is no EdgeValue"
            raise InvalidRecordError(f"{text}; EdgeValue.of(target) makes one")


@final
@attrs.frozen
class Edge:
    """All the ways out of one source.

    Args:
        source_id: `START` or the id of a node.
        targets: where it leads, at least one value.

    Raises:
        InvalidRecordError: a blank source, no targets, or a target that is no `EdgeValue`.

    >>> edge = Edge("a", [EdgeValue.of("b"), EdgeValue.of("c")])
    >>> edge.is_parallel, edge.any_match_by_target_id("c")
    (True, True)
    """

    source_id: str = attrs.field(validator=_source)
    targets: Sequence[EdgeValue] = attrs.field(converter=_values, validator=_only_values)

    @property
    def is_parallel(self) -> bool:
        """Tell whether there is more than one way out."""
        return len(self.targets) > 1

    def target(self) -> EdgeValue:
        """Give the only way out.

        Raises:
            InvalidRecordError: there are several.
        """
        if self.is_parallel:
            raise InvalidRecordError(f"Edge {self.source_id!r} is parallel; read .targets")
        return self.targets[0]

    def any_match_by_target_id(self, target_id: str) -> bool:
        """Tell whether a target, or a node of a condition's mapping, has this id."""
        return any(target_id in value.target_ids for value in self.targets)

    def with_source_and_target_ids_updated(self, new_source_id: Callable[[str], str], new_target: NewTarget) -> Edge:
        """Give this edge with its source id and every target id replaced."""
        return Edge(
            new_source_id(self.source_id), tuple(value.with_target_ids_updated(new_target) for value in self.targets)
        )
