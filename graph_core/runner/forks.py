"""What is decided when a run enters the region of a fork: which copies it may have, and when it is done (P6, P7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_core.config import NodeAggregationStrategy
from graph_core.exception import GraphRunnerException
from graph_core.runner import failures
from graph_core.state import REMOVE
from graph_core.state.nested import REPLACING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph_core.compiler.plan import NodePlan, RegionPlan, RoutePlan
    from graph_core.config import RunnableConfig
    from graph_core.runner.answers import Target
    from graph_core.state.merger import Merger


def check_sends(plan: RegionPlan, merger: Merger, targets: Sequence[Target]) -> None:
    """Refuse copies that a region can not have, before anything is saved of its fork.

    Raises:
        GraphRunnerException: one is sent where none may be, or its state does not fit the schema.
    """
    for target, payload, route in targets:
        if payload is not None and route is not None:
            _check_send(plan, target, route)
            _check_payload(merger, payload, target, route)


def _check_payload(merger: Merger, payload: Mapping[str, Any], target: NodePlan, route: RoutePlan) -> None:
    """Refuse a `Send` whose state does not fit the schema; it may have keys that only the copy reads."""
    declared = merger.declared
    if declared is not None:
        for key, value in payload.items():
            try:
                opened = value.value if value.__class__ in REPLACING else value
                if opened is not REMOVE:
                    declared.check_known(key, opened)
            except GraphRunnerException as error:
                raise failures.refused_payload(route, target.id, error) from None


def any_of_forks(config: RunnableConfig[Any], plan: RegionPlan) -> list[str]:
    """Give the forks of a region, its own included, of which one branch is enough: a run decides it as it enters."""
    any_of = NodeAggregationStrategy.ANY_OF
    if config.default_aggregation is not any_of and any_of not in config.aggregation.values():
        return []
    found = [plan.fork.id] if _aggregated(config, plan) is any_of else []
    return found + [fork for inner in plan.inner.values() for fork in any_of_forks(config, inner)]


def _aggregated(config: RunnableConfig[Any], plan: RegionPlan) -> NodeAggregationStrategy:
    """Give the strategy of a region: its fork's, else its convergence's, else the default (P7)."""
    found = config.aggregation.get(plan.fork.id)
    if found is None and plan.convergence.point_of is None:  # a point has the id of the fork behind it
        found = config.aggregation.get(plan.convergence.id)
    return found or config.default_aggregation


def _check_send(plan: RegionPlan, target: NodePlan, route: RoutePlan) -> None:
    if target is plan.convergence:
        raise failures.send_to_convergence(route, target.id)
    if plan.forbidden >> target.index & 1 or (plan.back >> target.index & 1 and target.index not in plan.rank):
        raise failures.send_backwards(route, target.id)
