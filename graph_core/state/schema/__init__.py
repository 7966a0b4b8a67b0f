"""Schemas of states: read from classes, seen by nodes, checked at the door (rules T1 to T3)."""

from graph_core.state.schema.agreement import agreed_strategies
from graph_core.state.schema.declared import Declared
from graph_core.state.schema.door import Door
from graph_core.state.schema.field import MISSING, SchemaField
from graph_core.state.schema.schema import Schema
from graph_core.state.schema.strategy import empty_value

__all__ = ["MISSING", "Declared", "Door", "Schema", "SchemaField", "agreed_strategies", "empty_value"]
