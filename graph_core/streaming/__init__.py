"""Outputs of a run."""

from graph_core.streaming.outputs import NodeOutput, RunResult, RunStatus, StateSnapshot, StreamMode

__all__ = ["NodeOutput", "RunResult", "RunStatus", "StateSnapshot", "StreamMode"]
