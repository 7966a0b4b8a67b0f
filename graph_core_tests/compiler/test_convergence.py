"""P1: where the branches of a fork join."""

import pytest

from graph_core import END, START, MultiCommandAction, StateGraph
from graph_core_tests.shapes import codes, graph, problems_of, run_inline, says


def converges(built: StateGraph, source: str) -> str | None:
    """Compile, and give where the branches of a fork join."""
    return built.compile().edges[f"__PARALLEL__({source})"].id


class TestNearestPostDominator:
    def test_diamond(self) -> None:
        """P1: the node that all branches come to."""
        assert converges(graph("START > a", "a > b, c", "b > d", "c > d", "d > END"), "a") == "d"

    def test_the_nearest_one(self) -> None:
        """P1: not a later one."""
        assert converges(graph("START > a", "a > b, c", "b > d", "c > d", "d > e", "e > END"), "a") == "d"

    def test_branches_of_different_lengths(self) -> None:
        """P1 Δ: each branch may have any number of nodes."""
        assert converges(graph("START > a", "a > b, c", "b > x", "x > y", "y > d", "c > d", "d > END"), "a") == "d"

    def test_no_common_node(self) -> None:
        """P1: END is the exit of every graph, so there always is one."""
        assert converges(graph("START > a", "a > b, c", "b > END", "c > END"), "a") == END

    def test_a_plain_target(self) -> None:
        """P1: a target may be the convergence; that branch has arrived at once."""
        built = graph("START > a", "a > b, c", "b > c", "c > END")
        assert converges(built, "a") == "c"
        assert run_inline(built.compile(), {}).state["m"] == ["a", "b", "c"]

    def test_of_start(self) -> None:
        """P1: START may fork."""
        built = graph("START > a, b", "a > c", "b > c", "c > END")
        assert built.compile().edges["__PARALLEL__(__START__)"].id == "c"

    def test_the_forks_own_source(self) -> None:
        """P1: all ways lead back to the source, which is left by END alone."""
        built = graph("START > a", "b > a", "c > a").add_parallel_conditional_edges("a", says(END), ["b", "c", END])
        assert converges(built, "a") == "a"

    def test_a_condition_counts_with_all_its_targets(self) -> None:
        """P1: a branch that may go past d does not converge there."""
        built = graph("START > a", "a > b, c", "c > d", "d > e", "e > END")
        assert converges(built.add_conditional_edges("b", says("d"), ["d", "e"]), "a") == "e"

    def test_a_branch_that_may_end(self) -> None:
        """P1: END inside a branch makes END the convergence."""
        built = graph("START > a", "a > b, c", "c > d", "d > END")
        assert converges(built.add_conditional_edges("b", says("d"), ["d", END]), "a") == END

    def test_end_among_the_targets_of_a_route(self) -> None:
        """P1: END among a route's targets is not counted."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_parallel_conditional_edges("a", says("b"), ["b", "c", END])
        assert converges(built, "a") == "d"

    def test_a_route_that_may_only_end(self) -> None:
        """P1: without any target but END that is where it converges."""
        built = graph("START > a").add_parallel_conditional_edges("a", says(END), [END])
        assert converges(built, "a") == END
        assert run_inline(built.compile(), {}).regions == []

    def test_a_way_back_does_not_count(self) -> None:
        """P1, P15: a branch that may go back to the source still converges at d."""
        built = graph("START > a", "a > b, c", "c > d", "d > END")
        assert converges(built.add_conditional_edges("b", says("d"), ["a", "d"]), "a") == "d"

    def test_nested(self) -> None:
        """P1: an inner fork converges inside the outer region."""
        built = graph("START > a", "a > b, c", "b > d, e", "d > f", "e > f", "f > g", "c > g", "g > END")
        assert (converges(built, "a"), converges(built, "b")) == ("g", "f")


class TestSendTargets:
    def test_the_only_target_of_a_multi_route(self) -> None:
        """P1: it is a Send target, so it is not the convergence."""
        built = graph("START > a", "w > d", "d > END").add_parallel_conditional_edges("a", says("w"), ["w"])
        assert converges(built, "a") == "d"

    def test_end_apart(self) -> None:
        """P1: END beside it does not change that."""
        built = graph("START > a", "w > d", "d > END").add_parallel_conditional_edges("a", says("w"), ["w", END])
        assert converges(built, "a") == "d"

    def test_one_of_two_is_plain(self) -> None:
        """P1: of two targets the later one is the convergence, if it is no Send target."""
        built = graph("START > a", "w > d", "d > END").add_parallel_conditional_edges("a", says("w"), ["w", "d"])
        assert converges(built, "a") == "d"

    def test_named_by_sends(self) -> None:
        """P1: the same, where it is named by `sends=`."""
        built = graph("START > a", "w > d", "d > e", "e > END")
        built.add_parallel_conditional_edges("a", says("w"), ["w", "d"], sends=["d"])
        assert converges(built, "a") == "e"

    def test_the_only_target_of_a_nodes_commands(self) -> None:
        """P1, R9: a node that returns MultiCommands is a multi route."""
        built = graph("w > d", "d > END").add_node("a", MultiCommandAction(says("w")), ["w"]).add_edge(START, "a")
        assert converges(built, "a") == "d"

    def test_named_by_sends_of_a_node(self) -> None:
        """P1, R9: `sends=` of a node."""
        built = graph("w > d", "d > e", "e > END")
        built.add_node("a", MultiCommandAction(says("w")), ["w", "d"], sends=["d"]).add_edge(START, "a")
        assert converges(built, "a") == "e"

    def test_of_a_fork_inside(self) -> None:
        """P1: a Send target of an inner fork is no convergence of the outer one (repeated until it holds)."""
        built = graph("START > a", "a > b, c", "c > w", "w > e", "e > END")
        built.add_parallel_conditional_edges("b", says("w"), ["w"])
        found = problems_of(built)
        assert found.keys() == {("open_sends", "fork b")}

    def test_copies_converge_right_behind_a_fixed_fork(self) -> None:
        """P1: if the Send target forks, its copies join at a point behind it, and the fork runs once."""
        built = graph("START > a", "w > x, y", "x > z", "y > z", "z > END")
        built.add_parallel_conditional_edges("a", says(["w"]), ["w"])
        assert converges(built, "a") == "__PARALLEL__(w)"
        assert converges(built, "w") == "z"


class TestConvergeAt:
    @pytest.mark.parametrize("wanted", ["d", "e", END])
    def test_any_common_post_dominator(self, wanted: str) -> None:
        """P1: the nearest, or any later one."""
        built = graph("START > a", "b > d", "c > d", "d > e", "e > END").add_edge("a", ["b", "c"], converge_at=wanted)
        assert converges(built, "a") == wanted
        result = run_inline(built.compile(), {})
        assert result.state["m"] == ["a", "b", "c", "d", "e"]
        inside = {"d": ["a", "b", "c"], "e": ["a", "b", "c", "d"], END: ["a", "b", "c", "d", "e"]}
        assert result.regions == [("__PARALLEL__(a)", inside[wanted])]

    @pytest.mark.parametrize("wanted", ["a", "b", "x", START])
    def test_anything_else(self, wanted: str) -> None:
        """P1: a node that not all branches pass is no place to join."""
        built = graph("START > a", "b > x", "x > d", "c > d", "d > END").add_edge("a", ["b", "c"], converge_at=wanted)
        assert codes(built.validate()) == ["invalid_converge_at"]

    def test_up_to_the_enclosing_convergence(self) -> None:
        """P1: the convergence of the region around is the last that an inner fork may choose."""
        edges = ("START > a", "b", "d > e", "c > e", "e > f", "z > f", "f > g", "g > END")
        built = graph(*edges).add_edge("a", ["b", "z"], converge_at="f").add_edge("b", ["c", "d"], converge_at="f")
        assert converges(built, "b") == "f"
        built = graph(*edges).add_edge("a", ["b", "z"], converge_at="f").add_edge("b", ["c", "d"], converge_at="g")
        found = problems_of(built)
        assert found.keys() == {("invalid_converge_at", "fork b")}
        assert "lies outside the region of 'a'" in found["invalid_converge_at", "fork b"]

    def test_on_an_open_fork(self) -> None:
        """P1, P14: the branches of an open fork belong to the region around."""
        built = graph("START > A", "A > B, C", "C > E", "D > F", "E > F", "F > END")
        built.add_edge("B", ["D", "E"], converge_at="F")
        found = problems_of(built)
        assert found.keys() == {("invalid_converge_at", "fork B")}
        assert "share nodes with others in the region of 'A'" in found["invalid_converge_at", "fork B"]

    def test_at_a_send_target(self) -> None:
        """P1: never a Send target of the fork."""
        built = graph("START > a", "w > d", "d > END")
        built.add_parallel_conditional_edges("a", says("w"), ["w", "d"], sends=["d"], converge_at="d")
        found = problems_of(built)
        assert found.keys() == {("invalid_converge_at", "fork a")}
        assert "reached by Send" in found["invalid_converge_at", "fork a"]

    def test_of_a_multi_route_and_of_a_node(self) -> None:
        """P1: the option of both verbs, and of a node that returns commands."""
        built = graph("START > a", "b > d", "c > d", "d > e", "e > END")
        built.add_parallel_conditional_edges("a", says("b"), ["b", "c"], converge_at="e")
        assert converges(built, "a") == "e"
        built = graph("b > d", "c > d", "d > e", "e > END")
        built.add_node("a", MultiCommandAction(says("b")), ["b", "c"], converge_at="e").add_edge(START, "a")
        assert converges(built, "a") == "e"
