"""Differences from Java in where a run pauses, what it says then, and how it is answered; a small graph for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import pytest
from returns.maybe import Maybe, Some
from typing_extensions import override

from graph_core import (
    APPEND,
    END,
    START,
    CompileConfig,
    GraphStateException,
    InterruptableAction,
    InterruptionMetadata,
    MemorySaver,
    OverAllState,
    RunnableConfig,
    StateGraph,
    interrupt,
)
from graph_core_tests.parity.test_rules_of_threads import THREAD, Failing, fails

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graph_core import CompiledGraph, NodeOutput

# Where a run pauses, or `None` for another output; the node; the messages there.
Shown: TypeAlias = tuple[str | None, str, list[str]]


def built(*edges: str, **actions: Callable[..., Any]) -> StateGraph:
    """The graph of edges like `ab`, `^` being `START` and `$` being `END`; node x appends "x" unless told otherwise."""
    ids = {"^": START, "$": END}
    graph = StateGraph({"m": APPEND})
    for name in dict.fromkeys(node for edge in edges for node in edge if node not in ids):
        graph.add_node(name, actions.get(name, Failing(name)))
    for edge in edges:
        source, target = (ids.get(name, name) for name in [*edge])
        graph.add_edge(source, target)
    return graph


LINE = ("^a", "ab", "b$")
FORK = ("^a", "ab", "ac", "bd", "cd", "d$")


def asks_twice(_: OverAllState) -> dict[str, object]:
    """Append both answers."""
    return {"m": [interrupt("first?"), interrupt("second?")]}


def compile_config(**settings: Any) -> CompileConfig:
    """With a saver of its own."""
    return CompileConfig(checkpoint_saver=MemorySaver(), detect_mutation=True, **settings)


def shown(app: CompiledGraph, inputs: Mapping[str, Any] | None, config: RunnableConfig = THREAD) -> list[Shown]:
    """What a run of the thread emits, START apart."""
    return [_seen(output) for output in app.stream(inputs, config) if not output.is_start]


def _seen(output: NodeOutput) -> Shown:
    when = output.when if isinstance(output, InterruptionMetadata) else None
    state: Mapping[str, Any] = output.state or {}
    return when, output.node, list(state.get("m", []))


def waiting(app: CompiledGraph) -> dict[str, str]:
    """Node → id of what the thread waits for."""
    return {each.node: each.id for each in app.get_state(THREAD).interruptions}


class TestSettings:
    def test_after_the_last_node(self) -> None:
        """K5: b is the last node; the run pauses after it, and only its resume gives `END`."""
        app = built(*LINE).compile(compile_config(interrupts_after=["b"]))
        assert shown(app, {}) == [(None, "a", ["a"]), (None, "b", ["a", "b"]), ("after", "b", ["a", "b"])]
        assert (app.get_state(THREAD).status, app.get_state(THREAD).next) == ("interrupted", (END,))
        assert shown(app, None) == [(None, END, ["a", "b"])]

    def test_before_the_edge_of_the_last_node(self) -> None:
        """K5: the edge of b is followed when the run goes on, and leads to `END`."""
        app = built(*LINE).compile(compile_config(interrupts_after=["b"], interrupt_before_edge=True))
        assert shown(app, {})[-1] == ("after", "b", ["a", "b"])
        assert shown(app, None) == [(None, END, ["a", "b"])]

    @pytest.mark.parametrize("before_edge", [False, True])
    def test_after_a_node_that_leads_to_itself(self, before_edge: bool) -> None:  # noqa: FBT001 - a parameter of pytest
        """K5: a leads to itself once, then to `END`; the run pauses after each visit."""

        def route(state: OverAllState) -> str:
            return "a" if len(state["m"]) < 2 else END

        graph = StateGraph({"m": APPEND}).add_node("a", Failing("a")).add_edge(START, "a")
        graph.add_conditional_edges("a", route, ["a", END])
        app = graph.compile(compile_config(interrupts_after=["a"], interrupt_before_edge=before_edge))
        assert shown(app, {}) == [(None, "a", ["a"]), ("after", "a", ["a"])]
        assert shown(app, None) == [(None, "a", ["a", "a"]), ("after", "a", ["a", "a"])]
        assert shown(app, None) == [(None, END, ["a", "a"])]

    def test_after_a_node_and_before_the_next(self) -> None:
        """K5: both were asked for, so the run pauses after a, and again before b."""
        app = built(*LINE).compile(compile_config(interrupts_after=["a"], interrupts_before=["b"]))
        assert shown(app, {})[-1] == ("after", "a", ["a"])
        assert shown(app, None) == [("before", "b", ["a"])]
        assert shown(app, None) == [(None, "b", ["a", "b"]), (None, END, ["a", "b"])]

    def test_without_a_saver(self) -> None:
        """K5: nothing would keep the pause: an error of the compile, of a call, or of the node that asks."""
        with pytest.raises(GraphStateException) as caught:
            built(*LINE).compile(CompileConfig(checkpoint_saver=None, interrupts_before=["b"]))
        assert [problem.code for problem in caught.value.errors] == ["missing_checkpoint_saver"]
        nothing = CompileConfig(checkpoint_saver=None)
        app = built(*LINE).compile(nothing)
        fails(lambda: app.invoke({}, RunnableConfig(interrupts_before=["b"])), "missing_checkpoint_saver")
        app = built(*LINE, b=asks_twice).compile(nothing)
        assert fails(lambda: app.invoke({}), "missing_checkpoint_saver").node_id == "b"

    def test_of_one_call(self) -> None:
        """K5: a call names where it pauses, besides the compile's places; an unknown id is an error."""
        app = built(*LINE).compile(compile_config(interrupts_after=["b"]))
        config = RunnableConfig(thread_id="t", interrupts_before=["a"])
        assert shown(app, {}, config) == [("before", "a", [])]
        assert shown(app, None, config)[-1] == ("after", "b", ["a", "b"])
        unknown = RunnableConfig(thread_id="u", interrupts_before=["zz"])
        assert "'zz'" in str(fails(lambda: app.invoke({}, unknown), "unknown_id"))
        assert app.get_state_history(unknown) == ()


