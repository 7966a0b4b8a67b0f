"""Rows on typed states: what the view of a schema costs, against the same chain without one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

import attrs

from graph_core import END, START, CompileConfig, CompiledGraph, OverAllState, StateGraph
from graph_core_tests.bench.measure import Variant
from graph_core_tests.bench.row import OURS, Row, Target, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graph_core_tests.bench.measure import Settings

N = 1000


class Counted(TypedDict):
    """A state of one number."""

    x: int


@attrs.frozen
class Count:
    """The same, as a record."""

    x: int


def untyped(state: OverAllState[Any]) -> dict[str, Any]:
    """Count up, without a view."""
    return {"x": state["x"] + 1}


def of_typed_dict(state: Counted) -> dict[str, Any]:
    """Count up in the view of a TypedDict."""
    return {"x": state["x"] + 1}


def of_record(state: Count) -> dict[str, Any]:
    """Count up in the view of an attrs class."""
    return {"x": state.x + 1}


def to_record(state: Count) -> Count:
    """Count up, and return an instance."""
    return Count(state.x + 1)


def chain(n: int, schema: type[Any] | None, node: Callable[[Any], Any]) -> CompiledGraph[Any, Any, Any, Any]:
    """A chain of n such nodes."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(schema) if schema is not None else StateGraph()
    for number in range(n):
        graph.add_node(f"n{number}", node)
        graph.add_edge(f"n{number - 1}" if number else START, f"n{number}")
    config = CompileConfig(checkpoint_saver=None, recursion_limit=n)
    return graph.add_edge(f"n{n - 1}", END).compile(config)


def against_untyped(schema: type[Any], node: Callable[[Any], Any], settings: Settings) -> Sequence[Variant]:
    """A chain of 1000 nodes with a schema, and one without."""
    n = settings.size(N)
    plain, typed = chain(n, None, untyped), chain(n, schema, node)

    def check(state: Any) -> bool:
        return bool(state["x"] == n)

    return (
        Variant("untyped", lambda: plain.invoke({"x": 0}), check, n),
        Variant(OURS, lambda: typed.invoke({"x": 0}), check, n),
    )


TYPED_DICT = partial(against_untyped, Counted, of_typed_dict)
RECORD, INSTANCE = partial(against_untyped, Count, of_record), partial(against_untyped, Count, to_record)
NODE, UNTYPED = "µs per node", "untyped"

ROWS = (
    Row("typed-dict", "chain of 1000 nodes, TypedDict", NODE, timed(TYPED_DICT), (Target(1.15, UNTYPED),)),
    Row("typed-attrs", "chain of 1000 nodes, attrs class", NODE, timed(RECORD), (Target(2, UNTYPED),)),
    Row("typed-instances", "the same, nodes return an instance", NODE, timed(INSTANCE)),
)
