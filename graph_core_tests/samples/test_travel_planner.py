"""The travel planner: its rules, its loop, and its command line."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import END, START, GraphRunnerException, OverAllState
from samples.travel_planner.__main__ import DEFAULT_REQUEST, main
from samples.travel_planner.attempt import NO_DRAFT, NOTHING_MISSING, Attempt, better, judge
from samples.travel_planner.graph import build, plan, run_config
from samples.travel_planner.guide import write_guide
from samples.travel_planner.nodes import draft
from samples.travel_planner.policy import CRITERIA, Criterion, Policy, at_most_words, mentions
from samples.travel_planner.state import PlanState
from samples.travel_planner.wish import Category, Topic, Wish, classify_request, read_wish

ROOT = Path(__file__).parents[2]
LISBON = "A cheap weekend in Lisbon"


def planned(request: str, policy: Policy) -> OverAllState[PlanState]:
    """Return the final state of a run."""
    return build().invoke({"request": request}, run_config(policy))


def nodes_of(request: str, policy: Policy) -> list[str]:
    """Return the nodes a run goes through."""
    return [output.node for output in plan(request, policy)]


class TestClassification:
    @pytest.mark.parametrize(
        ("request_text", "category"),
        [
            (LISBON, Category.BUDGET),
            ("A low-cost trip", Category.BUDGET),
            ("Rome for at most 300 euros", Category.BUDGET),
            ("The museums of Vienna", Category.ATTRACTION),
            ("Sightseeing in Prague", Category.ATTRACTION),
            ("Cheap museums", Category.BUDGET),
            ("Castles and museums, not too cheap", Category.ATTRACTION),
            ("Ten days in Japan", Category.GENERAL),
            ("", Category.GENERAL),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_category(self, request_text: str, category: Category) -> None:
        """The category with most signs wins, budget wins a tie, no sign makes it general."""
        assert classify_request(request_text) is category

    @pytest.mark.parametrize(
        ("request_text", "wish"),
        [
            (LISBON, Wish("Lisbon", 2, None)),
            ("Two weeks in Rio de Janeiro for 900 euros", Wish("Rio de Janeiro", 14, 900)),
            ("10 days around New Zealand, €2500", Wish("New Zealand", 10, 2500)),
            ("a week in the Azores in May", Wish("Azores", 7, None)),
            ("In May to Oslo", Wish("Oslo", 3, None)),
            ("a day in Évora", Wish("Évora", 1, None)),
            ("a weekend in lisbon", Wish("Lisbon", 2, None)),
            ("museums near prague", Wish("Prague", 3, None)),
            ("a week in may", Wish(None, 7, None)),
            ("somewhere warm in spring", Wish(None, 3, None)),
            ("", Wish(None, 3, None)),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_wish(self, request_text: str, wish: Wish) -> None:
        """Place, days and money are read from the words of the request."""
        assert read_wish(request_text) == wish

    @given(st.text())
    def test_any_request_is_read(self, request_text: str) -> None:
        """No request makes the rules fail."""
        guide = write_guide(classify_request(request_text), read_wish(request_text))
        assert guide.first in guide.lines

    @pytest.mark.parametrize(
        ("days", "line"),
        [(1, "Time: 1 day, 0 nights."), (2, "Time: 2 days, 1 night."), (7, "Time: 7 days, 6 nights.")],
        ids=str,
    )
    def test_guide_counts_in_words_that_fit(self, days: int, line: str) -> None:
        """One night is a night, two are nights."""
        assert write_guide(Category.GENERAL, Wish("Oslo", days, None)).lines[Topic.LENGTH] == line

    def test_guide_keeps_to_the_money_there_is(self) -> None:
        """The sum in the request is the cost, otherwise the category's daily sum."""
        costs = [write_guide(Category.BUDGET, Wish("Oslo", 2, euros)).lines[Topic.COST] for euros in (300, None)]
        assert costs == ["Cost: 300 euros for one, all in.", "Cost: 120 euros for one, all in."]


