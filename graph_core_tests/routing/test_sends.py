"""P6: copies of a node, each on a state of its own."""

from typing import Any

import pytest

from graph_core import END, REMOVE, MultiCommand, Overwrite, ReplaceAllWith, Send, StateGraph
from graph_core_tests.shapes import RUNNERS, Runner, State, Update, graph, on, says, shown

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
MARKERS: list[tuple[Any, str]] = [(REMOVE, "none"), (Overwrite([1]), "[1]"), (ReplaceAllWith([2]), "[2]")]


def worker(state: State) -> Update:
    """Append `w` and the item."""
    return {"m": f"w{state['item']}"}


def sends(answer: Any, *edges: str, **nodes: Any) -> StateGraph:
    """Make START → a → answer of w (and p) → r → END."""
    given: dict[str, Any] = {"w": worker, **nodes}
    built = graph("START > a", "w > r", "p > r", "r > END", *edges, **given)
    return built.add_parallel_conditional_edges("a", says(answer), ["w", "p"], sends=["w"])


@each_runner
class TestCopies:
    def test_each_has_its_state(self, run: Runner) -> None:
        """P6: the state of a Send is laid over the fork's state, in the order of the answer."""
        answer = [Send("w", {"item": 2}), Send("w", {"item": 1}), Send("w", {"item": 3})]
        result = run(sends(answer).compile(), {}, None)
        assert result.state["m"] == ["a", "w2", "w1", "w3", "r"]
        assert [name for name, _ in result.steps] == ["a", "w", "w", "w", "r"]

    def test_it_never_enters_the_merged_state(self, run: Runner) -> None:
        """P6: what was sent is gone behind the convergence."""
        result = run(sends([Send("w", {"item": 1, "m": ["sent"]})]).compile(), {}, None)
        assert result.state == {"m": ["a", "w1", "r"]}
        region = next(output for output in result.outputs if output.node == "__PARALLEL__(a)")
        assert shown(region) == {"m": ["a", "w1"]}

    def test_without_strategies(self, run: Runner) -> None:
        """P6: it is laid over, not merged: a list under APPEND is replaced in the view."""
        result = run(sends([Send("w", {"item": 1, "m": ["sent"]})]).compile(), {}, None)
        view = next(shown(output) for output in result.outputs if output.node == "w")
        assert view["m"] == ["sent", "w1"]

    @pytest.mark.parametrize(("value", "seen"), MARKERS, ids=repr)
    def test_markers(self, run: Runner, value: Any, seen: str) -> None:
        """P6, S4: markers mean in a Send what they mean in an update."""

        def look(state: State) -> Update:
            return {"m": str(state.get("x", "none"))}

        result = run(sends([Send("w", {"x": value})], w=look).compile(), {"x": "old"}, None)
        assert result.state["m"] == ["a", seen, "r"]
        assert result.state["x"] == "old"

    def test_equal_sends_are_all_run(self, run: Runner) -> None:
        """R4: a Send named twice counts twice."""
        assert run(sends([Send("w", {"item": 1})] * 3).compile(), {}, None).state["m"] == ["a", "w1", "w1", "w1", "r"]

    def test_mixed_with_plain_targets(self, run: Runner) -> None:
        """P6: any mix, in the order of the answer."""
        answer = [Send("w", {"item": 1}), "p", Send("w", {"item": 2})]
        assert run(sends(answer).compile(), {}, None).state["m"] == ["a", "w1", "p", "w2", "r"]

    def test_a_plain_target_beside_its_copies(self, run: Runner) -> None:
        """P6: a plain `w` beside `Send("w")` is a branch of its own."""
        answer = ["w", Send("w", {"item": 1})]
        assert run(sends(answer).compile(), {"item": 0}, None).state["m"] == ["a", "w0", "w1", "r"]

    def test_with_an_update(self, run: Runner) -> None:
        """R6: the update of a MultiCommand comes first, and the copies see it."""
        answer = MultiCommand([Send("w", {"item": 1})], {"m": "u", "x": 1})
        result = run(sends(answer).compile(), {}, None)
        assert result.state == {"m": ["a", "u", "w1", "r"], "x": 1}

    def test_a_copy_sees_its_state_up_to_the_convergence(self, run: Runner) -> None:
        """P6: later nodes of the branch see it, with the branch's log on top."""

        def later(state: State) -> Update:
            return {"m": f"v{state['item']}{len(state['m'])}"}

        built = graph("START > a", "w > v", "p > r", "v > r", "r > END", w=worker, v=later)
        answer = [Send("w", {"item": i}) for i in (1, 2)]
        built.add_parallel_conditional_edges("a", says(answer), ["w", "p"], sends=["w"])
        assert run(built.compile(), {}, None).state["m"] == ["a", "w1", "v12", "w2", "v22", "r"]

    def test_what_a_copy_writes_wins_in_its_view(self, run: Runner) -> None:
        """P6: the branch's log lies on top of what was sent."""

        def write(state: State) -> Update:
            return {"item": state["item"] + 10, "m": "w"}

        def later(state: State) -> Update:
            return {"m": state["item"]}

        built = graph("START > a", "w > v", "p > r", "v > r", "r > END", w=write, v=later)
        built.add_parallel_conditional_edges("a", says([Send("w", {"item": 1})]), ["w", "p"], sends=["w"])
        assert run(built.compile(), {}, None).state == {"m": ["a", "w", 11, "r"], "item": 11}

    def test_copies_join_nobody_else(self, run: Runner) -> None:
        """P6: a copy holds nobody, and is joined by nobody, before the convergence."""
        built = graph("START > a", "w > v", "p > v", "v > r", "q > r", "r > END", w=worker)
        answer = ["p", Send("w", {"item": 1}), Send("w", {"item": 2})]
        built.add_parallel_conditional_edges("a", says(answer), ["w", "p", "q"], sends=["w"])
        result = run(built.compile(), {}, None)
        assert [name for name, _ in result.steps].count("v") == 3
        assert result.state["m"] == ["a", "p", "v", "w1", "v", "w2", "v", "r"]

    def test_copies_of_a_fork_join_right_behind_it(self, run: Runner) -> None:
        """P1: a Send target with several fixed edges: its fork runs once, on the merged state."""
        built = graph("START > a", "w > x, y", "x > z", "y > z", "z > END", w=worker)
        built.add_parallel_conditional_edges("a", says([Send("w", {"item": i}) for i in (1, 2)]), ["w"])
        result = run(built.compile(), {}, None)
        assert result.state["m"] == ["a", "w1", "w2", "x", "y", "z"]
        assert result.regions == [
            ("__PARALLEL__(a)", ["a", "w1", "w2"]), ("__PARALLEL__(w)", ["a", "w1", "w2", "x", "y"]),
        ]  # fmt: skip

    def test_copies_of_a_fork_inside_a_region(self, run: Runner) -> None:
        """P1: the same in a branch of another fork."""
        built = graph("START > s", "s > a, k", "w > x, y", "x > z", "y > z", "z > e", "k > e", "e > END", w=worker)
        built.add_parallel_conditional_edges("a", says([Send("w", {"item": i}) for i in (1, 2)]), ["w"])
        assert run(built.compile(), {}, None).state["m"] == ["s", "a", "w1", "w2", "x", "y", "z", "k", "e"]

    def test_nothing_sent_to_a_fork(self, run: Runner) -> None:
        """P1, R4: an empty answer goes on at the point behind the Send target: its fork runs once."""
        built = graph("START > a", "w > x, y", "x > z", "y > z", "z > END", w=worker)
        built.add_parallel_conditional_edges("a", says([]), ["w"])
        assert run(built.compile(), {}, None).state["m"] == ["a", "x", "y", "z"]

    def test_a_fork_inside_a_copy(self, run: Runner) -> None:
        """P6: what a copy forks into runs for it alone."""

        def show(name: str) -> Any:
            def act(state: State) -> Update:
                return {"m": f"{name}{state['item']}"}

            return act

        edges = ("START > a", "w > v", "v > x, y", "x > z", "y > z", "z > r", "p > r", "r > END")
        built = graph(*edges, w=worker, v=show("v"), x=show("x"), y=show("y"), z=show("z"))
        answer = [Send("w", {"item": i}) for i in (1, 2)]
        built.add_parallel_conditional_edges("a", says(answer), ["w", "p"], sends=["w"])
        assert run(built.compile(), {}, None).state["m"] == [
            "a", "w1", "v1", "x1", "y1", "z1", "w2", "v2", "x2", "y2", "z2", "r",
        ]  # fmt: skip


