"""The licence audit as a whole, on real distributions made on disk."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pytest

from graph_core_tests.samples.distributions import GPL_TEXT, MIT_TEXT, ROOT, make, only, run
from samples.licence_audit.__main__ import main
from samples.licence_audit.decision import decide, oddities
from samples.licence_audit.environment import read_environment
from samples.licence_audit.finding import Finding, Report
from samples.licence_audit.graph import audit, build
from samples.licence_audit.licence_class import LicenceClass
from samples.licence_audit.statements import Source
from samples.licence_audit.table import render_report

PERMISSIVE, WEAK, STRONG, UNKNOWN = LicenceClass


def lines_of(text: str) -> list[list[str]]:
    """Return the words of each line."""
    return [line.split() for line in text.splitlines()]


class TestDecision:
    @pytest.mark.parametrize(
        ("headers", "licence_class", "stated", "source"),
        [
            (["License-Expression: MIT OR GPL-3.0-only"], PERMISSIVE, "MIT OR GPL-3.0-only", Source.EXPRESSION),
            (["License-Expression: LicenseRef-Own"], UNKNOWN, "LicenseRef-Own", Source.EXPRESSION),
            (
                [
                    "License-Expression: LGPL-2.1-only",
                    "License: MIT",
                    "Classifier: License :: OSI Approved :: MIT License",
                ],
                WEAK,
                "LGPL-2.1-only",
                Source.EXPRESSION,
            ),
            (["License-Expression: MIT License", "License: GPLv3"], STRONG, "GPLv3", Source.FIELD),
            (
                ["License: MIT", "Classifier: License :: OSI Approved :: GNU General Public License (GPL)"],
                STRONG,
                "GNU General Public License (GPL)",
                Source.CLASSIFIERS,
            ),
            (["License: MIT", "Classifier: License :: OSI Approved"], PERMISSIVE, "MIT", Source.FIELD),
            (["License: UNKNOWN"], UNKNOWN, "", Source.NOTHING),
            (["License: Dual License"], UNKNOWN, "Dual License", Source.NOTHING),
            ([], UNKNOWN, "", Source.NOTHING),
        ],
        ids=["or", "own", "all", "malformed", "classifier", "no-name", "not-given", "unclear", "nothing"],
    )
    def test_first_clear_statement_decides(
        self, tmp_path: Path, headers: Sequence[str], licence_class: LicenceClass, stated: str, source: Source
    ) -> None:
        """Expression, classifiers and licence field are asked in this order; what decided is told."""
        make(tmp_path, "one", *headers)
        decision = decide(only(tmp_path))
        assert (decision.licence_class, decision.stated, decision.source) == (licence_class, stated, source)

    def test_pasted_licence_text(self, tmp_path: Path) -> None:
        """A whole licence text in the field decides, and its first line is what is stated."""
        make(tmp_path, "one", "License: The Licence", *(f"        {line}" for line in ("Copyright Ann", "", MIT_TEXT)))
        decision = decide(only(tmp_path))
        assert (decision.licence_class, decision.stated) == (PERMISSIVE, "The Licence [...]")

    @pytest.mark.parametrize("folder", ["", "licenses/", "license_files/"])
    def test_licence_file_is_the_last_resort(self, tmp_path: Path, folder: str) -> None:
        """Without a clear statement the text of the named licence file decides, wherever wheels keep it."""
        make(tmp_path, "one", "License-File: MY-LICENCE", files={f"{folder}MY-LICENCE": GPL_TEXT.encode()})
        decision = decide(only(tmp_path))
        assert (decision.licence_class, decision.stated, decision.source) == (STRONG, "text of GPL", Source.FILE)

    def test_licence_file_that_no_metadata_names(self, tmp_path: Path) -> None:
        """Old wheels carry a LICENSE without saying so."""
        make(tmp_path, "one", files={"LICENSE": MIT_TEXT.encode()})
        assert decide(only(tmp_path)).stated == "text of MIT"

    def test_several_licence_files(self, tmp_path: Path) -> None:
        """Of several licence texts the strictest counts; a list of authors is none."""
        files = {"A": MIT_TEXT.encode(), "B": GPL_TEXT.encode(), "AUTHORS": b"Ann"}
        make(tmp_path, "one", *(f"License-File: {name}" for name in files), files=files)
        decision = decide(only(tmp_path))
        assert (decision.licence_class, decision.stated) == (STRONG, "text of MIT and GPL")

    def test_licence_file_in_latin_1(self, tmp_path: Path) -> None:
        """A licence text that is not UTF-8 is read all the same."""
        make(tmp_path, "one", "License-File: L", files={"L": f"© René\n{MIT_TEXT}".encode("latin-1")})
        assert decide(only(tmp_path)).licence_class is PERMISSIVE

    @pytest.mark.parametrize("name", ["../../secret", "{root}/secret", "missing", "nul\0", "x" * 5000, "."], ids=repr)
    def test_licence_file_that_is_not_there(self, tmp_path: Path, name: str) -> None:
        """A file outside the distribution is not read, and none that is missing or cannot be named."""
        (tmp_path / "secret").write_text(GPL_TEXT, encoding="utf-8")
        make(tmp_path / "site", "one", f"License-File: {name.format(root=tmp_path)}")
        assert decide(only(tmp_path / "site")).source is Source.NOTHING

    def test_disagreement_is_told(self, tmp_path: Path) -> None:
        """Classifiers and licence field that tell different classes are a note."""
        make(tmp_path, "one", "License: GPLv3", "Classifier: License :: OSI Approved :: MIT License")
        assert oddities(only(tmp_path)) == ("classifiers say permissive, licence field says strong copyleft",)

    def test_malformed_expression_is_told(self, tmp_path: Path) -> None:
        """An expression that cannot be read is a note with the reason."""
        make(tmp_path, "one", "License-Expression: MIT License")
        reason = "AND, OR or the end expected, License found"
        assert oddities(only(tmp_path)) == (f"licence expression 'MIT License' is malformed: {reason}",)

    def test_agreement_is_no_note(self, tmp_path: Path) -> None:
        """Nothing is noted when they agree, when one tells nothing, or when an expression replaces them."""
        mit = "Classifier: License :: OSI Approved :: MIT License"
        make(tmp_path, "a", "License: BSD", mit)
        make(tmp_path, "b", "License: GPLv3")
        make(tmp_path, "c", "License-Expression: MIT OR GPL-3.0-only", "License: GPLv3", mit)
        assert [oddities(one) for one in read_environment(tmp_path)] == [(), (), ()]


class TestEnvironment:
    def test_running_environment(self) -> None:
        """Without a folder the distributions of this very environment are read."""
        found = {one.key: one.version for one in read_environment()}
        assert found["pytest"] == version("pytest")
        assert found["attrs"] == version("attrs")

    def test_no_distributions(self, tmp_path: Path) -> None:
        """An empty folder has none."""
        assert read_environment(tmp_path) == ()

    def test_sorted_by_name(self, tmp_path: Path) -> None:
        """Names are compared as PEP 503 does, versions second."""
        for name, number in [("Zeta", "1"), ("b.b", "2"), ("B_b", "1"), ("alpha", "1")]:
            make(tmp_path, name, version=number)
        assert [(one.name, one.version) for one in read_environment(tmp_path)] == [
            ("alpha", "1"),
            ("B_b", "1"),
            ("b.b", "2"),
            ("Zeta", "1"),
        ]

    def test_duplicate_names(self, tmp_path: Path) -> None:
        """Two of one name, however written, both stay and both say so."""
        make(tmp_path, "my-lib", version="1.0")
        make(tmp_path, "My_Lib", version="2.0")
        make(tmp_path, "other")
        problems = {one.version + one.key: one.problems for one in read_environment(tmp_path)}
        twice = ("installed 2 times",)
        assert problems == {"1.0my-lib": twice, "2.0my-lib": twice, "1.0other": ()}

    def test_folder_twice_on_the_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A folder that is on the path twice, once by another name, counts once."""
        make(tmp_path / "site", "one")
        (tmp_path / "link").symlink_to(tmp_path / "site")
        monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), str(tmp_path / "link")])
        assert [one.problems for one in read_environment()] == [()]

    def test_egg_info(self, tmp_path: Path) -> None:
        """The older forms of metadata are read: a PKG-INFO in a folder, and an .egg-info that is a file."""
        text = "Metadata-Version: 1.0\nName: {}\nVersion: 3\nLicense: MIT\n"
        (tmp_path / "a.egg-info").mkdir()
        (tmp_path / "a.egg-info" / "PKG-INFO").write_text(text.format("a"), encoding="utf-8")
        (tmp_path / "b.egg-info").write_text(text.format("b"), encoding="utf-8")
        assert [(one.name, one.version) for one in read_environment(tmp_path)] == [("a", "3"), ("b", "3")]


