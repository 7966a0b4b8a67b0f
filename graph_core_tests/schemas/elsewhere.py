"""Nodes that another process can import."""

from typing import Any

import attrs

from graph_core import OverAllState
from graph_core_tests.schemas.kinds import AsAttrs, AsDict


def count(state: AsAttrs) -> AsAttrs:
    """Give an instance back."""
    return attrs.evolve(state, n=state.n + 1, log=[*state.log, "counted"])


def viewed(state: OverAllState[AsDict]) -> dict[str, Any]:
    """Use the view of an untyped state."""
    return {"n": state.view().get("total")}


def needy(state: AsAttrs) -> AsAttrs:
    """Never run."""
    raise AssertionError


def idle(state: Any) -> dict[str, Any]:
    """Do nothing."""
    return {}