class TestJudging:
    def test_score_is_the_weight_of_what_is_met(self) -> None:
        """Three of ten points for the cost; the rest is the critique, the weightiest first."""
        attempt = judge("It costs 5 euros.", CRITERIA)
        assert attempt.score == 0.3
        assert attempt.critique == (
            "say how long it takes; say how to get about; say what to see when; have something for a wet day"
        )

    def test_nothing_missing(self) -> None:
        """A draft that meets all scores 1.0."""
        assert judge("short", [Criterion(Topic.BREVITY, 1, at_most_words(1), "-")]) == Attempt(
            "short", 1.0, NOTHING_MISSING
        )

    def test_no_draft(self) -> None:
        """No draft at all scores 0.0, with a critique."""
        assert judge(None, CRITERIA) == Attempt(None, 0.0, NO_DRAFT)

    def test_mentions_looks_at_beginnings_of_words(self) -> None:
        """`rain` is met by `Rainy`, not by `train`."""
        assert mentions("rain")("Rainy days")
        assert not mentions("rain")("by train")

    def test_the_earlier_of_equals_is_better(self) -> None:
        """A revision that gains nothing does not become the best."""
        first, second = Attempt("a", 0.5, "-"), Attempt("b", 0.5, "-")
        assert better(first, second) is first
        assert better(None, second) is second

    @pytest.mark.parametrize(
        "wrong",
        [{"threshold": 1.1}, {"threshold": -0.1}, {"threshold": float("nan")}, {"max_revisions": -1}, {"criteria": ()}],
        ids=str,
    )
    def test_policy_is_checked(self, wrong: dict[str, float]) -> None:
        """A policy that makes no sense is refused when it is made."""
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Policy(**wrong)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] - wrong on purpose


class TestLoop:
    @pytest.mark.parametrize(
        ("request_text", "node"),
        [(LISBON, "budget"), ("The sights of Rome", "attraction"), ("A trip to Oslo", "general")],
        ids=["budget", "attraction", "general"],
    )
    def test_route(self, request_text: str, node: str) -> None:
        """Each category has its own node on the way to the draft."""
        expected = [START, "classify", node, "draft", "evaluate", "finish", END]
        assert nodes_of(request_text, Policy(threshold=0.0)) == expected

    def test_revises_until_it_is_good_enough(self) -> None:
        """Each revision adds what the weightiest criterion asks for: 3, 5, 7, then 9 of 10 points."""
        state = planned(LISBON, Policy())
        history: list[Attempt] = state["history"]
        assert [attempt.score for attempt in history] == [0.3, 0.5, 0.7, 0.9]
        assert state["revisions"] == 3
        assert state["best"] is history[-1]
        assert [(attempt.draft or "").count("\n") for attempt in history] == [1, 2, 3, 4]

    @pytest.mark.parametrize(("threshold", "revisions"), [(0.3, 0), (0.31, 1), (0.5, 1), (0.7, 2), (0.9, 3)], ids=str)
    def test_score_at_the_threshold_finishes(self, threshold: float, revisions: int) -> None:
        """A score that equals the threshold is enough, one just below is not."""
        state = planned(LISBON, Policy(threshold=threshold, max_revisions=10))
        assert state["revisions"] == revisions

    def test_maximum_below_the_threshold_finishes_with_the_best(self) -> None:
        """When revisions make it worse, the best draft is in the plan, not the last."""
        short = Criterion(Topic.BREVITY, 5, at_most_words(20), "be brief")
        state = planned(LISBON, Policy(threshold=1.0, max_revisions=2, criteria=(short, *CRITERIA)))
        scores = [attempt.score for attempt in state["history"]]
        assert scores == [8 / 15, 10 / 15, 7 / 15]
        assert state["best"] is state["history"][1]
        assert state["plan"].startswith(state["best"].draft)
        assert state["plan"].endswith(
            "Score 0.67, needed 1.00; 2 revisions; "
            "say how to get about; say what to see when; have something for a wet day."
        )

    def test_a_criterion_nothing_can_be_written_for(self) -> None:
        """A revision that finds nothing to add leaves the draft, and the maximum ends the loop."""
        never = Criterion(Topic.BREVITY, 1, at_most_words(0), "write nothing")
        state = planned(LISBON, Policy(threshold=1.0, max_revisions=2, criteria=(never,)))
        assert len({attempt.draft for attempt in state["history"]}) == 1
        assert [attempt.score for attempt in state["history"]] == [0.0, 0.0, 0.0]
        assert state["plan"].endswith("Score 0.00, needed 1.00; 2 revisions; write nothing.")

    def test_no_draft_at_all(self) -> None:
        """A request without a place gives no draft: score 0.0, and the critique says why."""
        state = planned("Surprise me", Policy(max_revisions=0))
        assert state["history"] == [Attempt(None, 0.0, NO_DRAFT)]
        assert state["plan"] == f"No plan.\n\nScore 0.00, needed 0.80; 0 revisions; {NO_DRAFT}."

    def test_no_draft_is_revised_into_one(self) -> None:
        """The first revision writes about some town, the others go on as ever."""
        state = planned("Surprise me", Policy(max_revisions=2))
        assert [attempt.score for attempt in state["history"]] == [0.0, 0.2, 0.5]
        assert state["plan"].startswith("A trip to a town two hours away by rail.")

    def test_as_many_revisions_as_allowed(self) -> None:
        """Far more steps than the engine's default limit, if the policy allows them."""
        never = Criterion(Topic.BREVITY, 1, at_most_words(0), "write nothing")
        state = planned(LISBON, Policy(threshold=1.0, max_revisions=500, criteria=(never,)))
        assert state["revisions"] == 500
        assert len(state["history"]) == 501

    def test_same_request_same_plan(self) -> None:
        """Nothing in the planner is left to chance, and a run leaves nothing behind."""
        graph = build()
        states = [graph.invoke({"request": LISBON}, run_config(Policy())) for _ in range(2)]
        assert states[0] == states[1]

    def test_usual_policy(self) -> None:
        """A run without a policy goes by the usual one."""
        assert build().invoke({"request": LISBON}) == planned(LISBON, Policy())

    def test_request_is_needed(self) -> None:
        """A run begins with a request in words, and nothing else."""
        wrong: Any = {"request": 5, "drafts": []}
        with pytest.raises(GraphRunnerException) as refused:
            build().invoke(wrong)
        assert str(refused.value) == (
            "the inputs of the run do not fit: unknown key 'drafts' @ $; expected str @ $.request, not int 5"
        )

    def test_drafting_needs_a_guide(self) -> None:
        """Each node says what it lacks when it is called out of order."""
        with pytest.raises(LookupError, match="nothing is prepared"):
            draft(PlanState(request=LISBON))


