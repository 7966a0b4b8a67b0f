"""R9: nodes that return commands."""

import asyncio
from typing import Any, Literal

import pytest

from graph_core import (
    END,
    START,
    Command,
    CommandAction,
    MultiCommand,
    MultiCommandAction,
    Send,
    StateGraph,
)
from graph_core_tests.shapes import RUNNERS, Runner, State, Update, appends, graph, says, shown

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)


@each_runner
class TestSingle:
    def test_with_mappings(self, run: Runner) -> None:
        """R9: a command action with mappings; its update is the node's (Java: testCommandNode)."""
        built = graph("START > A", "C1 > END", "C2 > END")
        built.add_node(
            "B", CommandAction(says(Command("C2", {"m": "B", "next_node": "C2"}))), {END: END, "C1": "C1", "C2": "C2"}
        )
        result = run(built.add_edge("A", "B").compile(), {}, None)
        assert [output.node for output in result.outputs] == [START, "A", "B", "C2", END]
        assert shown(result.outputs[2])["next_node"] == "C2"

    def test_and_a_fork_behind_it(self, run: Runner) -> None:
        """R9: the target may fork (Java: testCommandNode_Issue3917)."""
        built = graph("START > A", "D > C1, C2", "C > END", "C1 > END", "C2 > END")
        built.add_node(
            "B", CommandAction(says(Command("D", {"m": "B", "next_node": "C2"}))), {END: END, "C": "C", "D": "D"}
        )
        result = run(built.add_edge("A", "B").compile(), {}, None)
        names = [output.node for output in result.outputs]
        assert names == [START, "A", "B", "D", "C1", "C2", "__PARALLEL__(D)", END]
        assert shown(result.outputs[2])["m"] == ["A", "B"]

    def test_as_the_entry(self, run: Runner) -> None:
        """R9: Java's testCommandNodeGraph."""
        built = graph("node1 > node2", "node2 > END")
        built.add_node("c", CommandAction(says(Command("node1", {"m": "go"}))), ["node1", "node2"]).add_edge(START, "c")
        assert run(built.compile(), {}, None).state["m"] == ["go", "node1", "node2"]

    def test_by_annotation(self, run: Runner) -> None:
        """R9: `Command[Literal[...]]` declares the targets."""

        def act(state: State) -> Command[Literal["b", "__END__"]]:
            return Command("b", {"m": "a"})

        built = graph("b > END").add_node("a", act).add_edge(START, "a")
        assert run(built.compile(), {}, None).state["m"] == ["a", "b"]

    def test_a_label_alone(self, run: Runner) -> None:
        """R9: a command action may answer with a label."""
        built = graph("b > END").add_node("a", CommandAction(says("x")), {"x": "b"}).add_edge(START, "a")
        assert run(built.compile(), {}, None).state["m"] == ["b"]

    def test_it_replaces_the_edges(self, run: Runner) -> None:
        """R9 Δ: a command replaces the node's edges for that visit; a plain update follows them."""

        def act(state: State) -> Any:
            return {"m": "plain"} if "m" not in state else Command("c", {"m": "command"})

        built = (
            graph("b > a", "c > END", later=["a"])
            .add_node("a", act, destinations=["c"])
            .add_edge(START, "a")
            .add_edge("a", "b")
        )
        assert run(built.compile(), {}, None).state["m"] == ["plain", "b", "command", "c"]

    def test_it_replaces_a_fork(self, run: Runner) -> None:
        """R9 Δ: of a node that forks, too."""

        def act(state: State) -> Any:
            return {"m": "plain"} if "m" not in state else Command("e", {"m": "command"})

        built = graph("b > d", "c > d", "d > a", "e > END", later=["a"]).add_node("a", act, destinations=["e"])
        built.add_edge(START, "a").add_edge("a", ["b", "c"])
        assert run(built.compile(), {}, None).state["m"] == ["plain", "b", "c", "d", "command", "e"]

    def test_in_a_branch(self, run: Runner) -> None:
        """R9: the same inside a region."""

        def act(state: State) -> Command[Literal["x", "y"]]:
            return Command("y", {"m": "b"})

        built = graph("START > a", "x > d", "y > d", "c > d", "d > END").add_node("b", act).add_edge("a", ["b", "c"])
        assert run(built.compile(), {}, None).state["m"] == ["a", "b", "y", "c", "d"]

    def test_to_end(self, run: Runner) -> None:
        """R9: a command may end the run."""
        built = graph("b > END").add_node("a", CommandAction(says(Command(END, {"m": "a"}))), ["b", END])
        assert run(built.add_edge(START, "a").compile(), {}, None).state["m"] == ["a"]

    def test_async(self, run: Runner) -> None:
        """R9: an async node."""

        async def act(state: State) -> Command[Literal["b"]]:
            await asyncio.sleep(0)
            return Command("b", {"m": "a"})

        built = graph("b > END").add_node("a", act).add_edge(START, "a")
        assert run(built.compile(), {}, None).state["m"] == ["a", "b"]

    def test_several_are_refused(self, run: Runner) -> None:
        """R2: a single command action that returns a list names the verb that is meant."""
        built = graph("b > END").add_node("a", CommandAction(says(["b"])), ["b"]).add_edge(START, "a")
        assert run(built.compile(), {}, None).failure.code == "invalid_route"

    def test_the_update_shows_in_the_nodes_output(self, run: Runner) -> None:
        """P11: the update of a single command shows in its node's own output."""
        built = (
            graph("b > END").add_node("a", CommandAction(says(Command("b", {"m": "a"}))), ["b"]).add_edge(START, "a")
        )
        output = next(each for each in run(built.compile(), {}, None).outputs if each.node == "a")
        assert shown(output)["m"] == ["a"]


