"""Threads that do the same at once (rule K8)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import TYPE_CHECKING

from graph_core.checkpoint.changes import Append
from graph_core.checkpoint.checkpoint import BranchRecord
from graph_core.checkpoint.conformance.story import SaverTests, Story
from graph_core.checkpoint.errors import LostThreadError, ThreadBusyError, ThreadExistsError

if TYPE_CHECKING:
    from collections.abc import Callable

_CROWD = 8


def _at_once(*calls: Callable[[], object]) -> list[object]:
    """Call all at the same moment; give what each returned, or the saver's error."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return call()
        except (LostThreadError, ThreadBusyError, ThreadExistsError) as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def _taken_over(story: Story) -> str | None:
    return story.take(take_over=True).head


class RaceTests(SaverTests):
    """Of those that race, one wins."""

    def test_one_of_many_takes_a_new_thread(self) -> None:
        """The others get `thread_busy`."""
        saver = self.saver()
        stories = [Story(saver, run_id=f"run {number}") for number in range(_CROWD)]
        found = _at_once(*[story.take for story in stories])
        assert [type(one) for one in found].count(ThreadBusyError) == _CROWD - 1

    def test_one_of_many_takes_a_free_thread(self) -> None:
        """And it is the one that the thread names."""
        saver = self.saver()
        for number in range(5):
            stories = [Story(saver, run_id=f"run {number} {place}") for place in range(_CROWD)]
            found = _at_once(*[story.take for story in stories])
            (winner,) = [story for story, one in zip(stories, found, strict=True) if not isinstance(one, Exception)]
            state = saver.state_of("t")
            assert state is not None
            assert state.owner == winner.run_id
            winner.end()

    def test_after_take_overs_at_once_one_holds_it(self) -> None:
        """All take it over, the last one has it."""
        story = self.story()
        stories = [Story(story.saver, run_id=f"run {number}") for number in range(_CROWD)]
        _at_once(*[partial(story.take, take_over=True) for story in stories])
        found = _at_once(*[story.put for story in stories])
        assert [isinstance(one, LostThreadError) for one in found].count(False) == 1

    def test_a_put_races_with_a_take_over(self) -> None:
        """The put is either in the history that the new owner finds, or lost."""
        for _ in range(5):
            story = self.story()
            put, found = _at_once(story.put, partial(_taken_over, Story(story.saver, run_id="second")))
            assert isinstance(put, LostThreadError) if found is None else put == found

    def test_records_from_many_threads(self) -> None:
        """K7: branches finish at once, and nothing is lost."""
        story = self.story()
        entry = story.put()

        def append(place: int) -> None:
            for step in range(5):
                record = BranchRecord(key=(place,), node_id="b", step=step, updates=({"x": step},))
                story.saver.put_record("t", entry, record, run_id="run")

        _at_once(*[partial(append, place) for place in range(_CROWD)])
        found = story.read().records
        for place in range(_CROWD):
            assert [record.step for record in found if record.key == (place,)] == [0, 1, 2, 3, 4]

    def test_puts_from_many_threads(self) -> None:
        """Of several that follow on one head, one is the next; none is half there."""
        story = self.story()
        first = story.put()
        found = _at_once(*[partial(story.put, {"m": Append([1])}, parent_id=first)] * _CROWD)
        assert [isinstance(one, LostThreadError) for one in found].count(False) == 1
        assert (len(story.ids()), story.state()) == (2, {"m": [1]})

    def test_many_threads_write_their_own(self) -> None:
        """Threads are independent of each other."""
        saver = self.saver()

        def run(name: str) -> None:
            story = Story(saver, name, f"run of {name}").begun()
            for number in range(10):
                story.put({"m": Append([number])})
            story.end()

        _at_once(*[partial(run, f"t{number}") for number in range(_CROWD)])
        assert sorted(saver.threads()) == sorted(f"t{number}" for number in range(_CROWD))
        assert all(Story(saver, name).state() == {"m": [*range(10)]} for name in saver.threads())

    def test_readers_see_whole_checkpoints(self) -> None:
        """Whoever reads while a run writes sees one of its states, with the history to it."""
        story = self.story()
        story.put({"m": Append([0])})

        def write() -> None:
            for number in range(1, 30):
                story.put({"m": Append([number])})

        def read() -> list[bool]:
            return [found.state["m"] == [*range(len(found.state["m"]))] for found in [story.read() for _ in range(20)]]

        found = _at_once(write, read, read)
        assert found[1:] == [[True] * 20] * 2

    def test_one_of_many_copies(self) -> None:
        """Only one thread of that id comes to be."""
        story = self.story()
        story.set(x=1)
        found = _at_once(*[partial(story.saver.copy, "t", "new")] * _CROWD)
        assert (found.count(None), [*story.saver.threads()]) == (1, ["t", "new"])
