"""The state of a run: an immutable mapping, merged key by key by strategies."""

from graph_core.state.factory import KeyStrategyFactory, KeyStrategyFactoryBuilder
from graph_core.state.markers import REMOVE, UNTRACKED, Overwrite, RemoveByHash, ReplaceAllWith
from graph_core.state.overall_state import OverAllState
from graph_core.state.strategies import (
    APPEND,
    MERGE,
    REPLACE,
    AppendStrategy,
    KeyStrategy,
    MergeStrategy,
    ReplaceStrategy,
)

__all__ = [
    "APPEND",
    "MERGE",
    "REMOVE",
    "REPLACE",
    "UNTRACKED",
    "AppendStrategy",
    "KeyStrategy",
    "KeyStrategyFactory",
    "KeyStrategyFactoryBuilder",
    "MergeStrategy",
    "OverAllState",
    "Overwrite",
    "RemoveByHash",
    "ReplaceAllWith",
    "ReplaceStrategy",
]
