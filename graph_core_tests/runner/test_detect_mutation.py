"""S10: `CompileConfig(detect_mutation=True)` finds a node that changes the state in place."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from graph_core import END, START, CompileConfig, Send, StateGraph
from graph_core_tests.shapes import RUNNERS, Runner, State, Update, appends, graph, on, says

GUARDED = CompileConfig(detect_mutation=True)
each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)


def start() -> dict[str, Any]:
    """Give a state with a container of every kind."""
    return {"list": [1, [2]], "dict": {"x": {"y": 1}, "z": 2}, "set": {1}, "tuple": ([1], 2), "n": 1}


CHANGES: dict[str, tuple[str, Callable[[Any], object]]] = {
    "append": ("list", on(lambda state: state["list"].append(3))),
    "remove": ("list", on(lambda state: state["list"].pop())),
    "assign": ("list", on(lambda state: state["list"].__setitem__(0, 9))),
    "inner list": ("list", on(lambda state: state["list"][1].append(3))),
    "new key": ("dict", on(lambda state: state["dict"].update(w=1))),
    "lost key": ("dict", on(lambda state: state["dict"].pop("z"))),
    "inner dict": ("dict", on(lambda state: state["dict"]["x"].update(y=2))),
    "order of keys": ("dict", on(lambda state: state["dict"].update(x=state["dict"].pop("x")))),
    "set": ("set", on(lambda state: state["set"].add(2))),
    "list in a tuple": ("tuple", on(lambda state: state["tuple"][0].append(2))),
    "another type": ("list", on(lambda state: state["list"].__setitem__(1, (2,)))),
}


def changing(change: Callable[[Any], object], name: str = "a") -> Callable[[State], Update]:
    """Make a node that changes its state in place."""

    def act(state: State) -> Update:
        change(state)
        return {"m": name}

    return act


@each_runner
@pytest.mark.parametrize(("key", "change"), CHANGES.values(), ids=CHANGES)
class TestFound:
    @pytest.mark.parametrize("edges", [("START > a", "a > END"), ("START > a, b", "a > END", "b > END")])
    def test_the_step_fails(
        self, run: Runner, key: str, change: Callable[[Any], object], edges: tuple[str, ...]
    ) -> None:
        """S10: the step fails, naming node and key, on the main path and in a branch."""
        error = run(graph(*edges, a=changing(change)).compile(GUARDED), start(), None).failure
        assert (error.node_id, error.code) == ("a", "mutated_state")
        assert f"key {key!r}" in str(error)

    def test_in_an_async_node(self, run: Runner, key: str, change: Callable[[Any], object]) -> None:
        """S10: after an await, too."""

        async def act(state: State) -> Update:
            await asyncio.sleep(0)
            change(state)
            return {}

        error = run(graph("START > a", "a > END", a=act).compile(GUARDED), start(), None).failure
        assert (error.node_id, error.code) == ("a", "mutated_state")
        assert f"key {key!r}" in str(error)

    def test_in_a_router(self, run: Runner, key: str, change: Callable[[Any], object]) -> None:
        """R7, S10: a router gets a read-only state; one that changes it in place is found as well."""

        def route(state: State) -> str:
            change(state)
            return END

        built = graph("START > a").add_conditional_edges("a", route, [END])
        error = run(built.compile(GUARDED), start(), None).failure
        assert (error.node_id, error.code) == ("a", "mutated_state")
        assert f"key {key!r}" in str(error)

    def test_in_a_router_of_a_branch(self, run: Runner, key: str, change: Callable[[Any], object]) -> None:
        """R7, S10: inside a region, too."""

        def route(state: State) -> str:
            change(state)
            return "d"

        built = graph("START > a, b", "b > d", "d > END").add_conditional_edges("a", route, ["d"])
        error = run(built.compile(GUARDED), start(), None).failure
        assert (error.node_id, error.code) == ("a", "mutated_state")
        assert f"key {key!r}" in str(error)


@each_runner
class TestFine:
    def test_nodes_that_change_nothing(self, run: Runner) -> None:
        """S10: reading, and returning new values made of the old ones, is fine."""

        def act(state: State) -> Update:
            return {"list": [*state["list"], 3], "dict": {**state["dict"], "w": 1}, "set": state["set"] | {2}}

        edges = ("START > a, b", "a > c", "b > c", "c > END")
        state = run(graph(*edges, a=act).compile(GUARDED), start(), None).state
        assert (state["list"], state["set"], state["m"]) == ([1, [2], 3], {1, 2}, ["b", "c"])

    def test_giving_back_what_one_got(self, run: Runner) -> None:
        """S10: a value may be handed on as it is."""

        def act(state: State) -> Update:
            return {"copy": state["list"], "list": state["list"]}

        state = run(graph("START > a", "a > b", "b > END", a=act).compile(GUARDED), start(), None).state
        assert state["copy"] == [1, [2]]

    def test_values_that_are_equal_to_nothing(self, run: Runner) -> None:
        """S10: values are compared by identity inside containers, so a NaN is no change."""
        state = run(graph("START > a", "a > END").compile(GUARDED), {"x": [float("nan")]}, None).state
        assert state["m"] == ["a"]


class TestOff:
    def test_by_default_nothing_is_copied(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """S10: values are shared, not copied."""
        monkeypatch.delenv("GRAPH_CORE_DETECT_MUTATION", raising=False)
        seen: list[Any] = []

        def look(state: State) -> Update:
            seen.append(state["list"])
            return {}

        given = start()
        graph("START > a", "a > END", a=look).compile().invoke(given)
        assert seen[0] is given["list"]

    def test_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """S10: the environment may turn it on for a whole test run."""
        monkeypatch.setenv("GRAPH_CORE_DETECT_MUTATION", "1")
        built = graph("START > a", "a > END", a=changing(on(lambda state: state["list"].append(3))))
        assert built.compile().try_invoke(start()).failure().code == "mutated_state"


def test_a_command_node() -> None:
    """S10: a node that returns a command is watched as any other."""
    built = StateGraph().add_node("a", changing(on(lambda state: state["list"].append(3))), destinations=["b", END])
    built.add_node("b", appends("b")).add_edge(START, "a").add_edge("a", "b").add_edge("b", END)
    assert built.compile(GUARDED).try_invoke(start()).failure().code == "mutated_state"


def test_the_state_of_a_send() -> None:
    """S10, P6: what was sent is watched, too."""
    built = graph("w > END", w=changing(on(lambda state: state["item"].append(3))))
    built.add_parallel_conditional_edges(START, says([Send("w", {"item": [1]})]), ["w"])
    error = built.compile(GUARDED).try_invoke({}).failure()
    assert (error.code, error.node_id) == ("mutated_state", "w")
