"""K2, K3, K7, X2, X3: going on where a thread stands."""

from typing import Any

import pytest

from graph_core import (
    APPEND,
    END,
    INLINE,
    START,
    BaseCheckpointSaver,
    Command,
    CompileConfig,
    InvalidRecordError,
    NodeAggregationStrategy,
    RunnableConfig,
    Send,
    StateGraph,
)
from graph_core_tests.resume.keeping import Client, Flaky, T, compiled, history_of, saver
from graph_core_tests.shapes import RUNNERS, Result, Runner, failure_of, graph, says

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS.keys())
__all__ = ["saver"]


def invoked(app: Any, inputs: Any, config: RunnableConfig | None) -> Result:
    """A run of `invoke`, which has no outputs to read."""
    return Result(error=app.try_invoke(inputs, config).failure())


def pass_of(state: Any) -> bool:
    """Tell whether a loop goes on."""
    return bool(state["n"] < 4)


ANYWAY: Any = None
"""The input of a call that resumes."""


class TestMainPath:
    @each_runner
    def test_after_a_failure(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """X3: only what had not finished runs again, and START is not shown again."""
        flaky = Flaky(failing={"b"})
        app = compiled(graph("START > a", "a > b", "b > c", "c > END", make=flaky), saver)
        assert run(app, {"m": "in"}, T).failure.node_id == "b"
        flaky.failing.clear()
        result = run(app, ANYWAY, T)
        assert [output.node for output in result.outputs] == ["b", "c", END]
        assert (result.state["m"], flaky.ran) == (["in", "a", "b", "c"], ["a", "b", "b", "c"])
        assert [output.step for output in result.outputs] == [2, 3, 4]

    @each_runner
    @pytest.mark.parametrize("way", ["none", "with_resume", "checkpoint"])
    def test_ways_to_resume(self, saver: BaseCheckpointSaver, way: str, run: Runner) -> None:
        """K2: `None`, `with_resume()` and a checkpoint id resume."""
        flaky = Flaky(failing={"b"})
        app = compiled(graph("START > a", "a > b", "b > END", make=flaky), saver)
        run(app, {}, T)
        flaky.failing.clear()
        if way == "none":
            result = run(app, ANYWAY, T)
        elif way == "with_resume":
            result = run(app, {}, T.with_resume())
        else:
            result = run(app, {}, app.get_state(T).config)
        assert (result.state["m"], flaky.ran) == (["a", "b"], ["a", "b", "b"])

    @each_runner
    def test_a_pending_route(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """X3: a failing router loses no work: its node is shown and saved, and resume evaluates the route again."""
        flaky = Flaky(failing={"route"})
        built = graph("START > a", "b > END", make=flaky)
        app = compiled(built.add_conditional_edges("a", flaky.route("route", Command("b", {"m": "r"})), ["b"]), saver)
        result = run(app, {}, T)
        assert [output.node for output in result.outputs] == [START, "a"]
        snapshot = app.get_state(T)
        assert (snapshot.node, snapshot.next, snapshot.is_pending) == ("a", (), True)
        flaky.failing.clear()
        assert run(app, ANYWAY, T).state["m"] == ["a", "r", "b"]
        assert flaky.ran == ["a", "route", "route", "b"]

    @each_runner
    @pytest.mark.parametrize("multi", [False, True], ids=["condition", "fork"])
    def test_a_pending_route_of_start(self, saver: BaseCheckpointSaver, multi: Any, run: Runner) -> None:
        """X3: the same of START."""
        flaky = Flaky(failing={"route"})
        built = graph("a > END", make=flaky)
        if multi:
            built.add_parallel_conditional_edges(START, flaky.route("route", ["a"]), ["a"])
        else:
            built.add_conditional_edges(START, flaky.route("route", "a"), ["a"])
        app = compiled(built, saver)
        run(app, {"m": "in"}, T)
        assert (app.get_state(T).node, app.get_state(T).state["m"]) == (START, ["in"])
        flaky.failing.clear()
        assert run(app, ANYWAY, T).state["m"] == ["in", "a"]

    @each_runner
    def test_the_limit(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """X2: the checkpoint stays, so the run can go on, and the limit counts from where the call began."""
        flaky = Flaky()
        app = compiled(graph("START > a", "a > b", "b > c", "c > d", "d > END", make=flaky), saver, recursion_limit=2)
        assert run(app, {}, T).failure.code == "recursion_limit"
        assert app.get_state(T).status == "limit"
        assert run(app, ANYWAY, T).state["m"] == ["a", "b", "c", "d"]
        assert flaky.ran == ["a", "b", "c", "d"]

    @each_runner
    def test_from_an_old_checkpoint(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K2: going on from an old checkpoint forks, and the fork becomes the head; the old history stays."""
        app = compiled(graph("START > a", "a > b", "b > END"), saver)
        run(app, {"m": "in"}, T)
        before = saver.list("t")
        old = app.get_state_history(T)[2]
        assert run(app, ANYWAY, old.config).state["m"] == ["in", "a", "b"]
        after = saver.list("t")
        assert after[2:] == before
        assert [each.node_id for each in after] == ["b", "a", "b", "a", START]
        assert after[1].parent_id == old.config.checkpoint_id
        assert app.get_state(T).config.checkpoint_id == after[0].id

    @each_runner
    def test_input_on_resume(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K3: input is merged with the strategies after what is there, all keys, as an entry of its own."""
        flaky = Flaky(failing={"b"})
        app = compiled(graph("START > a", "a > b", "b > END", make=flaky), saver)
        run(app, {"m": "in", "x": 1}, T)
        flaky.failing.clear()
        result = run(app, {"m": "more", "x": 2, "y": 3}, T.with_resume())
        assert result.state == {"m": ["in", "a", "more", "b"], "x": 2, "y": 3}
        assert [each[0] for each in history_of(app)] == [START, "a", "a", "b"]

    def test_a_self_loop(self, saver: BaseCheckpointSaver) -> None:
        """K2: a node that leads to itself goes on at the right pass."""
        seen: list[int] = []

        def a(state: Any) -> dict[str, Any]:
            seen.append(state["n"])
            if state["n"] == 2 and seen.count(2) == 1:
                raise ValueError
            return {"n": state["n"] + 1}

        built: Any = StateGraph().add_node("a", a).add_edge(START, "a")
        built.add_conditional_edges("a", pass_of, {True: "a", False: END})
        for app in (compiled(built, saver), compiled(built, saver, detect_mutation=False)):
            seen.clear()
            failure = failure_of(app, {"n": 0}, RunnableConfig(thread_id=str(id(app))))
            assert app.invoke(None, RunnableConfig(thread_id=failure.thread_id))["n"] == 4
            assert seen == [0, 1, 2, 2, 3]


class TestRegions:
    @each_runner
    @pytest.mark.parametrize("wait", ["wait", "cancel"])
    def test_finished_siblings_stay_finished(self, saver: BaseCheckpointSaver, wait: str, run: Runner) -> None:
        """K7: finished branches are not run again, and the join goes on as if nothing had happened."""
        flaky = Flaky(failing={"c"})
        built = graph("START > a", "a > b, c", "b > e", "e > d", "c > d", "d > END", make=flaky)
        app = compiled(built, saver, on_branch_error=wait)
        run(app, {}, T)
        done = set(flaky.ran) - {"c"}
        flaky.failing.clear()
        flaky.ran.clear()
        result = run(app, ANYWAY, T)
        if wait == "wait":
            assert done == {"a", "b", "e"}
            assert flaky.ran == ["c", "d"]
        assert result.state["m"] == ["a", "b", "e", "c", "d"]
        assert result.regions == [("__PARALLEL__(a)", ["a", "b", "e", "c"])]

    @each_runner
    def test_copies_keep_their_payloads(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K7: `Send`s go on with what they were sent."""
        failing = [2]
        ran: list[int] = []

        def work(state: Any) -> dict[str, Any]:
            ran.append(state["item"])
            if state["item"] in failing:
                raise ValueError
            return {"m": f"w{state['item']}"}

        built: Any = StateGraph({"m": APPEND}).add_node("s", says({})).add_node("work", work)
        items = [Send("work", {"item": number}) for number in (1, 2, 3)]
        built.add_edge(START, "s").add_parallel_conditional_edges("s", says(items), ["work"]).add_edge("work", END)
        app = compiled(built, saver, on_branch_error="wait")
        run(app, {}, T)
        failing.clear()
        result = run(app, ANYWAY, T)
        assert (result.state, sorted(ran)) == ({"m": ["w1", "w2", "w3"]}, [1, 2, 2, 3])

    @each_runner
    @pytest.mark.parametrize("kind", ["single", "fork"])
    def test_pending_routes_of_branches(self, saver: BaseCheckpointSaver, kind: str, run: Runner) -> None:
        """X3: a route that fails in a branch is evaluated again, its node is not run again."""
        flaky = Flaky(failing={"route"})
        built = graph("START > a", "a > b, c", "e > d", "f > d", "c > d", "d > END", later=["b"], make=flaky)
        built.add_node("b", flaky("b"))
        if kind == "single":
            built.add_conditional_edges("b", flaky.route("route", Command("e", {"m": "r"})), ["e", "f"])
        else:
            built.add_parallel_conditional_edges("b", flaky.route("route", ["e", "f"]), ["e", "f"])
        app = compiled(built, saver, on_branch_error="wait")
        run(app, {}, T)
        flaky.failing.clear()
        result = run(app, ANYWAY, T)
        assert flaky.ran.count("b") == 1
        assert flaky.ran.count("route") == 2
        assert result.state["m"] == (
            ["a", "b", "r", "e", "c", "d"] if kind == "single" else ["a", "b", "e", "f", "c", "d"]
        )

    @each_runner
    def test_failing_twice(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K7: what was replayed once is replayed again, routes that were pending included."""
        flaky = Flaky(failing={"route", "e"})
        built = graph("START > a", "a > b, c", "e > d", "c > d", "d > END", later=["b"], make=flaky)
        built.add_node("b", flaky("b")).add_conditional_edges(
            "b", flaky.route("route", Command("e", {"m": "r"})), ["e"]
        )
        app = compiled(built, saver, on_branch_error="wait")
        run(app, {}, T)
        flaky.failing.discard("route")
        assert run(app, ANYWAY, T).failure.node_id == "e"
        flaky.failing.clear()
        assert run(app, ANYWAY, T).state["m"] == ["a", "b", "r", "e", "c", "d"]
        assert sorted(flaky.ran) == sorted(["a", "b", "route", "c", "route", "e", "e", "d"])

    @each_runner
    def test_any_of(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """P7: a branch that has arrived has won, also if what comes behind fails."""
        flaky = Flaky(failing={"d"})
        app = compiled(graph("START > a", "a > b, c", "b > d", "c > d", "d > END", make=flaky), saver)
        config = RunnableConfig(thread_id="t", default_aggregation=NodeAggregationStrategy.ANY_OF)
        run(app, {}, config)
        winner = app.get_state(T).state["m"][1]
        flaky.failing.clear()
        assert run(app, ANYWAY, config).state["m"] == ["a", winner, "d"]

    @each_runner
    def test_input_into_a_region(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K3, K4: input on resume goes to the fork's state, under what the branches have done."""
        flaky = Flaky(failing={"c"})
        app = compiled(
            graph("START > a", "a > b, c", "b > d", "c > d", "d > END", make=flaky), saver, on_branch_error="wait"
        )
        run(app, {}, T)
        flaky.failing.clear()
        assert run(app, {"m": "more"}, T.with_resume()).state["m"] == ["a", "more", "b", "c", "d"]
        assert flaky.ran.count("b") == 1

    @each_runner
    def test_new_input_into_a_standing_region(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K2: any other input starts anew on top of what the branches have come to so far."""
        flaky = Flaky(failing={"c"})
        app = compiled(
            graph("START > a", "a > b, c", "b > d", "c > d", "d > END", make=flaky), saver, on_branch_error="wait"
        )
        run(app, {}, T)
        flaky.failing.clear()
        assert run(app, {"m": "new"}, T).state["m"] == ["a", "b", "new", "a", "b", "c", "d"]

    @each_runner
    def test_from_an_old_region(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K2, K7: going on from the entry of an old region keeps what its branches had finished, in a fork."""
        flaky = Flaky(failing={"c"})
        app = compiled(
            graph("START > a", "a > b, c", "b > d", "c > d", "d > END", make=flaky), saver, on_branch_error="wait"
        )
        run(app, {}, T)
        old = app.get_state(T)
        flaky.failing.clear()
        run(app, {"m": "new"}, T)
        before = saver.list("t")
        flaky.ran.clear()
        assert run(app, ANYWAY, old.config).state["m"] == ["a", "b", "c", "d"]
        assert sorted(flaky.ran) == ["c", "d"]
        assert saver.list("t")[-len(before) :] == before

    @each_runner
    def test_nothing_but_the_end_is_left(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K7: where all branches have arrived, the region ends and the run goes on behind it."""
        app = compiled(graph("START > a", "a > b, c", "b > d", "c > d", "d > END"), saver)
        run(app, {}, T)
        entry = app.get_state_history(T)[2]
        assert entry.next == ("__PARALLEL__(a)",)
        result = run(app, ANYWAY, entry.config)
        assert [output.node for output in result.outputs] == ["__PARALLEL__(a)", "d", END]

    @each_runner
    def test_ways_back(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """P15: a loop around a region goes on in the right pass."""
        flaky = Flaky()

        def c(state: Any) -> dict[str, Any]:
            if state["n"] == 1 and "c" in flaky.failing:
                raise ValueError
            return {"m": "c", "n": state["n"] + 1}

        built = graph("START > S", "S > A", "A > B, C", "B > D", "D > END", C=c, make=flaky)
        built.add_conditional_edges("C", lambda s: "S" if s["n"] < 2 else "D", ["S", "D"])
        app = compiled(built, saver)
        flaky.failing.add("c")
        run(app, {"n": 0}, T)
        flaky.failing.clear()
        state = run(app, ANYWAY, T).state
        assert state["m"] == ["S", "A", "B", "c", "S", "A", "B", "c", "D"]

    @each_runner
    def test_the_point_behind_copies(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """P1: a run that stood between the copies and the fixed fork behind them goes on there."""
        flaky = Flaky(failing={"x"})
        built = graph("START > s", "w > x, y", "x > z", "y > z", "z > END", make=flaky)
        built.add_parallel_conditional_edges("s", says([Send("w", {"i": 1}), Send("w", {"i": 2})]), ["w"])
        app = compiled(built, saver)
        run(app, {}, T)
        flaky.failing.clear()
        assert run(app, ANYWAY, T).state["m"] == ["s", "w", "w", "x", "y", "z"]
        point = next(
            each for each in app.get_state_history(T) if each.next == ("__PARALLEL__(w)",) and each.node[0] == "_"
        )
        assert run(app, ANYWAY, point.config).state["m"] == ["s", "w", "w", "x", "y", "z"]


class TestErrors:
    def test_a_finished_thread(self, saver: BaseCheckpointSaver) -> None:
        """K2: a finished thread is a clear error, and stays finished."""
        app = compiled(graph("START > a", "a > END"), saver)
        app.invoke({}, T)
        for config in (T, T.with_resume(), app.get_state(T).config):
            failure = failure_of(app, ANYWAY, config)
            assert (failure.code, failure.thread_id) == ("finished_thread", "t")
            assert "with_checkpoint_id" in str(failure)
        assert (app.get_state(T).status, len(app.get_state_history(T))) == ("done", 2)

    def test_an_unknown_thread(self, saver: BaseCheckpointSaver) -> None:
        """K2: an unknown thread is a clear error, and stays unknown."""
        app = compiled(graph("START > a", "a > END"), saver)
        assert failure_of(app, ANYWAY, T).code == "unknown_thread"
        assert saver.threads() == ()

    def test_an_unknown_checkpoint(self, saver: BaseCheckpointSaver) -> None:
        """K2: an unknown checkpoint is named, and the thread is as it was."""
        app = compiled(graph("START > a", "a > END"), saver)
        app.invoke({}, T)
        assert failure_of(app, ANYWAY, T.with_checkpoint_id("zz")).code == "unknown_checkpoint"
        assert app.get_state(T).status == "done"
        assert app.invoke({}, T)["m"] == ["a", "a"]

    @pytest.mark.parametrize("thread_id", ["a\0b", "\ud800"], ids=ascii)
    def test_what_is_no_id(self, saver: BaseCheckpointSaver, thread_id: str) -> None:
        """K2: an id that no database could hold is refused by every saver alike."""
        app = compiled(graph("START > a", "a > END"), saver)
        for config in (RunnableConfig(thread_id=thread_id), RunnableConfig(thread_id=thread_id).with_resume()):
            with pytest.raises(InvalidRecordError, match="thread_id must be a text that is not empty, without NUL"):
                app.invoke({}, config)

    def test_without_a_thread_id(self) -> None:
        """K2: what resumes has to name a thread."""
        app = graph("START > a", "a > END").compile()
        assert failure_of(app, ANYWAY).code == "missing_thread_id"
        assert failure_of(app, {}, RunnableConfig().with_resume()).code == "missing_thread_id"

    def test_without_a_saver(self) -> None:
        """K2: a graph that keeps nothing can not resume."""
        app = graph("START > a", "a > END").compile(CompileConfig(checkpoint_saver=None))
        assert failure_of(app, ANYWAY, T).code == "missing_checkpoint_saver"

    def test_a_thread_without_a_checkpoint(self, saver: BaseCheckpointSaver) -> None:
        """K2: a thread whose first input was refused has nothing to go on from."""

        def strategy(old: Any, new: Any) -> Any:
            raise ValueError

        built: Any = StateGraph({"m": strategy}).add_node("a", says({})).add_edge(START, "a").add_edge("a", END)
        app = compiled(built, saver)
        assert failure_of(app, {"m": 1}, T).code == "key_strategy_failed"
        assert failure_of(app, ANYWAY, T).code == "missing_checkpoint"

    @pytest.mark.parametrize("config", [T.with_resume("yes"), T.with_resume(None), T.with_resume(answers={"i": 1})])
    def test_an_answer_without_a_question(self, saver: BaseCheckpointSaver, config: RunnableConfig) -> None:
        """K5: an answer where nothing is pending is an error."""
        app = compiled(graph("START > a", "a > END", make=Flaky(failing={"a"})), saver)
        failure_of(app, {}, T)
        assert failure_of(app, ANYWAY, config).code == "no_pending_interrupt"
        assert app.get_state(T).status == "failed"

    def test_bad_resumes(self) -> None:
        """K5: both kinds of answers, or what is no mapping, are refused."""
        wrong: Any = [1]
        with pytest.raises(InvalidRecordError, match="with_resume takes an answer, or answers="):
            T.with_resume(1, answers={"a": 1})
        with pytest.raises(InvalidRecordError, match="with_resume takes an answer, or answers="):
            T.with_resume(answers=wrong)
        with pytest.raises(InvalidRecordError, match="take_over must be True or False"):
            T.with_resume(take_over=wrong)

    @pytest.mark.parametrize("edges", [("START > a", "a > x", "x > END"), ("START > z", "z > END")], ids=str)
    def test_another_graph(self, saver: BaseCheckpointSaver, edges: Any) -> None:
        """K2: a checkpoint that stands at a node that the graph has no longer is told."""
        app = compiled(graph("START > a", "a > b", "b > END", make=Flaky(failing={"b"})), saver)
        failure_of(app, {}, T)
        failure = failure_of(compiled(graph(*edges), saver), ANYWAY, T)
        assert (failure.code, failure.node_id) == ("stale_checkpoint", "b")

    @pytest.mark.parametrize(
        "edges",
        [
            ("START > a", "a > b", "b > END"),
            ("START > a", "a > b, d", "b > END", "d > END"),
            ("START > a", "a > c, b", "b > END", "c > END"),
        ],
        ids=str,
    )
    def test_another_region(self, saver: BaseCheckpointSaver, edges: Any) -> None:
        """K2: so is a region whose branches the graph has no longer."""
        flaky = Flaky(failing={"c"})
        app = compiled(graph("START > a", "a > b, c", "b > END", "c > END", make=flaky), saver, on_branch_error="wait")
        failure_of(app, {}, T)
        other = compiled(graph(*edges), saver)
        outcome = other.try_invoke(ANYWAY, T)
        if "c, b" not in edges[1]:
            assert outcome.failure().code == "stale_checkpoint"
            assert str(other.try_invoke(ANYWAY, T).failure()).startswith("the checkpoint stands at")
        else:
            assert outcome.unwrap()["m"] == ["a", "b", "c"]

    def test_bindings_hold_on_resume(self, saver: BaseCheckpointSaver) -> None:
        """P9: a resumed region keeps to limits and executors."""
        flaky = Flaky(failing={"c"})
        app = compiled(graph("START > a", "a > b, c", "b > END", "c > END", make=flaky), saver, on_branch_error="wait")
        failure_of(app, {}, T)
        flaky.failing.clear()
        config = RunnableConfig(thread_id="t", max_concurrency={"a": 1}, parallel_executors={"a": INLINE})
        assert app.invoke(None, config)["m"] == ["a", "b", "c"]


class TestPrivateRuns:
    @each_runner
    def test_nothing_is_written(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """X5: a run without a thread id that is done writes nothing."""
        app = compiled(graph("START > a", "a > b, c", "b > d", "c > d", "d > END"), saver)
        run(app, {}, None)
        assert saver.threads() == ()

    @each_runner
    @pytest.mark.parametrize("detect", [False, True], ids=["plain", "whole"])
    def test_one_checkpoint_where_it_stopped(self, saver: BaseCheckpointSaver, detect: Any, run: Runner) -> None:
        """X5: one that stops unfinished writes one checkpoint, and the error names the thread."""
        flaky = Flaky(failing={"b"})
        app = compiled(graph("START > a", "a > b", "b > c", "c > END", make=flaky), saver, detect_mutation=detect)
        for call in (run, invoked):
            flaky.failing.add("b")
            flaky.ran.clear()
            failure = call(app, {"m": "in"}, None).failure
            thread = RunnableConfig(thread_id=failure.thread_id)
            assert history_of(app, thread) == [("a", ("b",), ["in", "a"])]
            assert app.get_state(thread).status == "failed"
            flaky.failing.clear()
            assert app.invoke(None, thread)["m"] == ["in", "a", "b", "c"]
            assert flaky.ran == ["a", "b", "b", "c"]

    @each_runner
    @pytest.mark.parametrize("detect", [False, True], ids=["plain", "whole"])
    @pytest.mark.parametrize("failing", ["a", "route", "b"])
    def test_wherever_it_stops(self, saver: BaseCheckpointSaver, failing: str, detect: Any, run: Runner) -> None:
        """X5, X3: at the first node, between a node and its route, behind a route."""
        flaky = Flaky(failing={failing})
        built = graph("START > a", "b > END", make=flaky).add_conditional_edges("a", flaky.route("route", "b"), ["b"])
        app = compiled(built, saver, detect_mutation=detect)
        for call in (run, invoked):
            flaky.failing.add(failing)
            flaky.ran.clear()
            failure = call(app, {"m": "in"}, None).failure
            flaky.failing.clear()
            again = flaky.ran[-1]
            thread = RunnableConfig(thread_id=failure.thread_id)
            assert len(saver.list(str(failure.thread_id))) == 1
            assert app.invoke(None, thread)["m"] == ["in", "a", "b"]
            assert sorted(flaky.ran) == sorted(["a", "route", "b", again])

    @each_runner
    def test_in_a_region(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """X5, K7: what its branches had finished is in the checkpoint, too."""
        flaky = Flaky(failing={"c"})
        built = graph("START > a", "a > b, c", "e > d", "c > d", "d > END", later=["b"], make=flaky)
        built.add_node("b", flaky("b")).add_conditional_edges(
            "b", flaky.route("route", Command("e", {"m": "r"})), ["e"]
        )
        app = compiled(built, saver, on_branch_error="wait")
        failure = run(app, {}, None).failure
        thread = RunnableConfig(thread_id=failure.thread_id)
        assert app.get_state(thread).next == ("c",)
        flaky.failing.clear()
        assert app.invoke(None, thread)["m"] == ["a", "b", "r", "e", "c", "d"]
        assert sorted(flaky.ran) == sorted(["a", "b", "route", "e", "c", "c", "d"])

    def test_a_limit(self, saver: BaseCheckpointSaver) -> None:
        """X2, X5: the limit leaves a checkpoint, too, on the shortest way through the engine as well."""
        app = compiled(graph("START > a", "a > b", "b > END"), saver, recursion_limit=1, detect_mutation=False)
        failure = failure_of(app, {})
        assert (failure.code, saver.state_of(str(failure.thread_id)).status) == ("recursion_limit", "limit")  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]
        assert app.invoke(None, RunnableConfig(thread_id=failure.thread_id))["m"] == ["a", "b"]

    def test_a_closed_stream(self, saver: BaseCheckpointSaver) -> None:
        """X4, X5: closing the stream leaves a resumable checkpoint; the outputs name the thread."""
        app = compiled(graph("START > a", "a > b", "b > END"), saver)
        outputs = app.stream({})
        first = next(outputs)
        assert next(outputs).node == "a"
        outputs.close()
        assert first.config is not None
        thread = RunnableConfig(thread_id=first.config.thread_id)
        assert app.get_state(thread).status == "cancelled"
        assert app.invoke(None, thread)["m"] == ["a", "b"]

    @each_runner
    def test_what_can_not_be_merged_again(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """X5: why a run failed is told also if what its branches have done can not be told any more."""
        merged: list[Any] = []

        def once(old: Any, new: Any) -> Any:
            merged.append(new)
            if len(merged) > 1:
                raise RuntimeError
            return new

        def c(state: Any) -> Any:
            raise ValueError

        built: Any = StateGraph({"n": once}).add_node("a", says({})).add_node("b", says({"n": 1})).add_node("c", c)
        built.add_node("d", says({})).add_edge(START, "a").add_edge("a", ["b", "c"]).add_edge("b", "d")
        app = compiled(built.add_edge(["c", "d"], END), saver, on_branch_error="wait")
        failure = run(app, {}, RunnableConfig()).failure
        assert (failure.code, failure.node_id, len(merged)) == ("execution_error", "c", 2)
        assert failure.__notes__[-1].startswith("where it stands could not be saved")
        assert saver.threads() == ()

    def test_what_can_not_be_written(self, saver: BaseCheckpointSaver) -> None:
        """X5: that the checkpoint can not be written does not hide why the run failed."""
        app = compiled(graph("START > a", "a > b", "b > END", make=Flaky(failing={"b"})), saver)
        failure = failure_of(app, {"x": Client()})
        assert failure.node_id == "b"
        assert "where it stands could not be saved" in "".join(failure.__notes__)
