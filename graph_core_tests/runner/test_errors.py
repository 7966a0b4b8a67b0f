"""X3: a failure names its node, its code and its cause, under every driver."""

import pickle
from typing import Any

import pytest

from graph_core import (
    APPEND,
    END,
    INLINE,
    MERGE,
    REMOVE,
    START,
    Command,
    CompileConfig,
    GraphRunnerException,
    MultiCommand,
    RunnableConfig,
    StateGraph,
    StateMergeError,
)
from graph_core_tests.shapes import RUNNERS, Action, Runner, State, appends, failure_of, graph, raises, says, shown

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)


async def async_raises(state: State) -> Any:
    """Raise in a coroutine."""
    raise KeyError("async")


@each_runner
class TestNodes:
    @pytest.mark.parametrize("action", [raises(KeyError("k")), async_raises], ids=["sync", "async"])
    @pytest.mark.parametrize("edges", [("START > a", "a > END"), ("START > a, b", "a > END", "b > END")])
    def test_a_node_that_raises(self, run: Runner, action: Action, edges: tuple[str, ...]) -> None:
        """X3: node id, code, and the original exception as the cause, on the main path and in a branch."""
        error = run(graph(*edges, a=action).compile(), {}, None).failure
        assert (error.node_id, error.code) == ("a", "execution_error")
        assert isinstance(error.__cause__, KeyError)
        assert str(error).startswith("node 'a' failed: KeyError: ")

    @pytest.mark.parametrize("bad", [None, [], ["m"], "text", 5, ("m", 1), object], ids=repr)
    @pytest.mark.parametrize("edges", [("START > a", "a > END"), ("START > a, b", "a > END", "b > END")])
    def test_a_node_that_returns_no_update(self, run: Runner, bad: Any, edges: tuple[str, ...]) -> None:
        """S9: anything but a mapping is an error that names the node."""
        error = run(graph(*edges, a=says(bad)).compile(), {}, None).failure
        assert (error.node_id, error.code) == ("a", "invalid_update")
        assert "node 'a' returned" in str(error)
        assert "an empty one is fine" in str(error)

    @pytest.mark.parametrize("edges", [("START > a", "a > END"), ("START > a, b", "a > END", "b > END")])
    def test_a_key_that_is_no_text(self, run: Runner, edges: tuple[str, ...]) -> None:
        """S9: keys are str."""
        error = run(graph(*edges, a=says({1: 2})).compile(), {}, None).failure
        assert error.node_id == "a"
        assert "'a'" in str(error)

    @pytest.mark.parametrize("command", [Command("b"), MultiCommand(["b"])])
    @pytest.mark.parametrize("edges", [("START > a", "a > b", "b > END"), ("START > a, b", "a > END", "b > END")])
    def test_an_undeclared_command(self, run: Runner, command: Any, edges: tuple[str, ...]) -> None:
        """R9: a node may return a command only if its targets are declared; the text names the fix."""
        error = run(graph(*edges, a=says(command)).compile(), {}, None).failure
        assert error.node_id == "a"
        assert "destinations=" in str(error)

    @pytest.mark.parametrize("edges", [("START > a", "a > END"), ("START > a, b", "a > END", "b > END")])
    def test_a_strategy_that_raises(self, run: Runner, edges: tuple[str, ...]) -> None:
        """S8: it fails the step, naming key and node."""

        def refuse(old: Any, new: Any) -> Any:
            raise ZeroDivisionError("no")

        built = graph(*edges, strategies={"k": refuse, "m": APPEND}, a=says({"k": 1}))
        error = run(built.compile(), {}, None).failure
        assert error.node_id == "a"
        assert "'a'" in str(error)
        assert "'k'" in str(error)
        assert isinstance(error.__cause__, ZeroDivisionError)

    def test_a_strategy_that_raises_at_the_join(self, run: Runner) -> None:
        """S8, P4: a merge that fails only where branches join names the node whose update it is."""
        built = StateGraph({"k": MERGE, "m": APPEND})
        built.add_node("a", says({"k": {"x": 1}})).add_node("b", says({"k": "text"})).add_node("c", says({}))
        built.add_edge(START, ["a", "b"]).add_edge(["a", "b"], "c").add_edge("c", END)
        error = run(built.compile(), {}, None).failure
        assert error.node_id == "b"
        assert "'k'" in str(error)

    def test_a_strategy_that_raises_at_an_inner_join(self, run: Runner) -> None:
        """S8, P3, P4: the same where branches join inside a region; the joined node does not run."""
        edges = ("START > s", "s > a, b, k", "a > j", "b > j", "j > z", "k > z", "z > END")
        updates = {"a": {"k": {"x": 1}}, "b": {"k": "text"}}
        built = graph(*edges, strategies={"k": MERGE}, make=lambda name: says(updates.get(name, {})))
        result = run(built.compile(), {}, None)
        assert result.failure.node_id == "b"
        assert "'k'" in str(result.failure)
        assert "j" not in [name for name, _ in result.steps]

    def test_a_marker_in_the_wrong_place(self, run: Runner) -> None:
        """S4: REMOVE nested in a value is an error, naming the node."""
        error = run(graph("START > a", "a > END", a=says({"x": [REMOVE]})).compile(), {}, None).failure
        assert error.node_id == "a"


