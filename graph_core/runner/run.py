"""What a run knows of itself, and what it leaves: its state, outputs, entries and failures."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

import attrs

from graph_core.config.runnable_config import Place
from graph_core.runner import failures
from graph_core.runner.answers import resolved
from graph_core.runner.bindings import check_bindings
from graph_core.runner.branch import LAST_NODES
from graph_core.runner.history import NOTHING as NO_DATA
from graph_core.runner.history import PENDING, Boundary, History, with_records
from graph_core.runner.inputs import with_context
from graph_core.runner.limits import Limiter
from graph_core.runner.mutation import guarded
from graph_core.runner.pauses import Pause, Paused, all_shown, pause_id
from graph_core.runner.preview import records_of
from graph_core.runner.stops import stops_of
from graph_core.runner.waiting import asked_anew
from graph_core.state.overall_state import merge_one, state_of
from graph_core.streaming import NodeOutput, StreamMode

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from graph_core.checkpoint import BaseCheckpointSaver, BranchRecord, ThreadStatus
    from graph_core.compiler.plan import GraphPlan, NodePlan, RegionPlan
    from graph_core.config import RunnableConfig
    from graph_core.exception import GraphRunnerException
    from graph_core.runner.answers import Target
    from graph_core.runner.asks import Ask, Done, Save
    from graph_core.runner.branch import Key
    from graph_core.runner.gate import Gate
    from graph_core.runner.pauses import Pending, When
    from graph_core.runner.region_runner import RegionRunner
    from graph_core.state import OverAllState
    from graph_core.streaming import InterruptionMetadata

Steps: TypeAlias = "Generator[Ask, Any, OverAllState[Any]]"
Turn: TypeAlias = "Generator[Ask, Any, tuple[NodePlan, OverAllState[Any], int]]"
"""Asks what it must, and gives the next node, the state and the largest step so far."""


class Run:
    """What a run knows.

    Args:
        plan: the compiled graph.
        config: the config of the call.
        modes: the stream modes that somebody reads; without one no outputs are made.

    Attributes:
        step: the step of the node that runs, or ran last, on the main path, from 1; 0 at `START`.
        state: the state that this node got.
        gate: what is known of pauses where the main path stands.
        interruptions: what the run has paused for.
        pauses: records of that, which a private run still has to leave.
        opens: what comes next is not paused before by settings: a person has just led the thread there.
    """

    def __init__(self, plan: GraphPlan, config: RunnableConfig[Any], modes: Sequence[StreamMode] = ()) -> None:
        call = with_context(plan.state, config.for_call())
        check_bindings(plan, call)
        self.plan = plan
        is_private = call.thread_id is None
        self.thread_id = call.thread_id or _random_id()
        self.config = call if call.thread_id else call.with_thread_id(self.thread_id)
        self.run_id = _random_id()
        self.run_data: dict[str, Any] = config.run_data
        self.emits = tuple(modes)
        self.outputs: list[NodeOutput] = []
        self.limit = call.recursion_limit or plan.config.recursion_limit
        self.last_step = self.limit
        self.recent: deque[str] = deque(maxlen=LAST_NODES)
        self.step = 0
        self.state: OverAllState[Any] = state_of({}, plan.merger)
        self.boundary: Boundary | None = None
        self.told: list[list[Done]] = []
        self.region: RegionRunner | None = None
        self.status: ThreadStatus = "cancelled"
        self.failure: GraphRunnerException | None = None
        self.history = self._kept(plan.config.checkpoint_saver, is_private=is_private)
        self.stops = stops_of(plan, call)
        self.gate: Gate | None = None
        self.interruptions: tuple[InterruptionMetadata, ...] = ()
        self.pauses: list[BranchRecord] = []
        self.opens = False
        self._after: Pause | None = None
        self._since: list[Mapping[str, Any]] | None = None
        self._node = plan.start
        self._sequence = 0

    def _kept(self, saver: BaseCheckpointSaver | None, *, is_private: bool) -> History | None:
        if saver is None:
            return None
        return History(
            saver,
            self.thread_id,
            self.run_id,
            is_private=is_private,
            lease=self.plan.config.lease,
            untracked=self.plan.state.untracked,
            strategy=self.plan.merger.strategy,
        )

    @property
    def is_kept(self) -> bool:
        """Tell whether every step is saved."""
        return self.history is not None and not self.history.is_private

    @property
    def current_node_id(self) -> str:
        """The node that runs, or ran last, on the main path; `START` before the first."""
        return self._node.id

    def ended(self) -> Iterable[Save]:
        """Give what is left to be saved when the run is over, however it ended."""
        if self.history is None:
            return ()
        release = self.plan.config.release_thread
        return self.history.ended(self.status, self.boundary, self._left, self.failure, release=release)

    def _left(self) -> list[BranchRecord]:
        """Give what branches have done that is not saved yet."""
        if self.is_kept:
            return [] if self.region is None else self.region.unrouted()
        done = records_of(self, cast("Boundary", self.boundary), self.told) if self.told else []
        is_paused = self.status == "interrupted"
        left = [] if self.region is None else self.region.left_open(is_interrupted=is_paused)
        return [*done, *left, *self.pauses]

    def _reached(
        self,
        node_id: str,
        next_ids: tuple[str, ...],
        state: OverAllState[Any],
        updates: Sequence[Mapping[str, Any]],
        step: int,
        data: Mapping[str, Any] = NO_DATA,
    ) -> Iterable[Save]:
        """Note where the run stands after a step whose route is known, and save it (K1)."""
        history = self.history
        if history is None:
            return ()
        if self._after is not None:
            data = {**data, "pause": self._after.written()}
        if self.opens:
            data = {**data, "open": True}
        if self.gate is not None and self.gate.feedback is not None:
            data = {**data, "feedback": self.gate.feedback}
        self.boundary = Boundary(node_id, next_ids, state, step, data)
        since, self._since = self._since, []
        return () if history.is_private else history.entry(self.boundary, None if since is None else (*since, *updates))

    def _is_done(
        self, node: NodePlan, state: OverAllState[Any], updates: Sequence[Mapping[str, Any]], step: int
    ) -> None:
        """Note that a node is done, but not its routes."""
        if self.history is None:
            return
        self.boundary = Boundary(node.id, (), state, step, PENDING)
        if self._since is not None:
            self._since += updates

    def resumes_at(self, boundary: Boundary, step: int) -> None:
        """Note where a run goes on, and the largest step so far: the recursion limit counts from there (X2)."""
        self.boundary, self._since = boundary, []
        self.step, self.last_step = step, step + self.limit
        self.begins()

    def amended(
        self, boundary: Boundary, inputs: Mapping[str, Any], records: Sequence[BranchRecord]
    ) -> Generator[Ask, Any, Boundary]:
        """Store where a run goes on anew, with input merged in, as an entry of its own (K3)."""
        state = self.merged(boundary.node_id, boundary.state, inputs)
        known = asked_anew(records) if inputs else records
        self.boundary = changed = with_records(attrs.evolve(boundary, state=state), known)
        yield from cast("History", self.history).entry(changed, (inputs,))
        return changed

    def recorded(self, records: list[BranchRecord]) -> Generator[Ask, Any, None]:
        """Store what branches have finished; there are records only of a thread that is kept."""
        yield cast("History", self.history).records(records)

    def begins(self) -> None:
        """Note that the run is accepted: from here on it changes its thread."""
        if self.history is not None:
            self.history.has_begun = True

    def config_for(self, node: NodePlan, step: int, gate: Gate | None = None) -> RunnableConfig[Any]:
        """Give the config that a node gets (X6)."""
        place = Place(node.id, (), step, self.last_step, self.run_id, self.run_data)
        if gate is not None:
            place.feedback = gate.feedback
        return self.config.at(place, node.metadata)

    def merged(self, node_id: str, state: OverAllState[Any], update: Mapping[str, Any]) -> OverAllState[Any]:
        """Merge an update of a node into a state.

        Raises:
            GraphRunnerException: it can not be merged.
        """
        try:
            return merge_one(state, self.plan.merger, update)
        except Exception as error:
            raise (failure := failures.merge_failed(node_id, error)) from failure.__cause__

    def folded(
        self, node_id: str, state: OverAllState[Any], updates: Sequence[Any]
    ) -> tuple[OverAllState[Any], list[Mapping[str, Any]]]:
        """Merge the updates of commands into a state, and give them as mappings.

        Raises:
            GraphRunnerException: one can not be merged.
        """
        found: list[Mapping[str, Any]] = []
        for each in updates:
            update = resolved(node_id, each, state)
            state = self.merged(node_id, state, update)
            found.append(update)
        return state, found

    def tracked(self, update: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give an update as it may be saved: without the keys that are never written (K10)."""
        untracked = self.plan.state.untracked
        if untracked.isdisjoint(update):
            return update
        return {key: value for key, value in update.items() if key not in untracked}

    def tracked_targets(self, targets: Sequence[Target]) -> list[tuple[str, Mapping[str, Any] | None]]:
        """Give the targets of a fork as they may be saved."""
        return [(node.id, None if payload is None else self.tracked(payload)) for node, payload, _ in targets]

    def limiter(self) -> Limiter | None:
        """Make what keeps to the limit of calls at once, if there is one (P9)."""
        limit = self.config.max_concurrency
        if limit is None:
            limit = self.plan.config.max_concurrency
        return Limiter(limit) if limit else None

    def is_refused(self, node: NodePlan, step: int) -> bool:
        """Tell whether the recursion limit refuses a node; else it is one of the last that the error names (X2)."""
        if step > self.last_step:
            return True
        self.recent.append(node.id)
        return False

    def limit_reached(self, node: NodePlan) -> GraphRunnerException:
        """Make the error of a node that the recursion limit refuses (X2)."""
        return failures.recursion_limit(node.id, self.limit, self.thread_id, tuple(self.recent))

    def show(
        self,
        node_id: str,
        state: OverAllState[Any],
        update: Mapping[str, Any],
        route_updates: Sequence[Mapping[str, Any]],
        step: int,
        branch: tuple[int, ...],
    ) -> None:
        """Make the outputs of a step, one for each mode that is read."""
        for mode in self.emits:
            output = NodeOutput(
                node=node_id,
                state=state if mode is StreamMode.VALUES else None,
                update=update,
                route_updates=tuple(route_updates),
                step=step,
                branch=branch,
                sequence=self._sequence,
                config=self.config,
                mode=mode,
            )
            self._sequence += 1
            self.outputs.append(output)

    def pause_of(self, key: Key, node_id: str, step: int, when: When, index: int = 0, **asked: Any) -> Pause:
        """Make a pause of this run.

        Raises:
            GraphRunnerException: nothing would keep the run until it goes on.
        """
        if self.history is None:
            raise failures.unkept_pause(node_id)
        return Pause(id=pause_id(self.run_id, key, node_id, step, f"{when} {index}"), when=when, **asked)

    def stand_still(self, pending: Sequence[Pending], state: OverAllState[Any]) -> NoReturn:
        """End the walk: the run waits for a person.

        Raises:
            Paused: always.
        """
        self.interruptions = all_shown(pending, self.config.onward(), self._sequence)
        raise Paused(state)

    def show_region(
        self,
        region: RegionPlan,
        state: OverAllState[Any],
        step: int,
        place: tuple[int, ...],
        updates: Sequence[Mapping[str, Any]],
    ) -> None:
        """Make the outputs of a region that has ended (P11)."""
        self.show(region.fork.id, state, {}, updates, step, place)

    def _shown(
        self,
        node_id: str,
        state: OverAllState[Any],
        update: Mapping[str, Any],
        changes: Sequence[Mapping[str, Any]],
        step: int,
    ) -> Generator[NodeOutput, Any, None]:
        self.show(node_id, state, update, changes, step, ())
        yield from self._taken()

    def _taken(self) -> Generator[NodeOutput, Any, None]:
        outputs, self.outputs = self.outputs, []
        yield from outputs

    def _guarded(self, state: OverAllState[Any]) -> OverAllState[Any]:
        return guarded(state) if self.plan.config.detect_mutation else state


def _random_id() -> str:
    return os.urandom(16).hex()
