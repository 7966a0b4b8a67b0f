"""Command line: `python -m samples.order_routing [--order ID]... [--answer QUESTION=ANSWER]... [--decide ANSWER]`.

What nobody answers stays open, and is told with its name, by which `--answer` answers it; `--decide` answers all.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from samples.order_routing.asking import Question
from samples.order_routing.examples import ORDERS, SERVICES
from samples.order_routing.graph import build, outputs_of, run_config
from samples.order_routing.order import Order
from samples.order_routing.story import Story, story_of, summary
from samples.order_routing.verdict import Answer
from samples.shared.terminal import show

AT_ONCE: Final = 3
_ANSWERS: Final = {answer.value: answer for answer in Answer}


def main(argv: Sequence[str] | None = None) -> int:
    """Send orders through the graph and tell what happened; return the exit code.

    An order or question that is not there, an answer or a number that is none, exits with 2 and says why.
    """
    parser = _parser()
    options = parser.parse_args(argv)
    orders: Sequence[Order] = options.orders or tuple(ORDERS.values())
    answers: dict[str, Answer] = dict(options.answers)
    others: Answer | None = options.decide

    def person(question: Question) -> Answer | None:
        return answers.get(question.name, others)

    graph, config = build(), run_config(SERVICES, options.at_once)
    stories = [story_of(order, outputs_of(graph, order, config, person)) for order in orders]
    asked = [question.name for story in stories for question in story.asked]
    for name in answers:
        if name not in asked:
            parser.error(f"--answer: nobody asks {name!r}; asked is {', '.join(asked) or 'nothing'}")
    show(_json(stories) if options.json else "\n\n".join((*map(str, stories), *_end(stories))))
    return 0


def _json(stories: Sequence[Story]) -> str:
    return json.dumps([story.to_json() for story in stories], indent=2)


def _end(stories: Sequence[Story]) -> Iterator[str]:
    questions = [question for story in stories for question in story.open]
    if questions:
        heading = f"Open; answer with --answer {questions[0].name}=yes (or no, or unclear), or all with --decide yes:"
        yield "\n  ".join((heading, *map(str, questions)))
    yield summary(stories)


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
    person = parser.add_argument_group(f"what a person says where a branch can not tell: {', '.join(_ANSWERS)}")
    person.add_argument(
        "--answer",
        dest="answers",
        action="append",
        type=_answer,
        default=[],
        metavar="QUESTION=ANSWER",
        help="answer one question, such as no-papers/customs=yes; may be repeated, the last one counts",
    )
    person.add_argument(
        "--decide", type=_word, metavar="ANSWER", help="answer all other questions; without it they stay open"
    )
    return parser


def _order(text: str) -> Order:
    if text not in ORDERS:
        raise argparse.ArgumentTypeError(f"there is no order {text!r}; there are {', '.join(ORDERS)}")
    return ORDERS[text]


def _answer(text: str) -> tuple[str, Answer]:
    name, _, word = text.rpartition("=")
    return name, _word(word)


def _word(text: str) -> Answer:
    if text not in _ANSWERS:
        raise argparse.ArgumentTypeError(f"an answer is one of {', '.join(_ANSWERS)}, not {text!r}")
    return _ANSWERS[text]


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a count is a whole number from 1, not {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
