"""The audit as a fan: a branch for each distribution, in it a branch for each check, then the report."""

from typing import Final

from graph_core import END, START, BaseCheckpointSaver, CompileConfig, RunnableConfig, StateGraph
from samples.licence_audit import nodes, parallel_nodes
from samples.licence_audit.audit import Audit, AuditGraph
from samples.licence_audit.checks import Checks
from samples.licence_audit.graph import NODE_OF_CLASS
from samples.licence_audit.installed import Installed
from samples.licence_audit.serializer import SERIALIZER
from samples.licence_audit.state import Audited, Environment, Fan

AT_ONCE: Final = 16
"""How many checks run at once, unless it is said otherwise: enough to gain by, few enough for a shared disk."""


def build(saver: BaseCheckpointSaver | None = None) -> AuditGraph:
    """Return the graph: look over ⇉ the checks ⇉ decide → the node of its class, per distribution; then report."""
    graph = StateGraph(
        Fan,
        name="parallel licence audit",
        input_schema=Environment,
        output_schema=Audited,
        context_schema=Checks,
        serializer=SERIALIZER,
    )
    graph.add_node(parallel_nodes.LOOK_OVER, parallel_nodes.look_over)
    graph.add_node(parallel_nodes.decide).add_node(nodes.report)
    for name, check in parallel_nodes.CHECKS.items():
        graph.add_node(name, check).add_edge("look_over", name).add_edge(name, "decide")
    for node in NODE_OF_CLASS.values():
        graph.add_node(node).add_edge(node.__name__, "report")
    targets = {licence_class: node.__name__ for licence_class, node in NODE_OF_CLASS.items()}
    return (
        # Without `converge_at` the branches would come together right behind `look_over`, without their distributions.
        graph.add_parallel_conditional_edges(
            START, parallel_nodes.each_distribution, ["look_over"], converge_at="report"
        )
        .add_conditional_edges("decide", nodes.class_of_judged, targets)
        .add_edge("report", END)
        # A run of seconds that starts afresh each time has no use for checkpoints, so there may be no saver.
        .compile(CompileConfig(checkpoint_saver=saver))
    )


def fan_out(
    distributions: tuple[Installed, ...],
    checks: Checks | None = None,
    at_once: int = AT_ONCE,
    *,
    saver: BaseCheckpointSaver | None = None,
) -> Audit:
    """Return the audit that takes all distributions side by side, at most `at_once` checks at a time."""
    config = RunnableConfig(context=checks or Checks(), max_concurrency=at_once)
    return Audit(way="in parallel", graph=build(saver), inputs={"distributions": distributions}, config=config)
