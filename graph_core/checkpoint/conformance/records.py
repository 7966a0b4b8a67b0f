"""Branch records (rule K1, K7)."""

from __future__ import annotations

from graph_core.checkpoint.checkpoint import BranchRecord
from graph_core.checkpoint.conformance.story import SaverTests, Story, caught
from graph_core.checkpoint.errors import LostThreadError, UnknownCheckpointError
from graph_core.state import REMOVE


class RecordTests(SaverTests):
    """What branches have finished."""

    def test_a_record_comes_back_whole(self) -> None:
        """Every field is kept."""
        story = self.story()
        entry = story.put()
        given = BranchRecord(
            key=(1, 0, 12), node_id="b", next={"nodes": ["f"]}, step=3, updates=({"x": 1, "m": ["a"]}, {}, {"x": None})
        )
        story.saver.put_record("t", entry, given, run_id="run")
        assert story.read(entry).records == (given,)

    def test_markers_survive(self) -> None:
        """An update is kept as the node returned it, before any strategy."""
        story = self.story()
        entry = story.put()
        story.record(entry, updates=({"x": REMOVE},))
        assert story.read(entry).records[0].updates[0]["x"] is REMOVE

    def test_records_keep_the_order_of_insertion(self) -> None:
        """Not that of keys or steps."""
        story = self.story()
        entry = story.put()
        for number in (5, 1, 12, 3):
            story.record(entry, key=(number,), step=20 - number)
        assert [record.key for record in story.read(entry).records] == [(5,), (1,), (12,), (3,)]

    def test_several_at_once(self) -> None:
        """`put_records` takes many."""
        story = self.story()
        entry = story.put()
        many = [BranchRecord(key=(number,), node_id="b", step=2) for number in range(50)]
        story.saver.put_records("t", entry, many, run_id="run")
        story.saver.put_records("t", entry, [], run_id="run")
        assert [*story.read(entry).records] == many

    def test_a_record_is_no_entry(self) -> None:
        """It neither moves the head nor shows in the history, nor changes the state."""
        story = self.story()
        entry = story.set(x=1)
        story.record(entry, updates=({"x": 2},))
        assert (story.ids(), story.state(), story.read().id) == ([entry], {"x": 1}, entry)

    def test_the_next_entry_has_none(self) -> None:
        """Records belong to the entry they were appended to."""
        story = self.story()
        entry = story.put()
        story.record(entry)
        after = story.put()
        story.record(entry, "late")
        assert (story.read(after).records, len(story.read(entry).records)) == ((), 2)

    def test_records_of_a_path(self) -> None:
        """A child's entries have records as well."""
        story = self.story()
        story.put()
        entry = story.put(path=("sub",))
        story.record(entry, "inner")
        assert (story.read().records, story.read(entry).records[0].node_id) == ((), "inner")

    def test_an_unknown_entry_is_refused(self) -> None:
        """The error names what is known, and nothing is saved."""
        story = self.story()
        known = story.put()
        error = caught(UnknownCheckpointError, story.record, "nowhere")
        assert (repr(known) in str(error), story.read().records) == (True, ())

    def test_only_the_owner_appends(self) -> None:
        """K8: whoever does not hold the thread saves nothing."""
        story = self.story()
        entry = story.put()
        caught(LostThreadError, Story(story.saver, "t", "stranger").record, entry)
        story.end()
        caught(LostThreadError, story.record, entry)
        assert story.read().records == ()

    def test_records_of_a_resumed_run(self) -> None:
        """Another run goes on with the same entry."""
        story = self.story()
        entry = story.put()
        story.record(entry, "b")
        story.end("failed")
        Story(story.saver, "t", "second").begun().record(entry, "c")
        assert [record.node_id for record in story.read(entry).records] == ["b", "c"]
