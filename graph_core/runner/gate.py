"""What is known where a node is about to run: what was asked, and what was answered (rule K5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, final

import attrs

from graph_core.action.interrupts import Answered
from graph_core.config.runnable_config import MISSING
from graph_core.runner import failures
from graph_core.runner.pauses import Pause

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph_core.compiler.plan import NodePlan
    from graph_core.exception import GraphInterrupt
    from graph_core.streaming import InterruptionMetadata

Make: TypeAlias = Callable[..., Pause]
"""Makes a pause of what is asked."""


@final
@attrs.define(eq=False)
class Gate:
    """What is known where a branch (or the main path) is about to run a node.

    Args:
        is_open: it was paused there, and goes on: the settings do not pause it again.
        is_asked: the action was asked, and lets the node run.
        asked: the last question there.
        is_answered: it has an answer.
        answers: those to what the node asks inside.
        feedback: the answer for `config.feedback`.
        used: id → the pause that was answered, and how many answers there were before.
    """

    is_open: bool = False
    is_asked: bool = False
    asked: Pause | None = None
    is_answered: bool = False
    answers: tuple[Any, ...] = ()
    feedback: Any = None
    used: dict[str, tuple[Pause, int]] = attrs.field(factory=dict[str, tuple[Pause, int]])

    def goes_on(self, pause: Pause, record: Mapping[str, Any]) -> None:
        """Take in that a pause goes on, as it was recorded."""
        answer = record.get("answer", MISSING)
        has_answer = answer is not MISSING
        if has_answer:
            self.used[pause.id] = pause, len(self.answers)
        if pause.when == "inside":
            self.is_open = self.is_asked = True
            self.asked = None if has_answer else pause
            self.answers += (answer,) if has_answer else ()
            return
        if has_answer:
            self.feedback = answer
        if pause.when == "before":
            self.is_open, self.is_answered, self.asked = True, has_answer, pause

    def goes_on_anew(self, record: Mapping[str, Any]) -> None:
        """Take in another answer to what was answered, as it was recorded; what was asked after it is asked again."""
        pause, before = self.used[record["resumed"]]
        self.used = {id_: each for id_, each in self.used.items() if each[1] < before}
        self.answers = self.answers[:before]
        self.is_asked = False
        self.goes_on(pause, record)


def pause_before(made: Make, gate: Gate, answer: InterruptionMetadata | None, *, is_stop: bool) -> Pause | None:
    """Tell what to pause with before a node.

    Args:
        made: makes a pause.
        gate: what is known there.
        answer: what the action said, if it pauses.
        is_stop: the settings pause there.
    """
    if answer is None:
        return made() if is_stop and not gate.is_open else None
    asked = made(payload=answer.payload, metadata=answer.metadata)
    if not asked.is_same_question(gate.asked):
        return asked
    return None if gate.is_answered else gate.asked


def pause_inside(made: Make, gate: Gate | None, question: GraphInterrupt) -> Pause:
    """Give the pause of a node that asks; one that asks anew, since the state has changed, keeps its id."""
    pause = made(payload=question.payload)
    asked = gate.asked if gate is not None else None
    return pause if asked is None or asked.when != "inside" else attrs.evolve(pause, id=asked.id)


def pause_after(made: Make, answer: InterruptionMetadata | None, *, is_stop: bool) -> Pause | None:
    """Tell what to pause with after a node."""
    if answer is not None:
        return made(payload=answer.payload, metadata=answer.metadata)
    return made() if is_stop else None


def check_answered(node: NodePlan, gate: Gate | None, question: GraphInterrupt) -> None:
    """Refuse a question that has an answer: it was asked where answers do not reach, and would be for ever.

    Raises:
        GraphRunnerException: as said.
    """
    if gate is not None and question.index < len(gate.answers):
        raise failures.lost_answers(node.id)


def open_gate(gate: Gate | None) -> Gate:
    """Give a gate, a new one if there is none."""
    return Gate() if gate is None else gate


def with_answers(node: NodePlan, gate: Gate | None) -> NodePlan:
    """Give a node as it is called with the answers that there are."""
    if gate is None or not gate.answers:
        return node
    return attrs.evolve(node, fn=Answered(node.fn, gate.answers, node.is_async))
