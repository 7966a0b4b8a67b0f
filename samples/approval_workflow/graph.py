"""The way of a request as a graph."""

from typing import Any, TypeAlias

from returns.result import Result

from graph_core import (
    END,
    START,
    CompileConfig,
    CompiledGraph,
    GraphRunnerException,
    OverAllState,
    RunnableConfig,
    StateGraph,
    route,
)
from samples.approval_workflow import nodes
from samples.approval_workflow.case import Asked, Case, Decision, Outcome
from samples.approval_workflow.office import Office

ApprovalGraph: TypeAlias = CompiledGraph[Case, Office, Asked, Outcome]


def build() -> ApprovalGraph:
    """Return the graph: prepare → decide → send_email if approved, archive_record if rejected, else the end."""
    targets = {Decision.APPROVED: "send_email", Decision.REJECTED: "archive_record", Decision.PENDING: END}
    return (
        StateGraph(
            Case,
            name="approval workflow",
            input_schema=Asked,
            output_schema=Outcome,
            context_schema=Office,
            coerce=True,  # JSON has no dates, amounts or tuples: they come as text, numbers and lists
        )
        .add_node(nodes.prepare)
        .add_node(nodes.decide)
        .add_node(nodes.send_email)
        .add_node(nodes.archive_record)
        .add_edge(START, "prepare")
        .add_edge("prepare", "decide")
        .add_conditional_edges("decide", route(nodes.decision_of).to(targets))
        .add_edge(["send_email", "archive_record"], END)
        .compile(CompileConfig(checkpoint_saver=None))
    )


def handle(graph: ApprovalGraph, request: Any, office: Office) -> Result[Outcome, GraphRunnerException]:
    """Send a request through the graph.

    Args:
        graph: what `build` gives.
        request: a `Request`, or what a JSON file has in its place: the graph checks it before anything runs.
        office: where it is decided on.

    Returns:
        What has become of it; or the error, whose code is `invalid_inputs` if it was refused.
    """
    return graph.try_invoke({"request": request}, RunnableConfig(context=office)).map(OverAllState[Outcome].view)
