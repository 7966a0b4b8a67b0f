"""Issue 6: who starts a call ends it, however the run is left."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, ParamSpec, Self, TypeVar

import pytest

from graph_core import END, INLINE, START, RunnableConfig, StateGraph
from graph_core.runner.crew import POOL_SIZE
from graph_core_tests.control.ways import (
    FORK,
    Way,
    after,
    by_sync,
    by_sync_in_a_loop,
    each_looped_way,
    each_way,
    forked,
    set_soon,
    until_threads_are_idle,
)
from graph_core_tests.shapes import Action, State, Update, async_appends, graph, raises, within

P = ParamSpec("P")
T = TypeVar("T")


class Waits:
    """An async action that waits until it is cancelled, and notes when it has ended."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.ended: list[str] = []

    async def __call__(self, _: State) -> Update:
        """Wait; the end takes a turn of the loop."""
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            self.ended.append("ended")
        return {}


class Blocks:
    """A sync action that nobody can stop, until the gate is opened."""

    def __init__(self) -> None:
        self.begun, self.gate, self.ended = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, _: State) -> Update:
        """Block."""
        self.begun.set()
        assert self.gate.wait(60)
        self.ended.set()
        return {"m": "blocked"}


def notes(ran: list[str]) -> Action:
    """Make a node that must never run."""

    def act(state: State) -> Update:
        ran.append("ran")
        return {}

    return act


class TestTheTaskIsCancelled:
    async def test_async_branches(self) -> None:
        """X4: each is cancelled and awaited; no task is left."""
        one, two = Waits(), Waits()
        before = asyncio.all_tasks()
        task = asyncio.create_task(graph(*FORK, b=one, c=two).compile().ainvoke({}))
        await set_soon(one.begun)
        await set_soon(two.begun)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (one.ended, two.ended) == (["ended"], ["ended"])
        assert asyncio.all_tasks() == before

    async def test_twice(self) -> None:
        """X4: a second cancellation does not tear the run away from its branches."""
        order: list[str] = []
        closing = asyncio.Event()
        go = asyncio.Event()

        async def slow(state: State) -> Update:
            try:
                await asyncio.Event().wait()
            finally:
                closing.set()
                await go.wait()
                order.append("branch")
            return {}

        begins = Waits()
        task = asyncio.create_task(graph(*FORK, b=slow, c=begins).compile().ainvoke({}))
        await set_soon(begins.begun)
        task.cancel()
        await closing.wait()
        task.cancel()
        await asyncio.sleep(0)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        order.append("run")
        assert order == ["branch", "run"]

    async def test_a_sync_branch_is_not_waited_for(self) -> None:
        """X4: what can not be stopped is left behind, and changes nothing."""
        blocks, waits = Blocks(), Waits()
        task = asyncio.create_task(graph(*FORK, b=blocks, c=waits).compile().ainvoke({}))
        await set_soon(blocks.begun)
        await set_soon(waits.begun)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not blocks.ended.is_set()
        blocks.gate.set()
        await set_soon(blocks.ended)
        assert waits.ended == ["ended"]

    async def test_a_sync_node_of_the_main_path(self) -> None:
        """X4: a call that waits for a thread of its own executor never begins."""
        ran: list[str] = []
        gate, submitted = threading.Event(), threading.Event()
        with Telling(submitted) as pool:
            pool.submit(gate.wait, 60)
            submitted.clear()
            built = StateGraph().add_node("a", notes(ran), executor=pool)
            compiled = built.add_edge(START, "a").add_edge("a", END).compile()
            task = asyncio.create_task(compiled.ainvoke({}))
            await set_soon(submitted)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            gate.set()
        assert ran == []

    async def test_a_run_inside(self) -> None:
        """X4: a node that awaits a run of its own hands the cancellation on."""
        waits = Waits()
        inner = graph("START > x, y", "x > END", "y > END", x=waits).compile()

        async def act(state: State) -> Update:
            return {"m": (await inner.ainvoke({}))["m"]}

        before = asyncio.all_tasks()
        task = asyncio.create_task(graph(*FORK, b=act, c=async_appends("c")).compile().ainvoke({}))
        await set_soon(waits.begun)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert waits.ended == ["ended"]
        assert asyncio.all_tasks() == before

    async def test_what_waits_for_a_slot_never_begins(self) -> None:
        """P9, X4: a limit's queue goes with the run."""
        waits = Waits()
        ran: list[str] = []

        async def note(state: State) -> Update:
            ran.append("c")
            return {}

        task = asyncio.create_task(
            graph(*FORK, b=waits, c=note).compile().ainvoke({}, RunnableConfig(max_concurrency=1))
        )
        await set_soon(waits.begun)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (waits.ended, ran) == (["ended"], [])


