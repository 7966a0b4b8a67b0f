"""Edges, their values and conditions."""

from graph_core.edge.edge import Edge, EdgeCondition, EdgeValue
from graph_core.edge.mappings import DEFAULT
from graph_core.edge.typed_route import TypedRoute, route

__all__ = ["DEFAULT", "Edge", "EdgeCondition", "EdgeValue", "TypedRoute", "route"]
