"""The codes and texts of the problems of a graph definition."""

from collections.abc import Callable
from typing import Any

import pytest

from graph_core import END, START, GraphProblem, GraphStateException, StateGraph
from graph_core.exception import problems

JAVA_CODES: dict[str, GraphProblem] = {
    "invalid_node_identifier": problems.invalid_node_identifier("__x"),
    "invalid_edge_identifier": problems.invalid_edge_identifier("a"),
    "node_id_not_match_error": problems.node_id_not_match("a", "b"),
    "duplicate_node_error": problems.duplicate_node("a"),
    "duplicate_conditional_edge_error": problems.duplicate_condition("a", "choose"),
    "edge_mapping_is_empty": problems.edge_mapping_is_empty("a"),
    "missing_entry_point": problems.missing_entry_point(),
    "missing_node_referenced_by_edge": problems.missing_target("a", "zz", ["b"]),
    "missing_node_in_edge_mapping": problems.missing_in_mapping("a", "label", "zz", ["b"]),
    "duplicate_edge_target_error": problems.duplicate_targets("a", ["b", "c"]),
    "empty_source_node_by_edge": problems.empty_source("a"),
    "empty_target_node_by_edge": problems.empty_target("a"),
}
OWN_CODES: dict[str, GraphProblem] = {
    "edge_into_start": problems.edge_into_start("a"),
    "missing_edge": problems.missing_edge("a"),
    "unreachable_node": problems.unreachable_node("a"),
    "node_never_finishes": problems.never_finishes("a"),
    "end_among_targets": problems.end_among_targets("a"),
    "undeclared_targets": problems.undeclared_targets("a", "but it forks"),
    "invalid_converge_at": problems.invalid_converge_at("a", "z", "is no node"),
    "open_sends": problems.open_sends("a", "s", "b → d"),
    "unknown_id": problems.unknown_id("sends of 'a'", "zz", ["b"]),
}
JAVA_TEXTS: dict[str, tuple[GraphProblem, str]] = {
    "END as a node": (problems.invalid_node_identifier(END), "END is not a valid node id!"),
    "END as a source": (problems.invalid_edge_identifier("a"), "END is not a valid edge sourceId!"),
    "another id": (
        problems.node_id_not_match("a", "b"),
        "node id ('a') specified in add_node doesn't match the id ('b')",
    ),
    "twice": (problems.duplicate_node("a"), "node with id: 'a' already exist!"),
    "two conditions": (problems.duplicate_condition("a", "c"), "conditional edge from 'a' already exist!"),
    "empty mapping": (problems.edge_mapping_is_empty("a"), "edge mapping is empty!"),
    "no entry": (problems.missing_entry_point(), "missing Entry Point"),
    "unknown source": (problems.missing_source("zz", ["b"]), "edge sourceId 'zz' refers to undefined node!"),
    "unknown in a mapping": (
        problems.missing_in_mapping("a", "l", "zz", ["b"]),
        "edge mapping for sourceId: 'a' contains a not existent nodeId 'zz'",
    ),
    "duplicates": (problems.duplicate_targets("a", ["b"]), "edge ['a'] has duplicate targets ['b']!"),
    "no source": (problems.empty_source("a"), "Source nodeIds missing for add_edge(source_ids, 'a')!"),
    "no target": (problems.empty_target("a"), "Target nodeIds missing for add_edge('a', target_ids)!"),
    "no edge": (problems.missing_edge("a"), "edge with sourceId: 'a' doesn't exist!"),
}
PLACES: dict[str, GraphProblem] = {
    "node a": problems.unreachable_node("a"),
    "edge a → zz": problems.missing_target("a", "zz", []),
    "edge a → …": problems.missing_source("a", []),
    "fork a": problems.open_sends("a", "s", "b → d"),
    "sends of 'a'": problems.unknown_id("sends of 'a'", "zz", []),
}


class TestCodes:
    @pytest.mark.parametrize(("code", "problem"), (JAVA_CODES | OWN_CODES).items(), ids=(JAVA_CODES | OWN_CODES).keys())
    def test_code(self, code: str, problem: GraphProblem) -> None:
        """C1: a code is the snake_case form of the Java constant, or one of our own."""
        assert problem.code == code

    @pytest.mark.parametrize(("problem", "text"), JAVA_TEXTS.values(), ids=JAVA_TEXTS.keys())
    def test_text(self, problem: GraphProblem, text: str) -> None:
        """C1: a text begins as Java's does, with ids in quotes."""
        assert problem.message.startswith(text)

    @pytest.mark.parametrize(("place", "problem"), PLACES.items(), ids=PLACES.keys())
    def test_place(self, place: str, problem: GraphProblem) -> None:
        """C1: a place names the node, edge or fork."""
        assert problem.place == place

    @pytest.mark.parametrize(
        ("problem", "fix"),
        [
            (problems.missing_edge("a"), "add_edge('a', END)"),
            (problems.missing_edge("a"), "destinations="),
            (problems.never_finishes("a"), "add_edge('a', END)"),
            (problems.missing_entry_point(), "add_edge(START, node)"),
            (problems.undeclared_targets("a", "…"), "mappings="),
        ],
        ids=["END", "destinations", "loop", "entry", "mappings"],
    )
    def test_fix(self, problem: GraphProblem, fix: str) -> None:
        """C2: each text names the fix."""
        assert fix in problem.message


class TestNodeIds:
    @pytest.mark.parametrize(
        ("node", "text"),
        [
            (END, "END is not"),
            ("", "it is blank"),
            ("  ", "it is blank"),
            ("__x", "ids that begin with '__' are reserved"),
        ],
        ids=["END", "empty", "blank", "reserved"],
    )
    def test_why(self, node: str, text: str) -> None:
        """C1: the text says what is wrong with the id (Java says END for all)."""
        assert text in problems.invalid_node_identifier(node).message


class TestHints:
    @pytest.mark.parametrize(
        ("wrong", "hint"),
        [
            ("__end__", " Did you mean the constant END?"),
            ("END", " Did you mean the constant END?"),
            ("start", " Did you mean the constant START?"),
            ("colect", " Did you mean 'collect'?"),
            ("zzz", ""),
        ],
        ids=["__end__", "END", "start", "close", "far"],
    )
    def test_hint(self, wrong: str, hint: str) -> None:
        """C2: an id like `__end__` gets the hint `END`, any other its close match."""
        assert problems.hint(wrong, ["collect", "answer"]) == hint

    @pytest.mark.parametrize(
        "made",
        [
            lambda: problems.missing_source("colect", ["collect"]),
            lambda: problems.missing_target("a", "colect", ["collect"]),
            lambda: problems.missing_in_mapping("a", "l", "colect", ["collect"]),
            lambda: problems.unknown_id("x", "colect", ["collect"]),
        ],
        ids=["source", "target", "mapping", "config"],
    )
    def test_where(self, made: Callable[[], GraphProblem]) -> None:
        """C2: every text about an unknown id ends with the hint."""
        assert made().message.endswith("Did you mean 'collect'?")


class TestTogether:
    def test_all_at_once(self) -> None:
        """C1: everything wrong with a graph is reported at once."""

        def node(state: Any) -> dict[str, Any]:
            return {}

        graph = StateGraph().add_node("a", node).add_node("b", node).add_edge(START, "a").add_edge("a", "zz")
        with pytest.raises(GraphStateException) as caught:
            graph.compile()
        codes = {problem.code for problem in caught.value.errors}
        assert {"missing_node_referenced_by_edge", "missing_edge"} <= codes
        assert len(str(caught.value).splitlines()) == len(caught.value.errors)
