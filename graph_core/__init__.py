"""Typed graphs of actions: build, compile, and run them; parallel branches join where they should."""

from typing import TYPE_CHECKING, Any

from graph_core.action import (
    Command,
    CommandAction,
    InterruptableAction,
    MultiCommand,
    MultiCommandAction,
    NodeRef,
    Send,
    interrupt,
)
from graph_core.checkpoint import BaseCheckpointSaver, BranchRecord, Checkpoint, Retention
from graph_core.compiled_graph import CompiledGraph
from graph_core.config import INLINE, CompileConfig, NodeAggregationStrategy, RunnableConfig
from graph_core.edge import DEFAULT, Edge, EdgeCondition, EdgeValue, TypedRoute, route
from graph_core.exception import (
    GraphInterrupt,
    GraphProblem,
    GraphRunnerException,
    GraphStateException,
    InvalidRecordError,
    RemoteActionError,
    StateMergeError,
    UnresolvedHintWarning,
    UntrackedKeyError,
)
from graph_core.node import END, START, ConditionalParallelNode, Node, ParallelNode
from graph_core.runner import GraphRunnerContext
from graph_core.state import (
    APPEND,
    MERGE,
    REMOVE,
    REPLACE,
    UNTRACKED,
    AppendStrategy,
    KeyStrategy,
    KeyStrategyFactory,
    KeyStrategyFactoryBuilder,
    MergeStrategy,
    OverAllState,
    Overwrite,
    RemoveByHash,
    ReplaceAllWith,
    ReplaceStrategy,
)
from graph_core.state_graph import StateGraph
from graph_core.streaming import InterruptionMetadata, NodeOutput, RunResult, StateSnapshot, StreamMode

if TYPE_CHECKING:
    from graph_core.checkpoint.savers import DatabaseSaver, MemorySaver


def __getattr__(name: str) -> Any:
    """Import a saver when it is first asked for: not every graph keeps checkpoints."""
    if name in {"DatabaseSaver", "MemorySaver"}:
        from graph_core.checkpoint import savers

        return getattr(savers, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "APPEND",
    "DEFAULT",
    "END",
    "INLINE",
    "MERGE",
    "REMOVE",
    "REPLACE",
    "START",
    "UNTRACKED",
    "AppendStrategy",
    "BaseCheckpointSaver",
    "BranchRecord",
    "Checkpoint",
    "Command",
    "CommandAction",
    "CompileConfig",
    "CompiledGraph",
    "ConditionalParallelNode",
    "DatabaseSaver",
    "Edge",
    "EdgeCondition",
    "EdgeValue",
    "GraphInterrupt",
    "GraphProblem",
    "GraphRunnerContext",
    "GraphRunnerException",
    "GraphStateException",
    "InterruptableAction",
    "InterruptionMetadata",
    "InvalidRecordError",
    "KeyStrategy",
    "KeyStrategyFactory",
    "KeyStrategyFactoryBuilder",
    "MemorySaver",
    "MergeStrategy",
    "MultiCommand",
    "MultiCommandAction",
    "Node",
    "NodeAggregationStrategy",
    "NodeOutput",
    "NodeRef",
    "OverAllState",
    "Overwrite",
    "ParallelNode",
    "RemoteActionError",
    "RemoveByHash",
    "ReplaceAllWith",
    "ReplaceStrategy",
    "Retention",
    "RunResult",
    "RunnableConfig",
    "Send",
    "StateGraph",
    "StateMergeError",
    "StateSnapshot",
    "StreamMode",
    "TypedRoute",
    "UnresolvedHintWarning",
    "UntrackedKeyError",
    "interrupt",
    "route",
]
