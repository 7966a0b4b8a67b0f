"""K1 to K10 where several rules meet."""

import operator
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graph_core import (
    APPEND,
    END,
    INLINE,
    MERGE,
    REMOVE,
    START,
    BaseCheckpointSaver,
    Command,
    DatabaseSaver,
    GraphRunnerException,
    MultiCommand,
    NodeAggregationStrategy,
    Overwrite,
    RemoveByHash,
    RunnableConfig,
    Send,
    StateGraph,
)
from graph_core.state.strategies import AppendStrategy
from graph_core_tests.resume.keeping import Client, Flaky, T, compiled, saver
from graph_core_tests.shapes import RUNNERS, Runner, graph, says

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS.keys())
__all__ = ["saver"]
ANY_OF = NodeAggregationStrategy.ANY_OF
ANYWAY: Any = None


class TestChanges:
    @pytest.mark.parametrize(
        "update",
        [
            {"m": REMOVE},
            {"m": Overwrite(["z"])},
            {"m": RemoveByHash("in")},
            {"m": ["y", RemoveByHash("in")]},
            {"m": None},
            {"m": []},
            {"d": {"x": REMOVE, "y": 2}},
            {"d": REMOVE},
            {"new": 1},
        ],
        ids=str,
    )
    @each_runner
    def test_every_kind(self, saver: BaseCheckpointSaver, update: Any, run: Runner) -> None:
        """K9: whatever a node changes, its entry has the state behind it; so has that of a region."""
        built: Any = StateGraph({"m": APPEND, "d": MERGE}).add_node("a", says(update)).add_edge(START, "a")
        for name in ("b", "c"):
            built.add_node(name, says(update)).add_edge("a", name).add_edge(name, END)
        app = compiled(built, saver)
        result = run(app, {"m": ["in", "in"], "d": {"x": 1}, "k": 1}, T)
        states = [dict(each.state) for each in app.get_state_history(T)]
        after_a = next(dict(each.state or {}) for each in result.outputs if each.node == "a")
        assert states[0] == result.state
        assert after_a in [dict(each.state) for each in saver.list("t")]

    @each_runner
    def test_one_key_by_node_and_route(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K9: what a node appends and its route takes away again is written as it is then."""
        for first, then in (({"m": "x"}, {"m": Overwrite(["z"])}), ({"m": Overwrite(["z"])}, {"m": "x"})):
            built: Any = StateGraph({"m": APPEND}).add_node("a", says(first)).add_edge(START, "a")
            app = compiled(built.add_conditional_edges("a", says(Command(END, then)), [END]), saver)
            result = run(app, {"m": Overwrite(["in"])}, T)
            assert dict(app.get_state(T).state) == result.state

    @each_runner
    def test_changed_in_place_and_returned(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K9: what a node gave is written, also if it is the very list that it had got, which has grown."""

        def a(state: Any) -> Any:
            state["r"].append(1)
            return {"r": state["r"], "m": "a"}

        def b(state: Any) -> Any:
            state["r"].pop()
            return {"r": [*state["r"], 2, 3], "m": "b"}

        built: Any = StateGraph({"m": APPEND}).add_node("a", a).add_node("b", b).add_edge(START, "a")
        app = compiled(built.add_edge("a", "b").add_edge("b", END), saver, detect_mutation=False)
        run(app, {"r": [0]}, T)
        assert [each.state["r"] for each in app.get_state_history(T)] == [[0, 2, 3], [0, 1], [0]]

    @pytest.mark.parametrize("strategy", [APPEND, operator.add, AppendStrategy(allow_duplicate=False)], ids=str)
    def test_a_list_that_only_grows(self, tmp_path: Path, strategy: Any) -> None:
        """K9: its new tail is written, under whatever strategy."""

        def a(state: Any) -> Any:
            return {"m": [f"{len(state['m']):0100}"]}

        def more(state: Any) -> str:
            return "a" if len(state["m"]) < 100 else END

        built: Any = StateGraph({"m": strategy}).add_node("a", a).add_edge(START, "a")
        built.add_conditional_edges("a", more, ["a", END])
        with DatabaseSaver(tmp_path / "a.db") as saver:
            assert len(compiled(built, saver).invoke({"m": []}, T)["m"]) == 100
        with closing(sqlite3.connect(tmp_path / "a.db")) as database:
            (written,) = database.execute("SELECT sum(length(changes)) FROM graph_checkpoint").fetchone()
        assert written < 100 * 200


class TestAnyOf:
    @each_runner
    @pytest.mark.parametrize("private", [False, True], ids=["kept", "private"])
    def test_a_winner_in_an_inner_region(self, saver: BaseCheckpointSaver, private: Any, run: Runner) -> None:
        """P7, K7: an inner region that had a winner has it again; the losers are not run again."""
        flaky = Flaky(failing={"c"})
        built = graph("START > a", "a > b, c", "b > x, y", "x > z", "y > z", "z > d", "c > d", "d > END", make=flaky)
        app = compiled(built, saver, on_branch_error="wait")
        config = RunnableConfig(
            thread_id=None if private else "t",
            aggregation={"__PARALLEL__(b)": ANY_OF},
            default_parallel_executor=INLINE,
        )
        failure = run(app, {}, config).failure
        flaky.failing.clear()
        flaky.ran.clear()
        again = RunnableConfig(
            thread_id=failure.thread_id, aggregation={"__PARALLEL__(b)": ANY_OF}, default_parallel_executor=INLINE
        )
        assert app.get_state(again).next == ("c",)
        assert run(app, ANYWAY, again).state["m"] in (["a", "b", "x", "z", "c", "d"], ["a", "b", "y", "z", "c", "d"])
        assert flaky.ran == ["c", "d"]

    @each_runner
    def test_what_a_failure_let_go(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """P7, K7: a node that ran because what could still come to it had dropped out, beside one that failed."""
        flaky = Flaky(failing={"f", "j", "l"})
        built = graph("START > a", "a > f, b, c", "b > j", "c > k", "j > d", "k > l", "l > d", "d > END", make=flaky)
        app = compiled(built.add_conditional_edges("f", says("j"), ["j", "k"]), saver)
        config = RunnableConfig(thread_id="t", default_aggregation=ANY_OF)
        assert run(app, {}, config).error is not None
        assert app.get_state(config).next == ("f", "j", "l")
        flaky.failing -= {"l"}
        flaky.ran.clear()
        assert run(app, ANYWAY, config).state["m"] == ["a", "c", "k", "l", "d"]
        assert not {"b", "c", "k"} & {*flaky.ran}

    @each_runner
    @pytest.mark.parametrize("private", [False, True], ids=["kept", "private"])
    @pytest.mark.parametrize("deep", [False, True], ids=["node", "region"])
    def test_a_region_that_ended_without_a_winner(
        self, saver: BaseCheckpointSaver, deep: Any, private: Any, run: Runner
    ) -> None:
        """P7, P15, K7: one branch had dropped out, the other had left backwards: it ends so again."""
        flaky = Flaky(failing={"x", "c", "v"})
        edges = ["START > a", "a > b, c", "b > x, y", "j > z", "c > z", "z > END"]
        edges += ["x > u, v", "u > j", "v > j"] if deep else ["x > j"]
        if deep:
            flaky.failing.remove("x")
        built = graph(*edges, make=flaky, later=["c"]).add_node("c", flaky("c"), defer=True)
        built = built.add_conditional_edges("y", lambda s: "b" if s["m"].count("y") < 3 else "j", ["b", "j"])
        app = compiled(built, saver)
        any_of = {"__PARALLEL__(b)": ANY_OF}
        config = RunnableConfig(
            thread_id=None if private else "t",
            aggregation=any_of,
            default_parallel_executor=INLINE,
            max_concurrency={"a": 1} if private else None,
        )
        thread_id = run(app, {}, config).failure.thread_id
        again = RunnableConfig(thread_id=thread_id, aggregation=any_of, default_parallel_executor=INLINE)
        for _ in range(3):
            assert app.get_state(again).status == "failed"
            run(app, ANYWAY, again)
        flaky.failing.clear()
        before = [*flaky.ran]
        assert run(app, ANYWAY, again).state["m"][-1] == "z"
        assert before.count("a") == flaky.ran.count("a") == 1
        assert flaky.ran.count("z") == 1

    @each_runner
    def test_failing_behind_a_route_that_failed(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """X3, K7: a node that fails again and again is never taken for done, whatever came before it."""
        for edges in (("d > z",), ("d > e", "e > z")):
            flaky = Flaky(failing={"route"})
            built = graph("START > a", "a > b, c", "c > z", "z > END", *edges, make=flaky)
            app = compiled(built.add_conditional_edges("b", flaky.route("route", "d"), ["d", "z"]), saver)
            config = RunnableConfig(thread_id=str(len(edges)))
            run(app, {}, config)
            flaky.failing = {"d"}
            for _ in range(3):
                assert run(app, ANYWAY, config).failure.node_id == "d"
                assert app.get_state(config).next[0] == "d"
            flaky.failing.clear()
            assert run(app, ANYWAY, config).state["m"] == ["a", "b", "d", *["e"][: len(edges) - 1], "c", "z"]


class TestPoints:
    @each_runner
    def test_a_point_inside_a_region(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """P1, K7: copies that joined right behind a fixed fork, inside a region, are not sent again."""
        flaky = Flaky(failing={"c"})
        built = graph("START > a", "a > s, c", "w > x, y", "x > z", "y > z", "z > d", "c > d", "d > END", make=flaky)
        built.add_parallel_conditional_edges("s", says([Send("w", {"i": 1}), Send("w", {"i": 2})]), ["w"])
        app = compiled(built, saver, on_branch_error="wait")
        run(app, {}, T)
        flaky.failing.clear()
        flaky.ran.clear()
        assert run(app, ANYWAY, T).state["m"] == ["a", "s", "w", "w", "x", "y", "z", "c", "d"]
        assert flaky.ran == ["c", "d"]


class TestCommands:
    @each_runner
    @pytest.mark.parametrize("multi", [False, True], ids=["one", "several"])
    def test_a_node_that_may_return_either(self, saver: BaseCheckpointSaver, multi: Any, run: Runner) -> None:
        """K7, R9: where its command led a branch is known; its region is shown as in a run that was not stopped."""
        flaky = Flaky(failing={"x"})
        answer = MultiCommand(["x", "y"], {"m": "b"}) if multi else Command("x", {"m": "b"})
        built = graph("START > a", "a > b, c", "x > d", "y > d", "c > d", "d > END", make=flaky, later=["b"])
        app = compiled(built.add_node("b", flaky.route("b", answer), ["x", "y"]), saver, on_branch_error="wait")
        stopped = run(app, {}, T)
        flaky.failing.clear()
        flaky.ran.clear()
        result = run(app, ANYWAY, T)
        assert result.state["m"] == (["a", "b", "x", "y", "c", "d"] if multi else ["a", "b", "x", "c", "d"])
        assert flaky.ran == ["x", "d"]
        whole = run(app, {}, RunnableConfig(thread_id="whole"))
        assert sorted(each.node for each in [*stopped.outputs, *result.outputs]) == sorted(
            each.node for each in whole.outputs
        )


class TestOutputs:
    @each_runner
    def test_a_region_is_saved_before_it_is_shown(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1, P11: who stops where the region is shown goes on behind it."""
        app = compiled(graph("START > a", "a > b, c", "b > d", "c > d", "d > END"), saver)
        stream = app.stream({}, T)
        next(output for output in stream if output.node == "__PARALLEL__(a)")
        stream.close()
        assert app.get_state(T).next == ("d",)
        assert [output.node for output in run(app, ANYWAY, T).outputs] == ["d", END]


class TestStale:
    def test_looking_with_another_graph(self, saver: BaseCheckpointSaver) -> None:
        """K6: of a region that the graph has no longer the status can be asked, but it can not be gone on with."""
        flaky = Flaky(failing={"c"})
        app = compiled(graph("START > a", "a > b, c", "b > END", "c > END", make=flaky), saver, on_branch_error="wait")
        assert app.try_invoke({}, T).failure().node_id == "c"
        other = compiled(
            graph("START > z", "z > y, q", "y > x", "q > x", "x > a, b", "a > b, c", "b > END", "c > END"), saver
        )
        seen = other.get_state(T)
        assert (seen.status, seen.next, seen.state["m"]) == ("failed", ("__PARALLEL__(a)",), ["a"])
        assert len(other.get_state_history(T)) == 2
        assert other.try_invoke(None, T).failure().code == "stale_checkpoint"
        assert other.try_invoke({}, T).failure().code == "stale_checkpoint"


class TestStandIn:
    def test_a_route_that_fails(self, saver: BaseCheckpointSaver) -> None:
        """K4: where the route of the branch fails, nothing is changed."""
        flaky = Flaky(failing={"b", "route"})
        built = graph("START > a", "a > b, c", "e > d", "c > d", "d > END", make=flaky)
        built.add_conditional_edges("b", flaky.route("route", "e"), ["e"])
        app = compiled(built, saver, on_branch_error="wait")
        app.try_invoke({}, T).failure()
        before = saver.list("t")
        with pytest.raises(GraphRunnerException, match="the route 'choose' of 'b' failed"):
            app.update_state(T, {"m": "u"}, "b")
        assert saver.list("t") == before

    def test_a_node_that_only_returns_commands(self, saver: BaseCheckpointSaver) -> None:
        """K4: nothing can stand for a node that has no edges of its own."""
        built = graph("START > a", "b > END", later=["a"]).add_node("a", says(Command("b")), ["b"])
        app = compiled(built, saver)
        app.invoke({}, T)
        with pytest.raises(GraphRunnerException) as raised:
            app.update_state(T, {"m": "u"}, "a")
        assert raised.value.code == "missing_edge"


def test_a_cancelled_private_run_that_can_not_be_written(saver: BaseCheckpointSaver) -> None:
    """X5: where nothing has failed, that a checkpoint can not be written is the error."""
    app = compiled(graph("START > a", "a > b", "b > END"), saver)
    outputs = app.stream({"x": Client()})
    next(outputs)
    next(outputs)
    with pytest.raises(GraphRunnerException) as raised:
        outputs.close()
    assert raised.value.code in {"uncopyable_value", "unregistered_type"}
