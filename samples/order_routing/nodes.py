"""The nodes and routes: each node says in `log` what happened."""

from typing import Literal

import attrs

from graph_core import RunnableConfig
from samples.order_routing.asking import ask
from samples.order_routing.case import Case
from samples.order_routing.services import Services
from samples.order_routing.verdict import Answer, Outcome, Verdict, decide_by


def receive(case: Case) -> Case:
    """Take the order in."""
    order = case.order
    return _told(case, f"{order}, {order.amount} EUR")


def whom_to_ask(case: Case) -> list[Literal["credit", "stock", "customs"]]:
    """Route: credit and stock, and customs for an export; nobody if nothing is ordered."""
    order = case.order
    if order.quantity == 0:
        return []
    return ["credit", "stock", "customs"] if order.is_export else ["credit", "stock"]


def credit(case: Case, config: RunnableConfig[Services]) -> Case:
    """Ask whether the customer may owe as much."""
    order = case.order
    limit = config.context.limit_of(order.customer)
    if limit is None:
        return _told(case, "there is no limit")
    if order.amount > limit:
        verdict = Verdict(Answer.NO, f"{order.amount} EUR is more than the limit of {limit} EUR")
    else:
        verdict = Verdict(Answer.YES, f"{order.amount} EUR is within the limit of {limit} EUR")
    return _credit(case, verdict)


def after_credit(case: Case) -> Literal["vouch", "decide"]:
    """Route: on with the verdict; without one a person has to vouch for the customer."""
    return "vouch" if case.credit is None else "decide"


def vouch(case: Case) -> Case:
    """Ask a person about a customer who is not known; it is a node of its own, so that the service is asked once."""
    return _credit(case, ask(case.order, "credit", f"nobody has set a credit limit for {case.order.customer}"))


def stock(case: Case, config: RunnableConfig[Services]) -> Case:
    """Ask once how many there are."""
    attempt = case.tries + 1
    count = config.context.count_of(case.order.article, attempt)
    asked = attrs.evolve(case, tries=attempt, count=count)
    return _told(asked, f"try {attempt}: {'busy' if count is None else 'answered'}")


def after_stock(case: Case, config: RunnableConfig[Services]) -> Literal["stock", "shelf", "no_answer"]:
    """Route: on with the answer; while busy, ask again, up to the number of tries that is allowed."""
    if case.count is not None:
        return "shelf"
    return "stock" if case.tries < config.context.max_tries else "no_answer"


def shelf(case: Case) -> Case:
    """Compare what there is with what is ordered."""
    count, wanted = case.count or 0, case.order.quantity
    answer = Answer.YES if count >= wanted else Answer.NO
    return _stock(case, Verdict(answer, f"{count} on the shelf, {wanted} ordered"))


def no_answer(case: Case) -> Case:
    """Give up on the stock service, and ask a person."""
    return _stock(case, ask(case.order, "stock", f"the stock service was busy {case.tries} times"))


def customs(case: Case, config: RunnableConfig[Services]) -> Case:
    """Ask for the duty."""
    duty = config.context.duty_on(case.order.article)
    return _told(attrs.evolve(case, duty=duty), "there is no tariff" if duty is None else f"duty is {duty} %")


def papers(case: Case, config: RunnableConfig[Services]) -> Case:
    """Look whether it may leave the country, and ask a person if that can not be told."""
    order = case.order
    if order.country in config.context.closed:
        verdict = Verdict(Answer.NO, f"nothing may be sent to {order.country}")
    elif not order.has_papers:
        verdict = ask(order, "customs", "the customs papers are missing")
    elif case.duty is None:
        verdict = ask(order, "customs", f"{order.article} has no customs tariff")
    else:
        verdict = Verdict(Answer.YES, "the customs papers are there")
    return _told(attrs.evolve(case, customs=verdict), verdict.reason)


def decide(case: Case) -> Case:
    """Weigh what has been said."""
    decision = decide_by(list(case.verdicts.values()))
    text = f"{decision.outcome.value}: {'; '.join(decision.reasons)}"
    return _told(attrs.evolve(case, decision=decision), text)


def outcome_of(case: Case) -> Outcome:
    """Route: each outcome to the node of its name."""
    if case.decision is None:
        raise LookupError("nothing is decided yet")
    return case.decision.outcome


def approve(case: Case) -> Case:
    """Send the goods."""
    amount, duty = case.order.amount, case.duty
    bill = f"{amount} EUR" if duty is None else f"{amount} EUR and {duty} % duty"
    return _told(case, f"sent, with a bill for {bill}")


def reject(case: Case) -> Case:
    """Tell the customer why not."""
    return _told(case, f"{case.order.customer} is told why not")


def manual(case: Case) -> Case:
    """Put aside what was unclear to the person who was asked, too."""
    return _told(case, "put aside, to be looked into")


def _credit(case: Case, verdict: Verdict) -> Case:
    return _told(attrs.evolve(case, credit=verdict), verdict.reason)


def _stock(case: Case, verdict: Verdict) -> Case:
    return _told(attrs.evolve(case, stock=verdict), verdict.reason)


def _told(case: Case, what: str) -> Case:
    return attrs.evolve(case, log=[*case.log, what])
