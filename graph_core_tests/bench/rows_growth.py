"""Rows that show how the cost grows: with the number of nodes, the width of the state, the length of the run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from graph_core_tests.bench import minimal, ours
from graph_core_tests.bench.measure import Variant
from graph_core_tests.bench.row import OURS, Row, Target, timed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core_tests.bench.measure import Settings

CHAIN = 100


def nodes(settings: Settings) -> Sequence[Variant]:
    """The cost per node of chains of 10 to 10,000 nodes."""

    def variant(name: str, full: int) -> Variant:
        n = settings.size(full)
        app = ours.chain(n)
        return Variant(name, lambda: app.invoke({"x": 0}), lambda state: bool(state["x"] == n), n)

    return (variant("10", 10), variant("100", 100), variant("1,000", 1_000), variant(OURS, 10_000))


def steps(settings: Settings) -> Sequence[Variant]:
    """The cost per iteration of loops of 100 to 10,000 iterations."""

    def variant(name: str, full: int) -> Variant:
        n = settings.size(full)
        app = ours.loop(n)
        inputs = {"score": 0, "draft": 0}
        return Variant(name, lambda: app.invoke(inputs), lambda state: bool(state["score"] == n), n)

    return (variant("100", 100), variant("1,000", 1_000), variant(OURS, 10_000))


def wide(width: int, settings: Settings) -> Sequence[Variant]:
    """The cost per node of a chain of 100 on a state of so many keys, of which each node writes one."""
    n = settings.size(CHAIN)
    graph, app = minimal.chain(n, minimal.plain, width), ours.chain(n, width=width)
    inputs = {"x": 0, **{f"k{number}": number for number in range(width - 1)}}

    def check(state: Any) -> bool:
        return bool(state["x"] == n and len(state) == width)

    return (
        Variant("minimal", lambda: graph.run("n0", inputs), check, n),
        Variant(OURS, lambda: app.invoke(inputs), check, n),
    )


NODE = "µs per node"
SAME = (Target(1.5, "100"),)
INTERPRETED = (Target(2.5, "minimal"),)

ROWS = (
    Row("growth-nodes", "chain of 10,000 nodes against shorter ones", NODE, timed(nodes), SAME),
    Row("growth-steps", "loop of 10,000 iterations against shorter ones", "µs per iteration", timed(steps), SAME),
    *(
        Row(f"wide-{width}", f"chain of 100 on a state of {width} keys", NODE, timed(partial(wide, width)), INTERPRETED)
        for width in (1, 100, 1000)
    ),
)
