"""What happened to an order, for people and for programs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from graph_core import InterruptionMetadata, NodeOutput
from samples.order_routing.asking import Question
from samples.order_routing.case import Case
from samples.order_routing.order import Order
from samples.order_routing.verdict import Decision, Outcome


@attrs.frozen
class Line:
    """One step: in which branch (empty: on the main path), at which node, and what happened there."""

    step: int
    branch: str
    node: str
    told: str

    def __str__(self) -> str:
        """Lay it out for people."""
        return f"  {self.step}  {self.branch:<7}  {self.node:<9}  {self.told}"


@attrs.frozen
class Story:
    """An order, what became of it, and how; without a decision some of what was asked is open."""

    order: Order
    decision: Decision | None
    lines: tuple[Line, ...]
    asked: tuple[Question, ...] = ()
    open: tuple[Question, ...] = ()

    @property
    def outcome(self) -> str:
        """What became of it, or `open`."""
        return "open" if self.decision is None else self.decision.outcome.value

    def __str__(self) -> str:
        """Lay it out for people: the outcome, then a line for each step."""
        return "\n".join((f"{self.order.id}: {self.outcome}", *map(str, self.lines)))

    def to_json(self) -> dict[str, Any]:
        """Return the story as JSON values; a step on the main path has null for its branch."""
        return {
            "order": attrs.asdict(self.order),
            "outcome": self.outcome,
            "reasons": [] if self.decision is None else list(self.decision.reasons),
            "steps": [attrs.asdict(line) | {"branch": line.branch or None} for line in self.lines],
            "open": [{"question": question.name, "text": question.text} for question in self.open],
        }


def story_of(order: Order, outputs: Sequence[NodeOutput]) -> Story:
    """Return the story of `order` from `outputs`, in the order in which they stand.

    A branch is called after its first node.
    """
    asked = {_place(output): _question(output) for output in outputs if isinstance(output, InterruptionMetadata)}
    done = {_place(output) for output in outputs if not isinstance(output, InterruptionMetadata)}
    open_ = tuple(question for place, question in asked.items() if place not in done)
    decision = _case(outputs[-1]).decision
    if decision is None and not open_:
        raise LookupError("nothing is decided yet")
    return Story(order, decision, tuple(_lines(outputs)), tuple(asked.values()), open_)


def _lines(outputs: Sequence[NodeOutput]) -> Iterator[Line]:
    names: dict[tuple[int, ...], str] = {(): ""}
    for output in outputs:
        if output.is_start or output.is_end:
            continue
        if isinstance(output, InterruptionMetadata):
            branch = names.setdefault(output.branch, output.node)
            yield Line(output.step, branch, output.node, f"asks: {_question(output).text}")
        elif "log" in output.update:
            branch = names.setdefault(output.branch, output.node)
            for told in output.update["log"]:
                yield Line(output.step, branch, output.node, told)
        else:
            yield Line(output.step, "", "together", _together(_case(output)))


def _place(output: NodeOutput) -> tuple[int, tuple[int, ...]]:
    return output.step, output.branch


def _question(output: InterruptionMetadata) -> Question:
    question: Question = output.payload
    return question


def _case(output: NodeOutput) -> Case:
    if output.state is None:
        raise LookupError("a story is told of states: stream them with StreamMode.VALUES")
    case: Case = output.state.view()
    return case


def _together(case: Case) -> str:
    answers = [f"{name} {verdict.answer.value}" for name, verdict in case.verdicts.items()]
    return ", ".join(answers) or "nobody was asked"


def summary(stories: Sequence[Story]) -> str:
    """Return how many orders had which outcome, and what is open."""
    count = Counter(story.outcome for story in stories)
    outcomes = (*(outcome.value for outcome in Outcome), "open")
    return f"{len(stories)} orders: " + ", ".join(f"{outcome} {count[outcome]}" for outcome in outcomes)