class TestBrokenMetadata:
    @pytest.mark.parametrize(
        ("content", "problems"),
        [
            (None, ("no metadata that can be read", "no name in its metadata", "no version in its metadata")),
            (b"", ("no metadata that can be read", "no name in its metadata", "no version in its metadata")),
            (b"\xff\xfe\x00\x01", ("no name in its metadata", "no version in its metadata")),
            (b"Version: 1\nLicense: MIT\n", ("no name in its metadata",)),
            (b"Name: x\nLicense: MIT\n", ("no version in its metadata",)),
            (b"Name:\nVersion: \n", ("no name in its metadata", "no version in its metadata")),
            (b"Name: Ren\xe9\nVersion: 1\n", ()),
        ],
        ids=["no-file", "empty", "binary", "no-name", "no-version", "blank", "latin-1"],
    )
    def test_is_reported(self, tmp_path: Path, content: bytes | None, problems: tuple[str, ...]) -> None:
        """What is missing becomes a problem of the distribution, and the audit goes on."""
        info = tmp_path / "broken.dist-info"
        info.mkdir()
        if content is not None:
            (info / "METADATA").write_bytes(content)
        (finding,) = audit(read_environment(tmp_path)).findings
        assert finding.notes == problems
        assert finding.place == str(info)

    def test_metadata_of_the_wrong_kind(self, tmp_path: Path) -> None:
        """A METADATA that is a folder, and a dist-info that is a file, are reported too."""
        (tmp_path / "a.dist-info" / "METADATA").mkdir(parents=True)
        (tmp_path / "b.dist-info").write_bytes(b"\x00\xff")
        assert [one.name for one in read_environment(tmp_path)] == ["", ""]

    def test_nameless_are_found_by_their_place(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The report names the path of what has no name."""
        (tmp_path / "broken.dist-info").mkdir()
        assert main(["--path", str(tmp_path)]) == 0
        assert f"  {tmp_path / 'broken.dist-info'}: no metadata that can be read; no name" in capsys.readouterr().out


class TestGraph:
    @pytest.mark.parametrize("count", [0, 1, 49, 50, 300])
    def test_any_number_of_distributions(self, tmp_path: Path, count: int) -> None:
        """None, one, as many as the default limit of steps allows, one more, and far more."""
        for number in range(count):
            make(tmp_path, f"lib{number:03}", "License: MIT" if number % 3 else "License: GPLv3")
        report = audit(read_environment(tmp_path))
        assert [finding.name for finding in report.findings] == [f"lib{number:03}" for number in range(count)]
        strong = (count + 2) // 3
        assert report.totals == {PERMISSIVE: count - strong, WEAK: 0, STRONG: strong, UNKNOWN: 0}

    def test_each_class_has_its_node(self, tmp_path: Path) -> None:
        """The route by class is taken: each class's node sets its own duty."""
        for name, licence in [("a", "MIT"), ("b", "MPL-2.0"), ("c", "GPLv3"), ("d", "Dual License")]:
            make(tmp_path, name, f"License: {licence}")
        assert [(f.licence_class, f.duty) for f in audit(read_environment(tmp_path)).findings] == [
            (PERMISSIVE, "keep its notices"),
            (WEAK, "share changes to the work itself under its licence"),
            (STRONG, "share what you build with it under its licence"),
            (UNKNOWN, "read its licence before you pass it on"),
        ]

    def test_one_graph_serves_many_runs(self, tmp_path: Path) -> None:
        """A run leaves nothing behind for the next."""
        make(tmp_path, "one", "License: MIT")
        graph = build()
        reports = [graph.invoke({"distributions": read_environment(tmp_path)}).view().report for _ in range(2)]
        assert reports[0] == reports[1]
        assert len(reports[0].findings) == 1


class TestTable:
    def test_whole_report(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The table, the totals with duties, the unknown and the odd ones, the way and its time."""
        make(tmp_path, "mine", "License-Expression: MIT", version="1.2")
        make(tmp_path, "theirs", "License: Dual License")
        make(tmp_path, "Theirs", "License: LGPL", version="2.0")
        assert main(["--path", str(tmp_path)]) == 0
        text, _, footer = capsys.readouterr().out.rpartition("\n\n")
        assert re.fullmatch(r"Audited one by one in \d+\.\d\d s\.\n", footer)
        assert text == (
            "name    version  licence as stated  class          decided by\n"
            "------  -------  -----------------  -------------  ------------------\n"
            "mine    1.2      MIT                permissive     licence expression\n"
            "theirs  1.0      Dual License       unknown        nothing\n"
            "Theirs  2.0      LGPL               weak copyleft  licence field\n"
            "\n"
            "3 distributions\n"
            "  permissive           1  keep its notices\n"
            "  weak copyleft        1  share changes to the work itself under its licence\n"
            "  strong copyleft      0\n"
            "  unknown              1  read its licence before you pass it on\n"
            "\n"
            "Unknown, somebody has to look:\n"
            "  theirs 1.0: Dual License\n"
            "\n"
            "Odd:\n"
            "  theirs 1.0: installed 2 times\n"
            "  Theirs 2.0: installed 2 times"
        )

    def test_none_found(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Zero distributions are a report, too."""
        assert main(["--path", str(tmp_path)]) == 0
        assert capsys.readouterr().out.startswith("No distributions found.\n\n0 distributions\n")

    def test_cells_are_plain_and_short(self) -> None:
        """Control characters do not reach the terminal, and a long statement does not break the table."""
        finding = Finding(
            name="\x1b[31mred\n",
            version="",
            stated="x" * 100,
            licence_class=UNKNOWN,
            decided_by=Source.NOTHING,
            notes=(),
            place="",
        )
        row = lines_of(render_report(Report((finding,))))[2]
        assert row == ["?[31mred", "-", f"{'x' * 41}...", "unknown", "nothing"]


class TestJson:
    def test_whole_report(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Everything the table shows, for programs: absent values are null."""
        make(tmp_path, "mine", "License-Expression: MIT")
        (tmp_path / "broken.dist-info").mkdir()
        assert main(["--json", "--path", str(tmp_path)]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["count"] == 2
        assert report["totals"] == {"permissive": 1, "weak copyleft": 0, "strong copyleft": 0, "unknown": 1}
        assert report["unknown"] == [str(tmp_path / "broken.dist-info")]
        assert [one["name"] for one in report["distributions"]] == [None, "mine"]
        assert report["distributions"][1] == {
            "name": "mine",
            "version": "1.0",
            "licence": "MIT",
            "class": "permissive",
            "decided_by": "licence expression",
            "duty": "keep its notices",
            "notes": [],
            "place": str(tmp_path / "mine-1.0.dist-info"),
        }


class TestCommandLine:
    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("{}/missing", "No such file"),
            ("{}/file", "Not a directory"),
            ("", "name is missing"),
            ("\0", "embedded null"),
        ],
        ids=["missing", "file", "empty", "nul"],
    )
    def test_bad_path(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, reason: str) -> None:
        """A --path that is no folder ends with code 2, a reason and no traceback."""
        (tmp_path / "file").touch()
        with pytest.raises(SystemExit) as stopped:
            main(["--path", path.format(tmp_path)])
        assert stopped.value.code == 2
        assert reason in capsys.readouterr().err

    def test_as_a_program(self) -> None:
        """Run as a module it audits the environment of its interpreter, every distribution once."""
        ended = run("--json")
        assert (ended.returncode, ended.stderr) == (0, "")
        report = json.loads(ended.stdout)
        assert "pytest" in {one["name"] for one in report["distributions"]}
        assert sum(report["totals"].values()) == report["count"] == len(report["distributions"])

    def test_bad_path_as_a_program(self, tmp_path: Path) -> None:
        """The error goes to stderr and ends with the reason."""
        ended = run("--path", str(tmp_path / "missing"))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.endswith("cannot be read as a folder: No such file or directory\n")

    def test_letters_the_terminal_lacks(self, tmp_path: Path) -> None:
        """On a terminal that knows ASCII only, other letters are escaped."""
        make(tmp_path, "one", "License: Größe")
        ended = run("--path", str(tmp_path), env={"PYTHONIOENCODING": "ascii"})
        assert ended.returncode == 0
        assert r"Gr\xf6\xdfe" in ended.stdout

    def test_reader_that_leaves(self, tmp_path: Path) -> None:
        """A reader that closes the pipe early, such as `head`, causes no traceback."""
        command = [sys.executable, "-m", "samples.licence_audit", "--path", str(tmp_path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:  # noqa: S603 - our own program
            assert program.stdout is not None
            assert program.stderr is not None
            program.stdout.close()
            assert program.stderr.read() == b""
        assert program.returncode == 0
