"""What goes wrong with checkpoints and threads (rules K8, E1)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from graph_core.exception import GraphRunnerException
from graph_core.exception.texts import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMED = 5


class CheckpointSaverError(GraphRunnerException):
    """A saver that can not do what it was asked for.

    Args:
        message: what is wrong, where, and what would be right.
        code: machine readable name of the error.
        thread_id: the thread it is about, if there is one.

    >>> CheckpointSaverError("the file 'a.db' is locked").code
    'checkpoint_saver'
    """

    default_code = "checkpoint_saver"

    def __init__(self, message: str, code: str | None = None, thread_id: str | None = None) -> None:
        super().__init__(message, code or self.default_code, thread_id=thread_id)


class ThreadBusyError(CheckpointSaverError):
    """Another run holds the thread; nothing was changed."""

    default_code = "thread_busy"


class LostThreadError(CheckpointSaverError):
    """The run does not hold the thread, or not at that head; nothing was saved."""

    default_code = "lost_thread"


class UnknownThreadError(CheckpointSaverError):
    """There is no such thread."""

    default_code = "unknown_thread"


class ThreadExistsError(CheckpointSaverError):
    """There is such a thread already."""

    default_code = "thread_exists"


class UnknownCheckpointError(CheckpointSaverError):
    """The thread holds no such checkpoint."""

    default_code = "unknown_checkpoint"


class DuplicateCheckpointError(CheckpointSaverError):
    """The thread holds a checkpoint of that id already."""

    default_code = "duplicate_checkpoint"


class UncopyableValueError(CheckpointSaverError):
    """A value of the state that can not be copied, so that no checkpoint can keep it."""

    default_code = "uncopyable_value"


class ConflictError(CheckpointSaverError):
    """A row that is in a database already; savers turn it into one of the errors above."""


def busy(thread_id: str, owner: str) -> ThreadBusyError:
    """Another run holds the thread."""
    text = f"thread {thread_id!r} is held by run {owner!r}; wait until that run has ended, or take the thread over"
    return ThreadBusyError(f"{text} (take_over=True)", thread_id=thread_id)


def lost(thread_id: str, run_id: str, owner: str | None) -> LostThreadError:
    """A run writes to a thread that it does not hold; `owner` is `None` if there is no such thread."""
    if owner is None:
        now = "there is no such thread; it was never taken, or it was released or deleted"
    else:
        now = f"run {owner!r} holds it now" if owner else "no run holds it now; take it first"
    return LostThreadError(f"run {run_id!r} does not hold thread {thread_id!r}: {now}", thread_id=thread_id)


def not_the_head(thread_id: str, parent_id: str | None, head: str | None) -> LostThreadError:
    """A checkpoint that follows on one that is not the last one, and does not say that it forks."""
    text = f"thread {thread_id!r} stands at checkpoint {head!r}, not at {parent_id!r}"
    return LostThreadError(f"{text}; a checkpoint that follows on an older one says fork=True", thread_id=thread_id)


def unknown_thread(thread_id: str, known: Iterable[str]) -> UnknownThreadError:
    """There is no such thread; some that there are get named."""
    return UnknownThreadError(f"there is no thread {thread_id!r}; {_named('the threads', known)}", thread_id=thread_id)


def thread_exists(thread_id: str) -> ThreadExistsError:
    """There is such a thread already."""
    text = f"there is a thread {thread_id!r} already; choose another id, or delete or release that one first"
    return ThreadExistsError(text, thread_id=thread_id)


def unknown_checkpoint(thread_id: str, checkpoint_id: str, known: Iterable[str]) -> UnknownCheckpointError:
    """The thread holds no such checkpoint; its newest ones get named."""
    text = f"thread {thread_id!r} holds no checkpoint {checkpoint_id!r} there"
    return UnknownCheckpointError(f"{text}; {_named('the newest', known)}", thread_id=thread_id)


def duplicate_checkpoint(thread_id: str, checkpoint_id: str) -> DuplicateCheckpointError:
    """The thread holds a checkpoint of that id already."""
    text = f"thread {thread_id!r} holds a checkpoint {checkpoint_id!r} already; history is only added to"
    return DuplicateCheckpointError(text, thread_id=thread_id)


def uncopyable(where: str, value: object, error: Exception) -> UncopyableValueError:
    """A value that `copy.deepcopy` refuses."""
    text = f"{where}: {shown(value)} can not be copied into a checkpoint ({type(error).__name__}: {error})"
    return UncopyableValueError(f"{text}; mark the key UNTRACKED, or keep the object out of the state")


def _named(what: str, known: Iterable[str]) -> str:
    names = [*islice(known, _NAMED + 1)]
    more = ", …" if len(names) > _NAMED else ""
    return f"{what}: {', '.join(map(shown, names[:_NAMED]))}{more}" if names else "there are none"
