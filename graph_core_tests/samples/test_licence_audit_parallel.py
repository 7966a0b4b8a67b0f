"""The two ways of the licence audit: the same report, the loop one by one, the fan side by side."""

import json
import re
import threading
from pathlib import Path

import pytest

from graph_core_tests.samples.distributions import GPL_TEXT, MIT_TEXT, make, run
from samples.licence_audit import graph, parallel_graph
from samples.licence_audit.__main__ import main
from samples.licence_audit.audit import Audit, report_in
from samples.licence_audit.checks import Checks
from samples.licence_audit.environment import read_environment
from samples.licence_audit.graph import loop
from samples.licence_audit.installed import Installed
from samples.licence_audit.parallel_graph import AT_ONCE, fan_out
from samples.licence_audit.statements import SOURCES, Source
from samples.licence_audit.story import tell

PATIENCE = 60.0
"""Seconds after which a wait is given up; no test waits so long if it passes."""


def make_one_of_each(folder: Path) -> tuple[Installed, ...]:
    """Make distributions of every kind: decided by each source, by none, broken, odd, and one name twice."""
    mit = "Classifier: License :: OSI Approved :: MIT License"
    make(folder, "expression", "License-Expression: MIT OR GPL-3.0-only", "License: GPLv3", mit)
    make(folder, "classifier", mit, "License: GPLv3")
    make(folder, "field", "License: MPL-2.0")
    make(folder, "file", "License-File: L", files={"L": GPL_TEXT.encode()})
    make(folder, "malformed", "License-Expression: MIT License", files={"LICENSE": MIT_TEXT.encode()})
    make(folder, "unclear", "License: Dual License")
    make(folder, "silent", version="1.0")
    make(folder, "Silent", version="2.0")
    (folder / "no-metadata.dist-info").mkdir()
    (folder / "no-folder.dist-info").write_bytes(b"\x00\xff")
    (folder / "binary.dist-info").mkdir()
    (folder / "binary.dist-info" / "METADATA").write_bytes(b"\xff\xfe\x00\x01")
    return read_environment(folder)


class Watch:
    """Counts the checks that run at the same time, and notes those that were asked for."""

    def __init__(self, running: int) -> None:
        """Let each check wait until `running` of them have begun at least once."""
        self._lock = threading.Lock()
        self._met = threading.Event()
        self._expected = running
        self._waiting = 0
        self.most = 0
        self.asked: list[tuple[str, Source]] = []

    def __call__(self, source: Source, one: Installed) -> None:
        """Stand before a check."""
        with self._lock:
            self.asked.append((one.name, source))
            self._waiting += 1
            self.most = max(self.most, self._waiting)
            if self._waiting == self._expected:
                self._met.set()
        assert self._met.wait(PATIENCE)
        with self._lock:
            self._waiting -= 1


class TestSameReport:
    def test_one_of_each(self, tmp_path: Path) -> None:
        """Whatever decides, whatever is broken: both ways find the same, in the same order."""
        distributions = make_one_of_each(tmp_path)
        report = fan_out(distributions).report()
        assert report == loop(distributions).report()
        assert {finding.decided_by for finding in report.findings} == set(Source)
        assert [finding.name for finding in report.findings] == [one.name for one in distributions]

    def test_running_environment(self) -> None:
        """Both ways agree on what is really installed."""
        distributions = read_environment()
        assert fan_out(distributions).report() == loop(distributions).report()

    @pytest.mark.parametrize("count", [0, 1, 400])
    def test_any_number_of_distributions(self, tmp_path: Path, count: int) -> None:
        """None, one, and far more than may be checked at once; no limit of steps is in the way."""
        for number in range(count):
            make(tmp_path, f"lib{number:03}", "License: MIT" if number % 3 else "License: GPLv3")
        distributions = read_environment(tmp_path)
        report = fan_out(distributions).report()
        assert len(report.findings) == count
        assert report == loop(distributions).report()

    @pytest.mark.parametrize("at_once", [1, 2, AT_ONCE, 1000])
    def test_any_number_at_once(self, tmp_path: Path, at_once: int) -> None:
        """How many run side by side changes neither the report nor the story."""
        distributions = make_one_of_each(tmp_path)
        outputs = fan_out(distributions, at_once=at_once).outputs()
        assert report_in(outputs) == loop(distributions).report()
        assert tell(outputs) == tell(fan_out(distributions).outputs())

    def test_one_graph_serves_many_runs(self, tmp_path: Path) -> None:
        """A run leaves nothing behind for the next."""
        audit = fan_out(make_one_of_each(tmp_path))
        assert audit.report() == audit.report()

    def test_branches_come_together_at_the_report(self) -> None:
        """Each copy keeps its distribution up to the report; its checks come together where it is decided."""
        nodes = parallel_graph.build().nodes
        forks = {name: getattr(node, "convergence_id", None) for name, node in nodes.items() if "PARALLEL" in name}
        assert forks == {"__PARALLEL__(__START__)": "report", "__PARALLEL__(look_over)": "decide"}


