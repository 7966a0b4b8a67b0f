"""Command line: `python -m samples.travel_planner [REQUEST] [--threshold SCORE] [--max-revisions COUNT]`."""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from samples.travel_planner.graph import plan
from samples.travel_planner.policy import Policy
from samples.travel_planner.show import describe

DEFAULT_REQUEST: Final = "A cheap weekend in Lisbon"


def main(argv: Sequence[str] | None = None) -> int:
    """Plan, show the loop as it goes and the plan at the end; return the exit code.

    A threshold that is no score, or a negative number of revisions, exits with 2 and says why.
    """
    options = _parser().parse_args(argv)
    text = ""
    for output in plan(options.request, Policy(threshold=options.threshold, max_revisions=options.max_revisions)):
        print(describe(output), flush=True)
        if output.state is not None:
            text = output.state["plan"]
    print(f"\n{text}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m samples.travel_planner",
        description="Draft a travel plan, judge it, and revise it until it is good enough.",
    )
    parser.add_argument("request", nargs="?", default=DEFAULT_REQUEST, help="default: %(default)s")
    parser.add_argument(
        "--threshold", type=_score, default=Policy().threshold, metavar="SCORE", help="from 0 to 1, default %(default)s"
    )
    parser.add_argument(
        "--max-revisions", type=_count, default=Policy().max_revisions, metavar="COUNT", help="default %(default)s"
    )
    return parser


def _score(text: str) -> float:
    score = float(text)
    if not 0.0 <= score <= 1.0:
        raise argparse.ArgumentTypeError(f"a score is from 0 to 1, not {text}")
    return score


def _count(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError(f"a number of revisions is 0 or more, not {text}")
    return count


if __name__ == "__main__":
    sys.exit(main())
