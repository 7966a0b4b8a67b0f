"""Rows that start processes: the import, long runs, many runs."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from graph_core_tests.bench.measure import MILLI
from graph_core_tests.bench.row import OURS, Row, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graph_core_tests.bench.measure import Settings

ROOT = Path(__file__).parents[2]
IMPORTS = {"python": "pass", "asyncio": "import asyncio", OURS: "import graph_core"}
STEPS, RUNS, THREADS = 1_000_000, 10_000, 10_000


def imports(settings: Settings) -> Mapping[str, float]:
    """The time of a process that imports nothing, asyncio, the library; in turns, the first round not counted."""
    times: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for number in range(settings.rounds + 1):
        for name, code in IMPORTS.items():
            start = time.perf_counter()
            _python("-c", code)
            if number:
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) * MILLI for name, values in times.items()}


@cache
def _probe(name: str, size: int) -> Mapping[str, float]:
    """The figures of a probe; two rows share one."""
    figures: dict[str, float] = json.loads(_python("-m", "graph_core_tests.bench.probe", name, str(size)))
    return figures


def _python(*arguments: str) -> str:
    command: Sequence[str] = (sys.executable, *arguments)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT)  # noqa: S603 - our own words
    return done.stdout


def _time(name: str, full: int) -> Callable[[Settings], Mapping[str, float]]:
    """The times that a probe gives."""

    def measure(settings: Settings) -> Mapping[str, float]:
        return {key: value for key, value in _probe(name, settings.size(full)).items() if key != "MiB"}

    return measure


def _growth(name: str, full: int) -> Callable[[Settings], Mapping[str, float]]:
    """The growth of the peak memory that a probe gives."""
    return lambda settings: {OURS: _probe(name, settings.size(full))["MiB"]}


FLAT = (Target(1),)

ROWS = (
    Row("import", "a process that imports the library", "ms", imports, (Target(110), Target(4.5, "asyncio"))),
    Row("long-run", "loop of 1,000,000 steps", "µs per step", _time("long-run", STEPS), (Target(1.5, "10,000 steps"),)),
    Row("long-run-memory", "growth of the peak memory in it", "MiB", _growth("long-run", STEPS), FLAT),
    Row(
        "many-runs",
        "10,000 runs of a chain of 10",
        "µs per run",
        _time("many-runs", RUNS),
        (Target(1.5, "first runs"),),
    ),
    Row("many-runs-memory", "growth of the peak memory in them", "MiB", _growth("many-runs", RUNS), FLAT),
    Row(
        "many-threads",
        "10,000 threads in a SQLite file",
        "µs per run",
        _time("many-threads", THREADS),
        (Target(1.5, "first threads"),),
    ),
    Row("many-threads-memory", "growth of the peak memory in them", "MiB", _growth("many-threads", THREADS), FLAT),
)
