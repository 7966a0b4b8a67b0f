"""The order routing: its decisions, its stories, its parallel branches, and its command line."""

import json
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import END, START, GraphRunnerException, NodeOutput, RunnableConfig, StateGraph
from samples.order_routing import nodes
from samples.order_routing.__main__ import AT_ONCE, main
from samples.order_routing.case import Case
from samples.order_routing.examples import ORDERS, SERVICES
from samples.order_routing.graph import CONFIG, Person, build, nobody, outputs_of, run_config
from samples.order_routing.order import Order
from samples.order_routing.services import Services, Shelf
from samples.order_routing.story import Story, story_of
from samples.order_routing.verdict import Answer, Decision, Outcome, Verdict, decide_by

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
"""Seconds after which a wait is given up; no test waits so long if it passes."""
GRAPH = build()
APPROVE, REJECT, MANUAL = Outcome
YES, NO, UNCLEAR = (Verdict(answer, answer.value) for answer in Answer)

each_order = pytest.mark.parametrize("order", ORDERS.values(), ids=list(ORDERS))


def routed(
    order: Order, services: Services = SERVICES, at_once: int | None = None, person: Person = nobody
) -> list[NodeOutput]:
    """Return what happened to `order`, in order."""
    return outputs_of(GRAPH, order, run_config(services, at_once), person)


def told(order: Order, services: Services = SERVICES, at_once: int | None = None, person: Person = nobody) -> Story:
    """Return the story of `order`."""
    return story_of(order, routed(order, services, at_once, person))


def unsure(question: object) -> Answer:
    """Answer as somebody does who can not tell either."""
    return Answer.UNCLEAR


def outcome_of(order: Order) -> Outcome:
    """Return what becomes of `order`."""
    decision = told(order).decision
    assert decision is not None
    return decision.outcome


def with_shelf(shelf: Shelf, max_tries: int) -> Services:
    """Return the services with another shelf of lamps, and another number of tries."""
    return attrs.evolve(SERVICES, shelves={"lamp": shelf}, max_tries=max_tries)