@each_runner
class TestMulti:
    def build(self, answer: Any) -> StateGraph:
        """Make a node that returns commands to b and c."""
        built = graph("b > d", "c > d", "d > END").add_node("a", MultiCommandAction(says(answer)), ["b", "c"])
        return built.add_edge(START, "a")

    @pytest.mark.parametrize(
        ("answer", "ran"),
        [
            (MultiCommand(["c", "b"], {"m": "a"}), ["a", "c", "b"]),
            (["b", "c"], ["b", "c"]),
            ("c", ["c"]),
            ([], []),
            (MultiCommand.nothing({"m": "a"}), ["a"]),
            (MultiCommand(["b", Send("c")]), ["b", "c"]),
        ],
        ids=repr,
    )
    def test_answers(self, run: Runner, answer: Any, ran: list[str]) -> None:
        """R9: what a multi command action may answer; the fork is `__PARALLEL__(a)`."""
        result = run(self.build(answer).compile(), {"m": []}, None)
        assert result.state["m"] == [*ran, "d"]
        assert result.regions == [("__PARALLEL__(a)", ran)]

    def test_one_command_is_a_fork_with_one_branch(self, run: Runner) -> None:
        """P: a multi route is a fork, also when it happens to choose one target."""
        result = run(self.build(Command("b", {"m": "a"})).compile(), {}, None)
        assert result.state["m"] == ["a", "b", "d"]
        assert result.regions == [("__PARALLEL__(a)", ["a", "b"])]

    def test_one_command_in_a_branch(self, run: Runner) -> None:
        """P: the same inside a region."""
        built = graph("START > s", "b > d", "c > d", "d > z", "k > z", "z > END")
        built.add_node("a", MultiCommandAction(says(Command("b", {"m": "a"}))), ["b", "c"]).add_edge("s", ["a", "k"])
        result = run(built.compile(), {}, None)
        assert result.state["m"] == ["s", "a", "b", "d", "k", "z"]
        assert [name for name, _ in result.regions] == ["__PARALLEL__(a)", "__PARALLEL__(s)"]

    def test_by_annotation(self, run: Runner) -> None:
        """R9: `MultiCommand[Literal[...]]` declares the targets."""

        def act(state: State) -> MultiCommand[Literal["b", "c"]]:
            return MultiCommand(["b", "c"], {"m": "a"})

        built = graph("b > d", "c > d", "d > END").add_node("a", act).add_edge(START, "a")
        assert run(built.compile(), {}, None).state["m"] == ["a", "b", "c", "d"]

    def test_beside_edges(self, run: Runner) -> None:
        """R9: a node with edges may fork by a command, or follow its edges."""

        def act(state: State) -> Any:
            return {"m": "a"} if "m" not in state else MultiCommand(["b", "c"], {"m": "A"})

        built = graph("e > a", "b > d", "c > d", "d > END", later=["a"]).add_node("a", act, destinations=["b", "c"])
        built.add_edge(START, "a").add_edge("a", "e")
        assert run(built.compile(), {}, None).state["m"] == ["a", "e", "A", "b", "c", "d"]

    def test_either_in_a_branch(self, run: Runner) -> None:
        """R9: one action may return both kinds."""

        def act(state: State) -> Any:
            return MultiCommand(["x", "y"], {"m": "b"}) if state["both"] else Command("y", {"m": "b"})

        built = graph("START > a", "x > d", "y > d", "d > e", "c > e", "e > END")
        built.add_node("b", act, destinations=["x", "y"]).add_edge("a", ["b", "c"])
        compiled = built.compile()
        assert run(compiled, {"both": True}, None).state["m"] == ["a", "b", "x", "y", "d", "c", "e"]
        assert run(compiled, {"both": False}, None).state["m"] == ["a", "b", "y", "d", "c", "e"]

    def test_the_update_first_shows_in_the_region(self, run: Runner) -> None:
        """P11: a multi route's update first shows in the region's output, not in its node's."""
        result = run(self.build(MultiCommand(["b"], {"m": "a"})).compile(), {"m": []}, None)
        after = {output.node: shown(output)["m"] for output in result.outputs}
        assert after["a"] == []
        assert after["__PARALLEL__(a)"] == ["a", "b"]


def test_a_command_to_the_only_destination_in_a_branch() -> None:
    """R9: a node that declares one destination, and returns a Command, is no sender of copies."""

    def act(state: State) -> Any:
        return Command("d", {"m": "b"})

    built = graph("START > a", "c > d", "d > END").add_node("b", act, destinations=["d"]).add_edge("a", ["b", "c"])
    assert built.compile().invoke({})["m"] == ["a", "b", "c", "d"]


def test_a_plain_update_in_a_branch_follows_the_edges() -> None:
    """R9: without a command a node's edges are followed, forks included."""

    def act(state: State) -> Update:
        return {"m": "b"}

    built = graph("START > a", "x > d", "y > d", "d > e", "c > e", "e > END").add_node(
        "b", act, destinations=["e", "x"]
    )
    built.add_edge("a", ["b", "c"]).add_edge("b", ["x", "y"])
    assert built.compile().invoke({})["m"] == ["a", "b", "x", "y", "d", "c", "e"]


def test_a_node_of_a_command_action_may_return_an_update() -> None:
    """R9: a plain update follows the edges."""
    built = (
        graph("b > END").add_node("a", CommandAction(appends("a")), {"x": END}).add_edge(START, "a").add_edge("a", "b")
    )
    assert built.compile().invoke({})["m"] == ["a", "b"]
