"""What tests ask of modelled runs."""

from graph_core_tests.model.analysis import analyse
from graph_core_tests.model.branches import NodeRun, Result
from graph_core_tests.model.graph import Graph, Json, State
from graph_core_tests.model.orders import all_orders


def runs_of(result: Result) -> list[tuple[str, int]]:
    """The node runs with their steps, sorted."""
    return sorted((each.node, each.step) for each in result.runs)


def _in_order(run: NodeRun) -> tuple[int, tuple[int, ...], str]:
    """The sort key of P11: step, then branch key."""
    return run.step, run.key, run.node


def trace(result: Result) -> list[NodeRun]:
    """The node runs in the order that does not depend on time (P11)."""
    return sorted(result.runs, key=_in_order)


def everywhere(described: Graph, inputs: State | None = None, limit: int = 300) -> list[Result]:
    """The results of all orders.

    Raises:
        AssertionError: If two orders differ in state, runs, what the nodes saw, or the end.
    """
    results = list(all_orders(described, inputs or {}, limit))
    first = results[0]
    for each in results[1:]:
        alike = (each.state, trace(each), each.ended) == (first.state, trace(first), first.ended)
        if not alike:
            message = f"two completion orders differ: {first} and {each}"
            raise AssertionError(message)
    return results


def seen_by(result: Result, name: str, key: str = "m") -> list[Json]:
    """What each run of a node saw under one key, in order of steps and branch keys."""
    return [each.seen.get(key) for each in trace(result) if each.node == name]


def outputs_of(result: Result) -> list[tuple[str, Json]]:
    """The region outputs with their `m`."""
    return [(each.id, each.state.get("m")) for each in result.regions]


def problem_codes(described: Graph) -> set[str]:
    """The codes of a graph's problems."""
    return {problem.code for problem in analyse(described).problems}
