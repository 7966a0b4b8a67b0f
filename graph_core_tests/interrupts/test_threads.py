"""K2 to K6: looking at paused threads, answering, changing and starting them anew."""

import asyncio
from typing import Any

import attrs
import pytest

from graph_core import (
    APPEND,
    END,
    START,
    BaseCheckpointSaver,
    CompileConfig,
    GraphRunnerException,
    InterruptionMetadata,
    MemorySaver,
    RunnableConfig,
    StateGraph,
    interrupt,
)
from graph_core.checkpoint import Retention
from graph_core_tests.interrupts.asking import Failing, T, asked, asks, compiled, ids, outputs, saver
from graph_core_tests.resume.keeping import Flaky
from graph_core_tests.shapes import State, failure_of, graph, node, says

__all__ = ["saver"]
GO_ON: Any = None
CHAIN = ("START > a", "a > b", "b > c", "c > END")
REGION = ("START > a", "a > b, c", "b > d", "c > d", "d > END")


def region(saver: BaseCheckpointSaver | None = None) -> Any:
    """Two branches that ask."""
    return compiled(graph(*REGION, b=asks("b"), c=asks("c")), saver or MemorySaver())


class TestAnswers:
    """K5: which pause an answer is for."""

    def test_one_for_several(self) -> None:
        """K5: an error that names them; nothing has changed."""
        app = region()
        found = ids(app.run({}, T))
        failure = failure_of(app, GO_ON, T.with_resume("yes"))
        assert (failure.code, failure.thread_id) == ("several_pending_interrupts", "t")
        assert f"{found['b']!r} at 'b', {found['c']!r} at 'c'" in str(failure)
        assert app.get_state(T).status == "interrupted"

    def test_many_are_not_all_named(self) -> None:
        """K5: of very many only the first."""
        built = graph("START > a", "a > " + ", ".join(f"n{n}" for n in range(20)), make=asks, a=says({}))
        for number in range(20):
            built.add_edge(f"n{number}", "z")
        app = built.add_node("z", says({})).add_edge("z", END).compile()
        app.run({}, T)
        text = str(failure_of(app, GO_ON, T.with_resume("yes")))
        assert "20 pending" in text
        assert text.count(" at 'n") == 10

    def test_none_is_pending(self) -> None:
        """K5: an answer without a question is an error, also if it was answered already."""
        app = region()
        found = ids(app.run({}, T))
        app.run(GO_ON, T.with_resume(answers={found["b"]: 1}))
        failure = failure_of(app, GO_ON, T.with_resume(answers={found["b"]: 1}))
        assert (failure.code, "is no pending interrupt of thread 't'; pending are" in str(failure)) == (
            *("unknown_interrupt", True),
        )
        flaky = Flaky(failing={"b"})
        app = compiled(graph(*CHAIN, b=flaky("b")), MemorySaver())
        failure_of(app, {}, T)
        assert failure_of(app, GO_ON, T.with_resume(1)).code == "no_pending_interrupt"
        assert failure_of(app, GO_ON, T.with_resume(answers={"x": 1})).code == "no_pending_interrupt"
        assert app.get_state(T).status == "failed"

    def test_without_an_answer(self) -> None:
        """K5: questions stay, and their nodes do not run."""
        calls: list[int] = []

        def ask(state: State) -> Any:
            calls.append(1)
            return {"m": interrupt("?")}

        for edges in (CHAIN, REGION):
            app = graph(*edges, b=ask).compile()
            first = app.run({}, T)
            again = app.run(GO_ON, T)
            assert [each.id for each in again.interruptions] == [each.id for each in first.interruptions]
            assert dict(again.state) == dict(first.state)
        assert len(calls) == 2

    @pytest.mark.parametrize("edges", [CHAIN, REGION])
    def test_that_can_not_be_used(self, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K5: a node that fails on an answer gets another one, by the id; what it asked after that it asks again."""

        def ask(state: State) -> Any:
            amount = int(interrupt("how much?"))
            return {"m": f"{amount}:{int(interrupt(f'sure, {amount}?'))}"}

        app = compiled(graph(*edges, b=ask), saver)
        first = ids(app.run({}, T))["b"]
        failure_of(app, GO_ON, T.with_resume("much"))
        failure = failure_of(app, GO_ON, T.with_resume("2"))
        assert (failure.code, repr(first) in str(failure)) == ("no_pending_interrupt", True)
        assert failure_of(app, GO_ON, T).node_id == "b"
        second = ids(app.run(GO_ON, T.with_resume(answers={first: "1"})))["b"]
        failure_of(app, GO_ON, T.with_resume("yes"))
        assert asked(app.run(GO_ON, T.with_resume(answers={first: "3"}))) == [("b", "sure, 3?")]
        assert failure_of(app, GO_ON, T.with_resume(answers={second: "1"})).code == "unknown_interrupt"
        assert asked(app.run(GO_ON, T.with_resume(answers={first: "4"}))) == [("b", "sure, 4?")]
        assert "4:5" in app.run(GO_ON, T.with_resume("5")).state["m"]

    @pytest.mark.parametrize("edges", [CHAIN, REGION])
    def test_feedback_that_can_not_be_used(self, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K5: so does one that was paused before; after a node it is too late."""

        def act(state: State, config: RunnableConfig) -> Any:
            return {"m": int(config.feedback)}

        app = compiled(graph(*edges, b=act), saver, interrupts_before=["b"])
        first = ids(app.run({}, T))["b"]
        failure_of(app, GO_ON, T.with_resume("much"))
        assert 7 in app.run(GO_ON, T.with_resume(answers={first: "7"})).state["m"]

    def test_after_a_failure(self, saver: BaseCheckpointSaver) -> None:
        """K5, K7: a node that fails after it was answered is not asked again."""
        for edges in (CHAIN, REGION):
            ask = Failing()
            app = compiled(graph(*edges, b=ask), saver)
            app.run({}, T)
            failure_of(app, GO_ON, T.with_resume("yes"))
            assert app.get_state(T).interruptions == ()
            ask.fails = False
            assert app.run(GO_ON, T).state["m"][-2:] in (["yes", "c"], ["c", "d"])


class TestSnapshots:
    """K6: what is pending is seen from another process."""

    def test_main_path(self, saver: BaseCheckpointSaver) -> None:
        """K6: status, next, and the question with its payload, state, step and config."""
        app = compiled(graph(*CHAIN, b=asks("b")), saver)
        app.run({"x": 1}, T)
        snapshot = compiled(graph(*CHAIN, b=asks("b")), saver).get_state(T)
        assert (snapshot.status, snapshot.node, snapshot.next) == ("interrupted", "a", ("b",))
        found = snapshot.interruptions[0]
        assert (found.node, found.payload, found.when, found.step, found.branch) == ("b", "b?", "inside", 2, ())
        assert found.state is not None
        assert dict(found.state) == {"x": 1, "m": ["a"]}
        assert found.config is not None
        assert (found.config.thread_id, found.config.checkpoint_id) == ("t", None)  # an answer is for the thread
        assert found.pending == snapshot.interruptions

    def test_region(self, saver: BaseCheckpointSaver) -> None:
        """K1, K6: those of branches in branch order, each with its branch's view."""
        app = region(saver)
        app.run({}, T)
        app.update_state(T, {"x": 1})
        snapshot = asyncio.run(app.aget_state(T))
        assert [(each.node, each.branch) for each in snapshot.interruptions] == [("b", (0,)), ("c", (1,))]
        assert [dict(each.state or {}) for each in snapshot.interruptions] == [{"m": ["a"], "x": 1}] * 2

    def test_entries_that_are_old(self) -> None:
        """K1, K2: an old entry shows what is asked again by who goes on from it; others show nothing."""
        app = graph(*CHAIN, b=asks("b")).compile()
        app.run({}, T)
        app.run(GO_ON, T.with_resume("yes"))
        seen = [(each.node, len(each.interruptions)) for each in app.get_state_history(T)]
        assert seen == [("c", 0), ("b", 0), ("a", 1), (START, 0)]
        assert app.get_state(T).interruptions == ()

    def test_of_another_graph(self) -> None:
        """K6: a graph without that region tells why it can not look into it."""
        keeper = MemorySaver()
        region(keeper).run({}, T)
        snapshot = compiled(graph(*CHAIN), keeper).get_state(T)
        assert (snapshot.interruptions, snapshot.error is not None) == ((), True)

    @pytest.mark.parametrize("options", [{}, {"interrupts_after": ["b"], "interrupt_before_edge": True}])
    def test_an_answer_for_another_graph(self, options: Any) -> None:
        """K2, K5: a graph that can not go on does not use the answer up."""
        keeper = MemorySaver()
        built = graph("START > a", "a > b", "b", "c > END", b=asks("b"))
        app = compiled(built.add_conditional_edges("b", says("c"), ["c"]), keeper, **options)
        paused = app.run({}, T)
        if options:
            paused = app.run(GO_ON, T.with_resume(1))
        other = compiled(graph("START > z", "z > END"), keeper)
        assert failure_of(other, GO_ON, T.with_resume("yes")).code == "stale_checkpoint"
        assert other.get_state(T).error is not None
        assert app.get_state(T).status == "interrupted"
        assert [each.id for each in app.get_state(T).interruptions] == [each.id for each in paused.interruptions]


class TestTimeTravel:
    """K2: from an old checkpoint what was asked there is asked again."""

    def test_another_answer(self, saver: BaseCheckpointSaver) -> None:
        """K2, K5: the old entry stays as it is, the fork has the other answer."""
        app = compiled(graph(*CHAIN, b=asks("b")), saver)
        app.run({}, T)
        app.run(GO_ON, T.with_resume("yes"))
        before = app.get_state_history(T)
        old = before[-2].config
        paused = app.run(GO_ON, old)
        assert asked(paused) == [("b", "b?")]
        assert app.get_state(T).interruptions[0].id == before[-2].interruptions[0].id
        assert app.run(GO_ON, old.with_resume("no")).state["m"] == ["a", "b:no", "c"]
        after = app.get_state_history(T)
        kept = after[-len(before) :]
        assert [each.config.checkpoint_id for each in kept] == [each.config.checkpoint_id for each in before]
        assert [dict(each.state) for each in kept] == [dict(each.state) for each in before]

    def test_all_that_was_asked_there(self) -> None:
        """K2: from the first on: before, after and inside."""
        app = graph(*CHAIN, b=asks("b")).compile(CompileConfig(interrupts_after=["a"], interrupts_before=["b"]))
        app.run({}, T)
        app.run(GO_ON, T)
        app.run(GO_ON, T)
        app.run(GO_ON, T.with_resume("yes"))
        old = app.get_state_history(T)[-2].config
        assert [app.get_state(old).interruptions[0].when, app.get_state(T).status] == ["after", "done"]
        assert outputs(app, GO_ON, old) == ["b?before"]
        assert outputs(app, GO_ON) == ["b?inside"]
        assert outputs(app, GO_ON, T.with_resume("no")) == ["b", "c", END]

    def test_a_first_pause_on_a_fork(self) -> None:
        """K1, K2: a pause where there was none before is written to an entry of its own."""
        app = graph(*CHAIN).compile()
        app.run({}, T)
        old = app.get_state_history(T)[-2]
        paused = app.run(GO_ON, attrs.evolve(old.config, interrupts_before=["b"]))
        assert asked(paused) == [("b", None)]
        assert app.get_state(old.config).interruptions == ()
        assert len(app.get_state(T).interruptions) == 1
        assert app.run(GO_ON, T).state["m"] == ["a", "b", "c"]

    def test_the_end(self) -> None:
        """K2: from an end that was paused after, too."""
        app = graph(*CHAIN).compile(CompileConfig(interrupts_after=["c"]))
        app.run({}, T)
        app.run(GO_ON, T)
        old = app.get_state(T).config
        app.update_state(T, {"x": 1})
        assert [each.node for each in app.get_state(old).interruptions] == ["c"]
        assert app.run(GO_ON, old.with_resume("yes")).state["m"] == ["a", "b", "c"]

    def test_a_region_that_was_changed(self, saver: BaseCheckpointSaver) -> None:
        """K2: what branches have finished stays finished, an answer that was not used yet is asked for again."""
        ask = Failing("b:")
        app = compiled(graph(*REGION, b=ask, c=asks("c")), saver, on_branch_error="wait")
        found = ids(app.run({}, T))
        app.try_invoke(GO_ON, T.with_resume(answers={found["b"]: 1, found["c"]: 2}))
        old = app.get_state(T)
        assert (old.status, old.next, old.interruptions) == ("failed", ("b",), ())
        app.update_state(T, {"x": 1})
        ask.fails = False
        assert [each.id for each in app.get_state(old.config).interruptions] == [found["b"]]
        assert app.get_state(T).interruptions == ()
        assert app.run(GO_ON, old.config.with_resume(3)).state["m"] == ["a", "b:3", "c:2", "d"]

    def test_a_branch_that_went_on_after_its_node(self) -> None:
        """K2: others may have joined with it since: it is not asked again."""
        edges = ("START > a", "a > b, c, e", "b > f", "c > f", "f > d", "e > d", "d > END")
        app = graph(*edges, e=asks("e")).compile(CompileConfig(interrupts_after=["b"]))
        found = ids(app.run({}, T))
        app.run(GO_ON, T.with_resume(answers={found["b"]: None}))
        old = app.get_state(T)
        app.update_state(T, {"x": 1})
        assert [each.node for each in app.get_state(old.config).interruptions] == ["e"]
        assert app.run(GO_ON, old.config.with_resume(1)).state["m"] == ["a", "b", "c", "f", "e:1", "d"]


class TestUpdates:
    """K3, K4: the state is changed while a person thinks."""

    @pytest.mark.parametrize("edges", [CHAIN, REGION])
    def test_values(self, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K4: the pause stays under its id; the answered node sees the change."""
        app = compiled(graph(*edges, b=node(lambda s: {"m": f"{s.get('x')}:{interrupt(s.get('x'))}"})), saver)
        first = app.run({}, T)
        app.update_state(T, {"x": 1})
        assert [each.id for each in app.get_state(T).interruptions] == [each.id for each in first.interruptions]
        assert app.get_state(T).status == "interrupted"
        assert "1:yes" in app.run(GO_ON, T.with_resume("yes")).state["m"]

    @pytest.mark.parametrize("edges", [CHAIN, REGION])
    def test_a_node_may_ask_anew(self, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K5: after a change a call without an answer runs the node again; what it asks keeps the id."""
        app = compiled(graph(*edges, b=node(lambda s: {"m": s.get("x") or interrupt(sorted(s))})), saver)
        first = app.run({}, T)
        assert asked(first) == [("b", ["m"])]
        config = app.update_state(T, {"y": 1})
        second = app.run(GO_ON, config)
        assert (asked(second), ids(second)) == ([("b", ["m", "y"])], ids(first))
        app.update_state(T, {"x": "no need"})
        assert "no need" in app.run(GO_ON, T).state["m"]

    @pytest.mark.parametrize("edges", [CHAIN, REGION])
    def test_input(self, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K3, K5: input of a call that goes on is merged first; its answer and what it asks anew see it."""
        app = compiled(graph(*edges, b=node(lambda s: {"m": f"{s.get('x')}:{interrupt(s.get('x'))}"})), saver)
        first = app.run({}, T)
        second = app.run({"x": 1}, T.with_resume())
        assert (asked(second), ids(second)) == ([("b", 1)], ids(first))
        assert "2:yes" in app.run({"x": 2}, T.with_resume("yes")).state["m"]

    def test_values_that_change_nothing(self) -> None:
        """K4: without values the node does not run again."""
        calls: list[int] = []

        def ask(state: State) -> Any:
            calls.append(1)
            return {"m": interrupt("?")}

        app = graph(*CHAIN, b=ask).compile()
        app.run({}, T)
        app.update_state(T, {})
        assert asked(app.run(GO_ON, T)) == [("b", "?")]
        assert len(calls) == 1

    def test_answers_are_remembered(self) -> None:
        """K5: earlier answers of a node survive a change."""
        app = graph(*CHAIN, b=node(lambda s: {"m": [interrupt(1), interrupt([2, s.get("x")])]})).compile()
        app.run({}, T)
        app.run(GO_ON, T.with_resume("one"))
        app.update_state(T, {"x": 1})
        assert asked(app.run(GO_ON, T)) == [("b", [2, 1])]
        assert app.run(GO_ON, T.with_resume("two")).state["m"] == ["a", "one", "two", "c"]

    def test_in_place_of_the_node(self, saver: BaseCheckpointSaver) -> None:
        """K4: an update stands for the node that asks: on the main path, and in a branch."""
        app = compiled(graph(*CHAIN, b=asks("b")), saver)
        app.run({}, T)
        app.update_state(T, {"m": "human"}, as_node="b")
        assert (app.get_state(T).next, app.get_state(T).interruptions) == (("c",), ())
        assert app.invoke(GO_ON, T)["m"] == ["a", "human", "c"]
        app = region(saver)
        app.run({}, RunnableConfig(thread_id="u"))
        app.update_state(RunnableConfig(thread_id="u"), {"m": "human"}, as_node="b")
        snapshot = app.get_state(RunnableConfig(thread_id="u"))
        assert ([each.node for each in snapshot.interruptions], snapshot.state["m"]) == (["c"], ["a", "human"])
        assert app.invoke(GO_ON, RunnableConfig(thread_id="u").with_resume(1))["m"] == ["a", "human", "c:1", "d"]

    def test_one_region_output(self) -> None:
        """K4, P11: a region that an update completes gives its output once."""
        app = graph(*REGION).compile(CompileConfig(interrupts_before=["b"]))
        app.run({}, T)
        app.update_state(T, {"m": "human"}, as_node="b")
        assert outputs(app, GO_ON) == ["__PARALLEL__(a)", "d", END]
        app.run({}, T)
        app.update_state(T, {"m": "human"}, as_node="b")
        assert outputs(app, {})[0] == START

    def test_in_place_of_one_before(self) -> None:
        """K4: who leads a paused thread to a node is not asked there; a thread that does not pause is."""
        app = graph(*CHAIN).compile(CompileConfig(interrupts_before=["b"]))
        app.run({}, T)
        app.update_state(T, {"m": "human"}, as_node="a")
        assert app.get_state(T).interruptions == ()
        assert app.invoke(GO_ON, T)["m"] == ["a", "human", "b", "c"]
        app.update_state(app.get_state_history(T)[0].config, {}, as_node="a")
        assert app.run(GO_ON, T).status == "interrupted"

    def test_in_place_of_a_fork(self) -> None:
        """K4: it drops the branches and their questions."""
        app = graph(*REGION, b=asks("b")).compile(CompileConfig(interrupts_before=["c"]))
        app.run({}, T)
        app.update_state(T, {"m": "human"}, as_node="a")
        paused = app.run(GO_ON, T)
        assert (asked(paused), paused.state["m"]) == ([("b", "b?")], ["a", "human", "c"])

    def test_of_a_run_that_pauses_after_its_end(self) -> None:
        """K4, K6: a change leaves it paused; once it has gone on it is done."""
        app = graph(*CHAIN).compile(CompileConfig(interrupts_after=["c"]))
        app.run({}, T)
        app.update_state(T, {"x": 1})
        assert (app.get_state(T).status, len(app.get_state(T).interruptions)) == ("interrupted", 1)
        assert app.run(GO_ON, T).state["x"] == 1
        app.update_state(T, {"x": 2})
        assert app.get_state(T).status == "done"
        assert failure_of(app, GO_ON, T).code == "finished_thread"


class TestUpdatesOfBranches:
    """K4: an update in a region, for a branch that pauses after its node."""

    EDGES = ("START > s", "s > a, b", "a > c", "c > d", "b > d", "d > END")

    FORK = ("START > s", "s > a, b", "a > c, x", "c > d", "x > d", "b > d", "d > END")

    @pytest.mark.parametrize("edges", [EDGES, FORK])
    def test_in_place_of_what_comes_next(self, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K4: it goes on, and the update stands for the next node."""
        app = compiled(graph(*edges), saver, interrupts_after=["a"])
        app.run({}, T)
        app.update_state(T, {"m": "human"}, as_node="c")
        assert app.get_state(T).interruptions == ()
        rest = ["x"] if len(edges) > len(self.EDGES) else []
        assert app.invoke(GO_ON, T)["m"] == ["s", "a", "human", *rest, "b", "d"]

    @pytest.mark.parametrize("is_before_edge", [False, True])
    def test_in_place_of_the_node(self, is_before_edge: bool, saver: BaseCheckpointSaver) -> None:  # noqa: FBT001  (a parameter)
        """K4: its routes are evaluated anew, after the update."""
        built = graph("START > s", "s > a, b", "a", "c > d", "e > d", "b > d", "d > END")
        built.add_conditional_edges("a", lambda s: s["to"], ["c", "e"])
        app = compiled(built, saver, interrupts_after=["a"], interrupt_before_edge=is_before_edge)
        app.run({"to": "c"}, T)
        app.update_state(T, {"m": "human", "to": "e"}, as_node="a")
        assert (app.get_state(T).next, app.get_state(T).interruptions) == (("e",), ())
        assert app.invoke(GO_ON, T)["m"] == ["s", "a", "human", "e", "b", "d"]

    def test_one_of_several(self, saver: BaseCheckpointSaver) -> None:
        """K4: `path` says which branch; without it that is not clear."""
        edges = ("START > s", "s > a, b, x", "a > c", "b > c", "c > d", "x > d", "d > END")
        app = compiled(graph(*edges), saver, interrupts_after=["a", "b"])
        app.run({}, T)
        with pytest.raises(GraphRunnerException) as raised:
            app.update_state(T, {"m": "human"}, as_node="c", path=(0,))
        assert raised.value.code == "ambiguous_branch"  # the other one holds it
        app.update_state(T, {"m": "human"}, as_node="c")
        assert app.invoke(GO_ON, T)["m"] == ["s", "a", "b", "human", "x", "d"]

    def test_a_strategy_that_asks(self) -> None:
        """K5: is told so, as in a run."""

        def ask(old: Any, new: Any) -> Any:
            return interrupt("?")

        app = graph("START > a", "a > END", strategies={"k": ask}, a=says({})).compile()
        app.invoke({}, T)
        with pytest.raises(GraphRunnerException) as raised:
            app.update_state(T, {"k": 1})
        assert (raised.value.code, raised.value.thread_id) == ("misplaced_interrupt", "t")


class TestNewInput:
    """K2: a new input starts anew."""

    @pytest.mark.parametrize("edges", [CHAIN, REGION])
    def test_while_paused(self, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K2: on top of what there is; old questions are gone, and their ids are no answers any more."""
        app = compiled(graph(*edges, b=asks("b")), saver)
        first = app.run({}, T)
        second = app.run({}, T)
        assert ids(first)["b"] != ids(second)["b"]
        assert failure_of(app, GO_ON, T.with_resume(answers={ids(first)["b"]: 1})).code == "unknown_interrupt"
        assert app.run(GO_ON, T.with_resume(2)).state["m"].count("b:2") == 1

    def test_after_an_answer_that_was_not_used(self) -> None:
        """K2: an answer is for the run that asked."""
        app = graph(*CHAIN, b=Failing()).compile()
        app.run({}, T)
        failure_of(app, GO_ON, T.with_resume(1))
        assert asked(app.run({}, T)) == [("b", "?")]


class TestOwners:
    """K6 to K8: threads that are paused."""

    def test_are_given_back(self) -> None:
        """K8: nobody holds a paused thread; one that is read to its first interruption only is paused as well."""
        app = region()
        stream = app.stream({}, T)
        for output in stream:
            if isinstance(output, InterruptionMetadata):
                break
        stream.close()
        snapshot = app.get_state(T)
        assert (snapshot.status, snapshot.is_live, len(snapshot.interruptions)) == ("interrupted", False, 2)

    def test_while_another_run_holds_it(self) -> None:
        """K8: an answer to a thread that is held is refused, and not used."""
        app = region()
        found = ids(app.run({}, T))
        stream = app.stream(GO_ON, T)
        next(stream)
        assert failure_of(app, GO_ON, T.with_resume(answers={found["b"]: 1})).code == "thread_busy"
        stream.close()
        assert asked(app.run(GO_ON, T.with_resume(answers={found["b"]: 1}))) == [("c", "c?")]

    def test_copies(self, saver: BaseCheckpointSaver) -> None:
        """K8: a copy of a paused thread is answered on its own."""
        app = compiled(graph(*CHAIN, b=asks("b")), saver)
        app.run({}, T)
        saver.copy("t", "u")
        assert app.run(GO_ON, RunnableConfig(thread_id="u").with_resume(1)).state["m"] == ["a", "b:1", "c"]
        assert app.run(GO_ON, T.with_resume(2)).state["m"] == ["a", "b:2", "c"]

    def test_retention_and_release(self, saver: BaseCheckpointSaver) -> None:
        """K1: a paused thread is not released, and keeps its questions when old entries are dropped."""
        app = compiled(graph(*CHAIN, b=asks("b")), saver, release_thread=True)
        app.run({}, T)
        saver.prune("t", Retention(max_checkpoints=1))
        assert len(app.get_state_history(T)) == 1
        assert app.run(GO_ON, T.with_resume(1)).state["m"] == ["a", "b:1", "c"]
        assert app.state_of(T).value_or(None) is None

    def test_outputs_of_the_graph(self) -> None:
        """T1: a run that pauses gives output keys only; its interruptions have the whole state."""
        built = StateGraph({"m": APPEND}, output_schema=["m"])
        built.add_node("a", lambda s: {"m": "a", "x": 1}).add_node("b", asks("b"))
        app = built.add_edge(START, "a").add_edge("a", "b").add_edge("b", END).compile()
        paused = app.run({}, T)
        assert dict(paused.state) == {"m": ["a"]}
        assert dict(paused.interruptions[0].state or {}) == {"m": ["a"], "x": 1}
