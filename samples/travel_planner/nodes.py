"""The nodes of the planner; those that judge are told by the run's context what is good enough."""

from typing import Literal

import attrs

from graph_core import RunnableConfig
from samples.travel_planner.attempt import better, judge, missing_in
from samples.travel_planner.guide import Guide, write_guide
from samples.travel_planner.policy import Policy
from samples.travel_planner.state import PlanState
from samples.travel_planner.wish import Category, classify_request, read_wish


def classify(state: PlanState) -> PlanState:
    """Find the kind of plan that is asked for."""
    return attrs.evolve(state, category=classify_request(state.request))


def category_of(state: PlanState) -> Category:
    """Route: the category, each to its own node."""
    return state.category


def budget(state: PlanState) -> PlanState:
    """Prepare a plan that costs little."""
    return _guide(state, Category.BUDGET)


def attraction(state: PlanState) -> PlanState:
    """Prepare a plan around sights."""
    return _guide(state, Category.ATTRACTION)


def general(state: PlanState) -> PlanState:
    """Prepare a plan for no special wish."""
    return _guide(state, Category.GENERAL)


def draft(state: PlanState) -> PlanState:
    """Write the first draft: none, if the request names no place."""
    guide = _prepared(state)
    return attrs.evolve(state, draft=_begin(guide) if guide.has_place else None)


def evaluate(state: PlanState, config: RunnableConfig[Policy]) -> PlanState:
    """Score the draft by the run's criteria and keep the best."""
    attempt = judge(state.draft, config.context.criteria)
    return attrs.evolve(state, history=[*state.history, attempt], best=better(state.best, attempt))


def revise_or_finish(state: PlanState, config: RunnableConfig[Policy]) -> Literal["revise", "finish"]:
    """Route: finish with a score at the threshold or above, or when all revisions are used up."""
    policy = config.context
    enough = state.history[-1].score >= policy.threshold
    return "finish" if enough or state.revisions >= policy.max_revisions else "revise"


def revise(state: PlanState, config: RunnableConfig[Policy]) -> PlanState:
    """Add the line the weightiest missing criterion asks for; begin at all if there is no draft yet."""
    guide = _prepared(state)
    old, count = state.draft, state.revisions + 1
    if old is None:
        return attrs.evolve(state, draft=_begin(guide), revisions=count)
    wanted = (guide.lines.get(criterion.topic) for criterion in missing_in(old, config.context.criteria))
    added = next((line for line in wanted if line and line not in old), None)
    return attrs.evolve(state, draft=old if added is None else f"{old}\n{added}", revisions=count)


def finish(state: PlanState, config: RunnableConfig[Policy]) -> PlanState:
    """Write out the best draft with its score, its critique and the number of revisions."""
    best = state.best or judge(None, ())
    needed, count = config.context.threshold, state.revisions
    verdict = f"Score {best.score:.2f}, needed {needed:.2f}; {_times(count)}; {best.critique}."
    return attrs.evolve(state, plan=f"{best.draft or 'No plan.'}\n\n{verdict}")


def _guide(state: PlanState, category: Category) -> PlanState:
    return attrs.evolve(state, guide=write_guide(category, read_wish(state.request)))


def _prepared(state: PlanState) -> Guide:
    guide = state.guide
    if guide is None:
        raise LookupError("nothing is prepared to write from")
    return guide


def _begin(guide: Guide) -> str:
    return f"{guide.opening}\n{guide.lines[guide.first]}"


def _times(revisions: int) -> str:
    return "1 revision" if revisions == 1 else f"{revisions} revisions"
