"""Type checkers accept whatever can be called with a state, or with a state and a config."""

import functools
from collections.abc import Mapping
from typing import Any, assert_type

import pytest

from graph_core import (
    END,
    START,
    Command,
    CommandAction,
    MultiCommandAction,
    NodeRef,
    OverAllState,
    RunnableConfig,
    StateGraph,
)
from graph_core_tests.typing.schemas import Doc, DocUpdate, Label, Order


def plain(anything: Doc) -> DocUpdate:
    """Work with a first parameter of any name."""
    return {"n": 1}


def positional(_: Doc, /) -> DocUpdate:
    """Work with one that has none."""
    return {"n": 1}


def configured(doc: Doc, settings: RunnableConfig[Any]) -> DocUpdate:
    """Work with a config."""
    return {"n": 1}


def optional(doc: Doc, config: RunnableConfig[Any] | None = None) -> DocUpdate:
    """Work with or without one."""
    return {"n": 1}


async def waiting(doc: Doc) -> DocUpdate:
    """Work in an event loop."""
    return {"n": 1}


async def waiting_configured(order: Doc, config: RunnableConfig[Any]) -> DocUpdate:
    """Work in an event loop with a config."""
    return {"n": 1}


def of_state(state: OverAllState[Doc]) -> Mapping[str, Any]:
    """Work with the state itself."""
    assert_type(state.view(), Doc)
    return {"n": 1}


def nothing(doc: Doc) -> None:
    """Change nothing."""


def chooses(doc: Doc) -> Command[Label]:
    """Say where to go."""
    return Command("good", {"n": 1})


def three(by: int, doc: Doc, config: RunnableConfig[Any]) -> DocUpdate:
    """Work with an argument more, which a partial gives."""
    return {"n": by}


class Worker:
    """Works when called, or by a method."""

    def __call__(self, doc: Doc) -> DocUpdate:
        """Work as an object."""
        return {"n": doc["n"] + 1}

    def method(self, doc: Doc, config: RunnableConfig[Any]) -> DocUpdate:
        """Work as a method."""
        return {"n": doc["n"] + config.step}


class AsyncWorker:
    """Works in an event loop when called."""

    async def __call__(self, doc: Doc) -> DocUpdate:
        """Work as an object."""
        return {"n": doc["n"] + 1}


class TestNodes:
    def test_every_kind_is_accepted(self) -> None:
        """R2, T4: functions, coroutine functions, methods, partials, objects and lambdas."""
        graph = StateGraph(Doc).add_node(plain).add_node(waiting).add_node("positional", positional)
        graph.add_node("configured", configured).add_node("optional", optional)
        graph.add_node("waiting_configured", waiting_configured).add_node("of_state", of_state)
        graph.add_node("method", Worker().method).add_node("object", Worker()).add_node("awaited", AsyncWorker())
        graph.add_node("partial", functools.partial(three, 1)).add_node("lambda", lambda doc: {"n": doc["n"]})
        graph.add_node("two", lambda doc, config: {"n": config.step}).add_node(NodeRef("ref", Doc), plain)
        graph.add_node("nothing", nothing).add_node("chooses", chooses, {"good": END, "bad": "plain"})
        graph.add_node("single", CommandAction.of(chooses), {"good": END, "bad": "plain"})
        graph.add_node("multi", MultiCommandAction.of(lambda doc: ["a"]), ["plain"])
        assert len(graph.node_ids) == 18

    @pytest.mark.parametrize("action", [plain, configured, waiting, Worker(), AsyncWorker(), Worker().method])
    def test_they_run(self, action: Any) -> None:
        """R2: what checkers accept can be called."""
        graph = StateGraph(Doc).add_node("a", action).add_edge(START, "a").add_edge("a", END)
        assert graph.compile().invoke({"n": 0})["n"] == 1

    def test_sequences(self) -> None:
        """Items are as the first argument of `add_node`, or pairs."""
        assert StateGraph(Doc).add_sequence(plain, ("b", waiting), ("c", Worker())).node_ids == ("plain", "b", "c")

    def test_a_schema_of_its_own(self) -> None:
        """T2: `input_schema` is a class of any kind."""
        assert StateGraph(Doc).add_node("a", lambda order: {"n": order.n}, input_schema=Order).node_ids == ("a",)


class TestEdges:
    def test_every_kind_is_accepted(self) -> None:
        """R2, T4: what a node may be, a condition may be."""

        def label(anything: Doc) -> Label:
            return "good"

        async def awaited(doc: Doc, config: RunnableConfig[Any]) -> Label:
            return "good"

        graph = StateGraph(Doc).add_node(plain)
        ways: dict[Label, str] = {"good": END, "bad": "plain"}
        graph.add_conditional_edges(START, label, ways).add_conditional_edges("plain", awaited, ways)
        graph.add_conditional_edges("plain", lambda doc: doc["n"] > 0, {True: END, False: END})
        graph.add_conditional_edges("plain", functools.partial(label), {"good": END, "bad": END})
        graph.add_conditional_edges("plain", lambda doc, config: "plain", ["plain"], name="listed")
        graph.add_parallel_conditional_edges("plain", lambda doc: ["plain"], ["plain"], name="several")
        assert graph.node_ids == ("plain",)
