"""Measurements that need a process of their own, since they look at its memory: prints the figures as JSON."""

from __future__ import annotations

import gc
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from graph_core import DatabaseSaver, RunnableConfig
from graph_core_tests.bench import ours

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MICRO = 1e6
KIB_PER_MIB = 1024
WARM = 10_000
LENGTH = 10


def long_run(steps: int) -> Mapping[str, float]:
    """One run of so many steps, after a shorter one: the growth of the peak memory, and the time per step."""
    warm, app = ours.counter(WARM), ours.counter(steps)
    short = _seconds(lambda: warm.invoke({"x": 0}))
    peak = _peak()
    long = _seconds(lambda: app.invoke({"x": 0}))
    return {"MiB": _peak() - peak, "10,000 steps": short / WARM * MICRO, "ours": long / steps * MICRO}


def many_runs(runs: int) -> Mapping[str, float]:
    """So many runs of a chain of 10, after a tenth of them: the growth of the peak memory, and the time per run."""
    app = ours.chain(LENGTH)
    few = max(1, runs // 10)

    def several(count: int) -> Callable[[], None]:
        def run() -> None:
            for _ in range(count):
                app.invoke({"x": 0})

        return run

    first = _seconds(several(few))
    peak = _peak()
    rest = _seconds(several(runs))
    return {"MiB": _peak() - peak, "first runs": first / few * MICRO, "ours": rest / runs * MICRO}


def many_threads(threads: int) -> Mapping[str, float]:
    """A run of two nodes on each of so many threads in a file, after as many: the growth of the peak memory."""
    with tempfile.TemporaryDirectory() as folder, DatabaseSaver(Path(folder) / "threads.db") as saver:
        app = ours.chain(2, saver=saver)

        def several(name: str) -> Callable[[], None]:
            def run() -> None:
                for number in range(threads):
                    app.invoke({"x": 0}, RunnableConfig(thread_id=f"{name} {number}"))

            return run

        first = _seconds(several("first"))
        peak = _peak()
        rest = _seconds(several("rest"))
        return {"MiB": _peak() - peak, "first threads": first / threads * MICRO, "ours": rest / threads * MICRO}


def _peak() -> float:
    """The largest resident memory so far, in MiB.

    Linux counts what the parent process held into `ru_maxrss`, so its own file is asked first.
    """
    gc.collect()
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    own = (int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    return next(own, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / KIB_PER_MIB


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


PROBES: Mapping[str, Callable[[int], Mapping[str, float]]] = {
    "long-run": long_run,
    "many-runs": many_runs,
    "many-threads": many_threads,
}

if __name__ == "__main__":
    name, size = sys.argv[1:]
    sys.stdout.write(json.dumps(PROBES[name](int(size))))
