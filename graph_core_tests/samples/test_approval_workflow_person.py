"""What the approval workflow asks a person: where its run pauses, what may be answered, and how that is typed."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import RunnableConfig
from samples.approval_workflow.__main__ import main
from samples.approval_workflow.answer import Answer
from samples.approval_workflow.case import Case, Decision
from samples.approval_workflow.desk import Desk
from samples.approval_workflow.graph import build
from samples.approval_workflow.nodes import ask_approver
from samples.approval_workflow.office import Office
from samples.approval_workflow.prompt import Prompt
from samples.approval_workflow.question import Question, Ruling, ruling_of
from samples.approval_workflow.settle import apply
from samples.approval_workflow.source import EXAMPLE, read_source

ROOT = Path(__file__).parents[2]
EXAMPLES: dict[str, dict[str, Any]] = {request["id"]: request for request in read_source(EXAMPLE).requests}
QUESTION = Question(
    id="EX-104",
    approver="Jonas Weber",
    summary="Lena Ortiz has bought from PyCon DE (conference): conference ticket (640.00 EUR, pycon-512.pdf)",
    why="640.00 EUR is more than 250.00 EUR",
)
YES, NO = Ruling(is_approved=True), Ruling(is_approved=False, reason="too dear")
PROMPT = "yes, yes:REASON, no:REASON or later? "


def desk_in(folder: Path) -> Desk:
    """Return a desk of an office that writes into `folder`."""
    return Desk(graph=build(), office=Office(outbox=folder, archive=folder / "rejected.jsonl"))


def outcome_of(answer: Answer) -> tuple[str, tuple[str, ...]]:
    """Return what is decided, and why."""
    outcome = answer.result.unwrap()
    return outcome.decision.value, outcome.reasons


def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run the sample as a program that gets `typed` as its stdin."""
    command = [sys.executable, "-X", "utf8", "-m", "samples.approval_workflow", *arguments]
    return subprocess.run(command, cwd=ROOT, input=typed, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - our own program


def run_on_a_terminal(*arguments: str, typed: str) -> tuple[int, str, str]:
    """Run the sample on a terminal where `typed` is typed; return exit code, what the terminal shows, and stderr."""
    command = [sys.executable, "-X", "utf8", "-m", "samples.approval_workflow", *arguments]
    keyboard, terminal = os.openpty()
    with subprocess.Popen(command, cwd=ROOT, stdin=terminal, stdout=terminal, stderr=subprocess.PIPE) as program:  # noqa: S603 - our own program
        os.close(terminal)
        os.write(keyboard, typed.encode())
        seen = b"".join(read_all(keyboard))
        os.close(keyboard)
        _, errors = program.communicate()
    return program.returncode, seen.decode().replace("\r\n", "\n"), errors.decode()


def read_all(terminal: int) -> Sequence[bytes]:
    """Read what a terminal shows until nobody writes to it any more."""
    pieces: list[bytes] = []
    try:
        while piece := os.read(terminal, 4096):
            pieces.append(piece)
    except OSError:  # what Linux says at the end
        pass
    return pieces


class TestGraph:
    def test_question(self, tmp_path: Path) -> None:
        """The run stands at the node that asks; it tells whom, what and why, and has written nothing."""
        config = RunnableConfig(thread_id="t", context=desk_in(tmp_path).office)
        request: Any = EXAMPLES["EX-104"]
        result = build().run({"request": request}, config)
        (asked,) = result.interruptions
        assert (result.status, asked.node, asked.payload) == ("interrupted", "ask_approver", QUESTION)
        assert result.state.view().decision is Decision.PENDING
        assert list(tmp_path.iterdir()) == []

    def test_yes(self, tmp_path: Path) -> None:
        """Who is approved by a person gets the mail, with what that person said."""
        desk = desk_in(tmp_path)
        ruled = desk.rule(desk.hand_in(1, EXAMPLES["EX-104"]), Ruling(is_approved=True, reason="we need it"))
        assert outcome_of(ruled) == ("approved", ("Jonas Weber says yes: we need it",))
        assert b"Reason: Jonas Weber says yes: we need it." in (tmp_path / "EX-104.eml").read_bytes()

    def test_no(self, tmp_path: Path) -> None:
        """What a person rejects goes into the archive, with their reason."""
        desk = desk_in(tmp_path)
        ruled = desk.rule(desk.hand_in(1, EXAMPLES["EX-104"]), NO)
        assert outcome_of(ruled) == ("rejected", ("Jonas Weber says no: too dear",))
        assert json.loads((tmp_path / "rejected.jsonl").read_bytes())["reasons"] == ["Jonas Weber says no: too dear"]

    def test_what_is_no_ruling_is_asked_again(self, tmp_path: Path) -> None:
        """A plain yes that comes from elsewhere decides nothing."""
        graph, config = build(), RunnableConfig(thread_id="t", context=desk_in(tmp_path).office)
        request: Any = EXAMPLES["EX-104"]
        (first,) = graph.run({"request": request}, config).interruptions
        (second,) = graph.run(None, config.with_resume("yes")).interruptions
        assert first.id != second.id
        assert first.payload == second.payload
        assert graph.run(None, config.with_resume(YES)).state.view().decision is Decision.APPROVED

    def test_somebody_has_to_be_there(self, tmp_path: Path) -> None:
        """The node can ask nobody about a case that nobody may approve."""
        request = desk_in(tmp_path).hand_in(1, EXAMPLES["EX-107"]).result.unwrap().request
        with pytest.raises(LookupError, match="nobody can be asked"):
            ask_approver(Case(request=request), RunnableConfig(context=desk_in(tmp_path).office))


class TestDesk:
    def test_too_late(self, tmp_path: Path) -> None:
        """Who answers what somebody else has answered in the meantime is told so, and changes nothing."""
        desk = desk_in(tmp_path)
        waiting = desk.hand_in(1, EXAMPLES["EX-104"])
        desk.rule(waiting, YES)
        late = desk.rule(waiting, NO)
        assert late.note == "was answered elsewhere in the meantime: no:too dear came too late"
        assert not (tmp_path / "rejected.jsonl").exists()

    def test_nothing_waits(self, tmp_path: Path) -> None:
        """Who answers what has been decided by the rules is told so."""
        desk = desk_in(tmp_path)
        answer = desk.rule(desk.hand_in(1, EXAMPLES["EX-101"]), NO)
        assert answer.note == "does not wait for a person: no:too dear came to nothing"
        assert outcome_of(answer)[0] == "approved"

    def test_two_requests_of_one_id(self, tmp_path: Path) -> None:
        """An answer is for the first of them that waits."""
        desk = desk_in(tmp_path)
        answers = [desk.hand_in(number, EXAMPLES["EX-104"]) for number in (1, 2)]
        once = apply(desk, answers, {"EX-104": NO})
        twice = apply(desk, once, {"EX-104": NO})
        assert [answer.fate for answer in once] == ["rejected", "pending"]
        assert [answer.fate for answer in twice] == ["rejected", "rejected"]


class TestRuling:
    @pytest.mark.parametrize(
        ("text", "ruling"),
        [
            ("yes", YES),
            (" Y ", YES),
            ("yes:", YES),
            ("no:too dear", NO),
            ("N : too dear", NO),
            ("yes:a: b=c", Ruling(is_approved=True, reason="a: b=c")),
        ],
        ids=ascii,
    )
    def test_of_a_text(self, text: str, ruling: Ruling) -> None:
        """A word, and what follows the colon."""
        assert ruling_of(text) == ruling

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", "an answer is yes, yes:REASON or no:REASON, not ''"),
            ("maybe", "not 'maybe'"),
            ("yes please", "not 'yes please'"),
            ("no", "whoever hears no has to hear why"),
            ("no: ", "whoever hears no has to hear why"),
            ("no:a\nBcc: b", "reason is one line of at most 100 letters"),
            ("yes:" + "x" * 101, "reason is one line of at most 100 letters"),
            ("yes:\udcff", "reason is one line"),
        ],
        ids=ascii,
    )
    def test_of_a_wrong_text(self, text: str, problem: str) -> None:
        """What is none is refused with what would be one."""
        with pytest.raises(ValueError, match=problem):
            ruling_of(text)

    @given(st.booleans(), st.from_regex(r"[a-zA-Z][a-zA-Z:=,. ]{0,50}[a-zA-Z]", fullmatch=True))
    def test_text_of_any(self, is_approved: bool, reason: str) -> None:  # noqa: FBT001 - drawn
        """As it is told it can be typed."""
        ruling = Ruling(is_approved=is_approved, reason=reason)
        assert ruling_of(str(ruling)) == ruling


