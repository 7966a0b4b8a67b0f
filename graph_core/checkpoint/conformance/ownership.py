"""Who holds a thread (rules K6, K8, X5)."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from graph_core.checkpoint.conformance.story import Clock, SaverTests, Story, caught
from graph_core.checkpoint.errors import LostThreadError, ThreadBusyError, UnknownThreadError
from graph_core.checkpoint.thread import ThreadState

if TYPE_CHECKING:
    from graph_core.checkpoint.thread import ThreadStatus


class OwnershipTests(SaverTests):
    """take, give_back, leases, take-over."""

    def test_a_thread_that_was_never_taken(self) -> None:
        """The first take makes it."""
        story = Story(self.saver())
        assert story.take() == ThreadState(thread_id="t", status="new")
        held = ThreadState(thread_id="t", status="running", owner="run", is_live=True)
        assert story.saver.state_of("t") == held

    def test_how_a_run_ended_is_stored(self) -> None:
        """K6: status, data and head."""
        story = self.story()
        head = story.put()
        story.end("interrupted", {"pending": [{"id": "q"}]})
        ended = ThreadState(thread_id="t", status="interrupted", head=head, data={"pending": [{"id": "q"}]})
        assert story.saver.state_of("t") == ended
        assert (Story(story.saver, run_id="next").take(), ended.is_killed) == (ended, False)

    def test_every_status(self) -> None:
        """K6: running, interrupted, failed, limit, cancelled, done."""
        story = Story(self.saver())
        statuses: list[ThreadStatus] = ["interrupted", "failed", "limit", "cancelled", "done"]
        for status in statuses:
            story.take()
            story.end(status)
            assert story.take().status == status
            story.end(status)

    def test_data_is_replaced(self) -> None:
        """What the last run gave is what there is; while a run goes on the old stays readable."""
        story = self.story()
        story.end("failed", {"error": "no", "more": 1})
        assert story.take().data == {"error": "no", "more": 1}
        found = story.saver.state_of("t")
        assert found is not None
        assert found.data == {"error": "no", "more": 1}
        story.end("done")
        assert story.take().data == {}

    def test_a_held_thread_is_busy(self) -> None:
        """K8: nothing is changed, and the error names thread and owner."""
        story = self.story()
        before = story.saver.state_of("t")
        error = caught(ThreadBusyError, Story(story.saver, run_id="second").take)
        assert (error.code, error.thread_id, story.saver.state_of("t")) == ("thread_busy", "t", before)
        assert "'run'" in str(error)
        story.put()

    def test_a_held_thread_is_busy_for_its_owner_too(self) -> None:
        """A run takes once."""
        caught(ThreadBusyError, self.story().take)

    def test_threads_are_held_one_by_one(self) -> None:
        """One thread's run is in no other's way."""
        story = self.story()
        other = Story(story.saver, "u", "other").begun()
        story.put()
        other.put()
        story.end()
        other.put()
        assert (len(story.ids()), len(other.ids())) == (1, 2)

    def test_a_thread_that_was_given_back_can_be_taken(self) -> None:
        """By anyone."""
        story = self.story()
        story.end()
        assert Story(story.saver, run_id="second").take().status == "done"

    def test_only_the_owner_puts(self) -> None:
        """K8: `lost_thread`, and nothing is saved."""
        story = self.story()
        error = caught(LostThreadError, Story(story.saver, run_id="stranger").put)
        assert (error.code, error.thread_id, story.ids()) == ("lost_thread", "t", [])

    def test_nobody_puts_without_taking(self) -> None:
        """The thread has to exist, and to be held."""
        story = Story(self.saver())
        caught(LostThreadError, story.put)
        caught(LostThreadError, story.end)
        caught(LostThreadError, story.saver.renew, "t", "run")
        assert story.saver.state_of("t") is None

    def test_nobody_puts_after_giving_back(self) -> None:
        """The run is over."""
        story = self.story()
        story.put()
        story.end()
        caught(LostThreadError, story.put)
        caught(LostThreadError, story.end)
        caught(LostThreadError, story.saver.renew, "t", "run")
        assert len(story.ids()) == 1

    def test_only_the_owner_gives_back(self) -> None:
        """A stranger's end changes nothing."""
        story = self.story()
        caught(LostThreadError, Story(story.saver, run_id="stranger").end, "failed")
        story.end("done")
        assert story.take().status == "done"

    def test_take_over(self) -> None:
        """K8: at once; the former owner's next write fails."""
        story = self.story()
        head = story.put()
        second = Story(story.saver, run_id="second")
        found = second.take(take_over=True)
        assert (found.status, found.owner, found.head) == ("running", "run", head)
        caught(LostThreadError, story.put)
        caught(LostThreadError, story.record, head)
        caught(LostThreadError, story.end)
        second.put(parent_id=head)
        assert len(second.ids()) == 2

    def test_take_over_of_a_free_thread(self) -> None:
        """As without."""
        story = Story(self.saver())
        assert story.take(take_over=True).status == "new"

    def test_no_thread_is_made_if_none_is_wanted(self) -> None:
        """K2: an unknown thread is an error for a call that resumes, and stays unknown."""
        story = self.story("known")
        error = caught(UnknownThreadError, Story(story.saver, "t").take, create=False)
        assert ("'known'" in str(error), story.saver.state_of("t")) == (True, None)
        story.end()
        assert story.take(create=False).status == "done"

    def test_a_lease_that_ran_out(self) -> None:
        """K8: where processes share a saver the thread can be taken then; elsewhere the owner lives."""
        clock = Clock()
        saver = self.saver(clock=clock)
        story = Story(saver).begun(lease=30)
        head = story.put()
        clock.now += 29
        caught(ThreadBusyError, Story(saver, run_id="second").take)
        clock.now += 2
        found = saver.state_of("t")
        assert found is not None
        assert (found.is_killed, found.status, found.owner) == (saver.is_shared, "running", "run")
        if saver.is_shared:
            second = Story(saver, run_id="second")
            assert second.take() == found
            caught(LostThreadError, story.put)
            second.put(parent_id=head)
        else:
            caught(ThreadBusyError, Story(saver, run_id="second").take)

    def test_an_owner_that_comes_back_in_time(self) -> None:
        """A lease that ran out is no loss until somebody takes the thread."""
        clock = Clock()
        story = Story(self.saver(clock=clock)).begun(lease=30)
        clock.now += 100
        story.put()
        story.end()
        assert story.take().status == "done"

    def test_a_renewed_lease(self) -> None:
        """It begins anew."""
        clock = Clock()
        saver = self.saver(clock=clock)
        Story(saver).begun(lease=30)
        clock.now += 29
        saver.renew("t", "run", 30)
        clock.now += 29
        caught(ThreadBusyError, Story(saver, run_id="second").take)

    def test_a_private_run_that_stops(self) -> None:
        """X5: one take, one checkpoint, given back."""
        story = self.story()
        head = story.put()
        story.end("failed", {"error": "ValueError: no"})
        assert story.take(take_over=False).head == head

    def test_errors_survive_pickling(self) -> None:
        """E1: they cross processes with code and thread."""
        story = self.story()
        error = caught(ThreadBusyError, story.take)
        copy: ThreadBusyError = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), copy.code, copy.thread_id) == (ThreadBusyError, str(error), "thread_busy", "t")
