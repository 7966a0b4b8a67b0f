"""Never more calls at once than are allowed (rule P9)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from graph_core.config.aggregation import Concurrency
    from graph_core.runner.branch import Branch, Region


@final
class Slots:
    """A number of slots, and the branches that wait for one, in order."""

    __slots__ = ("free", "waiting")

    def __init__(self, count: int) -> None:
        self.free = count
        self.waiting: deque[Branch] = deque()


@final
class Limiter:
    """Lets calls start as far as the run, and every limited fork around them, have a slot left.

    Args:
        limit: for the whole run, or by fork source for each activation of that fork.
    """

    def __init__(self, limit: Concurrency) -> None:
        self._by_fork: Mapping[str, int] = limit if isinstance(limit, Mapping) else {}
        self._run = None if isinstance(limit, Mapping) else Slots(limit)
        self._held: dict[Branch, list[Slots]] = {}

    def enter(self, region: Region) -> None:
        """Give a new region its slots, if its fork is limited."""
        count = self._by_fork.get(region.plan.fork.source.id)
        if count is not None:
            region.slots = Slots(count)

    def admitted(self, branches: list[Branch]) -> list[Branch]:
        """Take slots for as many branches as there are, in order; the others wait."""
        return [branch for branch in branches if self._admit(branch)]

    def released(self, branch: Branch) -> list[Branch]:
        """Give back the slots of a call that is done, and give the branches that may start now."""
        started: list[Branch] = []
        for slots in self._held.pop(branch, ()):
            slots.free += 1
            while slots.free and slots.waiting:
                waiting = slots.waiting.popleft()
                if not is_over(waiting.region) and self._admit(waiting):
                    started.append(waiting)
        return started

    def dropped(self) -> list[Branch]:
        """Give back the slots of all cancelled calls, and give the branches that may start now."""
        return [started for branch in list(self._held) if is_over(branch.region) for started in self.released(branch)]

    def _admit(self, branch: Branch) -> bool:
        needed = self._around(branch)
        for slots in needed:
            if not slots.free:
                slots.waiting.append(branch)
                return False
        for slots in needed:
            slots.free -= 1
        self._held[branch] = needed
        return True

    def _around(self, branch: Branch) -> list[Slots]:
        found = [] if self._run is None else [self._run]
        region: Region | None = branch.region
        while region is not None:
            if region.slots is not None:
                found.append(region.slots)
            region = region.parent.region if region.parent is not None else None
        return found


def is_over(region: Region | None) -> bool:
    """Tell whether a region, or one around it, has ended."""
    while region is not None:
        if region.is_over:
            return True
        region = region.parent.region if region.parent is not None else None
    return False


def is_within(region: Region | None, outer: Region) -> bool:
    """Tell whether a region is another one, or in it."""
    while region is not None and region is not outer:
        region = region.parent.region if region.parent is not None else None
    return region is outer
