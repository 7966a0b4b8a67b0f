"""Command line: `python -m samples.licence_audit [--parallel] [--slow SECONDS] [--json | --story] [--path DIR]`.

The loop is the default. The metadata of an environment lies on a disk nearby, where a check takes well under a
millisecond; the loop asks no further than the first clear statement, while the parallel way runs all checks of every
distribution and pays for its branches. So here the loop is the quicker one. `--parallel` is for checks that wait, on a
network folder or a service; `--slow 0.1` shows what it buys then. The report is the same.

With `--thread NAME --db FILE` every step is kept in a file: stopped by Ctrl-C or killed, the same command goes on where
it was. `--story` then tells each step when it is done.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from graph_core import DatabaseSaver, GraphRunnerException, InvalidRecordError, NodeOutput
from graph_core.checkpoint import ThreadBusyError
from samples.licence_audit.audit import Audit, report_in
from samples.licence_audit.checks import Checks
from samples.licence_audit.environment import read_environment
from samples.licence_audit.finding import Report
from samples.licence_audit.graph import loop
from samples.licence_audit.kept import kept
from samples.licence_audit.parallel_graph import fan_out
from samples.licence_audit.story import line_of, tell
from samples.licence_audit.table import render_report
from samples.shared.terminal import show

_SLOWEST: Final = 60.0
_STOPPED: Final = 130
"""What shells tell of a program that Ctrl-C has ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Audit and print; return the exit code. Bad options exit with 2 and say why, a thread that cannot go on with 1."""
    parser = _parser()
    options = parser.parse_args(argv)
    if (options.thread is None) != (options.db is None):
        parser.error("--thread and --db belong together: the name of a thread, and the file it is kept in")
    if options.take_over and options.thread is None:
        parser.error("--take-over takes a thread from a run that was killed: give --thread and --db, too")
    if options.thread is not None:
        return _kept(options)
    begin = fan_out if options.parallel else loop
    show(_text(begin(read_environment(options.path), _checks(options.slow)), options))
    return 0


def _text(audit: Audit, options: argparse.Namespace) -> str:
    started = time.perf_counter()
    outputs = audit.outputs()
    report = report_in(outputs)
    text = _report_text(report, _footer(audit, started), options)
    return "\n\n".join(block for block in (tell(outputs), text) if block) if options.story else text


def _footer(audit: Audit, started: float) -> str:
    return f"Audited {audit.way} in {time.perf_counter() - started:.2f} s."


def _report_text(report: Report, footer: str, options: argparse.Namespace) -> str:
    return json.dumps(report.to_json(), indent=2) if options.json else render_report(report, footer)


def _kept(options: argparse.Namespace) -> int:
    """Audit in a thread; what is said about the thread goes to stderr, so that stdout has the report alone."""
    try:
        with DatabaseSaver(options.db) as saver:
            _go_on(saver, options)
    except KeyboardInterrupt:
        _say("Stopped. The same command goes on where it was.")
        return _STOPPED
    except ThreadBusyError:
        _say(
            f"Another run holds thread {options.thread!r}. Wait until it has ended, or, if it was killed: --take-over."
        )
        return 1
    except (GraphRunnerException, InvalidRecordError) as error:
        _say(f"Thread {options.thread!r} can not go on: {error}")
        return 1
    return 0


def _go_on(saver: DatabaseSaver, options: argparse.Namespace) -> None:
    environment, checks = read_environment(options.path), _checks(options.slow)
    begin = fan_out if options.parallel else loop
    left = kept(begin, environment, checks, saver, name=options.thread, take_over=options.take_over)
    _say(left.notice)
    started = time.perf_counter()
    report = left.report(_watch if options.story else lambda _: None)
    footer = _footer(left.audit, started) if left.finished is None else ""
    show(_report_text(report, footer, options))


def _watch(output: NodeOutput) -> None:
    line = line_of(output)
    if line is not None:
        show(line)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _checks(seconds: float) -> Checks:
    return Checks(before=lambda source, one: time.sleep(seconds)) if seconds else Checks()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m samples.licence_audit",
        description="Tell the licence classes of the Python distributions that are installed here.",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON instead of a table")
    form.add_argument("--story", action="store_true", help="before the table, tell what happened, step by step")
    parser.add_argument("--path", type=_folder, metavar="DIR", help="audit the distributions in DIR instead")
    parser.add_argument("--parallel", action="store_true", help="check all distributions side by side")
    parser.add_argument("--slow", type=_seconds, default=0.0, metavar="SECONDS", help="wait before each check")
    thread = parser.add_argument_group("a run that can be stopped, and goes on where it was (needs the extra 'sql')")
    thread.add_argument(
        "--thread", type=_name, metavar="NAME", help="what to call the run; with --parallel another one"
    )
    thread.add_argument("--db", type=_name, metavar="FILE", help="the SQLite file that keeps it; made if need be")
    thread.add_argument("--take-over", action="store_true", help="do not wait for a run that was killed")
    return parser


def _name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("a name is missing")
    return text


def _folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("a folder's name is missing")
    path = Path(text)
    try:
        next(path.iterdir(), None)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise argparse.ArgumentTypeError(f"{text!r} cannot be read as a folder: {reason}") from error
    return path


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds <= _SLOWEST:
        raise argparse.ArgumentTypeError(f"a delay is from 0 to {_SLOWEST:.0f} seconds, not {text!r}")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
