"""The neutral description of a graph: plain records, no behaviour of an engine."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from attrs import Factory, field, frozen

START: Final = "START"
END: Final = "END"
DEFAULT: Final = "DEFAULT"
"""The mapping label that catches labels without an entry of their own (R5)."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A value of the scenario language: a literal, or an expression such as `{"$inc": key}`."""

State: TypeAlias = dict[str, Json]
EdgeKind: TypeAlias = Literal["edge", "conditional", "parallel_conditional"]
StrategyName: TypeAlias = Literal["replace", "append", "append_unique", "merge"]


@frozen
class Edge:
    """One declared edge: fixed (one or several targets), conditional, or a multi route.

    `routes` holds one answer per evaluation, `route_updates` the Command's update of each;
    the last entry repeats. `mappings` is label to node, in order.
    """

    source: str
    kind: EdgeKind = "edge"
    targets: tuple[str, ...] = ()
    mappings: Mapping[str, str] = Factory(dict[str, str])
    routes: tuple[Json, ...] = ()
    route_updates: tuple[State, ...] = ()
    sends: tuple[str, ...] = ()
    converge_at: str | None = None

    @property
    def reachable(self) -> tuple[str, ...]:
        """All nodes this edge may lead to, in order, each once."""
        declared = self.targets if self.kind == "edge" else tuple(self.mappings.values())
        return tuple(dict.fromkeys((*declared, *self.sends)))


@frozen
class Node:
    """One node: the update of its first, second, … visit; the last one repeats.

    With `command` the node returns that route's answer and update itself (R9).
    """

    id: str
    updates: tuple[State, ...] = ()
    defer: bool = False
    command: Edge | None = None


@frozen
class Graph:
    """Nodes, edges and the strategy of each key (`replace` where none is named)."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    strategies: Mapping[str, StrategyName] = Factory(dict[str, StrategyName])
    recursion_limit: int = field(default=100)

    def node(self, node_id: str) -> Node:
        """The node of that id.

        Raises:
            KeyError: If there is none.
        """
        for node in self.nodes:
            if node.id == node_id:
                return node
        raise KeyError(node_id)
