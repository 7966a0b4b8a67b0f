"""K5: pauses before, after and before the edge, by settings."""

from typing import Any

import pytest

from graph_core import (
    END,
    START,
    BaseCheckpointSaver,
    CompileConfig,
    InvalidRecordError,
    MultiCommand,
    RunnableConfig,
    Send,
    StateGraph,
)
from graph_core_tests.interrupts.asking import T, asked, compiled, each_run, outputs, saver
from graph_core_tests.shapes import State, failure_of, graph, node, problems_of, says

__all__ = ["saver"]
BEGIN: Any = {}
GO_ON: Any = None
EDGES = ("START > a", "a > b", "b > c", "c > END")
INNER = (
    "START > s",
    "s > a, b, c",
    "a > d, e",
    "d > z",
    "e > z",
    "b > f, g",
    "g > y",
    "c > g",
    "f > y",
    "y > z",
    "z > END",
)
"""Two inner forks: that of `a` is closed, that of `b` is open."""


def feedback_of(state: State, config: RunnableConfig) -> dict[str, Any]:
    """Append the feedback."""
    return {"m": config.feedback}


def runs(built: StateGraph, **options: Any) -> list[list[str]]:
    """Run to the end, going on from each pause, and tell the outputs of each run."""
    app = built.compile(CompileConfig(**options))
    found = [outputs(app, {})]
    while "?" in found[-1][-1]:
        found.append(outputs(app, GO_ON))
    assert found[-1][-1] == END
    return found


class TestMainPath:
    """On the main path."""

    def test_before(self) -> None:
        """K5: the interruption names the node that waits."""
        assert runs(graph(*EDGES), interrupts_before=["b"]) == [[START, "a", "b?before"], ["b", "c", END]]

    def test_before_the_first(self) -> None:
        """K5: START's first node."""
        assert runs(graph(*EDGES), interrupts_before=["a"]) == [[START, "a?before"], ["a", "b", "c", END]]

    def test_after(self) -> None:
        """K5: the node's own output comes first."""
        assert runs(graph(*EDGES), interrupts_after=["b"]) == [[START, "a", "b", "b?after"], ["c", END]]

    def test_after_the_last(self) -> None:
        """K5: after the last node, too; what is left is END."""
        app = graph(*EDGES).compile(CompileConfig(interrupts_after=["c"]))
        assert outputs(app, {}) == [START, "a", "b", "c", "c?after"]
        snapshot = app.get_state(T)
        assert (snapshot.next, snapshot.status, len(snapshot.interruptions)) == ((END,), "interrupted", 1)
        assert outputs(app, GO_ON) == [END]
        assert (app.get_state(T).status, app.get_state(T).interruptions) == ("done", ())
        assert failure_of(app, GO_ON, T).code == "finished_thread"

    def test_everywhere(self) -> None:
        """K5: `*` is every node; after one and before the next are two pauses."""
        assert runs(graph("START > a", "a > b", "b > END"), interrupts_before="*", interrupts_after=["*"]) == [
            [START, "a?before"],
            ["a", "a?after"],
            ["b?before"],
            ["b", "b?after"],
            [END],
        ]

    def test_a_path_of_one(self) -> None:
        """K5: a node of the graph itself may be named by its path."""
        assert runs(graph(*EDGES), interrupts_before=[("b",)]) == [[START, "a", "b?before"], ["b", "c", END]]

    def test_self_loop(self) -> None:
        """K5: a node that leads to itself pauses after and before each of its visits."""
        built = graph("START > a", "a").add_conditional_edges(
            "a", lambda s: "a" if len(s["m"]) < 2 else END, ["a", END]
        )
        assert runs(built, interrupts_after=["a"]) == [[START, "a", "a?after"], ["a", "a?after"], [END]]
        assert runs(built, interrupts_before=["a"]) == [[START, "a?before"], ["a", "a?before"], ["a", END]]

    def test_a_fork(self) -> None:
        """K5: after a fork's source its branches have not begun; before the convergence the region has ended."""
        built = graph("START > a", "a > b, c", "b > d", "c > d", "d > END")
        app = built.compile(CompileConfig(interrupts_after=["a"], interrupts_before=["d"]))
        assert outputs(app, {}) == [START, "a", "a?after"]
        assert app.get_state(T).next == ("b", "c")
        first, second, *rest = outputs(app, GO_ON)
        assert ({first, second}, rest) == ({"b", "c"}, ["__PARALLEL__(a)", "d?before"])
        assert outputs(app, GO_ON) == ["d", END]

    def test_the_convergence_that_is_the_source(self) -> None:
        """K5: the third worked example, paused before `a` and after it."""
        built = graph("START > a", "a", "b > a", "c > a")
        answers = iter([["b", "c"], [END]])
        built.add_parallel_conditional_edges("a", lambda _: next(answers), ["b", "c", END])
        app = built.compile(CompileConfig(interrupts_before=["a"], interrupts_after=["a"]))
        assert outputs(app, {}) == [START, "a?before"]
        assert outputs(app, GO_ON) == ["a", "a?after"]
        assert outputs(app, GO_ON)[-2:] == ["__PARALLEL__(a)", "a?before"]
        assert outputs(app, GO_ON) == ["a", "a?after"]
        assert outputs(app, GO_ON) == [END]

    @pytest.mark.parametrize("is_before_edge", [False, True])
    def test_commands(self, is_before_edge: bool) -> None:  # noqa: FBT001  (a parameter)
        """K5, R9: a node that says where it goes pauses after that; it has no edge to pause before."""
        built = graph("START > a", "b > d", "c > d", "d > END", later=["a"])
        built.add_node("a", says(MultiCommand(["b", "c"], {"m": "a"})), destinations=["b", "c"])
        app = built.compile(CompileConfig(interrupts_after=["a"], interrupt_before_edge=is_before_edge))
        assert outputs(app, {}) == [START, "a", "a?after"]
        assert app.get_state(T).next == ("b", "c")
        assert app.invoke(GO_ON, T)["m"] == ["a", "b", "c", "d"]

    def test_copies_that_join_before_a_fork(self) -> None:
        """K5, P1: where copies converge right behind a fixed fork each pauses after the node, the fork runs once."""
        built = graph("START > a", "a", "w > x, y", "x > z", "y > z", "z > END", w=node(lambda s: {"m": s["item"]}))
        route = says([Send("w", {"item": 1}), Send("w", {"item": 2})])
        built.add_parallel_conditional_edges("a", route, ["w"], sends=["w"])
        app = built.compile(CompileConfig(interrupts_after=["w"]))
        assert asked(app.run({}, T)) == [("w", None), ("w", None)]
        assert app.invoke(GO_ON, T)["m"] == ["a", 1, 2, "x", "y", "z"]


