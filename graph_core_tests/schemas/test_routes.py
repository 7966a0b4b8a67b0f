"""R2, R3, R9: what a router's annotation says of its targets."""

import enum
import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

import pytest

from graph_core import (
    DEFAULT,
    END,
    START,
    Command,
    CommandAction,
    EdgeCondition,
    InvalidRecordError,
    MultiCommand,
    MultiCommandAction,
    NodeRef,
    Send,
    StateGraph,
    TypedRoute,
    route,
)
from graph_core_tests.schemas.kinds import AsAttrs, AsDict, each_runner
from graph_core_tests.shapes import Runner, appends, codes, graph, says


class Verdict(enum.Enum):
    """Labels."""

    GOOD = "good"
    BAD = "bad"


class Number(enum.IntEnum):
    """Labels that can be no node ids."""

    ONE = 1
    TWO = 2


def answering(hint: Any, answer: Any, *, is_async: bool = False) -> Callable[..., Any]:
    """Make a router with a return annotation."""

    def choose(state: Any) -> Any:
        return answer

    async def choose_async(state: Any) -> Any:
        return answer

    made = choose_async if is_async else choose
    made.__annotations__["return"] = hint
    return made


def mapped(fn: Callable[..., Any]) -> EdgeCondition:
    """Make a condition for one target."""
    return EdgeCondition.single(fn, ["good", "bad"])


def to_both(condition: Any, mappings: Any = None) -> Any:
    """Two nodes behind a condition of START that was given to the verb for single routes."""
    built: Any = graph(good=appends("good"), bad=appends("bad"))
    return built.add_conditional_edges(START, condition, mappings).add_edge("good", END).add_edge("bad", END)


class TestMulti:
    @pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
    @pytest.mark.parametrize(
        ("hint", "answer", "mappings"),
        [
            (Sequence[Literal["good", "bad"]], ["good", "bad"], None),
            (list[Verdict], [Verdict.GOOD, Verdict.BAD], None),
            (tuple[Literal["good", "bad"], ...], ("good", "bad"), None),
            (list[Literal["good", "bad"]] | Literal["good"], ["good", "bad"], None),
            (Send, Send("good"), ["good", "bad"]),
            (Send[Any], Send("good"), ["good", "bad"]),
            (list[Send[Any]], [Send("good"), Send("bad")], ["good", "bad"]),
            (list[Send[Any] | Literal["bad"]], [Send("good"), "bad"], ["good", "bad"]),
            (MultiCommand, MultiCommand(["good", "bad"]), ["good", "bad"]),
            (MultiCommand[Literal["good", "bad"]], MultiCommand(["good", "bad"]), None),
            (list[str], ["good", "bad"], ["good", "bad"]),
        ],
        ids=str,
    )
    @each_runner
    def test_by_annotation(self, hint: Any, answer: Any, mappings: Any, is_async: Any, run: Runner) -> None:
        """R3: such an annotation makes `add_conditional_edges` a multi route."""
        compiled = to_both(answering(hint, answer, is_async=is_async), mappings).compile()
        expected = ["good"] if isinstance(answer, Send) else ["good", "bad"]
        assert run(compiled, {}, None).state["m"] == expected

    def test_of_an_awaitable(self) -> None:
        """R3: a sync callable that gives something to await is read as well."""
        condition = answering(Awaitable[list[Literal["good", "bad"]]], None)
        built = to_both(condition)
        assert built.validate() == ()
        assert built.compile().edges[START].id == f"__PARALLEL__({START})"

    @pytest.mark.parametrize("wrap", [CommandAction, mapped])
    def test_what_is_said_outright_holds(self, wrap: Any) -> None:
        """R2: a `CommandAction` is a single route, whatever its annotation says."""
        compiled = to_both(wrap(answering(list[Literal["good", "bad"]], ["good"]))).compile()
        error = compiled.try_invoke({}).failure()
        assert "use add_parallel_conditional_edges for several" in str(error)

    def test_a_multi_action(self) -> None:
        """R2: a `MultiCommandAction` is a multi route."""
        compiled = to_both(MultiCommandAction.of(says(["good", "bad"])), ["good", "bad"]).compile()
        assert compiled.invoke({})["m"] == ["good", "bad"]


