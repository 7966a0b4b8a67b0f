"""X5, C5: concurrent runs of one compiled graph do not see each other."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from graph_core import END, RunnableConfig
from graph_core_tests.shapes import Compiled, State, Update, async_appends, graph, on, shown

FORK = ("START > a", "a > b, c", "b > d", "c > d")


def build(*, is_async: bool) -> Compiled:
    """Make a loop around a fork whose nodes append what the run began with."""

    def act(state: State, config: RunnableConfig) -> Update:
        config.run_data["n"] = config.run_data.get("n", 0)
        return {"m": f"{config.node_id}{state['who']}"}

    async def later(state: State, config: RunnableConfig) -> Update:
        await asyncio.sleep(0)
        return act(state, config)

    built = graph(*FORK, make=lambda _: later if is_async else act)
    return built.add_conditional_edges("d", on(lambda state: len(state["m"]) < 12), {True: "a", False: END}).compile()


def expected(who: int) -> list[str]:
    """What the run of one caller appends."""
    return [f"{name}{who}" for name in "abcd"] * 3


async def test_200_concurrent_ainvokes() -> None:
    """X5: 200 runs at once on one loop."""
    for is_async in (True, False):
        compiled = build(is_async=is_async)
        states = await asyncio.gather(*[compiled.ainvoke({"who": who}) for who in range(200)])
        assert [state["m"] for state in states] == [expected(who) for who in range(200)]


def test_50_threads_of_invoke() -> None:
    """X5: 50 threads that start at the same time."""
    for is_async in (True, False):
        compiled = build(is_async=is_async)
        together = threading.Barrier(50)

        def run(who: int, compiled: Compiled = compiled, together: threading.Barrier = together) -> list[str]:
            together.wait(20)
            found: list[str] = compiled.invoke({"who": who})["m"]
            return found

        with ThreadPoolExecutor(50) as pool:
            assert list(pool.map(run, range(50))) == [expected(who) for who in range(50)]


class TestThreadIds:
    def test_two_runs_share_nothing(self) -> None:
        """X5 Δ: without a thread id nothing is kept (in Java the second run goes on with the first one's state)."""
        compiled = graph("START > a", "a > END").compile()
        assert compiled.invoke({})["m"] == compiled.invoke({})["m"] == ["a"]

    def test_each_has_its_own(self) -> None:
        """X5: a random id each."""
        compiled = graph("START > a", "a > END").compile()
        ids = {compiled.run({}).config.thread_id for _ in range(50)}
        assert len(ids) == 50
        assert None not in ids

    async def test_result_outputs_and_nodes_agree(self) -> None:
        """X5: the result and the outputs name the id that the nodes saw."""

        def note(state: State, config: RunnableConfig) -> Update:
            return {"m": config.thread_id}

        compiled = graph("START > a", "a > END", a=note).compile()
        result = compiled.run({})
        assert result.state["m"] == [result.config.thread_id]
        async_result = await compiled.arun({})
        assert async_result.state["m"] == [async_result.config.thread_id]
        last = compiled.invoke_and_get_output({})
        assert shown(last)["m"] == [(last.config or RunnableConfig()).thread_id]

    def test_the_callers_config_stays_as_it_is(self) -> None:
        """api: a config is a record; a run does not write to it."""
        config = RunnableConfig()
        graph("START > a", "a > END", a=async_appends("a")).compile().invoke({}, config)
        assert config.thread_id is None
