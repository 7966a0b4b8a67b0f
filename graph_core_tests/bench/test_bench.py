"""The benchmark's command works; what it measures is for people to judge, so no test asserts a time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import graph_core
from graph_core_tests.bench import floor, minimal, rows_checkpoints, rows_processes
from graph_core_tests.bench.__main__ import ROWS, main
from graph_core_tests.bench.machine import describe
from graph_core_tests.bench.row import OURS, Row, Target
from graph_core_tests.bench.table import COLUMNS, Result

PAGE = Path(graph_core.__file__).parent / "docs" / "speed.md"
TINY = "chain-sync,choose-async,growth-steps"


def test_quick_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """The command measures the chosen rows, in the table's order, and names the machine."""
    main(["--quick", "--rows", TINY])
    head, *lines, empty, machine = capsys.readouterr().out.splitlines()
    assert head.split() == list(COLUMNS)
    assert [line.split()[0] for line in lines] == TINY.split(",")
    assert not empty
    assert machine.startswith(describe())


def test_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    """`--markdown` prints what the docs hold."""
    main(["--quick", "--markdown", "--rows", "build-chain"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"| {' | '.join(COLUMNS)} |"
    assert lines[2].startswith("| build-chain |")


def test_rows_in_processes_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    """The imports and the probes of the memory run and give figures."""
    names = [row.name for row in rows_processes.ROWS]
    main(["--quick", "--rows", ",".join(names)])
    lines = capsys.readouterr().out.splitlines()[1 : 1 + len(names)]
    assert [line.split()[0] for line in lines] == names


def test_rows_with_a_saver(capsys: pytest.CaptureFixture[str]) -> None:
    """The rows of the savers run and give figures."""
    names = [row.name for row in rows_checkpoints.ROWS]
    main(["--quick", "--rows", ",".join(names)])
    lines = capsys.readouterr().out.splitlines()[1 : 1 + len(names)]
    assert [line.split()[0] for line in lines] == names


def test_unknown_row() -> None:
    """A row that is not there is named, with those that are."""
    with pytest.raises(SystemExit, match="no such row: 'zz'; there are chain-sync"):
        main(["--rows", "zz"])


def test_names_are_unique() -> None:
    """A name chooses one row."""
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_page_has_every_row() -> None:
    """The page on speed holds a table with all rows."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert f"| {' | '.join(COLUMNS)} |" in lines
    cells = [line.split(" | ") for line in lines if line.startswith("| ")]
    assert [line[0].removeprefix("| ") for line in cells if len(line) == len(COLUMNS)] == [
        "row",
        *(r.name for r in ROWS),
    ]


def test_cells() -> None:
    """A row tells its figures, their ratios, its targets, and which of them are met."""
    row = Row("r", "job", "ms", lambda settings: {}, (Target(2, "floor"), Target(5)))
    cells = Result(row, {"floor": 2, OURS: 5}).cells()
    assert cells == ("r", "job", "ms", "5", "floor 2", "2.5 x floor", "≤ 2 x floor, ≤ 5 ms", "no, yes")


def test_cells_without_a_target() -> None:
    """A row may have nothing to reach and nothing to compare with."""
    row = Row("r", "job", "ms", lambda settings: {})
    assert Result(row, {OURS: 1234.5}).cells() == ("r", "job", "ms", "1,234", "-", "-", "-", "-")


class TestYardsticks:
    """The two yardsticks compute the same things."""

    def test_chain(self) -> None:
        """Every node counts."""
        assert floor.chain(5)() == minimal.chain(5, minimal.plain).run("n0", {"x": 0}) == {"x": 5}
        graph = minimal.chain(5, minimal.tasks)
        assert asyncio.run(floor.async_chain(5)()) == asyncio.run(graph.arun("n0", {"x": 0})) == {"x": 5}

    def test_loop(self) -> None:
        """One revision less than evaluations."""
        start = {"score": 0, "draft": 0}
        assert floor.loop(5)() == minimal.loop(5, minimal.plain).run("evaluate", start) == {"score": 5, "draft": 4}

    def test_fan(self) -> None:
        """As many branches as are chosen."""
        chosen = minimal.fan(10, 5, minimal.plain).run("start", minimal.NOTHING)
        assert floor.fan(10, 5)() == floor.threads_fan(10, 5)() == chosen == {"total": 5, "done": 5}

    def test_send(self) -> None:
        """One branch per item."""
        sent = minimal.send(5, minimal.plain).run("plan", minimal.NOTHING)
        assert floor.send(5)() == floor.threads_send(5)() == sent == {"total": 5, "done": 5}

    def test_messages(self) -> None:
        """The same messages."""
        assert floor.messages(3)() == minimal.messages(3, minimal.plain).run("agent", {"messages": []})

    def test_saved_messages(self, tmp_path: Path) -> None:
        """The same messages; one row a step."""
        graph = minimal.messages(3, minimal.plain)
        start: dict[str, Any] = {"messages": []}
        rows = floor.table(tmp_path / "floor.db")
        steps = minimal.table(tmp_path / "minimal.db")
        assert floor.saved_messages(3, floor.in_file(rows, "t")) == floor.saved_messages(3, floor.in_memory())
        assert graph.run("agent", start, minimal.in_file(steps, "t")) == graph.run("agent", start, minimal.in_memory())
        assert [database.execute("SELECT count(*) FROM c").fetchone() for database in (rows, steps)] == [(3,), (3,)]
        rows.close()
        steps.close()