class TestDisagreement:
    @pytest.mark.parametrize(
        ("hint", "mappings", "text"),
        [
            (Literal["a", "b"], {"a": "good"}, "answers 'b', which no label is"),
            (Literal["a"], {"a": "good", "c": "bad"}, "never answers 'c', which are mapped"),
            (Literal["a"], {"c": "bad"}, "answers 'a', which no label is, and it never answers 'c'"),
            (Verdict, {Verdict.GOOD: "good"}, "answers <Verdict.BAD: 'bad'>, which no label is"),
            (Verdict, {"good": "good", "bad": "bad"}, "answers <Verdict.GOOD: 'good'>, <Verdict.BAD: 'bad'>"),
            (bool, {True: "good"}, "answers False, which no label is"),
            (bool, {"yes": "good", DEFAULT: "bad"}, "never answers 'yes'"),
            (Command[Literal["a", "b"]], {"a": "good"}, "answers 'b', which no label is"),
            (list[Literal["a", "b"]], {"a": "good"}, "answers 'b', which no label is"),
            (list[Literal["a"] | Send[Any]], {"b": "good"}, "answers 'a', which no label is"),
            (Literal["good", "bad"], ["good"], "answers 'bad', which no label is"),
        ],
        ids=str,
    )
    @pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
    def test_is_a_problem(self, hint: Any, mappings: Any, text: str, is_async: Any) -> None:
        """R3: a router whose annotation and mapping disagree is a compile problem that names the labels."""
        found = to_both(answering(hint, "a", is_async=is_async), mappings).validate()
        (problem,) = [each for each in found if each.code == "labels_disagree"]
        assert text in problem.message
        assert problem.place.startswith(f"edge {START} → choose")

    @pytest.mark.parametrize(
        ("hint", "mappings"),
        [
            (Literal["a", "b"], {"a": "good", "b": "bad"}),
            (Literal["a", "b"], {"a": "good", DEFAULT: "bad"}),
            (Verdict, {Verdict.GOOD: "good", Verdict.BAD: "bad"}),
            (Number, {Number.ONE: "good", 2: "bad"}),
            (bool, {True: "good", False: "bad"}),
            (str, {"a": "good", "b": "bad"}),
            (Literal["a"] | int, {"a": "good", "b": "bad"}),
            (Any, {"a": "good", "b": "bad"}),
            (list[Literal["a"] | Send[Any]], {"a": "good", "b": "bad"}),
            (MultiCommand[Literal["a"]], {"a": "good", "b": "bad"}),
            (Command[Any], {"a": "good", "b": "bad"}),
            (Command, {"a": "good", "b": "bad"}),
        ],
        ids=str,
    )
    def test_is_none(self, hint: Any, mappings: Any) -> None:
        """R3, R5: what is mapped, caught by DEFAULT, sent to, or not told is no disagreement."""
        assert to_both(answering(hint, "a"), mappings).validate() == ()

    def test_of_a_nodes_command(self) -> None:
        """R9: the commands of a node are compared with its mappings, too."""
        built: Any = graph(good=appends("good"), bad=appends("bad"))
        built.add_node("a", answering(Command[Literal["good", "bad"]], Command("good")), destinations=["good", END])
        built.add_edge(START, "a").add_edge("good", "bad").add_edge("bad", END)
        (problem,) = built.validate()
        assert problem.code == "labels_disagree"
        assert "answers 'bad', which no label is, and it never answers '__END__'" in problem.message

    @pytest.mark.parametrize("kind", [CommandAction, MultiCommandAction])
    def test_of_a_command_node(self, kind: Any) -> None:
        """R9: those of a command action, as in Java, as well."""
        built: Any = graph(good=appends("good"))
        built.add_node("a", kind(answering(Literal["x"], "x")), {"y": "good"})
        built.add_edge(START, "a").add_edge("good", END)
        assert codes(built.validate()) == ["labels_disagree"]


