"""The model keeps the rules about joins, merging and Sends."""

from graph_core_tests.model.build import fixed, graph, multi, node, send
from graph_core_tests.model.checks import everywhere, runs_of, seen_by
from graph_core_tests.model.graph import END, START
from graph_core_tests.model.simulator import run


class TestJoin:
    """P3 and P4: who waits for whom, and what is merged."""

    def test_each_runs_once(self) -> None:
        """P3: A to B and C, B to D and E, C to E: each of B C D E F runs once."""
        described = graph(
            fixed(START, "A"), fixed("A", "B", "C"), fixed("B", "D", "E"), fixed("C", "E"),
            fixed("D", "F"), fixed("E", "F"), fixed("F", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert sorted(each.node for each in result.runs) == [*"ABCDEF"]

    def test_list_sources_join_once(self) -> None:
        """R11: the target of several sources runs once, a skipped source does not hold it."""
        described = graph(
            fixed(START, "s"), multi("s", ["a", "b", "e"], ["a", "e"]), fixed("a", "c"),
            fixed("b", "c"), fixed("c", "d"), fixed("e", "d"), fixed("d", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert runs_of(result) == [("a", 2), ("c", 3), ("d", 4), ("e", 2), ("s", 1)]

    def test_shared_prefix_counts_once(self) -> None:
        """P4: at a join the updates of a common past are applied once, in key order."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), fixed("b", "d", "e"), fixed("c", "e"),
            fixed("d", "f"), fixed("e", "f"), fixed("f", "g"), fixed("g", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert result.state == {"m": ["a", "b", "d", "c", "e", "f", "g"]}

    def test_last_in_branch_order_wins(self) -> None:
        """P4, P5: under REPLACE the last in branch order wins, whoever completes last."""
        described = graph(
            node("b", x="b"), node("c", x="c"), fixed(START, "a"),
            multi("a", ["b", "c"], ["c", "b"]), fixed("b", "d"), fixed("c", "d"), fixed("d", END),
        )  # fmt: skip
        assert all(result.state["x"] == "b" for result in everywhere(described))

    def test_deferred_nodes(self) -> None:
        """P13: a deferred node waits for all others; the result stays as it is."""
        edges = (
            fixed(START, "a"), fixed("a", "b", "c"), fixed("b", "d"), fixed("c", "e"),
            fixed("d", "z"), fixed("e", "z"), fixed("z", END),
        )  # fmt: skip
        plain, late = graph(*edges), graph(*edges, deferred=["d"])
        for result in everywhere(late):
            assert [each.node for each in result.runs].index("d") == 4
            assert result.state == run(plain, {}).state


class TestSends:
    """P6: private copies."""

    def test_plain_beside_send(self) -> None:
        """P6: a plain w beside Send("w") is a branch of its own."""
        described = graph(
            fixed(START, "a"), multi("a", ["w"], ["w", send("w", item=1), send("w", item=1)]),
            fixed("w", "z"), fixed("z", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert [each.node for each in result.runs].count("w") == 3

    def test_send_state_is_laid_over_the_forks_state(self) -> None:
        """P6: no strategies for the Send's state, and it never enters the merged state."""
        described = graph(
            fixed(START, "a"), multi("a", ["w"], [send("w", m=["p"])]), fixed("w", END),
        )  # fmt: skip
        for result in everywhere(described, {"m": ["in"]}):
            assert seen_by(result, "w") == [["p"]]
            assert result.state == {"m": ["in", "a", "w"]}

    def test_forks_of_a_copy_join_among_themselves(self) -> None:
        """P6: what a copy forks into runs for it alone."""
        described = graph(
            fixed(START, "a"),
            multi("a", ["w", "p"], [send("w", i=1), send("w", i=2), "p"], sends=["w"]),
            fixed("w", "x", "y"), fixed("x", "j"), fixed("y", "j"), fixed("p", "z"),
            fixed("j", "z"), fixed("z", END),
        )  # fmt: skip
        result = run(described, {})
        assert [each.node for each in result.runs].count("j") == 2
        assert [each.id for each in result.regions].count("__PARALLEL__(w)") == 2

    def test_send_to_the_convergence(self) -> None:
        """P1: a Send to the convergence raises."""
        described = graph(fixed(START, "a"), multi("a", ["b", "c"], [send("c")]), fixed("b", "c"), fixed("c", END))
        assert run(described, {}).ended == "send_to_convergence"

    def test_send_to_the_source(self) -> None:
        """P15: a Send to the source is an error."""
        described = graph(
            fixed(START, "a"), multi("a", ["a", "b"], [send("a")]), fixed("b", END)
        )  # fmt: skip
        assert run(described, {}).ended == "send_back"

    def test_send_target_that_dominates_the_source(self) -> None:
        """P15: a Send target of the fork itself is entered even if it dominates the source.

        It leads back only, so b is the convergence: b has arrived, and does not run at first.
        """
        described = graph(
            fixed(START, "w"), fixed("w", "a"),
            multi("a", ["w", "b"], [send("w"), "b"], ["b"], sends=["w"]), fixed("b", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert runs_of(result) == [("a", 2), ("a", 4), ("b", 5), ("w", 1), ("w", 3)]
