"""The engine and the independent model of the rules agree on random graphs and completion orders."""

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_core import RunnableConfig
from graph_core_tests.drive import Trace, drive
from graph_core_tests.model import graph as model
from graph_core_tests.model.graph import Graph
from graph_core_tests.model.simulator import Result, run
from graph_core_tests.model.strategies import INPUTS, graphs
from graph_core_tests.regions.bridge import built

_SETTINGS = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])


def _by_chance(seed: int) -> Callable[[Sequence[object]], int]:
    chance = random.Random(seed)  # noqa: S311  (a reproducible sample, nothing secret)
    return lambda running: chance.randrange(len(running))


def _modelled(result: Result) -> list[tuple[int, tuple[int, ...], str, str]]:
    return sorted((r.step, r.key, r.node, repr(sorted(r.seen.items()))) for r in result.runs)


def _driven(trace: Trace) -> list[tuple[int, tuple[int, ...], str, str]]:
    return sorted((r.step, r.key, r.node, repr(sorted(r.seen.items()))) for r in trace.runs)


@_SETTINGS
@given(graphs(), st.integers(0, 2**16))
def test_engine_and_model_agree(described: Graph, seed: int) -> None:
    """P1 to P15: same node runs, steps, keys and views, same regions, same final state."""
    expected = run(described, INPUTS, _by_chance(seed + 1))
    trace = drive(
        built(described).compile(), INPUTS, _by_chance(seed), RunnableConfig(recursion_limit=described.recursion_limit)
    )
    assert (trace.error.code if trace.error else "done") == expected.ended
    if expected.ended == "done":
        assert _driven(trace) == _modelled(expected)
        assert trace.state == expected.state
        assert sorted(map(repr, trace.regions())) == sorted(repr((r.id, r.state)) for r in expected.regions)
    assert trace.live == 0


@pytest.mark.parametrize("name", ["END", "START"])
def test_bridge_knows_the_constants(name: str) -> None:
    """The model's names of START and END are those of its own module."""
    assert getattr(model, name) == name
