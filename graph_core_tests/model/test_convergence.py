"""The model keeps the rules about convergences, inner forks and ways back."""

from graph_core_tests.model.analysis import analyse
from graph_core_tests.model.build import fixed, graph, multi, send, when
from graph_core_tests.model.checks import everywhere, outputs_of, problem_codes, runs_of
from graph_core_tests.model.graph import END, START
from graph_core_tests.model.simulator import run


class TestConvergence:
    """P1: where a fork converges."""

    def test_plain_target(self) -> None:
        """P1: the convergence may be a plain target, which then has arrived at once."""
        described = graph(fixed(START, "a"), fixed("a", "b", "c"), fixed("b", "c"), fixed("c", END))
        assert analyse(described).fork("a").convergence == "c"
        assert outputs_of(run(described, {})) == [("__PARALLEL__(a)", ["a", "b"])]

    def test_only_target_of_a_multi_route_is_a_send_target(self) -> None:
        """P1: the only target of a multi route counts as a Send target, END apart."""
        described = graph(fixed(START, "a"), multi("a", ["w", END], ["w"]), fixed("w", END))
        assert analyse(described).fork("a").convergence == END

    def test_send_target_of_an_inner_fork(self) -> None:
        """P1: a Send target of a fork inside the region is no convergence; they nest."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), multi("b", ["w", "x"], [], sends=["w"]),
            fixed("x", "w"), fixed("c", "w"), fixed("w", "z"), fixed("z", END),
        )  # fmt: skip
        found = analyse(described)
        assert (found.fork("a").convergence, found.fork("b").convergence) == ("z", "z")

    def test_point_behind_a_fixed_fork(self) -> None:
        """P1: Send copies converge behind a fixed fork, which then runs once."""
        described = graph(
            fixed(START, "a"), multi("a", ["w"], [send("w", item=1), send("w", item=2)]),
            fixed("w", "x", "y"), fixed("x", "z"), fixed("y", "z"), fixed("z", END),
        )  # fmt: skip
        assert analyse(described).fork("a").convergence == "w#fork"
        for result in everywhere(described):
            runs = [("a", 1), ("w", 2), ("w", 2), ("x", 3), ("y", 3), ("z", 4)]
            assert runs_of(result) == runs
            assert outputs_of(result) == [
                ("__PARALLEL__(a)", ["a", "w", "w"]),
                ("__PARALLEL__(w)", ["a", "w", "w", "x", "y"]),
            ]

    def test_end_chosen_with_others_adds_no_branch(self) -> None:
        """P1: END chosen together with nodes adds no branch."""
        described = graph(
            fixed(START, "a"), multi("a", ["b", "c", END], [END, "b"]), fixed("b", "d"),
            fixed("c", "d"), fixed("d", END),
        )  # fmt: skip
        assert runs_of(run(described, {})) == [("a", 1), ("b", 2), ("d", 3)]

    def test_end_among_fixed_targets(self) -> None:
        """P1: END among several fixed targets is a compile problem."""
        described = graph(fixed(START, "a"), fixed("a", "b", END), fixed("b", END))
        assert "end_among_fixed" in problem_codes(described)

    def test_converge_at(self) -> None:
        """P1: `converge_at` chooses a later common post-dominator."""
        parts = (
            fixed(START, "a"),
            fixed("b", "d"),
            fixed("c", "d"),
            fixed("d", "e"),
            fixed("e", END),
        )
        described = graph(fixed("a", "b", "c", at="e"), *parts)
        assert analyse(described).fork("a").convergence == "e"
        assert outputs_of(run(described, {})) == [("__PARALLEL__(a)", ["a", "b", "c", "d"])]
        assert problem_codes(graph(fixed("a", "b", "c", at="b"), *parts)) == {"converge_at"}

    def test_converge_at_beyond_the_enclosing_convergence(self) -> None:
        """P1: `converge_at` goes up to the enclosing convergence, not further."""
        parts = (
            fixed(START, "a"), fixed("a", "b", "c"), fixed("b1", "d"), fixed("b2", "d"),
            fixed("d", "e"), fixed("c", "e"), fixed("e", "f"), fixed("f", END),
        )  # fmt: skip
        assert problem_codes(graph(fixed("b", "b1", "b2", at="e"), *parts)) == set()
        assert problem_codes(graph(fixed("b", "b1", "b2", at="f"), *parts)) == {"converge_at"}

    def test_a_way_back_does_not_count(self) -> None:
        """P1: ways that leave backwards do not count for the convergence."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), when("b", ["a", "d"], "d"),
            fixed("c", "d"), fixed("d", END),
        )  # fmt: skip
        info = analyse(described).fork("a")
        assert info.convergence == "d"
        assert info.region == {"b", "c"}


class TestForksInside:
    """P14: forks inside a region."""

    def test_closed_fork(self) -> None:
        """P14: a fork that nobody else reaches has a region and an output of its own."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), fixed("b", "d", "e"), fixed("d", "f"),
            fixed("e", "f"), fixed("f", "z"), fixed("c", "z"), fixed("z", END),
        )  # fmt: skip
        assert analyse(described).fork("a").open == frozenset()
        for result in everywhere(described):
            assert [each.id for each in result.regions] == ["__PARALLEL__(b)", "__PARALLEL__(a)"]

    def test_open_by_an_open_fork(self) -> None:
        """P14: of two targets of an open fork, one reaches the inner, the other its region."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), fixed("b", "d", "e"), fixed("c", "e"),
            fixed("d", "f", "g"), fixed("e", "g"), fixed("f", "z"), fixed("g", "z"),
            fixed("z", END),
        )  # fmt: skip
        assert analyse(described).fork("a").open == {"b", "d"}

    def test_sends_on_an_open_fork(self) -> None:
        """P6, P14: Send targets on an open fork are the problem `open_sends`."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), multi("b", ["w", "e"], [], sends=["w"]),
            fixed("c", "e"), fixed("w", "f"), fixed("e", "f"), fixed("f", END),
        )  # fmt: skip
        assert "open_sends" in problem_codes(described)


class TestWaysBack:
    """P15: branches that leave backwards."""

    def test_the_one_that_leaves_most_wins(self) -> None:
        """P15: of several ways back the one that leaves most regions is taken."""
        described = graph(
            fixed(START, "s"), fixed("s", "a"), fixed("a", "b", "c"),
            fixed("b", "d", "e"), when("d", ["b", "f"], "b", "f"), when("e", ["s", "f"], "s", "f"),
            fixed("f", "z"), fixed("c", "z"), fixed("z", END),
        )  # fmt: skip
        for result in everywhere(described):
            nodes = [each.node for each in result.runs]
            assert (nodes.count("s"), nodes.count("b"), nodes.count("z")) == (2, 2, 1)

    def test_the_convergence_does_not_run(self) -> None:
        """P15: what had arrived is in the merged state, the convergence does not run."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), fixed("b", "d"),
            when("c", ["a", "d"], "a", "d"), fixed("d", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert result.state == {"m": ["a", "b", "c", "a", "b", "c", "d"]}

    def test_a_back_edge_to_an_inner_node_is_a_loop(self) -> None:
        """P2, P15: a loop inside a branch stays inside the region."""
        described = graph(
            fixed(START, "a"), fixed("a", "b", "c"), when("b", ["b", "d"], "b", "d"),
            fixed("c", "d"), fixed("d", END),
        )  # fmt: skip
        for result in everywhere(described):
            assert runs_of(result) == [("a", 1), ("b", 2), ("b", 3), ("c", 2), ("d", 4)]
            assert len(result.regions) == 1
