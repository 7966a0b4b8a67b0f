"""What is said about an order: by one who was asked, and at the end."""

from collections.abc import Sequence
from enum import Enum

import attrs


class Answer(Enum):
    """What one who was asked says."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"


@attrs.frozen
class Verdict:
    """An answer with its reason."""

    answer: Answer
    reason: str


class Outcome(Enum):
    """What becomes of an order; each value is the node that does it."""

    APPROVE = "approve"
    REJECT = "reject"
    MANUAL = "manual"


@attrs.frozen
class Decision:
    """What becomes of an order, and the reasons."""

    outcome: Outcome
    reasons: tuple[str, ...]


def decide_by(verdicts: Sequence[Verdict]) -> Decision:
    """Return the decision: one NO rejects, else one UNCLEAR is for a closer look; the reasons are those that decided.

    Without a verdict there is nothing to send, so it is rejected.

    >>> decide_by([Verdict(Answer.YES, "paid"), Verdict(Answer.UNCLEAR, "papers missing")])
    Decision(outcome=<Outcome.MANUAL: 'manual'>, reasons=('papers missing',))
    """
    if not verdicts:
        return Decision(Outcome.REJECT, ("nothing is ordered",))
    for answer, outcome in ((Answer.NO, Outcome.REJECT), (Answer.UNCLEAR, Outcome.MANUAL)):
        reasons = tuple(verdict.reason for verdict in verdicts if verdict.answer is answer)
        if reasons:
            return Decision(outcome, reasons)
    return Decision(Outcome.APPROVE, tuple(verdict.reason for verdict in verdicts))
