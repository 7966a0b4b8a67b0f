"""Ruling on what waits."""

from collections.abc import Callable, Mapping, Sequence

from samples.approval_workflow.answer import Answer
from samples.approval_workflow.desk import Desk
from samples.approval_workflow.question import Question, Ruling


def apply(desk: Desk, answers: Sequence[Answer], rulings: Mapping[str, Ruling]) -> list[Answer]:
    """Rule on requests by their ids; one that does not wait gets a note.

    Of several requests with one id the first that waits is meant.
    """
    settled, open_ = list(answers), dict(rulings)
    for only_waiting in (True, False):
        for index, answer in enumerate(settled):
            if answer.id in open_ and (answer.waiting or not only_waiting):
                settled[index] = desk.rule(answer, open_.pop(answer.id))
    return settled


def ask(desk: Desk, answers: Sequence[Answer], person: Callable[[Question], Ruling | None]) -> list[Answer]:
    """Ask `person` about each request that waits; what they leave for later goes on waiting."""
    return [_asked(desk, answer, person) for answer in answers]


def _asked(desk: Desk, answer: Answer, person: Callable[[Question], Ruling | None]) -> Answer:
    ruling = None if answer.waiting is None else person(answer.waiting.question)
    return answer if ruling is None else desk.rule(answer, ruling)
