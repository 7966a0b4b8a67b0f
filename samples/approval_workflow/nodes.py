"""The nodes and the route: each node takes the case, and gives the part of it that it has found out."""

import json
from typing import Any

from graph_core import RunnableConfig, interrupt
from samples.approval_workflow.case import Case, Decided, Decision, Prepared, Told
from samples.approval_workflow.letter import letter_of
from samples.approval_workflow.office import Office
from samples.approval_workflow.question import Question, Ruling
from samples.approval_workflow.rules import approver_of, euros, objections


def prepare(case: Case, config: RunnableConfig[Office]) -> Prepared:
    """Add the items up, and find out who may approve as much."""
    request, policy = case.request, config.context.policy
    return Prepared(amount=request.amount, approver=approver_of(request, request.amount, policy))


def decide(case: Case, config: RunnableConfig[Office]) -> Decided:
    """Decide by the rules, or leave it to a person."""
    policy, amount = config.context.policy, euros(case.amount)
    if reasons := tuple(objections(case.request, policy)):
        return Decided(decision=Decision.REJECTED, reasons=reasons)
    if case.amount <= policy.without_asking:
        return Decided(decision=Decision.APPROVED, reasons=(f"{amount} is within {euros(policy.without_asking)}",))
    if case.approver is None:
        return Decided(decision=Decision.REJECTED, reasons=(f"nobody may approve {amount}",))
    return Decided(decision=Decision.PENDING, reasons=(f"{case.approver.name} has to be asked for {amount}",))


def ask_approver(case: Case, config: RunnableConfig[Office]) -> Decided:
    """Put it before a person: the run pauses here, and goes on when somebody has answered."""
    question = _question_on(case, config.context)
    ruling: Any = interrupt(question)
    if not isinstance(ruling, Ruling):
        return Decided(decision=Decision.PENDING, reasons=case.reasons)
    said = f"{question.approver} says {'yes' if ruling.is_approved else 'no'}"
    decision = Decision.APPROVED if ruling.is_approved else Decision.REJECTED
    return Decided(decision=decision, reasons=(f"{said}: {ruling.reason}" if ruling.reason else said,))


def decision_of(case: Case) -> Decision:
    """Route: by the decision."""
    return case.decision


def send_email(case: Case, config: RunnableConfig[Office]) -> Told:
    """Write the mail that tells the good news; a request that was told before raises FileExistsError."""
    office = config.context
    path = office.outbox / f"{case.request.id}.eml"
    with path.open("xb") as file:
        file.write(bytes(letter_of(case, office)))
    return Told(written=path)


def archive_record(case: Case, config: RunnableConfig[Office]) -> Told:
    """Append a line to the archive of what was rejected."""
    office, request = config.context, case.request
    record = {
        "at": office.now().isoformat(timespec="seconds"),
        "id": request.id,
        "requester": request.requester.email,
        "vendor": request.vendor,
        "amount": str(case.amount),
        "reasons": case.reasons,
    }
    with office.archive.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(record)}\n")
    return Told(written=office.archive)


def _question_on(case: Case, office: Office) -> Question:
    request = case.request
    if case.approver is None:
        raise LookupError("nobody can be asked")
    bought = ", ".join(f"{item.what} ({euros(item.price)}, {item.receipt or 'no receipt'})" for item in request.items)
    return Question(
        id=request.id,
        approver=case.approver.name,
        summary=f"{request.requester.name} has bought from {request.vendor} ({request.purpose}): {bought}",
        why=f"{euros(case.amount)} is more than {euros(office.policy.without_asking)}",
    )
