"""Renews the leases of the threads that runs of this process hold (rule K8)."""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import TYPE_CHECKING, Final, final

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG: Final = logging.getLogger(__name__)
_PART: Final = 3
"""A lease is renewed when this part of it has passed, so that it outlives two failures."""


@final
@attrs.define
class _Lease:
    seconds: float
    due: float


@final
class Leases:
    """The leases of one saver, and the daemon thread that renews them while there are any.

    Args:
        renew: renews a lease of so many seconds; `False` if the run does not hold the thread any more.
        linger: seconds for which the daemon waits for another lease, so that short runs share one.

    Attributes:
        daemon: the thread, while it runs.
    """

    def __init__(self, renew: Callable[[str, str, float], bool], linger: float = 10.0) -> None:
        self._renew = renew
        self._linger = linger
        self._begin()

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._held: dict[tuple[str, str], _Lease] = {}
        self._changed = threading.Condition()
        self.daemon: threading.Thread | None = None
        self._is_closed = False

    def _own(self) -> threading.Condition:
        """Give the lock, of this process: in a fork the daemon stayed behind, maybe with the lock."""
        if self._pid != os.getpid():
            self._begin()  # pragma: no cover  (in a fork, which is tested, but not measured)
        return self._changed

    def hold(self, thread_id: str, run_id: str, seconds: float) -> None:
        """Renew a lease from now on."""
        with self._own():
            self._held[thread_id, run_id] = _Lease(seconds, time.monotonic() + seconds / _PART)
            if self.daemon is None:
                self.daemon = threading.Thread(target=self._work, name="graph-core-leases", daemon=True)
                self.daemon.start()
            self._changed.notify()

    def drop(self, thread_id: str, run_id: str) -> None:
        """Renew a lease no more."""
        with self._own():
            self._held.pop((thread_id, run_id), None)

    def close(self) -> None:
        """Renew nothing more, and let the daemon end."""
        with self._own():
            self._is_closed = True
            self._held.clear()
            daemon = self.daemon
            self._changed.notify()
        if daemon is not None and daemon is not threading.current_thread():
            daemon.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._wait():
                    self.daemon = None
                    return
                now = time.monotonic()
                due = [(key, lease) for key, lease in self._held.items() if lease.due <= now]
            for (thread_id, run_id), lease in due:
                self._renewed(thread_id, run_id, lease)

    def _wait(self) -> bool:
        """Wait for the next lease to renew; `False` if there is nothing left to do."""
        while not self._is_closed:
            due = min([lease.due for lease in self._held.values()], default=None)
            left = self._linger if due is None else due - time.monotonic()
            if due is not None and left <= 0:
                return True
            is_woken = self._changed.wait(left)
            if not (is_woken or due or self._held):
                return False
        return False

    def _renewed(self, thread_id: str, run_id: str, lease: _Lease) -> None:
        try:
            is_held = self._renew(thread_id, run_id, lease.seconds)
        except Exception as error:  # noqa: BLE001  (the database may be there again the next time)
            _LOG.warning("the lease of thread %r could not be renewed: %s", thread_id, error)
            is_held = True
        with self._changed:
            lease.due = time.monotonic() + lease.seconds / _PART
            if not is_held:  # taken over: the run learns it by its next put
                self._held.pop((thread_id, run_id), None)
