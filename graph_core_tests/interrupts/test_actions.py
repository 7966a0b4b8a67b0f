"""K5: actions that pause the run before or after themselves (Java: `InterruptableAction`)."""

import functools
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypedDict

import attrs
import pytest
from returns.maybe import Maybe, Nothing, Some

from graph_core import (
    APPEND,
    END,
    START,
    BaseCheckpointSaver,
    Command,
    CommandAction,
    CompileConfig,
    InterruptableAction,
    InterruptionMetadata,
    InvalidRecordError,
    Node,
    NodeAggregationStrategy,
    OverAllState,
    RunnableConfig,
    StateGraph,
    interrupt,
)
from graph_core_tests.interrupts.asking import T, asked, compiled, each_run, outputs, saver
from graph_core_tests.shapes import State, appends, failure_of, graph, raises

__all__ = ["saver"]
GO_ON: Any = None
CHAIN = ("START > a", "a > b", "b > c", "c > END")
REGION = ("START > a", "a > b, x", "b > c", "x > c", "c > END")
EDGES = {"main path": CHAIN, "region": REGION}
each_place = pytest.mark.parametrize("edges", [*EDGES.values()], ids=[*EDGES])


@attrs.define
class Asks:
    """Asks until the state (or the answer) says yes, and writes its feedback."""

    calls: list[str] = attrs.field(factory=list[str])

    def __call__(self, state: State, config: RunnableConfig) -> dict[str, Any]:
        """Write the feedback."""
        self.calls.append("node")
        return {"m": f"b:{config.feedback}"}

    def interrupt(self, node_id: str, state: State, config: RunnableConfig) -> Maybe[InterruptionMetadata]:
        """Ask unless something says yes."""
        self.calls.append(f"{node_id} {config.feedback}")
        if state.get("ok") or config.feedback == "yes":
            return Nothing
        reason = "no answer" if config.feedback is None else f"{config.feedback!r} is no yes"
        return Some(InterruptionMetadata(payload="ok?", metadata={"reason": reason}))


class AsksAfter(InterruptableAction):
    """Asks after itself if the state says so (Java's test)."""

    def __call__(self, state: State) -> dict[str, Any]:
        """Append the id."""
        return {"m": "b"}

    def interrupt_after(
        self, node_id: str, state: State, update: Mapping[str, Any], config: RunnableConfig
    ) -> Maybe[InterruptionMetadata]:
        """Ask, with what the action did."""
        if not state["asks"]:
            return Nothing
        seen = {"node": config.node_id, "update": dict(update), "m": state["m"]}
        return Some(InterruptionMetadata(metadata={"reason": "done", **seen}))


