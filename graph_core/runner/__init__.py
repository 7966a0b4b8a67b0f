"""Running compiled graphs: the engine without I/O, and its two drivers."""

from graph_core.runner.context import GraphRunnerContext

__all__ = ["GraphRunnerContext"]
