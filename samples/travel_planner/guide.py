"""What can be written about a trip: an opening, and one line per topic."""

from collections.abc import Mapping
from typing import Final

import attrs

from samples.travel_planner.wish import Category, Topic, Wish

_OPENINGS: Final = {
    Category.BUDGET: "{place} for little money.",
    Category.ATTRACTION: "The best of {place}.",
    Category.GENERAL: "A trip to {place}.",
}
_DAILY_EUROS: Final = {Category.BUDGET: 60, Category.ATTRACTION: 110, Category.GENERAL: 90}
# What a first draft of this category speaks of by itself.
_FIRST: Final = {Category.BUDGET: Topic.COST, Category.ATTRACTION: Topic.SIGHTS, Category.GENERAL: Topic.LENGTH}
_COMMON: Final = {
    Topic.LENGTH: "Time: {days}, {nights}.",
    Topic.COST: "Cost: {cost} euros for one, all in.",
    Topic.WAY: "Way: by train, then on foot; a bus card pays from the third ride on.",
    Topic.SIGHTS: "Sights: the old town in the morning, the river in the afternoon.",
    Topic.RAIN: "Rain: the market hall and the town library are dry.",
}
_OWN: Final[Mapping[Category, Mapping[Topic, str]]] = {
    Category.BUDGET: {
        Topic.WAY: "Way: the night train saves a bed; in {place} walk, or share a bus ticket.",
        Topic.SIGHTS: "Sights: free walks in the morning, museums in the last hour of the afternoon.",
    },
    Category.ATTRACTION: {
        Topic.SIGHTS: "Sights: the castle in the morning before the queues, the museums in the afternoon.",
        Topic.RAIN: "Rain: swap the castle for the cathedral.",
    },
    Category.GENERAL: {},
}
_SOME_PLACE: Final = "a town two hours away by rail"


@attrs.frozen
class Guide:
    """The material for one plan: an opening, the topic to begin with, a line per topic, whether a place is named."""

    opening: str
    first: Topic
    lines: Mapping[Topic, str]
    has_place: bool


def write_guide(category: Category, wish: Wish) -> Guide:
    """Return the material for `wish`; without a place it is about some town not far away."""
    place = wish.place or _SOME_PLACE
    cost = _DAILY_EUROS[category] * wish.days if wish.euros is None else wish.euros
    days, nights = _count(wish.days, "day"), _count(max(wish.days - 1, 0), "night")
    values = {"place": place, "days": days, "nights": nights, "cost": cost}
    lines = {topic: line.format_map(values) for topic, line in (_COMMON | dict(_OWN[category])).items()}
    return Guide(_OPENINGS[category].format_map(values), _FIRST[category], lines, wish.place is not None)


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
