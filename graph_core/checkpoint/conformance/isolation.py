"""What is stored shares nothing with anybody (rule S10)."""

from __future__ import annotations

from typing import Any

from graph_core.checkpoint.changes import Append, Put
from graph_core.checkpoint.checkpoint import BranchRecord
from graph_core.checkpoint.conformance.story import SaverTests, caught
from graph_core.exception import GraphRunnerException


class _Stubborn:
    """Nothing that a saver can keep."""

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise ValueError("I stay here")


class IsolationTests(SaverTests):
    """Changing in place what was put, or what was read, changes nothing that is stored."""

    def test_values_of_every_plain_kind(self) -> None:
        """They come back equal, and of their own types."""
        values: dict[str, Any] = {
            "texts": ["", "ä 🦜 \n", "null"],
            "numbers": [0, -1, 2**53, 1.5, -0.0, True, False],
            "none": None,
            "nested": {"a": [{"b": [[], {}]}]},
            "keys": {"": 1, "a.b": 2, "$": 3, "ä": 4},
        }
        story = self.story()
        story.set(**values)
        found = story.state()
        assert (found, [type(item) for item in found["numbers"]]) == (
            values,
            [type(item) for item in values["numbers"]],
        )

    def test_keys_of_every_kind(self) -> None:
        """Any text is a key."""
        story = self.story()
        values = {name: Put(name) for name in ("", " ", "ä 🦜", "a.b[0]", "$", "\n", "x" * 1000)}
        story.put(values)
        assert story.state() == {name: name for name in values}

    def test_what_was_put_can_change(self) -> None:
        """A list and a dict that are changed after the put."""
        story = self.story()
        flat, deep, inner = ["a"], {"k": [1]}, [{"role": "user"}]
        story.set(flat=flat, deep=deep, inner=inner)
        flat.append("b")
        deep["k"].append(2)
        inner[0]["role"] = "tool"
        assert story.state() == {"flat": ["a"], "deep": {"k": [1]}, "inner": [{"role": "user"}]}

    def test_a_tail_can_change(self) -> None:
        """A tail and its elements that are changed after the put."""
        story = self.story()
        tail = [{"n": 1}]
        story.put({"m": Append(tail)})
        tail[0]["n"] = 2
        tail.append({"n": 3})
        assert story.state() == {"m": [{"n": 1}]}

    def test_the_changes_can_change(self) -> None:
        """The mapping itself can be used again."""
        story = self.story()
        changes = {"x": Put(1)}
        first = story.put(changes)
        changes["y"] = Put(2)
        assert story.state(first) == {"x": 1}

    def test_data_and_metadata_can_change(self) -> None:
        """Those of checkpoints, of threads and of records."""
        story = self.story()
        data: dict[str, Any] = {"d": [1]}
        entry = story.put(data=data, metadata=data)
        story.record(entry, next=data, updates=(data,))
        story.end("failed", data)
        data["d"].append(2)
        data["e"] = 3
        found, state = story.read(entry), story.saver.state_of("t")
        assert state is not None
        assert [found.data, found.metadata, state.data, found.records[0].next] == [{"d": [1]}] * 4
        assert found.records[0].updates == ({"d": [1]},)

    def test_what_get_gave_can_change(self) -> None:
        """The next reader sees nothing of it."""
        story = self.story()
        entry = story.put({"m": Put([{"n": [1]}]), "flat": Put([1])}, data={"d": [1]})
        found: Any = story.read(entry)
        found.state["m"][0]["n"].append(2)
        found.state["flat"].append(2)
        found.state["new"] = 1
        found.data["d"].append(2)
        again = story.read(entry)
        assert (again.state, again.data) == ({"m": [{"n": [1]}], "flat": [1]}, {"d": [1]})

    def test_what_list_gave_can_change(self) -> None:
        """Neither stored values nor the other states' own keys and lists."""
        story = self.story()
        story.put({"m": Append([1])})
        story.put({"m": Append([2])})
        newest, oldest = story.saver.list("t")
        changed: Any = newest.state
        changed["m"].append(3)
        changed["new"] = 1
        assert (oldest.state, story.state()) == ({"m": [1]}, {"m": [1, 2]})

    def test_what_state_of_gave_can_change(self) -> None:
        """The next reader sees nothing of it."""
        story = self.story()
        story.end("failed", {"d": [1]})
        found: Any = story.saver.state_of("t")
        found.data["d"].append(2)
        assert story.take().data == {"d": [1]}

    def test_records_that_were_read_can_change(self) -> None:
        """The next reader sees nothing of it."""
        story = self.story()
        entry = story.put()
        story.record(entry, updates=({"m": [1]},))
        found: Any = story.read(entry).records[0].updates[0]
        found["m"].append(2)
        assert story.read(entry).records[0].updates == ({"m": [1]},)

    def test_state_and_records_given_to_put_are_ignored(self) -> None:
        """What was read can be put again under another id: only the changes count."""
        story = self.story()
        record = BranchRecord(key=(0,), node_id="b", step=1)
        entry = story.put({"x": Put(1)}, state={"y": 2}, records=(record,))
        assert (story.state(entry), story.read(entry).records) == ({"x": 1}, ())

    def test_a_value_that_can_not_be_kept(self) -> None:
        """The error names the key, and nothing is saved."""
        story = self.story()
        error = caught(GraphRunnerException, story.set, good=1, bad=_Stubborn())
        assert ("$.bad" in str(error), story.ids()) == (True, [])
        assert story.put() == story.read().id

    def test_an_update_that_can_not_be_kept(self) -> None:
        """The same in a branch record: the error names the key, and none is saved."""
        story = self.story()
        entry = story.put()
        error = caught(GraphRunnerException, story.record, entry, updates=({"good": 1}, {"bad": _Stubborn()}))
        assert ("$.bad" in str(error), story.read(entry).records) == (True, ())

    def test_a_huge_state(self) -> None:
        """Megabytes in one value, and thousands of keys."""
        story = self.story()
        text = "ä" * 2_000_000
        story.put({"text": Put(text), **{f"k{number}": Put(number) for number in range(5000)}})
        story.set(x=1)
        found = story.state()
        assert (found["text"] == text, len(found), found["k4999"]) == (True, 5002, 4999)