class TestBeforeTheEdge:
    """`interrupt_before_edge`."""

    def built(self) -> StateGraph:
        """A node whose route reads the state."""
        return graph("START > a", "a", "b > END", "c > END").add_conditional_edges(
            "a", lambda s: s["to"], ["b", "c", END]
        )

    def test_the_route_sees_what_was_changed(self, saver: BaseCheckpointSaver) -> None:
        """K5: the route is evaluated when the run goes on."""
        app = compiled(self.built(), saver, interrupts_after=["a"], interrupt_before_edge=True)
        assert outputs(app, {"to": "b"}) == [START, "a", "a?after"]
        snapshot = app.get_state(T)
        assert (snapshot.next, snapshot.is_pending, snapshot.interruptions[0].node) == ((), True, "a")
        app.update_state(T, {"to": "c"})
        assert outputs(app, GO_ON) == ["c", END]

    def test_else_it_is_evaluated_already(self) -> None:
        """K4, K5: an update does not change a route that was evaluated."""
        app = self.built().compile(CompileConfig(interrupts_after=["a"]))
        assert outputs(app, {"to": "b"}) == [START, "a", "a?after"]
        app.update_state(T, {"to": "c"})
        assert outputs(app, GO_ON) == ["b", END]

    def test_after_the_last_node(self) -> None:
        """K5: the route may end the run."""
        app = self.built().compile(CompileConfig(interrupts_after=["a"], interrupt_before_edge=True))
        app.run({"to": END}, T)
        assert outputs(app, GO_ON) == [END]

    def test_the_answer_reaches_the_route(self) -> None:
        """K5: `config.feedback` of the route, and of the node that runs next."""
        built = graph("START > a", "a", "b > END", "c > END", b=feedback_of)
        built.add_conditional_edges("a", lambda _, config: config.feedback, ["b", "c"])
        app = built.compile(CompileConfig(interrupts_after=["a"], interrupt_before_edge=True))
        app.run({}, T)
        assert app.invoke(GO_ON, T.with_resume("b"))["m"] == ["a", "b"]

    def test_in_a_branch(self, saver: BaseCheckpointSaver) -> None:
        """K5, P12: the same for a route, a fork and an open fork in a region; fixed edges have nothing to evaluate."""
        built = graph("START > s", "s > a, b, f", "a", "b", "c > d", "e > d", "f > d", "d > END")
        built.add_conditional_edges("a", lambda s: s["to"], ["c", "d"])
        built.add_parallel_conditional_edges("b", lambda s: [s["to"], "e"], ["c", "e"])
        places = ["a", "b", "f"]
        app = compiled(built, saver, interrupts_after=places, interrupt_before_edge=True)
        assert asked(app.run({"to": "d"}, T)) == [("a", None), ("b", None), ("f", None)]
        assert app.get_state(T).next == ("a", "b", "d")
        app.update_state(T, {"to": "c"})
        assert app.invoke(GO_ON, T)["m"] == ["s", "a", "b", "c", "e", "f", "d"]

    def test_a_fork_on_the_main_path(self) -> None:
        """K5: the routes of a fork are evaluated when the run goes on; a fixed one has none."""
        built = graph("START > a", "a", "b > d", "c > d", "d > e, f", "e > END", "f > END")
        built.add_parallel_conditional_edges("a", lambda s: s["to"], ["b", "c"])
        app = built.compile(CompileConfig(interrupts_after=["a", "d"], interrupt_before_edge=True))
        app.run({"to": ["b"]}, T)
        app.update_state(T, {"to": ["c", "b"]})
        assert app.run(GO_ON, T).state["m"] == ["a", "c", "b", "d"]
        assert app.get_state(T).next == ("e", "f")
        assert app.invoke(GO_ON, T)["m"] == ["a", "c", "b", "d", "e", "f"]