class TestPrompt:
    @pytest.mark.parametrize(
        ("typed", "ruling", "asked"),
        [
            ("yes\n", YES, 1),
            ("no: too dear", NO, 1),
            ("later\nyes\n", None, 1),
            ("Later\n", None, 1),
            ("\nperhaps\nno\nyes\n", YES, 4),
            ("", None, 1),
            ("perhaps\n", None, 2),
        ],
        ids=["yes", "no", "later", "capital", "again", "end", "end-again"],
    )
    def test_asks(self, capsys: pytest.CaptureFixture[str], typed: str, ruling: Ruling | None, asked: int) -> None:
        """It asks until it has an answer, or there are no more lines; stdout is not touched."""
        assert Prompt(io.StringIO(typed)).ask(QUESTION) == ruling
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"\n{QUESTION}\n{PROMPT}")
        assert err.count(PROMPT) == asked

    def test_no_more_questions(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Where the lines have ended nothing more is asked."""
        prompt = Prompt(io.StringIO())
        assert [prompt.ask(QUESTION), prompt.ask(QUESTION)] == [None, None]
        assert capsys.readouterr().err.count(PROMPT) == 1

    def test_no_text(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Bytes that are no text are no answer."""
        lines = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\nyes\n"), encoding="utf-8")
        assert Prompt(lines).ask(QUESTION) is None
        assert "That is no text." in capsys.readouterr().err


class TestCommandLine:
    def test_on_a_terminal(self, tmp_path: Path) -> None:
        """It asks about one request after the other; the report has what was answered."""
        code, seen, errors = run_on_a_terminal("--outbox", str(tmp_path), typed="yes: for the lab\nlater\n")
        assert code == 0
        assert "approved  Lena Ortiz says yes: for the lab\n" in seen
        assert "8 requests: 3 approved, 3 rejected, 1 pending, 1 refused, 0 failed\n" in seen
        assert errors.startswith("\nEX-103 waits for Lena Ortiz: ")
        assert errors.count(PROMPT) == 2
        assert "1 request waits for a person" in errors

    @pytest.mark.parametrize("options", [["--no-ask"], ["--answer", "EX-103=yes"]], ids=["no-ask", "answer"])
    def test_asks_not(self, tmp_path: Path, options: list[str]) -> None:
        """On a terminal, too, it can be told not to ask, and need not if answers are given."""
        code, _, errors = run_on_a_terminal("--outbox", str(tmp_path), *options, typed="")
        assert code == 0
        assert PROMPT not in errors

    def test_stdin(self, tmp_path: Path) -> None:
        """Answers can come through a pipe if that is wanted."""
        ended = run("--ask", "--outbox", str(tmp_path), typed="no: too dear\nyes\n")
        assert "8 requests: 3 approved, 4 rejected, 0 pending, 1 refused, 0 failed\n" in ended.stdout
        assert sorted(path.name for path in tmp_path.glob("*.eml")) == ["EX-101.eml", "EX-102.eml", "EX-104.eml"]

    def test_nobody_is_there(self, tmp_path: Path) -> None:
        """Without a terminal it does not wait, and tells how to answer."""
        ended = run("--outbox", str(tmp_path), typed="yes\nyes\n")
        assert "2 pending" in ended.stdout
        assert ended.stderr == (
            "2 requests wait for a person, and nothing keeps them. "
            "Run it again with --answer EX-103=yes (or EX-103=no:REASON), with --ask,\n"
            "or with --thread NAME --db FILE, which keeps them until somebody answers.\n"
        )

    def test_answers(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """What is answered beforehand is not asked."""
        answers = ["--answer", "EX-104=no: not this year", "--answer", "EX-103=yes"]
        assert main(["--outbox", str(tmp_path), *answers]) == 0
        out, err = capsys.readouterr()
        assert "rejected  Jonas Weber says no: not this year\n" in out
        assert "3 approved, 4 rejected, 0 pending" in out
        assert err == ""

    @pytest.mark.parametrize("id_", ["EX-101", "EX-105", "EX-108"])
    def test_answer_to_what_does_not_wait(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], id_: str) -> None:
        """It is told, with code 1; the other requests are not held up."""
        assert main(["--outbox", str(tmp_path), "--answer", f"{id_}=yes", "--answer", "EX-103=yes"]) == 1
        out = capsys.readouterr().out
        assert f", {id_}: does not wait for a person: yes came to nothing\n" in out
        assert "8 requests: 3 approved, 3 rejected, 1 pending, 1 refused, 0 failed\n" in out

    @pytest.mark.parametrize(
        ("answers", "reason"),
        [
            (["EX-9=yes"], "there is no request 'EX-9'; there are EX-101, EX-102"),
            (["EX-103=maybe"], "'EX-103=maybe': an answer is yes, yes:REASON or no:REASON, not 'maybe'"),
            (["EX-103=no"], "'EX-103=no': whoever hears no has to hear why"),
            (["EX-103"], "'EX-103': an answer is yes"),
            (["EX-103=yes", "EX-103=no:x"], "there are two answers for 'EX-103'"),
        ],
        ids=["unknown", "word", "no-reason", "no-answer", "two"],
    )
    def test_bad_answers(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], answers: list[str], reason: str
    ) -> None:
        """An answer that is none ends with code 2 and a reason, before anything runs."""
        with pytest.raises(SystemExit) as stopped:
            main(["--outbox", str(tmp_path), *(word for answer in answers for word in ("--answer", answer))])
        assert stopped.value.code == 2
        assert reason in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []
