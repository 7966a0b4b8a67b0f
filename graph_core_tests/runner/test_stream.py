"""`stream`: outputs in order, lazily."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from graph_core import END, INLINE, START, Command, GraphRunnerException, RunnableConfig, StreamMode
from graph_core_tests.shapes import RUNNERS, State, Update, graph, raises, says, shown

BOTH = RunnableConfig(stream_mode=[StreamMode.VALUES, StreamMode.UPDATES])


class TestOutputs:
    def test_start_each_node_end(self) -> None:
        """X0: one output for START, one per node, one for END."""
        outputs = list(graph("START > a", "a > b", "b > END").compile().stream({"x": 1}))
        assert [output.node for output in outputs] == [START, "a", "b", END]
        assert [output.sequence for output in outputs] == [0, 1, 2, 3]
        assert [output.step for output in outputs[:3]] == [0, 1, 2]
        assert [(output.is_start, output.is_end) for output in outputs] == [
            (True, False), (False, False), (False, False), (False, True),
        ]  # fmt: skip

    def test_values(self) -> None:
        """api: VALUES gives the state after each step."""
        outputs = graph("START > a", "a > b", "b > END").compile().stream({"m": "in"})
        states = [output.state for output in outputs]
        assert [state and state["m"] for state in states] == [
            ["in"], ["in", "a"], ["in", "a", "b"], ["in", "a", "b"],
        ]  # fmt: skip

    def test_updates(self) -> None:
        """api: UPDATES gives what the node returned, and no state; the input at START."""
        config = RunnableConfig(stream_mode=StreamMode.UPDATES)
        outputs = list(graph("START > a", "a > END").compile().stream({"m": "in"}, config))
        assert [(output.node, dict(output.update), output.state) for output in outputs] == [
            (START, {"m": "in"}, None), ("a", {"m": "a"}, None), (END, {}, None),
        ]  # fmt: skip

    def test_both_at_once(self) -> None:
        """api: several modes give several outputs per step, each with its mode."""
        outputs = list(graph("START > a", "a > END").compile().stream({}, BOTH))
        assert [(output.node, output.mode.value, output.state is None) for output in outputs] == [
            (START, "values", False), (START, "updates", True),
            ("a", "values", False), ("a", "updates", True),
            (END, "values", False), (END, "updates", True),
        ]  # fmt: skip
        assert [output.sequence for output in outputs] == list(range(6))

    def test_the_update_of_a_route(self) -> None:
        """P11: a single route's update shows in its node's own output."""
        built = graph("START > a").add_conditional_edges("a", says(Command("end", {"m": "r"})), {"end": END})
        output = next(each for each in built.compile().stream({}) if each.node == "a")
        assert output.state is not None
        assert output.state["m"] == ["a", "r"]
        assert (dict(output.update), [dict(update) for update in output.route_updates]) == ({"m": "a"}, [{"m": "r"}])

    def test_the_update_of_a_multi_route(self) -> None:
        """P11: a multi route's update first shows in the region's output."""
        route = says(Command("b", {"m": "r"}))
        built = graph("START > a", "b > c", "c > END").add_parallel_conditional_edges("a", route, ["b"])
        outputs = {each.node: each for each in built.compile().stream({})}
        assert [(name, shown(output).get("m")) for name, output in outputs.items()][1:-1] == [
            ("a", ["a"]), ("b", ["a", "r", "b"]), ("__PARALLEL__(a)", ["a", "r", "b"]), ("c", ["a", "r", "b", "c"]),
        ]  # fmt: skip
        assert [dict(update) for update in outputs["__PARALLEL__(a)"].route_updates] == [{"m": "r"}]
        assert outputs["a"].route_updates == ()

    def test_the_config_of_the_run(self) -> None:
        """X5: outputs name the thread."""
        compiled = graph("START > a", "a > END").compile()
        assert {
            (output.config or RunnableConfig()).thread_id
            for output in compiled.stream({}, RunnableConfig(thread_id="t"))
        } == {"t"}
        private = {(output.config or RunnableConfig()).thread_id for output in compiled.stream({})}
        assert len(private) == 1
        assert private != {None}

    @pytest.mark.parametrize("name", RUNNERS)
    def test_a_region(self, name: str) -> None:
        """P11: a node's output is its branch's view; then the region's, behind its branches."""
        built = graph("START > a", "a > b, c", "b > x", "x > d", "c > d", "d > END")
        outputs = RUNNERS[name](built.compile(), {}, None).outputs
        assert [(o.node, o.step, o.branch, shown(o).get("m")) for o in outputs[1:]] == [
            ("a", 1, (), ["a"]),
            ("b", 2, (0,), ["a", "b"]),
            ("c", 2, (1,), ["a", "c"]),
            ("x", 3, (0,), ["a", "b", "x"]),
            ("__PARALLEL__(a)", 3, (2,), ["a", "b", "x", "c"]),
            ("d", 4, (), ["a", "b", "x", "c", "d"]),
            (END, 5, (), ["a", "b", "x", "c", "d"]),
        ]

    @pytest.mark.parametrize("name", RUNNERS)
    def test_updates_in_a_region(self, name: str) -> None:
        """P11: in a branch an update is that of the node, the region has none."""
        built = graph("START > a", "a > b, c", "b > d", "c > d", "d > END")
        outputs = RUNNERS[name](built.compile(), {}, RunnableConfig(stream_mode=StreamMode.UPDATES)).outputs
        assert [(output.node, dict(output.update)) for output in outputs[1:]] == [
            ("a", {"m": "a"}), ("b", {"m": "b"}), ("c", {"m": "c"}), ("__PARALLEL__(a)", {}), ("d", {"m": "d"}),
            (END, {}),
        ]  # fmt: skip

    @pytest.mark.parametrize("name", RUNNERS)
    def test_an_inner_region_comes_first(self, name: str) -> None:
        """P11: inner regions are shown before the ones around them."""
        built = graph("START > a", "a > b, c", "b > d, e", "d > f", "e > f", "f > g", "c > g", "g > END")
        outputs = RUNNERS[name](built.compile(), {}, None).outputs
        assert [(output.node, output.step, output.branch) for output in outputs[1:-1]] == [
            ("a", 1, ()), ("b", 2, (0,)), ("c", 2, (1,)), ("d", 3, (0, 0)), ("e", 3, (0, 1)),
            ("__PARALLEL__(b)", 3, (0, 2)), ("f", 4, (0,)), ("__PARALLEL__(a)", 4, (2,)), ("g", 5, ()),
        ]  # fmt: skip


def noting(ran: list[str]) -> Callable[[str], Callable[[State], Update]]:
    """Make nodes that note that they ran."""

    def make(name: str) -> Callable[[State], Update]:
        def act(state: State) -> Update:
            ran.append(name)
            return {"m": name}

        return act

    return make


class TestLazy:
    def test_nothing_runs_before_the_first_read(self) -> None:
        """api: `stream` is lazy."""
        ran: list[str] = []
        outputs = graph("START > a", "a > b", "b > END", make=noting(ran)).compile().stream({})
        assert ran == []
        assert next(outputs).node == START
        assert ran == []
        assert next(outputs).node == "a"
        assert ran == ["a"]

    def test_wrong_inputs_are_raised_by_the_call(self) -> None:
        """X0: what can be seen at once is raised at once."""
        bad: Any = 5
        with pytest.raises(GraphRunnerException, match="the inputs of a run must be a mapping"):
            graph("START > a", "a > END").compile().stream(bad)

    def test_closing_stops_the_run(self) -> None:
        """api: closing the iterator stops the run."""
        ran: list[str] = []
        outputs = graph("START > a", "a > b", "b > END", make=noting(ran)).compile().stream({})
        next(outputs)
        next(outputs)
        outputs.close()
        assert ran == ["a"]
        assert list(outputs) == []

    def test_closing_before_the_start(self) -> None:
        """api: a stream that nobody reads never begins."""
        ran: list[str] = []
        outputs = graph("START > a", "a > END", make=noting(ran)).compile().stream({})
        outputs.close()
        assert ran == []

    def test_closing_in_a_region(self) -> None:
        """api: closing inside a region starts no further node."""
        ran: list[str] = []
        compiled = graph("START > a", "a > b, c", "b > d", "c > d", "d > END", make=noting(ran)).compile()
        outputs = compiled.stream({}, RunnableConfig(default_parallel_executor=INLINE))
        assert [next(outputs).node for _ in range(3)] == [START, "a", "b"]
        outputs.close()
        assert ran == ["a", "b"]

    def test_breaking_off(self) -> None:
        """Java: testStreamingNodeWithFluxException: taking two outputs of a failing run is no failure."""
        outputs = graph("START > a", "a > b", "b > END", b=raises(ValueError("no"))).compile().stream({})
        assert [next(outputs).node, next(outputs).node] == [START, "a"]
        outputs.close()

    def test_two_streams_at_once(self) -> None:
        """C5: runs do not see each other."""
        compiled = graph("START > a", "a > b", "b > END").compile()
        one, two = compiled.stream({"m": 1}), compiled.stream({"m": 2})
        pairs = [(shown(first), shown(second)) for first, second in zip(one, two, strict=True)]
        assert [state["m"] for state in pairs[-1]] == [[1, "a", "b"], [2, "a", "b"]]

    def test_read_by_another_thread(self) -> None:
        """X1: a stream may be read on by another thread."""
        outputs = graph("START > a", "a > b", "b > END").compile().stream({})
        assert next(outputs).node == START
        rest: list[str] = []
        thread = threading.Thread(target=lambda: rest.extend(output.node for output in outputs))
        thread.start()
        thread.join()
        assert rest == ["a", "b", END]


class TestFailing:
    def test_outputs_before_the_failure(self) -> None:
        """X3: what was done before the failing step is emitted."""
        compiled = graph("START > a", "a > b", "b > END", b=raises(ValueError("no"))).compile()
        outputs = compiled.stream({})
        assert [next(outputs).node, next(outputs).node] == [START, "a"]
        with pytest.raises(GraphRunnerException, match="node 'b' failed: ValueError: no"):
            next(outputs)
        assert list(outputs) == []
