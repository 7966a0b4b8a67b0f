"""P14 looks at all forks in a region, those hidden inside the region of a closed one included."""

from collections.abc import Sequence

import pytest

from graph_core_tests.drive import Trace
from graph_core_tests.model.analysis import analyse
from graph_core_tests.model.build import fixed, graph, multi, send, when
from graph_core_tests.model.graph import END, START, Graph
from graph_core_tests.model.simulator import Result, run
from graph_core_tests.regions.bridge import built
from graph_core_tests.regions.orders import all_orders

ONCE = [("n1", 1), ("n2", 2), ("n3", 2), ("n4", 3), ("n5", 4), ("n6", 4), ("n7", 5), ("n8", 6), ("n9", 7)]
"""n3 waits for n1, since n1 may still come to it; n8 waits for n6 and n7."""

AND_BACK = [
    *[("n1", 1), ("n2", 2), ("n3", 2), ("n4", 3), ("n5", 4)],
    *[("n3", 5), ("n4", 6), ("n5", 7), ("n6", 7), ("n7", 8), ("n8", 9), ("n9", 10)],
]
"""n6 waits from step 3 on: n5 reaches it by way of n3, so that it runs once, for all that lead to it."""


def described(*routes: str) -> Graph:
    """Give the graph, in which n5 answers these ids in turn.

    By itself n3 is closed in the region of START: what leads into its region leads through n3. But n4 is open there,
    though it stands in the region of n3: n1 reaches n4, and n3 reaches n6 past n4. And of the targets of n4 one, n5,
    reaches n3, the other, n6, is in its region. So n3 is open as well.
    """
    return graph(
        fixed(START, "n1", "n3"),
        fixed("n1", "n2", "n3"),
        fixed("n2", END),
        fixed("n3", "n4", "n6"),
        fixed("n4", "n5", "n6"),
        when("n5", ["n7", "n3"], *routes),
        fixed("n6", "n8"),
        fixed("n7", "n8"),
        fixed("n8", "n9"),
        fixed("n9", END),
    )


def ran(done: Result | Trace) -> list[tuple[int, tuple[int, ...], str, str]]:
    """Give the node runs, in an order that does not depend on time."""
    return sorted((each.step, each.key, each.node, repr(each.seen)) for each in done.runs)


@pytest.mark.parametrize(("routes", "steps"), [(["n7"], ONCE), (["n3", "n7"], AND_BACK)], ids=["once", "and back"])
def test_fork_hidden_in_a_closed_region_counts(routes: Sequence[str], steps: list[tuple[str, int]]) -> None:
    """P14, P3: n1, n3 and n4 are open, so only START has a region; nodes, steps, keys and views are the model's."""
    region = described(*routes)
    assert analyse(region).fork(START).open == {"n1", "n3", "n4"}
    expected = run(region, {})
    assert sorted((each.node, each.step) for each in expected.runs) == sorted(steps)
    compiled = built(region)
    assert compiled.validate() == ()
    traces = list(all_orders(lambda: built(region).compile(), {}))
    assert len(traces) > 10
    for trace in traces:
        assert trace.error is None
        assert ran(trace) == ran(expected)
        assert trace.state == expected.state
        assert trace.regions() == [("__PARALLEL__(__START__)", expected.state)]
        assert trace.live == 0


def test_a_label_leads_back_to_where_copies_may_be_sent() -> None:
    """P15: a label leaves backwards even to a Send target of the fork, and the run goes on there."""
    sent = graph(
        fixed("START", "n1"),
        multi("n1", ["n2"], [send("n2", item=0)]),
        when("n2", ["n3"], "n3"),
        when("n2", ["n4"], "n4"),
        fixed("n3", "n4"),
        multi("n4", ["n2", "END"], ["n2"], ["END"]),
    )
    expected = run(sent, {})
    for trace in all_orders(lambda: built(sent).compile(), {}):
        assert trace.state == expected.state
        assert sorted((each.node, each.step) for each in trace.runs) == sorted(
            (each.node, each.step) for each in expected.runs
        )
