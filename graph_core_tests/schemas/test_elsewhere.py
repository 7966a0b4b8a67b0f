"""P10: typed actions run in other processes like any others."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

from graph_core import END, START, StateGraph
from graph_core_tests.schemas.elsewhere import count, idle, needy, viewed
from graph_core_tests.schemas.kinds import AsAttrs, AsDict
from graph_core_tests.shapes import run_async, run_sync


@pytest.fixture(scope="module")
def pool() -> Any:
    """One process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        yield executor


def of(node: Any, schema: Any, pool: Any) -> Any:
    """A graph of one node in another process, on the main path, and in a branch."""
    built: Any = StateGraph(schema).add_node("a", node, executor=pool).add_node("b", node, executor=pool)
    built.add_node("c", idle).add_edge(START, "a").add_edge("a", ["b", "c"])
    return built.add_edge(["b", "c"], END).compile()


@pytest.mark.parametrize("run", [run_sync, run_async])
def test_a_typed_action(run: Any, pool: Any) -> None:
    """P10, T2: view and update are made where the action runs."""
    assert run(of(count, AsAttrs, pool), {"name": "x"}).state == {
        "name": "x",
        "n": 2,
        "log": ["counted", "counted"],
        "total": 5,
    }


@pytest.mark.parametrize("run", [run_sync, run_async])
def test_a_view_there(run: Any, pool: Any) -> None:
    """T1: a state keeps its view there."""
    assert run(of(viewed, AsDict, pool), {"name": "x", "total": 4}).state["n"] == 4


@pytest.mark.parametrize("run", [run_sync, run_async])
def test_a_refusal_there(run: Any, pool: Any) -> None:
    """T2: what is refused there is told as if it had been here."""
    failure = run(of(needy, AsAttrs, pool), {}).failure
    assert (failure.code, failure.node_id) == ("missing_key", "a")
    assert "node 'a': AsAttrs requires key 'name'" in str(failure)


def test_a_plan_can_be_pickled() -> None:
    """P10: what a typed action is made of goes along."""
    built: Any = StateGraph(AsAttrs).add_node(count).add_edge(START, "count").add_edge("count", END)
    state = built.compile().invoke({"name": "x"})
    again = pickle.loads(pickle.dumps(state))  # noqa: S301  (our own bytes)
    assert again == state
    assert again.view() == AsAttrs("x", 1, ["counted"], 5)
