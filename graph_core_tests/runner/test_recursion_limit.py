"""X2: the recursion limit bounds depth."""

from typing import Any

import pytest

from graph_core import END, CompileConfig, InvalidRecordError, RunnableConfig, StateGraph
from graph_core_tests.shapes import RUNNERS, Runner, State, Update, graph, on, says

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)


def loop(rounds: int) -> StateGraph:
    """Make a node that runs a number of times."""
    built = graph("START > a")
    return built.add_conditional_edges("a", on(lambda state: len(state["m"]) < rounds), {True: "a", False: END})


@each_runner
class TestExactly:
    def test_limit_steps_are_allowed(self, run: Runner) -> None:
        """X2: exactly `limit` steps run (Java: limit - 1)."""
        assert run(loop(5).compile(), {}, RunnableConfig(recursion_limit=5)).state["m"] == ["a"] * 5

    def test_the_next_one_is_refused(self, run: Runner) -> None:
        """X2: a node is refused before it starts."""
        result = run(loop(6).compile(), {}, RunnableConfig(recursion_limit=5))
        assert result.failure.code == "recursion_limit"
        assert result.failure.node_id == "a"
        assert [step for _, step in result.steps] == [1, 2, 3, 4, 5]

    def test_siblings_share_a_step(self, run: Runner) -> None:
        """X2: a step is 1 + the largest step of the branches that arrive."""
        built = graph("START > a", "a > b, c", "b > x", "x > d", "c > d", "d > END")
        assert run(built.compile(), {}, RunnableConfig(recursion_limit=4)).steps == [
            ("a", 1), ("b", 2), ("c", 2), ("x", 3), ("d", 4),
        ]  # fmt: skip

    def test_inside_a_region(self, run: Runner) -> None:
        """P12: the limit works inside a region as outside."""
        built = graph("START > a", "a > b, c", "b > x", "x > d", "c > d", "d > END")
        result = run(built.compile(), {}, RunnableConfig(recursion_limit=2))
        assert (result.failure.code, result.failure.node_id) == ("recursion_limit", "x")

    def test_behind_a_region(self, run: Runner) -> None:
        """X2: the node at the convergence counts from the longest branch."""
        built = graph("START > a", "a > b, c", "b > x", "x > d", "c > d", "d > END")
        result = run(built.compile(), {}, RunnableConfig(recursion_limit=3))
        assert (result.failure.code, result.failure.node_id) == ("recursion_limit", "d")

    def test_at_the_forks_targets(self, run: Runner) -> None:
        """X2: branches may be refused before any of them starts."""
        built = graph("START > a", "a > b, c", "b > END", "c > END")
        result = run(built.compile(), {}, RunnableConfig(recursion_limit=1))
        assert result.failure.code == "recursion_limit"
        assert result.failure.node_id == "b"
        assert result.steps == [("a", 1)]

    def test_regions_and_ends_have_no_step(self, run: Runner) -> None:
        """X2: START, END and `__PARALLEL__` count no step."""
        built = graph("START > a, b", "a > END", "b > END")
        assert run(built.compile(), {}, RunnableConfig(recursion_limit=1)).state["m"] == ["a", "b"]

    def test_the_text(self, run: Runner) -> None:
        """X2: it names limit, thread and the last nodes."""
        config = RunnableConfig(recursion_limit=3, thread_id="t7")
        error = run(loop(6).compile(), {}, config).failure
        assert "recursion limit of 3 steps" in str(error)
        assert "thread 't7'" in str(error)
        assert "'a', 'a', 'a'" in str(error)
        assert error.thread_id == "t7"


class TestWhereItIsSet:
    def test_the_default_is_a_hundred(self) -> None:
        """X2: 100, unless set."""
        assert len(loop(100).compile().invoke({})["m"]) == 100
        assert loop(101).compile().try_invoke({}).failure().code == "recursion_limit"

    def test_of_the_compile(self) -> None:
        """X2: the compile's limit holds for every run."""
        compiled = loop(4).compile(CompileConfig(recursion_limit=3))
        assert compiled.try_invoke({}).failure().code == "recursion_limit"

    def test_of_the_run(self) -> None:
        """X2: the run's value wins."""
        compiled = loop(4).compile(CompileConfig(recursion_limit=3))
        assert len(compiled.invoke({}, RunnableConfig(recursion_limit=4))["m"]) == 4

    @pytest.mark.parametrize("bad", [0, -1, True, 1.5, "5"])
    def test_bad_limits(self, bad: Any) -> None:
        """X2: a limit is a whole number above zero."""
        with pytest.raises(InvalidRecordError, match="recursion_limit must be a whole number > 0"):
            RunnableConfig(recursion_limit=bad)
        with pytest.raises(InvalidRecordError, match="recursion_limit must be a whole number > 0"):
            CompileConfig(recursion_limit=bad)


class TestRemainingSteps:
    @each_runner
    def test_counts_down(self, run: Runner) -> None:
        """X6: `config.remaining_steps` is what the limit still allows after this step."""

        def note(state: State, config: RunnableConfig) -> Update:
            return {"m": [(config.step, config.remaining_steps)]}

        built = graph("START > a", "a > b, c", "b > END", "c > END", make=lambda _: note)
        assert run(built.compile(), {}, RunnableConfig(recursion_limit=5)).state["m"] == [(1, 4), (2, 3), (2, 3)]

    @each_runner
    def test_a_node_may_stop_in_time(self, run: Runner) -> None:
        """X6: a route may end the run before the limit does."""

        def route(state: State, config: RunnableConfig) -> bool:
            return config.remaining_steps > 0

        built = graph("START > a").add_conditional_edges("a", route, {True: "a", False: END})
        assert run(built.compile(), {}, RunnableConfig(recursion_limit=5)).state["m"] == ["a"] * 5


def test_a_loop_around_nothing_counts() -> None:
    """X2: a node that does nothing counts as any."""
    built = graph("START > a", a=says({})).add_conditional_edges("a", on(lambda state: "a"), ["a", END])
    assert built.compile().try_invoke({}).failure().code == "recursion_limit"
