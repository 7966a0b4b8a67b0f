"""Edges, their values and conditions."""

from graph_core.edge.edge import Edge, EdgeCondition, EdgeValue
from graph_core.edge.mappings import DEFAULT

__all__ = ["DEFAULT", "Edge", "EdgeCondition", "EdgeValue"]
