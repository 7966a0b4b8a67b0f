"""K7, K8: runs in other processes are killed at random points, and gone on with in new ones."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_core.checkpoint.savers import DatabaseSaver
from graph_core_tests.threads.graphs import bare
from graph_core_tests.threads.machine import drive
from graph_core_tests.threads.sessions import Story, Worker, check, working
from graph_core_tests.threads.worker import SHAPES

KILLS = 300
"""How many kills there are, over all shapes."""
WIDTH = {"chain": 1, "loop": 1, "region": 3, "nested": 3, "sends": 3}
"""How many branches may be in a step at once."""
WAYS = ("sync", "inline", "async")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """Start one process for all tests."""
    with working("graph_core_tests.threads.worker") as started:
        yield started


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
