"""The options of the command line."""

import argparse
from pathlib import Path
from typing import Final

from samples.approval_workflow.question import Ruling, ruling_of
from samples.approval_workflow.source import Source, read_source

PROGRAM: Final = "samples.approval_workflow"
_EXITS: Final = (
    "Exits with 1 if a request of FILE was refused, any failed, or an answer came to nothing; with 2 if FILE or an "
    "option is wrong. That a request waits for a person is no error."
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {PROGRAM}",
        description="Decide on requests for money by rules; put before a person what they leave open.",
        epilog=_EXITS,
    )
    parser.add_argument(
        "requests",
        nargs="?",
        type=_requests,
        metavar="FILE",
        help="a JSON list of requests; else those of --thread, or an example in which one is malformed",
    )
    parser.add_argument("--outbox", type=folder, metavar="DIR", help="where mail is put, default: a new folder")
    parser.add_argument("--archive", type=_file, metavar="FILE", help="default: rejected.jsonl in the outbox")
    _add_person(parser)
    return parser


def _add_person(parser: argparse.ArgumentParser) -> None:
    person = parser.add_argument_group("what a person decides")
    person.add_argument(
        "--answer",
        dest="answers",
        action="append",
        type=_answer,
        default=[],
        metavar="ID=ANSWER",
        help="answer for the request ID: yes, yes:REASON or no:REASON; may be repeated",
    )
    person.add_argument(
        "--ask",
        action=argparse.BooleanOptionalAction,
        help="ask on the terminal, or take the lines of stdin for answers; default: on a terminal, without --answer",
    )
    thread = parser.add_argument_group("requests that can be answered later, in any process (needs the extra 'sql')")
    thread.add_argument("--thread", type=_name, metavar="NAME", help="what to call all of these requests")
    thread.add_argument(
        "--db", type=_name, metavar="FILE", help="the SQLite file that keeps them; mail is put into FILE.outbox"
    )


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if (options.thread is None) != (options.db is None):
        parser.error("--thread and --db belong together: the name of a thread, and the file it is kept in")
    ids = [id_ for id_, _ in options.answers]
    for id_ in ids:
        if ids.count(id_) > 1:
            parser.error(f"--answer: there are two answers for {id_!r}")


def folder(text: str) -> Path:
    """Return the folder of that name; it is made if need be."""
    path = Path(text)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} can not be a folder: {_reason(error)}") from error
    return path


def _answer(text: str) -> tuple[str, Ruling]:
    id_, _, answer = text.partition("=")
    try:
        return id_.strip(), ruling_of(answer)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from error


def _name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("a name is missing")
    return text


def _requests(text: str) -> Source:
    try:
        return read_source(Path(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _file(text: str) -> Path:
    path = Path(text)
    try:
        path.open("a", encoding="utf-8").close()
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} can not be written: {_reason(error)}") from error
    return path


def _reason(error: OSError | ValueError) -> object:
    return error.strerror if isinstance(error, OSError) else error
