"""R2 to R7: routes that choose one target."""

import enum
from typing import Any

import pytest

from graph_core import (
    END,
    START,
    Command,
    GraphRunnerException,
    MultiCommand,
    RemoveByHash,
    Send,
    StateGraph,
    StateMergeError,
)
from graph_core_tests.shapes import RUNNERS, Runner, State, Update, failure_of, graph, on, says, shown

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
PLACES = {"main": ("START > a", "b > END"), "branch": ("START > s", "s > a, c", "b > d", "c > d", "d > END")}


def routed(answer: Any, place: str, mappings: Any = None) -> StateGraph:
    """Put a route at a, on the main path or in a branch."""
    given = mappings or ["b", END if place == "main" else "d"]
    return graph(*PLACES[place]).add_conditional_edges("a", says(answer), given, name="choose")


@pytest.mark.parametrize("place", PLACES)
@each_runner
class TestAnswers:
    def test_a_label(self, run: Runner, place: str) -> None:
        """R2: a label."""
        assert "b" in run(routed("b", place).compile(), {}, None).state["m"]

    def test_a_command(self, run: Runner, place: str) -> None:
        """R2, R6: a Command's update is merged by the strategies before the target runs."""
        found = run(routed(Command("b", {"m": "r"}), place).compile(), {}, None).state["m"]
        assert found[found.index("r") - 1 : found.index("r") + 2] == ["a", "r", "b"]

    def test_an_update_goes_by_the_strategies(self, run: Runner, place: str) -> None:
        """R6: markers work as in a node's update."""
        command = Command("b", {"m": [RemoveByHash("a"), "r"], "x": 1})
        state = run(routed(command, place).compile(), {}, None).state
        assert "a" not in state["m"] or place == "branch"
        assert state["x"] == 1

    @pytest.mark.parametrize("answer", [["b"], ("b",), [], Send("b"), MultiCommand(["b"]), [Send("b")]], ids=repr)
    def test_several_are_an_error(self, run: Runner, place: str, answer: Any) -> None:
        """R2: a list or a Send names the verb that is meant."""
        error = run(routed(answer, place).compile(), {}, None).failure
        assert (error.code, error.node_id) == ("invalid_route", "a")
        assert "add_parallel_conditional_edges" in str(error)

    @pytest.mark.parametrize("answer", [None, START], ids=repr)
    def test_no_label(self, run: Runner, place: str, answer: Any) -> None:
        """R4: None and START are errors that name the router."""
        error = run(routed(answer, place).compile(), {}, None).failure
        assert (error.code, error.node_id) == ("invalid_route", "a")
        assert "the route 'choose' of 'a'" in str(error)

    @pytest.mark.parametrize("answer", [{}, {"b"}, {"goto": "b"}], ids=repr)
    def test_what_can_not_be_a_label(self, run: Runner, place: str, answer: Any) -> None:
        """R3: labels are hashable."""
        error = run(routed(answer, place).compile(), {}, None).failure
        assert (error.code, error.node_id) == ("invalid_route", "a")
        assert "hashable" in str(error)

    def test_a_label_that_is_not_mapped(self, run: Runner, place: str) -> None:
        """R4: source, label and the allowed labels."""
        error = run(routed("zz", place, {"yes": "b"}).compile(), {}, None).failure
        assert (error.code, error.node_id) == ("missing_node_in_edge_mapping", "a")
        assert "cannot find edge mapping for id: 'zz' in conditional edge with sourceId: 'a'" in str(error)
        assert "the labels are: 'yes'" in str(error)

    def test_a_node_id_that_is_no_label(self, run: Runner, place: str) -> None:
        """R4: the id of a node is no label if it is not mapped."""
        error = run(routed("b", place, {"yes": "b"}).compile(), {}, None).failure
        assert error.code == "missing_node_in_edge_mapping"

    def test_a_command_to_a_label_that_is_not_mapped(self, run: Runner, place: str) -> None:
        """R4: the same for a Command; its update is not made."""
        result = run(routed(Command("zz", {"m": "r"}), place).compile(), {}, None)
        assert result.failure.code == "missing_node_in_edge_mapping"
        assert all("r" not in shown(output).get("m", []) for output in result.outputs)


class Way(enum.Enum):
    """Labels."""

    LEFT = "left"
    RIGHT = "right"


