"""Nodes of a definition and of a compiled graph."""

from graph_core.node.node import (
    END,
    START,
    ActionFactory,
    ConditionalParallelNode,
    Node,
    ParallelNode,
    parallel_node_id,
)

__all__ = [
    "END",
    "START",
    "ActionFactory",
    "ConditionalParallelNode",
    "Node",
    "ParallelNode",
    "parallel_node_id",
]
