"""Checkpoints, retentions and errors as records."""

import os
import pickle
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph_core.checkpoint import Checkpoint, CheckpointSaverError, Retention, ThreadState, UnknownThreadError, new_id
from graph_core.checkpoint.errors import busy, lost, unknown_thread
from graph_core.checkpoint.ids import check_id
from graph_core.exception import GraphRunnerException, InvalidRecordError


def test_a_moment_needs_a_zone() -> None:
    """Or it would be another moment elsewhere."""
    with pytest.raises(InvalidRecordError, match="time zone"):
        Checkpoint(id="c", thread_id="t", node_id="a", step=1, run_id="r", created_at=datetime(2026, 1, 1))  # noqa: DTZ001


def test_the_moment_is_now() -> None:
    """Unless it is given."""
    made = Checkpoint(id="c", thread_id="t", node_id="a", step=1, run_id="r").created_at
    assert abs(datetime.now(UTC) - made) < timedelta(hours=1)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"max_checkpoints": 0},
        {"max_checkpoints": True},
        {"max_checkpoints": 1.5},
        {"max_age": timedelta()},
        {"max_age": 3},
    ],
)
def test_a_retention_keeps_something(wrong: dict[str, Any]) -> None:
    """A count or a span, above 0."""
    with pytest.raises(InvalidRecordError, match="max_"):
        Retention(**wrong)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # other threads run, none that the child needs
def test_new_ids_are_unique_in_a_fork() -> None:
    """A child of a fork counts from a prefix of its own."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        os.write(sender, new_id().encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(receiver, 100).decode()
    os.close(receiver)
    os.close(sender)
    assert theirs.partition(".")[0] != new_id().partition(".")[0]


def test_ids_with_accents() -> None:
    """Text beyond ASCII is checked on its own way."""
    check_id("thread_id", "ä")
    with pytest.raises(InvalidRecordError, match="NUL"):
        check_id("thread_id", "ä\0")


def test_errors() -> None:
    """E1: they are runner errors with a code of their own."""
    assert isinstance(busy("t", "r"), GraphRunnerException)
    assert CheckpointSaverError("no", "special").code == "special"
    copy = pickle.loads(pickle.dumps(unknown_thread("t", ["a"])))  # noqa: S301 - our own
    assert (type(copy), copy.code, copy.thread_id) == (UnknownThreadError, "unknown_thread", "t")


def test_errors_say_who_holds_the_thread() -> None:
    """And name only so many."""
    assert "run 'x' holds it now" in str(lost("t", "r", "x"))
    assert "no run holds it now" in str(lost("t", "r", ""))
    assert "there is no such thread" in str(lost("t", "r", None))
    assert str(unknown_thread("t", map(str, range(9)))).endswith("'0', '1', '2', '3', '4', …")
    assert str(unknown_thread("t", [])).endswith("there are none")


@pytest.mark.parametrize("module", ["graph_core.checkpoint.savers", "graph_core.checkpoint.conformance"])
def test_the_extra_is_not_loaded(module: str) -> None:
    """Nor pytest by the conformance suite."""
    program = f"import sys, {module}; print({{'sqlalchemy', 'pytest'}} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
    assert found.stdout.strip() == "set()"


def test_who_is_killed() -> None:
    """Running, and nobody there."""
    assert not ThreadState(thread_id="t", status="running", owner="r", is_live=True).is_killed
    assert not ThreadState(thread_id="t", status="done").is_killed