class TestFeedback:
    """The answer to a pause by settings."""

    def feedback(self, name: str) -> Any:
        """Make a node that appends its name with its feedback."""

        def act(state: State, config: RunnableConfig) -> dict[str, Any]:
            return {"m": f"{name}:{config.feedback}"}

        return act

    @each_run
    def test_of_the_resumed_node(self, run: Any, saver: BaseCheckpointSaver) -> None:
        """K5: it is `config.feedback` of the node that was paused before, and of no other."""
        app = compiled(graph(*EDGES, make=self.feedback), saver, interrupts_before=["b"])
        run(app, {}, T)
        assert run(app, GO_ON, T.with_resume("yes")).state["m"] == ["a:None", "b:yes", "c:None"]
        run(app, {}, T)
        assert run(app, GO_ON, T).state["m"][3:] == ["a:None", "b:None", "c:None"]

    def test_after_a_node(self) -> None:
        """K5: after a node it is that of the next one, unless that has an answer of its own."""
        app = graph(*EDGES, make=self.feedback).compile(CompileConfig(interrupts_after=["a"], interrupts_before=["c"]))
        app.run({}, T)
        app.run(GO_ON, T.with_resume("one"))
        assert app.invoke(GO_ON, T.with_resume("two"))["m"] == ["a:None", "b:one", "c:two"]
        app = graph(*EDGES, make=self.feedback).compile(CompileConfig(interrupts_after=["a"], interrupts_before=["b"]))
        app.run({}, T)
        app.run(GO_ON, T.with_resume("one"))
        assert app.invoke(GO_ON, T)["m"] == ["a:None", "b:one", "c:None"]

    def test_after_the_last_node_of_a_branch(self, saver: BaseCheckpointSaver) -> None:
        """K5: it is that of the convergence, from several branches the first one's; inner regions pass it on."""
        edges = ("START > s", "s > a, b", "a > c, d", "c > e", "d > e", "e > f", "b > f", "f > g", "g > END")
        app = compiled(graph(*edges, make=self.feedback), saver, interrupts_after=["c", "d", "b"])
        result = app.run({}, T)
        by_node = {each.node: each.id for each in result.interruptions}
        state = app.invoke(GO_ON, T.with_resume(answers={by_node["d"]: 1, by_node["b"]: 2, by_node["c"]: None}))
        assert state["m"] == ["s:None", "a:None", "c:None", "d:None", "e:1", "b:None", "f:2", "g:None"]

    def test_survives_a_failure(self, saver: BaseCheckpointSaver) -> None:
        """K5, K7: the node that it is for may fail: it is there when it runs again."""
        failing = {"a", "b", "c", "d"}

        def act(name: str) -> Any:
            def once(state: State, config: RunnableConfig) -> dict[str, Any]:
                if name in failing:
                    failing.discard(name)
                    raise ValueError(name)
                return {"m": f"{name}:{config.feedback}"}

            return once

        built = graph("START > s", "s", "a", "b > c", "d > c", "c > END", make=act)
        built.add_conditional_edges("s", says("a"), ["a"])
        built.add_parallel_conditional_edges("a", says(["b", "d"]), ["b", "d"])
        app = compiled(built, saver, interrupts_after=["s", "a", "b"], interrupt_before_edge=True)
        app.run({}, T)
        config = T.with_resume(1)
        for _ in range(20):
            app.try_invoke(GO_ON, config)
            pending = app.get_state(T).interruptions
            config = T.with_resume({"a": 2, "b": 3}[pending[0].node]) if pending else T
            if app.get_state(T).status == "done":
                break
        assert app.get_state(T).state["m"] == ["s:None", "a:1", "b:2", "d:2", "c:3"]

    def test_after_a_fork(self) -> None:
        """K5: after the source of a fork it is that of the branches' first nodes."""
        edges = ("START > a", "a > b, c", "b > x", "x > d", "c > d", "d > END")
        app = graph(*edges, make=self.feedback).compile(CompileConfig(interrupts_after=["a"]))
        app.run({}, T)
        assert app.invoke(GO_ON, T.with_resume(1))["m"] == ["a:None", "b:1", "x:None", "c:1", "d:None"]

    def test_in_branches(self, saver: BaseCheckpointSaver) -> None:
        """K5, P12: each branch has its own; it reaches inner forks, open and closed, and a join."""
        app = compiled(graph(*INNER, make=self.feedback), saver, interrupts_after=["a", "b", "c"])
        result = app.run({}, T)
        by_node = {each.node: each.id for each in result.interruptions}
        assert [*by_node] == ["a", "b", "c"]
        config = T.with_resume(answers={by_node["a"]: 1, by_node["b"]: 2, by_node["c"]: 3})
        state = app.invoke(GO_ON, config)
        assert {*state["m"]} == {
            *("s:None", "a:None", "b:None", "c:None", "d:1", "e:1", "f:2", "g:2", "y:None", "z:None"),
        }

    def test_of_copies_in_an_inner_fork(self) -> None:
        """K5, P6: and the copies that an inner fork sends."""
        built = graph("START > s", "s > a, b", "a", "w > z", "b > z", "z > END", make=self.feedback)
        built.add_parallel_conditional_edges("a", says([Send("w", {}), Send("w", {})]), ["w"], sends=["w"])
        app = built.compile(CompileConfig(interrupts_after=["a"]))
        app.run({}, T)
        assert app.invoke(GO_ON, T.with_resume(1))["m"] == ["s:None", "a:None", "w:1", "w:1", "b:None", "z:None"]

    def test_outside_of_a_run(self) -> None:
        """X6: there is none."""
        assert RunnableConfig().feedback is None