def verdict(state: AsAttrs) -> Verdict:
    """Answer with an enum."""
    return Verdict.GOOD if state.n else Verdict.BAD


async def verdict_async(state: AsAttrs) -> Literal["yes", "no"]:
    """Answer with a text."""
    return "yes" if state.n else "no"


def several(state: AsAttrs) -> list[Literal["yes", "no"]]:
    """Answer with several."""
    return ["yes", "no"]


class TestTypedRoute:
    @pytest.mark.parametrize("verb", ["add_conditional_edges", "add_parallel_conditional_edges"])
    @pytest.mark.parametrize(
        ("made", "log"),
        [
            (route(verdict).to({Verdict.GOOD: "good", Verdict.BAD: NodeRef("bad")}), ["good"]),
            (route(verdict_async).to({"yes": "good", "no": "bad"}), ["good"]),
            (route(several).to({"yes": "good", "no": "bad"}), ["good", "bad"]),
        ],
        ids=["enum", "async", "several"],
    )
    @each_runner
    def test_is_accepted_by_both_verbs(self, verb: str, made: Any, log: Any, run: Runner) -> None:
        """T4: `route(action).to({…})` stands wherever a condition does."""
        built: Any = StateGraph(AsAttrs).add_node("good", says({"log": "good"})).add_node("bad", says({"log": "bad"}))
        getattr(built, verb)(START, made)
        built.add_edge("good", END).add_edge("bad", END)
        assert run(built.compile(), {"name": "x", "n": 1}, None).state["log"] == log

    def test_names(self) -> None:
        """R8: it may have a name, else it bears the action's."""
        assert route(verdict).to({Verdict.GOOD: END, Verdict.BAD: END}).label == "verdict"
        assert route(verdict).to({Verdict.GOOD: END, Verdict.BAD: END}, name="judge").label == "judge"

    def test_is_checked_when_compiled(self) -> None:
        """R3: a label that is not mapped is a compile problem for those without a type checker."""
        wrong: Any = {Verdict.GOOD: "good"}
        found = to_both(route(verdict).to(wrong)).validate()
        assert "labels_disagree" in codes(found)

    def test_refusals(self) -> None:
        """T4: what is no callable, and no mapping to ids, is refused."""
        wrong: Any = 5
        with pytest.raises(InvalidRecordError, match="wraps a callable"):
            route(wrong)
        with pytest.raises(InvalidRecordError, match="Map at least one label"):
            route(verdict).to({})
        with pytest.raises(InvalidRecordError, match="must be mapped to the id of a node"):
            route(verdict).to({Verdict.GOOD: wrong})

    def test_record(self) -> None:
        """T4: it is a record that keeps the action."""
        assert route(verdict) == TypedRoute(CommandAction.of(verdict))


class TestNodeRef:
    @pytest.mark.parametrize("wrong", [5, "", " ", None], ids=repr)
    def test_refusals(self, wrong: Any) -> None:
        """T4: it needs an id."""
        with pytest.raises(InvalidRecordError, match="a NodeRef needs the id of a node"):
            NodeRef(wrong)

    def test_equality(self) -> None:
        """T4: the payload's type is for checkers only."""
        other: NodeRef[Any] = NodeRef[AsAttrs]("a")
        assert other == NodeRef("a", AsDict)


def test_partial_routers() -> None:
    """R3, R10: labels and views are found on partials of methods and objects, too."""

    class Judge:
        def __call__(self, limit: int, state: AsAttrs) -> Literal["good", "bad"]:
            return "good" if state.n > limit else "bad"

        def method(self, limit: int, state: AsAttrs) -> Literal["good", "bad"]:
            return self(limit, state)

    for made in (functools.partial(Judge(), 3), functools.partial(Judge().method, 3)):
        built: Any = StateGraph(AsAttrs).add_node("good", says({"log": "good"})).add_node("bad", says({"log": "bad"}))
        built.add_conditional_edges(START, made).add_edge("good", END).add_edge("bad", END)
        assert built.compile().invoke({"name": "x", "n": 4})["log"] == ["good"]
