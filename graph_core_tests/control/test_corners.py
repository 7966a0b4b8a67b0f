"""P6, P11, P14, X1: rare ways of branches, and what a driver does with them."""

from collections.abc import Generator
from typing import Any

import pytest

from graph_core import APPEND, END, REMOVE, START, GraphRunnerContext, Overwrite, RunnableConfig, Send, StateGraph
from graph_core.runner.asks import Wait
from graph_core.runner.async_driver import AsyncDriver
from graph_core.runner.sync_driver import SyncDriver, drained
from graph_core_tests.drive import drive
from graph_core_tests.shapes import State, Update, appends, graph, says


class TestSends:
    def test_markers_in_the_payload(self) -> None:
        """P6: the payload is laid over the state without strategies; a marker says what the copy sees."""
        seen: list[dict[str, Any]] = []

        def act(state: State) -> Update:
            seen.append(dict(state))
            return {}

        payload = {"gone": REMOVE, "m": Overwrite(["own"]), "new": 1, "absent": REMOVE}
        built = StateGraph({"m": APPEND}).add_node("w", act).add_edge("w", END)
        built.add_parallel_conditional_edges(START, says([Send("w", payload)]), ["w"])
        trace = drive(built.compile(), {"gone": 1, "m": ["in"]})
        assert seen == [{"m": ["own"], "new": 1}]
        assert trace.state == {"gone": 1, "m": ["in"]}

    def test_to_the_convergence(self) -> None:
        """P1: it is where the branches join, so there can be no copy of it."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_parallel_conditional_edges("a", says([Send("d", {})]), ["b", "c", "d"], sends=["b"])
        error = drive(built.compile(), {}).error
        assert error is not None
        assert (error.code, error.node_id) == ("send_to_convergence", "a")

    def test_backwards(self) -> None:
        """P15: a copy can not leave the region."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        built.add_parallel_conditional_edges("a", says([Send("a", {})]), ["a", "b", "c"], sends=["b"])
        error = drive(built.compile(), {}).error
        assert error is not None
        assert (error.code, error.node_id) == ("send_backwards", "a")

    def test_on_an_open_fork(self) -> None:
        """P6, P14: branches that share nodes with others can not be private."""
        built = graph("START > a", "a > b, c", "c > y", "x > d", "y > d", "d > END")
        built.add_parallel_conditional_edges("b", says([Send("x", {}), "y"]), ["x", "y"])
        error = drive(built.compile(), {}).error
        assert error is not None
        assert (error.code, error.node_id) == ("open_sends", "b")

    def test_behind_each_other(self) -> None:
        """P1: the copies of an inner fork join right before a fixed fork, in a region that nothing else shares."""
        built = StateGraph({"m": APPEND})
        for name in "abcwxyd":
            built.add_node(name, appends(name))
        built.add_edge(START, "a").add_edge("a", ["b", "c"]).add_edge("w", ["x", "y"]).add_edge(["x", "y", "c"], "d")
        built.add_parallel_conditional_edges("b", says([Send("w", {}), Send("w", {})]), ["w"]).add_edge("d", END)
        trace = drive(built.compile(), {})
        assert trace.state == {"m": ["a", "b", "w", "w", "x", "y", "c", "d"]}


@pytest.mark.parametrize("is_read", [True, False])
def test_an_empty_answer_inside_a_region(*, is_read: bool) -> None:
    """R4, P11: it goes on at the convergence, whether somebody reads the outputs or not."""
    built = graph("START > a", "a > b, c", "x > z", "y > z", "z > d", "c > d", "d > END")
    compiled = built.add_parallel_conditional_edges("b", says([]), ["x", "y"]).compile()
    if is_read:
        names = [output.node for output in compiled.stream({})]
        assert names.index("__PARALLEL__(b)") < names.index("z")
    assert compiled.invoke({})["m"] == ["a", "b", "z", "c", "d"]


def test_an_empty_answer_of_an_open_fork() -> None:
    """R4, P14: it has no output of its own, and its branch goes on where the fork's branches would have met."""
    built = graph("START > a", "a > b, c", "c > y", "x > d", "y > d", "d > END")
    compiled = built.add_parallel_conditional_edges("b", says([]), ["x", "y"]).compile()
    trace = drive(compiled, {})
    assert trace.state == {"m": ["a", "b", "c", "y", "d"]}
    assert [name for name, _ in trace.regions()] == ["__PARALLEL__(a)"]


def test_a_fork_inside_a_region_that_chooses_only_the_end() -> None:
    """P1, P14: `END` alone leaves from the source, without a region; it ends that branch only."""
    built = graph("START > a", "a > b, c", "x > END", "c > END")
    compiled = built.add_parallel_conditional_edges("b", says([END]), ["x", END]).compile()
    trace = drive(compiled, {})
    assert trace.state == {"m": ["a", "b", "c"]}
    assert [name for name, _ in trace.regions()] == ["__PARALLEL__(a)"]


class TestNothingRuns:
    """A region that waits for nothing does not hang."""

    def waits(self) -> Generator[Any, Any, Any]:
        """Be a run that waits although nothing runs, and gives what it is told."""
        told = yield Wait([], one=False)
        return told

    def test_sync(self) -> None:
        """P12: the sync driver tells that nothing is done."""
        assert drained(SyncDriver(RunnableConfig()).outputs(self.waits())) == []

    async def test_async(self) -> None:
        """P12: the async driver does, too."""
        driver = AsyncDriver(RunnableConfig())
        assert [output async for output in driver.outputs(self.waits())] == []
        assert driver.state == []

    def test_a_fault_of_the_engine(self) -> None:
        """P12: where nobody pauses either that is an error."""
        compiled = graph("START > a", "a > b, c", "b > d", "c > d", "d > END").compile()
        steps = GraphRunnerContext(compiled._plan, RunnableConfig()).steps({})  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (the machine itself is under test)
        ask: Any = next(steps)
        while not isinstance(ask, Wait):
            ask = steps.send({})
        with pytest.raises(RuntimeError, match="a region waits, but nothing runs in it"):
            steps.send([])
