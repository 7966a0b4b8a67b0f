"""Outputs of a run."""

from graph_core.streaming.outputs import (
    InterruptionMetadata,
    NodeOutput,
    RunResult,
    RunStatus,
    StateSnapshot,
    StreamMode,
)

__all__ = ["InterruptionMetadata", "NodeOutput", "RunResult", "RunStatus", "StateSnapshot", "StreamMode"]
