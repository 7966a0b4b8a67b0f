"""What a request asks for, found by its words."""

import re
from enum import Enum
from typing import Final

import attrs


class Category(Enum):
    """The kinds of plan there are; each value is the id of the node that prepares it."""

    BUDGET = "budget"
    ATTRACTION = "attraction"
    GENERAL = "general"


class Topic(Enum):
    """What a plan can speak of."""

    LENGTH = "length"
    COST = "cost"
    WAY = "way"
    SIGHTS = "sights"
    RAIN = "rain"
    BREVITY = "brevity"


@attrs.frozen
class Wish:
    """Where to (None: the request names no place), for how many days, and for how much at most (None: not said)."""

    place: str | None
    days: int
    euros: int | None


_SIGNS: Final = {
    Category.BUDGET: re.compile(
        r"\b(cheap|budget|low[- ]cost|affordable|inexpensive|saving|hostel|under \d|at most \d)", re.IGNORECASE
    ),
    Category.ATTRACTION: re.compile(
        r"\b(sights?|sightseeing|museums?|castles?|attractions?|landmarks?|monuments?|galler|must[- ]see|architecture)",
        re.IGNORECASE,
    ),
}
_NUMBERS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SPAN = re.compile(rf"\b(?:(\d{{1,3}}|{'|'.join(_NUMBERS)})[- ])?(day|weekend|week)s?\b", re.IGNORECASE)
_DAYS: Final = {"day": 1, "weekend": 2, "week": 7}
_DEFAULT_DAYS: Final = 3
_EUROS = re.compile(r"(?:€|\beur) ?(\d{1,6})|\b(\d{1,6}) ?(?:€|euros?\b|eur\b)", re.IGNORECASE)
_BEFORE_A_PLACE: Final = r"\b(?i:in|to|around|through|visit|visiting|near|of) (?i:the )?"
_NO_PLACE: Final = (
    r"(?!(?i:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|a|an|any|my|our|one|two|three|spring|summer|autumn|winter|advance|total|general|all|see|\d\w*)\b)"
)
# A place is a row of capitalised words, "de" and the like may stand between two of them; or else one word after "in".
_CAPITALISED: Final = r"[^\W\d_a-z][\w'-]*"
_PLACES: Final = (
    re.compile(rf"{_BEFORE_A_PLACE}{_NO_PLACE}({_CAPITALISED}(?: (?:(?:de|da|do|di|la|am|of|the) )*{_CAPITALISED})*)"),
    re.compile(rf"\b(?i:in|around|near|visit|visiting) (?i:the )?{_NO_PLACE}([^\W\d_]+)"),
)


def classify_request(request: str) -> Category:
    """Return the category with the most signs in `request`; budget wins a tie, none makes it general."""
    count = {category: len(signs.findall(request)) for category, signs in _SIGNS.items()}
    best = max(count, key=lambda category: count[category])
    return best if count[best] else Category.GENERAL


def read_wish(request: str) -> Wish:
    """Return what `request` asks for.

    >>> read_wish("Two weeks in Rio de Janeiro for 900 euros")
    Wish(place='Rio de Janeiro', days=14, euros=900)
    """
    span = _SPAN.search(request)
    euros = _EUROS.search(request)
    return Wish(
        place=_place(request),
        days=_DEFAULT_DAYS if span is None else _number(span.group(1)) * _DAYS[span.group(2).lower()],
        euros=None if euros is None else int(euros.group(1) or euros.group(2)),
    )


def _place(request: str) -> str | None:
    found = next((found for pattern in _PLACES if (found := pattern.search(request))), None)
    if found is None:
        return None
    place: str = found.group(1)
    return place.title() if place.islower() else place


def _number(word: str | None) -> int:
    if word is None:
        return 1
    return int(word) if word.isdecimal() else _NUMBERS.index(word.lower()) + 1
