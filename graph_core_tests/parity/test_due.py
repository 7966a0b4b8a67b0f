"""Nothing is forgotten: every recorded scenario, operation and differing rule is due now or with a named issue."""

from __future__ import annotations

from collections import Counter
from typing import Any

import orjson

from graph_core_tests.parity import due
from graph_core_tests.parity.expected import by_scenario, differences
from graph_core_tests.parity.scenario import load, names

# The rules that say where they differ from Java, R9 apart: that one differs from another library.
DIFFERING = (
    *("S2", "S3", "S5", "S6", "S9", "R4", "R6", "R8", "P1", "P4", "P7", "P9", "P12"),
    *("C2", "C3", "C4", "X2", "X3", "X5", "K2", "K3", "K4", "K5"),
)


def listed() -> list[str]:
    """The names in all lists."""
    return [name for lists in (due.DUE, due.LATER) for entries in lists.values() for name in entries]


def test_every_file_is_in_exactly_one_list() -> None:
    """Each recorded scenario is due, or is due with exactly one later issue."""
    assert Counter(listed()) == Counter(list(names()))


def test_every_operation_is_known() -> None:
    """The operations of due scenarios are compared, or a later issue compares them."""
    assert {run.op for name in due.due() for run in load(name).scenario.runs} == set(due.OPERATIONS)


def test_recorded_diagrams_are_listed() -> None:
    """The scenarios with recorded diagrams are those of the list."""

    def recorded(name: str) -> bool:
        file: dict[str, dict[str, Any]] = orjson.loads(names()[name].read_bytes())
        return "mermaid" in file["java"]

    assert sorted(filter(recorded, names())) == sorted(due.DIAGRAMS)


def test_differences_belong_to_scenarios_that_are_due() -> None:
    """An expectation beside a scenario is one that is compared."""
    assert set(by_scenario()) <= set(due.due())


def test_every_differing_rule_is_shown_or_listed() -> None:
    """Each rule that says it differs is on the page, or a later issue puts it (or the rest of it) there."""
    shown = {item.rule for item in differences()} & set(DIFFERING)
    later = [rule for rules in due.RULES.values() for rule in rules]
    assert len(set(later)) == len(later)
    assert shown | set(later) == set(DIFFERING)