def nodes_of(story: Story) -> list[str]:
    """Return the nodes of a story."""
    return [line.node for line in story.lines]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the sample as a program, from the root of the checkout."""
    command = [sys.executable, "-m", "samples.order_routing", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own program


class TestDecision:
    @pytest.mark.parametrize(
        ("verdicts", "decision"),
        [
            ([], Decision(REJECT, ("nothing is ordered",))),
            ([YES, YES], Decision(APPROVE, ("yes", "yes"))),
            ([YES, UNCLEAR], Decision(MANUAL, ("unclear",))),
            ([UNCLEAR, NO, YES], Decision(REJECT, ("no",))),
            ([NO, NO], Decision(REJECT, ("no", "no"))),
        ],
        ids=["none", "yes", "unclear", "no", "two"],
    )
    def test_by_the_verdicts(self, verdicts: list[Verdict], decision: Decision) -> None:
        """A NO outweighs an UNCLEAR, and that a YES; the reasons are those that decided."""
        assert decide_by(verdicts) == decision

    @pytest.mark.parametrize(
        ("order_id", "outcome", "reasons"),
        [
            ("plain", APPROVE, ["80 EUR is within the limit of 500 EUR", "12 on the shelf, 2 ordered"]),
            ("too-dear", REJECT, ["120 EUR is more than the limit of 100 EUR"]),
            ("too-many", REJECT, ["3 on the shelf, 4 ordered"]),
            ("patience", APPROVE, ["540 EUR is within the limit of 9000 EUR", "40 on the shelf, 6 ordered"]),
            ("no-answer", MANUAL, ["the stock service was busy 4 times, a person says unclear"]),
            ("no-papers", MANUAL, ["the customs papers are missing, a person says unclear"]),
            ("no-tariff", MANUAL, ["relic has no customs tariff, a person says unclear"]),
            ("no-way", REJECT, ["300 EUR is more than the limit of 100 EUR", "nothing may be sent to XX"]),
            ("newcomer", MANUAL, ["nobody has set a credit limit for Dot, a person says unclear"]),
            ("nothing", REJECT, ["nothing is ordered"]),
        ],
        ids=str,
    )
    def test_of_the_examples(self, order_id: str, outcome: Outcome, reasons: list[str]) -> None:
        """Each example shows one way to its outcome; a person who is asked can not tell either."""
        assert told(ORDERS[order_id], person=unsure).decision == Decision(outcome, tuple(reasons))

    @pytest.mark.parametrize(("quantity", "outcome"), [(12, APPROVE), (13, REJECT)], ids=str)
    def test_the_last_one_on_the_shelf(self, quantity: int, outcome: Outcome) -> None:
        """All there are can be ordered, one more can not."""
        order = Order(id="o", customer="Ann", article="lamp", quantity=quantity, price=1)
        assert outcome_of(order) is outcome

    @pytest.mark.parametrize(("price", "outcome"), [(500, APPROVE), (501, REJECT)], ids=str)
    def test_the_last_euro_of_the_limit(self, price: int, outcome: Outcome) -> None:
        """The limit itself may be owed, one more euro may not."""
        order = Order(id="o", customer="Ann", article="lamp", quantity=1, price=price)
        assert outcome_of(order) is outcome

    def test_an_article_without_a_shelf(self) -> None:
        """What nobody has ever stored is not there."""
        order = Order(id="o", customer="Ann", article="moon", quantity=1, price=1)
        assert told(order).decision == Decision(REJECT, ("0 on the shelf, 1 ordered",))

    @pytest.mark.parametrize("wrong", [{"quantity": -1}, {"price": -1}, {"id": ""}, {"customer": ""}], ids=str)
    def test_order_is_checked(self, wrong: dict[str, Any]) -> None:
        """An order that makes no sense is refused when it is made."""
        right: dict[str, Any] = {"id": "o", "customer": "Ann", "article": "lamp", "quantity": 1, "price": 1}
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Order(**(right | wrong))


class TestRoutes:
    @each_order
    def test_who_is_asked(self, order: Order) -> None:
        """Customs is asked for exports only, nobody if nothing is ordered."""
        asked = {line.branch for line in told(order).lines} - {""}
        home = {"credit", "stock"} if order.quantity else set[str]()
        assert asked == (home | {"customs"} if order.is_export else home)

    @pytest.mark.parametrize("busy", range(6))
    def test_a_busy_stock_is_asked_again(self, busy: int) -> None:
        """Once more than it is busy, up to the number of tries; then a person is asked."""
        services = with_shelf(Shelf(99, busy=busy), max_tries=4)
        story = told(ORDERS["plain"], services, person=unsure)
        assert nodes_of(story).count("stock") == min(busy + 1, 4)
        assert story.outcome == (APPROVE if busy < 4 else MANUAL).value
        assert [question.name for question in story.asked] == (["plain/stock"] if busy >= 4 else [])

    def test_as_many_tries_as_allowed(self) -> None:
        """Far more tries than the engine's default limit of steps, if the services allow them."""
        story = told(ORDERS["plain"], with_shelf(Shelf(99, busy=499), max_tries=500))
        assert nodes_of(story).count("stock") == 500
        assert story.outcome == "approve"

    def test_short_branches_do_not_wait(self) -> None:
        """Customs goes on to the papers at step 3 while stock is still being asked, up to step 4."""
        steps = [(line.step, line.node) for line in told(ORDERS["export-slow"]).lines]
        assert (3, "papers") in steps
        assert (4, "stock") in steps

    def test_nothing_is_ordered(self) -> None:
        """An empty answer goes on where the branches would have come together."""
        assert nodes_of(told(ORDERS["nothing"])) == ["receive", "together", "decide", "reject"]

    def test_where_the_branches_come_together(self) -> None:
        """The region of the checks ends at the decision."""
        assert getattr(GRAPH.nodes["__PARALLEL__(receive)"], "convergence_id", None) == "decide"

    def test_services_are_needed(self) -> None:
        """A run without services is refused before anything runs."""
        with pytest.raises(GraphRunnerException, match=r"\$\.limits") as refused:
            outputs_of(GRAPH, ORDERS["plain"], RunnableConfig())
        assert (refused.value.code, refused.value.node_id) == ("invalid_context", None)

    def test_order_is_needed(self) -> None:
        """A run begins with an order, and knows nothing else yet."""
        wrong: Any = {"order": "plain", "credit": YES}
        with pytest.raises(GraphRunnerException) as refused:
            outputs_of(GRAPH, wrong["order"], run_config(SERVICES))
        assert str(refused.value).endswith("expected Order @ $.order, not str 'plain'")
        with pytest.raises(GraphRunnerException, match="unknown key 'credit'"):
            GRAPH.invoke(wrong, run_config(SERVICES))

    def test_nothing_is_decided_at_first(self) -> None:
        """A case that nobody has decided on has no outcome, and no story."""
        with pytest.raises(LookupError, match="nothing is decided"):
            nodes.outcome_of(Case(order=ORDERS["plain"]))
        with pytest.raises(LookupError, match="nothing is decided"):
            story_of(ORDERS["plain"], routed(ORDERS["plain"])[:1])


