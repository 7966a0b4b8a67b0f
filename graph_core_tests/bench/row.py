"""A row of the table: what is measured, in which unit, against what, and what it has to reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs

from graph_core_tests.bench.measure import MICRO, Settings, Variant, medians

if TYPE_CHECKING:
    from collections.abc import Sequence


OURS = "ours"


@attrs.frozen
class Target:
    """What the figure may be at most: so many times a yardstick, or so many units."""

    at_most: float
    of: str | None = None


@attrs.frozen
class Row:
    """One line of the table.

    Args:
        name: how the row is chosen on the command line.
        title: the job in words.
        unit: the unit of all its figures.
        measure: gives the figures, ours under the name `ours`.
        targets: what ours has to reach; none where there is nothing to compare with.
    """

    name: str
    title: str
    unit: str
    measure: Callable[[Settings], Mapping[str, float]]
    targets: tuple[Target, ...] = ()


def timed(
    make: Callable[[Settings], Sequence[Variant]], scale: float = MICRO
) -> Callable[[Settings], Mapping[str, float]]:
    """Measures the variants that `make` gives, in turns."""

    def measure(settings: Settings) -> Mapping[str, float]:
        return medians(make(settings), settings, scale)

    return measure
