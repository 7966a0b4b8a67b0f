"""K4: changing a thread from outside."""

from typing import Any

import attrs
import pytest

from graph_core import (
    APPEND,
    END,
    START,
    BaseCheckpointSaver,
    GraphRunnerException,
    InvalidRecordError,
    Send,
    StateGraph,
)
from graph_core_tests.resume.keeping import Flaky, T, compiled, history_of, saver, shown
from graph_core_tests.shapes import appends, graph, says

__all__ = ["saver"]
CHAIN = ("START > a", "a > b", "b > c", "c > END")
DIAMOND = ("START > a", "a > b, c", "b > e", "e > d", "c > d", "d > END")
EDGES = ("START > a", "a > b, c", "b > e", "c > x, y", "x > d", "y > d", "e > d", "d > END")


def standing(saver: BaseCheckpointSaver, *edges: str, failing: str = "b") -> tuple[Any, Flaky]:
    """A thread that stands at a node."""
    flaky = Flaky(failing=set(failing.split()))
    app = compiled(graph(*edges, make=flaky), saver, on_branch_error="wait")
    app.try_invoke({"m": "in"}, T).failure()
    flaky.failing.clear()
    flaky.ran.clear()
    return app, flaky


class TestWithoutANode:
    def test_values_are_merged_once(self, saver: BaseCheckpointSaver) -> None:
        """K4: values are merged by the strategies, exactly once, as a child of the last entry."""
        app, flaky = standing(saver, *CHAIN)
        config = app.update_state(T, {"m": "u", "x": 1})
        assert shown(app.get_state(config)) == ("a", ("b",), ["in", "a", "u"])
        assert app.get_state(T).config.checkpoint_id == config.checkpoint_id
        assert app.get_state(T).parent_id == app.get_state_history(T)[1].config.checkpoint_id
        assert dict(app.invoke(None, T)) == {"m": ["in", "a", "u", "b", "c"], "x": 1}
        assert flaky.ran == ["b", "c"]

    def test_of_a_finished_thread(self, saver: BaseCheckpointSaver) -> None:
        """K4: a finished thread stays finished."""
        app = compiled(graph(*CHAIN), saver)
        app.invoke({}, T)
        app.update_state(T, {"m": "u"})
        assert (app.get_state(T).next, app.get_state(T).status) == ((END,), "done")

    def test_in_a_region(self, saver: BaseCheckpointSaver) -> None:
        """K4: in a region the values go to the fork's state, under the branches' logs."""
        app, flaky = standing(saver, *DIAMOND, failing="c")
        app.update_state(T, {"m": "u"})
        assert shown(app.get_state(T)) == ("a", ("c",), ["in", "a", "u", "b", "e"])
        assert app.invoke(None, T)["m"] == ["in", "a", "u", "b", "e", "c", "d"]
        assert flaky.ran == ["c", "d"]

    def test_with_a_pending_route(self, saver: BaseCheckpointSaver) -> None:
        """K4: a pending route is evaluated after the update."""
        flaky = Flaky(failing={"route"})
        built = graph("START > a", "b > END", "c > END", make=flaky)

        def route(state: Any) -> str:
            flaky.route("route", None)(state)
            return "c" if "u" in state["m"] else "b"

        app = compiled(built.add_conditional_edges("a", route, ["b", "c"]), saver)
        app.try_invoke({}, T).failure()
        app.update_state(T, {"m": "u"})
        flaky.failing.clear()
        assert app.invoke(None, T)["m"] == ["a", "u", "c"]

    def test_of_an_old_checkpoint(self, saver: BaseCheckpointSaver) -> None:
        """K4: an update of an old entry is a fork, and becomes the head; the old entries stay as they are."""
        app = compiled(graph(*CHAIN), saver)
        app.invoke({"m": "in"}, T)
        before = saver.list("t")
        old = app.get_state_history(T)[2]
        app.update_state(old.config, {"m": "u"})
        assert saver.list("t")[1:] == before
        assert app.invoke(None, T)["m"] == ["in", "a", "u", "b", "c"]


