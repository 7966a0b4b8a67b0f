"""The read-only mapping of the records."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from graph_core.state.frozen import FrozenMapping
from graph_core_tests.travel import travelled

WRITES: dict[str, Callable[[Any], object]] = {
    "set": lambda mapping: mapping.__setitem__("a", 2),
    "delete": lambda mapping: mapping.__delitem__("a"),
    "in-place or": lambda mapping: mapping.__ior__({"a": 2}),
    "clear": lambda mapping: mapping.clear(),
    "pop": lambda mapping: mapping.pop("a"),
    "popitem": lambda mapping: mapping.popitem(),
    "setdefault": lambda mapping: mapping.setdefault("b", 2),
    "update": lambda mapping: mapping.update(a=2),
}


class TestFrozenMapping:
    def test_it_is_a_mapping(self) -> None:
        """It reads and compares as the dict it was made of, and shows as one."""
        mapping = FrozenMapping({"a": 1, "b": 2})
        assert isinstance(mapping, Mapping)
        assert (mapping["a"], list(mapping), len(mapping)) == (1, ["a", "b"], 2)
        assert mapping == {"b": 2, "a": 1}
        assert repr(mapping) == "{'a': 1, 'b': 2}"

    def test_of_pairs_and_of_nothing(self) -> None:
        """It can be made of pairs, or of nothing."""
        assert FrozenMapping([("a", 1)]) == {"a": 1}
        assert FrozenMapping[str, int]() == {}

    @pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
    def test_no_way_to_write(self, write: Callable[[Any], object]) -> None:
        """Its entries never change, and the error says what to do instead."""
        mapping = FrozenMapping({"a": 1})
        with pytest.raises(TypeError, match="immutable; build a new one"):
            write(mapping)
        assert mapping == {"a": 1}

    def test_it_is_a_copy(self) -> None:
        """Later changes of the dict do not reach it."""
        entries = {"a": 1}
        mapping = FrozenMapping(entries)
        entries["a"] = 2
        assert mapping == {"a": 1}

    def test_travel(self) -> None:
        """E1: other than a mapping proxy it can be pickled and copied, and stays frozen."""
        mapping = FrozenMapping({"a": [1]})
        for other in travelled(mapping):
            assert (other, type(other)) == (mapping, FrozenMapping)
