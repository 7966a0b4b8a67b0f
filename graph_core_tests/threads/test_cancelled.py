"""X1, X4, K7: a run that is cancelled or closed anywhere leaves a thread that can be gone on with, and nothing else."""

import asyncio
import threading
import types
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, TypeVar

import pytest

from graph_core import END, INLINE, CompileConfig, RunnableConfig, StateGraph
from graph_core.checkpoint import BaseCheckpointSaver
from graph_core_tests.shapes import Action, State, Update, appends, async_appends, graph, run_async, run_sync
from graph_core_tests.threads.evidence import committed
from graph_core_tests.threads.graphs import SHAPES, chain, nested, region, sends
from graph_core_tests.threads.machine import Compiled, Steps, drive
from graph_core_tests.threads.savers import opened, watched

T = TypeVar("T")
GO_ON: Any = None
"""The inputs of a call that goes on with its thread."""
CONFIG = RunnableConfig(thread_id="t")
BUILDS = {"chain": chain, "region": region, "nested": nested, "sends": sends}
each_saver = pytest.mark.parametrize("saver_name", ["memory", "serialized", "database"])
each_build = pytest.mark.parametrize("name", sorted(BUILDS))


def slowly(_: str, action: Action) -> Action:
    """Make a node asynchronous: the loop has two turns before it acts, and one after."""

    async def act(state: State) -> Any:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        update = action(state)
        await asyncio.sleep(0)
        return update

    return act


@types.coroutine
def disturbed(work: Coroutine[Any, Any, T], at: Callable[[int], bool]) -> Generator[Any, Any, T]:
    """Do some work, and cancel its task at the awaits that are named by their number."""
    task, number = asyncio.current_task(), 0
    value: Any = None
    error: BaseException | None = None
    while True:
        try:
            waits_for = work.send(value) if error is None else work.throw(error)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        if at(number) and task is not None:
            task.cancel()
        number += 1
        try:
            value, error = (yield waits_for), None
        except BaseException as raised:  # noqa: BLE001  (handed on)
            value, error = None, raised


async def awaited(work: Awaitable[T]) -> T:
    """Await, in a task of its own."""
    return await work


def cancelled_at(compiled: Compiled, config: RunnableConfig, at: Callable[[int], bool]) -> bool:
    """Run, cancelled at some awaits, and tell whether it was; nothing may be left in the loop."""

    async def main() -> bool:
        task = asyncio.create_task(awaited(disturbed(compiled.ainvoke({}, config), at)))
        try:
            await task
        except asyncio.CancelledError:
            is_cancelled = True
        else:
            is_cancelled = False
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return is_cancelled

    return asyncio.run(main())


def plain(build: Callable[..., StateGraph]) -> tuple[Steps, dict[str, Any]]:
    """Run undisturbed: what runs, and the final state."""
    ended = drive(build().compile(), {})
    assert ended.state is not None
    return ended.done, ended.state


def check(compiled: Compiled, saver: BaseCheckpointSaver, done: Steps, state: dict[str, Any], thread_id: str) -> None:
    """Go on with a thread whose run was cancelled."""
    thread, head = saver.state_of(thread_id), saver.get(thread_id)
    if thread is None:
        return
    assert thread.owner is None
    if head is None:
        return
    if head.next_node_ids == (END,):
        assert thread.status == "done"
        return
    assert thread.status == "cancelled"
    before = committed(saver, thread_id)
    again = run_async(compiled, GO_ON, RunnableConfig(thread_id=thread_id))
    assert again.error is None
    assert again.state == state
    if len(saver.list(thread_id)) > 1:
        assert Counter(again.steps) <= done
    if head.node_id == "__START__":
        assert Counter(again.steps) == done - before
    after = saver.state_of(thread_id)
    assert after is not None
    assert (after.status, after.owner) == ("done", None)


@each_saver
@each_build
@pytest.mark.parametrize("again", [None, 1, 2])
def test_at_every_await(saver_name: str, name: str, again: int | None) -> None:
    """X4, K8: cancelled at each await, some in the middle of a put, and once more while it cleans up."""
    done, state = plain(BUILDS[name])
    first = 0
    for first in range(2000):
        with opened(saver_name) as saver:
            compiled = BUILDS[name](slowly).compile(CompileConfig(checkpoint_saver=saver))
            numbers = {first} if again is None else {first, first + again}
            if not cancelled_at(compiled, CONFIG, numbers.__contains__):
                break
            before = committed(saver, "t") if saver.get("t") is not None else Counter[tuple[str, int]]()
            check(compiled, saver, done, state, "t")
            if saver.get("t") is not None:
                assert committed(saver, "t") == done
                assert before <= done
    assert first > 8


@each_build
def test_a_private_run_at_every_await(name: str) -> None:
    """X5: a private run that is cancelled keeps one checkpoint, from which it can go on."""
    done, state = plain(BUILDS[name])
    kept = 0
    for first in range(2000):
        with opened("memory") as saver:
            compiled = BUILDS[name](slowly).compile(CompileConfig(checkpoint_saver=saver, detect_mutation=False))
            if not cancelled_at(compiled, RunnableConfig(), first.__eq__):
                assert saver.threads() == ()
                break
            for thread_id in saver.threads():
                kept += 1
                assert len(saver.list(thread_id)) == 1
                check(compiled, saver, done, state, thread_id)
    assert kept > 5


def other_threads() -> set[str]:
    """Name the threads that belong to one run: loops, and nothing of the shared pools."""
    return {thread.name for thread in threading.enumerate() if thread.name == "graph_core loop"}


