"""`add_edge` in all its forms."""

from typing import Any

import pytest

from graph_core import END, START, GraphStateException, InvalidRecordError, StateGraph
from graph_core_tests.shapes import appends, codes, graph, on, problems_of, run_inline


def nodes(*names: str) -> StateGraph:
    """Make a graph with nodes, and no edges."""
    return graph(*names)


class TestForms:
    def test_one_to_one(self) -> None:
        """api: a source and a target."""
        built = nodes("a").add_edge(START, "a").add_edge("a", END)
        assert built.compile().invoke({})["m"] == ["a"]

    def test_one_to_several(self) -> None:
        """R8: several targets run in parallel, in the order in which they were named."""
        built = nodes("c", "a", "b").add_edge(START, ["b", "c", "a"]).add_edge(["a", "b", "c"], END)
        assert built.compile().invoke({})["m"] == ["b", "c", "a"]

    def test_several_calls_equal_one(self) -> None:
        """R8: targets that were added one by one are one fork."""
        one = nodes("a", "b").add_edge(START, ["b", "a"]).add_edge(["a", "b"], END).compile()
        two = nodes("a", "b").add_edge(START, "b").add_edge(START, "a").add_edge(["a", "b"], END).compile()
        assert dict(one.edges) == dict(two.edges)
        assert one.invoke({})["m"] == two.invoke({})["m"] == ["b", "a"]

    def test_several_sources(self) -> None:
        """R11: `add_edge([a, b], c)` equals the single edges."""
        one = nodes("a", "b", "c").add_edge(START, ["a", "b"]).add_edge(["a", "b"], "c").add_edge("c", END).compile()
        two = nodes("a", "b", "c").add_edge(START, ["a", "b"]).add_edge("a", "c").add_edge("b", "c").add_edge("c", END)
        assert dict(one.edges) == dict(two.compile().edges)
        assert one.invoke({})["m"] == ["a", "b", "c"]

    def test_several_to_several(self) -> None:
        """api: every source gets every target."""
        built = nodes("a", "b", "c", "d").add_edge(START, ["a", "b"]).add_edge(["a", "b"], ["c", "d"])
        built.add_edge(["c", "d"], END)
        assert sorted(built.compile().invoke({})["m"]) == ["a", "b", "c", "d"]

    def test_a_list_with_one_target_is_no_fork(self) -> None:
        """P: one fixed target is no fork."""
        built = nodes("a").add_edge(START, ["a"]).add_edge("a", (END,))
        assert set(built.compile().nodes) == {"a"}

    def test_before_its_nodes(self) -> None:
        """C1: an edge may come before its nodes; ids are checked by the compile."""
        built = StateGraph().add_edge(START, "a").add_edge("a", END).add_node("a", appends("a"))
        assert built.validate() == ()


class TestJoinOfListedSources:
    def test_once_after_all(self) -> None:
        """R11: the target runs once, when no listed source is live."""
        built = graph("START > s", "s > a, b", "b > x", "a > c", "x > c", "c > END")
        assert run_inline(built.compile(), {}).steps == [("s", 1), ("a", 2), ("b", 2), ("x", 3), ("c", 4)]

    def test_a_skipped_source_does_not_hold(self) -> None:
        """R11: a source that was not chosen does not hold the target."""
        built = nodes("a", "b", "c").add_parallel_conditional_edges(START, on(lambda state: ["a"]), ["a", "b"])
        built.add_edge(["a", "b"], "c").add_edge("c", END)
        assert run_inline(built.compile(), {}).state["m"] == ["a", "c"]

    def test_every_pass_of_a_loop_starts_anew(self) -> None:
        """R11: in a loop the target runs once per pass."""
        built = nodes("s", "a", "b", "c").add_edge(START, "s").add_edge("s", ["a", "b"]).add_edge(["a", "b"], "c")
        built.add_conditional_edges("c", on(lambda state: len(state["m"]) < 8), {True: "s", False: END})
        assert run_inline(built.compile(), {}).state["m"] == ["s", "a", "b", "c"] * 2


class TestRaisedAtOnce:
    def test_from_end(self) -> None:
        """C1: nothing begins at END, with Java's text."""
        with pytest.raises(GraphStateException, match="END is not a valid edge sourceId!") as caught:
            nodes("a").add_edge(END, "a")
        assert (caught.value.code, caught.value.errors[0].place) == ("invalid_edge_identifier", "edge END → a")

    def test_end_among_sources(self) -> None:
        """C1: END is no source beside others either."""
        with pytest.raises(GraphStateException) as caught:
            nodes("a").add_edge(["a", END], "a")
        assert caught.value.code == "invalid_edge_identifier"

    @pytest.mark.parametrize("source", [None, [], (), "", [None], ["a", None]])
    def test_no_source(self, source: Any) -> None:
        """C1: a source has to be named."""
        with pytest.raises(GraphStateException, match="Source nodeIds missing for add_edge") as caught:
            nodes("a").add_edge(source, "a")
        assert caught.value.code == "empty_source_node_by_edge"

    @pytest.mark.parametrize("target", [None, [], (), [None], ["a", None]])
    def test_no_target(self, target: Any) -> None:
        """C1: a target has to be named."""
        with pytest.raises(GraphStateException, match="Target nodeIds missing for add_edge") as caught:
            nodes("a").add_edge("a", target)
        assert caught.value.code == "empty_target_node_by_edge"

    @pytest.mark.parametrize(("source", "target"), [([5], "a"), (5, "a"), ("a", [5]), ("a", 5)])
    def test_an_id_that_is_no_text(self, source: Any, target: Any) -> None:
        """C1: ids are str; the text shows what was given."""
        with pytest.raises(InvalidRecordError, match="of an edge must be the id of a node"):
            nodes("a").add_edge(source, target)

    @pytest.mark.parametrize(("source", "target"), [(["a", END], "b"), ("a", ["b", 5])])
    def test_what_was_refused_leaves_no_trace(self, source: Any, target: Any) -> None:
        """C1: an edge that is refused is not added in part."""
        built = nodes("a", "b").add_edge(START, "a")
        before = built.validate()
        with pytest.raises((GraphStateException, InvalidRecordError)):
            built.add_edge(source, target)
        assert built.validate() == before


class TestFoundByTheCompile:
    def test_twice(self) -> None:
        """R8: a duplicate among the fixed targets is a problem, however it was added."""
        built = nodes("a", "b").add_edge(START, ["a", "b", "a"]).add_edge(["a", "b"], END)
        assert problems_of(built).keys() == {("duplicate_edge_target_error", "edge __START__ → a")}
        built = nodes("a").add_edge(START, "a").add_edge(START, "a").add_edge("a", END)
        assert codes(built.validate()) == ["duplicate_edge_target_error"]

    def test_a_blank_target(self) -> None:
        """C1: a blank id is no node."""
        built = nodes("a").add_edge(START, "a").add_edge("a", "")
        assert ("missing_node_referenced_by_edge", "edge a → ") in problems_of(built)
