"""Measures several ways to do one job in turns, so that all of them see the same machine."""

from __future__ import annotations

import asyncio
import gc
import inspect
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MICRO, MILLI = 1e6, 1e3
FEWEST_ROUNDS = 3


@attrs.frozen
class Variant:
    """One way to do the job.

    Args:
        name: the column of its figure.
        run: does the job once; a coroutine function runs on a loop that all variants of a row share.
        check: says whether what `run` gave is right; not timed.
        units: the number of nodes, steps or branches by which the time is divided.
    """

    name: str
    run: Callable[[], object | Awaitable[object]]
    check: Callable[[Any], bool]
    units: int = 1


@attrs.frozen(kw_only=True)
class Settings:
    """How much is measured.

    Args:
        rounds: how often each variant runs at most.
        budget: seconds after which a row has had enough rounds.
        shrink: by what the sizes are divided.
    """

    rounds: int = 25
    budget: float = 6.0
    shrink: int = 1

    def size(self, full: int) -> int:
        """The size to measure for a full size; never below 10, nor above the full one."""
        return min(full, max(10, full // self.shrink))


FULL = Settings()
QUICK = Settings(rounds=FEWEST_ROUNDS, budget=0.5, shrink=10)


def medians(variants: Sequence[Variant], settings: Settings, scale: float = MICRO) -> Mapping[str, float]:
    """The median time of each variant per unit, in seconds times `scale`."""
    times: dict[str, list[float]] = {variant.name: [] for variant in variants}
    with asyncio.Runner() as runner:
        for variant in (*variants, *variants):  # twice each to warm up
            _once(variant, runner)
        end = time.perf_counter() + settings.budget
        for number in range(settings.rounds):
            if number >= FEWEST_ROUNDS and time.perf_counter() > end:
                break
            first = number % len(variants)  # each round begins with another one
            for variant in (*variants[first:], *variants[:first]):
                times[variant.name].append(_once(variant, runner))
    return {item.name: statistics.median(times[item.name]) / item.units * scale for item in variants}


def _once(variant: Variant, runner: asyncio.Runner) -> float:
    gc.collect()
    if inspect.iscoroutinefunction(variant.run):
        seconds, result = runner.run(_timed(variant.run))
    else:
        start = time.perf_counter()
        result = variant.run()
        seconds = time.perf_counter() - start
    if not variant.check(result):
        text = f"{variant.name!r} gave a wrong result: {str(result)[:200]}"
        raise AssertionError(text)
    return seconds


async def _timed(run: Callable[[], Awaitable[object]]) -> tuple[float, object]:
    start = time.perf_counter()
    result = await run()
    return time.perf_counter() - start, result
