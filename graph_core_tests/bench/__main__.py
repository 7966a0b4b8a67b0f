"""`python -m graph_core_tests.bench`: measures the library against its yardsticks and prints a table with ratios."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from graph_core_tests.bench import (
    rows_building,
    rows_checkpoints,
    rows_growth,
    rows_processes,
    rows_regions,
    rows_single_path,
    rows_typed,
)
from graph_core_tests.bench.machine import describe
from graph_core_tests.bench.measure import FULL, QUICK
from graph_core_tests.bench.table import Result, markdown, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core_tests.bench.row import Row

ROWS: Sequence[Row] = (
    *rows_single_path.ROWS,
    *rows_typed.ROWS,
    *rows_regions.ROWS,
    *rows_checkpoints.ROWS,
    *rows_building.ROWS,
    *rows_processes.ROWS,
    *rows_growth.ROWS,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the chosen rows and print the table; a target that is not met fails nothing."""
    options = _options(arguments)
    settings = QUICK if options.quick else FULL
    lines: list[tuple[str, ...]] = []
    for row in _chosen(options.rows):
        if not options.markdown:
            sys.stderr.write(f"{row.name} …\n")
        lines.append(Result(row, row.measure(settings)).cells())
    sys.stdout.write((markdown if options.markdown else text)(lines))
    sys.stdout.write(f"\n{describe()}{'; quick: sizes and rounds are cut' if options.quick else ''}\n")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m graph_core_tests.bench", description=__doc__)
    parser.add_argument("--rows", default="", help=f"some of: {', '.join(row.name for row in ROWS)}")
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes, a few rounds: only to see it work")
    parser.add_argument("--markdown", action="store_true", help="the table as Markdown")
    return parser.parse_args(arguments)


def _chosen(names: str) -> list[Row]:
    """The rows of these names, in the table's order; without names all of them."""
    chosen = {name.strip() for name in names.split(",") if name.strip()}
    if unknown := chosen - {row.name for row in ROWS}:
        text_ = f"no such row: {', '.join(map(repr, sorted(unknown)))}; there are {', '.join(row.name for row in ROWS)}"
        raise SystemExit(text_)
    return [row for row in ROWS if row.name in chosen or not chosen]


if __name__ == "__main__":
    main()