@each_saver
@pytest.mark.parametrize("name", sorted(name for name, shape in SHAPES.items() if not shape.any_of))
@pytest.mark.parametrize("way", ["sync", "inline", "async"])
def test_closed_at_every_output(saver_name: str, name: str, way: str) -> None:
    """X1, K7: whoever stops reading leaves a thread that can be gone on with, or one that is done."""
    shape = SHAPES[name]
    done, state = plain(shape.build)
    config = RunnableConfig(thread_id="t", default_parallel_executor=INLINE if way == "inline" else None)
    with opened(saver_name) as saver:
        compiled = shape.build().compile(CompileConfig(checkpoint_saver=saver, **shape.options))
        count = 0
        for count in range(1, 100):
            thread_id = f"t{count}"
            read = _read_async if way == "async" else _read
            nodes = read(compiled, config.with_thread_id(thread_id), count)
            assert other_threads() == set()
            if nodes[-1] == END and len(nodes) < count:
                break
            check(compiled, saver, done, state, thread_id)
        assert count > 4


def _read(compiled: Compiled, config: RunnableConfig, count: int) -> list[str]:
    outputs = compiled.stream({}, config)
    nodes = [output.node for _, output in zip(range(count), outputs, strict=False)]
    outputs.close()
    return nodes


def _read_async(compiled: Compiled, config: RunnableConfig, count: int) -> list[str]:
    async def read() -> list[str]:
        nodes: list[str] = []
        outputs = compiled.astream({}, config)
        async for output in outputs:
            nodes.append(output.node)
            if len(nodes) == count:
                break
        await outputs.aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return nodes

    return asyncio.run(read())


@each_saver
def test_a_sync_run_of_async_nodes_is_closed(saver_name: str) -> None:
    """X1: the private loop of such a run ends with it, also in a running loop."""
    done, state = plain(region)
    with opened(saver_name) as saver:
        compiled = region(slowly).compile(CompileConfig(checkpoint_saver=saver))

        async def inside(thread_id: str, count: int) -> None:
            _read(compiled, RunnableConfig(thread_id=thread_id), count)

        for count in range(1, 9):
            asyncio.run(inside(f"t{count}", count))
            assert other_threads() == set()
            check(compiled, saver, done, state, f"t{count}")


@each_saver
@pytest.mark.parametrize("node", ["a", "b", "d"])
def test_an_order_to_stop(saver_name: str, node: str) -> None:
    """X4: Ctrl-C in a node, on the main path or in a branch, is no failure: the thread is cancelled."""
    orders = [KeyboardInterrupt()]

    def act(state: State) -> Update:
        if orders:
            raise orders.pop()
        return {"m": node}

    with opened(saver_name) as saver:
        edges = ("START > a", "a > b, c", "b > d", "c > d", "d > END")
        built = graph(*edges, make=lambda name: act if name == node else appends(name))
        compiled = built.compile(CompileConfig(checkpoint_saver=saver))
        config = RunnableConfig(thread_id="t", default_parallel_executor=INLINE)
        with pytest.raises(KeyboardInterrupt):
            compiled.invoke({}, config)
        thread = saver.state_of("t")
        assert thread is not None
        assert (thread.status, thread.owner) == ("cancelled", None)
        assert compiled.invoke(GO_ON, config)["m"] == ["a", "b", "c", "d"]


def test_what_can_not_be_saved_when_a_run_is_closed() -> None:
    """K8: the thread is given back, even if where the run stands can not be saved; the caller learns why."""
    is_full = [False]

    def full(verb: str) -> None:
        if verb == "put" and is_full[0]:
            raise OSError("the disk is full")

    def route(state: State) -> str:
        is_full[0] = True
        raise KeyboardInterrupt

    with opened("memory") as inner:
        built = graph("START > a", "a", "b > END").add_conditional_edges("a", route, ["b", END])
        compiled = built.compile(CompileConfig(checkpoint_saver=watched(inner, full)))
        with pytest.raises(RuntimeError, match="the saver failed with OSError: the disk is full"):
            compiled.invoke({}, CONFIG)
        thread = inner.state_of("t")
        assert thread is not None
        assert (thread.status, thread.owner) == ("cancelled", None)


async def test_many_tasks() -> None:
    """C5, K8: tasks of one loop run threads of one graph; of two with one thread one is refused."""
    with opened("memory") as saver:
        built = graph("START > a", "a > b, c", "b > d", "c > d", "d > END", make=async_appends)
        compiled = built.compile(CompileConfig(checkpoint_saver=saver))
        configs = [RunnableConfig(thread_id=f"t{number // 2}") for number in range(40)]
        found = await asyncio.gather(*(compiled.atry_invoke({}, config) for config in configs))
        states = [each.unwrap() for each in found if each.value_or(None) is not None]
        codes = [each.failure().code for each in found if each.value_or(None) is None]
        assert codes == ["thread_busy"] * 20
        assert [state["m"] for state in states] == [["a", "b", "c", "d"]] * 20


def test_sync_and_async_runs_of_one_thread() -> None:
    """X1: one engine: what one world begins the other ends."""
    with opened("database") as saver:
        fails = [True]

        def act(state: State) -> Update:
            if fails[0]:
                raise OSError("down")
            return {"m": "c"}

        built = graph("START > a", "a > b, c", "b > d", "c > d", "d > END", make=appends, c=act)
        compiled = built.compile(CompileConfig(checkpoint_saver=saver))
        assert run_sync(compiled, {}, CONFIG).failure.node_id == "c"
        assert run_async(compiled, GO_ON, CONFIG).failure.node_id == "c"
        fails[0] = False
        assert run_sync(compiled, GO_ON, CONFIG).state["m"] == ["a", "b", "c", "d"]