class TestAsANode:
    def test_its_route_is_evaluated_after_it(self, saver: BaseCheckpointSaver) -> None:
        """K4: the values stand for the node's result, and its route sees them."""
        flaky = Flaky(failing={"b"})
        built = graph("START > a", "a > b", "c > END", "d > END", make=flaky)
        built.add_conditional_edges("b", lambda s: "d" if "u" in s["m"] else "c", ["c", "d"])
        app = compiled(built, saver)
        app.try_invoke({}, T).failure()
        config = app.update_state(T, {"m": "u"}, "b")
        assert shown(app.get_state(config)) == ("b", ("d",), ["a", "u"])
        assert (app.get_state(T).status, app.get_state(T).step) == ("interrupted", 2)
        assert app.invoke(None, T)["m"] == ["a", "u", "d"]
        assert flaky.ran == ["a", "b", "d"]

    def test_start(self, saver: BaseCheckpointSaver) -> None:
        """K2: `as_node=START` starts anew from an old state."""
        app = compiled(graph(*CHAIN), saver)
        app.invoke({"m": "in"}, T)
        old = app.get_state_history(T)[2]
        app.update_state(old.config, {"m": "again"}, START)
        assert shown(app.get_state(T)) == (START, ("a",), ["in", "a", "again"])
        assert app.invoke(None, T)["m"] == ["in", "a", "again", "a", "b", "c"]

    def test_the_last_node(self, saver: BaseCheckpointSaver) -> None:
        """K4: standing for the last node finishes the thread."""
        app, _ = standing(saver, *CHAIN)
        app.update_state(T, {"m": "u"}, "c")
        assert (app.get_state(T).next, app.get_state(T).status) == ((END,), "done")

    def test_a_fork(self, saver: BaseCheckpointSaver) -> None:
        """K4: standing for a fork enters its region, and nothing in it has run."""
        app, flaky = standing(saver, *DIAMOND, failing="a")
        app.update_state(T, {"m": "u"}, "a")
        assert shown(app.get_state(T)) == ("a", ("b", "c"), ["in", "u"])
        assert app.invoke(None, T)["m"] == ["in", "u", "b", "e", "c", "d"]
        assert "a" not in flaky.ran

    def test_the_fork_of_a_region_that_stands(self, saver: BaseCheckpointSaver) -> None:
        """K4: `as_node=<fork source>` drops the branches and routes again."""
        app, flaky = standing(saver, *DIAMOND, failing="c")
        app.update_state(T, {"m": "u"}, "a")
        assert shown(app.get_state(T)) == ("a", ("b", "c"), ["in", "a", "u"])
        assert app.invoke(None, T)["m"] == ["in", "a", "u", "b", "e", "c", "d"]
        assert sorted(flaky.ran) == ["b", "c", "d", "e"]

    def test_a_multi_route_and_its_update(self, saver: BaseCheckpointSaver) -> None:
        """K4: a multi route's choice is evaluated at once, its sends keep their payloads."""

        def work(state: Any) -> dict[str, Any]:
            return {"m": f"w{state['i']}"}

        built: Any = StateGraph({"m": APPEND}).add_node("a", appends("a")).add_node("work", work).add_edge(START, "a")
        sends = [Send("work", {"i": 1}), Send("work", {"i": 2})]
        built.add_parallel_conditional_edges("a", says(sends), ["work"]).add_edge("work", END)
        app = compiled(built, saver)
        app.invoke({}, T)
        app.update_state(T, {"m": "u"}, "a")
        assert app.get_state(T).next == ("work", "work")
        assert app.invoke(None, T)["m"] == ["a", "w1", "w2", "u", "w1", "w2"]

    def test_a_branch(self, saver: BaseCheckpointSaver) -> None:
        """K4: in a region the values stand for the branch that stands on the node."""
        app, flaky = standing(saver, *DIAMOND, failing="c")
        app.update_state(T, {"m": "u"}, "c")
        assert shown(app.get_state(T)) == ("a", ("__PARALLEL__(a)",), ["in", "a", "b", "e", "u"])
        assert app.invoke(None, T)["m"] == ["in", "a", "b", "e", "u", "d"]
        assert flaky.ran == ["d"]

    def test_a_branch_with_a_route(self, saver: BaseCheckpointSaver) -> None:
        """K4: its route is evaluated after the update."""
        flaky = Flaky(failing={"b"})
        built = graph("START > a", "a > b, c", "e > d", "c > d", "d > END", make=flaky)
        built.add_conditional_edges("b", lambda s: "e" if "u" in s["m"] else "d", ["d", "e"])
        app = compiled(built, saver, on_branch_error="wait")
        app.try_invoke({}, T).failure()
        app.update_state(T, {"m": "u"}, "b")
        assert app.get_state(T).next == ("e",)
        flaky.failing.clear()
        assert app.invoke(None, T)["m"] == ["a", "u", "e", "c", "d"]

    def test_one_of_several_branches(self, saver: BaseCheckpointSaver) -> None:
        """K4: `path` says which branch is meant, where several stand on the node."""
        built: Any = StateGraph({"m": APPEND}).add_node("s", says({})).add_node("w", Flaky(failing={"w"})("w"))
        sends = [Send("w", {"i": 1}), Send("w", {"i": 2})]
        built.add_edge(START, "s").add_parallel_conditional_edges("s", says(sends), ["w"]).add_edge("w", END)
        app = compiled(built, saver, on_branch_error="wait")
        app.try_invoke({}, T).failure()
        with pytest.raises(GraphRunnerException) as raised:
            app.update_state(T, {"m": "u"}, "w")
        assert raised.value.code == "ambiguous_branch"
        assert "branches [(0,), (1,)] stand at 'w'; name one of them: path=(0,), not None" in str(raised.value)
        app.update_state(T, {"m": "second"}, "w", path=(1,))
        app.update_state(T, {"m": "first"}, "w")
        assert app.invoke(None, T)["m"] == ["first", "second"]

    def test_a_branch_that_waits(self, saver: BaseCheckpointSaver) -> None:
        """K4: nothing can stand for a node that waits for other branches."""
        edges = ("START > a", "a > b, c", "b > e, d", "c > e", "d > f", "e > f", "f > END")
        app, _ = standing(saver, *edges, failing="c")
        with pytest.raises(GraphRunnerException, match="a branch stands at 'e', but it waits for others"):
            app.update_state(T, {"m": "u"}, "e")

    def test_a_node_without_a_branch(self, saver: BaseCheckpointSaver) -> None:
        """K4: nothing can stand for a node of the region that no branch stands on: branches would be lost."""
        app, _ = standing(saver, *EDGES, failing="c")
        before = saver.list("t")
        for node_id in ("b", "x"):
            text = f"no branch stands at '{node_id}'; branches stand at 'c'; as_node='a' drops them and routes again"
            with pytest.raises(GraphRunnerException, match=text) as raised:
                app.update_state(T, {"m": "u"}, node_id)
            assert raised.value.code == "missing_branch"
        assert saver.list("t") == before

    @pytest.mark.parametrize(
        ("as_node", "text"),
        [(None, "path names a branch, and needs as_node"), ("d", "no branch stands at 'd'"), ("a", "at 'a'")],
    )
    def test_a_path_to_no_branch(self, saver: BaseCheckpointSaver, as_node: Any, text: str) -> None:
        """K4: a `path` is for a branch."""
        app, flaky = standing(saver, *DIAMOND, failing="c")
        with pytest.raises(GraphRunnerException, match=text):
            app.update_state(T, {"m": "u"}, as_node, path=(0,))
        flaky.failing.clear()
        app.invoke(None, T)
        with pytest.raises(GraphRunnerException, match="the thread stands in no region") as raised:
            app.update_state(T, {"m": "u"}, as_node, path=(0,))
        assert raised.value.code == "missing_branch"

    def test_what_is_no_path(self, saver: BaseCheckpointSaver) -> None:
        """K4: a `path` is a tuple of whole numbers."""
        app, _ = standing(saver, *DIAMOND, failing="c")
        wrong: Any
        for wrong in ("c", 1, (True,), ("c",)):
            with pytest.raises(InvalidRecordError, match="path must be a key of a branch"):
                app.update_state(T, {"m": "u"}, "c", path=wrong)

    def test_a_branch_whose_route_is_pending(self, saver: BaseCheckpointSaver) -> None:
        """K4, X3: the values stand for what its node gave besides, and its route is evaluated after them."""
        flaky = Flaky(failing={"route"})
        built = graph("START > a", "a > b, c", "e > d", "c > d", "d > END", make=flaky)
        built.add_conditional_edges("b", flaky.route("route", "e"), ["e"])
        app = compiled(built, saver, on_branch_error="wait")
        app.try_invoke({}, T).failure()
        flaky.failing.clear()
        app.update_state(T, {"m": "u"}, "b")
        assert shown(app.get_state(T)) == ("a", ("e",), ["a", "b", "u", "c"])
        flaky.ran.clear()
        assert app.invoke(None, T)["m"] == ["a", "b", "u", "e", "c", "d"]
        assert flaky.ran == ["e", "d"]

    def test_the_fork_of_an_inner_region(self, saver: BaseCheckpointSaver) -> None:
        """K4: its branches can not begin without those beside it."""
        app = compiled(graph(*EDGES), saver)
        app.invoke({}, T)
        with pytest.raises(GraphRunnerException, match="'c' is the source of a fork inside of a region") as raised:
            app.update_state(T, {"m": "u"}, "c")
        assert raised.value.code == "missing_branch"

    def test_what_is_no_node(self, saver: BaseCheckpointSaver) -> None:
        """K4: `as_node` is an id."""
        app, _ = standing(saver, *CHAIN)
        wrong: Any = ["a"]
        with pytest.raises(InvalidRecordError, match="as_node must be the id of a node"):
            app.update_state(T, {"m": "u"}, wrong)

    def test_of_branches_that_can_not_be_merged(self, saver: BaseCheckpointSaver) -> None:
        """K4, K6: what they come to can not be told; the status can, and the fork can be done again."""

        def strict(old: Any, new: Any) -> Any:
            if old == "b" and new == "c" and merges:
                raise ValueError("no merge")
            return new

        merges = [1]
        built: Any = StateGraph({"x": strict, "m": APPEND}).add_node("a", says({"m": "a"})).add_node("d", says({}))
        built.add_node("b", says({"x": "b"})).add_node("c", says({"x": "c"})).add_edge(START, "a")
        app = compiled(built.add_edge("a", ["b", "c"]).add_edge(["b", "c"], "d").add_edge("d", END), saver)
        assert app.try_invoke({}, T).failure().code == "key_strategy_failed"
        seen = app.get_state(T)
        assert (seen.status, seen.next, dict(seen.state)) == ("failed", ("__PARALLEL__(a)",), {"m": ["a"]})
        assert seen.error is not None
        assert seen.error["code"] == "key_strategy_failed"
        assert app.try_invoke({}, T).failure().code == "key_strategy_failed"  # what would it begin with?
        with pytest.raises(GraphRunnerException, match="no merge"):
            app.update_state(T, {}, START)
        merges.clear()
        app.update_state(T, {"m": "again"}, "a")
        assert app.invoke(None, T) == {"m": ["a", "again"], "x": "c"}

    def test_a_node_behind_the_region(self, saver: BaseCheckpointSaver) -> None:
        """K4: any other node stands on the main path, on what the branches have come to."""
        app, _ = standing(saver, *DIAMOND, failing="c")
        app.update_state(T, {"m": "u"}, "d")
        assert shown(app.get_state(T)) == ("d", (END,), ["in", "a", "b", "e", "u"])


