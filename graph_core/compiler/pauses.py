"""Where the runs of a graph pause (rule K5)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from graph_core.action.interrupts import hooks_of
from graph_core.action.signature import is_coroutine_function
from graph_core.compiler.plan import HookPlan
from graph_core.config.interrupts import EVERYWHERE
from graph_core.exception import problems

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from graph_core.config import CompileConfig, RunnableConfig
    from graph_core.exception import GraphProblem


def problems_of_pauses(
    config: CompileConfig | RunnableConfig[Any], nodes: Collection[str], *, is_kept: bool
) -> Iterator[GraphProblem]:
    """Find pauses at what is no node, and those that nothing would keep, in the settings of a graph or of a call."""
    named = {"interrupts_before": config.interrupts_before, "interrupts_after": config.interrupts_after}
    for where, ids in named.items():
        for id_ in ids:
            if id_ != EVERYWHERE and id_ not in nodes:
                yield problems.interruption_node_not_exist(where, id_, nodes)
        if ids and not is_kept:
            yield problems.unkept_interrupts(where)


def hook_plans(id_: str, action: Any) -> Mapping[str, HookPlan]:
    """Make the calls of the methods that tell whether an action pauses the run: `before` and `after`.

    Raises:
        InvalidRecordError: such a method does not take what it is called with.
    """
    hooks = hooks_of(action, f"node {id_!r}")
    found: dict[str, HookPlan] = {}
    if hooks.before is not None:
        found["before"] = _plan(id_, "interrupt", hooks.before)
    if hooks.after is not None:
        found["after"] = _plan(id_, "interrupt_after", hooks.after)
    return found


def _plan(id_: str, name: str, method: Callable[..., Any]) -> HookPlan:
    return HookPlan(source=id_, name=name, fn=partial(method, id_), is_async=is_coroutine_function(method))