class TestRegions:
    """P12: inside of regions."""

    EDGES = ("START > a", "a > b, c", "b > d", "c > d", "d > e", "e > END")

    @each_run
    def test_before_a_node_of_a_branch(self, run: Any, saver: BaseCheckpointSaver) -> None:
        """P12: the other branches go on; the branch goes on where it was."""
        app = compiled(
            graph("START > a", "a > b, c", "b > x", "x > d", "c > y", "y > d", "d > END"),
            saver,
            interrupts_before=["x"],
        )
        paused = run(app, {}, T)
        assert (asked(paused), paused.state["m"]) == ([("x", None)], ["a", "b", "c", "y"])
        assert app.get_state(T).next == ("x",)
        assert run(app, GO_ON, T).state["m"] == ["a", "b", "x", "c", "y", "d"]

    def test_before_the_first_nodes(self) -> None:
        """P12: several at once, in branch order."""
        app = graph(*self.EDGES).compile(CompileConfig(interrupts_before=["c", "b"]))
        assert outputs(app, {}) == [START, "a", "b?before", "c?before"]
        assert app.invoke(GO_ON, T)["m"] == ["a", "b", "c", "d", "e"]

    def test_after_a_node_of_a_branch(self) -> None:
        """P12: it has not arrived; its record is there, and what comes next is seen."""
        app = graph(*self.EDGES).compile(CompileConfig(interrupts_after=["b"]))
        paused = app.run({}, T)
        assert (asked(paused), paused.state["m"]) == ([("b", None)], ["a", "b", "c"])
        assert app.get_state(T).next == ("d",)
        assert app.invoke(GO_ON, T)["m"] == ["a", "b", "c", "d", "e"]

    def test_before_a_join(self) -> None:
        """P3, P12: the joined branch pauses once."""
        app = graph("START > a", "a > b, c, x", "b > j", "c > j", "j > z", "x > z", "z > END").compile(
            CompileConfig(interrupts_before=["j"])
        )
        paused = app.run({}, T)
        assert [(each.node, each.branch) for each in paused.interruptions] == [("j", (0,))]
        assert app.invoke(GO_ON, T)["m"] == ["a", "b", "c", "j", "x", "z"]

    def test_some_go_on(self) -> None:
        """K5: with answers for some the rest pauses again, also what settings pause; with `answers={}` all does."""
        app = graph(*self.EDGES).compile(CompileConfig(interrupts_before=["b", "c"]))
        first = app.run({}, T)
        assert asked(app.run(GO_ON, T.with_resume(answers={}))) == asked(first)
        second = app.run(GO_ON, T.with_resume(answers={first.interruptions[1].id: None}))
        assert [each.id for each in second.interruptions] == [first.interruptions[0].id]
        assert second.state["m"] == ["a", "c"]
        assert app.invoke(GO_ON, T)["m"] == ["a", "b", "c", "d", "e"]

    def test_inner_forks(self) -> None:
        """P14: after the source of an inner fork, closed or open, its targets are what comes next."""
        app = graph(*INNER).compile(CompileConfig(interrupts_after=["a", "b"]))
        assert asked(app.run({}, T)) == [("a", None), ("b", None)]
        assert app.get_state(T).next == ("d", "e", "f", "g", "g")
        assert app.invoke(GO_ON, T)["m"] == ["s", "a", "d", "e", "b", "f", "c", "g", "y", "z"]

    def test_an_inner_fork_that_chooses_nothing_or_ends(self) -> None:
        """R4, P1: what comes next is the convergence, or END."""
        for answer, following in (([], "z"), ([END], END)):
            built = graph("START > s", "s > a, b", "a", "d > z", "e > z", "b > z", "z > END")
            built.add_parallel_conditional_edges("a", says(answer), ["d", "e", END])
            app = built.compile(CompileConfig(interrupts_after=["a"]))
            app.run({}, T)
            assert following in app.get_state(T).next
            assert app.run(GO_ON, T).status == "done"


