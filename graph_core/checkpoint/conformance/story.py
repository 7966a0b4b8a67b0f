"""What the tests are told with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar, final

from graph_core.checkpoint.changes import Change, Put
from graph_core.checkpoint.checkpoint import BranchRecord, Checkpoint
from graph_core.checkpoint.ids import new_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graph_core.checkpoint.base_saver import BaseCheckpointSaver
    from graph_core.checkpoint.retention import Retention
    from graph_core.checkpoint.thread import ThreadState, ThreadStatus

E = TypeVar("E", bound=BaseException)


@final
class Clock:
    """A clock that stands still until it is put forward."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        """Give the seconds since 1970."""
        return self.now


def caught(kind: type[E], call: Callable[..., object], *args: Any, **options: Any) -> E:
    """Call, and give the error that it must raise."""
    try:
        call(*args, **options)
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


@final
class Story:
    """A run on a thread.

    Args:
        saver: holds the thread.
        thread_id: the thread.
        run_id: the run.
    """

    def __init__(self, saver: BaseCheckpointSaver, thread_id: str = "t", run_id: str = "run") -> None:
        self.saver = saver
        self.thread_id = thread_id
        self.run_id = run_id
        self.heads: dict[tuple[str, ...], str] = {}

    def take(self, **options: Any) -> ThreadState:
        """Take the thread."""
        return self.saver.take(self.thread_id, self.run_id, **options)

    def begun(self, **options: Any) -> Story:
        """Take the thread, and give the story."""
        self.take(**options)
        return self

    def entry(self, **fields: Any) -> Checkpoint:
        """Make a checkpoint that follows on the last."""
        path: tuple[str, ...] = fields.get("path", ())
        given: dict[str, Any] = {"id": new_id(), "parent_id": self.heads.get(path), "node_id": "a", "step": 1, **fields}
        return Checkpoint(thread_id=self.thread_id, run_id=self.run_id, **given)

    def put(self, changes: Mapping[str, Change] | None = None, *, fork: bool = False, **fields: Any) -> str:
        """Put a checkpoint, and give its id."""
        checkpoint = self.entry(**fields)
        self.saver.put(checkpoint, changes or {}, run_id=self.run_id, fork=fork)
        self.heads[checkpoint.path] = checkpoint.id
        return checkpoint.id

    def set(self, **values: Any) -> str:
        """Put a checkpoint that sets keys."""
        return self.put({key: Put(value) for key, value in values.items()})

    def record(self, checkpoint_id: str, node_id: str = "b", **fields: Any) -> None:
        """Append a branch record."""
        given: dict[str, Any] = {"key": (0,), "step": 2, **fields}
        record = BranchRecord(node_id=node_id, **given)
        self.saver.put_record(self.thread_id, checkpoint_id, record, run_id=self.run_id)

    def end(self, status: ThreadStatus = "done", data: Mapping[str, Any] | None = None) -> None:
        """Give the thread back."""
        self.saver.give_back(self.thread_id, self.run_id, status, data)

    def read(self, checkpoint_id: str | None = None, **options: Any) -> Checkpoint:
        """Read a checkpoint that must be there."""
        found = self.saver.get(self.thread_id, checkpoint_id, **options)
        assert found is not None
        return found

    def state(self, checkpoint_id: str | None = None) -> dict[str, Any]:
        """Read a state."""
        return dict(self.read(checkpoint_id).state)

    def ids(self, **options: Any) -> list[str]:
        """Read the ids of the history, newest first."""
        return [found.id for found in self.saver.list(self.thread_id, **options)]


class SaverTests(ABC):
    """What all tests share: savers, closed at the end."""

    _open: list[BaseCheckpointSaver]

    @abstractmethod
    def make_saver(self, **options: Any) -> BaseCheckpointSaver:
        """Make a saver with no threads; each call makes one that shares nothing with the others."""

    def reopened(self, saver: BaseCheckpointSaver) -> BaseCheckpointSaver:
        """Give another saver on the same storage, as another process has it; the same one if that can not be."""
        return saver

    def setup_method(self) -> None:
        """Begin."""
        self._open = []

    def teardown_method(self) -> None:
        """Close what was made."""
        for saver in self._open:
            saver.close()

    def saver(self, *, clock: Clock | None = None, retention: Retention | None = None) -> BaseCheckpointSaver:
        """Make a saver."""
        given = {"clock": clock, "retention": retention}
        made = self.make_saver(**{name: value for name, value in given.items() if value is not None})
        self._open.append(made)
        return made

    def other(self, saver: BaseCheckpointSaver) -> BaseCheckpointSaver:
        """Open the storage of a saver once more."""
        made = self.reopened(saver)
        self._open.append(made)
        return made

    def story(self, thread_id: str = "t", run_id: str = "run", *, retention: Retention | None = None) -> Story:
        """Begin a run on a thread of a new saver."""
        return Story(self.saver(retention=retention), thread_id, run_id).begun()
