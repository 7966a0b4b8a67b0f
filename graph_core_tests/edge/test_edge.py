"""Edges and their values."""

import re
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import END, START, CommandAction, Edge, EdgeCondition, EdgeValue, InvalidRecordError
from graph_core_tests.travel import travelled

CONDITION = EdgeCondition(CommandAction(len), {0: "none", 1: "one", 2: "one"})
ANYWHERE = EdgeCondition(CommandAction(len), None)
IDS = st.text(min_size=1).filter(str.strip)


def prefixed(node: str) -> str:
    """The id of a node of the child `sub`."""
    return f"sub-{node}"


class TestEdgeValue:
    def test_of_an_id(self) -> None:
        """C1: a value of a node id."""
        value = EdgeValue.of("a")
        assert (value.id, value.value, value.target_ids) == ("a", None, ("a",))

    def test_of_a_condition(self) -> None:
        """C1: a value of a condition; its targets count once each."""
        value = EdgeValue.of(CONDITION)
        assert (value.id, value.value, value.target_ids) == (None, CONDITION, ("none", "one"))

    def test_of_a_condition_that_leads_anywhere(self) -> None:
        """R3: without mappings no targets are known."""
        assert EdgeValue.of(ANYWHERE).target_ids == ()

    @pytest.mark.parametrize(("id_", "value"), [(None, None), ("a", CONDITION)], ids=["neither", "both"])
    def test_exactly_one_is_set(self, id_: Any, value: Any) -> None:
        """C1: a value is an id or a condition, never both and never neither (Java lets both happen)."""
        with pytest.raises(InvalidRecordError, match="exactly one of id and value must be set"):
            EdgeValue(id_, value)

    @pytest.mark.parametrize("id_", ["", "  ", 5, ["a"]], ids=repr)
    def test_ids(self, id_: Any) -> None:
        """C1: an id is a `str` that is not blank."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"that is not blank, not {id_!r}")):
            EdgeValue.of(id_)

    def test_conditions(self) -> None:
        """C1: anything else is no condition."""
        wrong: Any = len
        with pytest.raises(InvalidRecordError, match="must be an EdgeCondition, not <built-in function len>"):
            EdgeValue(value=wrong)


class TestNewTargets:
    def test_of_an_id(self) -> None:
        """C3: a child's ids are renamed when it is inlined."""
        assert EdgeValue.of("a").with_target_ids_updated(prefixed) == EdgeValue.of("sub-a")

    def test_an_id_becomes_a_value(self) -> None:
        """C3: an id may become a condition: the way out of a child that a condition follows."""
        assert EdgeValue.of(END).with_target_ids_updated(lambda _: EdgeValue.of(CONDITION)) == EdgeValue.of(CONDITION)

    def test_of_a_mapping(self) -> None:
        """C3: in a mapping every node is renamed, the labels stay."""
        value = EdgeValue.of(CONDITION).with_target_ids_updated(prefixed)
        assert value == EdgeValue.of(attrs.evolve(CONDITION, mappings={0: "sub-none", 1: "sub-one", 2: "sub-one"}))

    def test_a_mapping_takes_the_id_of_a_value(self) -> None:
        """C3: a value with an id counts as the id, one with a condition leaves the node as it was."""
        value = EdgeValue.of(CONDITION)
        assert value.with_target_ids_updated(lambda node: EdgeValue.of(prefixed(node))).target_ids == (
            "sub-none",
            "sub-one",
        )
        assert value.with_target_ids_updated(lambda _: EdgeValue.of(ANYWHERE)) == value

    def test_of_a_condition_that_leads_anywhere(self) -> None:
        """R3: without mappings there is nothing to rename."""
        assert EdgeValue.of(ANYWHERE).with_target_ids_updated(prefixed) == EdgeValue.of(ANYWHERE)


class TestEdge:
    def test_one_target(self) -> None:
        """R1: an edge with one way out."""
        edge = Edge(START, [EdgeValue.of("a")])
        assert (edge.source_id, edge.is_parallel, edge.target()) == (START, False, EdgeValue.of("a"))

    def test_several_targets(self) -> None:
        """R8: several ways out make an edge parallel; `target()` is Java's error then."""
        edge = Edge("a", [EdgeValue.of("b"), EdgeValue.of(CONDITION)])
        assert (edge.is_parallel, edge.targets) == (True, (EdgeValue.of("b"), EdgeValue.of(CONDITION)))
        with pytest.raises(InvalidRecordError, match=re.escape("Edge 'a' is parallel; read .targets")):
            edge.target()

    def test_one_value(self) -> None:
        """C1: a value alone is one target."""
        value: Any = EdgeValue.of("b")
        assert Edge("a", value) == Edge("a", [EdgeValue.of("b")])

    @pytest.mark.parametrize("node", ["b", "none", "one", "z"])
    def test_any_match(self, node: str) -> None:
        """C1: `any_match_by_target_id` finds fixed targets, and nodes of a mapping."""
        edge = Edge("a", [EdgeValue.of("b"), EdgeValue.of(CONDITION)])
        assert edge.any_match_by_target_id(node) is (node != "z")

    def test_new_ids(self) -> None:
        """C3: an edge with its source id and every target id replaced."""
        edge = Edge("a", [EdgeValue.of("b"), EdgeValue.of(CONDITION)])
        expected = Edge("sub-a", [value.with_target_ids_updated(prefixed) for value in edge.targets])
        assert edge.with_source_and_target_ids_updated(prefixed, prefixed) == expected

    @pytest.mark.parametrize("source", [None, "", " ", 5], ids=repr)
    def test_sources(self, source: Any) -> None:
        """C1: a source is a `str` that is not blank."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"that is not blank, not {source!r}")):
            Edge(source, [EdgeValue.of("b")])

    def test_no_target(self) -> None:
        """C1: an edge has at least one target."""
        with pytest.raises(InvalidRecordError, match="the edge from 'a' has no target; give at least one EdgeValue"):
            Edge("a", [])

    @pytest.mark.parametrize("targets", ["b", None, {EdgeValue.of("b"): 1}], ids=["str", "None", "dict"])
    def test_no_sequence(self, targets: Any) -> None:
        """C1: its targets come in a sequence."""
        with pytest.raises(InvalidRecordError, match="must be a sequence of EdgeValues"):
            Edge("a", targets)

    def test_other_targets(self) -> None:
        """C1: a target that is no value is shown, with the way to make one."""
        wrong: Any = ["b"]
        text = "the edge from 'a' has the target 'b', which is no EdgeValue; EdgeValue.of(target) makes one"
        with pytest.raises(InvalidRecordError, match=re.escape(text)):
            Edge("a", wrong)

    @given(IDS, st.lists(IDS, min_size=1, max_size=4))
    def test_travel(self, source: str, targets: list[str]) -> None:
        """E1: an edge survives a pickle and copies."""
        edge = Edge(source, [EdgeValue.of(CONDITION), *map(EdgeValue.of, targets)])
        assert (edge, edge, edge) == travelled(edge)