class TestOverlap:
    def test_checks_of_one_distribution(self, tmp_path: Path) -> None:
        """All four checks of a distribution are under way at the same time: each waits for the others."""
        make(tmp_path, "one", "License-Expression: MIT")
        watch = Watch(running=len(SOURCES))
        fan_out(read_environment(tmp_path), Checks(before=watch)).report()
        assert watch.most == len(SOURCES)
        assert sorted(watch.asked, key=lambda asked: SOURCES.index(asked[1])) == [("one", source) for source in SOURCES]

    def test_checks_of_all_distributions(self, tmp_path: Path) -> None:
        """As many checks as are allowed run at once, over several distributions, and never one more."""
        for number in range(30):
            make(tmp_path, f"lib{number:02}")
        watch = Watch(running=AT_ONCE)
        fan_out(read_environment(tmp_path), Checks(before=watch)).report()
        assert watch.most == AT_ONCE
        assert len(watch.asked) == len(set(watch.asked)) == 30 * len(SOURCES)

    def test_loop_asks_in_turn(self, tmp_path: Path) -> None:
        """The loop asks one source after the other, up to the first clear statement."""
        make(tmp_path, "a", "License: MIT")
        make(tmp_path, "b", "License-Expression: MIT")
        watch = Watch(running=1)
        loop(read_environment(tmp_path), Checks(before=watch)).report()
        assert watch.most == 1
        a_asked = [("a", source) for source in (Source.EXPRESSION, Source.CLASSIFIERS, Source.FIELD)]
        assert watch.asked == [*a_asked, ("b", Source.EXPRESSION)]


class TestStory:
    def test_in_parallel(self, tmp_path: Path) -> None:
        """Distribution by distribution, in each by step and branch."""
        make(tmp_path, "a", "License: Dual License", "Classifier: License :: OSI Approved :: MIT License")
        (tmp_path / "b.dist-info").mkdir()
        place = tmp_path / "b.dist-info"
        broken = "no metadata that can be read; no name in its metadata; no version in its metadata"
        assert tell(fan_out(read_environment(tmp_path)).outputs()) == (
            f"{place}\n"
            f"    1 look_over         {broken}\n"
            "    2 spdx_expression   says nothing\n"
            "    2 classifiers       says nothing\n"
            "    2 licence_field     says nothing\n"
            "    2 licence_file      says nothing\n"
            "    3 decide            unknown, decided by nothing\n"
            "    4 unknown           read its licence before you pass it on\n"
            "\n"
            "a 1.0\n"
            "    1 look_over         nothing odd\n"
            "    2 spdx_expression   says nothing\n"
            "    2 classifiers       MIT License: permissive\n"
            "    2 licence_field     Dual License: unclear\n"
            "    2 licence_file      says nothing\n"
            "    3 decide            permissive, decided by classifiers\n"
            "    4 permissive        keep its notices"
        )

    def test_one_by_one(self, tmp_path: Path) -> None:
        """The loop's steps go on from one distribution to the next."""
        make(tmp_path, "a", "License: MIT")
        make(tmp_path, "b", "License: GPLv3")
        assert tell(loop(read_environment(tmp_path)).outputs()) == (
            "a 1.0\n"
            "    1 next_distribution permissive, decided by licence field\n"
            "    2 permissive        keep its notices\n"
            "\n"
            "b 1.0\n"
            "    3 next_distribution strong copyleft, decided by licence field\n"
            "    4 strong_copyleft   share what you build with it under its licence"
        )

    @pytest.mark.parametrize("audit", [loop(()), fan_out(())], ids=lambda audit: audit.way)
    def test_of_nothing(self, audit: Audit) -> None:
        """Without distributions there is nothing to tell, and the report is empty."""
        outputs = audit.outputs()
        assert tell(outputs) == ""
        assert report_in(outputs).findings == ()


