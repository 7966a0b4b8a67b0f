"""Every completion order of an engine's run, or a sample of them."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from graph_core import CompiledGraph, RunnableConfig
from graph_core_tests.drive import Trace, drive


def all_orders(
    make: Callable[[], CompiledGraph[Any, Any, Any, Any]],
    inputs: Mapping[str, Any],
    limit: int = 300,
    recursion_limit: int = 100,
) -> Iterator[Trace]:
    """One trace per completion order: the first `limit`, then as many sampled by chance.

    Args:
        make: gives a graph whose actions count from their first visit.
        inputs: the inputs of each run.
        limit: how many orders are tried one after the other.
        recursion_limit: the limit of each run.
    """
    config = RunnableConfig(recursion_limit=recursion_limit)
    prefix: list[int] = []
    for _ in range(limit):
        taken: list[int] = []
        trace = drive(make(), inputs, _following(prefix, taken), config)
        yield trace
        following = _next(trace.choices, taken)
        if following is None:
            return
        prefix = following
    chance = random.Random(0)  # noqa: S311  (a reproducible sample, nothing secret)
    for _ in range(limit):
        yield drive(make(), inputs, lambda running: chance.randrange(len(running)), config)


def _following(prefix: Sequence[int], taken: list[int]) -> Callable[[Sequence[object]], int]:
    def choose(_: Sequence[object]) -> int:
        taken.append(prefix[len(taken)] if len(taken) < len(prefix) else 0)
        return taken[-1]

    return choose


def _next(choices: Sequence[int], taken: Sequence[int]) -> list[int] | None:
    for position in range(len(taken) - 1, -1, -1):
        if taken[position] + 1 < choices[position]:
            return [*taken[:position], taken[position] + 1]
    return None
