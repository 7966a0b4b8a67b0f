"""R8: several ways out of one source."""

from typing import Any

import pytest

from graph_core import END, START, Command, MultiCommand, Send, StateGraph
from graph_core_tests.shapes import RUNNERS, Runner, State, graph, says

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)


def source(*extra: str) -> StateGraph:
    """Make a source at a with four targets that are not led to yet."""
    return graph("START > a", "b > z", "c > z", "d > z", "e > z", "z > END", *extra)


@each_runner
class TestMixes:
    def test_two_conditions(self, run: Runner) -> None:
        """R8: the union of their targets, in the order of declaration."""
        built = source().add_conditional_edges("a", says("c"), ["c", "d"], name="one")
        built.add_conditional_edges("a", says("b"), ["b", "e"], name="two")
        result = run(built.compile(), {}, None)
        assert result.state["m"] == ["a", "c", "b", "z"]
        assert [name for name, _ in result.regions] == ["__PARALLEL__(a)"]

    def test_two_conditions_of_one_target(self, run: Runner) -> None:
        """R8: without duplicates."""
        built = source().add_conditional_edges("a", says("b"), ["b", "c"], name="one")
        built.add_conditional_edges("a", says("b"), ["b", "d", "e"], name="two")
        assert run(built.compile(), {}, None).state["m"] == ["a", "b", "z"]

    def test_a_fixed_target_and_a_condition(self, run: Runner) -> None:
        """R8: the fixed one always runs (Java: conditional_then_edge)."""
        built = source().add_conditional_edges("a", says("c"), ["c", "d", "e"]).add_edge("a", "b")
        assert run(built.compile(), {}, None).state["m"] == ["a", "c", "b", "z"]
        built = source().add_edge("a", "b").add_conditional_edges("a", says("c"), ["c", "d", "e"])
        assert run(built.compile(), {}, None).state["m"] == ["a", "b", "c", "z"]

    def test_a_condition_that_chooses_the_fixed_target(self, run: Runner) -> None:
        """R8: it runs once, where it was named first."""
        built = source().add_conditional_edges("a", says("b"), ["b", "c", "d"]).add_edge("a", ["e", "b"])
        assert run(built.compile(), {}, None).state["m"] == ["a", "b", "e", "z"]

    def test_a_fixed_target_and_a_multi_route(self, run: Runner) -> None:
        """R8: in the order of the edges, inside an answer as the router named them."""
        built = source().add_edge("a", "d").add_parallel_conditional_edges("a", says(["c", "b"]), ["b", "c", "e"])
        assert run(built.compile(), {}, None).state["m"] == ["a", "d", "c", "b", "z"]

    def test_two_multi_routes_and_sends(self, run: Runner) -> None:
        """R8: Sends of both are all run."""
        built = source().add_parallel_conditional_edges(
            "a", says([Send("b"), "c"]), ["b", "c"], name="one", sends=["b"]
        )
        built.add_parallel_conditional_edges("a", says([Send("b"), "d"]), ["b", "d", "e"], name="two", sends=["b"])
        assert run(built.compile(), {}, None).state["m"] == ["a", "b", "c", "b", "d", "z"]

    def test_one_may_choose_nothing(self, run: Runner) -> None:
        """R8, R4: an empty answer adds no branch."""
        built = source().add_parallel_conditional_edges("a", says([]), ["b", "c"]).add_edge("a", ["d", "e"])
        assert run(built.compile(), {}, None).state["m"] == ["a", "d", "e", "z"]

    def test_one_may_end(self, run: Runner) -> None:
        """P1: END beside another route's node adds no branch."""
        built = source().add_conditional_edges("a", says(END), ["b", "c", END], name="one").add_edge("a", ["d", "e"])
        assert run(built.compile(), {}, None).state["m"] == ["a", "d", "e", "z"]

    def test_all_may_end(self, run: Runner) -> None:
        """P1: END alone leaves the source."""
        built = source().add_conditional_edges("a", says(END), ["b", "c", END], name="one")
        built.add_conditional_edges("a", says(END), ["d", "e", END], name="two")
        result = run(built.compile(), {}, None)
        assert (result.state["m"], result.regions) == (["a"], [])


@each_runner
class TestUpdates:
    def test_they_merge_in_the_order_of_declaration(self, run: Runner) -> None:
        """R8: all updates apply, each once, in order, before the branches."""
        built = source().add_conditional_edges("a", says(Command("c", {"m": "1", "x": 1})), ["c", "d"], name="one")
        built.add_parallel_conditional_edges("a", says(MultiCommand(["b"], {"m": "2", "x": 2})), ["b", "e"], name="two")
        state = run(built.compile(), {}, None).state
        assert (state["m"], state["x"]) == (["a", "1", "2", "c", "b", "z"], 2)

    def test_every_route_sees_the_nodes_result_only(self, run: Runner) -> None:
        """R8: not the updates of the routes before it."""
        seen: list[Any] = []

        def look(state: State) -> str:
            seen.append(state["m"])
            return "b"

        built = source().add_conditional_edges("a", says(Command("c", {"m": "1"})), ["c", "d"], name="one")
        built.add_conditional_edges("a", look, ["b", "e"], name="two")
        run(built.compile(), {}, None)
        assert seen == [["a"]]

    def test_they_are_evaluated_in_order(self, run: Runner) -> None:
        """R8: one after the other, in the order of declaration."""
        asked: list[str] = []

        def ask(name: str, answer: str) -> Any:
            def route(state: State) -> str:
                asked.append(name)
                return answer

            return route

        built = source("START > a2", "a2 > z")
        for name, answer in (("one", "b"), ("two", "c"), ("three", "d")):
            built.add_conditional_edges("a", ask(name, answer), [answer, "e"], name=name)
        run(built.compile(), {}, None)
        assert asked == ["one", "two", "three"]


@each_runner
class TestInABranch:
    def test_the_same_inside_a_region(self, run: Runner) -> None:
        """R8, P14: a mix inside a region."""
        built = graph("START > s", "s > a, k", "b > z", "c > z", "z > y", "k > y", "y > END")
        built.add_conditional_edges("a", says(Command("c", {"m": "r"})), ["c", "z"]).add_edge("a", "b")
        assert run(built.compile(), {}, None).state["m"] == ["s", "a", "r", "c", "b", "z", "k", "y"]

    def test_at_start(self, run: Runner) -> None:
        """R8: START is a source as any."""
        built = (
            graph("b > z", "c > z", "z > END").add_edge(START, "b").add_conditional_edges(START, says("c"), ["c", "z"])
        )
        assert run(built.compile(), {}, None).state["m"] == ["b", "c", "z"]
