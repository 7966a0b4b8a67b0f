"""Rows that build and compile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_core_tests.bench import minimal, ours
from graph_core_tests.bench.measure import MILLI, Variant
from graph_core_tests.bench.row import OURS, Row, Target, timed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core_tests.bench.measure import Settings

N = 1000
DEPTH, BRANCHES, CORE = 40, 5, 20


def _built(result: object) -> bool:
    return result is not None


def chain(settings: Settings) -> Sequence[Variant]:
    """A chain of 1000 nodes."""
    n = settings.size(N)
    return (
        Variant("minimal", lambda: minimal.chain(n, minimal.plain), _built),
        Variant(OURS, lambda: ours.chain(n), _built),
    )


def fork(settings: Settings) -> Sequence[Variant]:
    """A fork of 1000 branches."""
    n = settings.size(N)
    return (
        Variant("minimal", lambda: minimal.fan(n, None, minimal.plain), _built),
        Variant(OURS, lambda: ours.fan(n, None), _built),
    )


def nested(settings: Settings) -> Sequence[Variant]:
    """300 nodes with 40 nested forks."""
    depth = settings.size(DEPTH)
    return (Variant(OURS, lambda: ours.compiled(ours.nested_graph(depth, BRANCHES, CORE)), _built),)


# Milliseconds drift from machine to machine: where the 12 ms were set, the interpreter took 0.42 and 0.50 ms.
CHAIN, FORK = (Target(12), Target(28, "minimal")), (Target(12), Target(24, "minimal"))

ROWS = (
    Row("build-chain", "build and compile a chain of 1000 nodes", "ms", timed(chain, MILLI), CHAIN),
    Row("build-fork", "build and compile a fork of 1000 branches", "ms", timed(fork, MILLI), FORK),
    Row("build-nested", "build and compile 300 nodes with 40 nested forks", "ms", timed(nested, MILLI), (Target(50),)),
)
