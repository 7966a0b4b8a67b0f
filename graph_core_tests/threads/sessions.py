"""Threads that are run and killed in other processes, and what they have done."""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field

from graph_core.checkpoint.savers import DatabaseSaver
from graph_core_tests.threads.evidence import committed
from graph_core_tests.threads.machine import Steps


@define
class Worker:
    """A process that carries out orders."""

    process: "subprocess.Popen[str]"

    def carries_out(self, **order: Any) -> str:
        """Give an order, and tell how it ended."""
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        return process.stdout.readline().strip()


@contextmanager
def working(module: str) -> Generator[Worker, None, None]:
    """Start a process that carries out orders; at the end it is gone."""
    command = [sys.executable, "-m", module]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        yield Worker(process)
        assert process.stdin is not None
        process.stdin.close()


@define
class Story:
    """One thread, its sessions, and what they have done."""

    file: Path
    log: Path
    thread: str
    read: int = 0
    finished: Steps = field(factory=Counter[tuple[str, int]])

    def session(self) -> tuple[Steps, Steps]:
        """Give what the last session has begun and done."""
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        found = defaultdict[str, Steps](Counter[tuple[str, int]])
        for line in lines[self.read :]:
            what, node, step = line.split()
            found[what][node, int(step)] += 1
        self.read = len(lines)
        return found["begins"], found["done"]


def check(story: Story, saver: DatabaseSaver, plain: Steps, width: int) -> None:
    """Compare what a session did with what was finished before it, and with what is finished now."""
    begun, done = story.session()
    assert begun <= plain - story.finished, "a finished step has run again, or one that there is not"
    finished = committed(saver, story.thread)
    assert story.finished <= finished, "a finished step is lost"
    new = finished - story.finished
    assert new <= done, "a step counts as finished, but has not been done"
    assert (begun - new).total() <= width, "a branch was in more than one step"
    story.finished = finished
