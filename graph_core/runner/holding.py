"""Pauses of branches: the others go on, and the run pauses when none can (rules K5, P12)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast, final

import attrs

from graph_core.compiler.plan import HookPlan, NodePlan
from graph_core.runner.branch import Branch
from graph_core.runner.gate import (
    Gate,
    check_answered,
    open_gate,
    pause_after,
    pause_before,
    pause_inside,
    with_answers,
)
from graph_core.runner.limits import is_over, is_within
from graph_core.runner.mutation import guarded
from graph_core.runner.pauses import Pause, Pending
from graph_core.runner.questions import hook_after, question_of, said
from graph_core.runner.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph_core.compiler.plan import Call
    from graph_core.runner.branch import Key, Region
    from graph_core.runner.run import Run
    from graph_core.runner.stops import Stops

_HOOK: Final[Any] = iter(())
"""The walk of a branch whose call is a method that tells whether to pause."""


@final
@attrs.define(eq=False)
class Held:
    """A branch that pauses.

    Args:
        branch: the branch.
        pause: the pause.
        next_ids: the nodes that come next.
        go_on: what it does when it goes on; `None`: it runs the node that it stands on.
    """

    branch: Branch
    pause: Pause
    next_ids: tuple[str, ...]
    go_on: Callable[[], None] | None = None


class Holder(Recorder):
    """Holds the branches that pause."""

    def __init__(self, run: Run, any_of: Collection[str]) -> None:
        super().__init__(run, any_of)
        self._held: dict[Key, Held] = {}
        self._results: dict[Branch, Any] = {}
        self._dropped: dict[Region, int] = {}

    # -- before and inside a node --------------------------------------------------------------------------------

    def _admitted_starts(self, starts: list[Branch]) -> list[Branch]:
        """Give the branches whose calls may start; those that pause before their node are held."""
        return [branch for branch in starts if branch.call.__class__ is not NodePlan or self._is_admitted(branch)]

    def _is_admitted(self, branch: Branch) -> bool:
        gate, node, stops = self._gates.get(branch), branch.node, self._stops
        is_asked = gate is not None and gate.is_asked
        if stops is not None and not is_asked:
            if node.before is not None:
                self._ask(branch, node.before)
                return True
            if self._holds_before(branch, None):
                return False
        if gate is not None:
            branch.call = with_answers(node, gate)
            if branch.config is not None:
                branch.config = self._run.config_for(node, branch.step, gate)
        return True

    def _holds_before(self, branch: Branch, answer: Any) -> bool:
        gate, stops = open_gate(self._gates.get(branch)), cast("Stops", self._stops)
        is_stop = stops.is_before(branch.node.id)
        pause = pause_before(self._makes(branch, "before"), gate, answer, is_stop=is_stop)
        if pause is not None:
            self._hold(branch, pause)
        return pause is not None

    def _makes(self, branch: Branch, when: Any, index: int = 0) -> Callable[..., Pause]:
        return partial(self._run.pause_of, branch.key, branch.node.id, branch.step, when, index)

    def _hold(self, branch: Branch, pause: Pause) -> None:
        """Let a branch pause before or inside its node."""
        self._record_asked(branch, pause)
        self._held[branch.key] = Held(branch, pause, (branch.node.id,))

    def _has_asked(self, branch: Branch, error: BaseException) -> bool:
        """Tell whether what a call raised is a question; then its branch pauses."""
        question = question_of(error)
        if question is None or branch.call.__class__ is not NodePlan:
            return False
        check_answered(branch.node, self._gates.get(branch), question)
        made = self._makes(branch, "inside", question.index)
        self._hold(branch, pause_inside(made, self._gates.get(branch), question))
        return True

    # -- methods of an `InterruptableAction` -----------------------------------------------------------------------

    def _ask(self, branch: Branch, hook: HookPlan) -> None:
        """Make the call of a branch the one of such a method."""
        branch.walk = _HOOK
        self._calls(branch, hook)

    def _calls(self, branch: Branch, call: Call) -> None:
        """Make the next call of a branch."""
        branch.call = call
        branch.view = guarded(branch.state) if self._guards else branch.state
        gate = self._gates.get(branch) if self._gates else None
        branch.config = self._run.config_for(branch.node, branch.step, gate) if call.takes_config else None

    def _hooked(self, branch: Branch, value: Any) -> None:
        """Go on with what such a method said."""
        hook = cast("HookPlan", branch.call)
        branch.walk, branch.call = None, branch.node
        answer = said(hook, value)
        if branch in self._results:
            self._looks_after(branch, answer)
            self._node_done(branch, self._results.pop(branch))
        elif not self._holds_before(branch, answer):
            gate = self._gates[branch] = open_gate(self._gates.get(branch))
            gate.is_asked = True
            self._calls(branch, branch.node)
            self._starts.append(branch)

    @abstractmethod
    def _node_done(self, branch: Branch, value: Any) -> None:
        """Go on with what a node returned."""

    # -- after a node ----------------------------------------------------------------------------------------------

    def _watched(self, branch: Branch, value: Any) -> None:
        """Go on with what a node returned, in a run that may pause, or that has."""
        after = branch.node.after
        if self._stops is not None and after is not None:
            self._results[branch] = value
            self._ask(branch, hook_after(after, value))
            self._starts.append(branch)
            return
        self._looks_after(branch, None)
        self._node_done(branch, value)

    def _looks_after(self, branch: Branch, answer: Any) -> None:
        """Note that a branch has to pause after its node: its record says so, too."""
        self._gates.pop(branch, None)
        is_stop = self._stops is not None and self._stops.is_after(branch.node.id)
        pause = pause_after(self._makes(branch, "after"), answer, is_stop=is_stop)
        if pause is not None:
            self._after[branch] = pause

    def _holds_after(self, branch: Branch, next_ids: Sequence[str], go_on: Callable[[], None]) -> None:
        """Let a branch pause after its node, which is recorded."""
        self._held[branch.key] = Held(branch, self._after.pop(branch), tuple(next_ids), go_on)

    def _holds_before_edge(self, branch: Branch, go_on: Callable[[], None]) -> bool:
        """Let a branch pause before the routes of its node, if it has to."""
        if branch not in self._after or self._stops is None or not self._stops.before_edge:
            return False
        self._show(branch, ())
        self._record_pending(branch)
        branch.is_routed = True
        self._holds_after(branch, (branch.node.id,), go_on)
        return True

    # -- going on ----------------------------------------------------------------------------------------------------

    def _released(self, key: Key, record: Mapping[str, Any]) -> Branch | None:
        """Let a branch go on that was recorded to; give it if it runs its node now."""
        held = self._held.pop(key)
        branch = held.branch
        gate = self._gates[branch] = open_gate(self._gates.get(branch))
        gate.goes_on(held.pause, record)
        if held.go_on is None:
            return branch
        held.go_on()
        return None

    def _pass_on(self, branch: Branch, branches: Sequence[Branch]) -> None:
        """Let the answer that a branch goes on with reach those that it becomes."""
        gate = self._gates.pop(branch, None)
        if gate is not None:
            self._gates.update((each, Gate(feedback=gate.feedback)) for each in branches)

    def _forget_held(self, region: Region) -> None:
        """Forget the pauses of branches of a region that has ended without them."""
        if self._held:
            self._held = {key: each for key, each in self._held.items() if not is_within(each.branch.region, region)}

    def _carry(self, branches: Sequence[Branch], parent: Branch | None) -> None:
        """Let the answer that a branch has arrived with reach what comes behind its region."""
        arrived = sorted(branches, key=lambda each: each.key)
        gates = [gate for gate in (self._gates.pop(each, None) for each in arrived) if gate is not None]
        given = [Gate(feedback=gate.feedback) for gate in gates if gate.feedback is not None]
        if given and parent is not None:
            self._gates[parent] = given[0]
        elif given:
            self.gate = given[0]

    # -- standing still ------------------------------------------------------------------------------------------------

    def held(self) -> dict[Branch, Held]:
        """Give the branches that pause."""
        return {each.branch: each for each in self._held.values() if not is_over(each.branch.region)}

    def pending(self) -> tuple[Pending, ...]:
        """Give what they wait for, in branch order."""
        held = self.held()
        return tuple(at(branch, held[branch].pause) for branch in sorted(held, key=lambda branch: branch.key))

    def used(self) -> tuple[Pending, ...]:
        """Give what was answered to nodes that have not finished, in branch order."""
        standing = sorted((*self._starts, *self.held()), key=lambda branch: branch.key)
        gates = [(branch, self._gates[branch]) for branch in standing if branch in self._gates]
        return tuple(at(branch, pause) for branch, gate in gates for pause, _ in gate.used.values())

    def standing_regions(self) -> list[Region]:
        """Give the regions in which branches stand, the region of the main path first."""
        if self.regions is not None:
            return [self.regions[0], *(each for each in self.regions[1:] if not is_over(each))]
        found: dict[Region, None] = {}
        for branch in self.held():
            region: Region | None = branch.region
            while region is not None:
                found[region] = None
                region = region.parent.region if region.parent is not None else None
        return sorted(found, key=lambda each: len(each.prefix))


def at(branch: Branch, pause: Pause) -> Pending:
    """Tell what a branch waits for."""
    return Pending(pause=pause, node_id=branch.node.id, key=branch.key, state=branch.state, step=branch.step)