class TestCalls:
    """At compile or per run."""

    def test_per_run(self) -> None:
        """K5: what a call says holds for this call, besides what the graph was compiled with."""
        app = graph(*EDGES).compile(CompileConfig(interrupts_after=["a"]))
        assert outputs(app, {}, RunnableConfig(thread_id="t", interrupts_before=["c"])) == [START, "a", "a?after"]
        assert outputs(app, GO_ON, RunnableConfig(thread_id="t", interrupts_before="c")) == ["b", "c?before"]
        assert outputs(app, GO_ON, RunnableConfig(thread_id="t", interrupts_after=["c"])) == ["c", "c?after"]
        assert outputs(app, GO_ON) == [END]

    def test_a_private_run(self) -> None:
        """X5: pauses, too, wherever it is."""
        settings: list[dict[str, Any]] = [{"interrupts_before": ["b"]}, {"interrupts_after": ["a", "b"]}]
        for places in settings:
            for edges in (EDGES, TestRegions.EDGES):
                app = graph(*edges).compile(CompileConfig(**places))
                paused = app.run({})
                thread = RunnableConfig(thread_id=paused.config.thread_id)
                seen = app.get_state(thread)
                assert [each.id for each in seen.interruptions] == [each.id for each in paused.interruptions]
                while paused.status == "interrupted":
                    paused = app.run(GO_ON, thread)
                assert paused.state["m"] == [*"abcde"][: len(edges) - 1]

    @pytest.mark.parametrize("where", ["interrupts_before", "interrupts_after"])
    def test_unknown_ids(self, where: str) -> None:
        """C1, C2: at compile a problem, in a call an error; both say what is close."""
        places: dict[str, Any] = {where: ["alhpa"]}
        problems = problems_of(graph("START > alpha", "alpha > END"), CompileConfig(**places))
        text = problems["interruption_node_not_exist", where]
        assert "node 'alhpa' configured as interruption doesn't exist!" in text
        assert "Did you mean 'alpha'?" in text
        paths: dict[str, Any] = {where: [("sub", "a")]}
        config = RunnableConfig(**paths)
        failure = failure_of(graph(*EDGES).compile(), {}, config)
        assert (failure.code, "('sub', 'a')" in str(failure)) == ("unknown_id", True)

    def test_without_a_saver(self) -> None:
        """K5: at compile a problem, in a call an error."""
        built = graph(*EDGES)
        problems = problems_of(built, CompileConfig(checkpoint_saver=None, interrupts_after=["a"]))
        assert [*problems] == [("missing_checkpoint_saver", "interrupts_after")]
        app = built.compile(CompileConfig(checkpoint_saver=None))
        failure = failure_of(app, {}, RunnableConfig(interrupts_before=["a"]))
        assert failure.code == "missing_checkpoint_saver"

    @pytest.mark.parametrize("value", [None, 1, [1], [()], [("a", 1)], ["a", None]])
    def test_no_ids(self, value: Any) -> None:
        """C1: what is no collection of ids is refused."""
        with pytest.raises(InvalidRecordError, match="interrupts_before and interrupts_after must be collections"):
            CompileConfig(interrupts_before=value)
        with pytest.raises(InvalidRecordError, match="interrupts_before and interrupts_after must be collections"):
            RunnableConfig(interrupts_after=value)

    def test_the_limit(self) -> None:
        """X2, K5: the limit counts from where a call began, and refuses a node before it could pause."""
        app = graph(*EDGES).compile(CompileConfig(interrupts_before=["b", "c"], recursion_limit=2))
        assert [app.run(inputs, T).status for inputs in [BEGIN, GO_ON, GO_ON]] == ["interrupted", "interrupted", "done"]
        app = graph(*EDGES).compile(CompileConfig(interrupts_before=["b"], recursion_limit=1))
        assert failure_of(app, {}, T).code == "recursion_limit"
        assert app.run(GO_ON, T).status == "interrupted"

    def test_metadata_is_seen_in_the_state_of_the_node(self) -> None:
        """K5: the state of a pause before a node is what the node will get."""
        app = graph(*EDGES).compile(CompileConfig(interrupts_before=["c"]))
        output: Any = app.invoke_and_get_output({"x": 1}, T)
        assert (dict(output.state), output.update, output.step) == ({"x": 1, "m": ["a", "b"]}, {}, 3)


def test_detect_mutation_still_holds() -> None:
    """S10: a node that is paused before is watched as the others are."""

    def act(state: State) -> dict[str, Any]:
        state["m"].append("b")
        return {}

    app = graph(*EDGES, b=act).compile(CompileConfig(interrupts_before=["b"], detect_mutation=True))
    app.run({}, T)
    assert failure_of(app, GO_ON, T).code == "mutated_state"