class TestErrors:
    @pytest.mark.parametrize(
        ("values", "as_node", "code"),
        [
            (5, None, "invalid_inputs"),
            (None, None, "invalid_inputs"),
            ({5: 1}, None, "invalid_update"),
            ({"m": "u"}, "zz", "missing_node"),
            ({"m": "u"}, END, "missing_node"),
            ({"m": "u"}, "route", "execution_error"),
        ],
        ids=str,
    )
    def test_nothing_is_changed(self, saver: BaseCheckpointSaver, values: Any, as_node: Any, code: str) -> None:
        """K4: an update that can not be made is told, and the thread is as it was."""
        flaky = Flaky(failing={"b", "choose"})
        app = compiled(
            graph("START > a", "a > b", "b > route", "c > END", make=flaky, later=["route"])
            .add_node("route", appends("route"))
            .add_conditional_edges("route", flaky.route("choose", "c"), ["c"]),
            saver,
        )
        app.try_invoke({}, T).failure()
        before = saver.list("t"), app.get_state(T).status
        with pytest.raises(GraphRunnerException) as raised:
            app.update_state(T, values, as_node)
        assert (raised.value.code, raised.value.thread_id) == (code, "t")
        assert (saver.list("t"), app.get_state(T).status) == before
        flaky.failing.clear()
        assert app.invoke(None, T)["m"] == ["a", "b", "route", "c"]

    def test_without_a_thread(self, saver: BaseCheckpointSaver) -> None:
        """K4: there is nothing to change."""
        app = compiled(graph(*CHAIN), saver)
        with pytest.raises(GraphRunnerException) as raised:
            app.update_state(T, {"m": "u"})
        assert raised.value.code == "unknown_thread"
        from graph_core import CompileConfig, RunnableConfig

        with pytest.raises(GraphRunnerException) as raised:
            app.update_state(RunnableConfig(), {"m": "u"})
        assert raised.value.code == "missing_thread_id"
        with pytest.raises(GraphRunnerException) as raised:
            graph(*CHAIN).compile(CompileConfig(checkpoint_saver=None)).update_state(T, {"m": "u"})
        assert raised.value.code == "missing_checkpoint_saver"

    def test_a_thread_without_a_checkpoint(self, saver: BaseCheckpointSaver) -> None:
        """K4: a thread that never began has nothing to change."""
        app = compiled(graph(*CHAIN), saver)
        saver.take("t", "run")
        saver.give_back("t", "run", "failed")
        with pytest.raises(GraphRunnerException) as raised:
            app.update_state(T, {"m": "u"})
        assert raised.value.code == "missing_checkpoint"


