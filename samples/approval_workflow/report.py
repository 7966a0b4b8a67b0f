"""What has become of all requests, as text for people."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs
from returns.result import Failure, Result, Success

from graph_core import GraphRunnerException
from samples.approval_workflow.case import Decision, Outcome
from samples.approval_workflow.rules import euros
from samples.shared.table import cell, plain, table

_HEADINGS: Final = ("id", "requester", "amount", "decision", "reasons")
_REFUSED: Final = "invalid_inputs"
_OBJECT: Final[Any] = dict  # as `Any`: to a type checker `isinstance` does not narrow then


@attrs.frozen
class Answer:
    """A request as it was given, its number from 1, and what has become of it."""

    number: int
    given: Any
    result: Result[Outcome, GraphRunnerException]

    @property
    def is_refused(self) -> bool:
        """Tell whether it was refused before anything ran."""
        return isinstance(self.result, Failure) and self.result.failure().code == _REFUSED

    @property
    def is_failed(self) -> bool:
        """Tell whether something went wrong on the way."""
        return isinstance(self.result, Failure) and not self.is_refused

    @property
    def title(self) -> str:
        """What to call it, whatever was given."""
        has_id = isinstance(self.given, _OBJECT) and "id" in self.given
        return f"no. {self.number}, {cell(str(self.given['id']))}" if has_id else f"no. {self.number}"


def render(answers: Sequence[Answer]) -> str:
    """Return the table of what was decided, what went wrong, and how many there are of each."""
    return "\n\n".join(block for block in (_decided(answers), *_wrong(answers), _totals(answers)) if block)


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
        if isinstance(answer.result, Failure):
            heading = "refused, nothing was run" if answer.is_refused else "failed on the way"
            # The error tells every problem with its path, one after the other.
            problems = str(answer.result.failure()).split("; ")
            yield "\n  ".join((f"{answer.title}: {heading}", *map(plain, problems)))


def _totals(answers: Sequence[Answer]) -> str:
    count = Counter(_fate(answer) for answer in answers)
    fates = (*(decision.value for decision in Decision), "refused", "failed")
    return f"{len(answers)} requests: " + ", ".join(f"{count[fate]} {fate}" for fate in fates)


def _fate(answer: Answer) -> str:
    if isinstance(answer.result, Failure):
        return "refused" if answer.is_refused else "failed"
    return answer.result.unwrap().decision.value
