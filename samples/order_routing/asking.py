"""What a branch asks a person when what it was told is unclear."""

from typing import Any

import attrs

from graph_core import interrupt
from samples.order_routing.order import Order
from samples.order_routing.verdict import Answer, Verdict


@attrs.frozen
class Question:
    """What is unclear to a branch about an order."""

    order: str
    branch: str
    text: str

    @property
    def name(self) -> str:
        """How an answer names it."""
        return f"{self.order}/{self.branch}"

    def __str__(self) -> str:
        """Say it with its name."""
        return f"{self.name}: {self.text}"


def ask(order: Order, branch: str, text: str) -> Verdict:
    """Ask a person, from inside of a node: its branch pauses until there is an answer, and the other ones go on."""
    answer: Any = None
    while not isinstance(answer, Answer):  # anything else is asked again
        answer = interrupt(Question(order.id, branch, text))
    return Verdict(answer, f"{text}, a person says {answer.value}")
