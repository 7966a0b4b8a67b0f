"""Nodes: what the user adds, and what the compiler makes of forks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, final

import attrs

from graph_core.edge import EdgeCondition
from graph_core.exception import InvalidRecordError

START: Final = "__START__"
"""The source of the first edge; no node."""
END: Final = "__END__"
"""The target of the last edge; no node."""
PRIVATE_PREFIX: Final = "__"
"""Ids of nodes must not begin with it."""

ActionFactory: TypeAlias = Callable[[Any], Callable[..., Any]]
"""`(CompileConfig) -> action`; called once per compile."""


def _id(_: object, __: object, value: Any) -> None:
    if not isinstance(value, str):
        raise InvalidRecordError(f"the id of a node must be a str, not {value!r}")


def _factory(node: Any, _: object, factory: Any) -> None:
    if factory is not None and not callable(factory):
        raise InvalidRecordError(f"node {node.id!r}: the action factory must be callable, not {factory!r}")


@attrs.frozen
class Node:
    """A node: an id, and a factory of its action. Equal if the ids are.

    Args:
        id: the id.
        action_factory: gives the action for a `CompileConfig`; called once per compile.

    >>> Node("a", lambda config: lambda state: {"x": 1}) == Node("a")
    True
    """

    id: str = attrs.field(validator=_id)
    action_factory: ActionFactory | None = attrs.field(default=None, eq=False, validator=_factory)

    @property
    def is_parallel(self) -> bool:
        """Tell whether the node is made of a fork; a user's never is."""
        return False

    def with_id_updated(self, new_id: Callable[[str], str]) -> Node:
        """Give this node with another id."""
        return attrs.evolve(self, id=new_id(self.id))


def parallel_node_id(source_id: str) -> str:
    """Give the id of the node that the compiler makes of the fork at `source_id`.

    >>> parallel_node_id("a")
    '__PARALLEL__(a)'
    """
    return f"__PARALLEL__({source_id})"


def _ids(ids: Sequence[str]) -> tuple[str, ...]:
    return tuple(ids)


def _conditions(conditions: Sequence[EdgeCondition]) -> tuple[EdgeCondition, ...]:
    return tuple(conditions)


@final
@attrs.frozen
class ParallelNode:
    """A fork with fixed targets, rewritten: all of them run, then the run goes on at the convergence.

    Args:
        source_id: the node that forks.
        targets: ids of the nodes that run.
        convergence_id: where the branches join.
    """

    source_id: str
    targets: Sequence[str] = attrs.field(converter=_ids)
    convergence_id: str

    @property
    def id(self) -> str:
        """The id: ``__PARALLEL__(source)``."""
        return parallel_node_id(self.source_id)

    @property
    def is_parallel(self) -> bool:
        """Always true."""
        return True


@final
@attrs.frozen
class ConditionalParallelNode:
    """A fork whose targets are chosen when it runs, at least in part.

    Args:
        source_id: the node that forks.
        conditions: the conditions that choose, in the order of their declaration.
        static_targets: ids of the nodes that run besides.
        convergence_id: where the branches join.
    """

    source_id: str
    conditions: Sequence[EdgeCondition] = attrs.field(converter=_conditions)
    static_targets: Sequence[str] = attrs.field(converter=_ids)
    convergence_id: str

    @property
    def id(self) -> str:
        """The id: ``__PARALLEL__(source)``."""
        return parallel_node_id(self.source_id)

    @property
    def is_parallel(self) -> bool:
        """Always true."""
        return True
