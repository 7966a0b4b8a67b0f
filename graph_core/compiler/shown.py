"""How a compiled graph shows its nodes and edges: forks rewritten, as in the Java library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_core.action import CommandAction, MultiCommandAction
from graph_core.edge import EdgeCondition, EdgeValue
from graph_core.node import ConditionalParallelNode, Node, ParallelNode

if TYPE_CHECKING:
    from graph_core.compiler.plan import ForkPlan, GraphPlan, NodePlan


def shown_nodes(plan: GraphPlan) -> dict[str, Node | ParallelNode | ConditionalParallelNode]:
    """Give id → node: the nodes as they were added, then the forks."""
    found: dict[str, Node | ParallelNode | ConditionalParallelNode] = {
        id_: node.node for id_, node in plan.definition.nodes.items()
    }
    for id_, fork in plan.parallel_ids.items():
        found[id_] = _fork(plan, fork)
    return found


def shown_edges(plan: GraphPlan) -> dict[str, EdgeValue]:
    """Give source → where it leads: of a fork to its parallel node, and from there to the convergence."""
    found: dict[str, EdgeValue] = {}
    for node in (plan.start, *plan.nodes.values()):
        if node.fork is not None:
            found[node.id] = EdgeValue(node.fork.id)
            found[node.fork.id] = EdgeValue(node.fork.convergence.id)
        elif node.commands is not None:
            found[node.id] = EdgeValue(value=_commands(plan, node))
        else:
            found[node.id] = EdgeValue.of(plan.definition.routes[node.id][0].target)
    return found


def _fork(plan: GraphPlan, fork: ForkPlan) -> ParallelNode | ConditionalParallelNode:
    routes = plan.definition.routes.get(fork.source.id, ())
    conditions = tuple(route.target for route in routes if isinstance(route.target, EdgeCondition))
    static = tuple(route.target for route in routes if isinstance(route.target, str))
    if fork.source.commands is not None:
        conditions = (*conditions, _commands(plan, fork.source))
    if conditions:
        return ConditionalParallelNode(fork.source.id, conditions, static, fork.convergence.id)
    return ParallelNode(fork.source.id, static, fork.convergence.id)


def _commands(plan: GraphPlan, node: NodePlan) -> EdgeCondition:
    commands = plan.definition.nodes[node.id].commands
    multi = node.commands is not None and node.commands.multi
    action = MultiCommandAction(node.fn) if multi else CommandAction(node.fn)
    return EdgeCondition(action, None if commands is None else commands.mappings, node.id)