class TestCommandLine:
    def test_shows_the_loop(self, capsys: pytest.CaptureFixture[str]) -> None:
        """One line per output, then the plan."""
        assert main(["The sights of Rome", "--threshold", "0.5"]) == 0
        assert capsys.readouterr().out == (
            "    __START__\n"
            "  1 classify   category attraction\n"
            "  2 attraction material: length, cost, way, sights, rain\n"
            "  3 draft      The best of Rome. Sights: the castle in the morning before the queues, "
            "the museums in the afternoon.\n"
            "  4 evaluate   score 0.20: say what it costs; say how long it takes; say how to get about; "
            "have something for a wet day\n"
            "  5 revise     revision 1, last line: Cost: 330 euros for one, all in.\n"
            "  6 evaluate   score 0.50: say how long it takes; say how to get about; have something for a wet day\n"
            "  7 finish\n"
            "    __END__\n"
            "\n"
            "The best of Rome.\n"
            "Sights: the castle in the morning before the queues, the museums in the afternoon.\n"
            "Cost: 330 euros for one, all in.\n"
            "\n"
            "Score 0.50, needed 0.50; 1 revision; "
            "say how long it takes; say how to get about; have something for a wet day.\n"
        )

    def test_no_draft_is_shown(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A request that names no place is shown as such."""
        assert main(["Surprise me", "--max-revisions", "0"]) == 0
        assert "  3 draft      nothing to write about\n" in capsys.readouterr().out

    def test_has_a_default_request(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Without arguments it plans something."""
        assert main([]) == 0
        assert "Lisbon for little money.\n" in capsys.readouterr().out
        assert classify_request(DEFAULT_REQUEST) is Category.BUDGET

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--threshold", "2"], "a score is from 0 to 1, not 2"),
            (["--threshold", "nan"], "a score is from 0 to 1, not nan"),
            (["--threshold", "good"], "invalid"),
            (["--max-revisions", "-1"], "a number of revisions is 0 or more, not -1"),
            (["--max-revisions", "1.5"], "invalid"),
        ],
        ids=["above", "nan", "word", "negative", "half"],
    )
    def test_bad_options(self, capsys: pytest.CaptureFixture[str], arguments: list[str], reason: str) -> None:
        """An option that makes no sense ends with code 2 and a reason."""
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert reason in capsys.readouterr().err

    def test_as_a_program(self) -> None:
        """Run as a module it ends well and prints the plan."""
        command = [sys.executable, "-m", "samples.travel_planner", LISBON, "--max-revisions", "1"]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "Score 0.50, needed 0.80; 1 revision; " in ended.stdout
