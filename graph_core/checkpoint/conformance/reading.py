"""What readers ask for."""

from __future__ import annotations

from graph_core.checkpoint.changes import Append, Put
from graph_core.checkpoint.conformance.story import SaverTests, Story, caught
from graph_core.checkpoint.errors import UnknownCheckpointError, UnknownThreadError


class ReadingTests(SaverTests):
    """get, list, state_of, threads."""

    def test_a_new_saver_is_empty(self) -> None:
        """There is nothing, and that is no error."""
        saver = self.saver()
        assert (saver.get("t"), [*saver.list("t")], saver.state_of("t"), [*saver.threads()]) == (None, [], None, [])

    def test_a_thread_without_checkpoints(self) -> None:
        """A thread that was only taken has no head."""
        story = self.story()
        assert (story.saver.get("t"), story.ids()) == (None, [])

    def test_an_unknown_checkpoint_is_an_error(self) -> None:
        """The error names thread, id and what is known."""
        story = self.story()
        known = story.put()
        error = caught(UnknownCheckpointError, story.saver.get, "t", "nowhere")
        assert all(repr(name) in str(error) for name in ("t", "nowhere", known))

    def test_a_checkpoint_of_an_unknown_thread_is_an_error(self) -> None:
        """As if the thread held none."""
        saver = self.saver()
        caught(UnknownCheckpointError, saver.get, "t", "nowhere")
        caught(UnknownCheckpointError, saver.list, "t", before="nowhere")

    def test_a_checkpoint_of_another_path_is_an_error(self) -> None:
        """An id is looked for in the path, if one is named."""
        story = self.story()
        own, child = story.put(), story.put(path=("sub",))
        assert story.read(child, path=("sub",)).id == child
        caught(UnknownCheckpointError, story.saver.get, "t", own, path=("sub",))
        caught(UnknownCheckpointError, story.saver.get, "t", child, path=())
        caught(UnknownCheckpointError, story.saver.list, "t", before=child)

    def test_a_checkpoint_of_another_thread_is_an_error(self) -> None:
        """Threads do not see each other."""
        story = self.story()
        own = story.put()
        Story(story.saver, "u", "other").begun().put()
        caught(UnknownCheckpointError, story.saver.get, "u", own)

    def test_list_gives_states(self) -> None:
        """Each checkpoint has the state it had."""
        story = self.story()
        for number in range(4):
            story.put({"m": Append([number]), "n": Put(number)})
        found = [(entry.state["m"], entry.state["n"]) for entry in story.saver.list("t")]
        assert found == [([0, 1, 2, 3], 3), ([0, 1, 2], 2), ([0, 1], 1), ([0], 0)]

    def test_list_equals_get(self) -> None:
        """Both give the same of each checkpoint, forks and records included."""
        story = self.story()
        first = story.put({"m": Put(["a"])})
        story.record(first)
        story.put({"m": Append(["b"])})
        story.put({"m": Append(["c"])}, parent_id=first, fork=True, metadata={"k": 1})
        assert [*story.saver.list("t")] == [story.read(id_) for id_ in story.ids()]

    def test_limit(self) -> None:
        """The newest so many; none of none."""
        story = self.story()
        ids = [story.put() for _ in range(5)]
        assert (story.ids(limit=2), story.ids(limit=0), story.ids(limit=9)) == (ids[:2:-1], [], ids[::-1])

    def test_before(self) -> None:
        """Those that were inserted before one."""
        story = self.story()
        ids = [story.put() for _ in range(5)]
        assert (story.ids(before=ids[2]), story.ids(before=ids[0])) == ([ids[1], ids[0]], [])

    def test_pages_make_the_whole(self) -> None:
        """Limit and before together walk through all."""
        story = self.story()
        ids = [story.put() for _ in range(7)]
        pages = [story.ids(limit=3)]
        while pages[-1]:
            pages.append(story.ids(limit=3, before=pages[-1][-1]))
        assert [id_ for page in pages for id_ in page] == ids[::-1]

    def test_before_an_unknown_checkpoint_is_an_error(self) -> None:
        """It is not the whole history."""
        story = self.story()
        story.put()
        caught(UnknownCheckpointError, story.saver.list, "t", before="nowhere")

    def test_metadata_filters_a_history(self) -> None:
        """Only those that hold all the entries asked for; the limit counts what is found."""
        story = self.story()
        one = story.put(metadata={"user": "ann", "n": 1})
        story.put(metadata={"user": "bob", "n": 1})
        story.put()
        two = story.put(metadata={"user": "ann", "n": 2})
        assert story.ids(where={"user": "ann"}) == [two, one]
        assert story.ids(where={"user": "ann"}, limit=1) == [two]
        assert (story.ids(where={"user": "ann", "n": 1}), story.ids(where={"x": None})) == ([one], [])

    def test_threads_come_in_the_order_in_which_they_were_made(self) -> None:
        """Not by name, nor by use."""
        saver = self.saver()
        for name in ("z", "a", "m"):
            Story(saver, name, name).begun().end()
        Story(saver, "z", "again").begun().put()
        assert [*saver.threads()] == ["z", "a", "m"]
        assert ([*saver.threads(limit=2)], [*saver.threads(after="z")]) == (["z", "a"], ["a", "m"])
        assert ([*saver.threads(after="z", limit=1)], [*saver.threads(after="m")]) == (["a"], [])

    def test_threads_by_prefix(self) -> None:
        """A prefix is text, no pattern, and its case counts."""
        saver = self.saver()
        for name in ("a%b", "A%b", "aXb", "a_b", "ä%"):
            Story(saver, name).begun()
        assert [*saver.threads(prefix="a%")] == ["a%b"]
        assert ([*saver.threads(prefix="a")], [*saver.threads(prefix="ä")]) == (["a%b", "aXb", "a_b"], ["ä%"])

    def test_threads_after_an_unknown_one_is_an_error(self) -> None:
        """The error names what is known."""
        story = self.story("known")
        error = caught(UnknownThreadError, story.saver.threads, after="nowhere")
        assert (error.code, "'known'" in str(error)) == ("unknown_thread", True)

    def test_metadata_filters_threads(self) -> None:
        """Only those that hold all the entries asked for."""
        saver = self.saver()
        Story(saver, "a").begun(metadata={"user": "ann", "n": 1})
        Story(saver, "b").begun(metadata={"user": "bob"})
        Story(saver, "c").begun()
        assert [*saver.threads(where={"user": "ann"})] == ["a"]
        assert [*saver.threads(where={"user": "ann", "n": 2})] == []

    def test_metadata_of_a_thread_is_laid_over(self) -> None:
        """Each run may add to it."""
        story = self.story()
        story.end()
        story.take(metadata={"a": 1, "b": 1})
        story.end()
        story.take(metadata={"b": 2})
        found = story.saver.state_of("t")
        assert found is not None
        assert found.metadata == {"a": 1, "b": 2}

    def test_many_threads(self) -> None:
        """Hundreds of threads are listed, page by page."""
        saver = self.saver()
        names = [f"thread {number}" for number in range(600)]
        for name in names:
            Story(saver, name).begun()
        assert [*saver.threads()] == names
        assert [*saver.threads(after=names[297], limit=3)] == names[298:301]

    def test_another_process_sees_it_all(self) -> None:
        """K6: what is stored is stored, for whoever asks."""
        story = self.story()
        first = story.set(x=1)
        story.record(first, updates=({"y": 2},))
        story.end("interrupted", {"pending": ["q"]})
        other = self.other(story.saver)
        assert (other.get("t"), other.state_of("t")) == (story.read(), story.saver.state_of("t"))
        assert [*other.threads()] == ["t"]
