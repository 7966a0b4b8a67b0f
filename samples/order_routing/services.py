"""The services that are asked about an order. They are tables here: offline, and the same answers every time."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

import attrs


@attrs.frozen
class Shelf:
    """How many of an article there are, and how many times its service is busy before it answers."""

    count: int
    busy: int = 0


def _at_once(service: str) -> None:
    """Answer without further ado."""


@attrs.frozen(kw_only=True)
class Services:
    """What a run is given as its context.

    Args:
        limits: how many euros each known customer may owe.
        shelves: the shelf of each article.
        duties: the customs duty of each article that has a tariff, in per cent.
        closed: the countries nothing may be sent to.
        max_tries: how often a busy stock service is asked, from 1.
        before: called with the service's name ahead of each question, in the thread that asks.
    """

    limits: Mapping[str, int]
    shelves: Mapping[str, Shelf]
    duties: Mapping[str, int]
    closed: AbstractSet[str] = frozenset()
    max_tries: int = attrs.field(default=4, validator=attrs.validators.ge(1))
    before: Callable[[str], object] = _at_once

    def limit_of(self, customer: str) -> int | None:
        """Return the customer's credit limit, or None if nobody has set one."""
        self.before("credit")
        return self.limits.get(customer)

    def count_of(self, article: str, attempt: int) -> int | None:
        """Return how many there are, or None if the service is busy; `attempt` counts from 1."""
        self.before("stock")
        shelf = self.shelves.get(article, Shelf(0))
        return None if attempt <= shelf.busy else shelf.count

    def duty_on(self, article: str) -> int | None:
        """Return the duty in per cent, or None if the article has no tariff."""
        self.before("customs")
        return self.duties.get(article)
