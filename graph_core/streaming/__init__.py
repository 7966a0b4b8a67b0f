"""Outputs of a run."""

from graph_core.streaming.outputs import NodeOutput, RunResult, RunStatus, StreamMode

__all__ = ["NodeOutput", "RunResult", "RunStatus", "StreamMode"]
