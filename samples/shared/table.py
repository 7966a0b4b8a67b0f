"""A table of text, and what may stand in it."""

from collections.abc import Sequence
from typing import Final

_WIDEST: Final = 44


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table: the headings, a line, and the rows."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    lines = (headings, tuple("-" * width for width in widths), *rows)
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def cell(text: str) -> str:
    """Return `text` plain, and cut if it is long."""
    line = plain(text)
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 3]}..."


def plain(text: str) -> str:
    """Return `text` in one line and without control characters, which would reach the terminal; `-` for none."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split())) or "-"
