"""Ids in the config of a run must be bound to something (rule P9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graph_core.runner.failures import unknown_binding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graph_core.compiler.plan import GraphPlan, RegionPlan
    from graph_core.config import RunnableConfig


def check_bindings(plan: GraphPlan, config: RunnableConfig[Any]) -> None:
    """Refuse executors, limits and aggregations that are bound to no closed fork and no convergence.

    Raises:
        GraphRunnerException: one is; the code is `unknown_id`.
    """
    limits = [limit for limit in (config.max_concurrency, plan.config.max_concurrency) if isinstance(limit, Mapping)]
    if not (config.parallel_executors or config.aggregation or limits):
        return
    regions = list(_regions(plan.regions.values()))
    sources = {region.fork.source.id for region in regions}
    ends = {region.convergence.id for region in regions if region.convergence.point_of is None}
    ends |= {region.fork.id for region in regions}
    _check("parallel_executors", config.parallel_executors, sources)
    _check("aggregation", config.aggregation, ends)
    for limit in limits:
        _check("max_concurrency", limit, sources)


def _check(where: str, ids: Iterable[object], known: set[str]) -> None:
    for id_ in ids:
        if id_ not in known:
            raise unknown_binding(where, id_, known)


def _regions(plans: Iterable[RegionPlan]) -> Iterator[RegionPlan]:
    for plan in plans:
        yield plan
        yield from _regions(plan.inner.values())
