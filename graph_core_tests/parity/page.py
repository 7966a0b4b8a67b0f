"""The page "Differences from Java", made from `differences.json`; running this module writes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import graph_core
from graph_core_tests.parity.expected import differences

if TYPE_CHECKING:
    from graph_core_tests.parity.expected import Difference

PAGE = Path(graph_core.__file__).parent / "docs" / "differences.md"

HEAD = """\
# Differences from Java

Every place where a graph behaves differently here than in Spring AI Alibaba's graph core 1.1.2.2, on purpose.
The number is that of the rule; the last column names what shows the difference: a recorded scenario of
`graph_core_tests/parity`, whose Java trace stands beside it, or a test. The other scenarios that are due there are
compared with their Java traces, output by output, and do the same. In a scenario's row the last but one column
derives from the rule what is expected; node `a` appends "a" to the list `messages`, and so on.
This page is made from `graph_core_tests/parity/differences.json`.

| rule | Java | here | why | shown by |
|---|---|---|---|---|
"""


def page() -> str:
    """The whole page as Markdown."""
    return HEAD + "".join(map(_row, differences()))


def _row(item: Difference) -> str:
    shown = f"scenario `{item.scenario}`" if item.test is None else f"`{item.test.rpartition('::')[2]}`"
    return f"| {item.rule} | {item.java} | {item.here} | {item.reason} | {shown} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
