"""R3: labels that are read off an annotation."""

import enum
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import pytest

from graph_core import END, START, Command, InvalidRecordError, MultiCommand, Send, StateGraph
from graph_core_tests.shapes import State, codes, graph

Way: TypeAlias = Literal["b", "c"]


class Place(enum.Enum):
    """Targets by name."""

    LEFT = "b"
    RIGHT = "c"


def single(action: Any) -> StateGraph:
    """Choose between b and c at START."""
    return graph("b > END", "c > END").add_conditional_edges(START, action)


def multi(action: Any) -> StateGraph:
    """Choose some of b and c at START."""
    return graph("b > END", "c > END").add_parallel_conditional_edges(START, action)


def targets(built: StateGraph) -> list[str]:
    """The targets of the condition at START."""
    routes = built.definition().routes[START]
    condition = routes[0].target
    assert not isinstance(condition, str)
    return list((condition.mappings or {}).values())


def by_literal(state: State) -> Literal["b", "c"]:
    """Choose c."""
    return "c"


def by_alias(state: State) -> Way:
    """Choose c."""
    return "c"


def by_enum(state: State) -> Place:
    """Choose c."""
    return Place.RIGHT


def by_union(state: State) -> Literal["b"] | Literal["c"]:  # noqa: PYI030  (the union is under test)
    """Choose c."""
    return "c"


def by_annotated(state: State) -> Annotated[Way, "a note"]:
    """Choose c."""
    return "c"


def by_command(state: State) -> Command[Literal["b", "c"]]:
    """Choose c."""
    return Command("c")


def by_label_or_command(state: State) -> Literal["b"] | Command[Literal["c"]]:
    """Choose c."""
    return Command("c")


async def by_async(state: State) -> Literal["b", "c"]:
    """Choose c."""
    return "c"


SINGLE = [by_literal, by_alias, by_enum, by_union, by_annotated, by_command, by_label_or_command, by_async]


def list_of_literals(state: State) -> list[Literal["b", "c"]]:
    """Choose both."""
    return ["c", "b"]


def tuple_of_literals(state: State) -> tuple[Literal["b", "c"], ...]:
    """Choose both."""
    return ("c", "b")


def sequence_of_enums(state: State) -> Sequence[Place]:
    """Choose both."""
    return [Place.RIGHT, Place.LEFT]


def one_or_several(state: State) -> Literal["b"] | list[Literal["c", "b"]]:
    """Choose both."""
    return ["c", "b"]


def multi_command(state: State) -> MultiCommand[Literal["b", "c"]]:
    """Choose both."""
    return MultiCommand(["c", "b"])


MULTI = [list_of_literals, tuple_of_literals, sequence_of_enums, one_or_several, multi_command]


class TestSingle:
    @pytest.mark.parametrize("action", SINGLE, ids=lambda action: action.__name__)
    def test_labels_are_the_ids(self, action: Any) -> None:
        """R3: the labels of a Literal or Enum are the node ids."""
        built = single(action)
        assert sorted(targets(built)) == ["b", "c"]
        assert built.compile().invoke({})["m"] == ["c"]

    def test_mappings_win(self) -> None:
        """R3: mappings that are given are taken instead."""
        built = graph("x > END").add_conditional_edges(START, by_literal, {"c": "x", "b": END})
        assert built.compile().invoke({})["m"] == ["x"]

    def test_end_in_a_literal(self) -> None:
        """R3: END is written as its id."""

        def route(state: State) -> Literal["b", "__END__"]:
            return "__END__"

        assert "m" not in graph("b > END").add_conditional_edges(START, route).compile().invoke({})
        assert END == "__END__"

    def test_labels_that_are_no_ids(self) -> None:
        """R3: a label of an annotation has to be the id of a node."""

        def route(state: State) -> Literal[1, 2]:
            return 1

        with pytest.raises(InvalidRecordError, match="must be the id of a node"):
            single(route)

    def test_an_unknown_id(self) -> None:
        """C2: the ids of an annotation are checked as any mapping."""

        def route(state: State) -> Literal["b", "zz"]:
            return "b"

        built = graph("b > END").add_conditional_edges(START, route)
        assert codes(built.validate()) == ["missing_node_in_edge_mapping"]

    def test_any_other_annotation_says_nothing(self) -> None:
        """R3: `-> str` names no labels, so every node may be the target."""

        def route(state: State) -> str:
            return "c"

        built = single(route)
        assert targets(built) == []
        assert built.compile().invoke({})["m"] == ["c"]


class TestMulti:
    @pytest.mark.parametrize("action", MULTI, ids=lambda action: action.__name__)
    def test_labels_are_the_ids(self, action: Any) -> None:
        """R3: of sequences and MultiCommands, too."""
        built = multi(action)
        assert sorted(targets(built)) == ["b", "c"]
        assert built.compile().invoke({})["m"] == ["c", "b"]

    def test_sends_name_no_target(self) -> None:
        """R3: `-> list[Send]` names no labels, so a mapping is needed."""

        def route(state: State) -> list[Send[Any]]:
            return []

        assert codes(multi(route).validate())[0] == "undeclared_targets"

    def test_sends_beside_labels(self) -> None:
        """R3: the labels are taken, the Sends go to their nodes."""

        def route(state: State) -> list[Literal["b", "c"] | Send[Any]]:
            return [Send("b"), "c"]

        built = multi(route)
        assert sorted(targets(built)) == ["b", "c"]
        assert built.compile().invoke({})["m"] == ["b", "c"]

    def test_a_list_of_str_says_nothing(self) -> None:
        """R3: then a mapping is needed."""

        def route(state: State) -> list[str]:
            return []

        assert "undeclared_targets" in codes(multi(route).validate())
