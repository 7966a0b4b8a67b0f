"""The way of a request as a graph."""

from typing import TypeAlias

from graph_core import (
    END,
    START,
    BaseCheckpointSaver,
    CompileConfig,
    CompiledGraph,
    MemorySaver,
    StateGraph,
    route,
)
from graph_core.serializer import Serializer
from samples.approval_workflow import nodes
from samples.approval_workflow.case import Asked, Case, Decision, Outcome
from samples.approval_workflow.office import Office
from samples.approval_workflow.question import Question, Ruling

ApprovalGraph: TypeAlias = CompiledGraph[Case, Office, Asked, Outcome]


def build(saver: BaseCheckpointSaver | None = None) -> ApprovalGraph:
    """Return the graph: prepare → decide → send_email if approved, archive_record if rejected, else ask_approver.

    There the run pauses until a person has answered, and goes on in the same three ways: what is no ruling is asked
    again. `saver` keeps the runs; without one they are kept in memory.
    """
    targets = {
        Decision.APPROVED: "send_email",
        Decision.REJECTED: "archive_record",
        Decision.PENDING: "ask_approver",
    }
    by_decision = route(nodes.decision_of).to(targets)
    return (
        StateGraph(
            Case,
            name="approval workflow",
            input_schema=Asked,
            output_schema=Outcome,
            context_schema=Office,
            coerce=True,  # JSON has no dates, amounts or tuples: they come as text, numbers and lists
            serializer=Serializer(Question, Ruling),  # they are asked and answered, but no part of the state
        )
        .add_node(nodes.prepare)
        .add_node(nodes.decide)
        .add_node(nodes.ask_approver)
        .add_node(nodes.send_email)
        .add_node(nodes.archive_record)
        .add_edge(START, "prepare")
        .add_edge("prepare", "decide")
        .add_conditional_edges("decide", by_decision)
        .add_conditional_edges("ask_approver", by_decision)
        .add_edge(["send_email", "archive_record"], END)
        .compile(CompileConfig(checkpoint_saver=MemorySaver() if saver is None else saver))
    )
