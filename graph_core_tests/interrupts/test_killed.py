"""K5, K7: runs that ask are killed at random points, answered and gone on with in new processes."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_core import CompileConfig, RunnableConfig
from graph_core.checkpoint.savers import DatabaseSaver
from graph_core_tests.interrupts.worker import SHAPES
from graph_core_tests.threads.graphs import bare
from graph_core_tests.threads.machine import Compiled, drive
from graph_core_tests.threads.sessions import Story, Worker, check, working

KILLS = 75
"""How many kills there are, over all shapes."""
WAYS = ("sync", "inline", "async")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """Start one process for all tests."""
    with working("graph_core_tests.interrupts.worker") as started:
        yield started


def check_answers(compiled: Compiled, story: Story, thread: RunnableConfig, answered: set[str]) -> None:
    """No answer is lost: what was answered by a call that began is pending no more."""
    for line in story.log.read_text(encoding="utf-8").splitlines():
        what, *_ = line.split()
        if what.startswith("told:"):
            answered.add(what.removeprefix("told:"))
    seen = compiled.state_of(thread).value_or(None)
    pending = set[str]() if seen is None else {each.id for each in seen.interruptions}
    assert not pending & answered, "an answer is lost"


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_killed_again_and_again(shape: str, worker: Worker, tmp_path: Path) -> None:
    """K5, K7: no answer is lost, no finished step runs again, and the end is that of the graph that does not ask."""
    plain = drive(SHAPES[shape].build(bare).compile(), {})
    chance = random.Random(shape)  # noqa: S311  (a reproducible sample, nothing secret)
    kills, threads = 0, 0
    file = tmp_path / "threads.db"
    with DatabaseSaver(file) as saver:
        compiled = SHAPES[shape].build(bare).compile(CompileConfig(checkpoint_saver=saver))
        while kills < KILLS / len(SHAPES):
            threads += 1
            story, answered = Story(file, tmp_path / f"{threads}.log", f"t{threads}"), set[str]()
            thread = RunnableConfig(thread_id=story.thread)
            for session in range(200):
                ended = worker.carries_out(
                    file=os.fspath(file), log=os.fspath(story.log), thread=story.thread, session=session, shape=shape,
                    way=chance.choice(WAYS), kill_at=chance.randrange(1, 9) if session < 12 else 0,
                    spin=chance.randrange(30_000),
                )  # fmt: skip
                assert ended in {"killed", "done"}
                check(story, saver, plain.done, width=3)
                check_answers(compiled, story, thread, answered)
                kills += ended == "killed"
                state = saver.state_of(story.thread)
                if state is not None and state.status == "done":
                    break
            head = saver.get(story.thread)
            assert head is not None
            assert (story.finished, dict(head.state)) == (plain.done, plain.state)
            assert answered, "nobody was asked"
