"""Rows with a saver: what a step costs that is kept, and on how much that depends."""

from __future__ import annotations

import itertools
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from graph_core import DatabaseSaver, MemorySaver, RunnableConfig
from graph_core_tests.bench import floor, minimal, ours
from graph_core_tests.bench.measure import Settings, Variant, medians
from graph_core_tests.bench.row import OURS, Row, Target, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graph_core import BaseCheckpointSaver, CompiledGraph

N = 1000
SHORT, LONG = 100, 10_000
WIDTH = 1000
START: Mapping[str, Any] = {"messages": []}
THREAD = RunnableConfig(thread_id="t")
MakeSaver: TypeAlias = "Callable[[Path], BaseCheckpointSaver]"


def kept(name: str, app: CompiledGraph, inputs: Mapping[str, Any], n: int, size: Callable[[Any], int]) -> Variant:
    """A run on a thread that is new each time: it is deleted when the run has been checked, which is not timed."""
    saver = app.config.checkpoint_saver

    def check(state: Any) -> bool:
        return saver is not None and saver.delete("t") and size(state) == n

    return Variant(name, lambda: app.invoke(inputs, THREAD), check, n)


def _length(state: Any) -> int:
    return len(state["messages"])


def _count(state: Any) -> int:
    return int(state["x"])


def in_memory(settings: Settings) -> Sequence[Variant]:
    """A list that grows to 1000 messages, each step kept in memory."""
    n = settings.size(N)
    graph, saver = minimal.messages(n, minimal.plain), MemorySaver()

    def check(state: Any) -> bool:
        return _length(state) == n

    return (
        Variant("floor", lambda: floor.saved_messages(n, floor.in_memory()), check, n),
        Variant("minimal", lambda: graph.run("agent", dict(START), minimal.in_memory()), check, n),
        kept(OURS, ours.messages(n, saver), START, n, _length),
    )


def in_file(settings: Settings) -> Mapping[str, float]:
    """The same in a SQLite file, each step on the disk before the next one begins."""
    n = settings.size(N)
    graph, threads = minimal.messages(n, minimal.plain), map(str, itertools.count())

    def check(state: Any) -> bool:
        return _length(state) == n

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        rows = stack.enter_context(closing(floor.table(folder / "floor.db")))
        steps = stack.enter_context(closing(minimal.table(folder / "minimal.db")))
        saver = stack.enter_context(DatabaseSaver(folder / "ours.db"))
        app = ours.messages(n, saver)
        variants = (
            Variant("floor", lambda: floor.saved_messages(n, floor.in_file(rows, next(threads))), check, n),
            Variant(
                "minimal", lambda: graph.run("agent", dict(START), minimal.in_file(steps, next(threads))), check, n
            ),
            Variant(OURS, lambda: app.invoke(START, RunnableConfig(thread_id=next(threads))), check, n),
        )
        return medians(variants, settings)


def size_of_file(settings: Settings) -> Mapping[str, float]:
    """What one such run leaves on the disk."""
    n = settings.size(N)
    graph, sizes = minimal.messages(n, minimal.plain), dict[str, float]()
    with tempfile.TemporaryDirectory() as name:
        files = {each: Path(name) / f"{each}.db" for each in ("floor", "minimal", OURS)}
        with closing(floor.table(files["floor"])) as database:
            floor.saved_messages(n, floor.in_file(database, "t"))
        with closing(minimal.table(files["minimal"])) as database:
            graph.run("agent", dict(START), minimal.in_file(database, "t"))
        with DatabaseSaver(files[OURS]) as saver:
            ours.messages(n, saver).invoke(START, THREAD)
        for each, file in files.items():  # the last connection to close writes the log into the file
            sizes[each] = sum(part.stat().st_size for part in file.parent.glob(f"{file.name}*")) / 1e6
    return sizes


def history(make: MakeSaver, settings: Settings) -> Mapping[str, float]:
    """The cost per step of a run that leaves 10,000 entries, against one that leaves 100."""
    with tempfile.TemporaryDirectory() as folder, make(Path(folder)) as saver:

        def variant(name: str, full: int) -> Variant:
            n = settings.size(full)
            return kept(name, ours.counter(n, saver), {"x": 0}, n, _count)

        return medians((variant("100 entries", SHORT), variant(OURS, LONG)), settings)


def untouched(make: MakeSaver, settings: Settings) -> Mapping[str, float]:
    """What a saver adds to a node of a chain of 1000: on a state of 1000 keys more, and of none.

    Every key is written once, by the input.
    """
    n = settings.size(N)
    with tempfile.TemporaryDirectory() as folder, make(Path(folder)) as saver:

        def pair(width: int) -> tuple[Variant, Variant]:
            inputs = {"x": 0, **{f"k{number}": number for number in range(width - 1)}}
            bare = ours.chain(n, width=width)
            app = ours.chain(n, width=width, saver=saver)
            return (
                Variant(f"bare {width}", lambda: bare.invoke(inputs), lambda state: _count(state) == n, n),
                kept(f"kept {width}", app, inputs, n, _count),
            )

        narrow, wide = 1, settings.size(WIDTH) + 1
        times = medians((*pair(narrow), *pair(wide)), settings)
        added = {width: times[f"kept {width}"] - times[f"bare {width}"] for width in (narrow, wide)}
        return {"no other keys": added[narrow], OURS: added[wide]}


def private(settings: Settings) -> Sequence[Variant]:
    """A chain of 1000 nodes, without a thread id, with and without a saver."""
    n = settings.size(N)
    bare, app = ours.chain(n), ours.chain(n, saver=MemorySaver())

    def check(state: Any) -> bool:
        return _count(state) == n

    return (
        Variant("no saver", lambda: bare.invoke({"x": 0}), check, n),
        Variant(OURS, lambda: app.invoke({"x": 0}), check, n),
    )


def _memory(_folder: Path) -> BaseCheckpointSaver:
    return MemorySaver()


def _file(folder: Path) -> BaseCheckpointSaver:
    return DatabaseSaver(folder / "ours.db")


def with_saver(
    measure: Callable[[MakeSaver, Settings], Mapping[str, float]], make: MakeSaver
) -> Callable[[Settings], Mapping[str, float]]:
    """The measurement with that saver."""
    return lambda settings: measure(make, settings)


NODE, STEP = "µs per node", "µs per step"
SHORTER, NARROWER = (Target(1.5, "100 entries"),), (Target(1.5, "no other keys"),)

ROWS = (
    Row("kept-memory", "append-only list to 1000, in memory", STEP, timed(in_memory), (Target(4, "minimal"),)),
    Row("kept-file", "the same in a SQLite file, synchronous=FULL", STEP, in_file, (Target(1.5, "floor"),)),
    Row("kept-file-size", "the bytes of that file", "MB", size_of_file, (Target(2, "floor"),)),
    Row("history-memory", "10,000 entries against 100, in memory", STEP, with_saver(history, _memory), SHORTER),
    Row("history-file", "the same in a SQLite file", STEP, with_saver(history, _file), SHORTER),
    Row(
        "untouched-memory",
        "what a saver adds, 1000 other keys, in memory",
        NODE,
        with_saver(untouched, _memory),
        NARROWER,
    ),
    Row("untouched-file", "the same in a SQLite file", NODE, with_saver(untouched, _file), NARROWER),
    Row("private", "chain of 1000 without a thread id", NODE, timed(private), (Target(1.1, "no saver"),)),
)
