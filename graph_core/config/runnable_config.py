"""Settings of one run, and what a node can read of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, cast, final

import attrs
from typing_extensions import TypeVar

from graph_core.config.aggregation import (
    Concurrency,
    NodeAggregationStrategy,
    aggregations,
    check_aggregation,
    concurrency,
)
from graph_core.config.compile_config import check_limit, check_text
from graph_core.config.executors import ActionExecutor, check_executor
from graph_core.config.interrupts import Interrupts, interrupts
from graph_core.exception import InvalidRecordError
from graph_core.exception.texts import shown
from graph_core.state.frozen import FrozenMapping
from graph_core.streaming import StreamMode

C = TypeVar("C", default=Any, covariant=True)
_NO_DATA: Final[Mapping[str, Any]] = FrozenMapping()
# Declared as `Any`: to a type checker `isinstance` does not narrow then, and what a value holds stays `Any`.
_MAPPING: Final[Any] = Mapping
_SEQUENCE: Final[Any] = Sequence


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, _MAPPING):
        raise InvalidRecordError(f"metadata and parallel_executors must be mappings, not {value!r}")
    return FrozenMapping(value)


def _modes(value: Any) -> StreamMode | tuple[StreamMode, ...]:
    if isinstance(value, StreamMode):
        return value
    if isinstance(value, _SEQUENCE) and value and all(isinstance(mode, StreamMode) for mode in value):
        return tuple(dict.fromkeys(value))
    raise InvalidRecordError(f"stream_mode must be a StreamMode or several in a list, not {value!r}")


@final
@attrs.define(eq=False)
class Place:
    """Where in a run a node stands; `last_step` is the largest step that the limit allows."""

    node_id: str
    path: tuple[str, ...]
    step: int
    last_step: int
    run_id: str
    run_data: dict[str, Any]
    feedback: Any = None


@final
class Missing:
    """Type of `MISSING`, which stands for an answer that was not given (`None` is one)."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show the name."""
        return "MISSING"

    def __reduce__(self) -> str:
        """Pickle, copy and deepcopy to the one instance."""
        return "MISSING"


MISSING: Final = Missing()
"""No answer was given."""


@final
@attrs.frozen(kw_only=True)
class Resume:
    """How a call goes on with a thread.

    Args:
        answer: the answer to the only pending interrupt; `MISSING` if there is none.
        answers: interrupt id → answer; `None` if there are none: what settings pause goes on.
        take_over: take the thread from a run that still holds it.
    """

    answer: Any = MISSING
    answers: Mapping[str, Any] | None = None
    take_over: bool = False


