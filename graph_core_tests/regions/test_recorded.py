"""The 40 recorded cases of regions, in every completion order."""

from pathlib import Path

import pytest

from graph_core_tests.model.scenario import read_case
from graph_core_tests.regions.bridge import built
from graph_core_tests.regions.orders import all_orders

CASES = sorted((Path(__file__).parents[1] / "parity" / "regions").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case_in_every_order(path: Path) -> None:
    """P1 to P15: state, node runs with steps, and region outputs are those that the rules give."""
    case = read_case(path)
    for trace in all_orders(lambda: built(case.graph).compile(), case.inputs, limit=300, recursion_limit=200):
        assert trace.error is None
        assert trace.state == case.state
        assert sorted((run.node, run.step) for run in trace.runs) == sorted(case.runs)
        regions = trace.regions()
        if case.ordered:
            assert regions == list(case.regions)
        else:
            assert sorted(map(repr, regions)) == sorted(map(repr, case.regions))


def test_all_cases_are_here() -> None:
    """No case was lost on the way."""
    assert len(CASES) == 40
