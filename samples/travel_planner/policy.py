"""When a plan is good enough: what a run is given as its context."""

import re
from collections.abc import Callable

import attrs
from attrs.validators import ge, le, min_len

from samples.travel_planner.wish import Topic


@attrs.frozen
class Criterion:
    """One thing a good draft has; `advice` says how to get it, `topic` names the line that would."""

    topic: Topic
    weight: int = attrs.field(validator=ge(1))
    met: Callable[[str], bool]
    advice: str


def mentions(*words: str) -> Callable[[str], bool]:
    """Return the test that a draft has one of `words`, or a word that begins with it."""
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, words))})", re.IGNORECASE)
    return lambda draft: pattern.search(draft) is not None


def at_most_words(limit: int) -> Callable[[str], bool]:
    """Return the test that a draft is no longer than `limit` words."""
    return lambda draft: len(draft.split()) <= limit


CRITERIA = (
    Criterion(Topic.LENGTH, 2, mentions("day", "night"), "say how long it takes"),
    Criterion(Topic.COST, 3, mentions("euro"), "say what it costs"),
    Criterion(Topic.WAY, 2, mentions("train", "bus", "ferry"), "say how to get about"),
    Criterion(Topic.SIGHTS, 2, mentions("morning", "afternoon"), "say what to see when"),
    Criterion(Topic.RAIN, 1, mentions("rain"), "have something for a wet day"),
)
"""What a plan is judged by unless a run says otherwise; the weights add up to 10."""


@attrs.frozen(kw_only=True)
class Policy:
    """The context of a run: the score that is enough, how often to revise, and what the score is made of."""

    threshold: float = attrs.field(default=0.8, validator=[ge(0.0), le(1.0)])
    max_revisions: int = attrs.field(default=3, validator=ge(0))
    criteria: tuple[Criterion, ...] = attrs.field(default=CRITERIA, validator=min_len(1))
