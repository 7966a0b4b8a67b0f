"""What is particular to a saver in memory."""

import copy
import threading
from typing import Any

import attrs

from graph_core.checkpoint import UncopyableValueError
from graph_core.checkpoint.codec import copied
from graph_core.checkpoint.conformance import Story, caught
from graph_core.checkpoint.savers import MemorySaver
from graph_core.serializer import Serializer


@attrs.define
class Note:
    """A class of the user's that is registered nowhere."""

    text: str


class Nosy:
    """Asks the saver while it is copied."""

    def __init__(self, saver: MemorySaver) -> None:
        self.saver = saver

    def __deepcopy__(self, memo: dict[int, Any]) -> "Nosy":
        """Ask."""
        self.saver.threads()
        return self


def test_no_registration_is_needed() -> None:
    """Any value that can be copied is kept as it is."""
    story = Story(MemorySaver()).begun()
    note = Note("a")
    story.set(note=note, notes=[note], pair=(note, {1}))
    note.text = "b"
    assert story.state() == {"note": Note("a"), "notes": [Note("a")], "pair": (Note("a"), {1})}


def test_a_value_that_can_not_be_copied() -> None:
    """The error says what to do."""
    story = Story(MemorySaver()).begun()
    error = caught(UncopyableValueError, story.set, lock=threading.Lock())
    assert (error.code, "UNTRACKED" in str(error)) == ("uncopyable_value", True)


def test_a_copy_that_asks_the_saver() -> None:
    """Values run code of the user's, which may come back."""
    saver = MemorySaver()
    story = Story(saver).begun()
    story.end("failed", {"nosy": Nosy(saver)})
    assert story.take(metadata={"nosy": Nosy(saver)}).data["nosy"].saver is saver


def test_serializers() -> None:
    """Copies need none; with one, another can take its place on the same threads."""
    saver, serializer = MemorySaver(), Serializer()
    assert (saver.serializer, saver.with_serializer(serializer)) == (None, saver)
    writing = MemorySaver(serialize=True)
    story = Story(writing).begun()
    story.set(x=1)
    other = writing.with_serializer(serializer)
    assert (other.serializer, Story(other).state(), other.serializer is writing.serializer) == (
        serializer,
        {"x": 1},
        False,
    )
    assert MemorySaver(serializer=serializer).serializer is serializer


def test_copies_are_deep() -> None:
    """The fast ways and the slow one give the same."""
    note = Note("a")
    values: list[Any] = [
        1, "a", None, [], {}, [1, "a"], {"a": 1}, {1: "a"}, [{"a": 1}, {"b": 2}], [1, {"a": 1}], [[1]], {"a": [1]},
        {"a": {}}, [{"a": []}], (1, [2]), {1, 2}, note, [note], {"n": note}, [1, [2], {"a": 1}], {(1, 2): 3},
    ]  # fmt: skip
    for value in values:
        made = copied(value)
        assert made == value == copy.deepcopy(value)
        assert type(made) is type(value)
        if isinstance(value, list | dict | Note):
            assert made is not value
    made = copied([{"a": 1}])
    made[0]["a"] = 2
    assert copied([{"a": 1}]) == [{"a": 1}]
