"""R2, R4, R6: routes that choose any number of targets."""

from typing import Any

import pytest

from graph_core import END, START, Command, MultiCommand, Send, StateGraph
from graph_core_tests.shapes import RUNNERS, Result, Runner, State, graph, says, shown

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
PLACES = {
    "main": ("START > a", "b > d", "c > d", "d > END"),
    "branch": ("START > s", "s > a, k", "b > d", "c > d", "d > z", "k > z", "z > END"),
}


def routed(answer: Any, place: str, mappings: Any = ("b", "c")) -> StateGraph:
    """Put a multi route at a, on the main path or in a branch."""
    return graph(*PLACES[place]).add_parallel_conditional_edges("a", says(answer), mappings, name="choose")


def visited(result: Result) -> list[str]:
    """What ran from a to d, in branch order."""
    found: list[str] = result.state["m"]
    return found[found.index("a") + 1 : found.index("d")]


@pytest.mark.parametrize("place", PLACES)
@each_runner
class TestAnswers:
    @pytest.mark.parametrize(
        ("answer", "ran"),
        [
            ("c", ["c"]),
            (["b", "c"], ["b", "c"]),
            (("c", "b"), ["c", "b"]),
            (MultiCommand(["c", "b"]), ["c", "b"]),
            (Command("c"), ["c"]),
            (["b", "b"], ["b"]),
            (["c", "b", "c", "b"], ["c", "b"]),
            (["b", Send("c")], ["b", "c"]),
            (Send("b"), ["b"]),
        ],
        ids=repr,
    )
    def test_labels(self, run: Runner, place: str, answer: Any, ran: list[str]) -> None:
        """R2, R4, R8: a label, a Send, a sequence, a MultiCommand; a label named twice counts once."""
        assert visited(run(routed(answer, place).compile(), {}, None)) == ran

    def test_two_labels_of_one_node(self, run: Runner, place: str) -> None:
        """R8: the union of the targets runs, without duplicates."""
        assert visited(run(routed(["x", "y"], place, {"x": "b", "y": "b", "z": "c"}).compile(), {}, None)) == ["b"]

    @pytest.mark.parametrize("answer", [[], (), MultiCommand.nothing()], ids=repr)
    def test_nothing(self, run: Runner, place: str, answer: Any) -> None:
        """R4: an empty answer goes on at the convergence; the region emits its output all the same."""
        result = run(routed(answer, place).compile(), {}, None)
        assert visited(result) == []
        assert "__PARALLEL__(a)" in [name for name, _ in result.regions]

    def test_nothing_with_an_update(self, run: Runner, place: str) -> None:
        """R4: `MultiCommand.nothing(update)`."""
        result = run(routed(MultiCommand.nothing({"m": "r"}), place).compile(), {}, None)
        assert visited(result) == ["r"]
        assert next(found for name, found in result.regions if name == "__PARALLEL__(a)")[-1] == "r"

    def test_an_update_comes_first_and_once(self, run: Runner, place: str) -> None:
        """R6 Δ: the update is merged once, before the branches, so their results come after it."""
        result = run(routed(MultiCommand(["b", "c"], {"m": "r"}), place).compile(), {}, None)
        assert visited(result) == ["r", "b", "c"]

    def test_the_branches_see_the_update(self, run: Runner, place: str) -> None:
        """R6: it is merged before the targets run."""
        result = run(routed(MultiCommand(["b", "c"], {"m": "r"}), place).compile(), {}, None)
        views = [shown(output)["m"] for output in result.outputs if output.node in {"b", "c"}]
        assert [view[-2:] for view in views] == [["r", "b"], ["r", "c"]]

    @pytest.mark.parametrize("answer", ["zz", ["b", "zz"], MultiCommand(["zz"]), Command("zz"), [Send("zz")]], ids=repr)
    def test_not_mapped(self, run: Runner, place: str, answer: Any) -> None:
        """R4: on multi routes as on single ones."""
        result = run(routed(answer, place).compile(), {}, None)
        assert (result.failure.code, result.failure.node_id) == ("missing_node_in_edge_mapping", "a")
        assert "'zz'" in str(result.failure)
        assert "the labels are: 'b', 'c'" in str(result.failure)
        assert not {"b", "c"} & {name for name, _ in result.steps}

    @pytest.mark.parametrize("answer", [None, [None], START, ["b", START], Send(END), [Send(START)]], ids=repr)
    def test_no_label(self, run: Runner, place: str, answer: Any) -> None:
        """R4: None, START and a Send to END are errors that name the router."""
        error = run(routed(answer, place, ["b", "c"]).compile(), {}, None).failure
        assert (error.code, error.node_id) == ("invalid_route", "a")
        assert "the route 'choose' of 'a'" in str(error)

    @pytest.mark.parametrize("answer", [{"b": 1}, [["b"]], [{}], {"b"}], ids=repr)
    def test_what_can_not_be_a_label(self, run: Runner, place: str, answer: Any) -> None:
        """R3: a label is hashable; a list inside a list is none."""
        error = run(routed(answer, place).compile(), {}, None).failure
        assert (error.code, error.node_id) == ("invalid_route", "a")

    def test_nothing_runs_if_a_part_is_wrong(self, run: Runner, place: str) -> None:
        """R8: an answer with a wrong part makes no update."""
        result = run(routed(MultiCommand(["b", "zz"], {"m": "r"}), place).compile(), {}, None)
        assert result.failure.code == "missing_node_in_edge_mapping"
        assert all("r" not in shown(output).get("m", []) for output in result.outputs)


