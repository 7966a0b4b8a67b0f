"""What ids may be."""

from __future__ import annotations

from typing import Any

from graph_core.checkpoint.conformance.story import SaverTests, Story, caught
from graph_core.checkpoint.errors import UnknownCheckpointError
from graph_core.exception import InvalidRecordError

_STRANGE = (
    "a",
    "A",
    "a ",
    " a",
    "a\t",
    "../a",
    "/etc/a",
    "..",
    "a/b\\c",
    "C:\\a",
    "é",
    "e\u0301",
    "🦜",
    "%",
    "_",
    "'; DROP TABLE thread; --",
    '"',
    "\n",
    "x" * 5000,
    "x" * 4999 + "y",
)
_BAD: tuple[Any, ...] = ("", "a\0b", "\ud800", None, 7, b"a")


class IdTests(SaverTests):
    """Ids are text, and every text is its own."""

    def test_strange_thread_ids(self) -> None:
        """Case, blanks, accents, length and paths all count."""
        saver = self.saver()
        for number, name in enumerate(_STRANGE):
            Story(saver, name, f"run {number}").begun().set(n=number)
        assert [*saver.threads()] == [*_STRANGE]
        assert [Story(saver, name).state()["n"] for name in _STRANGE] == [*range(len(_STRANGE))]

    def test_strange_ids_elsewhere(self) -> None:
        """The same of checkpoints, nodes and runs."""
        story = self.story(run_id="räun/../'🦜")
        names = [name for name in _STRANGE if len(name) < 256]
        for name in names:
            story.put(id=name, node_id=name, next_node_ids=(name, "b"))
        found = [(entry.id, entry.node_id, entry.next_node_ids) for entry in story.saver.list("t")]
        assert found == [(name, name, (name, "b")) for name in reversed(names)]
        assert story.read("A").id == "A"

    def test_thread_ids_that_are_none(self) -> None:
        """Empty text, NUL, half a surrogate pair, and what is no text."""
        saver = self.saver()
        for name in _BAD:
            caught(InvalidRecordError, saver.take, name, "run")
            caught(InvalidRecordError, saver.take, "t", name)
        assert [*saver.threads()] == []

    def test_names_that_can_be_no_id_are_unknown(self) -> None:
        """A reader may ask for anything."""
        saver = self.saver()
        names = ("", "a\0b", "\ud800")
        assert [saver.get(name) for name in names] == [None] * 3
        Story(saver).begun().put()
        for name in names:
            caught(UnknownCheckpointError, saver.get, "t", name)
        assert [[*saver.threads(prefix=name)] for name in names] == [["t"], [], []]

    def test_checkpoint_ids_that_are_none(self) -> None:
        """The record refuses them; those that are too long for an index, too."""
        story = self.story()
        for name in (*_BAD, "x" * 256):
            caught(InvalidRecordError, story.entry, id=name)
        assert story.put(id="x" * 255) == "x" * 255

    def test_a_copy_may_not_have_an_empty_id(self) -> None:
        """As a thread may not."""
        caught(InvalidRecordError, self.story().saver.copy, "t", "")