@attrs.frozen
class Asks(InterruptableAction):
    """Always asks the same before it runs, whatever it was answered; appends the answer."""

    name: str

    @override
    def interrupt(self, node_id: str, state: OverAllState, config: RunnableConfig[Any]) -> Maybe[InterruptionMetadata]:
        """Ask."""
        return Some(InterruptionMetadata(payload=f"{self.name}?"))

    def __call__(self, _: OverAllState, config: RunnableConfig[Any]) -> dict[str, object]:
        """Be the node."""
        return {"m": [f"{self.name}:{config.feedback}"]}


@attrs.frozen
class AsksAfter(InterruptableAction):
    """Asks what to do with what it has returned."""

    @override
    def interrupt_after(
        self, node_id: str, state: OverAllState, update: Mapping[str, Any], config: RunnableConfig[Any]
    ) -> Maybe[InterruptionMetadata]:
        """Ask."""
        return Some(InterruptionMetadata(payload=update["m"]))

    def __call__(self, _: OverAllState) -> dict[str, object]:
        """Be the node."""
        return {"m": ["a"]}


class TestAsking:
    def test_output_comes_before_the_pause(self) -> None:
        """K5: a asks after it has run; its output is emitted, and both show the state with its update."""
        app = built(*LINE, a=AsksAfter()).compile(compile_config())
        assert shown(app, {}) == [(None, "a", ["a"]), ("after", "a", ["a"])]
        assert app.get_state(THREAD).interruptions[0].payload == ["a"]
        assert shown(app, None) == [(None, "b", ["a", "b"]), (None, END, ["a", "b"])]

    def test_same_question_is_not_asked_twice(self) -> None:
        """K5: without an answer b's question stays; with one, `None` too, b runs, though its action asks as before."""
        app = built(*LINE, b=Asks("b")).compile(compile_config())
        first = app.run({}, THREAD).interruptions
        again = app.run(None, THREAD).interruptions
        assert [each.payload for each in first] == ["b?"]
        assert [each.id for each in again] == [each.id for each in first]
        assert app.invoke(None, THREAD.with_resume(None))["m"] == ["a", "b:None"]

    def test_answer_is_the_feedback_of_one_node(self) -> None:
        """K5: the answer to a pause before a is the feedback of a; a is not paused again, and b finds none."""

        def tells(name: str) -> Callable[[OverAllState, RunnableConfig[Any]], dict[str, object]]:
            return lambda _, config: {"m": [f"{name}:{config.feedback}"]}

        app = built(*LINE, a=tells("a"), b=tells("b")).compile(compile_config(interrupts_before=["a"]))
        assert shown(app, {}) == [("before", "a", [])]
        assert app.invoke(None, THREAD.with_resume("yes"))["m"] == ["a:yes", "b:None"]

    def test_inside_of_a_node(self) -> None:
        """K5: b asks twice; it runs anew with each answer, the earlier ones remembered, and ends when it has all."""
        app = built(*LINE, b=asks_twice).compile(compile_config())
        assert shown(app, {}) == [(None, "a", ["a"]), ("inside", "b", ["a"])]
        assert [each.payload for each in app.run(None, THREAD.with_resume("x")).interruptions] == ["second?"]
        assert app.invoke(None, THREAD.with_resume("y"))["m"] == ["a", "x", "y"]

    def test_answer_without_a_question(self) -> None:
        """K5: an answer is used by one pause; where none is pending it is an error, and nothing runs."""
        app = built(*LINE, b=Failing("b", failures=1)).compile(compile_config())
        fails(lambda: app.invoke({}, THREAD), "execution_error")
        fails(lambda: app.invoke(None, THREAD.with_resume("yes")), "no_pending_interrupt")
        assert app.invoke(None, THREAD)["m"] == ["a", "b"]


