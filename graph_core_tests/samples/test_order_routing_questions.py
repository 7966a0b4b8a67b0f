"""What the order routing asks a person: in which branch, what the others do meanwhile, and how it is answered."""

import json
from collections.abc import Sequence

import attrs
import pytest

from samples.order_routing.__main__ import main
from samples.order_routing.asking import Question
from samples.order_routing.examples import ORDERS, SERVICES
from samples.order_routing.graph import Person, build, outputs_of, run_config
from samples.order_routing.services import Services
from samples.order_routing.story import Story, story_of
from samples.order_routing.verdict import Answer

GRAPH = build()
YES, NO, UNCLEAR = Answer
CREDIT = "nobody has set a credit limit for Dot"
PAPERS = "the customs papers are missing"
STOCK = "the stock service was busy 4 times"
THREAD = run_config(SERVICES).with_thread_id("stranger")


def told(order_id: str, person: Person, services: Services = SERVICES) -> Story:
    """Return the story of an order."""
    return story_of(ORDERS[order_id], outputs_of(GRAPH, ORDERS[order_id], run_config(services), person))


def one_by_one(names: Sequence[str]) -> Person:
    """Return a person who says yes to these questions, one in each pause, and leaves the others open."""
    left = list(names)

    def person(question: Question) -> Answer | None:
        if left and question.name == left[0]:
            left.pop(0)
            return YES
        return None

    return person


class TestRegion:
    def test_several_branches_ask_at_once(self) -> None:
        """Each of the three asks at its own node, after it has gone as far as it could."""
        result = build().run({"order": ORDERS["stranger"]}, THREAD)
        assert result.status == "interrupted"
        assert [(one.branch, one.node, one.step, one.payload) for one in result.interruptions] == [
            ((0,), "vouch", 3, Question("stranger", "credit", CREDIT)),
            ((1,), "no_answer", 6, Question("stranger", "stock", STOCK)),
            ((2,), "papers", 3, Question("stranger", "customs", PAPERS)),
        ]

    def test_the_other_branches_go_on(self) -> None:
        """Credit waits from step 3 on; stock is there at its shelf, and stands where the branches come together."""
        graph = build()
        graph.invoke({"order": ORDERS["newcomer"]}, THREAD)
        left = graph.get_state(THREAD)
        assert left is not None
        assert (left.status, left.next) == ("interrupted", ("vouch",))
        assert left.state["stock"].answer is YES

    def test_answered_in_part(self) -> None:
        """What is not answered goes on waiting under the same id, and nothing is asked twice."""
        graph = build()
        first = graph.run({"order": ORDERS["stranger"]}, THREAD).interruptions
        second = graph.run(None, THREAD.with_resume(answers={first[1].id: YES}))
        assert [one.id for one in second.interruptions] == [first[0].id, first[2].id]
        last = graph.run(None, THREAD.with_resume(answers={one.id: YES for one in second.interruptions}))
        assert last.status == "done"
        assert [verdict.answer for verdict in last.state.view().verdicts.values()] == [YES] * 3

    def test_what_is_no_answer_is_asked_again(self) -> None:
        """A word from elsewhere, which is no `Answer`, changes nothing."""
        graph = build()
        (first,) = graph.run({"order": ORDERS["newcomer"]}, THREAD).interruptions
        (second,) = graph.run(None, THREAD.with_resume("yes")).interruptions
        assert (first.payload, first.node) == (second.payload, second.node)
        assert graph.run(None, THREAD.with_resume(YES)).status == "done"

    def test_services_are_asked_once(self) -> None:
        """The node that asks a person runs again; those that have asked the services do not."""
        questions: list[str] = []
        told(
            "stranger",
            one_by_one(["stranger/stock", "stranger/credit"]),
            attrs.evolve(SERVICES, before=questions.append),
        )
        assert sorted(questions) == ["credit", "customs", "stock", "stock", "stock", "stock"]


class TestAnswers:
    @pytest.mark.parametrize(
        ("answer", "outcome"), [(YES, "approve"), (NO, "reject"), (UNCLEAR, "manual")], ids=["yes", "no", "unclear"]
    )
    @pytest.mark.parametrize("order_id", ["no-answer", "no-papers", "no-tariff", "newcomer", "stranger"])
    def test_decide(self, order_id: str, answer: Answer, outcome: str) -> None:
        """The answer is the verdict of the branch that has asked."""
        story = told(order_id, lambda question: answer)
        assert (story.outcome, story.open) == (outcome, ())

    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)], ids=str)
    def test_one_by_one_or_together(self, order: Sequence[int]) -> None:
        """In whatever order the answers come, the story is the same."""
        names = ["stranger/credit", "stranger/stock", "stranger/customs"]
        assert told("stranger", one_by_one([names[index] for index in order])) == told("stranger", lambda question: YES)

    def test_one_is_left_open(self) -> None:
        """Without it there is no decision, and the story tells what is open."""
        story = told("stranger", one_by_one(["stranger/credit", "stranger/stock"]))
        assert story.decision is None
        assert [str(question) for question in story.open] == [f"stranger/customs: {PAPERS}"]

    def test_what_is_clear_is_not_asked(self) -> None:
        """An order on which the services can tell everything asks nobody."""
        asked: list[Question] = []
        for order_id in ("plain", "too-dear", "export-slow", "no-way", "nothing"):
            told(order_id, asked.append)
        assert asked == []


