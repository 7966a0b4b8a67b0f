"""Ways to run a graph, executors and choosers that decide what completes when, and counters."""

import asyncio
import threading
from collections import Counter as Counts
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, ParamSpec, Protocol, TypeVar, cast, final

import attrs
import pytest

from graph_core import (
    INLINE,
    CompileConfig,
    GraphRunnerException,
    NodeAggregationStrategy,
    RunnableConfig,
    StateGraph,
)
from graph_core.runner.branch import Branch, Region
from graph_core.runner.crew import POOL_SIZE, default_pool
from graph_core_tests.drive import Choose
from graph_core_tests.shapes import Action, Compiled, State, Update, appends, graph, within

P = ParamSpec("P")
T = TypeVar("T")

ALL_OF, ANY_OF = NodeAggregationStrategy.ALL_OF, NodeAggregationStrategy.ANY_OF
ANY = RunnableConfig(default_aggregation=ANY_OF)
WAIT = CompileConfig(on_branch_error="wait")
FORK = ("START > a", "a > b, c", "b > d", "c > d", "d > END")
NESTED = ("START > a", "a > b, c", "b > x, y", "x > z", "y > z", "z > d", "c > d", "d > END")
"""An outer fork at a, whose branch b is a closed fork that converges at z."""


@final
@attrs.define
class Ended:
    """How a run ended: with a state or an error."""

    state: Mapping[str, Any] | None = None
    error: GraphRunnerException | None = None

    @property
    def m(self) -> list[Any]:
        """The key `m` of the final state."""
        assert self.state is not None, repr(self.error)
        found: list[Any] = self.state["m"]
        return found

    @property
    def failure(self) -> GraphRunnerException:
        """The error that ended the run."""
        assert self.error is not None, repr(self.state)
        return self.error


class Way(Protocol):
    """A way to run a graph to its end."""

    def __call__(self, compiled: Compiled, config: RunnableConfig, inputs: Mapping[str, Any] = ..., /) -> Ended:
        """Run."""
        ...


_NOTHING: Mapping[str, Any] = {}


def _ended(call: Callable[[], Mapping[str, Any]]) -> Ended:
    context = copy_context()
    try:
        return Ended(state=dict(within(lambda: context.run(call), 60)))
    except GraphRunnerException as error:
        return Ended(error=error)


def by_sync(compiled: Compiled, config: RunnableConfig, inputs: Mapping[str, Any] = _NOTHING) -> Ended:
    """Run under the sync verbs."""
    return _ended(lambda: compiled.invoke(inputs, config))


def by_inline(compiled: Compiled, config: RunnableConfig, inputs: Mapping[str, Any] = _NOTHING) -> Ended:
    """Run under the sync verbs, sync actions on the engine's own thread."""
    return by_sync(compiled, attrs.evolve(config, default_parallel_executor=INLINE), inputs)


def by_async(compiled: Compiled, config: RunnableConfig, inputs: Mapping[str, Any] = _NOTHING) -> Ended:
    """Run under the async verbs."""
    return _ended(lambda: asyncio.run(compiled.ainvoke(inputs, config)))


def by_sync_in_a_loop(compiled: Compiled, config: RunnableConfig, inputs: Mapping[str, Any] = _NOTHING) -> Ended:
    """Run under the sync verbs, called where an event loop runs."""

    async def call() -> Mapping[str, Any]:
        return compiled.invoke(inputs, config)

    return _ended(lambda: asyncio.run(call()))


WAYS: Mapping[str, Way] = {"sync": by_sync, "inline": by_inline, "async": by_async, "in_a_loop": by_sync_in_a_loop}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
each_looped_way = pytest.mark.parametrize(
    "way", [by_sync, by_async, by_sync_in_a_loop], ids=["sync", "async", "in_a_loop"]
)
each_threaded_way = pytest.mark.parametrize("way", [by_sync, by_async], ids=["sync", "async"])


def tree(error: BaseException) -> Any:
    """Give the nodes of an error: an id, or for several failures the id of the first and the nodes of all."""
    assert isinstance(error, GraphRunnerException), repr(error)
    if not isinstance(error.__cause__, BaseExceptionGroup):
        return error.node_id
    return error.node_id, [tree(each) for each in several(error)]


