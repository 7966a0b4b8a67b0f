"""P2: branches are independent: shown by events, not by time."""

import asyncio
import threading

import pytest

from graph_core import INLINE, RunnableConfig, StreamMode
from graph_core_tests.shapes import Action, State, Update, graph, within

FORK = ("START > a", "a > slow, fast", "fast > next", "slow > d", "next > d", "d > END")


def meeting(barrier: threading.Barrier) -> Action:
    """Make a sync node that waits for the others."""

    def act(state: State) -> Update:
        barrier.wait(20)
        return {"m": "met"}

    return act


class TestSlowBranches:
    @pytest.mark.parametrize("sync", [True, False])
    def test_sync(self, *, sync: bool) -> None:
        """P2: `next` runs while `slow` is still running: slow ends only after it; so under both verbs."""
        gate = threading.Event()

        def slow(state: State) -> Update:
            assert gate.wait(20)
            return {"m": "slow"}

        def following(state: State) -> Update:
            gate.set()
            return {"m": "next"}

        compiled = graph(*FORK, slow=slow, next=following).compile()
        state = within(lambda: compiled.invoke({}) if sync else asyncio.run(compiled.ainvoke({})))
        assert state["m"] == ["a", "slow", "fast", "next", "d"]

    @pytest.mark.parametrize("sync", [True, False])
    def test_async(self, *, sync: bool) -> None:
        """P2: async branches, under both verbs."""
        gate = asyncio.Event()

        async def slow(state: State) -> Update:
            await asyncio.wait_for(gate.wait(), 20)
            return {"m": "slow"}

        async def following(state: State) -> Update:
            gate.set()
            return {"m": "next"}

        compiled = graph(*FORK, slow=slow, next=following).compile()
        run = (lambda: compiled.invoke({})) if sync else (lambda: asyncio.run(compiled.ainvoke({})))
        assert within(run)["m"] == ["a", "slow", "fast", "next", "d"]

    def test_an_async_slow_branch_beside_inline_ones(self) -> None:
        """P2: an async branch does not keep inline ones from going on."""
        gate = asyncio.Event()

        async def slow(state: State) -> Update:
            await asyncio.wait_for(gate.wait(), 20)
            return {"m": "slow"}

        def following(state: State) -> Update:
            gate.set()
            return {"m": "next"}

        compiled = graph(*FORK, slow=slow, next=following).compile()
        config = RunnableConfig(default_parallel_executor=INLINE)
        assert within(lambda: asyncio.run(compiled.ainvoke({}, config)))["m"][1:4] == ["slow", "fast", "next"]

    def test_a_slow_router(self) -> None:
        """P2: a router that blocks delays its own branch only."""
        gate = threading.Event()

        def route(state: State) -> str:
            assert gate.wait(20)
            return "d"

        def following(state: State) -> Update:
            gate.set()
            return {"m": "next"}

        built = graph("START > a", "a > slow, fast", "fast > next", "next > d", "d > END", next=following)
        compiled = built.add_conditional_edges("slow", route, ["d"]).compile()
        assert within(lambda: compiled.invoke({}))["m"] == ["a", "slow", "fast", "next", "d"]

    def test_a_slow_branch_of_an_inner_region(self) -> None:
        """P2: nor does a slow branch inside an inner region delay the outer ones."""
        gate = threading.Event()

        def slow(state: State) -> Update:
            assert gate.wait(20)
            return {"m": "x"}

        def following(state: State) -> Update:
            gate.set()
            return {"m": "k"}

        edges = ("START > a", "a > b, c", "b > x, y", "x > z", "y > z", "z > d", "c > k", "k > d", "d > END")
        compiled = graph(*edges, x=slow, k=following).compile()
        assert within(lambda: compiled.invoke({}))["m"] == ["a", "b", "x", "y", "z", "c", "k", "d"]

    def test_outputs_come_as_they_are_done(self) -> None:
        """P11: the stream shows a fast branch while a slow one is running."""
        gate = threading.Event()

        def slow(state: State) -> Update:
            assert gate.wait(20)
            return {"m": "slow"}

        config = RunnableConfig(stream_mode=StreamMode.UPDATES)
        outputs = graph(*FORK, slow=slow).compile().stream({}, config)
        assert [next(outputs).node for _ in range(4)][2:] == ["fast", "next"]
        gate.set()
        assert next(outputs).node == "slow"

    async def test_outputs_come_as_they_are_done_in_a_loop(self) -> None:
        """P11: the same for `astream`."""
        gate = asyncio.Event()

        async def slow(state: State) -> Update:
            await asyncio.wait_for(gate.wait(), 20)
            return {"m": "slow"}

        outputs = graph(*FORK, slow=slow).compile().astream({})
        assert [(await anext(outputs)).node for _ in range(4)][2:] == ["fast", "next"]
        gate.set()
        assert (await anext(outputs)).node == "slow"


class TestOverlap:
    def test_two_blocking_branches(self) -> None:
        """P10: two blocking sync branches overlap by default: each waits for the other."""
        action = meeting(threading.Barrier(2))
        compiled = graph("START > a, b", "a > END", "b > END", make=lambda _: action).compile()
        assert within(lambda: compiled.invoke({}))["m"] == ["met", "met"]

    def test_two_blocking_branches_of_an_async_run(self) -> None:
        """P10: under the async verbs, too."""
        action = meeting(threading.Barrier(2))
        compiled = graph("START > a, b", "a > END", "b > END", make=lambda _: action).compile()
        assert within(lambda: asyncio.run(compiled.ainvoke({})))["m"] == ["met", "met"]

    def test_a_branch_that_comes_later(self) -> None:
        """P2: a branch's second node overlaps with another one's first."""
        action = meeting(threading.Barrier(2))
        compiled = graph(*FORK, slow=action, next=action).compile()
        assert within(lambda: compiled.invoke({}))["m"] == ["a", "met", "fast", "met", "d"]

    def test_branches_of_two_regions(self) -> None:
        """P2: branches of an inner and of an outer region overlap."""
        action = meeting(threading.Barrier(3))
        edges = ("START > a", "a > b, c", "b > x, y", "x > z", "y > z", "z > d", "c > d", "d > END")
        compiled = graph(*edges, x=action, y=action, c=action).compile()
        assert within(lambda: compiled.invoke({}))["m"] == ["a", "b", "met", "met", "z", "met", "d"]

    def test_inline_does_not_overlap(self) -> None:
        """P10: INLINE runs one after the other, first in, first out, ties in branch order."""
        order: list[str] = []

        def noting(name: str) -> Action:
            def act(state: State) -> Update:
                order.append(name)
                return {"m": name}

            return act

        compiled = graph("START > a", "a > c, b", "b > x", "c > y", "x > d", "y > d", "d > END", make=noting).compile()
        compiled.invoke({}, RunnableConfig(default_parallel_executor=INLINE))
        assert order == ["a", "c", "b", "y", "x", "d"]