class TestCommandLine:
    @pytest.mark.parametrize(("option", "way"), [([], "one by one"), (["--parallel"], "in parallel")], ids=str)
    def test_footer_tells_the_way_and_its_time(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str], way: str
    ) -> None:
        """The table is the same; below it stands how it was made, and how long it took."""
        make_one_of_each(tmp_path)
        tables: list[str] = []
        for options in ([], option):
            assert main([*options, "--path", str(tmp_path)]) == 0
            table, _, footer = capsys.readouterr().out.rpartition("\n\n")
            tables.append(table)
        assert tables[0] == tables[1]
        assert re.fullmatch(rf"Audited {way} in \d+\.\d\d s\.\n", footer)

    def test_json_is_the_same(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """As JSON both ways give one text, without the time."""
        make_one_of_each(tmp_path)
        texts: list[str] = []
        for options in (["--json"], ["--json", "--parallel"]):
            assert main([*options, "--path", str(tmp_path)]) == 0
            texts.append(capsys.readouterr().out)
        assert texts[0] == texts[1]
        assert json.loads(texts[0])["count"] == 11

    def test_slow_waits_before_each_check(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The loop has waited at least as long as its checks together, here four; what they find stays the same."""
        make(tmp_path, "one")
        assert main(["--slow", "0.01", "--path", str(tmp_path)]) == 0
        table, _, footer = capsys.readouterr().out.rpartition("\n\n")
        assert table.startswith("name")
        assert float(footer.split()[-2]) >= 0.04

    def test_story_stands_before_the_table(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """With --story it is told what happened, then come the table and the totals."""
        make(tmp_path, "one", "License: MIT")
        assert main(["--parallel", "--story", "--path", str(tmp_path)]) == 0
        story, table, totals, *_ = capsys.readouterr().out.split("\n\n")
        assert story.startswith("one 1.0\n    1 look_over         nothing odd\n")
        assert table.startswith("name ")
        assert totals.startswith("1 distributions\n")

    @pytest.mark.parametrize("options", [["--story"], ["--parallel"], ["--parallel", "--story"]], ids=" ".join)
    def test_none_found(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
        """Zero distributions are a report either way."""
        assert main([*options, "--path", str(tmp_path)]) == 0
        assert capsys.readouterr().out.startswith("No distributions found.\n\n0 distributions\n")

    @pytest.mark.parametrize("seconds", ["-1", "nan", "inf", "61", "soon", ""], ids=repr)
    def test_bad_delay(self, capsys: pytest.CaptureFixture[str], seconds: str) -> None:
        """A delay that makes no sense ends with code 2 and a reason."""
        with pytest.raises(SystemExit) as stopped:
            main(["--slow", seconds])
        assert stopped.value.code == 2
        assert f"a delay is from 0 to 60 seconds, not {seconds!r}" in capsys.readouterr().err

    def test_json_has_no_story(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Two forms at once end with code 2 and a reason."""
        with pytest.raises(SystemExit) as stopped:
            main(["--json", "--story"])
        assert stopped.value.code == 2
        assert "not allowed with" in capsys.readouterr().err

    def test_as_a_program(self) -> None:
        """Run as a module both ways audit the environment of their interpreter, and agree."""
        ended = [run("--json", *options) for options in ([], ["--parallel"])]
        assert [(one.returncode, one.stderr) for one in ended] == [(0, ""), (0, "")]
        assert ended[0].stdout == ended[1].stdout
        assert json.loads(ended[0].stdout)["count"] > 0


def test_both_graphs_have_the_nodes_of_the_classes() -> None:
    """What follows from a class is said by the same nodes."""
    shared = {node.__name__ for node in graph.NODE_OF_CLASS.values()} | {"report"}
    assert shared == set(graph.build().nodes) & set(parallel_graph.build().nodes) - {"__START__", "__END__"}
