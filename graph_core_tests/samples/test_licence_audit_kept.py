"""The licence audit that is kept in a file: stopped, killed, taken over, finished; always in real files."""

import json
import signal
import subprocess
import sys
import zipfile
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from importlib.metadata import Distribution
from pathlib import Path
from typing import IO

import pytest

from graph_core import DatabaseSaver, MemorySaver
from graph_core.serializer import SerializationError
from graph_core_tests.samples.distributions import ROOT, make, run
from samples.licence_audit.__main__ import main
from samples.licence_audit.checks import Checks
from samples.licence_audit.environment import read_environment
from samples.licence_audit.graph import loop
from samples.licence_audit.kept import Begin, kept
from samples.licence_audit.parallel_graph import fan_out
from samples.licence_audit.serializer import SERIALIZER

WAYS = pytest.mark.parametrize("way", [[], ["--parallel"]], ids=["loop", "parallel"])
SLOW = ["--slow", "1"]
"""Each check waits longer than a line takes from the program to the test and a signal takes back."""


def make_some(folder: Path) -> Path:
    """Make five distributions; each is decided by its first check."""
    for number, licence in enumerate(("MIT", "MPL-2.0", "GPL-3.0-only", "LicenseRef-Own", "BSD-3-Clause")):
        make(folder / "site", f"lib{number}", f"License-Expression: {licence}")
    return folder / "site"


def options(folder: Path, *more: str) -> list[str]:
    """The options of an audit that is kept."""
    return ["--path", str(folder / "site"), "--thread", "nightly", "--db", str(folder / "audit.db"), *more]


def undisturbed(folder: Path) -> object:
    """What an audit finds that nobody stops."""
    return json.loads(run("--json", "--path", str(folder / "site")).stdout)


@contextmanager
def started(arguments: Sequence[str]) -> Generator[tuple["subprocess.Popen[str]", IO[str]]]:
    """Start the program, and give it with its stdout; it is killed if the test fails."""
    command = [sys.executable, "-m", "samples.licence_audit", *arguments]
    pipe = subprocess.PIPE
    # where tests run in the background of a shell the signal is ignored, and a program inherits that
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        program = subprocess.Popen(command, cwd=ROOT, text=True, stdout=pipe, stderr=pipe)  # noqa: S603 - our own program
    finally:
        signal.signal(signal.SIGINT, before)
    with program:
        assert program.stdout is not None
        try:
            yield program, program.stdout
        finally:
            program.kill()


def stopped(arguments: Sequence[str], last: str, number: int) -> tuple[list[str], str]:
    """Send the program a signal when it has told `last`; give the lines up to there, and its stderr."""
    lines: list[str] = []
    with started(arguments) as (program, stdout):
        while not lines or not lines[-1].startswith(last):
            line = stdout.readline()
            assert line, f"it has ended before {last!r}: {lines}"
            lines.append(line.rstrip("\n"))
        program.send_signal(number)
        rest, errors = program.communicate()
    assert program.returncode == (130 if number == signal.SIGINT else -number)
    return [*lines, *filter(None, rest.splitlines())], errors


def told(lines: Sequence[str]) -> list[str]:
    """The lines of the story: distribution and node."""
    return [" ".join(line.split()[:3]) for line in lines if line.startswith("lib") and ": " in line]


class TestStopped:
    def test_loop_goes_on(self, tmp_path: Path) -> None:
        """Ctrl-C after two distributions: the same command says so, does the other three, and reports all."""
        make_some(tmp_path)
        first, errors = stopped(options(tmp_path, "--story", *SLOW), "lib1 1.0: weak_copyleft", signal.SIGINT)
        assert errors == "Thread 'nightly' begins.\nStopped. The same command goes on where it was.\n"
        second = run(*options(tmp_path, "--story"))
        assert (second.returncode, second.stderr) == (
            0,
            "Thread 'nightly' goes on after 2 of 5 distributions.\n",
        )
        rest = told(second.stdout.splitlines())
        assert rest[0] == "lib2 1.0: next_distribution"
        assert len(told(first) + rest) == len(set(told(first) + rest)) == 2 * 5
        assert json.loads(run(*options(tmp_path, "--json")).stdout) == undisturbed(tmp_path)

    def test_parallel_goes_on(self, tmp_path: Path) -> None:
        """Ctrl-C while the checks wait: what was looked over is not looked over again."""
        make_some(tmp_path)
        first, errors = stopped(options(tmp_path, "--story", "--parallel", *SLOW), "lib4 1.0: look_over", signal.SIGINT)
        assert errors.endswith("Stopped. The same command goes on where it was.\n")
        second = run(*options(tmp_path, "--story", "--parallel"))
        assert (second.returncode, second.stderr) == (
            0,
            "Thread 'nightly' goes on after 0 of 5 distributions.\n",
        )
        rest = told(second.stdout.splitlines())
        assert not set(told(first)) & set(rest)
        assert "lib0 1.0: look_over" in told(first)
        assert json.loads(run(*options(tmp_path, "--json", "--parallel")).stdout) == undisturbed(tmp_path)


