"""The fifth worked example as it stands, in both savers, with a new process for each run."""

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FORK, AFTER = ["a", ["__PARALLEL__(a)"]], ["__PARALLEL__(a)", ["d"]]
MERGED = ["a", "b:yes", "c:no", "f", "e"]


def ran(file: str, number: int) -> list[dict[str, Any]]:
    """Do a run in a process of its own; in memory all."""
    command = [sys.executable, "-m", "graph_core_tests.interrupts.example", file, str(number)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  (our own)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module", params=["memory", "file"])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the three runs gave."""
    if request.param == "memory":
        return ran("memory", 1)
    file: Path = tmp_path_factory.mktemp("example") / "threads.db"
    return [run for number in (1, 2, 3) for run in ran(str(file), number)]


def test_processes(runs: list[dict[str, Any]]) -> None:
    """K5: each run has a process of its own."""
    assert len({run["process"] for run in runs}) == 3


def test_the_first_run(runs: list[dict[str, Any]]) -> None:
    """K5, P12: it emits START, a, e, and an interruption for each question; e has arrived."""
    first = runs[0]
    assert first["outputs"] == [
        ["__START__", [], 0],
        ["a", ["a"], 1],
        ["e", ["a", "e"], 2],
        ["b?inside", ["a"], 2],
        ["c?inside", ["a"], 2],
    ]
    assert (first["next"], first["state"], first["pending"]) == (["b", "c"], ["a", "e"], ["b?", "c?"])


def test_the_second_run(runs: list[dict[str, Any]]) -> None:
    """K5, P12: b runs, f waits, c is live; then the interruption of c again."""
    second = runs[1]
    assert second["outputs"] == [["b", ["a", "b:yes"], 2], ["c?inside", ["a"], 2]]
    assert (second["next"], second["state"], second["pending"]) == (["f", "c"], ["a", "b:yes", "e"], ["c?"])


def test_the_third_run(runs: list[dict[str, Any]]) -> None:
    """K5, P12: c, then f once, the region, d and END; e ran once in all."""
    third = runs[2]
    assert third["outputs"] == [
        ["c", ["a", "c:no"], 2],
        ["f", ["a", "b:yes", "c:no", "f"], 3],
        ["__PARALLEL__(a)", MERGED, 3],
        ["d", [*MERGED, "d"], 4],
        ["__END__", [*MERGED, "d"], 5],
    ]
    assert (third["status"], third["next"], third["pending"]) == ("done", ["__END__"], [])
    assert sum(output[0] == "e" for run in runs for output in run["outputs"]) == 1


def test_history(runs: list[dict[str, Any]]) -> None:
    """K1: the history has four entries in the end, and two as long as the run is in the region."""
    begun = ["__START__", ["a"]]
    assert [run["history"] for run in runs[:2]] == [[begun, ["a", ["b", "c"]]], [begun, ["a", ["f", "c"]]]]
    assert runs[2]["history"] == [["__START__", ["a"]], FORK, AFTER, ["d", ["__END__"]]]