class Telling(ThreadPoolExecutor):
    """A pool of one thread that tells when it gets a call."""

    def __init__(self, submitted: threading.Event) -> None:
        super().__init__(1)
        self._submitted = submitted

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Tell."""
        self._submitted.set()
        return super().submit(fn, *args, **kwargs)


class TestTheStreamIsClosed:
    def test_stream(self) -> None:
        """X1: closing the iterator in a region cancels what runs."""
        waits = Waits()

        def read() -> list[str]:
            compiled = graph(*FORK, b=waits, c=after(waits.begun, "c")).compile()
            stream = compiled.stream({})
            names = [next(stream).node for _ in range(3)]
            stream.close()
            return names

        assert within(read) == [START, "a", "c"]
        assert waits.ended == ["ended"]

    def test_stream_in_a_loop(self) -> None:
        """X1: the loop's own thread is gone, too."""
        waits = Waits()

        async def read() -> list[str]:
            compiled = graph(*FORK, b=waits, c=after(waits.begun, "c")).compile()
            stream = compiled.stream({})
            names = [next(stream).node for _ in range(3)]
            stream.close()
            return names

        assert within(lambda: asyncio.run(read())) == [START, "a", "c"]
        assert waits.ended == ["ended"]
        assert "graph_core loop" not in [thread.name for thread in threading.enumerate()]

    def test_a_stream_that_is_dropped(self) -> None:
        """X1: nobody holds the iterator any more."""
        waits = Waits()

        def read() -> None:
            stream = graph(*FORK, b=waits, c=after(waits.begun, "c")).compile().stream({})
            for _ in range(3):
                next(stream)

        within(read)
        assert waits.ended == ["ended"]

    async def test_astream(self) -> None:
        """X1: `aclose` waits for the branches."""
        waits = Waits()

        async def later(state: State) -> Update:
            await set_soon(waits.begun)
            return {"m": "c"}

        before = asyncio.all_tasks()
        stream = graph(*FORK, b=waits, c=later).compile().astream({})
        assert [(await anext(stream)).node for _ in range(3)] == [START, "a", "c"]
        await stream.aclose()
        assert waits.ended == ["ended"]
        assert asyncio.all_tasks() == before

    def test_what_a_pool_has_not_begun(self) -> None:
        """X1: calls that wait for a thread never begin."""
        ran: list[str] = []
        blocks = Blocks()

        def opens(state: State) -> Update:
            assert blocks.begun.wait(60)
            return {"m": "o"}

        with ThreadPoolExecutor(1) as pool:
            built = forked("b", "c", b=blocks, c=notes(ran))
            built.add_node("o", opens, executor=INLINE).add_edge("a", "o").add_edge("o", "d")
            stream = built.compile().stream({}, RunnableConfig(parallel_executors={"a": pool}))
            assert [next(stream).node for _ in range(3)] == [START, "a", "o"]
            stream.close()
            blocks.gate.set()
        assert ran == []

    def test_what_the_shared_pool_has_not_begun(self) -> None:
        """P10: of more branches than threads, those that had not begun never do."""
        lock, all_begun, gate = threading.Lock(), threading.Barrier(POOL_SIZE), threading.Event()
        names = [f"n{number}" for number in range(2 * POOL_SIZE)]
        ran: list[str] = []

        def make(name: str) -> Action:
            def act(state: State) -> Update:
                with lock:
                    ran.append(name)
                if name in names[:POOL_SIZE]:
                    all_begun.wait(60)
                if name == "n0":
                    raise KeyError("n0")
                assert gate.wait(60)
                return {}

            return act

        compiled = graph(f"START > {', '.join(names)}", *[f"{name} > END" for name in names], make=make).compile()
        assert by_sync(compiled, RunnableConfig()).failure.node_id == "n0"
        gate.set()
        until_threads_are_idle()
        assert len(ran) <= POOL_SIZE + 1  # the thread of n0 may have taken one more before the run knew


class TestKeyboardInterrupt:
    @each_way
    def test_a_node_raises_it(self, way: Way) -> None:
        """X1: it comes out as it is, from every executor, and siblings are cancelled."""
        with pytest.raises(KeyboardInterrupt, match="by hand"):
            way(graph(*FORK, b=raises(KeyboardInterrupt("by hand"))).compile(), RunnableConfig())

    @pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
    @each_looped_way
    def test_async_siblings(self, way: Way, error: type[BaseException]) -> None:
        """X1: their `finally` has run when it comes out."""
        waits = Waits()

        def stops(state: State) -> Update:
            assert waits.begun.wait(60)
            raise error

        with pytest.raises(error):
            way(graph(*FORK, b=waits, c=stops).compile(), RunnableConfig())
        assert waits.ended == ["ended"]
        assert "graph_core loop" not in [thread.name for thread in threading.enumerate()]

    @pytest.mark.parametrize("way", [by_sync, by_sync_in_a_loop], ids=["sync", "in a loop"])
    def test_an_async_node_raises_it(self, way: Way) -> None:
        """X1: on a private loop, too."""
        waits = Waits()

        async def stops(state: State) -> Update:
            await set_soon(waits.begun)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            way(graph(*FORK, b=waits, c=stops).compile(), RunnableConfig())
        assert waits.ended == ["ended"]

    def test_in_an_executor_of_ones_own(self) -> None:
        """P10, X1: what a pool hands back."""
        compiled = graph(*FORK, b=raises(KeyboardInterrupt())).compile()
        with ThreadPoolExecutor(1) as pool, pytest.raises(KeyboardInterrupt):
            by_sync(compiled, RunnableConfig(parallel_executors={"a": pool}))

    def test_a_failure_swallows_it_not(self) -> None:
        """X1: `try_invoke` is for failures of the run."""
        with pytest.raises(KeyboardInterrupt):
            within(lambda: graph(*FORK, b=raises(KeyboardInterrupt())).compile().try_invoke({}))


