"""A thread: its head, its owner and how its last run ended (rules K6, K8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, final

import attrs

from graph_core.checkpoint.checkpoint import NOTHING, Checkpoint

ThreadStatus: TypeAlias = Literal["new", "running", "interrupted", "failed", "limit", "cancelled", "done"]
"""`new`: taken for the first time. The others are those of rule K6."""


@final
@attrs.frozen(kw_only=True)
class ThreadState:
    """What is stored of a thread besides its history.

    Args:
        thread_id: the thread.
        status: how its last run ended, or `running`.
        owner: the run that holds the thread; `None` if none does.
        is_live: there is an owner and its lease has not run out.
        head: id of the newest checkpoint of the graph itself (path `()`).
        data: what the last `give_back` was given: pending interrupts, the text of an error.
        metadata: what `threads` can filter by.

    >>> ThreadState(thread_id="t", status="running", owner="r").is_killed
    True
    """

    thread_id: str
    status: ThreadStatus
    owner: str | None = None
    is_live: bool = False
    head: str | None = None
    data: Mapping[str, Any] = NOTHING
    metadata: Mapping[str, Any] = NOTHING

    @property
    def is_killed(self) -> bool:
        """Tell whether a run began and its owner died before it gave the thread back."""
        return self.status == "running" and not self.is_live


@final
@attrs.frozen
class Tag:
    """A thread that was released: its checkpoints, newest first, and nothing of it in the saver.

    >>> Tag("t", ()).checkpoints
    ()
    """

    thread_id: str
    checkpoints: tuple[Checkpoint, ...]