def several(error: GraphRunnerException) -> tuple[GraphRunnerException, ...]:
    """Give the failures that one error tells of."""
    group = cast("ExceptionGroup[GraphRunnerException]", error.__cause__)
    assert isinstance(group, ExceptionGroup)
    return cast("tuple[GraphRunnerException, ...]", group.exceptions)


def first(*names: str) -> Choose:
    """Choose what completes: of what runs, the node that is named first; those not named come last."""
    order = {name: position for position, name in enumerate(names)}

    def choose(running: Sequence[Branch]) -> int:
        return min(range(len(running)), key=lambda at: (order.get(running[at].node.id, len(order)), at))

    return choose


@final
class Together(Executor):
    """An executor that runs nothing until it has a number of calls, then all of them in an order.

    So the run learns of all of them at the same time.

    Args:
        order: positions of the calls, in the order in which they complete.
    """

    def __init__(self, *order: int) -> None:
        self._order = order
        self._calls: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Keep a call until there are enough."""
        future: Future[T] = Future()
        self._calls.append((future, lambda: fn(*args, **kwargs)))
        if len(self._calls) == len(self._order):
            calls, self._calls = self._calls, []
            for position in self._order:
                _complete(*calls[position])
        return future


def _complete(future: Future[Any], call: Callable[[], Any]) -> None:
    try:
        future.set_result(call())
    except Exception as error:  # noqa: BLE001  (what the action raised is its outcome)
        future.set_exception(error)


@final
class Threads(Executor):
    """A small executor of one's own: a thread for each call; `told` is set when the run knows of one's end."""

    def __init__(self) -> None:
        self.told = threading.Event()
        self._threads: list[threading.Thread] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Start a thread."""
        future: Future[T] = Future()
        work = threading.Thread(target=self._run, args=(future, lambda: fn(*args, **kwargs)), name="own")
        self._threads.append(work)
        work.start()
        return future

    def _run(self, future: Future[Any], call: Callable[[], Any]) -> None:
        _complete(future, call)
        self.told.set()

    def join(self) -> None:
        """Wait for all threads."""
        for thread in self._threads:
            thread.join()


@final
class Counter:
    """Counts what is inside at once, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = 0
        self.most = 0
        self.all = 0

    @contextmanager
    def inside(self) -> Generator[int]:
        """Be inside; gives how many came before."""
        with self._lock:
            number = self.all
            self.all += 1
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            yield number
        finally:
            with self._lock:
                self._now -= 1


def forked(*names: str, make: Callable[[str], Action] = appends, **nodes: Any) -> StateGraph:
    """Build START → a → all names → d → END."""
    edges = ["START > a", f"a > {', '.join(names)}", *[f"{name} > d" for name in names], "d > END"]
    return graph(*edges, make=make, **nodes)


class Watch:
    """Chooses what completes, and notes how many calls ran at once: in all, and in each activation of a fork.

    Args:
        choose: makes the choice; else the oldest call completes.
    """

    def __init__(self, choose: Choose = lambda _: 0) -> None:
        self._choose = choose
        self.most = 0
        self.by_fork: Counts[str] = Counts()

    def __call__(self, running: Sequence[Branch]) -> int:
        """Note, and choose."""
        self.most = max(self.most, len(running))
        for (fork, _), count in Counts(fork for branch in running for fork in _around(branch)).items():
            self.by_fork[fork] = max(self.by_fork[fork], count)
        return self._choose(running)


def _around(branch: Branch) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    region: Region | None = branch.region
    while region is not None:
        found.append((region.plan.fork.source.id, id(region)))
        region = region.parent.region if region.parent is not None else None
    return found


def after(event: threading.Event, name: str) -> Action:
    """Make a node that waits for an event, then appends its id."""

    def act(state: State) -> Update:
        assert event.wait(60)
        return {"m": name}

    return act


async def set_soon(event: threading.Event) -> None:
    """Wait for an event of threads while the loop goes on."""
    assert await asyncio.to_thread(event.wait, 60)


def until_threads_are_idle() -> None:
    """Wait until every thread of the shared pool is free, so that nothing of an earlier run is in it."""
    together = threading.Barrier(POOL_SIZE)
    for call in [default_pool().submit(together.wait, 60) for _ in range(POOL_SIZE)]:
        call.result(60)
