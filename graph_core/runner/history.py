"""What a run leaves in the saver: entries, branch records, the state of its thread (rules K1, K6 to K10, X5)."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from functools import partial
from itertools import islice
from operator import is_
from typing import TYPE_CHECKING, Any, Final, final

import attrs

from graph_core.checkpoint import (
    Append,
    BranchRecord,
    Checkpoint,
    CheckpointSaverError,
    LostThreadError,
    Put,
    Remove,
    ThreadBusyError,
    UnknownThreadError,
    new_id,
)
from graph_core.checkpoint.codec import ATOMS
from graph_core.exception import GraphRunnerException, InvalidRecordError
from graph_core.node import END
from graph_core.runner.asks import Save
from graph_core.runner.failures import told, unwritten
from graph_core.state import OverAllState
from graph_core.state.frozen import FrozenMapping
from graph_core.state.markers import RemoveByHash
from graph_core.state.nested import CONTAINERS, MARKERS
from graph_core.state.strategies import AppendStrategy, ReplaceStrategy

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from graph_core.checkpoint import BaseCheckpointSaver, Change, ThreadState, ThreadStatus
    from graph_core.state import KeyStrategy

NOTHING: Final[Mapping[str, Any]] = FrozenMapping()
PENDING: Final[Mapping[str, Any]] = FrozenMapping({"pending": True})
"""Data of an entry whose node is done, but not its routes: resume evaluates them again (X3)."""
_ABSENT: Final = object()
_UNWRITTEN: Final = ("serialization_failed", "unregistered_type")  # then the saver itself is as it was


@final
@attrs.define(eq=False)  # made twice for each step that is kept, and a frozen one costs three times as much
class Boundary:
    """Where a run stands between two steps; nobody writes to it.

    Args:
        node_id: the node that is done.
        next_ids: the nodes that come next.
        state: the state there.
        step: the step of the node.
        data: what else has to be known to go on.
    """

    node_id: str
    next_ids: tuple[str, ...]
    state: OverAllState[Any]
    step: int
    data: Mapping[str, Any] = NOTHING


def with_records(boundary: Boundary, records: Sequence[BranchRecord]) -> Boundary:
    """Give the entry of a region that takes over what branches have done before it: both are stored at once."""
    if not records and "done" not in boundary.data:
        return boundary
    done = [(each.key, each.node_id, each.next, each.step, each.updates) for each in records]
    return attrs.evolve(boundary, data={**boundary.data, "done": done})


def is_over(next_ids: Sequence[str], data: Mapping[str, Any], records: Sequence[BranchRecord]) -> bool:
    """Tell whether a run ended at an entry, and does not pause there."""
    return tuple(next_ids) == (END,) and ("pause" not in data or any("resumed" in each.next for each in records))


def records_at(checkpoint: Checkpoint) -> Sequence[BranchRecord]:
    """Give all that branches have done at an entry."""
    done = checkpoint.data.get("done")
    if not done:
        return checkpoint.records
    before = [
        BranchRecord(key=tuple(key), node_id=node_id, next=following, step=step, updates=tuple(updates))
        for key, node_id, following, step, updates in done
    ]
    return (*before, *checkpoint.records)


@final
class History:
    """The thread of a run in its saver.

    Args:
        saver: where it is kept.
        thread_id: the thread.
        run_id: the run.
        is_private: nothing is written unless the run stops unfinished (X5).
        lease: seconds for which the thread is taken, renewed by the saver.
        untracked: keys that are never written (K10).
        strategy: key → its strategy.
    """

    def __init__(
        self,
        saver: BaseCheckpointSaver,
        thread_id: str,
        run_id: str,
        *,
        is_private: bool,
        lease: float,
        untracked: frozenset[str],
        strategy: Callable[[str], KeyStrategy],
    ) -> None:
        self.is_private = is_private
        self.saver = saver
        self._thread_id = thread_id
        self._run_id = run_id
        self._lease = lease
        self._untracked = untracked
        self._strategy = strategy
        self._found: ThreadState | None = None
        self._is_broken = False
        self._is_lost = False
        self._head: str | None = None
        self._forks = False
        self._is_finished = False
        self._saved: Boundary | None = None
        self._base: Mapping[str, Any] = NOTHING
        self._lengths: dict[str, int] = {}
        self.has_begun = False

    def save(self, call: Callable[[], Any]) -> Save:
        """Make the ask for a call of the saver."""
        return Save(partial(self._called, call), self.saver.blocks)

    def _called(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (GraphRunnerException, InvalidRecordError):  # what the saver says, or refuses
            raise
        except Exception as error:
            text = f"the saver failed with {type(error).__name__}: {error}"
            raise CheckpointSaverError(text, thread_id=self._thread_id) from error

    # --- a run begins -------------------------------------------------------------------------------------------

    def opened(
        self, checkpoint_id: str | None, *, create: bool, take_over: bool
    ) -> Generator[Save, Any, Checkpoint | None]:
        """Take the thread, and give the checkpoint to go on from: the given one, else the last.

        Raises:
            GraphRunnerException: another run holds the thread, or it (or the checkpoint) is not known.
        """
        yield self.save(partial(self._take, create=create, take_over=take_over))
        get = partial(self.saver.get, self._thread_id, checkpoint_id, path=())
        checkpoint: Checkpoint | None = yield self.save(get)
        if checkpoint is not None:
            self._head, self._base = checkpoint.id, checkpoint.state
            self._forks = self._found is not None and checkpoint.id != self._found.head
            is_done = is_over(checkpoint.next_node_ids, checkpoint.data, records_at(checkpoint))
            self._is_finished = is_done and not self._forks
        return checkpoint

    def _take(self, *, create: bool, take_over: bool) -> None:
        options: dict[str, Any] = {"lease": self._lease, "create": create, "take_over": take_over}
        self._found = self.saver.take(self._thread_id, self._run_id, **options)

    @property
    def head(self) -> str:
        """The id of the entry that was written last."""
        return self._head or ""

    @property
    def forks(self) -> bool:
        """Tell whether the run goes on from another checkpoint than the last one."""
        return self._forks

    def found_at(self, boundary: Boundary) -> None:
        """Note where the thread stands already."""
        self._saved, self._base = boundary, boundary.state

    # --- a run goes on ------------------------------------------------------------------------------------------

    def entry(self, boundary: Boundary, updates: Iterable[Mapping[str, Any]] | None) -> Iterable[Save]:
        """Store an entry: give the ask for it, or none if the saver never blocks and so has stored it at once.

        Args:
            boundary: where the run stands.
            updates: what was merged since the last entry; `None`: look at every key.
        """
        put = partial(self._put, boundary, updates)
        if self.saver.blocks:
            return (self.save(put),)
        self._called(put)
        return ()

    def records(self, records: Sequence[BranchRecord]) -> Save:
        """Make the ask to append branch records to the last entry."""
        return self.save(partial(self._put_records, records))

    def _put(self, boundary: Boundary, updates: Iterable[Mapping[str, Any]] | None) -> None:
        checkpoint = Checkpoint(
            id=new_id(),
            thread_id=self._thread_id,
            parent_id=self._head,
            node_id=boundary.node_id,
            next_node_ids=boundary.next_ids,
            step=boundary.step,
            run_id=self._run_id,
            data=boundary.data,
        )
        changes = self._changes(boundary.state, updates)
        try:
            self.saver.put(checkpoint, changes, run_id=self._run_id, fork=self._forks)
        except BaseException as error:
            self._broke(error)
            raise
        self._head, self._forks = checkpoint.id, False
        for key in changes:
            value: Any = boundary.state.get(key)
            if value.__class__ is list:
                self._lengths[key] = len(value)
        self._saved, self._base = boundary, boundary.state

    def _put_records(self, records: Sequence[BranchRecord]) -> None:
        """Append records; one that can not be written names its node, and the others are appended without it."""
        try:
            self.saver.put_records(self._thread_id, self.head, records, run_id=self._run_id)
        except BaseException as error:
            if isinstance(error, GraphRunnerException) and error.code in _UNWRITTEN:
                raise self._unwritten(records, error) from error
            self._broke(error)
            raise

    def _unwritten(self, records: Sequence[BranchRecord], error: GraphRunnerException) -> GraphRunnerException:
        """Give the failure of the first record that can not be written; the others are appended."""
        if len(records) == 1:
            return unwritten(records[0].node_id, error)
        failed = [error]
        for record in records:
            try:
                self._put_records([record])
            except GraphRunnerException as each:
                failed.append(each)
        return failed[1]

    def _broke(self, error: BaseException) -> None:
        """Write nothing else after a failure, and do not give back a thread that was lost."""
        self._is_broken = True
        self._is_lost = isinstance(error, LostThreadError)

    def _changes(self, state: Mapping[str, Any], updates: Iterable[Mapping[str, Any]] | None) -> dict[str, Change]:
        found: dict[str, Change] = {}
        if updates is None:
            for key in {**self._base, **state}:
                self._change(found, key, state, is_appended=False, is_given=False)
            return found
        for update in updates:
            for key, value in update.items():
                is_appended = value.__class__ not in MARKERS and not _removes(value)
                if key in found:
                    is_appended = is_appended and found[key].__class__ is Append
                self._change(found, key, state, is_appended=is_appended, is_given=True)
        return found

    def _change(
        self, found: dict[str, Change], key: str, state: Mapping[str, Any], *, is_appended: bool, is_given: bool
    ) -> None:
        """Tell what became of a key."""
        old: Any = self._base.get(key, _ABSENT)
        new: Any = state.get(key, _ABSENT)
        if key in self._untracked or (new is old and (not is_given or new is _ABSENT or new.__class__ in ATOMS)):
            return
        if new is _ABSENT:
            found[key] = Remove()
            return
        if is_appended and new.__class__ is list and old.__class__ is list and new is not old:
            kept = self._lengths.get(key, len(old))  # the old one may have been changed in place
            if kept <= min(len(old), len(new)) and self._only_grows(key, new, islice(old, kept)):
                found[key] = Append(new[kept:])
                return
        found[key] = Put(new)

    def _only_grows(self, key: str, new: Iterable[Any], kept: Iterable[Any]) -> bool:
        """Tell whether an update that was merged under a key can only have added to the list."""
        strategy = self._strategy(key)
        if isinstance(strategy, AppendStrategy) and strategy.allow_duplicate:
            return True
        return not isinstance(strategy, ReplaceStrategy) and all(map(is_, new, kept))

    # --- a run ends ---------------------------------------------------------------------------------------------

    def ended(
        self,
        status: ThreadStatus,
        boundary: Boundary | None,
        left: Callable[[], Sequence[BranchRecord]],
        failure: GraphRunnerException | None,
        *,
        release: bool,
    ) -> Iterator[Save]:
        """Give the calls that are left when a run is over: to save where it stands, and to give the thread back.

        Args:
            status: how it ended.
            boundary: where it stands.
            left: gives what branches have done that is not saved yet.
            failure: why it failed.
            release: take a finished thread out of the saver.
        """
        if self.is_private:
            is_done = boundary is None or (status == "cancelled" and boundary.next_ids == (END,))
            if status != "done" and boundary is not None and not is_done:
                keep = partial(self._keep_private, status, boundary, left, failure)
                yield self.save(partial(_noted, failure, keep))
        elif self._found is not None and not self._is_lost:
            yield self.save(partial(self._leave, status, boundary, left, failure, release=release))

    def _leave(
        self,
        status: ThreadStatus,
        boundary: Boundary | None,
        left: Callable[[], Sequence[BranchRecord]],
        failure: GraphRunnerException | None,
        *,
        release: bool,
    ) -> None:
        """Save where the run stands, if that is not saved, and give the thread back, whatever becomes of that."""
        is_new = boundary is not self._saved or (self._forks and status != "done")  # a fork becomes the head
        try:
            if self.has_begun and boundary is not None and not self._is_broken:
                if is_new:
                    _noted(failure, partial(self._put, boundary, None))
                if records := left():
                    _noted(failure, partial(self._put_records, records))
        finally:
            if status == "cancelled" and self._saved is not None and self._saved.next_ids == (END,):
                status = "done"  # only its last outputs were not read
            if not (release and status == "done" and self._is_released()):
                self._give_back(status, failure)

    def _is_released(self) -> bool:
        """Take a finished thread out of the saver while the run still holds it; tell whether it did."""
        with contextlib.suppress(ThreadBusyError, UnknownThreadError):  # another run has taken it over
            self.saver.release(self._thread_id, run_id=self._run_id)
            return True
        return False

    def _keep_private(
        self,
        status: ThreadStatus,
        boundary: Boundary,
        left: Callable[[], Sequence[BranchRecord]],
        failure: GraphRunnerException | None,
    ) -> None:
        """Store the one checkpoint of a private run that stops unfinished, as a thread of its own."""
        whole = with_records(boundary, left())
        self._take(create=True, take_over=False)
        self.has_begun = True
        try:
            self._put(whole, None)
        finally:
            self._give_back(status, failure)

    def _give_back(self, status: ThreadStatus, failure: GraphRunnerException | None) -> None:
        found = self._found
        data: Mapping[str, Any] = {}
        if found is not None and not self.has_begun:  # nothing ran: the thread is as it was
            status, data = "done" if self._is_finished else found.status, found.data
        elif failure is not None:
            data = {"error": told(failure)}
        # Whoever took the thread over meanwhile goes on from what this run has stored.
        with contextlib.suppress(LostThreadError):
            self.saver.give_back(self._thread_id, self._run_id, status, data)


def _noted(failure: GraphRunnerException | None, call: Callable[[], None]) -> None:
    """Save what a run that has failed leaves; that it can not be saved must not hide why it failed.

    Raises:
        Exception: it can not be saved, and the run has not failed.
    """
    try:
        call()
    except Exception as error:
        if failure is None:
            raise
        failure.add_note(f"where it stands could not be saved: {error}")


def _removes(value: Any) -> bool:
    """Tell whether a new value takes elements away, so that a list under APPEND does not only grow."""
    return isinstance(value, CONTAINERS) and any(item.__class__ is RemoveByHash for item in value)
