"""The approval workflow: its rules, its graph, its door, what it writes, and its command line."""

import json
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from returns.result import Success

from graph_core import END, START, GraphRunnerException, RunnableConfig
from samples.approval_workflow.__main__ import main
from samples.approval_workflow.answer import Answer
from samples.approval_workflow.case import Case, Decision, Outcome
from samples.approval_workflow.desk import Desk
from samples.approval_workflow.graph import build
from samples.approval_workflow.nodes import decide
from samples.approval_workflow.office import POLICY, Office
from samples.approval_workflow.report import render
from samples.approval_workflow.request import Item, Person, Request
from samples.approval_workflow.rules import approver_of
from samples.approval_workflow.source import EXAMPLE, read_source

ROOT = Path(__file__).parents[2]
GRAPH = build()
APPROVED, REJECTED, PENDING = Decision
ANN = Person(name="Ann Bo", email="ann@northwind.example")
LENA, JONAS = POLICY.approvers
NOON = datetime(2025, 4, 1, 12, 0, tzinfo=UTC)
TODAY = NOON.date()
EXAMPLES: dict[str, dict[str, Any]] = {request["id"]: request for request in read_source(EXAMPLE).requests}


def request_of(
    price: str = "10", *, receipt: str | None = "r.pdf", vendor: str = "Shop", by: Person = ANN, on: date = TODAY
) -> Request:
    """Return a request for one item."""
    items = (Item(what="thing", price=Decimal(price), receipt=receipt),)
    return Request(id="R-1", requester=by, vendor=vendor, purpose="work", bought_on=on, items=items)


def raw(**changes: Any) -> dict[str, Any]:
    """Return a request as it stands in a JSON file, with some entries changed."""
    return EXAMPLES["EX-105"] | changes


def office_in(folder: Path) -> Office:
    """Return an office that writes into `folder`, and whose clock stands."""
    return Office(outbox=folder, archive=folder / "rejected.jsonl", now=lambda: NOON)


def answer_to(request: object, folder: Path, number: int = 1) -> Answer:
    """Return what is answered to a request."""
    return Desk(graph=GRAPH, office=office_in(folder)).hand_in(number, request)


def outcome_of(request: object, folder: Path) -> Outcome:
    """Return what becomes of a request."""
    return answer_to(request, folder).result.unwrap()


def refusal_of(request: object, folder: Path) -> GraphRunnerException:
    """Return why a request can not be dealt with."""
    return answer_to(request, folder).result.failure()


