"""The reference model agrees with the recorded cases and the worked examples of the rules."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from graph_core_tests.model.analysis import analyse
from graph_core_tests.model.build import fixed, graph, multi, node, send, when
from graph_core_tests.model.checks import everywhere, outputs_of, runs_of, seen_by
from graph_core_tests.model.graph import END, START, Graph, Json, Node, State
from graph_core_tests.model.orders import all_orders
from graph_core_tests.model.scenario import read_case
from graph_core_tests.model.simulator import run

CASES = sorted((Path(__file__).parent.parent / "parity" / "regions").glob("*.json"))


class TestRecordedCases:
    """The 40 recorded cases, in every completion order."""

    def test_there_are_forty(self) -> None:
        """The folder is complete."""
        assert len(CASES) == 40

    @pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
    def test_case(self, path: Path) -> None:
        """P1-P15: state, runs and region outputs are as recorded in every order."""
        case = read_case(path)
        assert analyse(case.graph).problems == ()
        for result in all_orders(case.graph, case.inputs):
            assert result.ended == "done"
            assert result.state == case.state
            assert tuple(runs_of(result)) == case.runs
            regions = [(each.id, each.state) for each in result.regions]
            if not case.ordered:
                regions.sort(key=repr)
            expected = list(case.regions) if case.ordered else sorted(case.regions, key=repr)
            assert regions == expected


class TestWorkedExamples:
    """The worked examples at the end of the rules."""

    def test_1_open_fork_inside(self) -> None:
        """Example 1 (P3, P4, P14): E waits for B and C, D does not."""
        described = graph(
            node("B", x="B"), node("C", x="C"), node("D", x="D"),
            fixed(START, "A"), fixed("A", "B", "C"), fixed("B", "D", "E"),
            fixed("C", "E"), fixed("D", "F"), fixed("E", "F"), fixed("F", END),
        )  # fmt: skip
        info = analyse(described).fork("A")
        assert info.convergence == "F"
        assert info.open == {"B"}
        for result in everywhere(described):
            assert runs_of(result) == [("A", 1), ("B", 2), ("C", 2), ("D", 3), ("E", 3), ("F", 4)]
            assert (seen_by(result, "D"), seen_by(result, "D", "x")) == ([["A", "B"]], ["B"])
            assert (seen_by(result, "E"), seen_by(result, "E", "x")) == ([["A", "B", "C"]], ["C"])
            assert outputs_of(result) == [("__PARALLEL__(A)", ["A", "B", "D", "C", "E"])]
            assert result.state == {"m": ["A", "B", "D", "C", "E", "F"], "x": "C"}

    def test_1_d_starts_before_c_is_done(self) -> None:
        """Example 1 (P2): D runs as soon as B is done."""
        described = graph(
            fixed(START, "A"), fixed("A", "B", "C"), fixed("B", "D", "E"), fixed("C", "E"),
            fixed("D", "F"), fixed("E", "F"), fixed("F", END),
        )  # fmt: skip
        shown: list[list[str]] = []

        def note(running: Sequence[object]) -> int:
            shown.append([getattr(each, "node", "") for each in running])
            return 0

        run(described, {}, note)
        assert shown[:3] == [["A"], ["B", "C"], ["C", "D"]]

    def _example_2(self, limit: int) -> Graph:
        count: State = {"m": ["C"], "n": {"$inc": "n"}}
        return graph(
            Node("C", (count,)),
            fixed(START, "S"), fixed("S", "A"), fixed("A", "B", "C"), fixed("B", "D"),
            when("C", ["S", "D"], {"if_lt": ["n", 2], "then": "S", "else": "D"}),
            fixed("D", END), limit=limit,
        )  # fmt: skip

    def test_2_leaving_backwards(self) -> None:
        """Example 2 (P15, X2): C goes back to S once B has arrived; seven steps are enough."""
        for result in everywhere(self._example_2(7)):
            assert result.ended == "done"
            steps = {("S", 1), ("A", 2), ("B", 3), ("C", 3), ("S", 4), ("A", 5), ("B", 6)}
            assert set(runs_of(result)) == steps | {("C", 6), ("D", 7)}
            assert [run.seen for run in result.runs if run.node == "S"][1] == {
                "m": ["S", "A", "B", "C"],
                "n": 1,
            }
            assert [each.id for each in result.regions] == ["__PARALLEL__(A)"] * 2
            assert result.state == {"m": [*"SABCSABCD"], "n": 2}

    def test_2_recursion_limit(self) -> None:
        """Example 2 (X2): with six steps D is refused."""
        assert {result.ended for result in everywhere(self._example_2(6))} == {"recursion_limit"}

    def test_3_convergence_at_the_source(self) -> None:
        """Example 3 (P1, P15): the convergence of a is a; END alone leaves it."""
        described = graph(
            fixed(START, "a"), multi("a", ["b", "c", END], ["b", "c"], ["c"], [END]),
            fixed("b", "a"), fixed("c", "a"),
        )  # fmt: skip
        assert analyse(described).fork("a").convergence == "a"
        for result in everywhere(described):
            runs = [("a", 1), ("a", 3), ("a", 5), ("b", 2), ("c", 2), ("c", 4)]
            assert runs_of(result) == runs
            assert [each.id for each in result.regions] == ["__PARALLEL__(a)"] * 2
            assert result.state == {"m": ["a", "b", "c", "a", "c", "a"]}

    def test_4_sends_and_plain_targets(self) -> None:
        """Example 4 (P6): copies see their own state, loop alone, and r runs once."""
        again: Json = {"if_lt": ["c", 2], "then": "w", "else": "r"}
        worker: State = {"m": [{"$get": "tag"}], "c": {"$inc": "c"}}
        described = graph(
            Node("w", (worker,)),
            fixed(START, "a"),
            multi(
                "a", ["w", "p"],
                [send("w", item=1, tag="w1"), "p", send("w", item=2, tag="w2")], sends=["w"],
            ),
            when("w", ["w", "r"], {"if_lt": ["item", 2], "then": "r", "else": again}),
            fixed("p", "q"), fixed("q", "r"), fixed("r", END),
        )  # fmt: skip
        assert analyse(described).fork("a").convergence == "r"
        for result in everywhere(described):
            runs = [("a", 1), ("p", 2), ("q", 3), ("r", 4), ("w", 2), ("w", 2), ("w", 3)]
            assert runs_of(result) == runs
            assert seen_by(result, "w") == [["a"], ["a"], ["a", "w2"]]
            assert result.state["m"] == ["a", "w1", "p", "q", "w2", "w2", "r"]
            assert "item" not in result.state

    def test_6_branches_that_reach_each_other(self) -> None:
        """Example 6 (P3): of two nodes in a loop the one of smaller rank runs first."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), when("b", ["c", "d"], "c", "d"),
            when("c", ["b", "d"], "b"), fixed("d", END),
        )  # fmt: skip
        for result in everywhere(described):
            order = [("a", 1), ("b", 2), ("c", 3), ("b", 4), ("d", 5)]
            assert [(each.node, each.step) for each in result.runs] == order
            assert result.state == {"m": ["a", "b", "c", "b", "d"]}

    def test_7_end_inside_a_branch(self) -> None:
        """Example 7 (P14): END ends that branch only; d and e run inside the region."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), when("b", [END, "d"], END),
            fixed("c", "d"), fixed("d", "e"), fixed("e", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert seen_by(result, "d") == [["a", "c"]]
            assert outputs_of(result) == [("__PARALLEL__(a)", ["a", "b", "c", "d", "e"])]
            assert result.state == {"m": ["a", "b", "c", "d", "e"]}
