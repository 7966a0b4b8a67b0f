"""What a put costs: `python -m graph_core_tests.checkpoint.measure [folder]` prints times and bytes.

Time and bytes are those of an append-only list of 1000 messages. The floor keeps a row of thread, step
and the update as JSON, in a SQLite file with WAL and synchronous=FULL, or the states in a list. All ways
take turns, so that they see the same machine.
"""

from __future__ import annotations

import gc
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_core.checkpoint import Append, Checkpoint, Put, new_id
from graph_core.checkpoint.savers import DatabaseSaver, MemorySaver
from graph_core_tests.bench.floor import MESSAGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from graph_core.checkpoint import BaseCheckpointSaver

N, ROUNDS = 1000, 9
RUN = "r" * 32


def message(number: int) -> dict[str, str]:
    """Make one."""
    return {"role": "assistant", "content": MESSAGE.format(number)}


def floor_in_memory() -> float:
    """Keep states in a list."""
    state: dict[str, list[Any]] = {"messages": []}
    kept: list[Any] = []
    begin = time.perf_counter()
    for number in range(N):
        state = {"messages": state["messages"] + [message(number)]}
        kept.append(state)
    return time.perf_counter() - begin


def floor_in_file(file: Path) -> float:
    """Keep rows."""
    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE c (thread TEXT, step INTEGER, data BLOB, PRIMARY KEY (thread, step))")
    begin = time.perf_counter()
    for number in range(N):
        text = json.dumps({"messages": [message(number)]})
        database.execute("INSERT INTO c VALUES (?, ?, ?)", ("t", number, text))
    spent = time.perf_counter() - begin
    database.close()
    return spent


def ours(saver: BaseCheckpointSaver, *, wide: int = 0, before: int = 0) -> float:
    """Put as many checkpoints; on a state of other keys, and after a history."""
    saver.take("t", RUN)
    parent: str | None = None

    def put(changes: dict[str, Any]) -> None:
        nonlocal parent
        entry = Checkpoint(
            id=new_id(), thread_id="t", parent_id=parent, node_id="agent", next_node_ids=("agent",), step=1, run_id=RUN
        )
        saver.put(entry, changes, run_id=RUN)
        parent = entry.id

    put({f"k{number}": Put(number) for number in range(wide)})
    for number in range(before):
        put({"n": Put(number)})
    begin = time.perf_counter()
    for number in range(N):
        put({"messages": Append([message(number)])})
    spent = time.perf_counter() - begin
    saver.give_back("t", RUN, "done")
    saver.close()
    return spent


def measured(ways: dict[str, Callable[[], float]]) -> dict[str, float]:
    """Let all ways take turns, and give the medians in µs for each put."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            gc.collect()
            times[name].append(way() / N * 1e6)
    return {name: statistics.median(found) for name, found in times.items()}


def main(folder: str | None = None) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        count = iter(range(10_000))

        def file() -> Path:
            return Path(place) / f"{next(count)}.db"

        found = measured(
            {
                "memory: floor": floor_in_memory,
                "memory: MemorySaver": lambda: ours(MemorySaver()),
                "memory: 1000 other keys": lambda: ours(MemorySaver(), wide=1000),
                "memory: after 10,000": lambda: ours(MemorySaver(), before=10_000),
                "memory: serialize=True": lambda: ours(MemorySaver(serialize=True)),
                "file: floor": lambda: floor_in_file(file()),
                "file: DatabaseSaver": lambda: ours(DatabaseSaver(file())),
                "file: 1000 other keys": lambda: ours(DatabaseSaver(file()), wide=1000),
            }
        )
        for name, spent in found.items():
            floor = found[f"{name.partition(':')[0]}: floor"]
            sys.stdout.write(f"{name:26} {spent:9.2f} µs {spent / floor:7.2f} of the floor\n")
        sizes: list[int] = []
        for is_ours in (False, True):
            made = file()
            if is_ours:
                ours(DatabaseSaver(made))
            else:
                floor_in_file(made)
            sizes.append(made.stat().st_size)
        sys.stdout.write(f"bytes: floor {sizes[0]:,}, ours {sizes[1]:,}, {sizes[1] / sizes[0]:.2f} of the floor\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