class TestStory:
    def test_for_people(self) -> None:
        """A question is a line of its branch, ahead of the answer."""
        assert str(told("stranger", lambda question: NO if question.branch == "customs" else YES)) == (
            "stranger: reject\n"
            "  1           receive    2 x mirror for Dot (CH), 140 EUR\n"
            "  2  credit   credit     there is no limit\n"
            "  2  stock    stock      try 1: busy\n"
            "  2  customs  customs    there is no tariff\n"
            f"  3  credit   vouch      asks: {CREDIT}\n"
            f"  3  credit   vouch      {CREDIT}, a person says yes\n"
            "  3  stock    stock      try 2: busy\n"
            f"  3  customs  papers     asks: {PAPERS}\n"
            f"  3  customs  papers     {PAPERS}, a person says no\n"
            "  4  stock    stock      try 3: busy\n"
            "  5  stock    stock      try 4: busy\n"
            f"  6  stock    no_answer  asks: {STOCK}\n"
            f"  6  stock    no_answer  {STOCK}, a person says yes\n"
            "  6           together   credit yes, stock yes, customs no\n"
            f"  7           decide     reject: {PAPERS}, a person says no\n"
            "  8           reject     Dot is told why not"
        )

    def test_that_is_open(self) -> None:
        """It ends where the branches stand."""
        assert str(told("newcomer", lambda question: None)) == (
            "newcomer: open\n"
            "  1           receive    1 x lamp for Dot (DE), 40 EUR\n"
            "  2  credit   credit     there is no limit\n"
            "  2  stock    stock      try 1: answered\n"
            f"  3  credit   vouch      asks: {CREDIT}\n"
            "  3  stock    shelf      12 on the shelf, 1 ordered"
        )


class TestCommandLine:
    def test_open_questions(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Without an answer everything that is open is told, and how to answer it; that is no error."""
        assert main([]) == 0
        *_, questions, _ = capsys.readouterr().out.split("\n\n")
        assert questions == (
            "Open; answer with --answer no-answer/stock=yes (or no, or unclear), or all with --decide yes:\n"
            f"  no-answer/stock: {STOCK}\n"
            f"  no-papers/customs: {PAPERS}\n"
            "  no-tariff/customs: relic has no customs tariff\n"
            f"  newcomer/credit: {CREDIT}\n"
            f"  stranger/credit: {CREDIT}\n"
            f"  stranger/customs: {PAPERS}\n"
            f"  stranger/stock: {STOCK}"
        )

    @pytest.mark.parametrize(
        ("answer", "end"),
        [
            ("yes", "13 orders: approve 9, reject 4, manual 0, open 0"),
            ("no", "13 orders: approve 4, reject 9, manual 0, open 0"),
            ("unclear", "13 orders: approve 4, reject 4, manual 5, open 0"),
        ],
        ids=["yes", "no", "unclear"],
    )
    def test_decide(self, capsys: pytest.CaptureFixture[str], answer: str, end: str) -> None:
        """All questions are answered at once."""
        assert main(["--decide", answer]) == 0
        out = capsys.readouterr().out
        assert out.endswith(f"\n\n{end}\n")
        assert "Open;" not in out

    def test_answers(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Questions are answered by their names, the last answer to each counts, and the rest is left to --decide."""
        answers = [
            "--answer",
            "stranger/credit=no",
            "--answer",
            "stranger/credit=unclear",
            "--answer",
            "newcomer/credit=no",
        ]
        assert main(["--order", "stranger", "--order", "newcomer", *answers, "--decide", "yes"]) == 0
        out = capsys.readouterr().out
        assert out.startswith("stranger: manual\n")
        assert out.endswith("2 orders: approve 0, reject 1, manual 1, open 0\n")

    def test_answered_in_part(self, capsys: pytest.CaptureFixture[str]) -> None:
        """An order goes on when all that it asks is answered."""
        assert main(["--order", "stranger", "--answer", "stranger/customs=yes", "--at-once", "1"]) == 0
        *_, questions, end = capsys.readouterr().out.split("\n\n")
        assert questions.splitlines()[1:] == [f"  stranger/credit: {CREDIT}", f"  stranger/stock: {STOCK}"]
        assert end == "1 orders: approve 0, reject 0, manual 0, open 1\n"

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        """What is open is there for programs, too."""
        assert main(["--order", "newcomer", "--json"]) == 0
        (story,) = json.loads(capsys.readouterr().out)
        assert (story["outcome"], story["reasons"]) == ("open", [])
        assert story["open"] == [{"question": "newcomer/credit", "text": CREDIT}]
        assert {"step": 3, "branch": "credit", "node": "vouch", "told": f"asks: {CREDIT}"} in story["steps"]

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--answer", "newcomer/credit=maybe"], "an answer is one of yes, no, unclear, not 'maybe'"),
            (["--answer", "newcomer/credit"], "an answer is one of yes, no, unclear, not 'newcomer/credit'"),
            (["--answer", "plain/credit=yes"], "nobody asks 'plain/credit'; asked is no-answer/stock, no-papers"),
            (["--order", "plain", "--answer", "newcomer/credit=yes"], "'newcomer/credit'; asked is nothing"),
            (["--decide", "YES"], "an answer is one of yes, no, unclear, not 'YES'"),
        ],
        ids=["word", "no-word", "not-asked", "other-order", "decide"],
    )
    def test_bad_options(self, capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str) -> None:
        """An answer that is none, or that nobody waits for, ends with code 2 and a reason; no story is told."""
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert reason in err