def fork_of(condition: Action, *, multi: bool = False) -> StateGraph:
    """Make a → condition → b or END."""
    built = graph("START > a", "b > END")
    add = built.add_parallel_conditional_edges if multi else built.add_conditional_edges
    return add("a", condition, ["b", END], name="choose")


@each_runner
class TestRouters:
    @pytest.mark.parametrize("multi", [False, True])
    @pytest.mark.parametrize("action", [raises(KeyError("k")), async_raises], ids=["sync", "async"])
    def test_a_router_that_raises(self, run: Runner, action: Action, *, multi: bool) -> None:
        """X3: it names router and source; the node's output is emitted first."""
        result = run(fork_of(action, multi=multi).compile(), {}, None)
        assert (result.failure.node_id, result.failure.code) == ("a", "execution_error")
        assert "the route 'choose' of 'a' failed: KeyError" in str(result.failure)
        assert isinstance(result.failure.__cause__, KeyError)
        assert [(output.node, shown(output).get("m")) for output in result.outputs] == [
            (START, None),
            ("a", ["a"]),
        ]

    @pytest.mark.parametrize("multi", [False, True])
    def test_a_router_whose_label_is_not_mapped(self, run: Runner, *, multi: bool) -> None:
        """X3: the same for an answer that leads nowhere."""
        result = run(fork_of(says("zz"), multi=multi).compile(), {}, None)
        assert result.failure.code == "missing_node_in_edge_mapping"
        assert [output.node for output in result.outputs] == [START, "a"]

    @pytest.mark.parametrize("multi", [False, True])
    def test_a_routers_update_that_can_not_be_merged(self, run: Runner, *, multi: bool) -> None:
        """X3: the same for an update of the route."""
        built = fork_of(says(Command("b", {"m": [REMOVE]})), multi=multi)
        result = run(built.compile(), {}, None)
        assert result.failure.node_id == "a"
        assert [(output.node, shown(output).get("m")) for output in result.outputs] == [
            (START, None),
            ("a", ["a"]),
        ]

    def test_at_start(self, run: Runner) -> None:
        """X3: a failing entry condition names START."""
        built = graph("a > END").add_conditional_edges(START, raises(KeyError("k")), ["a"])
        result = run(built.compile(), {}, None)
        assert (result.failure.node_id, result.failure.code) == (START, "execution_error")
        assert [output.node for output in result.outputs] == [START]

    @pytest.mark.parametrize("multi", [False, True])
    def test_in_a_branch(self, run: Runner, *, multi: bool) -> None:
        """X3, P8: inside a region, too; the branch's node is emitted before the error."""
        built = graph("START > s", "s > a, c", "b > d", "c > d", "d > END")
        add = built.add_parallel_conditional_edges if multi else built.add_conditional_edges
        result = run(add("a", raises(KeyError("k")), ["b", "d"], name="choose").compile(), {}, None)
        assert (result.failure.node_id, result.failure.code) == ("a", "execution_error")
        assert ("a", 2) in result.steps

    @pytest.mark.parametrize("multi", [False, True])
    def test_unmapped_in_a_branch(self, run: Runner, *, multi: bool) -> None:
        """X3, R4: an unmapped label in a branch names the source."""
        built = graph("START > s", "s > a, c", "b > d", "c > d", "d > END")
        add = built.add_parallel_conditional_edges if multi else built.add_conditional_edges
        result = run(add("a", says("zz"), ["b", "d"], name="choose").compile(), {}, None)
        assert (result.failure.node_id, result.failure.code) == ("a", "missing_node_in_edge_mapping")
        assert ("a", 2) in result.steps

    def test_the_second_of_two_routes(self, run: Runner) -> None:
        """R8: none of the updates applies if one route fails."""
        built = graph("START > a", "b > END", "c > END")
        built.add_conditional_edges("a", says(Command("b", {"m": "first"})), ["b", END], name="one")
        built.add_conditional_edges("a", raises(KeyError("k")), ["c", END], name="two")
        result = run(built.compile(), {}, None)
        assert "the route 'two' of 'a' failed" in str(result.failure)
        assert [(output.node, shown(output).get("m")) for output in result.outputs] == [
            (START, None),
            ("a", ["a"]),
        ]


