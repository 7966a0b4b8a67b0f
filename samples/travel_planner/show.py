"""One line of text for each output of a run."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from graph_core import NodeOutput


def describe(output: NodeOutput) -> str:
    """Return the line for `output`: its step, its node, and what the state now says about it."""
    tell = _TELLERS.get(output.node)
    told = "" if tell is None or output.state is None else tell(output.state)
    step = "" if output.is_start or output.is_end else output.step
    return f"{step:>3} {output.node:<10} {told}".rstrip()


def _category(state: Mapping[str, Any]) -> str:
    return f"category {state['category'].value}"


def _guide(state: Mapping[str, Any]) -> str:
    return f"material: {', '.join(topic.value for topic in state['guide'].lines)}"


def _draft(state: Mapping[str, Any]) -> str:
    return state["draft"].replace("\n", " ") if state["draft"] else "nothing to write about"


def _evaluation(state: Mapping[str, Any]) -> str:
    attempt = state["history"][-1]
    return f"score {attempt.score:.2f}: {attempt.critique}"


def _revision(state: Mapping[str, Any]) -> str:
    last_line = state["draft"].splitlines()[-1]
    return f"revision {state['revisions']}, last line: {last_line}"


_TELLERS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "classify": _category,
    "budget": _guide,
    "attraction": _guide,
    "general": _guide,
    "draft": _draft,
    "evaluate": _evaluation,
    "revise": _revision,
}