@final
@attrs.frozen(kw_only=True, slots=False)  # a dict, so that one can be made for each node by one copy
class RunnableConfig(Generic[C]):
    """How one call runs; nodes get it with their own place in the run filled in.

    Args:
        thread_id: the conversation the run belongs to; a private one is made up without it.
        checkpoint_id: go on at this checkpoint of the thread instead of its last one.
        stream_mode: what `stream` gives, one mode or several.
        metadata: anything the nodes should know, read-only.
        context: what the run works with (a client, settings), read-only by convention.
        store: long-term memory, handed to the nodes as it is.
        recursion_limit: how many steps deep this call may go, else the compile's limit.
        interrupts_before, interrupts_after: where this call pauses, besides what the graph was compiled with.
        parallel_executors: fork source → executor of its branches.
        default_parallel_executor: executor of all other branches and, under the async verbs, of the
            sync nodes of the main path.
        max_concurrency: how many calls may run at once, or a mapping of fork sources to how many may
            in each activation of that fork; it takes the place of the compile's.
        aggregation: convergence id, or `__PARALLEL__(source)`, → when that region is done.
        default_aggregation: when all other regions are done.

    Raises:
        InvalidRecordError: a setting is of another type or out of range.

    >>> RunnableConfig(thread_id="t1").with_metadata(user="ann").metadata["user"]
    'ann'
    """

    thread_id: str | None = attrs.field(default=None, validator=check_text)
    checkpoint_id: str | None = attrs.field(default=None, validator=check_text)
    stream_mode: StreamMode | Sequence[StreamMode] = attrs.field(default=StreamMode.VALUES, converter=_modes)
    metadata: Mapping[str, Any] = attrs.field(default=_NO_DATA, converter=_mapping)
    context: C = attrs.field(default=cast("Any", None))
    store: Any = None
    recursion_limit: int | None = attrs.field(default=None, validator=attrs.validators.optional(check_limit))
    interrupts_before: Interrupts = attrs.field(default=(), converter=interrupts)
    interrupts_after: Interrupts = attrs.field(default=(), converter=interrupts)
    parallel_executors: Mapping[str, ActionExecutor] = attrs.field(default=_NO_DATA, converter=_mapping)
    default_parallel_executor: ActionExecutor | None = None
    max_concurrency: Concurrency | None = attrs.field(default=None, converter=concurrency)
    aggregation: Mapping[str, NodeAggregationStrategy] = attrs.field(default=_NO_DATA, converter=aggregations)
    default_aggregation: NodeAggregationStrategy = NodeAggregationStrategy.ALL_OF
    _place: Place | None = attrs.field(default=None, eq=False, repr=False)  # in `__init__`, so that `evolve` keeps it
    _resume: Resume | None = attrs.field(default=None, repr=False)

    def __attrs_post_init__(self) -> None:
        """Check the executors."""
        check_aggregation(self.default_aggregation, "default_aggregation")
        check_executor(self.default_parallel_executor, "default_parallel_executor")
        for source, executor in self.parallel_executors.items():
            check_executor(executor, f"parallel_executors[{source!r}]")

    @property
    def node_id(self) -> str | None:
        """Id of the node that is running; `None` outside one."""
        return self._place.node_id if self._place else None

    @property
    def path(self) -> tuple[str, ...]:
        """Ids of the child graphs around the node, outermost first."""
        return self._place.path if self._place else ()

    @property
    def step(self) -> int:
        """Number of the step that is running, from 1; 0 outside one."""
        return self._place.step if self._place else 0

    @property
    def remaining_steps(self) -> int:
        """How many more steps the recursion limit allows after this one; 0 outside a run."""
        return self._place.last_step - self._place.step if self._place else 0

    @property
    def run_id(self) -> str | None:
        """Id of the run; `None` outside one."""
        return self._place.run_id if self._place else None

    @property
    def run_data(self) -> dict[str, Any]:
        """A mapping of the run that its nodes may change; it is never saved (Java: `context()`)."""
        return self._place.run_data if self._place else {}

    @property
    def feedback(self) -> Any:
        """The answer to the pause that the run has gone on from, for the node that runs next; else `None`."""
        return self._place.feedback if self._place else None

    def at(self, place: Place, metadata: Mapping[str, Any]) -> RunnableConfig[C]:
        """Give this config as the node at `place` gets it, with that node's metadata below its own."""
        config = object.__new__(type(self))
        entries = config.__dict__
        entries.update(self.__dict__)
        entries["_place"] = place
        if metadata:
            entries["metadata"] = FrozenMapping({**metadata, **self.metadata})
        return config

    def portable(self) -> RunnableConfig[C]:
        """Give this config as it can leave the process: without store and executors."""
        return self._changed(store=None, parallel_executors=_NO_DATA, default_parallel_executor=None)

    def for_call(self) -> RunnableConfig[C]:
        """Give the config of a call: a node's own becomes a child's, without thread and bindings (rule C6)."""
        if self._place is None:
            return self
        return self._changed(
            thread_id=None,
            checkpoint_id=None,
            _resume=None,
            interrupts_before=(),
            interrupts_after=(),
            parallel_executors=_NO_DATA,
            max_concurrency=None,
            aggregation=_NO_DATA,
            _place=None,
        )

    def _changed(self, **entries: Any) -> RunnableConfig[C]:
        """Give a copy with entries that need no check."""
        config = object.__new__(type(self))
        config.__dict__.update(self.__dict__, **entries)
        return config

    def with_thread_id(self, thread_id: str) -> RunnableConfig[C]:
        """Give this config with another thread id."""
        check_text(self, attrs.fields(RunnableConfig).thread_id, thread_id)
        return self._changed(thread_id=thread_id)

    def with_context(self, context: Any) -> RunnableConfig[Any]:
        """Give this config with another context."""
        return self._changed(context=context)

    @property
    def resume(self) -> Resume | None:
        """How the call goes on with its thread; `None` if it was not told to."""
        return self._resume

    def with_checkpoint_id(self, checkpoint_id: str) -> RunnableConfig[C]:
        """Give this config for a call that goes on at a checkpoint of the thread."""
        check_text(self, attrs.fields(RunnableConfig).checkpoint_id, checkpoint_id)
        return self._changed(checkpoint_id=checkpoint_id)

    def at_checkpoint(self, thread_id: str, checkpoint_id: str) -> RunnableConfig[C]:
        """Give this config for a call that goes on there, whatever this one was to do with its thread."""
        return self._changed(thread_id=thread_id, checkpoint_id=checkpoint_id, _resume=None)

    def onward(self) -> RunnableConfig[C]:
        """Give this config for the next call of its thread: at the last checkpoint, whatever this call was told."""
        if self.checkpoint_id is None and self._resume is None:
            return self
        return self._changed(checkpoint_id=None, _resume=None)

    def with_resume(
        self, answer: Any = MISSING, *, answers: Mapping[str, Any] | None = None, take_over: bool = False
    ) -> RunnableConfig[C]:
        """Give this config for a call that goes on where the thread stands.

        Args:
            answer: answers the only pending interrupt; `None` is an answer.
            answers: interrupt id → answer.
            take_over: take the thread from a run that still holds it.

        Raises:
            InvalidRecordError: both kinds of answers are given, or one is of another type.
        """
        if answers is not None and (answer is not MISSING or not isinstance(answers, _MAPPING)):
            text = "with_resume takes an answer, or answers={interrupt id: answer}"
            raise InvalidRecordError(f"{text}, not {shown(answers)}")
        if not isinstance(take_over, bool):
            raise InvalidRecordError(f"take_over must be True or False, not {shown(take_over)}")
        given = None if answers is None else FrozenMapping(answers)
        return self._changed(_resume=Resume(answer=answer, answers=given, take_over=take_over))

    def with_stream_mode(self, mode: StreamMode | Sequence[StreamMode]) -> RunnableConfig[C]:
        """Give this config with other stream modes."""
        return attrs.evolve(self, stream_mode=mode)

    def with_metadata(self, **entries: Any) -> RunnableConfig[C]:
        """Give this config with entries added to its metadata."""
        return attrs.evolve(self, metadata={**self.metadata, **entries})
