"""What a run emits and what it returns."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, final

import attrs
from typing_extensions import TypeVar

from graph_core.exception import InvalidRecordError
from graph_core.exception.texts import shown
from graph_core.node import END, START
from graph_core.state import OverAllState
from graph_core.state.frozen import FrozenMapping

if TYPE_CHECKING:
    from graph_core.config import RunnableConfig  # noqa: TC004  (configs name the modes, so they import this module)

O = TypeVar("O", default=Any, covariant=True)
RunStatus: TypeAlias = Literal["new", "running", "interrupted", "failed", "limit", "cancelled", "done"]
"""How the last run of a thread ended, or that it runs (rule K6)."""


class StreamMode(enum.Enum):
    """What `stream` gives.

    VALUES: an output per step with the state after it. UPDATES: an output per step with what the
    node returned, and no state.
    """

    VALUES = "values"
    UPDATES = "updates"


@attrs.frozen(kw_only=True, eq=False)
class NodeOutput:
    """One step of a run, as `stream` gives it.

    Args:
        node: id of the node; `START`, `END`, or `__PARALLEL__(source)` for a region that has ended.
        state: the state after the step, in a branch that branch's view; `None` in mode UPDATES.
        update: what the node returned; the input at `START`; empty at `END` and for a region.
        route_updates: updates that the step's routes made, in their order.
        path: ids of the child graphs around the node, outermost first; empty in the graph itself.
        step: the number of the step, from 1; 0 at `START`, for a region the largest step in it.
        branch: the branch's place in its region, below the places of the regions around it; empty on
            the main path. A region itself has the place behind its last branch.
        sequence: position in this run's stream, from 0.
        config: the config of the run.
        mode: the stream mode that this output belongs to.

    Sorted by `(step, branch)` the outputs of a run are the same under every driver and executor.
    """

    node: str
    state: OverAllState[Any] | None
    update: Mapping[str, Any]
    route_updates: Sequence[Mapping[str, Any]] = ()
    path: tuple[str, ...] = ()
    step: int = 0
    branch: tuple[int, ...] = ()
    sequence: int = 0
    config: RunnableConfig[Any] | None = None
    mode: StreamMode = StreamMode.VALUES

    @property
    def is_start(self) -> bool:
        """Tell whether this is the output for `START`."""
        return self.node == START

    @property
    def is_end(self) -> bool:
        """Tell whether this is the output for `END`."""
        return self.node == END


_NOTHING: Final[Mapping[str, Any]] = FrozenMapping()
# Declared as `Any`: to a type checker `isinstance` does not narrow then.
_MAPPING: Final[Any] = Mapping


def _metadata(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, _MAPPING):
        raise InvalidRecordError(f"the metadata of an interruption must be a mapping, not {shown(value)}")
    return FrozenMapping(value)


@final
@attrs.frozen(kw_only=True, eq=False)
class InterruptionMetadata(NodeOutput):
    """A run that pauses: what it waits for (Java: `InterruptionMetadata`).

    An `InterruptableAction` makes one of a payload and metadata; the run fills in all the rest.

    Args:
        id: names it in an answer: `config.with_resume(answers={id: answer})`.
        node: the node that is interrupted.
        state: the state there; in a branch that branch's view.
        payload: what `interrupt` was called with.
        metadata: what an `InterruptableAction` said besides.
        when: `before` the node, `after` it, or `inside`, where it called `interrupt`.
        pending: all that the run waits for, in branch order.

    >>> InterruptionMetadata(payload="pay?", metadata={"sum": 200}).metadata["sum"]
    200
    """

    node: str = ""
    state: OverAllState[Any] | None = None
    update: Mapping[str, Any] = _NOTHING
    id: str = ""
    payload: Any = None
    metadata: Mapping[str, Any] = attrs.field(default=_NOTHING, converter=_metadata)
    when: Literal["before", "after", "inside"] = "before"
    _pending: tuple[InterruptionMetadata, ...] = attrs.field(default=(), repr=False)

    @property
    def pending(self) -> tuple[InterruptionMetadata, ...]:
        """All that the run waits for, this one among them."""
        return self._pending or (self,)

    def among(self, pending: tuple[InterruptionMetadata, ...]) -> InterruptionMetadata:
        """Give this as one of all that are pending; the record knows itself."""
        object.__setattr__(self, "_pending", pending)
        return self


@final
@attrs.frozen(kw_only=True, eq=False)
class StateSnapshot:
    """Where a thread stands, or stood, at a checkpoint.

    Args:
        node: the node that was done; `START`, or `__PARALLEL__(source)` for a region that has ended.
        next: the nodes that come next. Inside a region those that the branches which have not
            arrived stand on, in branch order; `(END,)` of a thread that is done.
        state: the state there; inside a region what its branches would come to if they joined now.
        config: names the thread and the checkpoint.
        status: how the last run ended, or that it runs; `None` for a checkpoint that is not the last.
        step: the number of the step.
        created_at: when it was written; it orders nothing.
        parent_id: the checkpoint it follows on.
        run_id: the run that wrote it.
        is_pending: the node is done, but not its routes; to go on evaluates them again.
        is_live: a run holds the thread.
        error: code, node and message of what made the run fail, or of why it can not be told where the
            branches stand or what they come to: `next` and `state` are those of their fork then.
    """

    node: str
    next: tuple[str, ...]
    state: OverAllState[Any]
    config: RunnableConfig[Any]
    status: RunStatus | None
    step: int
    created_at: datetime
    parent_id: str | None
    run_id: str
    is_pending: bool = False
    is_live: bool = False
    error: Mapping[str, Any] | None = None
    interruptions: tuple[InterruptionMetadata, ...] = ()


@final
@attrs.frozen(kw_only=True, eq=False)
class RunResult(Generic[O]):
    """How a run ended.

    Args:
        state: the state at the end; of a region that pauses what its branches would come to if they joined now.
        status: how it ended: `done` or `interrupted`.
        interruptions: what the run waits for, in branch order.
        config: the config of the run, with its thread id.
    """

    state: OverAllState[O]
    status: RunStatus
    interruptions: tuple[InterruptionMetadata, ...] = ()
    config: RunnableConfig[Any]
