"""Type checkers see the labels of `route(action).to({label: node})`, and so does the compiler."""

import functools
from collections.abc import Awaitable, Sequence
from typing import Any, Literal, assert_type

from graph_core import (
    DEFAULT,
    END,
    START,
    Command,
    EdgeCondition,
    MultiCommand,
    NodeRef,
    OverAllState,
    RunnableConfig,
    Send,
    StateGraph,
    TypedRoute,
    route,
)
from graph_core_tests.typing.schemas import Doc, Label, Verdict

WORK: NodeRef[Any] = NodeRef("work")


def label(doc: Doc) -> Label:
    """Answer with a literal."""
    return "good"


async def label_later(doc: Doc) -> Label:
    """Answer with a literal, later."""
    return "good"


def promised(doc: Doc) -> Awaitable[Label]:
    """Answer with what can be awaited."""
    return label_later(doc)


def untyped_state(state: OverAllState, config: RunnableConfig) -> Label:
    """Answer, whatever the state is."""
    return "good"


def any_state(state: Any) -> Sequence[Label]:
    """Answer with a sequence, whatever the state is."""
    return ["good"]


def verdict(doc: Doc) -> Verdict:
    """Answer with a member of an enum."""
    return Verdict.GOOD


async def verdict_later(doc: Doc, config: RunnableConfig[Any]) -> Verdict:
    """Answer with a member of an enum, later."""
    return Verdict.GOOD


def yes(doc: Doc) -> bool:
    """Answer with a flag."""
    return True


def number(doc: Doc) -> Literal[1, 2]:
    """Answer with a number."""
    return 1


def text(doc: Doc) -> str:
    """Answer with any text."""
    return "good"


def command(doc: Doc) -> Command[Label]:
    """Answer with a command."""
    return Command("good", {"n": 2})


async def command_later(doc: Doc) -> Command[Verdict]:
    """Answer with a command, later."""
    return Command(Verdict.GOOD)


def commands(doc: Doc) -> MultiCommand[Label]:
    """Answer with a command to several."""
    return MultiCommand(["good", "bad"])


async def commands_later(doc: Doc) -> MultiCommand[Label]:
    """Answer with a command to several, later."""
    return MultiCommand.nothing()


def labels(doc: Doc) -> list[Label]:
    """Answer with several labels."""
    return ["good", "bad"]


def verdicts(doc: Doc) -> tuple[Verdict, ...]:
    """Answer with several members."""
    return (Verdict.GOOD,)


async def labels_later(doc: Doc) -> Sequence[Label]:
    """Answer with several labels, later."""
    return ["good"]


def labels_and_sends(doc: Doc) -> Sequence[Label | Send[Any]]:
    """Answer with labels and with copies."""
    return ["good", Send("work", {"n": 1})]


def sends(doc: Doc) -> list[Send[Any]]:
    """Answer with copies only."""
    return [Send(WORK, {"n": n}) for n in range(doc["n"])]


class Router:
    """Answers when called, or by a method."""

    def __call__(self, doc: Doc) -> Label:
        """Answer as an object."""
        return "good" if doc["n"] else "bad"

    async def later(self, doc: Doc, config: RunnableConfig[Any]) -> Label:
        """Answer as a method."""
        return "good" if doc["n"] < config.step else "bad"


def by(limit: int, doc: Doc) -> Label:
    """Answer with an argument more, which a partial gives."""
    return "good" if doc["n"] < limit else "bad"


class TestLabels:
    def test_single(self) -> None:
        """R2: a literal, an enum, a flag, a number, any text."""
        assert_type(route(label), TypedRoute[Label])
        assert_type(route(verdict), TypedRoute[Verdict])
        assert_type(route(yes), TypedRoute[bool])
        assert_type(route(number), TypedRoute[Literal[1, 2]])
        assert_type(route(text), TypedRoute[str])

    def test_later(self) -> None:
        """R2: coroutine functions, and what gives an awaitable."""
        assert_type(route(label_later), TypedRoute[Label])
        assert_type(route(verdict_later), TypedRoute[Verdict])
        assert_type(route(promised), TypedRoute[Label])

    def test_commands(self) -> None:
        """R2: the labels of a command."""
        assert_type(route(command), TypedRoute[Label])
        assert_type(route(command_later), TypedRoute[Verdict])
        assert_type(route(commands), TypedRoute[Label])
        assert_type(route(commands_later), TypedRoute[Label])

    def test_sequences(self) -> None:
        """R2: the labels in it."""
        assert_type(route(labels), TypedRoute[Label])
        assert_type(route(verdicts), TypedRoute[Verdict])
        assert_type(route(labels_later), TypedRoute[Label])

    def test_sends(self) -> None:
        """P6: a route that sends may map more than its labels."""
        assert_type(route(labels_and_sends), TypedRoute[Label | Send[Any]])
        assert_type(route(sends), TypedRoute[Send[Any]])

    def test_callables(self) -> None:
        """R2: objects, methods and partials."""
        assert_type(route(Router()), TypedRoute[Label])
        assert_type(route(Router().later), TypedRoute[Label])
        assert_type(route(functools.partial(by, 3)), TypedRoute[Label])

    def test_the_state_has_no_part_in_it(self) -> None:
        """T4: labels are seen when the state is not typed."""
        assert_type(route(untyped_state), TypedRoute[Label])
        assert_type(route(any_state), TypedRoute[Label])


class TestMappings:
    def test_gives_a_condition(self) -> None:
        """R3: every label, to an id or a `NodeRef`."""
        condition = route(label).to({"good": END, "bad": WORK}, name="judged")
        assert_type(condition, EdgeCondition)
        assert dict(condition.mappings or {}) == {"good": END, "bad": "work"}

    def test_default_is_a_label(self) -> None:
        """R5: of every route."""
        assert route(label).to({"good": END, DEFAULT: WORK}).mappings == {"good": END, DEFAULT: "work"}
        assert route(yes).to({True: END, DEFAULT: "work"}).mappings == {True: END, DEFAULT: "work"}
        assert route(verdict).to({DEFAULT: END}).mappings == {DEFAULT: END}

    def test_a_mapping_made_before(self) -> None:
        """R3: a variable is as good as a display."""
        texts = {"good": END, "bad": "work"}
        typed: dict[Label, str] = {"good": END, "bad": "work"}
        assert route(text).to(texts) == route(text).to(dict(texts))
        assert route(label).to(typed).mappings == texts
        assert route(verdict).to(dict.fromkeys(Verdict, END)).mappings == dict.fromkeys(Verdict, END)

    def test_nodes_of_sends(self) -> None:
        """P6: they are mapped, besides the labels."""
        assert route(labels_and_sends).to({"good": END, "bad": END, "work": WORK}).label == "labels_and_sends"
        assert route(sends).to({"work": "work"}).mappings == {"work": "work"}

    def test_where_conditions_go(self) -> None:
        """R2: both verbs take it, and the run goes where it says."""
        graph = StateGraph(Doc).add_node(WORK, lambda doc: {"log": ["worked"]}).add_edge("work", END)
        graph.add_conditional_edges(START, route(sends).to({"work": WORK}))
        assert graph.compile().invoke({"n": 2})["log"] == ["worked", "worked"]
        other = StateGraph(Doc).add_node("work", lambda doc: {"log": ["worked"]}).add_edge("work", END)
        other.add_parallel_conditional_edges(START, route(commands).to({"good": WORK, "bad": END}))
        assert other.compile().invoke({"n": 2})["log"] == ["worked"]
