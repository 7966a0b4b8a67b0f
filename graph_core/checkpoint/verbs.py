"""The verbs of a checkpoint saver (rules K1, K8, K9)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from graph_core.checkpoint.changes import Change
    from graph_core.checkpoint.checkpoint import BranchRecord, Checkpoint
    from graph_core.checkpoint.codec import ValueSerializer
    from graph_core.checkpoint.retention import Retention
    from graph_core.checkpoint.thread import Tag, ThreadState, ThreadStatus


class SaverVerbs(ABC):
    """Keeps threads and their checkpoints.

    A run takes its thread, puts checkpoints, and gives the thread back; whoever writes and does not
    hold the thread gets a `LostThreadError`, and of two that race for a thread exactly one wins.
    A thread exists from the first `take` on. Every verb may be called from any thread, and either
    does all it says or nothing.
    """

    is_shared: bool = False
    """Whether processes can share it; then leases run out, else a thread stays taken until it is given back."""
    blocks: ClassVar[bool] = True
    """Whether a verb may take long, so that the `a`-twins call it in a thread of their own."""

    @property
    @abstractmethod
    def serializer(self) -> ValueSerializer | None:
        """What writes the values; `None` if the saver keeps copies."""

    @abstractmethod
    def with_serializer(self, serializer: ValueSerializer) -> Self:
        """Give the same saver with the same threads, its values written and read by another serializer.

        A saver that keeps copies gives itself.
        """

    # --- a run and its thread ---------------------------------------------------------------------------------------

    @abstractmethod
    def take(
        self,
        thread_id: str,
        run_id: str,
        *,
        lease: float = 30.0,
        take_over: bool = False,
        create: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> ThreadState:
        """Take a thread for a run, by compare-and-set; until it is given back the saver renews the lease.

        Args:
            thread_id: any text without NUL.
            run_id: unique; no two runs have the same.
            lease: seconds after which the thread counts as free if its process has died.
            take_over: take it from a run that still holds it.
            create: make the thread if there is none.
            metadata: is laid over what is stored of the thread.

        Returns:
            The thread as it was found, its former owner and status included.

        Raises:
            ThreadBusyError: another run holds it, and its lease has not run out; nothing was changed.
            UnknownThreadError: there is none, and `create` is false.
        """

    @abstractmethod
    def renew(self, thread_id: str, run_id: str, lease: float = 30.0) -> None:
        """Let a lease of so many seconds begin; shared savers do it by themselves while the process lives.

        Raises:
            LostThreadError: the run does not hold the thread.
        """

    @abstractmethod
    def give_back(
        self, thread_id: str, run_id: str, status: ThreadStatus, data: Mapping[str, Any] | None = None
    ) -> None:
        """Give a thread back, and store how the run ended; `data` replaces what there is.

        Raises:
            LostThreadError: the run does not hold the thread.
        """

    @abstractmethod
    def put(self, checkpoint: Checkpoint, changes: Mapping[str, Change], *, run_id: str, fork: bool = False) -> None:
        """Store a checkpoint; it becomes the head of its path.

        Args:
            checkpoint: without state and records; its parent is the head of its path (`None` if there is none).
            changes: what is different from the parent's state, key by key; of no parent: the whole state.
            run_id: the run that holds the thread.
            fork: the parent is any checkpoint of the path, or `None` to start the path anew.

        Raises:
            LostThreadError: the run does not hold the thread, or the parent is not the head; nothing was saved.
            UnknownCheckpointError: it forks from a checkpoint that the path does not hold.
            DuplicateCheckpointError: the thread holds a checkpoint of that id.
            SerializationError: a value can not be written; it names the key.
            UncopyableValueError: the same of a saver that keeps copies.
        """

    @abstractmethod
    def put_records(self, thread_id: str, checkpoint_id: str, records: Sequence[BranchRecord], *, run_id: str) -> None:
        """Append branch records to a checkpoint, all or none; they are no entries of the history.

        Raises:
            LostThreadError: the run does not hold the thread; nothing was saved.
            UnknownCheckpointError: the thread holds no such checkpoint.
            SerializationError: a value can not be written.
            UncopyableValueError: the same of a saver that keeps copies.
        """

    @final
    def put_record(self, thread_id: str, checkpoint_id: str, record: BranchRecord, *, run_id: str) -> None:
        """Append one branch record, as `put_records` does."""
        self.put_records(thread_id, checkpoint_id, (record,), run_id=run_id)

    # --- reading ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def get(
        self, thread_id: str, checkpoint_id: str | None = None, *, path: tuple[str, ...] | None = None
    ) -> Checkpoint | None:
        """Give a checkpoint with its state and records.

        Args:
            thread_id: the thread; of one that is not known there is no checkpoint.
            checkpoint_id: which; the head of the path if it is not given.
            path: only of this path; without an id, `()` if it is not given.

        Raises:
            UnknownCheckpointError: the thread (or path) holds no checkpoint of that id.
        """

    @abstractmethod
    def list(
        self,
        thread_id: str,
        *,
        limit: int | None = None,
        before: str | None = None,
        path: tuple[str, ...] = (),
        where: Mapping[str, Any] | None = None,
    ) -> Sequence[Checkpoint]:
        """Give a path's checkpoints, newest first by insertion; of a thread that is not known there are none.

        The states of one answer share the values that are equal, no list that grew.

        Args:
            thread_id: the thread.
            limit: at most so many.
            before: only those inserted before this one.
            path: of which path.
            where: only those whose metadata holds these entries.

        Raises:
            UnknownCheckpointError: the path holds no checkpoint `before`.
        """

    @abstractmethod
    def state_of(self, thread_id: str) -> ThreadState | None:
        """Give what is stored of a thread besides its history; `None` if there is no such thread."""

    @abstractmethod
    def threads(
        self,
        *,
        prefix: str = "",
        limit: int | None = None,
        after: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Sequence[str]:
        """Give the ids of threads in the order in which they were made.

        Args:
            prefix: only those that begin with it.
            limit: at most so many.
            after: only those made after this one.
            where: only those whose metadata holds these entries.

        Raises:
            UnknownThreadError: there is no thread `after`.
        """

    # --- keeping house ----------------------------------------------------------------------------------------------

    @abstractmethod
    def delete(self, thread_id: str, *, run_id: str | None = None) -> bool:
        """Delete a thread with all it holds, and tell whether there was one.

        Args:
            thread_id: the thread.
            run_id: the run that holds it, if one does.

        Raises:
            ThreadBusyError: another run holds it.
        """

    @abstractmethod
    def release(self, thread_id: str, *, run_id: str | None = None) -> Tag:
        """End a thread: take its checkpoints out of the saver, so that its id is free again.

        Raises:
            UnknownThreadError: there is no such thread, or it was released before.
            ThreadBusyError: a run other than `run_id` holds it.
        """

    @abstractmethod
    def copy(self, thread_id: str, new_thread_id: str) -> None:
        """Copy a thread under another id: history, ids, records, status, data and metadata; no owner.

        Raises:
            UnknownThreadError: there is no such thread.
            ThreadExistsError: there is a thread of the new id.
        """

    @abstractmethod
    def prune(self, thread_id: str, retention: Retention | None = None) -> int:
        """Drop what retention does not keep, and tell how many; what `get` gives for the others stays the same.

        Heads always stay. Without `retention` the saver's own holds; without either nothing goes.

        Raises:
            UnknownThreadError: there is no such thread.
        """

    def close(self) -> None:  # noqa: B027  (a saver that holds nothing has nothing to do)
        """Let go of connections and threads; what was put stays stored where it is stored. Twice is fine."""

    @final
    def __enter__(self) -> Self:
        return self

    @final
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
