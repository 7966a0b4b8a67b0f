"""The state of a planning run."""

from typing import Annotated, TypedDict

import attrs

from graph_core import APPEND
from samples.travel_planner.attempt import Attempt
from samples.travel_planner.guide import Guide
from samples.travel_planner.wish import Category


class Asked(TypedDict):
    """What a run begins with."""

    request: str


@attrs.frozen(kw_only=True)
class PlanState:
    """The request, what became of it so far, every attempt in order, and the best one."""

    request: str
    category: Category = Category.GENERAL
    guide: Guide | None = None
    draft: str | None = None
    revisions: int = 0
    history: Annotated[list[Attempt], APPEND] = attrs.field(factory=list[Attempt])
    best: Attempt | None = None
    plan: str = ""
