"""P10: context variables reach every node, route and branch."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from graph_core import END, INLINE, RunnableConfig
from graph_core_tests.shapes import RUNNERS, Runner, State, Update, graph, on

VAR: ContextVar[str] = ContextVar("VAR", default="unset")
FORK = ("START > a", "a > b, c", "b > x", "x > d", "c > d", "d > END")


def read(state: State) -> Update:
    """Append the variable."""
    return {"m": VAR.get()}


async def async_read(state: State) -> Update:
    """Append the variable, in a task."""
    await asyncio.sleep(0)
    return {"m": VAR.get()}


@pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
@pytest.mark.parametrize("action", [read, async_read])
class TestReach:
    def test_every_node(self, run: Runner, action: object) -> None:
        """P10: the main path and all branches see what the caller set."""
        token = VAR.set("set")
        try:
            assert (
                run(graph(*FORK, make=lambda _: read if action is read else async_read).compile(), {}, None).state["m"]
                == ["set"] * 5
            )
        finally:
            VAR.reset(token)


def test_a_router() -> None:
    """P10: routers, too, in a branch and outside."""
    built = graph("START > a", "a > b, c", "c > d").add_conditional_edges("b", on(lambda state: VAR.get()), ["d"])
    built.add_conditional_edges("d", on(lambda state: {"d": END}[VAR.get()]), ["d", END])
    token = VAR.set("d")
    try:
        assert built.compile().invoke({})["m"] == ["a", "b", "c", "d"]
    finally:
        VAR.reset(token)


@pytest.mark.parametrize("way", ["executor", "fork", "node"])
async def test_an_executor_of_the_users(way: str) -> None:
    """P10: also through an executor, sync and async."""
    VAR.set("set")
    with ThreadPoolExecutor(2) as pool:
        config = {
            "executor": RunnableConfig(default_parallel_executor=pool),
            "fork": RunnableConfig(parallel_executors={"a": pool}),
            "node": RunnableConfig(),
        }[way]
        built = graph("START > a", "c > d", "d > END", a=read, c=read, d=read)
        built.add_node("b", read, executor=pool if way == "node" else None).add_edge("a", ["b", "c"]).add_edge("b", "d")
        compiled = built.compile()
        assert compiled.invoke({}, config)["m"] == ["set"] * 4
        assert (await compiled.ainvoke({}, config))["m"] == ["set"] * 4


@pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
def test_a_branch_does_not_reach_its_sibling(run: Runner) -> None:
    """P2: what an async branch sets stays in it."""

    async def write(state: State) -> Update:
        VAR.set("mine")
        await asyncio.sleep(0)
        return {"m": "w"}

    result = run(graph(*FORK, make=lambda _: async_read, b=write).compile(), {}, None)
    assert result.state["m"][1] == "w"
    assert result.state["m"][3] == "unset"


async def test_a_pooled_branch_has_a_copy() -> None:
    """P10: what a sync branch sets in the pool does not come back."""

    def write(state: State) -> Update:
        VAR.set("mine")
        return {"m": "w"}

    compiled = graph(*FORK, make=lambda _: read, b=write).compile()
    assert (await compiled.ainvoke({}))["m"] == ["unset", "w", "unset", "unset", "unset"]
    assert compiled.invoke({}, RunnableConfig(default_parallel_executor=None))["m"][1] == "w"
    assert VAR.get() == "unset"


def test_inline_is_the_callers_own_context() -> None:
    """P10: INLINE runs where the engine runs, on the caller's context."""

    def write(state: State) -> Update:
        VAR.set("mine")
        return {"m": "w"}

    token = VAR.set("before")
    try:
        compiled = graph("START > a", "a > END", a=write).compile()
        compiled.invoke({}, RunnableConfig(default_parallel_executor=INLINE))
        assert VAR.get() == "mine"
    finally:
        VAR.reset(token)
