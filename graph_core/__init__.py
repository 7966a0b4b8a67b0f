"""Typed graphs of actions: build, compile, and run them; parallel branches join where they should."""

from graph_core.action import Command, CommandAction, MultiCommand, MultiCommandAction, NodeRef, Send
from graph_core.compiled_graph import CompiledGraph
from graph_core.config import INLINE, CompileConfig, NodeAggregationStrategy, RunnableConfig
from graph_core.edge import DEFAULT, Edge, EdgeCondition, EdgeValue, TypedRoute, route
from graph_core.exception import (
    GraphProblem,
    GraphRunnerException,
    GraphStateException,
    InvalidRecordError,
    RemoteActionError,
    StateMergeError,
    UnresolvedHintWarning,
)
from graph_core.node import END, START, ConditionalParallelNode, Node, ParallelNode
from graph_core.runner import GraphRunnerContext
from graph_core.state import (
    APPEND,
    MERGE,
    REMOVE,
    REPLACE,
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
from graph_core.streaming import NodeOutput, RunResult, StreamMode

__all__ = [
    "APPEND",
    "DEFAULT",
    "END",
    "INLINE",
    "MERGE",
    "REMOVE",
    "REPLACE",
    "START",
    "AppendStrategy",
    "Command",
    "CommandAction",
    "CompileConfig",
    "CompiledGraph",
    "ConditionalParallelNode",
    "Edge",
    "EdgeCondition",
    "EdgeValue",
    "GraphProblem",
    "GraphRunnerContext",
    "GraphRunnerException",
    "GraphStateException",
    "InvalidRecordError",
    "KeyStrategy",
    "KeyStrategyFactory",
    "KeyStrategyFactoryBuilder",
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
    "RunResult",
    "RunnableConfig",
    "Send",
    "StateGraph",
    "StateMergeError",
    "StreamMode",
    "TypedRoute",
    "UnresolvedHintWarning",
    "route",
]
