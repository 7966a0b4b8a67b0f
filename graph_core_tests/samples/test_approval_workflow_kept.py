"""The approval workflow that is kept in a file: what one process has asked is answered in another."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graph_core import DatabaseSaver, RunnableConfig
from samples.approval_workflow.__main__ import main
from samples.approval_workflow.graph import build
from samples.approval_workflow.question import Question
from samples.approval_workflow.source import EXAMPLE, read_source

ROOT = Path(__file__).parents[2]
EXAMPLES: dict[str, dict[str, Any]] = {request["id"]: request for request in read_source(EXAMPLE).requests}
THREAD_OF_103 = "may (no. 3)"


def options(folder: Path, *more: str) -> list[str]:
    """The options of requests that are kept."""
    return ["--thread", "may", "--db", str(folder / "approvals.db"), *more]


def started(arguments: list[str]) -> "subprocess.Popen[str]":
    """Start the sample as a program."""
    command = [sys.executable, "-X", "utf8", "-m", "samples.approval_workflow", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8")  # noqa: S603 - our own program


def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run the sample as a program that gets `typed` as its stdin."""
    with started([*arguments]) as program:
        out, err = program.communicate(typed)
    return subprocess.CompletedProcess(program.args, program.returncode, out, err)


def typed_in(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as the program has told it."""
    words, env = shlex.split(command), {**os.environ, "PYTHONUTF8": "1"}
    return subprocess.run(words, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - our own program


def totals(ended: subprocess.CompletedProcess[str]) -> str:
    """Return the last line but one of a report."""
    return ended.stdout.splitlines()[-2]


def written(folder: Path) -> dict[str, bytes]:
    """Return all that was written to the outbox."""
    return {path.name: path.read_bytes() for path in (folder / "approvals.db.outbox").iterdir()}


def file_of(folder: Path, *ids: str) -> str:
    """Write a file of requests, and return its name."""
    file = folder / "requests.json"
    file.write_text(json.dumps([EXAMPLES[id_] for id_ in ids], default=str), encoding="utf-8")
    return str(file)


class TestLater:
    def test_another_process_answers(self, tmp_path: Path) -> None:
        """The commands that the first process tells list what waits, and answer it; what is done is not done again."""
        asked = run(*options(tmp_path))
        assert (asked.returncode, totals(asked)) == (
            0,
            "8 requests: 2 approved, 3 rejected, 2 pending, 1 refused, 0 failed",
        )
        begins, count, _, to_see, _, to_answer = asked.stderr.splitlines()
        assert (begins, count) == ("Thread 'may' begins.", "2 requests wait for a person. In any process,")
        before = written(tmp_path)

        listed = typed_in(to_see)
        assert (listed.returncode, listed.stdout) == (0, asked.stdout)
        assert listed.stderr.startswith("Thread 'may' goes on.\n2 requests wait")

        answered = typed_in(to_answer)
        assert (answered.returncode, totals(answered)) == (
            0,
            "8 requests: 3 approved, 3 rejected, 1 pending, 1 refused, 0 failed",
        )
        assert "303.95 EUR  approved  Lena Ortiz says yes\n" in answered.stdout
        after = written(tmp_path)
        assert after.keys() - before.keys() == {"EX-103.eml"}
        assert {name: after[name] for name in before} == before

    def test_all_are_answered(self, tmp_path: Path) -> None:
        """Both at once, each in its way; then nothing is left, and it is told again as it is."""
        run(*options(tmp_path))
        ended = run(*options(tmp_path, "--answer", "EX-104=no: too dear", "--answer", "EX-103=yes: for the lab"))
        assert (ended.returncode, ended.stderr) == (0, "Thread 'may' goes on.\n")
        assert "Jonas Weber says no: too dear\n" in ended.stdout
        before = written(tmp_path)
        again = run(*options(tmp_path))
        assert (again.returncode, again.stdout, again.stderr) == (0, ended.stdout, ended.stderr)
        assert written(tmp_path) == before
        assert len(before["rejected.jsonl"].splitlines()) == 4

    def test_another_process_asks(self, tmp_path: Path) -> None:
        """What was left for later is asked again, until it is answered."""
        first = run(*options(tmp_path, "--ask"), typed="later\nyes\n")
        assert "EX-104.eml" in written(tmp_path)
        second = run(*options(tmp_path, "--ask"), typed="no: too dear\n")
        third = run(*options(tmp_path, "--ask"))
        assert [ended.stderr.count(" waits for ") for ended in (first, second, third)] == [2 + 1, 1, 0]
        assert totals(third) == "8 requests: 3 approved, 4 rejected, 0 pending, 1 refused, 0 failed"

    def test_answered_at_once(self, tmp_path: Path) -> None:
        """An answer may be there before the question."""
        ended = run(*options(tmp_path, "--answer", "EX-103=yes"))
        assert (ended.returncode, totals(ended)) == (
            0,
            "8 requests: 3 approved, 3 rejected, 1 pending, 1 refused, 0 failed",
        )

    def test_whoever_opens_the_file_can_read_the_question(self, tmp_path: Path) -> None:
        """Each request is a thread of its own, which waits with what is asked."""
        assert main(options(tmp_path)) == 0
        with DatabaseSaver(tmp_path / "approvals.db") as saver:
            left = build(saver).get_state(RunnableConfig(thread_id=THREAD_OF_103))
        assert left is not None
        assert (left.status, left.next) == ("interrupted", ("ask_approver",))
        assert left.interruptions[0].payload == Question(
            id="EX-103",
            approver="Lena Ortiz",
            summary="Ada Brandt has bought from Büro & Technik GmbH (second desk): "
            "docking station (219.00 EUR, inv-88012.pdf), monitor arm (84.95 EUR, inv-88012.pdf)",
            why="303.95 EUR is more than 250.00 EUR",
        )

    def test_places(self, tmp_path: Path) -> None:
        """Where mail and archive go is part of the command."""
        places = ["--outbox", str(tmp_path / "my mail"), "--archive", str(tmp_path / "all.jsonl")]
        *_, to_answer = run(*options(tmp_path, *places)).stderr.splitlines()
        assert typed_in(to_answer).returncode == 0
        assert (tmp_path / "my mail" / "EX-103.eml").exists()
        assert not (tmp_path / "approvals.db.outbox").exists()

    def test_stopped(self, tmp_path: Path) -> None:
        """Ctrl-C at a question: what was decided is kept, and the same command asks again."""
        # where tests run in the background of a shell the signal is ignored, and a program inherits that
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            program = started(options(tmp_path, "--ask"))
        finally:
            signal.signal(signal.SIGINT, before)
        with program:
            assert program.stdin is not None
            assert program.stderr is not None
            program.stdin.write("yes\n")
            program.stdin.flush()
            while not program.stderr.readline().startswith("yes, yes:REASON, no:REASON or later? "):
                assert program.poll() is None
            program.send_signal(signal.SIGINT)
            out, err = program.communicate()
        assert (program.returncode, out) == (130, "")
        assert err.endswith("\nStopped. The same command goes on where it was.\n")
        ended = run(*options(tmp_path, "--ask"), typed="no: too dear\n")
        assert totals(ended) == "8 requests: 3 approved, 4 rejected, 0 pending, 1 refused, 0 failed"


class TestRequests:
    def test_of_a_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A thread knows its requests: FILE may be named again, or left out; what was refused is told again."""
        file = file_of(tmp_path, "EX-104", "EX-108", "EX-102")
        assert main([file, *options(tmp_path)]) == 1
        assert main([file, *options(tmp_path)]) == 1
        assert main(options(tmp_path, "--answer", "EX-104=yes")) == 1
        first, second, third = capsys.readouterr().out.split("id      requester")[1:]
        assert first == second
        assert "\n3 requests: 2 approved, 0 rejected, 0 pending, 1 refused, 0 failed\n" in third

    def test_of_another_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Other requests need another thread, in the same file if that is wanted."""
        assert main([file_of(tmp_path, "EX-104"), *options(tmp_path)]) == 0
        other = file_of(tmp_path, "EX-103")
        with pytest.raises(SystemExit) as stopped:
            main([other, *options(tmp_path)])
        assert stopped.value.code == 2
        assert "thread 'may' began with other requests" in capsys.readouterr().err
        assert main([other, *options(tmp_path), "--thread", "june"]) == 0
        assert "EX-103 waits for Lena Ortiz" in capsys.readouterr().out

    def test_unknown_request(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """An answer is for a request of that thread."""
        assert main([file_of(tmp_path, "EX-104"), *options(tmp_path)]) == 0
        with pytest.raises(SystemExit) as stopped:
            main(options(tmp_path, "--answer", "EX-103=yes"))
        assert stopped.value.code == 2
        assert "there is no request 'EX-103'; there are EX-104\n" in capsys.readouterr().err

    def test_that_is_done(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """An answer to what was answered before comes to nothing, and says so with code 1."""
        assert main(options(tmp_path, "--answer", "EX-103=yes")) == 0
        before = written(tmp_path)
        assert main(options(tmp_path, "--answer", "EX-103=no: too dear")) == 1
        assert "no. 3, EX-103: does not wait for a person: no:too dear came to nothing\n" in capsys.readouterr().out
        assert written(tmp_path) == before

    def test_that_failed_goes_on(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """When what was in its way is gone the same command goes on with the answer that was given."""
        in_the_way = tmp_path / "approvals.db.outbox" / "EX-103.eml"
        in_the_way.parent.mkdir()
        in_the_way.touch()
        assert main(options(tmp_path, "--answer", "EX-103=yes")) == 1
        assert (
            "no. 3, EX-103: failed on the way\n  node 'send_email' failed: FileExistsError" in capsys.readouterr().out
        )
        in_the_way.unlink()
        assert main(options(tmp_path)) == 0
        assert b"303.95 EUR approved" in in_the_way.read_bytes()


class TestBusy:
    def test_request(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """What another process has in hand is told, with code 1; the other requests are not held up."""
        with DatabaseSaver(tmp_path / "approvals.db") as saver:
            saver.take(THREAD_OF_103, "another run")
            assert main(options(tmp_path)) == 1
            out = capsys.readouterr().out
        assert "\nno. 3, EX-103: another process is at it; the same command goes on when that one has ended" in out
        assert "8 requests: 2 approved, 3 rejected, 1 pending, 1 refused, 1 failed\n" in out

    def test_answer(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """An answer that another process is in the way of is told, and can be given again."""
        assert main(options(tmp_path)) == 0
        with DatabaseSaver(tmp_path / "approvals.db") as saver:
            saver.take(THREAD_OF_103, "another run", create=False)
            assert main(options(tmp_path)) == 0
            assert main(options(tmp_path, "--answer", "EX-103=yes")) == 1
            assert "no. 3, EX-103: another process is at it" in capsys.readouterr().out
            saver.give_back(THREAD_OF_103, "another run", "interrupted")
        assert main(options(tmp_path, "--answer", "EX-103=yes")) == 0


class TestWrongUses:
    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--thread", "t"], "--thread and --db belong together"),
            (["--db", "f"], "--thread and --db belong together"),
            (["--thread", "", "--db", "f"], "a name is missing"),
            (["--thread", "t", "--db", ""], "a name is missing"),
        ],
        ids=["no-db", "no-thread", "empty-thread", "empty-db"],
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
            ("missing/approvals.db", "unable to open database file; its folder must exist"),
            (".", "unable to open database file"),
        ],
        ids=["text", "missing-folder", "folder"],
    )
    def test_files(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, reason: str) -> None:
        """A file that can keep nothing ends with code 1 and a reason, and no mail is written."""
        text = "Dear diary, " * 100
        (tmp_path / "text.txt").write_text(text, encoding="utf-8")
        assert main(["--thread", "t", "--db", str(tmp_path / file)]) == 1
        assert reason in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]
        assert (tmp_path / "text.txt").read_text(encoding="utf-8") == text

    @pytest.mark.parametrize("name", ["nul\0", "half \udc80"], ids=["nul", "surrogate"])
    def test_names(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
        """A name that no database can hold ends with code 1 and a reason."""
        assert main(["--thread", name, "--db", str(tmp_path / "a.db")]) == 1
        assert "thread_id must be a text" in capsys.readouterr().err

    def test_memory_is_a_file_like_any_other(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A name that SQLite would not keep in a file is kept in one."""
        monkeypatch.chdir(tmp_path)
        assert main(["--thread", "t", "--db", ":memory:"]) == 0
        assert (tmp_path / ":memory:").is_file()

    def test_outbox_can_not_be(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A file where the outbox would be ends with code 2 and a reason, before anything is decided."""
        (tmp_path / "approvals.db.outbox").touch()
        with pytest.raises(SystemExit) as ended:
            main(options(tmp_path))
        assert ended.value.code == 2
        assert "approvals.db.outbox' can not be a folder" in capsys.readouterr().err

    def test_without_the_extra(self, tmp_path: Path) -> None:
        """Without SQLAlchemy it says how to get it; what is kept in memory does not need it."""
        code = "import sys; sys.modules['sqlalchemy'] = None; from samples.approval_workflow.__main__ import main; "
        call = f"sys.exit(main([]) or main(['--thread', 't', '--db', {str(tmp_path / 'a.db')!r}]))"
        command = [sys.executable, "-c", code + call]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
        assert ended.returncode == 1
        assert "8 requests: 2 approved" in ended.stdout
        assert "pip install 'graph-core[sql]'" in ended.stderr
        assert "Traceback" not in ended.stderr