class TestCommands:
    def test_a_command_whose_label_is_not_mapped(self) -> None:
        """R4: source, label and the allowed labels."""
        built = graph("b > END").add_node("a", says(Command("zz")), {"x": "b"}).add_edge(START, "a")
        error = failure_of(built.compile(), {})
        assert (error.node_id, error.code) == ("a", "missing_node_in_edge_mapping")
        assert "'zz'" in str(error)
        assert "'x'" in str(error)

    def test_a_plain_update_without_edges(self) -> None:
        """R9: a plain update follows the edges, and is an error if there are none."""
        built = graph("b > END").add_node("a", appends("a"), destinations=["b"]).add_edge(START, "a")
        error = failure_of(built.compile(), {})
        assert (error.node_id, error.code) == ("a", "missing_edge")
        assert "return a Command, or add an edge" in str(error)

    def test_a_plain_update_without_edges_in_a_branch(self) -> None:
        """R9: in a branch, too."""
        built = graph("START > s", "b > END", "c > END").add_node("a", appends("a"), destinations=["b", "c"])
        built.add_edge("s", ["a", "b"])
        error = failure_of(built.compile(), {})
        assert (error.node_id, error.code) == ("a", "missing_edge")


class TestPickling:
    def make(self) -> list[GraphRunnerException]:
        """Make errors as runs raise them."""

        class Odd(Exception):
            def __reduce__(self) -> Any:
                raise TypeError("not this one")

        def refuse(old: Any, new: Any) -> Any:
            raise ZeroDivisionError("no")

        strategy = StateGraph({"k": refuse}).add_node("a", says({"k": 1})).add_edge(START, "a").add_edge("a", END)
        two = graph("START > a, b", "a > END", "b > END", a=raises(KeyError("1")), b=raises(KeyError("2")))
        return [
            failure_of(graph("START > a", "a > END", a=raises(KeyError("k"))).compile(), {}),
            failure_of(graph("START > a", "a > END", a=raises(Odd("odd"))).compile(), {}),
            failure_of(strategy.compile(), {}),
            failure_of(two.compile(), {}),
        ]

    def test_survives(self) -> None:
        """E1: errors survive pickling, with code, node, thread and cause."""
        for error in self.make():
            copy = pickle.loads(pickle.dumps(error))  # noqa: S301  (our own bytes)
            assert str(copy) == str(error)
            assert (copy.code, copy.node_id, copy.thread_id) == (error.code, error.node_id, error.thread_id)
            assert copy.__cause__ is not None

    def test_the_error_of_a_strategy(self) -> None:
        """S8: outside a run it is a `StateMergeError`."""
        error = StateMergeError("no", key="k")
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  (our own bytes)
        assert (copy.key, copy.code) == ("k", "state_merge")


class TestThread:
    @pytest.mark.parametrize("thread_id", [None, "t"])
    def test_every_error_names_the_thread(self, thread_id: str | None) -> None:
        """X5: the error names the thread, the private one too."""
        broken: list[Action] = [raises(KeyError("k")), says(None)]
        for action in broken:
            for edges in (("START > a", "a > END"), ("START > a, b", "a > END", "b > END")):
                error = failure_of(graph(*edges, a=action).compile(), {}, RunnableConfig(thread_id=thread_id))
                assert error.thread_id
                assert thread_id in {None, error.thread_id}

    def test_all_errors_of_a_group_name_the_thread(self) -> None:
        """X5, P8: each of several failures names it."""
        built = graph("START > a, b", "a > END", "b > END", a=says(None), b=says(None))
        error = failure_of(
            built.compile(CompileConfig(on_branch_error="wait")),
            {},
            RunnableConfig(thread_id="t", default_parallel_executor=INLINE),
        )
        assert error.thread_id == "t"
        group: Any = error.__cause__
        assert [each.thread_id for each in group.exceptions] == ["t", "t"]
