"""Exception classes; the names of the Java library are kept (rule E1)."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, ClassVar, final

import attrs

from graph_core.exception.texts import shown

if TYPE_CHECKING:
    from collections.abc import Sequence


@final
@attrs.frozen
class GraphProblem:
    """One thing that is wrong with a graph definition.

    Args:
        code: machine readable name of the problem, the snake_case form of the Java constant.
        message: what is wrong, where, and what would be right.
        place: the part of the graph, for example ``edge a → zz``.
    """

    code: str
    message: str
    place: str

    def __str__(self) -> str:
        """Give the problem as one line: ``[code] place: message``."""
        return f"[{self.code}] {self.place}: {self.message}"


class InvalidRecordError(TypeError, ValueError):
    """A record was built from arguments that it can not hold."""

    code: ClassVar[str] = "invalid_record"


class GraphStateException(ValueError):
    """A graph definition that can not be compiled.

    Args:
        errors: every problem that was found, at least one.

    >>> GraphStateException([GraphProblem("missing_entry_point", "no edge leaves START", "graph")]).code
    'missing_entry_point'
    """

    def __init__(self, errors: Sequence[GraphProblem]) -> None:
        super().__init__(tuple(errors))
        self.errors: tuple[GraphProblem, ...] = tuple(errors)

    @property
    def code(self) -> str:
        """Code of the first problem."""
        return self.errors[0].code

    def __str__(self) -> str:
        """List all problems, one a line."""
        return "\n".join(map(str, self.errors))


class GraphRunnerException(RuntimeError):
    """A run that can not go on.

    Args:
        message: what is wrong, where, and what would be right.
        code: machine readable name of the error.
        node_id: the node (or source of the route) that failed, if there is one.
        thread_id: the thread of the run, if it is known.

    Attributes:
        problems: everything that is wrong with the inputs, each with its path, if that is the error.

    >>> GraphRunnerException("node 'a' failed", "execution_error", "a").node_id
    'a'
    """

    def __init__(
        self,
        message: str,
        code: str = "execution_error",
        node_id: str | None = None,
        thread_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.node_id = node_id
        self.thread_id = thread_id
        self.problems: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle with the cause, so that it survives a process boundary."""
        return _unpacked, (type(self), self.args, self.__dict__, _packed(self.__cause__))


class StateMergeError(GraphRunnerException):
    """An update that a key strategy can not merge.

    Args:
        message: what is wrong, naming the key.
        code: machine readable name of the error.
        key: the key whose strategy failed.
    """

    def __init__(self, message: str, code: str = "state_merge", key: str = "") -> None:
        super().__init__(message, code)
        self.key = key


class RemoteActionError(RuntimeError):
    """An action in another process raised an exception that can not be pickled: its text and traceback."""


@final
class GraphInterrupt(BaseException):
    """What `interrupt` stops its node with: a question that nobody has answered yet.

    Args:
        payload: what is asked.
        index: how many questions of this call of the node were answered before.
    """

    def __init__(self, payload: Any = None, index: int = 0) -> None:
        super().__init__(payload, index)
        self.payload = payload
        self.index = index

    def __str__(self) -> str:
        """Tell what to do where nothing pauses."""
        return f"interrupt({shown(self.payload)}) pauses a run, so it has to be called by a node of a graph that runs"


class UntrackedKeyError(KeyError):
    """A key that is not kept in checkpoints was read after a resume, before anything wrote it (rule K10)."""

    def __str__(self) -> str:
        """Give the text as it is."""
        return str(self.args[0])


class UnresolvedHintWarning(UserWarning):
    """A type hint of an action that can not be resolved, so nothing is inferred from it (rule R10)."""


def _packed(cause: BaseException | None) -> bytes:
    """Pickle a cause, each one of a chain once; of one that can not travel, its text."""
    try:
        packed = pickle.dumps(cause)
        pickle.loads(packed)  # noqa: S301  (our own bytes: only a test whether it can travel)
    except Exception:  # noqa: BLE001  (whatever a foreign __reduce__ raises, its text still travels)
        return pickle.dumps(RuntimeError(shown(cause)))
    return packed


def _unpacked(
    kind: type[GraphRunnerException], args: tuple[Any, ...], entries: dict[str, Any], cause: bytes
) -> GraphRunnerException:
    error = kind(*args)
    error.__dict__.update(entries)
    error.__cause__ = pickle.loads(cause)  # noqa: S301  (inside a pickle that is being loaded already)
    return error