class TestParallel:
    def test_all_services_are_asked_at_the_same_time(self) -> None:
        """Each of the three waits until the others have been asked, too."""
        barrier = threading.Barrier(3)

        def before(service: str) -> None:
            barrier.wait(PATIENCE)

        services = attrs.evolve(SERVICES, before=before)
        assert told(ORDERS["export"], services).outcome == "approve"

    def test_a_slow_branch_holds_nobody_up(self) -> None:
        """Credit answers only after stock has been asked for the third time: the other branch does not wait for it."""
        third = threading.Event()
        questions: list[str] = []

        def before(service: str) -> None:
            questions.append(service)
            if service == "credit":
                assert third.wait(PATIENCE)
            elif questions.count("stock") == 3:
                third.set()

        services = attrs.evolve(SERVICES, before=before)
        assert told(ORDERS["patience"], services) == told(ORDERS["patience"])

    @each_order
    @pytest.mark.parametrize("at_once", [1, 2, AT_ONCE, None], ids=str)
    def test_the_story_is_the_same(self, order: Order, at_once: int | None) -> None:
        """However many are asked at once, the story is the same."""
        assert told(order, SERVICES, at_once, unsure) == told(order, person=unsure)

    def test_one_at_a_time(self) -> None:
        """With a limit of one the questions come one after the other, in one thread or another."""
        lock = threading.Lock()
        most = 0
        running = 0

        def before(service: str) -> None:
            nonlocal most, running
            with lock:
                running += 1
                most = max(most, running)
            with lock:
                running -= 1

        told(ORDERS["export-slow"], attrs.evolve(SERVICES, before=before), at_once=1)
        assert most == 1

    @each_order
    def test_no_branch_overwrites_another(self, order: Order) -> None:
        """Each key but the log is set by one branch; a run with `on_conflict="error"` would fail otherwise."""
        assert GRAPH.config.on_conflict == "error"
        setters: dict[str, set[tuple[int, ...]]] = {}
        for output in routed(order, person=unsure):
            for key in output.update if output.branch else ():
                setters.setdefault(key, set()).add(output.branch)
        asked = len(setters.pop("log", ()))
        assert asked in {0, 2, 3}
        assert all(len(branches) == 1 for branches in setters.values())

    def test_a_branch_that_would_overwrite_is_refused(self) -> None:
        """Two branches that set one key fail under the sample's settings; the error names both nodes."""
        graph = StateGraph().add_node("credit", nodes.credit).add_node("bank", nodes.credit)
        graph.add_edge(START, ["credit", "bank"]).add_edge(["credit", "bank"], END)
        with pytest.raises(GraphRunnerException, match=r"'credit'.*'bank'"):
            graph.compile(CONFIG).invoke({"order": ORDERS["plain"]}, run_config(SERVICES))

    @given(
        st.builds(
            Order,
            id=st.just("o"),
            customer=st.sampled_from(["Ann", "Ben", "Dot"]),
            article=st.sampled_from(["lamp", "chair", "mirror", "relic", "moon"]),
            quantity=st.integers(0, 50),
            price=st.integers(0, 600),
            country=st.sampled_from(["DE", "CH", "XX"]),
            has_papers=st.booleans(),
        ),
        st.sampled_from(Answer),
    )
    def test_any_order(self, order: Order, answer: Answer) -> None:
        """Every order gets an outcome, by as many verdicts as services were asked; a person says the same to all."""
        outputs = routed(order, person=lambda question: answer)
        story, last = story_of(order, outputs), outputs[-1].state
        assert last is not None
        assert nodes_of(story)[-1] == story.outcome
        said = [last[name] for name in ("credit", "stock", "customs") if last[name] is not None]
        assert story.decision == decide_by(said)


