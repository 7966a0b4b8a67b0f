"""Settings of compiled graphs and of runs."""

from graph_core.config.aggregation import NodeAggregationStrategy
from graph_core.config.compile_config import CompileConfig
from graph_core.config.executors import INLINE, ActionExecutor
from graph_core.config.runnable_config import RunnableConfig

__all__ = ["INLINE", "ActionExecutor", "CompileConfig", "NodeAggregationStrategy", "RunnableConfig"]