class TestLabels:
    @pytest.mark.parametrize("label", ["x", True, False, 7, 0, 1.5, Way.LEFT, frozenset({1}), b"x", object], ids=repr)
    def test_any_hashable(self, label: Any) -> None:
        """R3: any hashable may be a label."""
        built = graph("b > END", "c > END").add_conditional_edges(START, says(label), {"other": "c", label: "b"})
        assert built.compile().invoke({})["m"] == ["b"]

    def test_an_enum_is_not_its_value(self) -> None:
        """R3: a plain Enum's member is the label, its value is not."""
        built = graph("b > END").add_conditional_edges(START, says("left"), {Way.LEFT: "b"})
        assert failure_of(built.compile(), {}).code == "missing_node_in_edge_mapping"

    def test_a_str_enum_is_its_value(self) -> None:
        """R3: a StrEnum's member equals its text."""

        class Text(enum.StrEnum):
            LEFT = "left"

        built = graph("b > END").add_conditional_edges(START, says(Text.LEFT), {"left": "b", "right": END})
        assert built.compile().invoke({})["m"] == ["b"]

    def test_two_labels_of_one_node(self) -> None:
        """R3: labels may share a node."""
        built = graph("b > END").add_conditional_edges(START, says("y"), {"x": "b", "y": "b"})
        assert built.compile().invoke({})["m"] == ["b"]

    def test_without_labels_every_node(self) -> None:
        """R3: without labels every node and END may be chosen; anything else lists them."""
        for answer, expected in (("b", ["a", "b"]), (END, ["a"])):
            built = graph("START > a", "b > END").add_conditional_edges("a", says(answer))
            assert built.compile().invoke({})["m"] == expected
        built = graph("START > a", "b > END").add_conditional_edges("a", says("zz"))
        assert "'a', 'b', '__END__'" in str(failure_of(built.compile(), {}))


class TestReadOnly:
    @pytest.mark.parametrize(
        ("method", "arguments"),
        [("__setitem__", ("x", 1)), ("update", ({"x": 1},)), ("pop", ("m",)), ("clear", ()), ("setdefault", ("x", 1))],
        ids=["item", "update", "pop", "clear", "setdefault"],
    )
    def test_a_router_can_not_write(self, method: str, arguments: tuple[Any, ...]) -> None:
        """R7: a router gets a read-only state."""

        def route(state: State) -> str:
            getattr(state, method)(*arguments)
            return END

        built = graph("START > a").add_conditional_edges("a", route, [END])
        error = failure_of(built.compile(), {})
        assert (error.node_id, type(error.__cause__)) == ("a", TypeError)

    def test_only_a_command_changes_it(self) -> None:
        """R7: what a router returns is a label, never an update."""
        built = graph("START > a").add_conditional_edges("a", says({"m": "r"}), [END])
        assert failure_of(built.compile(), {}).code == "invalid_route"


class TestOrder:
    def test_the_route_sees_the_nodes_update(self) -> None:
        """R1: the state after the node's update."""
        seen: list[Any] = []

        def route(state: State) -> Command:
            seen.append(dict(state))
            return Command(END, {"x": "route"})

        def act(state: State) -> Update:
            return {"x": "node"}

        built = graph("START > a", a=act).add_conditional_edges("a", route, [END])
        assert built.compile().invoke({"x": "in"})["x"] == "route"
        assert seen == [{"x": "node"}]

    def test_the_target_sees_the_routes_update(self) -> None:
        """R6: before the target runs."""
        built = graph("START > a", "b > END", b=on(lambda state: {"seen": list(state["m"])}))
        built.add_conditional_edges("a", says(Command("b", {"m": "r"})), ["b"])
        assert built.compile().invoke({})["seen"] == ["a", "r"]

    def test_a_routes_update_that_can_not_be_merged(self) -> None:
        """S8: it names the source."""

        def refuse(old: Any, new: Any) -> Any:
            raise ZeroDivisionError("no")

        built = graph("START > a", "b > END", strategies={"k": refuse}, a=says({}), b=says({}))
        built.add_conditional_edges("a", says(Command("b", {"k": 1})), ["b"])
        error: GraphRunnerException = failure_of(built.compile(), {})
        assert not isinstance(error, StateMergeError)
        assert (error.node_id, type(error.__cause__)) == ("a", ZeroDivisionError)