class TestStory:
    def test_for_people(self) -> None:
        """A line for each step, by step and branch; a branch is called after its first node."""
        assert str(told(ORDERS["export-slow"])) == (
            "export-slow: approve\n"
            "  1           receive    4 x chair for Cem (NO), 360 EUR\n"
            "  2  credit   credit     360 EUR is within the limit of 9000 EUR\n"
            "  2  stock    stock      try 1: busy\n"
            "  2  customs  customs    duty is 2 %\n"
            "  3  stock    stock      try 2: busy\n"
            "  3  customs  papers     the customs papers are there\n"
            "  4  stock    stock      try 3: answered\n"
            "  5  stock    shelf      40 on the shelf, 4 ordered\n"
            "  5           together   credit yes, stock yes, customs yes\n"
            "  6           decide     approve: 360 EUR is within the limit of 9000 EUR; 40 on the shelf, 4 ordered; "
            "the customs papers are there\n"
            "  7           approve    sent, with a bill for 360 EUR and 2 % duty"
        )

    def test_log_is_in_branch_order(self) -> None:
        """The merged log tells branch after branch, whoever was first."""
        last = routed(ORDERS["export-slow"])[-1].state
        assert last is not None
        assert last["log"][1:-2] == [
            "360 EUR is within the limit of 9000 EUR",
            "try 1: busy",
            "try 2: busy",
            "try 3: answered",
            "40 on the shelf, 4 ordered",
            "duty is 2 %",
            "the customs papers are there",
        ]


class TestCommandLine:
    def test_tells_all_examples(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Every example is told, and at the end how many had which outcome."""
        assert main([]) == 0
        *stories, _, end = capsys.readouterr().out.split("\n\n")
        assert stories == [str(told(order)) for order in ORDERS.values()]
        assert end == "13 orders: approve 4, reject 4, manual 0, open 5\n"

    def test_chosen_orders(self, capsys: pytest.CaptureFixture[str]) -> None:
        """The orders asked for are told, in the order in which they were named."""
        assert main(["--order", "nothing", "--order", "plain", "--at-once", "1"]) == 0
        stories = [str(told(ORDERS[order_id])) for order_id in ("nothing", "plain")]
        assert capsys.readouterr().out == "\n\n".join((*stories, "2 orders: approve 1, reject 1, manual 0, open 0\n"))

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Everything the text tells, for programs."""
        assert main(["--order", "nothing", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == [
            {
                "order": {
                    "id": "nothing",
                    "customer": "Ann",
                    "article": "lamp",
                    "quantity": 0,
                    "price": 40,
                    "country": "DE",
                    "has_papers": False,
                },
                "outcome": "reject",
                "reasons": ["nothing is ordered"],
                "steps": [
                    {"step": 1, "branch": None, "node": "receive", "told": "0 x lamp for Ann (DE), 0 EUR"},
                    {"step": 1, "branch": None, "node": "together", "told": "nobody was asked"},
                    {"step": 2, "branch": None, "node": "decide", "told": "reject: nothing is ordered"},
                    {"step": 3, "branch": None, "node": "reject", "told": "Ann is told why not"},
                ],
                "open": [],
            }
        ]

    def test_json_of_all_examples(self, capsys: pytest.CaptureFixture[str]) -> None:
        """All examples are in it, with their branches."""
        assert main(["--json"]) == 0
        stories = json.loads(capsys.readouterr().out)
        assert [story["order"]["id"] for story in stories] == list(ORDERS)
        assert Counter(story["outcome"] for story in stories) == {"approve": 4, "reject": 4, "open": 5}
        branches = {step["branch"] for story in stories for step in story["steps"]}
        assert branches == {None, "credit", "stock", "customs"}

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--order", "plane"], "there is no order 'plane'; there are plain, too-dear,"),
            (["--order", ""], "there is no order ''"),
            (["--order"], "expected one argument"),
            (["--at-once", "0"], "a count is a whole number from 1, not '0'"),
            (["--at-once", "-1"], "a count is a whole number from 1, not '-1'"),
            (["--at-once", "many"], "a count is a whole number from 1, not 'many'"),
            (["plain"], "unrecognized arguments: plain"),
        ],
        ids=["unknown", "empty", "missing", "zero", "negative", "word", "positional"],
    )
    def test_bad_options(self, capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str) -> None:
        """An option that makes no sense ends with code 2 and a reason."""
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert reason in capsys.readouterr().err

    def test_as_a_program(self) -> None:
        """Run as a module, twice, it tells the same."""
        ended = [run(), run()]
        assert [(one.returncode, one.stderr) for one in ended] == [(0, ""), (0, "")]
        assert ended[0].stdout == ended[1].stdout
        assert ended[0].stdout.startswith("plain: approve\n  1           receive    2 x lamp for Ann (DE), 80 EUR\n")

    def test_bad_option_as_a_program(self) -> None:
        """The error goes to stderr, without a traceback."""
        ended = run("--order", "plane")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "there is no order 'plane'" in ended.stderr
        assert "Traceback" not in ended.stderr
