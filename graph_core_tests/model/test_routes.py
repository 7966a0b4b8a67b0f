"""The model keeps the rules about routes and key strategies."""

from itertools import pairwise

import pytest

from graph_core_tests.model.build import fixed, graph, multi, node, when
from graph_core_tests.model.checks import everywhere, outputs_of, runs_of, seen_by
from graph_core_tests.model.graph import DEFAULT, END, START, Edge, Graph, Json, Node, StrategyName
from graph_core_tests.model.simulator import run


class TestRoutes:
    """R4, R5, R6, R8, R9: what routes answer."""

    def test_empty_answer(self) -> None:
        """R4, P11: an empty list goes on at the convergence, after the region's output."""
        described = graph(
            fixed(START, "a"), multi("a", ["b", "c"], []), fixed("b", "d"), fixed("c", "d"),
            fixed("d", END),
        )  # fmt: skip
        result = run(described, {})
        assert runs_of(result) == [("a", 1), ("d", 2)]
        assert outputs_of(result) == [("__PARALLEL__(a)", ["a"])]

    def test_default_catches(self) -> None:
        """R4, R5: DEFAULT catches unmapped labels and the empty answer."""
        ways = {"l": "b", DEFAULT: "c"}
        routes: tuple[Json, ...] = ("other", [])
        for route in routes:
            routed = Edge("a", "parallel_conditional", mappings=ways, routes=([route],))
            described = graph(fixed(START, "a"), routed, fixed("b", "d"), fixed("c", "d"), fixed("d", END))
            assert runs_of(run(described, {})) == [("a", 1), ("c", 2), ("d", 3)]

    def test_unmapped_label(self) -> None:
        """R4: a label that is not mapped is an error."""
        described = graph(fixed(START, "a"), when("a", ["b"], "x"), fixed("b", END))
        assert run(described, {}).ended == "missing_node_in_edge_mapping"

    def test_label_named_twice_counts_once(self) -> None:
        """R4: a label named twice counts once."""
        described = graph(fixed(START, "a"), multi("a", ["b", "c"], ["b", "b"]), fixed("b", END), fixed("c", END))
        assert runs_of(run(described, {})) == [("a", 1), ("b", 2)]

    def test_update_of_a_multi_route_comes_first(self) -> None:
        """R6: the update is merged once, before the branches run."""
        described = graph(
            fixed(START, "a"), multi("a", ["b", "c"], ["b", "c"], update={"m": ["r"]}),
            fixed("b", "d"), fixed("c", "d"), fixed("d", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert seen_by(result, "b") == [["a", "r"]]
            assert result.state == {"m": ["a", "r", "b", "c", "d"]}

    def test_mixed_routes(self) -> None:
        """R8: all routes see the node's own result only; the union of targets runs once each."""
        described = graph(
            node("a", x=0), fixed(START, "a"),
            Edge("a", "conditional", mappings={"l": "b"}, routes=("l",), route_updates=({"x": 1},)),
            when("a", ["b", "c"], {"if_lt": ["x", 1], "then": "c", "else": "b"}),
            fixed("a", "b"), fixed("b", "d"), fixed("c", "d"), fixed("d", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert runs_of(result) == [("a", 1), ("b", 2), ("c", 2), ("d", 3)]
            assert seen_by(result, "c", "x") == [1]

    def test_command_node(self) -> None:
        """R9: a node's own Command replaces its edges for that visit."""
        command = multi("a", ["b", "c"], ["c", "b"], update={"m": ["cmd"]})
        described = graph(
            Node("a", command=command), fixed(START, "a"), fixed("b", "d"),
            fixed("c", "d"), fixed("d", END),
        )  # fmt: skip
        nodes = (*described.nodes, node("c"), node("b"))
        once = tuple({each.id: each for each in nodes}.values())
        described = Graph(once, described.edges, {"m": "append"})
        for result in everywhere(described):
            assert result.state == {"m": ["cmd", "c", "b", "d"]}


class TestStrategies:
    """S4 to S7: how one update is merged."""

    def _state(self, strategy: StrategyName, updates: list[Json]) -> Json:
        names = [f"n{position}" for position in range(len(updates))]
        nodes = [Node(name, ({"k": value},)) for name, value in zip(names, updates, strict=True)]
        edges = [fixed(one, other) for one, other in pairwise([START, *names, END])]
        described = Graph(tuple(nodes), tuple(edges), {"k": strategy})
        return run(described, {}).state.get("k", "absent")

    @pytest.mark.parametrize(
        ("strategy", "updates", "merged"),
        [
            ("replace", [1, None], None),
            ("append", [None], "absent"),
            ("append", ["x", ["y", "z"]], ["x", "y", "z"]),
            ("append", [["x"], {"a": 1}, None], ["x", {"a": 1}]),
            ("append", [["x", "y"], {"$remove_by_hash": "x"}], ["y"]),
            ("append", [["x"], {"$remove": True}], "absent"),
            ("append", [["x"], {"$replace_all": ["z"]}], ["z"]),
            ("append_unique", [["x", "y"], ["x", "z"]], ["x", "y", "z"]),
            ("merge", [{"a": 1}, {"b": 2}, {"a": 3}], {"a": 3, "b": 2}),
            ("merge", [{"a": 1, "b": 2}, {"a": {"$remove": True}}], {"b": 2}),
        ],
    )
    def test_merging(self, strategy: StrategyName, updates: list[Json], merged: Json) -> None:
        """S4, S5, S6, S7: what is stored after these updates."""
        assert self._state(strategy, updates) == merged
