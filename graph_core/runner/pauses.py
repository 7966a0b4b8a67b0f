"""What is known of a pause, and of where a run stands still (rule K5).

A pause *after* a node is part of that node's entry or branch record (`pause`), so that no kill can come between
the two. One *before* or *inside* a node is a record of its own (`asks`). What lets either go on is a record,
too (`resumed`, with the `answer` if there is one): it is stored before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, final

import attrs

from graph_core.checkpoint import BranchRecord
from graph_core.config.runnable_config import MISSING
from graph_core.runner.branch import Key
from graph_core.state import OverAllState
from graph_core.state.frozen import FrozenMapping
from graph_core.streaming import InterruptionMetadata

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graph_core.config import RunnableConfig

When: TypeAlias = Literal["before", "after", "inside"]
_NOTHING: Final[Mapping[str, Any]] = FrozenMapping()


class Paused(Exception):
    """Ends the walk of a run that has to wait for a person.

    Args:
        state: what there is so far.
    """

    def __init__(self, state: OverAllState[Any]) -> None:
        super().__init__()
        self.state = state


@final
@attrs.frozen(kw_only=True)
class Pause:
    """One pause: its id, where it is, and what is asked.

    Args:
        again: the state has changed since: the node asks anew when the run goes on without an answer.
    """

    id: str
    when: When
    payload: Any = None
    metadata: Mapping[str, Any] = _NOTHING
    again: bool = False

    def is_same_question(self, other: Pause | None) -> bool:
        """Tell whether another pause asks the same."""
        try:
            return other is not None and bool(self.payload == other.payload and self.metadata == other.metadata)
        except Exception:
            return False

    def written(self) -> dict[str, Any]:
        """Give it as it is stored."""
        found: dict[str, Any] = {"id": self.id, "when": self.when}
        if self.payload is not None:
            found["payload"] = self.payload
        if self.metadata:
            found["metadata"] = dict(self.metadata)
        return found


def read(stored: Mapping[str, Any]) -> Pause:
    """Give a pause as it was stored."""
    return Pause(**stored)


@final
@attrs.frozen(kw_only=True)
class Pending:
    """A pause that waits, where it stands, and what is seen there."""

    pause: Pause
    node_id: str
    key: Key
    state: OverAllState[Any]
    step: int

    def shown(self, config: RunnableConfig[Any], sequence: int = 0) -> InterruptionMetadata:
        """Make the output of it."""
        return InterruptionMetadata(
            id=self.pause.id,
            node=self.node_id,
            state=self.state,
            payload=self.pause.payload,
            metadata=self.pause.metadata,
            when=self.pause.when,
            step=self.step,
            branch=self.key,
            sequence=sequence,
            config=config,
        )

    def resumed(self, answer: Any = MISSING) -> BranchRecord:
        """Record that it goes on, with an answer if there is one."""
        following = {"resumed": self.pause.id}
        if answer is not MISSING:
            following["answer"] = answer
        return BranchRecord(key=self.key, node_id=self.node_id, next=following, step=0)


def all_shown(
    pending: Iterable[Pending], config: RunnableConfig[Any], sequence: int = 0
) -> tuple[InterruptionMetadata, ...]:
    """Make the outputs of all that is pending, in their order; each knows all."""
    found = tuple(each.shown(config, sequence + number) for number, each in enumerate(pending))
    return tuple(each.among(found) for each in found)


def pause_id(run_id: str, key: Key, node_id: str, step: int, what: str) -> str:
    """Make the id of a pause: the same whenever the same run comes to the same place."""
    return blake2b(repr((run_id, key, node_id, step, what)).encode(), digest_size=12).hexdigest()
