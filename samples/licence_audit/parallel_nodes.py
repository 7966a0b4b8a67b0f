"""The nodes that only the parallel way has; each works on one distribution, as it stands in its branch's state."""

from collections.abc import Callable, Mapping
from typing import Final

from graph_core import NodeRef, RunnableConfig, Send
from samples.licence_audit.checks import Checks
from samples.licence_audit.decision import decide_by
from samples.licence_audit.finding import finding_of, notes_on
from samples.licence_audit.state import Asked, Copy, Environment
from samples.licence_audit.statements import Source

LOOK_OVER: Final = NodeRef("look_over", Copy)
CheckNode = Callable[[Copy, RunnableConfig[Checks]], dict[str, object]]


def each_distribution(state: Environment) -> list[Send]:
    """Route: a branch for each distribution, in the order of the environment."""
    return [Send(LOOK_OVER, Copy(one=one)) for one in state["distributions"]]


def look_over(state: Copy) -> dict[str, object]:
    """Note what is odd before anything is checked."""
    return {"notes": notes_on(state["one"])}


def _check(source: Source) -> CheckNode:
    def ask(state: Copy, config: RunnableConfig[Checks]) -> dict[str, object]:
        return {"statements": config.context.ask(source, state["one"])}

    return ask


# The order of the edges is the branch order, and so the order of the statements when they come together.
CHECKS: Final[Mapping[str, CheckNode]] = {
    "spdx_expression": _check(Source.EXPRESSION),
    "classifiers": _check(Source.CLASSIFIERS),
    "licence_field": _check(Source.FIELD),
    "licence_file": _check(Source.FILE),
}


def decide(state: Asked) -> dict[str, object]:
    """Decide by the statements that have come together."""
    return {"current": finding_of(state["one"], decide_by(state["statements"]), state["notes"])}
