"""Issue 6: after many regions with threads and tasks nothing is left of them."""

import asyncio
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from graph_core import END, INLINE, CompileConfig, GraphRunnerException, RunnableConfig
from graph_core_tests.control.ways import ANY, ANY_OF, WAIT, set_soon, until_threads_are_idle
from graph_core_tests.shapes import Compiled, State, Update, appends, async_appends, graph, within

ROUNDS = 10
"""How often a run goes round; each time it comes to two regions."""

EDGES = ("START > a", "a > b, c, e, f", "b > x, y, w", "x > z", "y > z", "w > z", "z > d", "c > d", "e > d", "f > d")


def threads() -> set[threading.Thread]:
    """All threads but those of the shared pools."""
    return {each for each in threading.enumerate() if not each.name.startswith(("graph_core-", "asyncio_"))}


class Mixed:
    """A graph whose regions mix all kinds of actions; counts the regions that began."""

    def __init__(self, own: ThreadPoolExecutor) -> None:
        self._own = own
        self.regions = 0
        self._lock = threading.Lock()

    def compiled(self, config: CompileConfig | None = None, **nodes: Any) -> Compiled:
        """Compile it; `nodes` take the place of its own."""
        actions: dict[str, Any] = {name: async_appends(name) for name in "cx"}
        actions |= {"a": self.begins("a"), "b": self.begins("b"), **nodes}
        built = graph(*EDGES, **actions)
        built.add_node("own", appends("own"), executor=self._own).add_node("here", appends("here"), executor=INLINE)
        built.add_edge("a", ["own", "here"]).add_edge(["own", "here"], "d")
        built.add_conditional_edges("d", lambda state: "a" if state["m"].count("d") < ROUNDS else END, ["a", END])
        return built.compile(config)

    def begins(self, name: str) -> Any:
        """Make a fork's source."""

        def act(state: State) -> Update:
            with self._lock:
                self.regions += 1
            return {"m": name}

        return act


def fails(state: State) -> Update:
    """Fail in the last round."""
    if state["m"].count("d") == ROUNDS - 1:
        raise KeyError("last")
    return {"m": "f"}


CONFIGS = (
    RunnableConfig(),
    ANY,
    RunnableConfig(max_concurrency=3),
    RunnableConfig(max_concurrency={"a": 2, "b": 1}, aggregation={"__PARALLEL__(b)": ANY_OF}),
)


def ended(call: Any) -> bool:
    """Call; tell whether it came to an end."""
    try:
        return bool(call()["m"].count("d") == ROUNDS)
    except GraphRunnerException as error:
        return isinstance(error.__cause__, KeyError)


async def ended_later(call: Any) -> bool:
    """Await; tell whether it came to an end."""
    try:
        return bool((await call)["m"].count("d") == ROUNDS)
    except GraphRunnerException as error:
        return isinstance(error.__cause__, KeyError)


def test_a_thousand_regions() -> None:
    """P7 to P10: 1,000 regions under all verbs, with winners, failures, limits and cancellations, leave nothing."""
    before = threads()
    with ThreadPoolExecutor(4) as own, ThreadPoolExecutor(4) as runs:
        mixed = Mixed(own)
        graphs = [mixed.compiled(), mixed.compiled(f=fails), mixed.compiled(WAIT, f=fails)]
        chosen = list(itertools.product(graphs, CONFIGS)) * 3

        async def in_a_loop() -> None:
            mine = asyncio.all_tasks()
            done = await asyncio.gather(*[ended_later(each.ainvoke({}, config)) for each, config in chosen])
            assert all(done)
            await cancelled(mixed)
            assert asyncio.all_tasks() == mine

        results = [runs.submit(ended, partial(each.invoke, {}, config)) for each, config in chosen]
        within(lambda: asyncio.run(in_a_loop()), 120)
        assert all(each.result(120) for each in results)
    until_threads_are_idle()
    assert mixed.regions >= 1000
    assert threads() == before


async def cancelled(mixed: Mixed) -> None:
    """Cancel some runs in their first region, and close some streams there."""
    for _ in range(10):
        begun = threading.Event()

        async def waits(state: State, begun: threading.Event = begun) -> Update:
            begun.set()
            await asyncio.Event().wait()
            return {}

        compiled = mixed.compiled(y=waits)
        task = asyncio.create_task(compiled.ainvoke({}))
        await set_soon(begun)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        stream = compiled.astream({})
        async for output in stream:
            if output.node == "here":
                break
        await stream.aclose()
