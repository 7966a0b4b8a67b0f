"""What type checkers, and a run, say of references, Sends and commands."""

from typing import Any, Literal, assert_type

from graph_core import Command, MultiCommand, NodeRef, Send
from graph_core_tests.typing.schemas import Item, Label, Order

ITEM = NodeRef("work", Item)
ORDER = NodeRef[Order]("order")


class TestReferences:
    def test_both_spellings(self) -> None:
        """The payload's type is an argument, or a type argument."""
        assert_type(ITEM, NodeRef[Item])
        assert_type(NodeRef[Item]("work"), NodeRef[Item])
        assert_type(ORDER, NodeRef[Order])
        assert_type(NodeRef("work"), NodeRef[Any])
        assert NodeRef[Item]("work") == ITEM


class TestSends:
    def test_a_payload_that_fits(self) -> None:
        """A display, a variable, an instance."""
        item: Item = {"item": 1, "name": "nut"}
        assert_type(Send(ITEM, item), Send[Any])
        assert Send(ITEM, {"item": 1, "name": "nut"}) == Send(ITEM, item) == Send("work", {"item": 1, "name": "nut"})
        assert Send(ORDER, Order(1)).state == {"n": 1, "log": []}

    def test_by_id(self) -> None:
        """An id says nothing of the payload, but it is part of the type."""
        assert_type(Send("work", {"item": 1}), Send[str])
        exact: Send[Literal["work"]] = Send("work")
        assert exact.state == {}
        assert Send(NodeRef("work"), {"anything": 1}).node == "work"


class TestCommands:
    def test_labels(self) -> None:
        """A label is of the declared type."""
        single: Command[Label] = Command("good", {"n": 1})
        changed: Command[Label] = single.with_update({"n": 2})
        several: MultiCommand[Label] = MultiCommand(["good", Send("work")])
        none: MultiCommand[Label] = MultiCommand.nothing({"n": 1})
        assert (changed.goto_node, several.is_single_node, none.goto_nodes) == ("good", False, ())

    def test_without_a_declared_type(self) -> None:
        """It is read off what is given."""
        assert_type(Command("good"), Command[str])
        assert_type(MultiCommand(["good", "bad"]), MultiCommand[str])
        assert_type(MultiCommand(["good"]).to_command(), Command[str])
        assert Command("good").goto_node == "good"
