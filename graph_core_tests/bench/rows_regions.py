"""Rows with a parallel region: fork, choice, sends, waiting branches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from graph_core_tests.bench import floor, minimal, ours
from graph_core_tests.bench.measure import MILLI, Variant
from graph_core_tests.bench.row import OURS, Row, Target, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graph_core import CompiledGraph
    from graph_core_tests.bench.measure import Settings

N, TARGETS, CHOSEN, WAITING = 1000, 100, 10, 100
SECONDS = 0.01


def _done(count: int) -> Callable[[Any], bool]:
    return lambda state: bool(state["done"] == count)


def _threads(app: CompiledGraph, yardstick: Callable[[], object], count: int) -> Sequence[Variant]:
    """The default executor against the same calls on a plain thread pool."""
    return (
        Variant("thread pool", yardstick, _done(count), count),
        Variant(OURS, lambda: app.invoke(ours.NOTHING), _done(count), count),
    )


def _inline(
    app: CompiledGraph, graph: minimal.Graph, start: str, floor_run: Callable[[], object], count: int
) -> Sequence[Variant]:
    """On the engine's own thread against the interpreter."""
    return (
        Variant("floor", floor_run, _done(count), count),
        Variant("minimal", lambda: graph.run(start, minimal.NOTHING), _done(count), count),
        Variant(OURS, lambda: app.invoke(ours.NOTHING, ours.ON_THE_ENGINE), _done(count), count),
    )


def _async(
    app: CompiledGraph, graph: minimal.Graph, start: str, floor_run: Callable[[], object], count: int
) -> Sequence[Variant]:
    """Tasks against gathered coroutines."""

    async def run_minimal() -> object:
        return await graph.arun(start, minimal.NOTHING)

    async def run_ours() -> object:
        return await app.ainvoke(ours.NOTHING)

    return (
        Variant("floor", floor_run, _done(count), count),
        Variant("minimal", run_minimal, _done(count), count),
        Variant(OURS, run_ours, _done(count), count),
    )


def fan_threads(settings: Settings) -> Sequence[Variant]:
    """A fork of 1000 workers on the thread pool."""
    n = settings.size(N)
    return _threads(ours.fan(n, None), floor.threads_fan(n, n), n)


def fan_inline(settings: Settings) -> Sequence[Variant]:
    """A fork of 1000 workers on the engine's thread."""
    n = settings.size(N)
    return _inline(ours.fan(n, None), minimal.fan(n, None, minimal.plain), "start", floor.fan(n, n), n)


def fan_async(settings: Settings) -> Sequence[Variant]:
    """A fork of 1000 asynchronous workers."""
    n = settings.size(N)
    graph = minimal.fan(n, None, minimal.tasks)
    return _async(ours.fan(n, None, ours.tasks), graph, "start", floor.async_fan(n, n), n)


def choose_threads(settings: Settings) -> Sequence[Variant]:
    """10 of 100 targets on the thread pool."""
    n, k = settings.size(TARGETS), settings.size(CHOSEN)
    return _threads(ours.fan(n, k), floor.threads_fan(n, k), k)


def choose_inline(settings: Settings) -> Sequence[Variant]:
    """10 of 100 targets on the engine's thread."""
    n, k = settings.size(TARGETS), settings.size(CHOSEN)
    return _inline(ours.fan(n, k), minimal.fan(n, k, minimal.plain), "start", floor.fan(n, k), k)


def choose_async(wrap_route: ours.WrapRoute, settings: Settings) -> Sequence[Variant]:
    """10 of 100 asynchronous targets; our condition is of either kind."""
    n, k = settings.size(TARGETS), settings.size(CHOSEN)
    return _async(
        ours.fan(n, k, ours.tasks, wrap_route), minimal.fan(n, k, minimal.tasks), "start", floor.async_fan(n, k), k
    )


def send_threads(settings: Settings) -> Sequence[Variant]:
    """1000 sends on the thread pool."""
    n = settings.size(N)
    return _threads(ours.send(n), floor.threads_send(n), n)


def send_inline(settings: Settings) -> Sequence[Variant]:
    """1000 sends on the engine's thread."""
    n = settings.size(N)
    return _inline(ours.send(n), minimal.send(n, minimal.plain), "plan", floor.send(n), n)


def send_async(settings: Settings) -> Sequence[Variant]:
    """1000 sends to an asynchronous worker."""
    n = settings.size(N)
    return _async(
        ours.send(n, ours.tasks, ours.task_route), minimal.send(n, minimal.tasks), "plan", floor.async_send(n), n
    )


def waits(settings: Settings) -> Sequence[Variant]:
    """100 nodes that wait 10 ms each."""
    n = settings.size(WAITING)
    app, graph = ours.fan(n, None, ours.tasks, wait=SECONDS), minimal.fan(n, None, minimal.tasks, SECONDS)
    return tuple(attrs.evolve(item, units=1) for item in _async(app, graph, "start", floor.waits(n, SECONDS), n))


ASYNC_CONDITION, SYNC_CONDITION = partial(choose_async, ours.task_route), partial(choose_async, ours.plain_route)
BRANCH = "µs per branch"
POOL, INTERPRETED, TASKS = (Target(2, "thread pool"),), (Target(4, "minimal"),), (Target(2, "floor"),)
FEW = (Target(3, "floor"),)
WAITS = (Target(12.5), Target(1.15, "floor"))  # where the 12.5 ms were set, the floor took 10.8 ms

ROWS = (
    Row("fan-threads", "fork of 1000 no-op nodes, sync, thread pool", BRANCH, timed(fan_threads), POOL),
    Row("fan-inline", "fork of 1000 no-op nodes, sync, `INLINE`", BRANCH, timed(fan_inline), INTERPRETED),
    Row("fan-async", "fork of 1000 no-op nodes, async", BRANCH, timed(fan_async), TASKS),
    Row("choose-threads", "choose 10 of 100 targets, sync, thread pool", BRANCH, timed(choose_threads)),
    Row("choose-inline", "choose 10 of 100 targets, sync, `INLINE`", BRANCH, timed(choose_inline)),
    Row("choose-async", "choose 10 of 100 targets, async", BRANCH, timed(ASYNC_CONDITION), FEW),
    Row("choose-mixed", "the same, async nodes, sync condition", BRANCH, timed(SYNC_CONDITION), FEW),
    Row("send-threads", "send 1000 items, sync, thread pool", BRANCH, timed(send_threads)),
    Row("send-inline", "send 1000 items, sync, `INLINE`", BRANCH, timed(send_inline)),
    Row("send-async", "send 1000 items, async", BRANCH, timed(send_async), FEW),
    Row("waits", "100 nodes that wait 10 ms each, async", "ms in all", timed(waits, MILLI), WAITS),
)