class TestBranches:
    def test_action_that_asks(self) -> None:
        """P12: b asks before it runs; c runs meanwhile, and not again when the answer has come."""
        c = Failing("c")
        app = built(*FORK, b=Asks("b"), c=c).compile(compile_config())
        assert shown(app, {}) == [(None, "a", ["a"]), (None, "c", ["a", "c"]), ("before", "b", ["a"])]
        assert app.get_state(THREAD).state["m"] == ["a", "c"]
        assert app.invoke(None, THREAD.with_resume("yes"))["m"] == ["a", "b:yes", "c", "d"]
        assert c.visits == 1

    def test_after_the_node_of_a_branch(self) -> None:
        """P12: the run pauses after b, when c is done, too; b is not run again."""
        b = Failing("b")
        app = built(*FORK, b=b).compile(compile_config(interrupts_after=["b"]))
        assert shown(app, {})[-1] == ("after", "b", ["a", "b"])
        region, *rest = shown(app, None)
        assert region == (None, "__PARALLEL__(a)", ["a", "b", "c"])
        assert rest == [(None, "d", ["a", "b", "c", "d"]), (None, END, ["a", "b", "c", "d"])]
        assert b.visits == 1

    def test_several_at_once(self) -> None:
        """P12, K5: b and c ask, in branch order; one is answered by its id and the other asks again."""
        app = built(*FORK, b=Asks("b"), c=Asks("c")).compile(compile_config())
        assert shown(app, {}) == [(None, "a", ["a"]), ("before", "b", ["a"]), ("before", "c", ["a"])]
        both = waiting(app)
        fails(lambda: app.invoke(None, THREAD.with_resume("whose?")), "several_pending_interrupts")
        one = THREAD.with_resume(answers={both["c"]: "no"})
        assert shown(app, None, one) == [(None, "c", ["a", "c:no"]), ("before", "b", ["a"])]
        assert waiting(app) == {"b": both["b"]}
        assert app.invoke(None, THREAD.with_resume("yes"))["m"] == ["a", "b:yes", "c:no", "d"]