@each_runner
class TestEnd:
    def build(self, answer: Any) -> StateGraph:
        """Make a multi route at a with END."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        return built.add_parallel_conditional_edges("a", says(answer), ["b", "c", END])

    @pytest.mark.parametrize("answer", [["b", END], [END, "b"]])
    def test_beside_nodes_it_adds_no_branch(self, run: Runner, answer: list[str]) -> None:
        """P1: END chosen together with nodes is not counted."""
        result = run(self.build(answer).compile(), {}, None)
        assert result.state["m"] == ["a", "b", "d"]
        assert result.regions == [("__PARALLEL__(a)", ["a", "b"])]

    @pytest.mark.parametrize("answer", [END, [END], MultiCommand([END], {"m": "r"})], ids=repr)
    def test_alone_it_ends(self, run: Runner, answer: Any) -> None:
        """P1: END chosen alone leaves from the source to END, past the convergence."""
        result = run(self.build(answer).compile(), {}, None)
        assert result.state["m"] in (["a"], ["a", "r"])
        assert ("r" in result.state["m"]) is isinstance(answer, MultiCommand)
        assert result.regions == []

    def test_alone_in_a_branch(self, run: Runner) -> None:
        """P1, P14: inside a region it ends that branch only."""
        built = graph("START > s", "s > a, k", "b > d", "c > d", "d > z", "k > z", "z > END")
        built.add_parallel_conditional_edges("a", says(END), ["b", "c", END])
        assert run(built.compile(), {}, None).state["m"] == ["s", "a", "k", "z"]


@each_runner
class TestAtStart:
    @pytest.mark.parametrize(("answer", "ran"), [(["c", "b"], ["c", "b"]), ([], []), ("b", ["b"])])
    def test_start_may_choose(self, run: Runner, answer: Any, ran: list[str]) -> None:
        """P: a multi route at START is a fork of START."""
        built = graph("b > d", "c > d", "d > END").add_parallel_conditional_edges(START, says(answer), ["b", "c"])
        result = run(built.compile(), {"m": []}, None)
        assert result.state["m"] == [*ran, "d"]
        assert result.regions == [("__PARALLEL__(__START__)", ran)]


def test_sequences_are_never_labels() -> None:
    """R3: a tuple is always a sequence of routes."""
    built = graph("b > END", "c > END").add_parallel_conditional_edges(
        START, says(("b", "c")), {"b": "b", "c": "c", ("b", "c"): "b"}
    )
    assert built.compile().invoke({})["m"] == ["b", "c"]


def test_a_condition_by_state() -> None:
    """R1: it sees the state after the node's update, at each visit."""

    def route(state: State) -> Any:
        return ["b", "c"] if len(state["m"]) == 1 else END

    built = graph("START > a", "b > a", "c > a").add_parallel_conditional_edges("a", route, ["b", "c", END])
    assert built.compile().invoke({})["m"] == ["a", "b", "c", "a"]
