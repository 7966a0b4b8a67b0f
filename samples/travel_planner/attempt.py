"""One draft with what was said about it."""

from collections.abc import Sequence
from typing import Final

import attrs

from samples.travel_planner.policy import Criterion

NO_DRAFT: Final = "there is no draft, the request names no place"
NOTHING_MISSING: Final = "nothing is missing"


@attrs.frozen
class Attempt:
    """A draft (None: none was written), its score from 0 to 1, and what it lacks."""

    draft: str | None
    score: float
    critique: str


def judge(draft: str | None, criteria: Sequence[Criterion]) -> Attempt:
    """Return `draft` with the weight of the met criteria as its score; no draft scores 0.0."""
    if draft is None:
        return Attempt(None, 0.0, NO_DRAFT)
    missing = missing_in(draft, criteria)
    total = sum(criterion.weight for criterion in criteria)
    # One division of whole numbers: a score of 8 in 10 is then the same float as a threshold written 0.8.
    score = (total - sum(criterion.weight for criterion in missing)) / total
    return Attempt(draft, score, "; ".join(criterion.advice for criterion in missing) or NOTHING_MISSING)


def missing_in(draft: str, criteria: Sequence[Criterion]) -> tuple[Criterion, ...]:
    """Return the criteria `draft` does not meet, the weightiest first."""
    missing = (criterion for criterion in criteria if not criterion.met(draft))
    return tuple(sorted(missing, key=lambda criterion: -criterion.weight))


def better(best: Attempt | None, attempt: Attempt) -> Attempt:
    """Return the one with the higher score; of equals the earlier, which is the shorter plan."""
    return attempt if best is None or attempt.score > best.score else best
