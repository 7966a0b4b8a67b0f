"""Ids in the config of a run must be bound to something (rule P9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graph_core.runner.failures import unknown_binding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graph_core.compiler.plan import GraphPlan, RegionPlan
    from graph_core.config import RunnableConfig


def check_bindings(plan: GraphPlan, config: RunnableConfig[Any]) -> None:
    """Refuse executors, limits and aggregations that are bound to no closed fork and no convergence.

    What a compile's config names was checked when it was compiled.

    Raises:
        GraphRunnerException: one is; the code is `unknown_id`.
    """
    limits = config.max_concurrency if isinstance(config.max_concurrency, Mapping) else ()
    if not (config.parallel_executors or config.aggregation or limits):
        return
    regions = _regions(plan.regions.values(), {})
    sources = {region.fork.source.id for region in regions}
    ends = {region.convergence.id for region in regions if region.convergence.point_of is None}
    ends |= {region.fork.id for region in regions}
    _check("parallel_executors", config.parallel_executors, sources)
    _check("aggregation", config.aggregation, ends)
    _check("max_concurrency", limits, sources)


def _check(where: str, ids: Iterable[object], known: set[str]) -> None:
    for id_ in ids:
        if id_ not in known:
            raise unknown_binding(where, id_, known)


def _regions(plans: Iterable[RegionPlan], found: dict[RegionPlan, None]) -> dict[RegionPlan, None]:
    for plan in plans:
        if plan not in found:
            found[plan] = None
            _regions(plan.inner.values(), found)
    return found
