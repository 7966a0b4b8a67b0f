"""Where a run pauses by its settings (rule K5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import attrs

from graph_core.compiler.pauses import problems_of_pauses
from graph_core.config.interrupts import EVERYWHERE
from graph_core.runner import failures

if TYPE_CHECKING:
    from graph_core.compiler.plan import GraphPlan
    from graph_core.config import RunnableConfig


@final
@attrs.frozen
class Stops:
    """Where a run pauses by its settings.

    Args:
        before, after: ids, or `"*"`.
        before_edge: what pauses after a node pauses before its routes are evaluated.
    """

    before: frozenset[Any]
    after: frozenset[Any]
    before_edge: bool

    def is_before(self, node_id: str) -> bool:
        """Tell whether to pause before a node."""
        return node_id in self.before or EVERYWHERE in self.before

    def is_after(self, node_id: str) -> bool:
        """Tell whether to pause after a node."""
        return node_id in self.after or EVERYWHERE in self.after


def stops_of(plan: GraphPlan, config: RunnableConfig[Any]) -> Stops | None:
    """Give where a run pauses; `None` if nothing has to be looked at.

    Raises:
        GraphRunnerException: the call names what is no node, or pauses although nothing is kept.
    """
    settings = plan.config
    for problem in problems_of_pauses(config, plan.nodes, is_kept=settings.checkpoint_saver is not None):
        raise failures.refused_interrupts(problem)
    before = frozenset((*settings.interrupts_before, *config.interrupts_before))
    after = frozenset((*settings.interrupts_after, *config.interrupts_after))
    if not before and not after and not plan.has_hooks:
        return None
    return Stops(before, after, settings.interrupt_before_edge)
