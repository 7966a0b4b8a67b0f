"""Command line: `python -m samples.approval_workflow [FILE] [--outbox DIR] [--archive FILE]`."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from samples.approval_workflow.graph import build, handle
from samples.approval_workflow.office import Office
from samples.approval_workflow.report import Answer, render
from samples.approval_workflow.source import EXAMPLE, read_requests
from samples.shared.terminal import show

_EXITS: Final = "Exits with 1 if a request of FILE was refused or any failed; with 2 if FILE or an option is wrong."


def main(argv: Sequence[str] | None = None) -> int:
    """Decide on requests, print what has become of them, and return the exit code."""
    options = _parser().parse_args(argv)
    outbox: Path = options.outbox or Path(tempfile.mkdtemp(prefix="approvals-"))
    office = Office(outbox=outbox, archive=options.archive or outbox / "rejected.jsonl")
    graph = build()
    given: list[Any] = read_requests(EXAMPLE) if options.requests is None else options.requests
    answers = [Answer(number, request, handle(graph, request, office)) for number, request in enumerate(given, 1)]
    show(f"{render(answers)}\nMail is in {outbox}, what was rejected in {office.archive}")
    refused = options.requests is not None and any(answer.is_refused for answer in answers)
    return int(refused or any(answer.is_failed for answer in answers))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m samples.approval_workflow",
        description="Decide on requests for money by rules; mail what is approved, and archive what is rejected.",
        epilog=_EXITS,
    )
    parser.add_argument(
        "requests",
        nargs="?",
        type=_requests,
        metavar="FILE",
        help="a JSON list of requests; else an example is taken, in which one request is malformed",
    )
    parser.add_argument("--outbox", type=_folder, metavar="DIR", help="where mail is put, default: a new folder")
    parser.add_argument("--archive", type=_file, metavar="FILE", help="default: rejected.jsonl in the outbox")
    return parser


def _requests(text: str) -> list[Any]:
    try:
        return read_requests(Path(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _folder(text: str) -> Path:
    path = Path(text)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} can not be a folder: {_reason(error)}") from error
    return path


def _file(text: str) -> Path:
    path = Path(text)
    try:
        path.open("a", encoding="utf-8").close()
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} can not be written: {_reason(error)}") from error
    return path


def _reason(error: OSError | ValueError) -> object:
    return error.strerror if isinstance(error, OSError) else error


if __name__ == "__main__":
    sys.exit(main())
