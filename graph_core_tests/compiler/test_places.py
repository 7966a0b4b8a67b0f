"""A region depends on its place: what leads back from it is decided by the regions around it (P15)."""

from collections.abc import Callable
from typing import Any

import pytest

from graph_core import APPEND, END, INLINE, START, OverAllState, RunnableConfig, StateGraph
from graph_core_tests.drive import drive


def built(entry: str) -> StateGraph:
    """Make s a fork on the main path (by x), and inside the region of o; p leads to o once."""

    def act(name: str) -> Callable[[OverAllState], dict[str, Any]]:
        return lambda state: {"m": name, "n": state["n"] + (name == "p")}

    def again(state: OverAllState) -> str:
        return "o" if state["n"] < 2 else "j"

    graph = StateGraph({"m": APPEND, "n": max})
    for name in "oxsbpqj":
        graph.add_node(name, act(name))
    graph.add_conditional_edges(START, lambda state: entry, ["o", "x"]).add_edge("x", "s")
    graph.add_edge("o", ["s", "b"]).add_edge("s", ["p", "q"]).add_edge(["b", "q"], "j").add_edge("j", END)
    return graph.add_conditional_edges("p", again, ["o", "j"])


class TestPlaces:
    def test_the_convergence_is_one(self) -> None:
        """P1: a fork has one convergence, wherever it is run."""
        edges = built("o").compile().edges
        assert [edges[f"__PARALLEL__({name})"].id for name in "os"] == ["j", "j"]

    @pytest.mark.parametrize("first", [0, 1])
    def test_inside_the_other_region_both_are_left(self, first: int) -> None:
        """P15: from p back to o leaves the region of s and the one of o, once b has arrived."""
        trace = drive(built("o").compile(), {"n": 0}, lambda running: min(first, len(running) - 1))
        assert trace.state is not None
        assert trace.state["m"] == ["o", "s", "p", "q", "b", "o", "s", "p", "q", "b", "j"]
        assert [name for name, _ in trace.regions()] == ["__PARALLEL__(s)", "__PARALLEL__(o)"] * 2

    def test_on_the_main_path_the_way_stays_inside(self) -> None:
        """P2: run on the main path, the region of s holds o, whose way to s leads back out of it."""
        state = built("x").compile().invoke({"n": 0}, RunnableConfig(default_parallel_executor=INLINE))
        assert state["m"][:4] == ["x", "s", "p", "o"]
        assert state["m"][-1] == "j"
