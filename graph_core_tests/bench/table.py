"""The table: each row's figure, its yardsticks, the ratios, and whether its targets are met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from graph_core_tests.bench.row import OURS, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core_tests.bench.row import Target

COLUMNS = ("row", "job", "unit", "ours", "yardsticks", "ratio", "target", "met")
NONE = "-"


@attrs.frozen
class Result:
    """A row and its figures."""

    row: Row
    figures: Mapping[str, float]

    @property
    def ours(self) -> float:
        """The figure that is measured against the others."""
        return self.figures[OURS]

    def cells(self) -> tuple[str, ...]:
        """The row's texts, one for each column."""
        row = self.row
        yardsticks = ", ".join(f"{name} {number(value)}" for name, value in self.figures.items() if name != OURS)
        ratios = ", ".join(
            f"{number(self.ours / value)} x {name}" for name, value in self.figures.items() if name != OURS
        )
        targets = ", ".join(map(self._target, row.targets))
        met = ", ".join("yes" if self._met(target) else "no" for target in row.targets)
        return tuple(
            text or NONE
            for text in (row.name, row.title, row.unit, number(self.ours), yardsticks, ratios, targets, met)
        )

    def _target(self, target: Target) -> str:
        return f"≤ {target.at_most:g} {self.row.unit if target.of is None else f'x {target.of}'}"

    def _met(self, target: Target) -> bool:
        return self.ours <= target.at_most * (1 if target.of is None else self.figures[target.of])


def number(value: float) -> str:
    """Three digits that count."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """The table as Markdown."""
    head = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"
    return head + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def text(lines: Sequence[Sequence[str]]) -> str:
    """The table in aligned columns."""
    table = (COLUMNS, *lines)
    widths = [max(len(line[column]) for line in table) for column in range(len(COLUMNS))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in table
    )
