"""delete, release, copy."""

from __future__ import annotations

from graph_core.checkpoint.changes import Append
from graph_core.checkpoint.conformance.story import SaverTests, Story, caught
from graph_core.checkpoint.errors import LostThreadError, ThreadBusyError, ThreadExistsError, UnknownThreadError


class HousekeepingTests(SaverTests):
    """Threads end, and are copied."""

    def test_delete(self) -> None:
        """Nothing is left, and the id is free."""
        story = self.story()
        story.record(story.set(x=1))
        story.end()
        Story(story.saver, "u", "other").begun().set(y=1)
        assert story.saver.delete("t")
        assert (story.saver.state_of("t"), story.saver.get("t"), [*story.saver.threads()]) == (None, None, ["u"])
        assert Story(story.saver, "u").state() == {"y": 1}
        assert (story.take().status, story.ids()) == ("new", [])

    def test_delete_of_an_unknown_thread(self) -> None:
        """It says that there was none."""
        assert not self.saver().delete("t")

    def test_delete_of_a_held_thread(self) -> None:
        """Only for the run that holds it; whose next put fails then."""
        story = self.story()
        story.put()
        caught(ThreadBusyError, story.saver.delete, "t")
        caught(ThreadBusyError, story.saver.delete, "t", run_id="stranger")
        assert story.saver.delete("t", run_id="run")
        caught(LostThreadError, story.put)
        assert story.saver.state_of("t") is None

    def test_a_deleted_thread_begins_anew(self) -> None:
        """The next thread of that id is another one."""
        story = self.story()
        story.set(x=1)
        story.saver.delete("t", run_id="run")
        anew = Story(story.saver, run_id="second").begun()
        caught(LostThreadError, story.put)
        anew.put()
        assert (anew.state(), len(anew.ids())) == ({}, 1)

    def test_release(self) -> None:
        """The tag holds the checkpoints, newest first, of all paths; the saver nothing of them."""
        story = self.story()
        first = story.put({"m": Append([1])})
        child = story.put(path=("sub",))
        last = story.put({"m": Append([2])})
        kept = [story.read(id_) for id_ in (last, child, first)]
        story.end()
        tag = story.saver.release("t")
        assert (tag.thread_id, [*tag.checkpoints]) == ("t", kept)
        assert (story.saver.state_of("t"), [*story.saver.threads()]) == (None, [])
        assert story.take().status == "new"

    def test_release_of_a_thread_without_checkpoints(self) -> None:
        """The tag is empty."""
        story = self.story()
        story.end()
        assert story.saver.release("t").checkpoints == ()

    def test_release_twice(self) -> None:
        """The second time there is no such thread; the error names those that are."""
        story = self.story()
        Story(story.saver, "known", "other").begun()
        story.end()
        story.saver.release("t")
        assert "'known'" in str(caught(UnknownThreadError, story.saver.release, "t"))

    def test_release_of_a_held_thread(self) -> None:
        """Only for the run that holds it."""
        story = self.story()
        story.put()
        caught(ThreadBusyError, story.saver.release, "t")
        assert len(story.ids()) == 1
        assert len(story.saver.release("t", run_id="run").checkpoints) == 1

    def test_copy(self) -> None:
        """History, ids, records, forks, paths, status, data and metadata; no owner."""
        story = Story(self.saver()).begun(metadata={"user": "ann"})
        first = story.put({"m": Append([1])}, metadata={"n": 1})
        story.record(first)
        story.put({"m": Append([2])})
        story.put({"m": Append([3])}, parent_id=first, fork=True)
        story.put(path=("sub",))
        story.end("interrupted", {"pending": [1]})
        story.saver.copy("t", "new")
        copied = Story(story.saver, "new")
        assert copied.ids() == story.ids()
        for own, theirs in zip(story.saver.list("t"), story.saver.list("new"), strict=True):
            assert (own.state, own.records, own.parent_id) == (theirs.state, theirs.records, theirs.parent_id)
            assert theirs.thread_id == "new"
        assert copied.read(path=("sub",)).id == story.read(path=("sub",)).id
        found, old = copied.take(), story.saver.state_of("t")
        assert old is not None
        assert (found.status, found.data, found.metadata, found.head) == (old.status, old.data, old.metadata, old.head)
        assert [*story.saver.threads()] == ["t", "new"]

    def test_a_copy_goes_its_own_way(self) -> None:
        """Neither sees what the other does later."""
        story = self.story()
        story.put({"m": Append([1])})
        story.saver.copy("t", "new")
        copied = Story(story.saver, "new", "other").begun()
        copied.put({"m": Append([2])}, parent_id=copied.ids()[0])
        story.put({"m": Append([3])})
        assert (copied.state(), story.state()) == ({"m": [1, 2]}, {"m": [1, 3]})
        story.saver.delete("t", run_id="run")
        assert copied.state() == {"m": [1, 2]}

    def test_a_copy_of_a_running_thread(self) -> None:
        """It has no owner, as if that had died."""
        story = self.story()
        story.put()
        story.saver.copy("t", "new")
        found = story.saver.state_of("new")
        assert found is not None
        assert (found.is_killed, found.owner) == (True, None)

    def test_copy_of_an_unknown_thread(self) -> None:
        """The error names what is known."""
        story = self.story("known")
        assert "'known'" in str(caught(UnknownThreadError, story.saver.copy, "t", "new"))

    def test_copy_to_a_thread_that_is_there(self) -> None:
        """It is left alone."""
        story = self.story()
        Story(story.saver, "u", "other").begun().set(x=1)
        error = caught(ThreadExistsError, story.saver.copy, "t", "u")
        assert (error.code, Story(story.saver, "u").state()) == ("thread_exists", {"x": 1})

    def test_closing_twice(self) -> None:
        """Is fine."""
        saver = self.saver()
        with saver:
            saver.close()
