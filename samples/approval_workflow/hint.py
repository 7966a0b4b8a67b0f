"""How to answer what waits for a person."""

import argparse
import shlex
import sys
from collections.abc import Sequence

from samples.approval_workflow.answer import Answer
from samples.approval_workflow.options import PROGRAM


def hint(answers: Sequence[Answer], options: argparse.Namespace) -> str:
    """Return how to answer, with the commands as they can be typed; nothing if nobody has to."""
    waiting = [answer.waiting.question.id for answer in answers if answer.waiting is not None]
    if not waiting:
        return ""
    choice = f"--answer {waiting[0]}=yes"
    reason = f"(or {waiting[0]}=no:REASON)"
    count = "1 request waits" if len(waiting) == 1 else f"{len(waiting)} requests wait"
    if options.thread is None:
        return (
            f"{count} for a person, and nothing keeps them. Run it again with {choice} {reason}, with --ask,\n"
            "or with --thread NAME --db FILE, which keeps them until somebody answers."
        )
    command = _command(options)
    return (
        f"{count} for a person. In any process,\n"
        f"  to see them, and on a terminal to be asked:\n    {command}\n"
        f"  to answer one {reason}:\n    {command} {choice}"
    )


def _command(options: argparse.Namespace) -> str:
    given = {name: getattr(options, name) for name in ("thread", "db", "outbox", "archive")}
    words = [f"--{name}={value}" for name, value in given.items() if value is not None]
    return shlex.join([sys.executable, "-m", PROGRAM, *words])
