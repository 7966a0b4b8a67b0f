"""Command line: `python -m samples.licence_audit [--parallel] [--slow SECONDS] [--json | --story] [--path DIR]`.

The loop is the default. The metadata of an environment lies on a disk nearby, where a check takes well under a
millisecond; the loop asks no further than the first clear statement, while the parallel way runs all checks of every
distribution and pays for its branches. So here the loop is the quicker one. `--parallel` is for checks that wait, on a
network folder or a service; `--slow 0.1` shows what it buys then. The report is the same.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from samples.licence_audit.audit import Audit, report_in
from samples.licence_audit.checks import Checks
from samples.licence_audit.environment import read_environment
from samples.licence_audit.graph import loop
from samples.licence_audit.parallel_graph import fan_out
from samples.licence_audit.story import tell
from samples.licence_audit.table import render_report
from samples.shared.terminal import show

_SLOWEST: Final = 60.0


def main(argv: Sequence[str] | None = None) -> int:
    """Audit and print; return the exit code. A bad `--path` or `--slow` exits with 2 and says why."""
    options = _parser().parse_args(argv)
    begin = fan_out if options.parallel else loop
    show(_text(begin(read_environment(options.path), _checks(options.slow)), options))
    return 0


def _text(audit: Audit, options: argparse.Namespace) -> str:
    started = time.perf_counter()
    outputs = audit.outputs()
    footer = f"Audited {audit.way} in {time.perf_counter() - started:.2f} s."
    report = report_in(outputs)
    if options.json:
        return json.dumps(report.to_json(), indent=2)
    table = render_report(report, footer)
    return "\n\n".join(block for block in (tell(outputs), table) if block) if options.story else table


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
    return parser


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