class TestKilled:
    @WAYS
    def test_is_taken_over(self, tmp_path: Path, way: list[str]) -> None:
        """SIGKILL: the lease still runs, which is told; with --take-over it goes on, and no step is done twice."""
        make_some(tmp_path)
        last = "lib4 1.0: look_over" if way else "lib1 1.0: weak_copyleft"
        first, errors = stopped(options(tmp_path, "--story", *way, *SLOW), last, signal.SIGKILL)
        assert errors == "Thread 'nightly' begins.\n"
        busy = run(*options(tmp_path, *way))
        assert (busy.returncode, busy.stdout) == (1, "")
        assert busy.stderr.endswith(
            "Another run holds thread 'nightly'. Wait until it has ended, or, if it was killed: --take-over.\n"
        )
        second = run(*options(tmp_path, "--story", "--take-over", *way))
        done = 0 if way else 2
        assert (second.returncode, second.stderr) == (
            0,
            f"Thread 'nightly' goes on after {done} of 5 distributions.\n",
        )
        assert not set(told(first)) & set(told(second.stdout.splitlines()))
        assert json.loads(run(*options(tmp_path, "--json", *way)).stdout) == undisturbed(tmp_path)

    def test_another_run_is_at_work(self, tmp_path: Path) -> None:
        """While a run lives, a second one is refused and changes nothing; the first one goes on undisturbed."""
        make_some(tmp_path)
        with started(options(tmp_path, "--story", "--slow", "0.5")) as (program, stdout):
            assert stdout.readline() == "lib0 1.0: next_distribution permissive, decided by licence expression\n"
            assert run(*options(tmp_path)).returncode == 1
            rest, errors = program.communicate()
        assert (program.returncode, errors) == (0, "Thread 'nightly' begins.\n")
        assert len(told(rest.splitlines())) == 2 * 5 - 1

    def test_owner_that_lost_its_thread(self, tmp_path: Path) -> None:
        """Who takes over from a run that lives wins; the other one ends with a reason at its next step."""
        make_some(tmp_path)
        with started(options(tmp_path, "--story", *SLOW)) as (program, stdout):
            assert stdout.readline().startswith("lib0")
            assert run(*options(tmp_path, "--take-over")).returncode == 0
            _, errors = program.communicate()
        assert program.returncode == 1
        assert "Thread 'nightly' can not go on: " in errors
        assert "does not hold thread" in errors


