"""The page "Differences from Java" is the list of differences, and each row is shown by something."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from graph_core_tests.parity.compare import mismatches
from graph_core_tests.parity.expected import Difference, differences, from_java, runs_of
from graph_core_tests.parity.page import PAGE, page
from graph_core_tests.parity.scenario import load
from graph_core_tests.parity.trace import trace

ROOT = Path(__file__).parents[2]
BESIDE = [item for item in differences() if item.scenario is not None]
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
APART = [item for item in differences() if item.scenario is None]


def test_page_is_generated() -> None:
    """The page is what `python -m graph_core_tests.parity.page` writes."""
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("item", BESIDE, ids=lambda item: item.scenario)
def test_difference_is_one(item: Difference) -> None:
    """A scenario that does what Java did is no difference."""
    assert item.scenario is not None
    recording = load(item.scenario)
    actual = trace(recording.scenario, runs_of(item.scenario), "threads")
    assert mismatches(from_java(recording), actual) != ()


@pytest.mark.parametrize("item", APART, ids=lambda item: item.test)
def test_named_test_exists(item: Difference) -> None:
    """A row without a scenario names a test that is there."""
    assert item.test is not None
    file, *path = item.test.split("::")
    body = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    for name in path:
        [found] = [node for node in body if isinstance(node, DEFINITIONS) and node.name == name]
        body = found.body
