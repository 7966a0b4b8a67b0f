"""Markers, commands and Sends: what updates and answers hold."""

from typing import Any

import pytest

from graph_core import REMOVE, Command, MultiCommand, Overwrite, RemoveByHash, ReplaceAllWith, Send
from graph_core.serializer import DeserializationError, Serializer
from graph_core.state.frozen import FrozenMapping
from graph_core_tests.serializer.exact import back

VALUES: list[Any] = [
    Overwrite((1, 2)),
    ReplaceAllWith([1, (2,)]),
    RemoveByHash({"a": (1,)}),
    Command("a"),
    Command(1.5, {"x": (1,), "y": REMOVE}),
    Send("work", {"item": (1,)}),
    MultiCommand(["a", Send("b", {"x": 1}), 3], {"y": Overwrite([1])}),
    MultiCommand.nothing({"z": 1}),
    MultiCommand.nothing(),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_it_comes_back(value: Any) -> None:
    """It is equal, of the same class, and its update is immutable again."""
    again = back({"it": value})["it"]
    assert (type(again), again) == (type(value), value)
    assert type(getattr(again, "update", FrozenMapping[str, Any]())) is FrozenMapping


def test_remove_is_the_one() -> None:
    """There is only one `REMOVE`."""
    assert back([REMOVE])[0] is REMOVE


@pytest.mark.parametrize(
    "tree",
    [
        '{"$":"remove","v":1}',
        '{"$":"command","goto_node":null,"update":{}}',
        '{"$":"command","goto_node":"a"}',
        '{"$":"command","goto_node":"a","update":[]}',
        '{"$":"command","goto_node":["a"],"update":{}}',
        '{"$":"send","node":"","state":{}}',
        '{"$":"multi_command","goto_nodes":"ab","update":{}}',
        '{"$":"multi_command","goto_nodes":{"$":"tuple","v":[]},"update":5}',
        '{"$":"overwrite"}',
    ],
)
def test_a_bad_one_is_refused(tree: str) -> None:
    """It is made anew by its own constructor, which checks it."""
    with pytest.raises(DeserializationError):
        Serializer().loads(f'{{"$1":{tree}}}'.encode())
