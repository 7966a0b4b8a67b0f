"""A label that the router does not name: R4, T4."""

from collections.abc import Sequence
from typing import Any

from graph_core import DEFAULT, END, Command, MultiCommand, OverAllState, Send, StateGraph, route
from graph_core_tests.typing.schemas import Doc, Label, Verdict
from graph_core_tests.typing.test_routes import (
    Router,
    any_state,
    command,
    command_later,
    commands,
    commands_later,
    label,
    label_later,
    labels,
    labels_later,
    number,
    untyped_state,
    verdict,
    verdict_later,
    verdicts,
    yes,
)

route(label).to({"good": END, "ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(label).to({"good": END, Verdict.BAD: END})  # error: dict-item | reportArgumentType reportCallIssue
route(label).to({"good": END, DEFAULT: END, "ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(label_later).to({"ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(verdict).to({Verdict.GOOD: END, "bad": END})  # error: dict-item | reportArgumentType reportCallIssue
route(verdict_later).to({"good": END})  # error: dict-item | reportArgumentType reportCallIssue
route(yes).to({True: END, "no": END})  # error: dict-item | reportArgumentType reportCallIssue
route(number).to({1: END, 3: END})  # error: dict-item | reportArgumentType reportCallIssue
route(command).to({"good": END, "ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(command_later).to({"good": END})  # error: dict-item | reportArgumentType reportCallIssue
route(commands).to({"good": END, "ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(commands_later).to({"ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(labels).to({"good": END, "ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(labels_later).to({"ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(verdicts).to({"good": END})  # error: dict-item | reportArgumentType reportCallIssue
route(Router()).to({"ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(Router().later).to({"ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(untyped_state).to({"ugly": END})  # error: dict-item | reportArgumentType reportCallIssue
route(any_state).to({"ugly": END})  # error: dict-item | reportArgumentType reportCallIssue

texts = {"good": END, "bad": END}
route(label).to(texts)  # error: arg-type | reportArgumentType reportCallIssue
route(label).to(["good", "bad"])  # error: call-overload | reportArgumentType reportCallIssue
route(label).to({"good": 1})  # error: dict-item | reportArgumentType reportCallIssue
route("good")  # error: call-overload | reportArgumentType reportCallIssue


def answers(doc: Doc) -> Label:
    return "ugly"  # error: return-value | reportReturnType


def commanded(state: OverAllState) -> Command[Label]:
    return Command("ugly")  # error: arg-type | reportReturnType


def commanded_to_several(state: OverAllState) -> MultiCommand[Label]:
    return MultiCommand(["good", "ugly"])  # error: list-item | reportReturnType


def answers_several(state: OverAllState) -> Sequence[Label | Send[Any]]:
    return ["good", Send("work"), "ugly"]  # error: list-item | reportReturnType


graph = StateGraph(Doc)
graph.add_conditional_edges("a", {"good": END})  # error: arg-type | reportArgumentType
graph.add_conditional_edges("a", label, {"good": 1})  # error: dict-item | reportArgumentType
graph.add_node("a", 1)  # error: arg-type | reportArgumentType
graph.add_edge(1, END)  # error: arg-type | reportArgumentType
