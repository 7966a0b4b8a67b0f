"""The way of an order as a graph."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from graph_core import (
    END,
    START,
    CompileConfig,
    CompiledGraph,
    InterruptionMetadata,
    NodeOutput,
    RunnableConfig,
    StateGraph,
)
from samples.order_routing import nodes
from samples.order_routing.asking import Question
from samples.order_routing.case import Asked, Case
from samples.order_routing.order import Order
from samples.order_routing.services import Services
from samples.order_routing.verdict import Answer, Outcome

# Should two branches ever set one key, the run is to say so. What waits for a person is kept in memory, by default.
CONFIG: Final = CompileConfig(on_conflict="error")
OrderGraph: TypeAlias = CompiledGraph[Case, Services, Asked, Case]
Person: TypeAlias = Callable[[Question], Answer | None]
"""Answers a question, or leaves it open."""


def build() -> OrderGraph:
    """Return the graph; each run needs `Services` as its context.

    receive ⇉ credit, and vouch without a limit | stock, again while busy → shelf or no_answer | customs → papers ⇉
    decide → approve, reject or manual. In vouch, no_answer and papers a person may be asked.
    """
    graph = StateGraph(Case, name="order routing", input_schema=Asked, context_schema=Services)
    graph.add_node(nodes.receive).add_node(nodes.credit).add_node(nodes.vouch)
    graph.add_node(nodes.stock).add_node(nodes.shelf).add_node(nodes.no_answer)
    graph.add_node(nodes.customs).add_node(nodes.papers).add_node(nodes.decide)
    graph.add_node(nodes.approve).add_node(nodes.reject).add_node(nodes.manual)
    return (
        graph.add_edge(START, "receive")
        .add_parallel_conditional_edges("receive", nodes.whom_to_ask)
        .add_conditional_edges("credit", nodes.after_credit)
        .add_conditional_edges("stock", nodes.after_stock)
        .add_edge("customs", "papers")
        .add_edge(["vouch", "shelf", "no_answer", "papers"], "decide")
        .add_conditional_edges("decide", nodes.outcome_of)
        .add_edge([outcome.value for outcome in Outcome], END)
        .compile(CONFIG)
    )


def run_config(services: Services, at_once: int | None = None) -> RunnableConfig[Services]:
    """Return the config of a run that asks `services`; at most `at_once` nodes run at a time (None: any number)."""
    # The longest way: receive, every try at the stock service, shelf or no_answer, decide, outcome.
    return RunnableConfig(context=services, max_concurrency=at_once, recursion_limit=4 + services.max_tries)


def nobody(question: Question) -> None:
    """Leave a question open."""


def outputs_of(
    graph: OrderGraph, order: Order, config: RunnableConfig[Services], person: Person = nobody
) -> list[NodeOutput]:
    """Send `order` through `graph`, and return what happened by step and branch: the same on every run.

    The outputs themselves come as the branches get on, in an order that is left to chance. When no branch can go on,
    `person` is asked everything that is open; what they leave open stays at the end.
    """
    done: list[NodeOutput] = []
    outputs = [*graph.stream({"order": order}, config)]
    while answers := _answers(outputs[-1], person):
        thread: Any = outputs[-1].config
        # What stays open is told again at the end of the next run.
        done += (one for one in outputs if not isinstance(one, InterruptionMetadata) or one.id in answers)
        outputs = [*graph.stream(None, thread.with_resume(answers=answers))]
    return sorted([*done, *outputs], key=lambda output: (output.step, output.branch))


def _answers(last: NodeOutput, person: Person) -> dict[str, Answer]:
    pending = last.pending if isinstance(last, InterruptionMetadata) else ()
    answers = {one.id: person(one.payload) for one in pending}
    return {id_: answer for id_, answer in answers.items() if answer is not None}
