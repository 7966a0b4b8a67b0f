"""R5: `DEFAULT` catches what is not mapped."""

from typing import Any

import pytest

from graph_core import DEFAULT, END, START, Command, CommandAction, MultiCommand, MultiCommandAction, Send
from graph_core_tests.shapes import RUNNERS, Runner, graph, says

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
MAPPINGS: dict[Any, str] = {"x": "b", DEFAULT: "c"}


@each_runner
class TestSingle:
    @pytest.mark.parametrize(
        ("answer", "ran"),
        [("x", "b"), ("zz", "c"), ("b", "c"), (7, "c"), (Command("zz"), "c"), (DEFAULT, "c")],
        ids=repr,
    )
    def test_catches_what_is_not_mapped(self, run: Runner, answer: Any, ran: str) -> None:
        """R5: every label without an entry goes to the DEFAULT entry."""
        built = graph("START > a", "b > END", "c > END").add_conditional_edges("a", says(answer), MAPPINGS)
        assert run(built.compile(), {}, None).state["m"] == ["a", ran]

    @pytest.mark.parametrize("answer", [None, START, ["x"], Send("b")], ids=repr)
    def test_catches_no_error(self, run: Runner, answer: Any) -> None:
        """R4: None, START, lists and Sends are errors all the same."""
        built = graph("START > a", "b > END", "c > END").add_conditional_edges("a", says(answer), MAPPINGS)
        assert run(built.compile(), {}, None).failure.code == "invalid_route"

    def test_may_lead_to_end(self, run: Runner) -> None:
        """R5: the DEFAULT entry may be END."""
        built = graph("START > a", "b > END").add_conditional_edges("a", says("zz"), {"x": "b", DEFAULT: END})
        assert run(built.compile(), {}, None).state["m"] == ["a"]

    def test_alone(self, run: Runner) -> None:
        """R5: it may be the only entry."""
        built = graph("START > a", "b > END").add_conditional_edges("a", says("zz"), {DEFAULT: "b"})
        assert run(built.compile(), {}, None).state["m"] == ["a", "b"]

    def test_of_a_command_node(self, run: Runner) -> None:
        """R9: of a node's commands, too."""
        built = graph("b > END", "c > END").add_node("a", CommandAction(says("zz")), MAPPINGS).add_edge(START, "a")
        assert run(built.compile(), {}, None).state["m"] == ["c"]


@each_runner
class TestMulti:
    @pytest.mark.parametrize(
        ("answer", "ran"),
        [
            ([], ["c"]),
            ((), ["c"]),
            (["zz"], ["c"]),
            (["x", "zz"], ["b", "c"]),
            (["zz", "yy"], ["c"]),
            ("zz", ["c"]),
            (MultiCommand(["zz"]), ["c"]),
            (MultiCommand.nothing(), []),
            ([Send("c")], ["c"]),
            ([Send("b"), Send("c")], ["b", "c"]),
        ],
        ids=repr,
    )
    def test_answers(self, run: Runner, answer: Any, ran: list[str]) -> None:
        """R4, R5: an empty list takes the DEFAULT entry; `MultiCommand.nothing` chooses nothing."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_parallel_conditional_edges("a", says(answer), MAPPINGS)
        assert run(built.compile(), {}, None).state["m"] == ["a", *ran, "d"]

    def test_an_empty_answer_may_end(self, run: Runner) -> None:
        """R4, P1: an empty answer whose DEFAULT entry is END leaves to END."""
        built = graph("START > a", "b > d", "d > END")
        built.add_parallel_conditional_edges("a", says([]), {"x": "b", "y": "d", DEFAULT: END})
        assert run(built.compile(), {}, None).state["m"] == ["a"]

    def test_a_send_to_what_is_not_mapped(self, run: Runner) -> None:
        """R4: a Send names a node, so DEFAULT does not catch it."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_parallel_conditional_edges("a", says([Send("zz")]), MAPPINGS)
        assert run(built.compile(), {}, None).failure.code == "missing_node_in_edge_mapping"

    def test_a_send_to_a_default_end(self, run: Runner) -> None:
        """R4: a Send to END is an error, whatever DEFAULT is."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_parallel_conditional_edges("a", says([Send(END)]), {"x": "b", "y": "c", DEFAULT: END})
        assert run(built.compile(), {}, None).failure.code == "invalid_route"

    def test_in_a_branch(self, run: Runner) -> None:
        """R5: inside a region, too."""
        built = graph("START > s", "s > a, k", "b > d", "c > d", "d > z", "k > z", "z > END")
        built.add_parallel_conditional_edges("a", says([]), MAPPINGS)
        assert run(built.compile(), {}, None).state["m"] == ["s", "a", "c", "d", "k", "z"]

    def test_of_a_command_node(self, run: Runner) -> None:
        """R9: of a node's commands, too."""
        built = graph("b > d", "c > d", "d > END").add_node("a", MultiCommandAction(says([])), MAPPINGS)
        assert run(built.add_edge(START, "a").compile(), {}, None).state["m"] == ["c", "d"]


def test_it_is_shown() -> None:
    """api: the mapping of the compiled edge has the DEFAULT entry."""
    built = graph("START > a", "b > END", "c > END").add_conditional_edges("a", says("x"), MAPPINGS)
    value = built.compile().edges["a"].value
    assert value is not None
    assert dict(value.mappings or {}) == MAPPINGS
    assert repr(DEFAULT) == "DEFAULT"