class TestFinished:
    @WAYS
    def test_is_shown_again(self, tmp_path: Path, way: list[str]) -> None:
        """Nothing has changed: the same report, and nothing is asked anew."""
        make_some(tmp_path)
        ended = [run(*options(tmp_path, "--json", *way)) for _ in range(2)]
        assert [one.returncode for one in ended] == [0, 0]
        assert [one.stderr for one in ended] == [
            "Thread 'nightly' begins.\n",
            "Thread 'nightly' is finished, and nothing has changed since.\n",
        ]
        assert ended[0].stdout == ended[1].stdout
        assert json.loads(ended[0].stdout) == undisturbed(tmp_path)

    def test_table(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """As a table it has no time: none was needed."""
        make_some(tmp_path)
        assert main(options(tmp_path)) == main(options(tmp_path)) == 0
        first, second = capsys.readouterr().out.split("Audited one by one in ")
        assert second.partition("\n")[2] == first.rstrip("\n") + "\n"

    @WAYS
    def test_begins_anew_in_a_changed_environment(self, tmp_path: Path, way: list[str]) -> None:
        """One distribution more: all of them are audited again, none stands there twice."""
        make_some(tmp_path)
        run(*options(tmp_path, *way))
        make(tmp_path / "site", "zz", "License: MIT")
        ended = run(*options(tmp_path, "--json", *way))
        assert ended.stderr == "Thread 'nightly' is finished, but the environment has changed: it begins anew.\n"
        assert json.loads(ended.stdout) == undisturbed(tmp_path)

    def test_ways_and_names_stay_apart(self, tmp_path: Path) -> None:
        """The loop, the parallel way and another name are three threads of one file."""
        make_some(tmp_path)
        for more in ([], ["--parallel"], ["--thread", "weekly"]):
            assert run(*options(tmp_path, *more)).stderr.endswith("begins.\n")
        with DatabaseSaver(tmp_path / "audit.db") as saver:
            assert set(saver.threads()) == {"nightly (one by one)", "nightly (in parallel)", "weekly (one by one)"}


class TestChangedWhileStopped:
    @pytest.mark.parametrize("begin", [loop, fan_out], ids=["loop", "parallel"])
    def test_goes_on_with_what_it_began_with(self, tmp_path: Path, begin: Begin) -> None:
        """A distribution that came while the audit was stopped is not in it, and that is said."""
        before = read_environment(make_some(tmp_path))

        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        with DatabaseSaver(tmp_path / "audit.db") as saver:
            with pytest.raises(KeyboardInterrupt):
                kept(begin, before, Checks(before=stop), saver, name="t").report(print)
            make(tmp_path / "site", "zz", "License: MIT")
            left = kept(begin, read_environment(tmp_path / "site"), Checks(), saver, name="t")
            assert left.notice.endswith(
                "of 5 distributions; the environment has changed since, which the next audit will see."
            )
            assert left.report(lambda _: None) == loop(before).report()

    def test_memory_is_a_saver_too(self, tmp_path: Path) -> None:
        """Whatever saver is given keeps the audit."""
        distributions, saver = read_environment(make_some(tmp_path)), MemorySaver()
        assert kept(loop, distributions, Checks(), saver, name="t").report(print) == loop(distributions).report()
        assert kept(loop, distributions, Checks(), saver, name="t").finished is not None


class TestWrongUses:
    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--thread", "t"], "--thread and --db belong together"),
            (["--db", "f"], "--thread and --db belong together"),
            (["--take-over"], "give --thread and --db, too"),
            (["--thread", "", "--db", "f"], "a name is missing"),
            (["--thread", "t", "--db", ""], "a name is missing"),
        ],
        ids=["no-db", "no-thread", "nothing-to-take", "empty-thread", "empty-db"],
    )
    def test_options(self, capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str) -> None:
        """Options that make no sense end with code 2 and a reason."""
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert reason in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("file", "reason"),
        [
            ("text.txt", "file is not a database; it is damaged, or no SQLite file"),
            ("missing/audit.db", "unable to open database file; its folder must exist"),
            (".", "unable to open database file"),
        ],
        ids=["text", "missing-folder", "folder"],
    )
    def test_files(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, reason: str) -> None:
        """A file that can not keep a thread ends with code 1 and a reason, and stays as it was."""
        text = "Dear diary, " * 100
        (tmp_path / "text.txt").write_text(text, encoding="utf-8")
        assert main(["--thread", "t", "--db", str(tmp_path / file), "--path", str(tmp_path)]) == 1
        assert reason in capsys.readouterr().err
        assert (tmp_path / "text.txt").read_text(encoding="utf-8") == text

    @pytest.mark.parametrize("name", ["nul\0", "half \udc80"], ids=["nul", "surrogate"])
    def test_names(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
        """A name that no database can hold ends with code 1 and a reason."""
        assert main(["--thread", name, "--db", str(tmp_path / "a.db"), "--path", str(tmp_path)]) == 1
        assert "thread_id must be a text" in capsys.readouterr().err

    def test_without_the_extra(self, tmp_path: Path) -> None:
        """Without SQLAlchemy it says how to get it."""
        code = "import sys; sys.modules['sqlalchemy'] = None; from samples.licence_audit.__main__ import main; "
        call = f"sys.exit(main(['--thread', 't', '--db', {str(tmp_path / 'a.db')!r}]))"
        command = [sys.executable, "-c", code + call]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
        assert (ended.returncode, ended.stdout) == (1, "")
        assert "pip install 'graph-core[sql]'" in ended.stderr
        assert "Traceback" not in ended.stderr


class TestSerializer:
    def test_distribution_comes_back(self, tmp_path: Path) -> None:
        """It is found again by the path of its metadata."""
        (one,) = read_environment(make(tmp_path, "one", "License: MIT").parent)
        again = SERIALIZER.loads(SERIALIZER.dumps(one.distribution))
        assert isinstance(again, Distribution)
        assert again.metadata["License"] == "MIT"

    def test_archive_is_refused(self, tmp_path: Path) -> None:
        """One in an archive has no path of its own, and the error says so."""
        with closing(zipfile.ZipFile(tmp_path / "one.zip", "w")) as archive:
            archive.writestr("one-1.0.dist-info/METADATA", "Name: one\nVersion: 1.0\n")
        (one,) = read_environment(tmp_path / "one.zip")
        with pytest.raises(SerializationError, match="in an archive can not be kept"):
            SERIALIZER.dumps(one.distribution)
