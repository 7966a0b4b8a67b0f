"""K8: several processes share one file."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from graph_core.checkpoint import Append, ThreadBusyError
from graph_core.checkpoint.conformance import Story, caught
from graph_core.checkpoint.savers import DatabaseSaver, MemorySaver

ROUNDS = 200


def started(*arguments: object) -> subprocess.Popen[str]:
    """Start another process."""
    command = [sys.executable, "-m", "graph_core_tests.checkpoint.processes", *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own


def line(process: subprocess.Popen[str]) -> str:
    """Read the next line that a process writes."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def go(process: subprocess.Popen[str]) -> None:
    """Let a process go on."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def test_two_processes_race_for_a_thread(tmp_path: Path) -> None:
    """Of two that take a thread at once exactly one wins, 200 times, and the other saves nothing."""
    file = tmp_path / "a.db"
    DatabaseSaver(file).close()
    with started("race", file, "left", ROUNDS) as left, started("race", file, "right", ROUNDS) as right:
        for _ in range(ROUNDS):
            assert (line(left), line(right)) == ("ready", "ready")
            go(left)
            go(right)
            assert sorted([line(left), line(right)]) == ["thread_busy", "won"]
    with DatabaseSaver(file) as saver:
        owners = [saver.state_of(f"t{number}") for number in range(ROUNDS)]
        states = [Story(saver, f"t{number}").state() for number in range(ROUNDS)]
    assert [{"m": [owner.owner]} for owner in owners if owner is not None] == states


def test_an_owner_that_is_killed(tmp_path: Path) -> None:
    """Kill -9 in the middle of a transaction: what was put is there, the rest is not; the lease runs out."""
    file = tmp_path / "a.db"
    with started("die", file) as process:
        assert process.wait() == -signal.SIGKILL
    with DatabaseSaver(file) as saver:
        found = saver.state_of("t")
        assert found is not None
        assert (found.status, found.is_live) == ("running", True)
        caught(ThreadBusyError, Story(saver, run_id="second").take)
    with DatabaseSaver(file, clock=lambda: time.time() + 31) as saver:
        found = saver.state_of("t")
        assert found is not None
        assert found.is_killed
        story = Story(saver, run_id="second")
        head = story.take().head
        assert (story.state(), [record.node_id for record in story.read().records]) == ({"m": [1, 2]}, ["b"])
        story.put({"m": Append([3])}, parent_id=head)
        assert story.state() == {"m": [1, 2, 3]}


def _count(saver: DatabaseSaver) -> int:
    return len(saver.list("t"))


def test_a_saver_travels_to_a_process_pool(tmp_path: Path) -> None:
    """It is pickled by its URL, and opened there anew."""
    context = multiprocessing.get_context("spawn")
    with DatabaseSaver(tmp_path / "a.db", table_prefix="own_") as saver, ProcessPoolExecutor(1, context) as pool:
        story = Story(saver).begun()
        story.put()
        assert pool.submit(_count, saver).result() == 1
        with pickle.loads(pickle.dumps(saver)) as copy:  # noqa: S301 - our own
            assert copy.get("t") == story.read()


def test_what_belongs_to_one_process_does_not_travel() -> None:
    """A copy would know other threads."""
    with pytest.raises(TypeError, match="use DatabaseSaver"):
        pickle.dumps(MemorySaver())
    with DatabaseSaver(":memory:") as saver, pytest.raises(TypeError, match="give it a file"):
        pickle.dumps(saver)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # other threads run, none that the child needs
def test_a_forked_process_opens_its_own_connections(tmp_path: Path) -> None:
    """A child of a fork goes on with the file, not with its parent's connections."""
    with DatabaseSaver(tmp_path / "a.db") as saver:
        story = Story(saver).begun()
        story.put({"m": Append([1])})
        child = os.fork()
        if child == 0:  # pragma: no cover - another process
            try:
                Story(saver, "u", "child").begun().put({"m": Append(story.state()["m"])})
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        story.put({"m": Append([2])})
        assert (story.state(), Story(saver, "u").state()) == ({"m": [1, 2]}, {"m": [1]})


def test_processes_open_a_new_file_at_once(tmp_path: Path) -> None:
    """One makes the tables, the others find them."""
    files = [tmp_path / f"{number}.db" for number in range(4)]
    for file in files:
        processes = [started("race", file, name, 1) for name in ("left", "right")]
        assert [line(process) for process in processes] == ["ready"] * 2
        for process in processes:
            go(process)
        assert sorted(line(process) for process in processes) == ["thread_busy", "won"]
        for process in processes:
            process.communicate()