class TestMore:
    async def test_a_twin(self, saver: BaseCheckpointSaver) -> None:
        """X1: the a-twin does the same, and evaluates async routes."""

        async def route(state: Any) -> str:
            return "b"

        built = graph("START > a", "b > END").add_conditional_edges("a", route, ["b"])
        app = compiled(built, saver)
        await app.ainvoke({}, T)
        config = await app.aupdate_state(T, {"m": "u"}, "a")
        assert shown(app.get_state(config)) == ("a", ("b",), ["a", "b", "u"])
        with pytest.raises(GraphRunnerException):
            await app.aupdate_state(T, {"m": "u"}, "zz")
        assert app.update_state(T, {"m": "v"}, "a").checkpoint_id == app.get_state(T).config.checkpoint_id

    def test_an_instance(self, saver: BaseCheckpointSaver) -> None:
        """T2, K4: values may be an instance of a schema."""

        @attrs.frozen
        class State:
            n: int = 0
            name: str = ""

        built: Any = StateGraph(State).add_node("a", says({"n": 1})).add_edge(START, "a").add_edge("a", END)
        app = compiled(built, saver)
        app.invoke({}, T)
        app.update_state(T, State(5, "x"))
        assert app.get_state(T).state.view() == State(5, "x")
        with pytest.raises(GraphRunnerException, match="unknown key 'zz'"):
            app.update_state(T, {"zz": 1})
        with pytest.raises(GraphRunnerException, match="expected int, not str"):
            app.update_state(T, {"n": "1"})

    def test_the_history(self, saver: BaseCheckpointSaver) -> None:
        """K4: every update is an entry."""
        app, _ = standing(saver, *CHAIN)
        app.update_state(T, {"m": "u"})
        app.update_state(T, {"m": "v"}, "b")
        assert history_of(app)[1:] == [
            ("a", ("b",), ["in", "a"]),
            ("a", ("b",), ["in", "a", "u"]),
            ("b", ("c",), ["in", "a", "u", "v"]),
        ]
