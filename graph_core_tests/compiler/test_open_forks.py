"""P14: open and closed forks inside a region."""

from typing import Any

import pytest

from graph_core import END, START, Send, StateGraph
from graph_core_tests.shapes import Result, graph, problems_of, run_inline, says


def shown(built: StateGraph) -> list[str]:
    """The regions that emit an output of their own."""
    return [name for name, _ in run_inline(built.compile(), {}).regions]


class TestOpenOrClosed:
    def test_a_fork_that_shares_nothing_is_closed(self) -> None:
        """P14: a closed fork gets a region of its own."""
        built = graph("START > a", "a > b, c", "b > d, e", "d > f", "e > f", "f > g", "c > g", "g > END")
        assert shown(built) == ["__PARALLEL__(b)", "__PARALLEL__(a)"]

    def test_a_fork_whose_region_another_branch_enters_is_open(self) -> None:
        """P14: an open one emits no output of its own."""
        built = graph("START > a", "a > b, c", "b > d, e", "c > e", "d > f", "e > f", "f > END")
        assert shown(built) == ["__PARALLEL__(a)"]

    def test_two_forks_that_share_their_region_are_both_open(self) -> None:
        """P14: each target reaches one of them, and the other's region."""
        built = graph("START > a", "a > b, c", "b > d, e", "c > d, e", "d > f", "e > f", "f > END")
        assert shown(built) == ["__PARALLEL__(a)"]
        result = run_inline(built.compile(), {})
        assert result.steps == [("a", 1), ("b", 2), ("c", 2), ("d", 3), ("e", 3), ("f", 4)]
        assert result.state["m"] == ["a", "b", "c", "d", "e", "f"]

    def test_openness_spreads_to_a_fork_below(self) -> None:
        """P14: of two targets of an open fork one may open the next (repeat until stable)."""
        built = graph("START > a", "a > b, c", "b > d, e", "c > e", "d > x, y", "e > y", "x > f", "y > f", "f > END")
        assert shown(built) == ["__PARALLEL__(a)"]

    def test_a_fork_that_both_branches_come_to_is_closed(self) -> None:
        """P14: a fork is entered through itself by all: it runs once, closed."""
        built = graph("START > a", "a > b, c", "b > g", "c > g", "g > x, y", "x > h", "y > h", "h > END")
        assert shown(built) == ["__PARALLEL__(a)", "__PARALLEL__(g)"]

    def test_a_shared_fork_inside_a_region(self) -> None:
        """P14: decided per enclosing region; joined before it, the fork runs once inside."""
        built = graph(
            "START > a", "a > b, c, k", "b > g", "c > g", "g > x, y", "x > h", "y > h", "h > z", "k > z", "z > END"
        )
        assert shown(built) == ["__PARALLEL__(g)", "__PARALLEL__(a)"]

    def test_an_empty_answer_of_an_open_fork(self) -> None:
        """P14, R4: an open fork that chooses nothing goes on at its convergence."""
        built = graph("START > A", "A > B, C", "C > E", "D > F", "E > F", "F > END")
        built.add_parallel_conditional_edges("B", says([]), ["D", "E"])
        assert run_inline(built.compile(), {}).state["m"] == ["A", "B", "C", "E", "F"]

    def test_an_open_fork_that_ends(self) -> None:
        """P14: END chosen alone on an open fork ends that branch."""
        built = graph("START > A", "A > B, C", "C > E", "D > F", "E > F", "F > END")
        built.add_parallel_conditional_edges("B", says(END), ["D", "E", END])
        assert run_inline(built.compile(), {}).state["m"] == ["A", "B", "C", "E", "F"]


class TestOpenSends:
    def build(self, **options: Any) -> StateGraph:
        """Make a fork at b, inside that of a, whose target w is also led to by c."""
        built = graph("START > a", "a > b, c", "c > w", "w > e", "v > e", "e > END")
        return built.add_parallel_conditional_edges("b", says(["w", "v"]), ["w", "v"], **options)

    def test_the_problem(self) -> None:
        """P6: Send targets on an open fork are a problem that names the way and the fix."""
        found = problems_of(self.build(sends=["w"]))
        assert found.keys() == {("open_sends", "fork b")}
        text = found["open_sends", "fork b"]
        assert text.startswith("'b' sends copies")
        assert "the region of 'a'" in text
        assert "c leads into them" in text
        assert text.endswith("put that part into a child, or a node before the shared one")

    def test_without_sends_it_compiles(self) -> None:
        """P6: labels are fine there."""
        assert self.build().validate() == ()

    def test_a_send_at_run_time(self) -> None:
        """P6: a Send that was not declared is refused when it comes."""
        built = graph("START > a", "a > b, c", "c > w", "w > e", "v > e", "e > END")
        built.add_parallel_conditional_edges("b", says([Send("w"), "v"]), ["w", "v"])
        result: Result = run_inline(built.compile(), {})
        assert (result.failure.code, result.failure.node_id) == ("open_sends", "b")

    def test_the_fix(self) -> None:
        """P6: a node before the shared one closes the fork."""
        built = graph("START > a", "a > b, c", "c > w", "x > w", "v > w", "w > END")
        built.add_parallel_conditional_edges("b", says([Send("x"), Send("x")]), ["x", "v"], sends=["x"])
        assert run_inline(built.compile(), {}).state["m"] == ["a", "b", "x", "x", "c", "w"]


@pytest.mark.parametrize("order", [["b", "c"], ["c", "b"]])
def test_branch_order_of_an_open_fork(order: list[str]) -> None:
    """P4, P14: the branches of an open fork stand where it stood, whatever is declared first."""
    built = graph("a > b, c" if order[0] == "b" else "a > c, b", "b > d, e", "c > e", "d > f", "e > f", "f > END")
    built.add_edge(START, "a")
    expected = {"b": ["a", "b", "d", "c", "e", "f"], "c": ["a", "c", "b", "e", "d", "f"]}
    assert run_inline(built.compile(), {}).state["m"] == expected[order[0]]
