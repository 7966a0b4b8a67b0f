"""What happened to an order, for people and for programs."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import attrs

from graph_core import NodeOutput
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
    """An order, what became of it, and how."""

    order: Order
    decision: Decision
    lines: tuple[Line, ...]

    def __str__(self) -> str:
        """Lay it out for people: the decision, then a line for each step."""
        return "\n".join((f"{self.order.id}: {self.decision.outcome.value}", *map(str, self.lines)))

    def to_json(self) -> dict[str, Any]:
        """Return the story as JSON values; a step on the main path has null for its branch."""
        return {
            "order": attrs.asdict(self.order),
            "outcome": self.decision.outcome.value,
            "reasons": list(self.decision.reasons),
            "steps": [attrs.asdict(line) | {"branch": line.branch or None} for line in self.lines],
        }


def story_of(order: Order, outputs: Sequence[NodeOutput]) -> Story:
    """Return the story of `order` from `outputs`, in the order in which they stand.

    A branch is called after its first node.
    """
    names: dict[tuple[int, ...], str] = {(): ""}
    lines: list[Line] = []
    for output in outputs:
        if output.is_start or output.is_end:
            continue
        if "log" in output.update:
            branch = names.setdefault(output.branch, output.node)
            lines.extend(Line(output.step, branch, output.node, told) for told in output.update["log"])
        else:
            lines.append(Line(output.step, "", "together", _together(_case(output))))
    decision = _case(outputs[-1]).decision
    if decision is None:
        raise LookupError("nothing is decided yet")
    return Story(order, decision, tuple(lines))


def _case(output: NodeOutput) -> Case:
    if output.state is None:
        raise LookupError("a story is told of states: stream them with StreamMode.VALUES")
    case: Case = output.state.view()
    return case


def _together(case: Case) -> str:
    answers = [f"{name} {verdict.answer.value}" for name, verdict in case.verdicts.items()]
    return ", ".join(answers) or "nobody was asked"


def summary(stories: Sequence[Story]) -> str:
    """Return how many orders had which outcome."""
    count = Counter(story.decision.outcome for story in stories)
    return f"{len(stories)} orders: " + ", ".join(f"{outcome.value} {count[outcome]}" for outcome in Outcome)
