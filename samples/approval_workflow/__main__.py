"""Command line: `python -m samples.approval_workflow [FILE] [--answer ID=ANSWER]... [--thread NAME --db FILE]`.

On a terminal it asks about each request that rules can not decide; `--answer` answers without being asked. With
`--thread` and `--db` what is left for later waits in a file: the same command, in any process, asks again or answers.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from graph_core import BaseCheckpointSaver, DatabaseSaver, GraphRunnerException, InvalidRecordError, MemorySaver
from samples.approval_workflow import options as command_line
from samples.approval_workflow import settle
from samples.approval_workflow.batch import Batch, batch
from samples.approval_workflow.desk import Desk
from samples.approval_workflow.graph import build
from samples.approval_workflow.hint import hint
from samples.approval_workflow.office import Office
from samples.approval_workflow.prompt import Prompt, is_terminal, say
from samples.approval_workflow.report import render
from samples.approval_workflow.source import EXAMPLE, Source, read_source
from samples.shared.table import cell
from samples.shared.terminal import show

_STOPPED = 130
"""What shells tell of a program that Ctrl-C has ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Decide on requests, print what has become of them, and return the exit code."""
    parser = command_line.make_parser()
    options = parser.parse_args(argv)
    command_line.check(parser, options)
    try:
        with MemorySaver() if options.db is None else DatabaseSaver(Path(options.db).absolute()) as saver:
            return _decide(parser, options, saver)
    except KeyboardInterrupt:
        say("\nStopped." if options.thread is None else "\nStopped. The same command goes on where it was.")
        return _STOPPED
    except (GraphRunnerException, InvalidRecordError) as error:
        say(f"Thread {options.thread!r} can not go on: {error}")
        return 1


def _decide(parser: argparse.ArgumentParser, options: argparse.Namespace, saver: BaseCheckpointSaver) -> int:
    kept = None if options.thread is None else batch(options.thread, saver)
    source = _source(parser, options, kept)
    office = _office(parser, options)
    desk = Desk(graph=build(saver), office=office, batch=kept)
    answers = [desk.hand_in(number, request) for number, request in enumerate(source.requests, 1)]
    answers = settle.apply(desk, answers, dict(options.answers))
    if options.ask or (options.ask is None and not options.answers and is_terminal()):
        answers = settle.ask(desk, answers, Prompt(sys.stdin).ask)
    show(f"{render(answers)}\nMail is in {office.outbox}, what was rejected in {office.archive}")
    if text := hint(answers, options):
        say(text)
    is_example = options.requests is None and source == read_source(EXAMPLE)
    wrong = (answer.is_failed or answer.note or (answer.is_refused and not is_example) for answer in answers)
    return int(any(wrong))


def _source(parser: argparse.ArgumentParser, options: argparse.Namespace, kept: Batch | None) -> Source:
    """Return the requests, those that were handed in before if there are any; answers to others are refused."""
    given: Source | None = options.requests
    before = None if kept is None else kept.source()
    if before and given and before.text != given.text:
        parser.error(f"thread {options.thread!r} began with other requests: leave FILE out, or choose another --thread")
    source = before or given or read_source(EXAMPLE)
    for id_, _ in options.answers:
        if id_ not in source.ids:
            parser.error(f"--answer: there is no request {id_!r}; there are {cell(', '.join(source.ids) or 'none')}")
    if kept is not None:
        if before is None:
            kept.hand_in(source)
        say(f"Thread {options.thread!r} {'begins' if before is None else 'goes on'}.")
    return source


def _office(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Office:
    outbox: Path | None = options.outbox
    if outbox is None and options.db is None:
        outbox = Path(tempfile.mkdtemp(prefix="approvals-"))
    try:
        outbox = outbox or command_line.folder(f"{options.db}.outbox")
    except argparse.ArgumentTypeError as error:
        parser.error(str(error))
    return Office(outbox=outbox, archive=options.archive or outbox / "rejected.jsonl")


if __name__ == "__main__":
    sys.exit(main())
