"""Regions of a size: copies, wide forks, deep nesting, loops around a fork."""

import operator
from typing import Any

import pytest

from graph_core import APPEND, END, INLINE, START, RunnableConfig, Send, StateGraph
from graph_core_tests.shapes import RUNNERS, Compiled, Runner, State, Update, appends, async_appends, graph, on, says

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)


def copies(count: int, *, is_async: bool) -> Compiled:
    """Send copies of a node."""

    def work(state: State) -> Update:
        return {"m": state["item"]}

    async def later(state: State) -> Update:
        return {"m": state["item"]}

    built = graph("START > a", "w > z", "z > END", a=says({}), z=says({}), w=later if is_async else work)
    answer = [Send("w", {"item": item}) for item in range(count)]
    return built.add_parallel_conditional_edges("a", says(answer), ["w"]).compile()


@pytest.mark.parametrize("is_async", [False, True], ids=["sync nodes", "async nodes"])
@each_runner
def test_10000_sends(run: Runner, *, is_async: bool) -> None:
    """P6: 10,000 sends work, and merge in their order."""
    assert run(copies(10_000, is_async=is_async), {}, None).state["m"] == list(range(10_000))


@each_runner
def test_a_1000_way_fork(run: Runner) -> None:
    """P: a fork with 1,000 fixed targets."""
    names = [f"n{i}" for i in range(1000)]
    compiled = graph(f"START > {', '.join(names)}", *[f"{name} > z" for name in names], "z > END").compile()
    result = run(compiled, {}, None)
    assert result.state["m"] == [*names, "z"]
    assert {step for name, step in result.steps if name != "z"} == {1}


def nested(depth: int, make: Any) -> Compiled:
    """Make regions inside each other: fork i has a plain branch and one that holds fork i + 1."""
    edges = ["START > f0"]
    for i in range(depth):
        edges += [f"f{i} > f{i + 1}, p{i}", f"p{i} > j{i}", f"j{i + 1} > j{i}"]
    return graph(*edges, f"f{depth} > j{depth}", "j0 > END", make=make).compile()


@pytest.mark.parametrize("make", [appends, async_appends], ids=["sync nodes", "async nodes"])
@each_runner
def test_regions_nested_30_deep(run: Runner, make: Any) -> None:
    """P: regions inside regions; inner ones are shown first."""
    result = run(nested(30, make), {}, None)
    downwards = [f"f{i}" for i in range(31)]
    upwards = ["j30", *[name for i in reversed(range(30)) for name in (f"p{i}", f"j{i}")]]
    assert result.state["m"] == [*downwards, *upwards]
    assert [name for name, _ in result.regions] == [f"__PARALLEL__(f{i})" for i in reversed(range(30))]


def loop(rounds: int) -> Compiled:
    """Make a loop around a fork that counts its rounds."""
    built = StateGraph({"n": operator.add}).add_node("a", says({})).add_node("b", says({"n": 1}))
    built.add_node("c", says({})).add_node("d", says({})).add_edge(START, "a").add_edge("a", ["b", "c"])
    built.add_edge(["b", "c"], "d").add_conditional_edges(
        "d", on(lambda state: state["n"] < rounds), {True: "a", False: END}
    )
    return built.compile()


@pytest.mark.parametrize("executor", [None, INLINE], ids=["pool", "inline"])
def test_a_loop_of_2000_rounds_around_a_fork(executor: Any) -> None:
    """X2, P15: rounds leave nothing behind; each counts three steps."""
    config = RunnableConfig(recursion_limit=6000, default_parallel_executor=executor)
    assert loop(2000).invoke({"n": 0}, config)["n"] == 2000
    error = loop(2000).try_invoke({"n": 0}, RunnableConfig(recursion_limit=5999, default_parallel_executor=INLINE))
    assert error.failure().code == "recursion_limit"


async def test_a_loop_of_2000_rounds_in_an_event_loop() -> None:
    """X2: the same under the async verbs."""
    config = RunnableConfig(recursion_limit=6000, default_parallel_executor=INLINE)
    assert (await loop(2000).ainvoke({"n": 0}, config))["n"] == 2000


def test_a_region_that_is_left_backwards_2000_times() -> None:
    """P15: leaving backwards ends the region each time, so nothing grows."""
    built = graph(
        "START > a",
        "a > b, c",
        "b > d",
        "d > END",
        strategies={"n": operator.add},
        make=lambda _: says({}),
        c=says({"n": 1}),
    )
    built.add_conditional_edges("c", on(lambda state: state["n"] < 2000), {True: "a", False: "d"})
    config = RunnableConfig(recursion_limit=4001, default_parallel_executor=INLINE)
    assert built.compile().invoke({"n": 0}, config)["n"] == 2000


def test_a_long_branch() -> None:
    """P2: a branch of 2,000 nodes beside a short one."""
    names = [f"n{i}" for i in range(2000)]
    built = (
        StateGraph({"m": APPEND}).add_sequence(*[(name, appends(name)) for name in names]).add_node("c", appends("c"))
    )
    built.add_node("z", appends("z")).add_edge(START, ["n0", "c"]).add_edge(["n1999", "c"], "z").add_edge("z", END)
    config = RunnableConfig(recursion_limit=2001, default_parallel_executor=INLINE)
    assert built.compile().invoke({}, config)["m"] == [*names, "c", "z"]