class TestBefore:
    """`interrupt`."""

    @each_place
    @each_run
    def test_is_asked_again(self, run: Any, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K5: with the answer as its feedback; another question is another pause, with another id."""
        action = Asks()
        app = compiled(graph(*edges, b=action), saver)
        first = run(app, {}, T)
        assert [dict(each.metadata) for each in first.interruptions] == [{"reason": "no answer"}]
        assert (first.interruptions[0].when, asked(first)) == ("before", [("b", "ok?")])
        second = run(app, GO_ON, T.with_resume("perhaps"))
        assert second.interruptions[0].metadata["reason"] == "'perhaps' is no yes"
        assert second.interruptions[0].id != first.interruptions[0].id
        assert run(app, GO_ON, T.with_resume("yes")).state["m"][:2] == ["a", "b:yes"]
        assert action.calls == ["b None", "b perhaps", "b yes", "node"]

    @each_place
    def test_the_state_may_say_it(self, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K4, K5: as in Java: the state is changed, and the run goes on without an answer."""
        app = compiled(graph(*edges, b=Asks()), saver)
        first = app.run({}, T)
        again = app.run(GO_ON, T)
        assert [each.id for each in again.interruptions] == [each.id for each in first.interruptions]
        app.update_state(T, {"ok": True})
        assert app.run(GO_ON, T).state["m"][:2] == ["a", "b:None"]

    @each_place
    def test_the_same_question_has_its_answer(self, edges: Any) -> None:
        """K5: an action that always asks the same runs once it has an answer; `None` is one."""

        class Always(Asks):
            def interrupt(self, node_id: str, state: State, config: RunnableConfig) -> Maybe[InterruptionMetadata]:
                return Some(InterruptionMetadata(payload=["sure?"]))

        app = graph(*edges, b=Always()).compile()
        app.run({}, T)
        assert app.run(GO_ON, T.with_resume(None)).state["m"][:2] == ["a", "b:None"]

    def test_a_question_that_can_not_be_compared(self) -> None:
        """K5: is another one each time."""

        class Odd:
            def __eq__(self, other: object) -> bool:
                raise ValueError("no")

            __hash__ = object.__hash__

        class Always(Asks):
            def interrupt(self, node_id: str, state: State, config: RunnableConfig) -> Maybe[InterruptionMetadata]:
                return Some(InterruptionMetadata(payload=Odd()))

        app = graph(*CHAIN, b=Always()).compile()
        app.run({}, T)
        assert app.run(GO_ON, T.with_resume(1)).status == "interrupted"

    @each_place
    def test_beside_settings(self, edges: Any) -> None:
        """K5: an action that asks where settings pause, too, makes one pause of both."""
        app = graph(*edges, b=Asks()).compile(CompileConfig(interrupts_before=["b"]))
        assert asked(app.run({}, T)) == [("b", "ok?")]
        assert app.run(GO_ON, T.with_resume("yes")).state["m"][:2] == ["a", "b:yes"]
        app.run({"ok": True}, RunnableConfig(thread_id="u"))
        assert app.run(GO_ON, RunnableConfig(thread_id="u")).state["m"][:2] == ["a", "b:None"]

    @each_place
    def test_one_that_asks_inside_as_well(self, edges: Any) -> None:
        """K5: first before, then inside; it is not asked before once more."""

        class Both(Asks):
            def __call__(self, state: State, config: RunnableConfig) -> dict[str, Any]:
                return {"m": f"b:{interrupt('inside?')}:{config.feedback}"}

        action = Both()
        app = graph(*edges, b=action).compile()
        app.run({}, T)
        assert asked(app.run(GO_ON, T.with_resume("yes"))) == [("b", "inside?")]
        assert app.run(GO_ON, T.with_resume(1)).state["m"][:2] == ["a", "b:1:yes"]
        assert action.calls == ["b None", "b yes"]

    def test_in_a_private_run(self) -> None:
        """X5: it leaves its question, and where the branches were."""
        for edges in EDGES.values():
            app = graph(*edges, b=Asks()).compile()
            paused = app.run({})
            thread = RunnableConfig(thread_id=paused.config.thread_id)
            assert asked(paused) == [(each.node, each.payload) for each in app.get_state(thread).interruptions]
            assert app.run(GO_ON, thread.with_resume("yes")).state["m"][:2] == ["a", "b:yes"]

    def test_a_private_run_that_fails_later(self) -> None:
        """X5: what an action said is of no use to who goes on: it is asked again."""
        action = Asks()
        built = graph(*REGION, b=action, x=raises(ValueError("x")))
        app = built.compile(CompileConfig(on_branch_error="wait"))
        failure = failure_of(app, {"ok": True})
        snapshot = app.get_state(RunnableConfig(thread_id=failure.thread_id))
        assert (snapshot.next, snapshot.state["m"], action.calls) == (("x",), ["a", "b:None"], ["b None", "node"])


class TestAfter:
    """`interrupt_after`."""

    @each_place
    @each_run
    def test_after_the_action(self, run: Any, edges: Any, saver: BaseCheckpointSaver) -> None:
        """K5: its own output is emitted, what it did is saved; it gets the state that the action got."""
        app = compiled(graph(*edges, b=AsksAfter()), saver)
        paused = run(app, {"asks": True}, T)
        assert dict(paused.interruptions[0].metadata) == {
            "reason": "done",
            "node": "b",
            "update": {"m": "b"},
            "m": ["a"],
        }
        assert (paused.interruptions[0].when, paused.state["m"][:2]) == ("after", ["a", "b"])
        done = run(app, GO_ON, T.with_resume("continue"))
        assert (done.status, done.state["m"][:2]) == ("done", ["a", "b"])

    def test_outputs(self) -> None:
        """K5, Java's test: the pause stands behind the node's output."""
        app = graph(*CHAIN, b=AsksAfter()).compile()
        assert outputs(app, {"asks": True}) == [START, "a", "b", "b?after"]
        assert outputs(app, GO_ON) == ["c", END]
        assert outputs(app, {"asks": False}) == [START, "a", "b", "c", END]

    def test_what_a_command_changes(self) -> None:
        """K5, R9: the update is the command's, or what the node returned in its place."""
        seen: list[Any] = []

        class Commands:
            def __init__(self, answer: Any) -> None:
                self.answer = answer

            def __call__(self, state: State) -> Any:
                return self.answer

            def interrupt_after(self, node_id: str, state: State, update: Any, config: RunnableConfig) -> Any:
                seen.append(dict(update))

        for action in (Commands(Command("c", {"m": "b"})), CommandAction.of(Commands("c"))):
            built = graph("START > b", "c > END", later=["b"]).add_node("b", action, ["c"])
            assert built.compile().run({}).status == "done"
        assert seen == [{"m": "b"}, {}]

    def test_before_the_edge(self) -> None:
        """K5: what an action pauses after itself pauses before the edge, too, if the settings say so."""
        built = graph("START > b", "b", "c > END", "d > END", b=AsksAfter())
        built.add_conditional_edges("b", lambda s: s["to"], ["c", "d"])
        app = built.compile(CompileConfig(interrupt_before_edge=True))
        app.run({"asks": True, "to": "c", "m": []}, T)
        app.update_state(T, {"to": "d"})
        assert app.invoke(GO_ON, T)["m"] == ["b", "d"]

    def test_in_a_private_run(self) -> None:
        """X5: the record of the branch says that it pauses."""
        for edges in EDGES.values():
            app = graph(*edges, b=AsksAfter()).compile()
            paused = app.run({"asks": True})
            thread = RunnableConfig(thread_id=paused.config.thread_id)
            assert [each.id for each in app.get_state(thread).interruptions] == [
                each.id for each in paused.interruptions
            ]
            assert app.run(GO_ON, thread).state["m"][:2] == ["a", "b"]

    def test_one_that_fails_in_a_private_run(self) -> None:
        """X3, X5: a method that fails has failed its node, which runs again."""

        class Fails(AsksAfter):
            def interrupt_after(self, node_id: str, state: State, update: Any, config: RunnableConfig) -> Any:
                if not state.get("ok"):
                    raise ValueError("no")
                return Nothing

        any_of = RunnableConfig(default_aggregation=NodeAggregationStrategy.ANY_OF)
        for edges in EDGES.values():
            built = graph(
                *edges, make=lambda name: raises(ValueError("x")) if name == "x" else appends(name), b=Fails()
            )
            app = built.compile(CompileConfig(on_branch_error="wait"))
            failure = failure_of(app, {}, any_of)
            thread = RunnableConfig(thread_id=failure.thread_id)
            assert app.get_state(thread).state["m"] == ["a"]


def fails_at_x(name: str) -> Callable[[State], Any]:
    """Make a node that appends its id, or fails if it is `x`."""
    return raises(ValueError("x")) if name == "x" else appends(name)


def wrapped(action: Any) -> dict[str, Any]:
    """Wrap an action in every way."""

    @functools.wraps(action)
    def by_wraps(state: State, config: RunnableConfig) -> Any:
        return action(state, config)

    return {
        "itself": action,
        "partial": functools.partial(action),
        "partial of partial": functools.partial(functools.partial(action)),
        "wraps": by_wraps,
        "partial of wraps": functools.partial(by_wraps),
        "bound call": action.__call__,
        "a record": CommandAction.of(action).fn,
        "a factory": Node("b", lambda _: action),
    }


class TestFound:
    """How such an action is found."""

    @pytest.mark.parametrize("name", [*wrapped(Asks())])
    def test_through_wrappers(self, name: str) -> None:
        """K5: through everything that wraps it."""
        built = graph(*CHAIN, later=["b"]).add_node("b", wrapped(Asks())[name])
        app = built.compile()
        assert asked(app.run({}, T)) == [("b", "ok?")]
        assert app.invoke(GO_ON, T.with_resume("yes"))["m"] == ["a", "b:yes", "c"]

    def test_behind_a_view(self) -> None:
        """K5, T2: an action with a typed state is asked with the state itself."""

        class Data(TypedDict):
            m: Annotated[list[str], APPEND]
            ok: bool

        class Typed:
            def __call__(self, state: Data) -> dict[str, Any]:
                return {"m": ["b"]}

            def interrupt(self, node_id: str, state: Any, config: Any) -> Maybe[InterruptionMetadata]:
                return Nothing if state["ok"] else Some(InterruptionMetadata())

        built = StateGraph(Data).add_node("b", Typed()).add_edge(START, "b").add_edge("b", END)
        app = built.compile()
        assert app.run({"ok": False, "m": []}, T).status == "interrupted"
        app.update_state(T, {"ok": True})
        assert app.invoke(GO_ON, T)["m"] == ["b"]

    def test_async_methods(self) -> None:
        """K5, X1: the methods may be async, in every world."""

        class Later:
            async def __call__(self, state: State, config: RunnableConfig) -> dict[str, Any]:
                return {"m": f"b:{config.feedback}"}

            async def interrupt(self, node_id: str, state: State, config: RunnableConfig) -> Any:
                return Some(InterruptionMetadata(payload="before?"))

            async def interrupt_after(self, node_id: str, state: State, update: Any, config: RunnableConfig) -> Any:
                return InterruptionMetadata(payload="after?")

        for run in each_run.args[1]:
            for edges in EDGES.values():
                app = graph(*edges, b=Later()).compile()
                assert asked(run(app, {}, T)) == [("b", "before?")]
                assert asked(run(app, GO_ON, T.with_resume(1))) == [("b", "after?")]
                assert run(app, GO_ON, T).state["m"][:2] == ["a", "b:1"]

    def test_where_an_executor_runs_the_action(self) -> None:
        """K5, P10: a method only decides: it is called where the run is."""
        import threading

        seen: list[str] = []

        class Elsewhere(Asks):
            def __call__(self, state: State, config: RunnableConfig) -> dict[str, Any]:
                seen.append(threading.current_thread().name)
                return {"m": "b"}

            def interrupt(self, node_id: str, state: State, config: RunnableConfig) -> Maybe[InterruptionMetadata]:
                seen.append(threading.current_thread().name)
                return Nothing

        with ThreadPoolExecutor(1, "other") as executor:
            for edges in EDGES.values():
                graph(*edges, later=["b"]).add_node("b", Elsewhere(), executor=executor).compile().invoke({}, T)
        here = threading.current_thread().name
        assert seen == [here, "other_0", here, "other_0"]

    def test_the_protocol(self) -> None:
        """K5: a class that inherits from it needs to say one of the two only; one that says none never pauses."""

        class Never(InterruptableAction):
            def __call__(self, state: State) -> dict[str, Any]:
                return {"m": "b"}

        never: Any = Never()
        state: OverAllState[Any] = OverAllState()
        assert never.interrupt("b", state, RunnableConfig()) == Nothing
        assert never.interrupt_after("b", state, {}, RunnableConfig()) == Nothing
        assert isinstance(never, InterruptableAction)
        made: Any = never
        assert graph(*CHAIN, b=made).compile().run({}).status == "done"

    def test_a_method_that_is_not_written_in_python(self) -> None:
        """K5: is taken as it is."""

        class Builtin:
            interrupt = staticmethod(min)  # it has no signature that could be read

            def __call__(self, state: State) -> dict[str, Any]:
                return {"m": "b"}

        assert failure_of(graph(*CHAIN, b=Builtin()).compile(), {}).node_id == "b"


def odd(**methods: Callable[..., Any]) -> Any:
    """Make an action with such methods."""

    def act(_: Any, state: State) -> dict[str, Any]:
        return {"m": "b"}

    return type("Odd", (), {"__call__": act, **methods})()


def gives(answer: Any) -> Callable[..., Any]:
    """Make a method that gives the same whatever it gets."""

    def method(*_: Any) -> Any:
        return answer

    return method


def takes_less(self: Any, node_id: str, state: State) -> Any:
    """Take too little for a method."""
    return Nothing


class TestWrong:
    """What goes wrong says where."""

    @pytest.mark.parametrize(
        ("name", "method", "parameters"),
        [
            ("interrupt", takes_less, "node_id, state, config"),
            ("interrupt_after", takes_less, "node_id, state, update, config"),
        ],
    )
    def test_another_signature(self, name: str, method: Callable[..., Any], parameters: str) -> None:
        """K5: a method that takes something else is refused when the graph is compiled."""
        action = odd(**{name: method})
        with pytest.raises(InvalidRecordError, match=rf"node 'b': the method {name} .*\({parameters}\)"):
            graph(*CHAIN, b=action).compile()

    @each_place
    @pytest.mark.parametrize("name", ["interrupt", "interrupt_after"])
    def test_no_answer(self, name: str, edges: Any) -> None:
        """K5: what is neither a pause nor none is an error."""
        failure = failure_of(graph(*edges, b=odd(**{name: gives(1)})).compile(), {}, T)
        assert (failure.code, failure.node_id) == ("invalid_interruption", "b")
        assert f"the method '{name}' of 'b' returned 1" in str(failure)

    @each_place
    @pytest.mark.parametrize("name", ["interrupt", "interrupt_after"])
    def test_one_that_fails(self, name: str, edges: Any) -> None:
        """K5: it has failed its node."""

        def fail(*_: Any) -> Any:
            raise ValueError("no")

        app = graph(*edges, b=odd(**{name: fail})).compile()
        failure = failure_of(app, {}, T)
        assert (failure.node_id, repr(failure.__cause__)) == ("b", "ValueError('no')")
        assert f"the method '{name}' of 'b' failed" in str(failure)
        assert "b" not in app.get_state(T).state["m"]

    @each_place
    def test_one_that_asks_inside(self, edges: Any) -> None:
        """K5: only the node itself can call `interrupt`."""

        def ask(*_: Any) -> Any:
            return interrupt("?")

        failure = failure_of(graph(*edges, b=odd(interrupt=ask)).compile(), {}, T)
        assert failure.code == "misplaced_interrupt"

    @each_place
    def test_one_that_changes_the_state(self, edges: Any) -> None:
        """S10: is found."""

        def change(_: Any, __: str, state: State, *___: Any) -> None:
            state["m"].clear()

        app = graph(*edges, b=odd(interrupt=change)).compile(CompileConfig(detect_mutation=True))
        failure = failure_of(app, {}, T)
        assert (failure.code, failure.node_id) == ("mutated_state", "b")

    @each_place
    def test_without_a_saver(self, edges: Any) -> None:
        """K5: only if it pauses."""
        app = graph(*edges, b=Asks()).compile(CompileConfig(checkpoint_saver=None))
        assert app.run({"ok": True}).status == "done"
        assert failure_of(app, {}).code == "missing_checkpoint_saver"

    def test_metadata(self) -> None:
        """K5: metadata is a mapping."""
        number: Any = 1
        with pytest.raises(InvalidRecordError, match="the metadata of an interruption must be a mapping, not 1"):
            InterruptionMetadata(metadata=number)
