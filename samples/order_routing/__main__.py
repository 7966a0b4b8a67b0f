"""Command line: `python -m samples.order_routing [--order ID]... [--at-once COUNT] [--json]`."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Final

from samples.order_routing.examples import ORDERS, SERVICES
from samples.order_routing.graph import build, outputs_of, run_config
from samples.order_routing.order import Order
from samples.order_routing.story import Story, story_of, summary
from samples.shared.terminal import show

AT_ONCE: Final = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Send orders through the graph and tell what happened; return the exit code.

    An order that is not there, or a number that is none, exits with 2 and says why.
    """
    options = _parser().parse_args(argv)
    orders: Sequence[Order] = options.orders or tuple(ORDERS.values())
    graph, config = build(), run_config(SERVICES, options.at_once)
    stories = [story_of(order, outputs_of(graph, order, config)) for order in orders]
    show(_json(stories) if options.json else "\n\n".join((*map(str, stories), summary(stories))))
    return 0


def _json(stories: Sequence[Story]) -> str:
    return json.dumps([story.to_json() for story in stories], indent=2)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m samples.order_routing",
        description="Ask credit, stock and customs about each order at the same time, and decide by what they say.",
    )
    parser.add_argument(
        "--order", dest="orders", action="append", type=_order, metavar="ID", help=f"one of {', '.join(ORDERS)}"
    )
    parser.add_argument(
        "--at-once",
        type=_count,
        default=AT_ONCE,
        metavar="COUNT",
        help="how many may be asked at once, default %(default)s",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _order(text: str) -> Order:
    if text not in ORDERS:
        raise argparse.ArgumentTypeError(f"there is no order {text!r}; there are {', '.join(ORDERS)}")
    return ORDERS[text]


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a count is a whole number from 1, not {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
