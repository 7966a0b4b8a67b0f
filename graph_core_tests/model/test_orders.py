"""Random graphs: what the rules promise about every completion order."""

from attrs import evolve
from hypothesis import HealthCheck, given, settings

from graph_core_tests.model.checks import everywhere, runs_of
from graph_core_tests.model.graph import Graph
from graph_core_tests.model.simulator import Result, run
from graph_core_tests.model.strategies import INPUTS, graphs

_SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _regions(result: Result) -> list[str]:
    """The region outputs in an order that does not depend on time."""
    return sorted(repr(each) for each in result.regions)


@_SETTINGS
@given(graphs())
def test_every_order_gives_the_same(described: Graph) -> None:
    """P4, P11: state, steps, keys, views and region outputs do not depend on time."""
    results = everywhere(described, INPUTS, limit=15)
    assert len({tuple(_regions(each)) for each in results}) == 1


@_SETTINGS
@given(graphs())
def test_defer_changes_no_result(described: Graph) -> None:
    """P13: `defer` changes when things run, never the result."""
    plain = evolve(described, nodes=tuple(evolve(each, defer=False) for each in described.nodes))
    late, early = run(described, INPUTS), run(plain, INPUTS)
    assert late.state == early.state
    assert runs_of(late) == runs_of(early)
    assert _regions(late) == _regions(early)
