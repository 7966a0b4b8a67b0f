"""`Send`: a copy of a node with a state of its own."""

import re
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import InvalidRecordError, OverAllState, Send
from graph_core_tests.travel import travelled


class TestSend:
    def test_node_and_state(self) -> None:
        """P6: `Send(node, state)` names a node and what is laid over the fork's state."""
        send = Send("work", {"item": 1})
        assert (send.node, send.state) == ("work", {"item": 1})

    def test_without_a_state(self) -> None:
        """P6: without a state the copy sees the fork's state."""
        assert Send("work") == Send("work", {})

    def test_any_mapping(self) -> None:
        """P6: the state may be any mapping, a state too."""
        assert Send("work", OverAllState({"item": 1})) == Send("work", {"item": 1})

    @pytest.mark.parametrize("node", [None, 5, "", "  ", ["a"]], ids=repr)
    def test_what_is_no_node(self, node: Any) -> None:
        """P6: the node is an id."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"a Send needs the id of a node, not {node!r}")):
            Send(node)

    @pytest.mark.parametrize("state", [None, [("a", 1)], "a", {1: 2}], ids=repr)
    def test_what_is_no_state(self, state: Any) -> None:
        """S9, P6: the state is a mapping with `str` keys."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"must be a mapping with str keys, not {state!r}")):
            Send("work", state)

    def test_it_never_changes(self) -> None:
        """P6: a dict that is filled anew for every copy gives every Send its own entries."""
        item: dict[str, Any] = {}
        sends: list[Send] = []
        for number in range(3):
            item["item"] = number
            sends.append(Send("work", item))
        wrong: Any = sends[0]
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            wrong.node = "other"
        assert [send.state["item"] for send in sends] == [0, 1, 2]

    def test_equality_and_hash(self) -> None:
        """R4: Sends compare by node and state, and can be kept in a set."""
        assert Send("a", {"x": [1]}) == Send("a", {"x": [1]}) != Send("a", {"x": [2]})
        assert len({Send("a", {"x": [1]}), Send("a", {"x": [1]}), Send("b")}) == 2

    def test_it_shows_what_it_is(self) -> None:
        """P6: `repr` can be typed in again."""
        assert repr(Send("a", {"x": 1})) == "Send(node='a', state={'x': 1})"

    @given(st.text(min_size=1).filter(str.strip), st.dictionaries(st.text(), st.integers(), max_size=3))
    def test_travel(self, node: str, state: dict[str, int]) -> None:
        """E1: a Send survives a pickle and copies."""
        send = Send(node, state)
        assert (send, send, send) == travelled(send)
