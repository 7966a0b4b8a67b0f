"""What other processes do to a saver's file; run as `python -m` too, so that each has its own interpreter."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from graph_core.checkpoint import Append, LostThreadError, ThreadBusyError
from graph_core.checkpoint.conformance import Story
from graph_core.checkpoint.savers import DatabaseSaver


def race(file: Path, run_id: str, rounds: int) -> None:
    """Take thread after thread as soon as the other process is there too, and say which ones were won."""
    with DatabaseSaver(file) as saver:
        for number in range(rounds):
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            sys.stdin.readline()
            story = Story(saver, f"t{number}", run_id)
            try:
                story.take()
                story.put({"m": Append([run_id])})
                sys.stdout.write("won\n")
            except (LostThreadError, ThreadBusyError) as error:
                sys.stdout.write(f"{error.code}\n")
            sys.stdout.flush()


def die(file: Path) -> None:
    """Take a thread, put two checkpoints, begin a third, and be killed."""
    saver = DatabaseSaver(file)
    story = Story(saver).begun(lease=30)
    story.put({"m": Append([1])})
    story.record(story.put({"m": Append([2])}), "b")
    with saver.core.database.writing() as transaction:
        transaction.run("give_back", p_hash="", p_owner="", v_owner="", v_expires=0, v_status="done", v_data=None)
        os.kill(os.getpid(), signal.SIGKILL)


def main(what: str, file: str, *rest: str) -> None:
    """Do one of them."""
    if what == "race":
        race(Path(file), rest[0], int(rest[1]))
    else:
        die(Path(file))


if __name__ == "__main__":
    main(*sys.argv[1:])
