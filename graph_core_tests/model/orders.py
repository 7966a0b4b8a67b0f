"""Every completion order of a run, or a sample of them."""

import random
from collections.abc import Iterator, Sequence

from graph_core_tests.model.analysis import Analysis, analyse
from graph_core_tests.model.graph import Graph, State
from graph_core_tests.model.simulator import Result, Running, run


def _next_prefix(choices: Sequence[int], taken: Sequence[int]) -> list[int] | None:
    """The next sequence of choices in depth-first order, or None after the last."""
    for position in range(len(taken) - 1, -1, -1):
        if taken[position] + 1 < choices[position]:
            return [*taken[:position], taken[position] + 1]
    return None


def _follow(graph: Graph, inputs: State, prefix: Sequence[int], analysis: Analysis) -> tuple[Result, list[int]]:
    """Run with these first choices, the first alternative after them."""
    taken: list[int] = []

    def choose(_: Sequence[Running]) -> int:
        taken.append(prefix[len(taken)] if len(taken) < len(prefix) else 0)
        return taken[-1]

    return run(graph, inputs, choose, analysis), taken


def all_orders(graph: Graph, inputs: State, limit: int = 300, seed: int = 0) -> Iterator[Result]:
    """One result per completion order: the first `limit`, then as many sampled by chance."""
    analysis = analyse(graph)
    prefix: list[int] = []
    for _ in range(limit):
        result, taken = _follow(graph, inputs, prefix, analysis)
        yield result
        following = _next_prefix(result.choices, taken)
        if following is None:
            return
        prefix = following
    chance = random.Random(seed)  # noqa: S311 - a reproducible sample, nothing secret
    for _ in range(limit):
        yield run(graph, inputs, lambda running: chance.randrange(len(running)), analysis)
