"""The way of an order as a graph."""

from typing import Final, TypeAlias

from graph_core import END, START, CompileConfig, CompiledGraph, NodeOutput, RunnableConfig, StateGraph
from samples.order_routing import nodes
from samples.order_routing.case import Asked, Case
from samples.order_routing.order import Order
from samples.order_routing.services import Services
from samples.order_routing.verdict import Outcome

# A run of a moment has no use for checkpoints; and should two branches ever set one key, the run is to say so.
CONFIG: Final = CompileConfig(checkpoint_saver=None, on_conflict="error")
OrderGraph: TypeAlias = CompiledGraph[Case, Services, Asked, Case]


def build() -> OrderGraph:
    """Return the graph; each run needs `Services` as its context.

    receive ⇉ credit | stock, again while busy → shelf or no_answer | customs → papers ⇉ decide;
    decide → approve, reject or manual.
    """
    graph = StateGraph(Case, name="order routing", input_schema=Asked, context_schema=Services)
    graph.add_node(nodes.receive).add_node(nodes.credit)
    graph.add_node(nodes.stock).add_node(nodes.shelf).add_node(nodes.no_answer)
    graph.add_node(nodes.customs).add_node(nodes.papers).add_node(nodes.decide)
    graph.add_node(nodes.approve).add_node(nodes.reject).add_node(nodes.manual)
    return (
        graph.add_edge(START, "receive")
        .add_parallel_conditional_edges("receive", nodes.whom_to_ask)
        .add_conditional_edges("stock", nodes.after_stock)
        .add_edge("customs", "papers")
        .add_edge(["credit", "shelf", "no_answer", "papers"], "decide")
        .add_conditional_edges("decide", nodes.outcome_of)
        .add_edge([outcome.value for outcome in Outcome], END)
        .compile(CONFIG)
    )


def run_config(services: Services, at_once: int | None = None) -> RunnableConfig[Services]:
    """Return the config of a run that asks `services`; at most `at_once` nodes run at a time (None: any number)."""
    # The longest way: receive, every try at the stock service, shelf or no_answer, decide, outcome.
    return RunnableConfig(context=services, max_concurrency=at_once, recursion_limit=4 + services.max_tries)


def outputs_of(graph: OrderGraph, order: Order, config: RunnableConfig[Services]) -> list[NodeOutput]:
    """Send `order` through `graph`, and return what happened by step and branch: the same on every run.

    The outputs themselves come as the branches get on, in an order that is left to chance.
    """
    return sorted(graph.stream({"order": order}, config), key=lambda output: (output.step, output.branch))