@each_runner
class TestRefused:
    def test_to_the_convergence(self, run: Runner) -> None:
        """P1: a Send to the convergence names it and the fix."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_parallel_conditional_edges("a", says(["b", Send("d")]), ["b", "c", "d"])
        error = run(built.compile(), {}, None).failure
        assert (error.code, error.node_id) == ("send_to_convergence", "a")
        assert "sends=['d']" in str(error)

    def test_to_the_source(self, run: Runner) -> None:
        """P15: a Send to the fork's own source is an error."""
        built = graph("START > a", "b > d", "d > END")
        built.add_parallel_conditional_edges("a", says([Send("a")]), ["a", "b", "d"])
        error = run(built.compile(), {}, None).failure
        assert (error.code, error.node_id) == ("send_backwards", "a")

    @pytest.mark.parametrize(("answer", "code"), [([Send("s")], "send_backwards"), ("b", None)], ids=repr)
    def test_to_the_source_around(self, run: Runner, answer: Any, code: str | None) -> None:
        """P15: a Send to the way back of a fork around is an error; its other targets are fine."""
        built = graph("START > s", "s > a, k", "b > d", "k > d", "d > END")
        built.add_parallel_conditional_edges("a", says(answer), ["b", "s"])
        error = run(built.compile(), {}, None).error
        assert (error.code if error else None) == code

    def test_in_a_branch(self, run: Runner) -> None:
        """P1: inside a region, too."""
        built = graph("START > s", "s > a, k", "b > d", "c > d", "d > z", "k > z", "z > END")
        built.add_parallel_conditional_edges("a", says(["b", Send("d")]), ["b", "c", "d"])
        error = run(built.compile(), {}, None).failure
        assert (error.code, error.node_id) == ("send_to_convergence", "a")


def test_a_send_target_that_dominates_the_source_is_entered() -> None:
    """P15: a Send target of the fork itself is entered, even if it dominates the source."""

    def again(state: State) -> Any:
        return [Send("v", {"item": 1})] if len(state["m"]) < 4 else END

    built = graph("START > v", "v > s", v=on(lambda state: {"m": f"v{state.get('item', 0)}"}))
    built.add_parallel_conditional_edges("s", again, ["v", END], sends=["v"])
    assert built.compile().invoke({})["m"] == ["v0", "s", "v1", "s"]


def test_a_declared_send_to_the_source_around() -> None:
    """P15: where `sends=` declares it, the graph does not compile."""
    built = graph("START > s", "s > a, k", "b > d", "k > d", "d > END")
    built.add_parallel_conditional_edges("a", says("b"), ["b", "s"], sends=["s"])
    assert [problem.place for problem in built.validate()] == ["fork a"]


def test_a_send_to_the_source_itself() -> None:
    """P15: a Send to the source is an error, also where it is the only target."""
    built = graph("START > w").add_parallel_conditional_edges("w", says([Send("w", {"item": 1})]), ["w", END])
    assert built.compile().try_invoke({}).failure().code == "send_backwards"