class CtrlC:
    """Does what Ctrl-C does, once.

    A signal that comes just before the main thread blocks is seen only when it is woken: the nudges do that.
    """

    def __init__(self) -> None:
        self._pressed, self._over = threading.Event(), threading.Event()
        self._finger = threading.Thread(target=self._press)

    def __enter__(self) -> Self:
        """Take the signals; that of Ctrl-C is ignored where tests run in the background of a shell."""
        self._before = signal.signal(signal.SIGUSR1, _nothing)
        self._interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
        self._finger.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back, when nobody sends them any more."""
        self._over.set()
        self._pressed.set()
        self._finger.join()
        signal.signal(signal.SIGUSR1, self._before)
        signal.signal(signal.SIGINT, self._interrupt)

    def press(self) -> None:
        """Interrupt the main thread."""
        self._pressed.set()

    def _press(self) -> None:
        self._pressed.wait()
        if not self._over.is_set():
            _send(signal.SIGINT)
        while not self._over.wait(0.01):
            _send(signal.SIGUSR1)


def _nothing(_: int, __: object) -> None:
    """Be woken by a signal."""


@contextlib.contextmanager
def _default_handler() -> Generator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt_after(turns: int) -> None:
    """Interrupt the loop's thread when the loop has turned that often."""
    loop = asyncio.get_running_loop()
    if turns:
        loop.call_soon(_interrupt_after, turns - 1)
    else:
        loop.call_soon(signal.raise_signal, signal.SIGINT)


def _send(signal_: signal.Signals) -> None:
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal_)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread")
class TestControlC:
    def test_while_the_run_waits_for_threads(self) -> None:
        """X1: the run is left at once; what has not begun never begins."""
        blocks = Blocks()
        ran: list[str] = []

        def stops(state: State) -> Update:
            keys.press()
            assert blocks.gate.wait(60)
            return {}

        with CtrlC() as keys, ThreadPoolExecutor(1) as pool:
            compiled = graph(*FORK, b=stops, c=notes(ran)).compile()
            with pytest.raises(KeyboardInterrupt):
                compiled.invoke({}, RunnableConfig(parallel_executors={"a": pool}))
            blocks.gate.set()
        assert ran == []

    def test_while_the_run_waits_for_its_loop(self) -> None:
        """X1: async branches are cancelled and awaited."""
        waits = Waits()

        def stops(state: State) -> Update:
            assert waits.begun.wait(60)
            keys.press()
            return {}

        with CtrlC() as keys, pytest.raises(KeyboardInterrupt):
            graph("START > b, c, e", "b > END", "c > END", "e > END", b=waits, c=stops, e=Waits()).compile().invoke({})
        assert waits.ended == ["ended"]

    @pytest.mark.parametrize("turns", range(12))
    def test_at_each_turn_of_the_loop_after_a_call_has_ended(self, turns: int) -> None:
        """X1: also when what the loop was run for is done, and the loop has not stopped yet."""
        waits = Waits()

        async def ends(state: State) -> Update:
            await set_soon(waits.begun)
            _interrupt_after(turns)
            return {}

        with _default_handler(), pytest.raises(KeyboardInterrupt):
            graph("START > b, c", "b > END", "c > END", b=waits, c=ends).compile().invoke({})
        assert waits.ended == ["ended"]

    @pytest.mark.parametrize("turns", range(3))
    def test_just_after_a_node_of_the_main_path_has_ended(self, turns: int) -> None:
        """X1: the loop is closed in order."""

        async def ends(state: State) -> Update:
            _interrupt_after(turns)
            return {}

        async def waits(state: State) -> Update:
            await asyncio.Event().wait()
            return {}

        with _default_handler(), pytest.raises(KeyboardInterrupt):
            graph("START > a", "a > b", "b > END", a=ends, b=waits).compile().invoke({})

    def test_while_a_node_of_the_main_path_is_elsewhere(self) -> None:
        """P10, X1: its call is cancelled."""
        keys = CtrlC()
        never = Never(keys)
        built = StateGraph().add_node("a", lambda _: {}, executor=never).add_edge(START, "a").add_edge("a", END)
        compiled = built.compile()
        with keys, pytest.raises(KeyboardInterrupt):
            compiled.invoke({})
        assert never.future.cancelled()


class Never(Executor):
    """An executor that never runs its call; as soon as somebody waits for it there is a Ctrl-C."""

    def __init__(self, keys: CtrlC) -> None:
        self.future: Future[Any] = Future()
        self._keys = keys

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Keep the call."""
        threading.Thread(target=self._interrupt).start()
        return self.future

    def _interrupt(self) -> None:
        while not self.future._waiters:  # noqa: SLF001  (who waits for a future is told nowhere else)
            pass
        self._keys.press()
