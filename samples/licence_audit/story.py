"""What happened in an audit, as text for people: distribution by distribution, step by step."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from graph_core import NodeOutput
from samples.licence_audit.finding import Finding
from samples.licence_audit.graph import NODE_OF_CLASS
from samples.licence_audit.parallel_nodes import CHECKS
from samples.licence_audit.statements import Statement
from samples.licence_audit.table import title
from samples.shared.table import plain

_FIRST: Final = frozenset({"next_distribution", "look_over"})


def line_of(output: NodeOutput) -> str | None:
    """Return what one step has done, for those who watch; None if there is nothing to tell."""
    if not _is_told(output):
        return None
    state: Mapping[str, Any] = output.state or {}
    key, teller = _TELLERS[output.node]
    return f"{plain(title(state.get('one') or state['current']))}: {output.node} {plain(teller(output.update[key]))}"


def _is_told(output: NodeOutput) -> bool:
    # The loop looks for one more distribution when none is left.
    return output.node in _TELLERS and output.update.get("current", True) is not None


def tell(outputs: Iterable[NodeOutput]) -> str:
    """Return the story of `outputs`, which stand in the order in which an `Audit` gives them."""
    lines: list[str] = []
    for chapter in _chapters(outputs):
        state: Mapping[str, Any] = chapter[-1].state or {}
        lines += ["", plain(title(state["current"])), *map(_line, chapter)]
    return "\n".join(lines[1:])


def _chapters(outputs: Iterable[NodeOutput]) -> list[list[NodeOutput]]:
    chapters: list[list[NodeOutput]] = []
    for output in outputs:
        if not _is_told(output):
            continue
        if output.node in _FIRST:
            chapters.append([])
        chapters[-1].append(output)
    return chapters


def _line(output: NodeOutput) -> str:
    key, teller = _TELLERS[output.node]
    return f"{output.step:>5} {output.node:<17} {plain(teller(output.update[key]))}"


def _notes(notes: Sequence[str]) -> str:
    return "; ".join(notes) or "nothing odd"


def _statement(statement: Statement) -> str:
    if not statement.stated:
        return "says nothing"
    meaning = "unclear" if statement.licence_class is None else statement.licence_class.value
    return f"{statement.stated}: {meaning}"


def _decision(finding: Finding) -> str:
    return f"{finding.licence_class.value}, decided by {finding.decided_by.value}"


def _duty(finding: Finding) -> str:
    return finding.duty


# Node: the key that it sets, and what is told of the value.
_TELLERS: Final[Mapping[str, tuple[str, Callable[[Any], str]]]] = {
    "next_distribution": ("current", _decision),
    "look_over": ("notes", _notes),
    **dict.fromkeys(CHECKS, ("statements", _statement)),
    "decide": ("current", _decision),
    **{node.__name__: ("findings", _duty) for node in NODE_OF_CLASS.values()},
}
