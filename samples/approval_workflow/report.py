"""What has become of all requests, as text for people."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from returns.result import Failure, Success

from samples.approval_workflow.answer import Answer
from samples.approval_workflow.case import Decision, Outcome
from samples.approval_workflow.rules import euros
from samples.shared.table import cell, plain, table

_HEADINGS: Final = ("id", "requester", "amount", "decision", "reasons")
_BUSY: Final = "another process is at it; the same command goes on when that one has ended, or 30 s after it was killed"


def render(answers: Sequence[Answer]) -> str:
    """Return the table of what was decided, what went wrong, and how many there are of each."""
    blocks = (_decided(answers), *_wrong(answers), _notes(answers), _waiting(answers), _totals(answers))
    return "\n\n".join(filter(None, blocks))


def _decided(answers: Sequence[Answer]) -> str:
    rows = [_row(answer.result.unwrap()) for answer in answers if isinstance(answer.result, Success)]
    return table(_HEADINGS, rows) if rows else "Nothing to decide."


def _row(outcome: Outcome) -> tuple[str, ...]:
    request = outcome.request
    amount = f"{euros(outcome.amount):>13}"
    reasons = plain("; ".join(outcome.reasons))
    return request.id, cell(request.requester.name), amount, outcome.decision.value, reasons


def _wrong(answers: Sequence[Answer]) -> Iterator[str]:
    for answer in answers:
        if answer.is_busy:
            yield f"{answer.title}: {_BUSY}"
        elif isinstance(answer.result, Failure):
            heading = "refused, nothing was run" if answer.is_refused else "failed on the way"
            # The error tells every problem with its path, one after the other.
            problems = str(answer.result.failure()).split("; ")
            yield "\n  ".join((f"{answer.title}: {heading}", *map(plain, problems)))


def _notes(answers: Sequence[Answer]) -> str:
    return "\n".join(f"{answer.title}: {answer.note}" for answer in answers if answer.note)


def _waiting(answers: Sequence[Answer]) -> str:
    return "\n".join(str(answer.waiting.question) for answer in answers if answer.waiting is not None)


def _totals(answers: Sequence[Answer]) -> str:
    count = Counter(answer.fate for answer in answers)
    fates = (*(decision.value for decision in Decision), "refused", "failed")
    return f"{len(answers)} requests: " + ", ".join(f"{count[fate]} {fate}" for fate in fates)
