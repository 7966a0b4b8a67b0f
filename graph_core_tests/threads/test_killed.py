"""K7, K8: runs in other processes are killed at random points, and gone on with in new ones."""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from graph_core.checkpoint.savers import DatabaseSaver
from graph_core_tests.threads.evidence import committed
from graph_core_tests.threads.graphs import bare
from graph_core_tests.threads.machine import Steps, drive
from graph_core_tests.threads.worker import SHAPES

KILLS = 300
"""How many kills there are, over all shapes."""
WIDTH = {"chain": 1, "loop": 1, "region": 3, "nested": 3, "sends": 3}
"""How many branches may be in a step at once."""
WAYS = ("sync", "inline", "async")


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


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """Start one process for all tests."""
    command = [sys.executable, "-m", "graph_core_tests.threads.worker"]
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
        found = {"begins": Counter[tuple[str, int]](), "done": Counter[tuple[str, int]]()}
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


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_killed_again_and_again(shape: str, worker: Worker, tmp_path: Path) -> None:
    """K7: after each kill nothing that is finished runs again; in the end nothing is missing, the state is the same."""
    plain = drive(SHAPES[shape](bare).compile(), {})
    total, width = plain.done, WIDTH[shape]
    chance = random.Random(shape)  # noqa: S311  (a reproducible sample, nothing secret)
    kills, threads = 0, 0
    file = tmp_path / "threads.db"
    with DatabaseSaver(file) as saver:
        while kills < KILLS / len(SHAPES):
            threads += 1
            story = Story(file, tmp_path / f"{threads}.log", f"t{threads}")
            for session in range(100):
                kill_at = chance.randrange(1, 2 * total.total() // 2 + 1) if session < 4 else 0
                ended = worker.carries_out(
                    file=os.fspath(file), log=os.fspath(story.log), thread=story.thread, session=session, shape=shape,
                    way=chance.choice(WAYS), take_over=session % 2 == 1, kill_at=kill_at, spin=chance.randrange(30_000),
                )  # fmt: skip
                assert ended in {"killed", "done"}
                check(story, saver, total, width)
                kills += ended == "killed"
                if ended == "done":
                    break
            thread, head = saver.state_of(story.thread), saver.get(story.thread)
            assert thread is not None
            assert head is not None
            assert (thread.status, thread.owner) == ("done", None)
            assert story.finished == total
            assert dict(head.state) == plain.state
