"""The nodes of the loop, and those that both ways share: plain functions from a view of the state to an update."""

from typing import Literal

import attrs

from graph_core import RunnableConfig
from samples.licence_audit.checks import Checks
from samples.licence_audit.decision import decide
from samples.licence_audit.finding import Report, finding_of, notes_on
from samples.licence_audit.licence_class import LicenceClass
from samples.licence_audit.state import Judged, Results, Walk


def next_distribution(state: Walk, config: RunnableConfig[Checks]) -> dict[str, object]:
    """Take the next distribution and find its licence class, or say that none is left."""
    if state.position == len(state.distributions):
        return {"current": None}
    one = state.distributions[state.position]
    current = finding_of(one, decide(one, config.context), notes_on(one))
    return {"current": current, "position": state.position + 1}


def class_of_current(state: Walk) -> LicenceClass | Literal["done"]:
    """Route: the class of the current distribution, or done."""
    return "done" if state.current is None else state.current.licence_class


def class_of_judged(state: Judged) -> LicenceClass:
    """Route: the class of a distribution that there is."""
    return state["current"].licence_class


def permissive(state: Judged) -> dict[str, object]:
    """Note a permissive licence."""
    return _found(state, "keep its notices")


def weak_copyleft(state: Judged) -> dict[str, object]:
    """Note a weak copyleft licence."""
    return _found(state, "share changes to the work itself under its licence")


def strong_copyleft(state: Judged) -> dict[str, object]:
    """Note a strong copyleft licence."""
    return _found(state, "share what you build with it under its licence")


def unknown(state: Judged) -> dict[str, object]:
    """Note a licence that nothing clear is said about."""
    return _found(state, "read its licence before you pass it on")


def report(state: Results) -> dict[str, object]:
    """Sum up."""
    return {"report": Report(tuple(state["findings"]))}


def _found(state: Judged, duty: str) -> dict[str, object]:
    return {"findings": attrs.evolve(state["current"], duty=duty)}
