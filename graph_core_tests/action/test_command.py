"""`Command` and `MultiCommand`."""

import enum
import re
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import END, Command, InvalidRecordError, MultiCommand, Send
from graph_core_tests.travel import travelled

LABELS = st.text(min_size=1) | st.integers() | st.booleans()
UPDATES = st.dictionaries(st.text(), st.integers(), max_size=3)


class Colour(enum.Enum):
    """Labels."""

    RED = "red"


class TestCommand:
    def test_label_and_update(self) -> None:
        """R2: a command is a label and an update."""
        command = Command("next", {"tries": 1})
        assert (command.goto_node, command.update) == ("next", {"tries": 1})

    def test_without_an_update(self) -> None:
        """R2: without one the update is empty."""
        assert Command("next") == Command("next", {})

    @pytest.mark.parametrize("label", ["a", 1, 0, True, False, Colour.RED, frozenset({"a"}), END], ids=repr)
    def test_labels(self, label: Any) -> None:
        """R3: any hashable is a label: str, Enum, bool, int, and `END`."""
        assert Command(label).goto_node == label

    @pytest.mark.parametrize(
        ("label", "text"),
        [
            (None, "not None; END ends the run"),
            (["a"], "MultiCommand([...])"),
            (("a", "b"), "MultiCommand([...])"),
            ({"a": 1}, "MultiCommand([...])"),
            (Send("a"), "Sends: MultiCommand([...])"),
            ({"a"}, "a label must be hashable"),
        ],
        ids=["None", "list", "tuple", "dict", "Send", "set"],
    )
    def test_what_is_no_label(self, label: Any, text: str) -> None:
        """R3: `None` and what can not be hashed are no labels; lists and tuples are sequences of routes."""
        with pytest.raises(InvalidRecordError, match=re.escape(text)):
            Command(label)

    @pytest.mark.parametrize("update", [None, [("a", 1)], "a"], ids=repr)
    def test_update_is_a_mapping(self, update: Any) -> None:
        """R2: an update is a mapping; the error says that an empty one changes nothing."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"not {update!r}; {{}} changes nothing")):
            Command("a", update)

    def test_it_never_changes(self) -> None:
        """R2: neither its fields nor its update can be changed, nor through the mapping it was made of."""
        update = {"a": 1}
        command: Any = Command("next", update)
        update["a"] = 2
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            command.goto_node = "other"
        with pytest.raises(TypeError, match="immutable"):
            command.update["a"] = 2
        assert command == Command("next", {"a": 1})

    def test_equality_and_hash(self) -> None:
        """R2: commands compare by label and update, and can be kept in a set."""
        assert Command("a", {"x": [1]}) == Command("a", {"x": [1]}) != Command("a", {"x": [2]})
        assert {Command("a", {"x": [1]}), Command("a", {"x": [1]}), Command("b")} == {
            Command("b"),
            Command("a", {"x": [1]}),
        }

    @given(LABELS, UPDATES)
    def test_travel(self, label: Any, update: dict[str, int]) -> None:
        """E1: a command survives a pickle and copies."""
        command = Command(label, update)
        assert (command, command, command) == travelled(command)


class TestMultiCommand:
    def test_labels_and_update(self) -> None:
        """R2: a multi command is several labels and Sends, and one update."""
        command = MultiCommand(["a", Send("b", {"x": 1})], {"y": 2})
        assert (command.goto_nodes, command.update) == (("a", Send("b", {"x": 1})), {"y": 2})

    def test_any_sequence(self) -> None:
        """R3: a list or a tuple of labels."""
        assert MultiCommand(("a", "b")) == MultiCommand(["a", "b"])

    def test_empty(self) -> None:
        """R4: `MultiCommand([])` raises, as in Java, and names `MultiCommand.nothing`."""
        text = "goto_nodes cannot be empty; MultiCommand.nothing(update) chooses no node"
        with pytest.raises(InvalidRecordError, match=re.escape(text)):
            MultiCommand([])

    def test_nothing(self) -> None:
        """R4: `MultiCommand.nothing(update)` chooses no node."""
        command: MultiCommand[str] = MultiCommand.nothing({"a": 1})
        assert (command.goto_nodes, command.update, command.is_single_node) == ((), {"a": 1}, False)
        assert MultiCommand.nothing() == MultiCommand.nothing({})

    @pytest.mark.parametrize("labels", ["ab", b"ab", {"a", "b"}, {"a": 1}, 5, None], ids=repr)
    def test_what_is_no_sequence(self, labels: Any) -> None:
        """R3: a text is one label, not a sequence; a set has no order."""
        with pytest.raises(InvalidRecordError, match="needs a sequence of labels and Sends"):
            MultiCommand(labels)

    @pytest.mark.parametrize("label", [None, ["a"], {"a"}], ids=repr)
    def test_each_label_is_checked(self, label: Any) -> None:
        """R3: each one is a label or a Send."""
        with pytest.raises(InvalidRecordError):
            MultiCommand(["a", label])

    def test_update_is_a_mapping(self) -> None:
        """R2: its update is checked as a command's."""
        wrong: Any = None
        with pytest.raises(InvalidRecordError, match=r"must be a mapping \(or an instance of a schema\), not None"):
            MultiCommand(["a"], wrong)

    def test_to_command(self) -> None:
        """R2: with one label it can be made a `Command`."""
        command = MultiCommand(["a"], {"x": 1})
        assert (command.is_single_node, command.to_command()) == (True, Command("a", {"x": 1}))

    @pytest.mark.parametrize(
        ("command", "text"),
        [
            (MultiCommand(["a", "b"]), "Cannot convert MultiCommand with 2 nodes to Command"),
            (MultiCommand.nothing(), "Cannot convert MultiCommand with 0 nodes to Command"),
            (MultiCommand([Send("a")]), "a command goes to a label"),
        ],
        ids=["two", "none", "Send"],
    )
    def test_not_to_command(self, command: MultiCommand[Any], text: str) -> None:
        """R2: with several labels, with none and with a Send it can not."""
        with pytest.raises(InvalidRecordError, match=text):
            command.to_command()

    def test_hash(self) -> None:
        """R2: equal multi commands have equal hashes."""
        assert len({MultiCommand(["a"], {"x": [1]}), MultiCommand(["a"], {"x": [1]}), MultiCommand(["b"])}) == 2

    @given(st.lists(LABELS | st.builds(Send, st.just("w"), UPDATES), min_size=1, max_size=4), UPDATES)
    def test_travel(self, labels: list[Any], update: dict[str, int]) -> None:
        """E1: a multi command survives a pickle and copies, the empty one too."""
        for command in (MultiCommand(labels, update), MultiCommand[Any].nothing(update)):
            assert (command, command, command) == travelled(command)
