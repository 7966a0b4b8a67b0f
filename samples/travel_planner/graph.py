"""The planner as a graph: classify, prepare, draft, then evaluate and revise until it is good enough."""

from collections.abc import Iterator
from typing import TypeAlias

from graph_core import END, START, CompileConfig, CompiledGraph, NodeOutput, RunnableConfig, StateGraph
from samples.travel_planner import nodes
from samples.travel_planner.policy import Policy
from samples.travel_planner.state import Asked, PlanState

PlanGraph: TypeAlias = CompiledGraph[PlanState, Policy, Asked, PlanState]


def build() -> PlanGraph:
    """Return the graph; a run without a `Policy` as its context goes by the usual one."""
    return (
        StateGraph(PlanState, name="travel planner", input_schema=Asked, context_schema=Policy)
        .add_node(nodes.classify)
        .add_node(nodes.budget)
        .add_node(nodes.attraction)
        .add_node(nodes.general)
        .add_node(nodes.draft)
        .add_node(nodes.evaluate)
        .add_node(nodes.revise)
        .add_node(nodes.finish)
        .add_edge(START, "classify")
        .add_conditional_edges("classify", nodes.category_of)
        .add_edge("budget", "draft")
        .add_edge("attraction", "draft")
        .add_edge("general", "draft")
        .add_edge("draft", "evaluate")
        .add_conditional_edges("evaluate", nodes.revise_or_finish)
        .add_edge("revise", "evaluate")
        .add_edge("finish", END)
        .compile(CompileConfig(checkpoint_saver=None))
    )


def run_config(policy: Policy) -> RunnableConfig[Policy]:
    """Return the config of a run under `policy`, with room for all the revisions it allows."""
    # classify, prepare, draft, evaluate, finish; and two steps for each revision.
    return RunnableConfig(context=policy, recursion_limit=5 + 2 * policy.max_revisions)


def plan(request: str, policy: Policy) -> Iterator[NodeOutput]:
    """Plan `request` and yield each output as it comes; the last one's state has the plan."""
    return build().stream({"request": request}, run_config(policy))