def letter_in(path: Path) -> EmailMessage:
    """Read a mail from its file."""
    letter = message_from_bytes(path.read_bytes(), policy=default)
    assert isinstance(letter, EmailMessage)
    return letter


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the sample as a program, from the root of the checkout."""
    command = [sys.executable, "-X", "utf8", "-m", "samples.approval_workflow", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - our own program


class TestRules:
    @pytest.mark.parametrize(
        ("request_", "decision", "reasons"),
        [
            (request_of("250"), APPROVED, ["250.00 EUR is within 250.00 EUR"]),
            (request_of("250.01"), PENDING, ["Lena Ortiz has to be asked for 250.01 EUR"]),
            (request_of("1000"), PENDING, ["Lena Ortiz has to be asked for 1,000.00 EUR"]),
            (request_of("1000.01"), PENDING, ["Jonas Weber has to be asked for 1,000.01 EUR"]),
            (request_of("10000.01"), REJECTED, ["nobody may approve 10,000.01 EUR"]),
            (request_of("300", by=LENA), PENDING, ["Jonas Weber has to be asked for 300.00 EUR"]),
            (request_of("2000", by=JONAS), REJECTED, ["nobody may approve 2,000.00 EUR"]),
            (request_of("24.99", receipt=None), APPROVED, ["24.99 EUR is within 250.00 EUR"]),
            (request_of("25", receipt=""), REJECTED, ["no receipt for thing, 25.00 EUR"]),
            (request_of(vendor="LUXE Lounge"), REJECTED, ["nothing is paid to LUXE Lounge"]),
            (request_of(on=date(2025, 1, 1)), APPROVED, ["10.00 EUR is within 250.00 EUR"]),
            (request_of(on=date(2024, 12, 31)), REJECTED, ["the books are closed until 2024-12-31"]),
        ],
        ids=[
            "limit",
            "above",
            "first-approver",
            "second-approver",
            "nobody",
            "own",
            "own-of-the-last",
            "small-without-receipt",
            "receipt",
            "vendor",
            "open-books",
            "closed-books",
        ],
    )
    def test_decision(self, tmp_path: Path, request_: Request, decision: Decision, reasons: list[str]) -> None:
        """Each rule at its limit, and just beyond it."""
        outcome = outcome_of(request_, tmp_path)
        assert (outcome.decision, outcome.reasons) == (decision, tuple(reasons))

    def test_all_objections_are_told(self, tmp_path: Path) -> None:
        """Whoever is rejected hears every reason at once."""
        reasons = ("nothing is paid to Giftcard Planet", "the books are closed until 2024-12-31")
        assert outcome_of(EXAMPLES["EX-106"], tmp_path).reasons == reasons

    def test_nobody_approves_what_they_ask_for(self) -> None:
        """However the address is written."""
        lena = attrs.evolve(LENA, email=LENA.email.title())
        assert approver_of(request_of(by=lena), Decimal(10), POLICY) == JONAS

    def test_cents_add_up(self) -> None:
        """Amounts are exact."""
        item = Item(what="thing", price=Decimal("0.10"))
        assert attrs.evolve(request_of(), items=(item,) * 3).amount == Decimal("0.30")

    def test_an_office_is_needed(self) -> None:
        """A run without one is refused before anything is decided."""
        error = build().try_invoke({"request": request_of()}).failure()
        assert error.code == "invalid_context"


class TestGraph:
    @pytest.mark.parametrize(
        ("example", "last"),
        [
            ("EX-101", ["send_email", END]),
            ("EX-103", ["ask_approver"]),
            ("EX-105", ["archive_record", END]),
        ],
        ids=["approved", "pending", "rejected"],
    )
    def test_way(self, tmp_path: Path, example: str, last: list[str]) -> None:
        """Each decision has its own way to the end; what waits for a person stands where they are asked."""
        request: Any = EXAMPLES[example]
        outputs = GRAPH.stream({"request": request}, RunnableConfig(context=office_in(tmp_path)))
        assert [output.node for output in outputs] == [START, "prepare", "decide", *last]

    def test_a_run_gives_the_outcome(self, tmp_path: Path) -> None:
        """The state at the end has the keys of the output schema and no others."""
        state = GRAPH.invoke({"request": request_of()}, RunnableConfig(context=office_in(tmp_path)))
        assert sorted(state) == ["amount", "decision", "reasons", "request", "written"]
        assert state.view() == Outcome(
            request=request_of(),
            amount=Decimal(10),
            decision=APPROVED,
            reasons=("10.00 EUR is within 250.00 EUR",),
            written=tmp_path / "R-1.eml",
        )

    def test_json_and_objects_are_the_same(self, tmp_path: Path) -> None:
        """A request of a file becomes the record, with its date, its amounts and its tuple."""
        request = outcome_of(EXAMPLES["EX-105"], tmp_path).request
        assert request == Request(
            id="EX-105",
            requester=Person(name="Mei Lin", email="mei.lin@northwind.example"),
            vendor="Hansa Taxi",
            purpose="airport and back",
            bought_on=date(2025, 3, 18),
            items=(
                Item(what="taxi to the airport", price=Decimal("41.20"), receipt="taxi-1.jpg"),
                Item(what="taxi back", price=Decimal("43.60")),
            ),
        )
        assert outcome_of(request, tmp_path) == outcome_of(EXAMPLES["EX-105"], tmp_path)

    def test_context_is_needed(self) -> None:
        """A run without an office is refused before anything runs; the error names what it lacks."""
        with pytest.raises(GraphRunnerException, match=r"\$\.outbox.*\$\.archive") as refused:
            GRAPH.invoke({"request": request_of()})
        assert (refused.value.code, refused.value.node_id) == ("invalid_context", None)

    @given(st.decimals("0.01", "20000", places=2), st.booleans(), st.sampled_from([ANN, LENA, JONAS]))
    def test_any_request(self, price: Decimal, has_receipt: bool, person: Person) -> None:  # noqa: FBT001 - drawn
        """Every request is decided on with a reason, whoever asks for however much."""
        request = request_of(str(price), receipt="r" if has_receipt else None, by=person)
        seen = Case(request=request, amount=request.amount, approver=approver_of(request, request.amount, POLICY))
        decided = decide(seen, RunnableConfig(context=office_in(Path("nowhere"))))
        assert decided.reasons
        assert (decided.decision is APPROVED) == (price <= 250 and (has_receipt or price < 25))


class TestDoor:
    def test_all_problems_at_once(self, tmp_path: Path) -> None:
        """The malformed example is refused with every problem and its path, before anything runs."""
        refused = refusal_of(EXAMPLES["EX-108"], tmp_path)
        assert (refused.code, refused.node_id) == ("invalid_inputs", None)
        assert str(refused).removeprefix("the inputs of the run do not fit: ").split("; ") == [
            "unknown key 'purpos' @ $.request, did you mean 'purpose'?",
            "unknown key 'e-mail' @ $.request.requester, did you mean 'email'?",
            "required key missing @ $.request.requester.email",
            "expected str @ $.request.vendor, not int 4711",
            "required key missing @ $.request.purpose",
            "expected date @ $.request.bought_on, not str '20.03.2025'",
            "expected Decimal @ $.request.items[0].price, not str 'about 150'",
            "expected Decimal @ $.request.items[1].price, not bool True",
        ]
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("wrong", "problem"),
        [
            (None, "expected Request @ $.request, not None"),
            ("EX-1", "expected Request @ $.request, not str 'EX-1'"),
            (raw(id="../EX"), "an id is 1 to 40 letters, digits and hyphens, not '../EX' @ $.request"),
            (raw(id="x" * 41), "an id is 1 to 40 letters"),
            (raw(purpose="a\nBcc: b@c.example"), "purpose is one line of at most 100 letters"),
            (raw(purpose=" "), "purpose is one line"),
            (raw(vendor="x" * 101), "vendor is one line"),
            (raw(items=[]), "Length of 'items' must be >= 1"),
            (raw(requester={"name": "\ud800", "email": "a@b.example"}), "name is one line"),
            (raw(requester={"name": "A", "email": "a@b.example, c@d.example"}), "a mail address looks like"),
            (raw(requester={"name": "A", "email": "a@b"}), "'a@b' @ $.request.requester"),
            (raw(items=[{"what": "x", "price": "0"}]), "in whole cents, not 0 @ $.request.items[0]"),
            (raw(items=[{"what": "x", "price": -1}]), "a price is more than 0"),
            (raw(items=[{"what": "x", "price": "NaN"}]), "a price is more than 0"),
            (raw(items=[{"what": "x", "price": "1e999999"}]), "a price is more than 0"),
            (raw(items=[{"what": "x", "price": "0.005"}]), "a price is more than 0"),
            (raw(items=[{"what": "x", "price": 0.5}]), "expected Decimal @ $.request.items[0].price, not float 0.5"),
        ],
        ids=lambda value: None if isinstance(value, dict) else ascii(value),
    )
    def test_is_refused(self, tmp_path: Path, wrong: object, problem: str) -> None:
        """What can not be a request is told, and nothing is written."""
        refused = refusal_of(wrong, tmp_path)
        assert refused.code == "invalid_inputs"
        assert problem in str(refused)
        assert list(tmp_path.iterdir()) == []


class TestMail:
    def test_letter(self, tmp_path: Path) -> None:
        """The approved hear what they get for what, from whom and why."""
        path = outcome_of(EXAMPLES["EX-101"], tmp_path).written
        assert path == tmp_path / "EX-101.eml"
        letter = letter_in(tmp_path / "EX-101.eml")
        assert letter["From"] == "Northwind approvals <approvals@northwind.example>"
        assert letter["To"] == "Ada Brandt <ada.brandt@northwind.example>"
        assert letter["Subject"] == "EX-101: 228.30 EUR approved"
        assert letter["Date"].datetime == NOON
        assert letter.get_content().replace("\r\n", "\n") == (
            "Dear Ada Brandt,\n"
            "\n"
            "you will be paid what you have bought from Deutsche Bahn on 2025-03-11 (customer workshop in Munich):\n"
            "\n"
            "        129.80 EUR  return ticket Hamburg-Munich\n"
            "         98.50 EUR  hotel, one night\n"
            "        228.30 EUR  in all\n"
            "\n"
            "Reason: 228.30 EUR is within 250.00 EUR.\n"
        )

    def test_letters_beyond_ascii(self, tmp_path: Path) -> None:
        """Names are whole when they arrive, and the file has only what a mail server takes."""
        path = outcome_of(EXAMPLES["EX-102"], tmp_path).written
        assert path is not None
        assert path.read_bytes().isascii()
        assert letter_in(path)["To"].addresses[0].display_name == "Tomás Ruiz"
        assert "Café Elbe" in letter_in(path).get_content()

    def test_nothing_is_told_twice(self, tmp_path: Path) -> None:
        """A second request of one id fails at its node, and the first mail stays as it is."""
        outcome_of(request_of("1"), tmp_path)
        failed = refusal_of(request_of("2"), tmp_path)
        assert (failed.code, failed.node_id) == ("execution_error", "send_email")
        assert isinstance(failed.__cause__, FileExistsError)
        assert letter_in(tmp_path / "R-1.eml")["Subject"] == "R-1: 1.00 EUR approved"

    def test_without_a_decision_for_it_nothing_is_written(self, tmp_path: Path) -> None:
        """What waits for a person leaves no trace."""
        assert outcome_of(EXAMPLES["EX-103"], tmp_path).written is None
        assert list(tmp_path.iterdir()) == []


class TestArchive:
    def test_a_line_for_each(self, tmp_path: Path) -> None:
        """What is rejected is appended to the archive, a JSON object to a line."""
        for example in ("EX-105", "EX-107"):
            assert outcome_of(EXAMPLES[example], tmp_path).written == tmp_path / "rejected.jsonl"
        lines = (tmp_path / "rejected.jsonl").read_text(encoding="utf-8").splitlines()
        common = {"at": "2025-04-01T12:00:00+00:00", "requester": "mei.lin@northwind.example"}
        assert [json.loads(line) for line in lines] == [
            {
                **common,
                "id": "EX-105",
                "vendor": "Hansa Taxi",
                "amount": "84.80",
                "reasons": ["no receipt for taxi back, 43.60 EUR"],
            },
            {
                **common,
                "id": "EX-107",
                "vendor": "Rechenwerk AG",
                "amount": "18400.00",
                "reasons": ["nobody may approve 18,400.00 EUR"],
            },
        ]

    def test_that_can_not_be_written(self, tmp_path: Path) -> None:
        """The error names the node, and what went wrong."""
        office = attrs.evolve(office_in(tmp_path), archive=tmp_path)
        failed = Desk(graph=GRAPH, office=office).hand_in(1, EXAMPLES["EX-105"]).result.failure()
        assert failed.node_id == "archive_record"
        assert isinstance(failed.__cause__, IsADirectoryError)


class TestReport:
    def test_of_the_examples(self, tmp_path: Path) -> None:
        """A row for each decision, then what was refused with all its problems, what is asked, and the totals."""
        requests = EXAMPLES.values()
        text = render([answer_to(one, tmp_path, number) for number, one in enumerate(requests, 1)])
        assert text == (
            "id      requester     amount         decision  reasons\n"
            "------  ------------  -------------  --------  " + "-" * 73 + "\n"
            "EX-101  Ada Brandt       228.30 EUR  approved  228.30 EUR is within 250.00 EUR\n"
            "EX-102  Tomás Ruiz        18.90 EUR  approved  18.90 EUR is within 250.00 EUR\n"
            "EX-103  Ada Brandt       303.95 EUR  pending   Lena Ortiz has to be asked for 303.95 EUR\n"
            "EX-104  Lena Ortiz       640.00 EUR  pending   Jonas Weber has to be asked for 640.00 EUR\n"
            "EX-105  Mei Lin           84.80 EUR  rejected  no receipt for taxi back, 43.60 EUR\n"
            "EX-106  Oskar Nilsen     200.00 EUR  rejected  nothing is paid to Giftcard Planet; "
            "the books are closed until 2024-12-31\n"
            "EX-107  Mei Lin       18,400.00 EUR  rejected  nobody may approve 18,400.00 EUR\n"
            "\n"
            "no. 8, EX-108: refused, nothing was run\n"
            "  the inputs of the run do not fit: unknown key 'purpos' @ $.request, did you mean 'purpose'?\n"
            "  unknown key 'e-mail' @ $.request.requester, did you mean 'email'?\n"
            "  required key missing @ $.request.requester.email\n"
            "  expected str @ $.request.vendor, not int 4711\n"
            "  required key missing @ $.request.purpose\n"
            "  expected date @ $.request.bought_on, not str '20.03.2025'\n"
            "  expected Decimal @ $.request.items[0].price, not str 'about 150'\n"
            "  expected Decimal @ $.request.items[1].price, not bool True\n"
            "\n"
            "EX-103 waits for Lena Ortiz: 303.95 EUR is more than 250.00 EUR\n"
            "  Ada Brandt has bought from Büro & Technik GmbH (second desk): "
            "docking station (219.00 EUR, inv-88012.pdf), monitor arm (84.95 EUR, inv-88012.pdf)\n"
            "EX-104 waits for Jonas Weber: 640.00 EUR is more than 250.00 EUR\n"
            "  Lena Ortiz has bought from PyCon DE (conference): conference ticket (640.00 EUR, pycon-512.pdf)\n"
            "\n"
            "8 requests: 2 approved, 3 rejected, 2 pending, 1 refused, 0 failed"
        )

    def test_of_nothing(self) -> None:
        """No requests are a report, too."""
        totals = "0 requests: 0 approved, 0 rejected, 0 pending, 0 refused, 0 failed"
        assert render([]) == f"Nothing to decide.\n\n{totals}"

    @pytest.mark.parametrize(
        ("wrong", "title"),
        [(7, "no. 1"), ({}, "no. 1"), ({"id": "a\x1b[2J"}, "no. 1, a?[2J"), ({"id": None}, "no. 1, None")],
        ids=str,
    )
    def test_of_whatever_was_given(self, tmp_path: Path, wrong: object, title: str) -> None:
        """What was refused is called by its number, and by its id if it has one."""
        text = render([answer_to(wrong, tmp_path)])
        assert f"\n{title}: refused, nothing was run\n  the inputs of the run do not fit: " in text
        assert text.isascii()


class TestCommandLine:
    def test_examples(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """The examples go every way; that one of them is malformed is no error of the caller's."""
        assert main(["--outbox", str(tmp_path / "new" / "outbox")]) == 0
        *_, totals, place = capsys.readouterr().out.splitlines()
        assert totals == "8 requests: 2 approved, 3 rejected, 2 pending, 1 refused, 0 failed"
        outbox = tmp_path / "new" / "outbox"
        assert place == f"Mail is in {outbox}, what was rejected in {outbox / 'rejected.jsonl'}"
        assert sorted(path.name for path in outbox.iterdir()) == ["EX-101.eml", "EX-102.eml", "rejected.jsonl"]

    def test_places(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Mail and archive go where they are told to, the archive of an earlier run is kept."""
        archive = tmp_path / "all.jsonl"
        for name in ("a", "b"):
            assert main(["--outbox", str(tmp_path / name), "--archive", str(archive)]) == 0
        assert len(archive.read_text(encoding="utf-8").splitlines()) == 6
        assert f"what was rejected in {archive}\n" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("requests", "code", "totals"),
        [
            ([], 0, "0 requests: 0 approved, 0 rejected, 0 pending, 0 refused, 0 failed"),
            (["EX-102", "EX-105"], 0, "2 requests: 1 approved, 1 rejected, 0 pending, 0 refused, 0 failed"),
            (["EX-102", "EX-108"], 1, "2 requests: 1 approved, 0 rejected, 0 pending, 1 refused, 0 failed"),
            (["EX-102", "EX-102"], 1, "2 requests: 1 approved, 0 rejected, 0 pending, 0 refused, 1 failed"),
        ],
        ids=["none", "fine", "refused", "failed"],
    )
    def test_a_file(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], requests: list[str], code: int, totals: str
    ) -> None:
        """The requests of a file are decided on; 1 says that some were not."""
        file = tmp_path / "requests.json"
        file.write_text(json.dumps([EXAMPLES[id_] for id_ in requests], default=str), encoding="utf-8-sig")
        assert main([str(file), "--outbox", str(tmp_path / "outbox")]) == code
        assert f"\n{totals}\n" in capsys.readouterr().out

    def test_a_failure_is_told(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A request that was told before is shown with its node and the reason."""
        assert main(["--outbox", str(tmp_path)]) == 0
        assert main(["--outbox", str(tmp_path)]) == 1
        failed = "no. 1, EX-101: failed on the way\n  node 'send_email' failed: FileExistsError: "
        assert failed in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (None, "can not be read: No such file or directory"),
            (b"", "holds no JSON: Expecting value"),
            (b"[1,", "holds no JSON: Expecting value: line 1 column 4"),
            (b"\xff\xfe", "holds no JSON: 'utf-8' codec can't decode"),
            (b"[" * 200_000, "holds no JSON: "),
            (b"[" + b"1" * 5000 + b"]", "holds no JSON: Exceeds the limit"),
            (b"[1e9999999999999999999]", "holds no JSON: "),
            (b'{"id": "EX-1"}', "must hold a list of requests, not a dict"),
        ],
        ids=["missing", "empty", "broken", "binary", "deep", "long", "huge", "object"],
    )
    def test_bad_file(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, reason: str
    ) -> None:
        """A file that holds no list of JSON ends with code 2 and says why."""
        file = tmp_path / "requests.json"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(SystemExit) as stopped:
            main([str(file)])
        assert stopped.value.code == 2
        assert reason in capsys.readouterr().err

    @pytest.mark.parametrize("option", ["--outbox", "--archive"])
    @pytest.mark.parametrize("place", ["file/below", "nul\0"], ids=ascii)
    def test_bad_place(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, place: str) -> None:
        """A place where nothing can be written ends with code 2 and says why."""
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(SystemExit) as stopped:
            main([option, str(tmp_path / place)])
        assert stopped.value.code == 2
        assert option in capsys.readouterr().err

    def test_as_a_program(self) -> None:
        """Run as a module it shows the examples, and leaves the mail in a folder that it names."""
        ended = run()
        assert (ended.returncode, ended.stderr.partition(",")[0]) == (0, "2 requests wait for a person")
        outbox = Path(ended.stdout.splitlines()[-1].removeprefix("Mail is in ").partition(",")[0])
        assert letter_in(outbox / "EX-101.eml")["Subject"] == "EX-101: 228.30 EUR approved"

    def test_help(self) -> None:
        """It is told what a run takes, and how it ends."""
        ended = run("--help")
        assert ended.returncode == 0
        assert "Exits with 1 if a request of FILE was refused" in ended.stdout


def test_the_example_succeeds_without_its_malformed_one(tmp_path: Path) -> None:
    """All but one of the examples are well-formed."""
    results = {id_: answer_to(request, tmp_path).result for id_, request in EXAMPLES.items()}
    assert [id_ for id_, result in results.items() if not isinstance(result, Success)] == ["EX-108"]
