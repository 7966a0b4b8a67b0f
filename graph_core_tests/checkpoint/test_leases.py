"""K8: leases are renewed while the process lives."""

import gc
import logging
import os
import threading
from pathlib import Path

import pytest

from graph_core.checkpoint.conformance import Clock, Story
from graph_core.checkpoint.savers import DatabaseSaver
from graph_core.checkpoint.savers.sql.leases import Leases

LONG = 60.0


class Renewals:
    """Counts what is renewed; `wait` waits for so many."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str, float]] = []
        self.changed = threading.Condition()
        self.is_held = True
        self.fails = False

    def __call__(self, thread_id: str, run_id: str, lease: float) -> bool:
        """Renew."""
        with self.changed:
            self.calls.append((thread_id, run_id, lease))
            self.changed.notify_all()
        if self.fails:
            raise OSError("the disk is gone")
        return self.is_held

    def wait(self, count: int) -> None:
        """Wait until so many were renewed."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.calls) >= count, LONG)


def ended(leases: Leases) -> None:
    """Wait until the daemon has ended."""
    daemon = leases.daemon
    if daemon is not None:
        daemon.join(LONG)
    assert leases.daemon is None


def test_a_lease_is_renewed_again_and_again() -> None:
    """At a third of its time, until it is dropped."""
    renewals = Renewals()
    leases = Leases(renewals, linger=0.0)
    leases.hold("t", "run", 0.003)
    renewals.wait(3)
    assert renewals.calls[0] == ("t", "run", 0.003)
    leases.drop("t", "run")
    ended(leases)


def test_a_shorter_lease_does_not_wait_for_a_longer_one() -> None:
    """What comes later may be due earlier."""
    renewals = Renewals()
    leases = Leases(renewals)
    leases.hold("slow", "run", 1000)
    leases.hold("fast", "run", 0.003)
    renewals.wait(2)
    assert {call[0] for call in renewals.calls} == {"fast"}
    leases.close()
    ended(leases)


def test_a_lost_lease_is_renewed_no_more() -> None:
    """The run learns it by its next put."""
    renewals = Renewals()
    renewals.is_held = False
    leases = Leases(renewals, linger=0.0)
    leases.hold("t", "run", 0.003)
    renewals.wait(1)
    ended(leases)
    assert len(renewals.calls) == 1


def test_a_failure_is_logged_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """The database may be there again the next time."""
    renewals = Renewals()
    renewals.fails = True
    leases = Leases(renewals)
    with caplog.at_level(logging.WARNING):
        leases.hold("t", "run", 0.003)
        renewals.wait(2)
        leases.close()
    assert "thread 't' could not be renewed: the disk is gone" in caplog.text


def test_the_daemon_waits_for_another_lease() -> None:
    """So that short runs share one; it ends by itself, and begins again."""
    renewals = Renewals()
    leases = Leases(renewals, linger=LONG)
    leases.hold("t", "run", 1000)
    first = leases.daemon
    leases.drop("t", "run")
    leases.hold("u", "run", 0.003)
    renewals.wait(1)
    assert leases.daemon is first
    leases.close()
    ended(leases)


def test_closing_from_the_daemon_itself() -> None:
    """A saver may be collected while the daemon works."""
    closed = threading.Event()

    def renew(*_: object) -> bool:
        leases.close()
        closed.set()
        return True

    leases = Leases(renew)
    leases.hold("t", "run", 0.003)
    assert closed.wait(LONG)
    ended(leases)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # other threads run, none that the child needs
def test_a_fork_begins_with_no_leases() -> None:
    """The daemon stayed with the parent; the child has one of its own."""
    renewals = Renewals()
    leases = Leases(renewals)
    leases.hold("t", "run", 1000)
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        status = 1
        try:
            leases.hold("u", "run", 0.003)
            renewals.changed = threading.Condition()
            renewals.wait(1)
            status = 0 if renewals.calls[0][0] == "u" else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    leases.close()


def test_a_saver_renews_by_itself(tmp_path: Path) -> None:
    """The stored lease runs ahead of a clock that goes on."""
    clock = Clock()
    with DatabaseSaver(tmp_path / "a.db", clock=clock) as saver, DatabaseSaver(tmp_path / "a.db", clock=clock) as other:
        Story(saver).begun(lease=0.3)
        clock.now += 1000
        for _ in range(10_000):
            found = other.state_of("t")
            assert found is not None
            if found.is_live:
                break
        else:
            pytest.fail("the lease was not renewed")


def test_a_saver_that_is_forgotten_ends_its_daemon(tmp_path: Path) -> None:
    """Nothing has to be closed for it."""
    saver = DatabaseSaver(tmp_path / "a.db")
    Story(saver).begun()
    leases = saver.core.leases
    assert leases.daemon is not None
    del saver
    gc.collect()
    ended(leases)
