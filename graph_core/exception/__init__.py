"""The errors of the library and the problems that a compile reports."""

from graph_core.exception.errors import (
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

__all__ = [
    "GraphInterrupt",
    "GraphProblem",
    "GraphRunnerException",
    "GraphStateException",
    "InvalidRecordError",
    "RemoteActionError",
    "StateMergeError",
    "UnresolvedHintWarning",
    "UntrackedKeyError",
]
