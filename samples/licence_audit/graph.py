"""The audit as a loop over the distributions, with a node per licence class."""

from typing import Final

from graph_core import END, START, BaseCheckpointSaver, CompileConfig, RunnableConfig, StateGraph
from samples.licence_audit import nodes
from samples.licence_audit.audit import Audit, AuditGraph
from samples.licence_audit.checks import Checks
from samples.licence_audit.finding import Report
from samples.licence_audit.installed import Installed
from samples.licence_audit.licence_class import LicenceClass
from samples.licence_audit.serializer import SERIALIZER
from samples.licence_audit.state import Audited, Environment, Walk

NODE_OF_CLASS: Final = {
    LicenceClass.PERMISSIVE: nodes.permissive,
    LicenceClass.WEAK_COPYLEFT: nodes.weak_copyleft,
    LicenceClass.STRONG_COPYLEFT: nodes.strong_copyleft,
    LicenceClass.UNKNOWN: nodes.unknown,
}


def build(saver: BaseCheckpointSaver | None = None) -> AuditGraph:
    """Return the graph: next → the node of its class → next ..., until none is left → report."""
    graph = StateGraph(
        Walk,
        name="licence audit",
        input_schema=Environment,
        output_schema=Audited,
        context_schema=Checks,
        serializer=SERIALIZER,
    )
    graph.add_node(nodes.next_distribution)
    for node in NODE_OF_CLASS.values():
        graph.add_node(node).add_edge(node.__name__, nodes.next_distribution.__name__)
    targets: dict[LicenceClass | str, str] = {"done": "report"}
    targets.update((licence_class, node.__name__) for licence_class, node in NODE_OF_CLASS.items())
    return (
        graph.add_node(nodes.report)
        .add_edge(START, "next_distribution")
        .add_conditional_edges("next_distribution", nodes.class_of_current, targets)
        .add_edge("report", END)
        # A run of seconds that starts afresh each time has no use for checkpoints, so there may be no saver.
        .compile(CompileConfig(checkpoint_saver=saver))
    )


def loop(
    distributions: tuple[Installed, ...], checks: Checks | None = None, *, saver: BaseCheckpointSaver | None = None
) -> Audit:
    """Return the audit that takes one distribution after the other."""
    # Two steps for each distribution, one that finds none left, and the report.
    config = RunnableConfig(context=checks or Checks(), recursion_limit=2 * len(distributions) + 2)
    return Audit(way="one by one", graph=build(saver), inputs={"distributions": distributions}, config=config)


def audit(distributions: tuple[Installed, ...]) -> Report:
    """Walk `distributions` and return what was found."""
    return loop(distributions).report()
