"""The state of a planning run."""

from typing import TypedDict

from samples.travel_planner.attempt import Attempt
from samples.travel_planner.guide import Guide
from samples.travel_planner.wish import Category


class PlanState(TypedDict):
    """The request, what became of it so far, every attempt in order, and the best one."""

    request: str
    category: Category
    guide: Guide | None
    draft: str | None
    revisions: int
    history: list[Attempt]
    best: Attempt | None
    plan: str


def new_plan(request: str) -> PlanState:
    """Return the state a run for `request` starts with."""
    return {
        "request": request,
        "category": Category.GENERAL,
        "guide": None,
        "draft": None,
        "revisions": 0,
        "history": [],
        "best": None,
        "plan": "",
    }
