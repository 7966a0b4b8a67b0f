"""The nodes and routes: each node says in `log` what happened."""

from typing import Literal

from graph_core import RunnableConfig
from samples.order_routing.case import Case, verdicts_of
from samples.order_routing.services import Services
from samples.order_routing.verdict import Answer, Decision, Outcome, Verdict, decide_by


def services_of(config: RunnableConfig[Services]) -> Services:
    """Return the services the run was given as its context, or raise LookupError."""
    if config.context is None:
        raise LookupError("an order needs services to ask: RunnableConfig(context=Services(...))")
    return config.context


def receive(state: Case) -> dict[str, object]:
    """Take the order in."""
    order = state["order"]
    return {"log": f"{order}, {order.amount} EUR"}


def whom_to_ask(state: Case) -> list[str]:
    """Route: credit and stock, and customs for an export; nobody if nothing is ordered."""
    order = state["order"]
    if order.quantity == 0:
        return []
    return ["credit", "stock", "customs"] if order.is_export else ["credit", "stock"]


def credit(state: Case, config: RunnableConfig[Services]) -> dict[str, object]:
    """Ask whether the customer may owe as much."""
    order = state["order"]
    limit = services_of(config).limit_of(order.customer)
    if limit is None:
        verdict = Verdict(Answer.UNCLEAR, f"nobody has set a credit limit for {order.customer}")
    elif order.amount > limit:
        verdict = Verdict(Answer.NO, f"{order.amount} EUR is more than the limit of {limit} EUR")
    else:
        verdict = Verdict(Answer.YES, f"{order.amount} EUR is within the limit of {limit} EUR")
    return {"credit": verdict, "log": verdict.reason}


def stock(state: Case, config: RunnableConfig[Services]) -> dict[str, object]:
    """Ask once how many there are."""
    attempt = state["tries"] + 1
    count = services_of(config).count_of(state["order"].article, attempt)
    return {"tries": attempt, "count": count, "log": f"try {attempt}: {'busy' if count is None else 'answered'}"}


def after_stock(state: Case, config: RunnableConfig[Services]) -> Literal["stock", "shelf", "no_answer"]:
    """Route: on with the answer; while busy, ask again, up to the number of tries that is allowed."""
    if state["count"] is not None:
        return "shelf"
    return "stock" if state["tries"] < services_of(config).max_tries else "no_answer"


def shelf(state: Case) -> dict[str, object]:
    """Compare what there is with what is ordered."""
    count, wanted = state["count"] or 0, state["order"].quantity
    answer = Answer.YES if count >= wanted else Answer.NO
    return _stock(Verdict(answer, f"{count} on the shelf, {wanted} ordered"))


def no_answer(state: Case) -> dict[str, object]:
    """Give up on the stock service."""
    return _stock(Verdict(Answer.UNCLEAR, f"the stock service was busy {state['tries']} times"))


def customs(state: Case, config: RunnableConfig[Services]) -> dict[str, object]:
    """Ask for the duty."""
    duty = services_of(config).duty_on(state["order"].article)
    return {"duty": duty, "log": "there is no tariff" if duty is None else f"duty is {duty} %"}


def papers(state: Case, config: RunnableConfig[Services]) -> dict[str, object]:
    """Look whether it may leave the country."""
    order = state["order"]
    if order.country in services_of(config).closed:
        verdict = Verdict(Answer.NO, f"nothing may be sent to {order.country}")
    elif not order.has_papers:
        verdict = Verdict(Answer.UNCLEAR, "the customs papers are missing")
    elif state["duty"] is None:
        verdict = Verdict(Answer.UNCLEAR, f"{order.article} has no customs tariff")
    else:
        verdict = Verdict(Answer.YES, "the customs papers are there")
    return {"customs": verdict, "log": verdict.reason}


def decide(state: Case) -> dict[str, object]:
    """Weigh what has been said."""
    decision = decide_by(list(verdicts_of(state).values()))
    return {"decision": decision, "log": f"{decision.outcome.value}: {'; '.join(decision.reasons)}"}


def outcome_of(state: Case) -> Outcome:
    """Route: each outcome to the node of its name."""
    return _decided(state).outcome


def approve(state: Case) -> dict[str, object]:
    """Send the goods."""
    amount, duty = state["order"].amount, state["duty"]
    bill = f"{amount} EUR" if duty is None else f"{amount} EUR and {duty} % duty"
    return {"log": f"sent, with a bill for {bill}"}


def reject(state: Case) -> dict[str, object]:
    """Tell the customer why not."""
    return {"log": f"{state['order'].customer} is told why not"}


def manual(state: Case) -> dict[str, object]:
    """Put it before a person."""
    return {"log": "put before a person"}


def _stock(verdict: Verdict) -> dict[str, object]:
    return {"stock": verdict, "log": verdict.reason}


def _decided(state: Case) -> Decision:
    if state["decision"] is None:
        raise LookupError("nothing is decided yet")
    return state["decision"]
