"""The errors of the library and the problems that a compile reports."""

from graph_core.exception.errors import (
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
    "GraphProblem",
    "GraphRunnerException",
    "GraphStateException",
    "InvalidRecordError",
    "RemoteActionError",
    "StateMergeError",
    "UnresolvedHintWarning",
    "UntrackedKeyError",
]
