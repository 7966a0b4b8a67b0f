"""What branches have done, for runs to come (rule K1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_core.checkpoint import BranchRecord
from graph_core.runner.failures import told
from graph_core.runner.limits import is_within
from graph_core.runner.movement import Movement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph_core.exception import GraphRunnerException
    from graph_core.runner.answers import (
        Target,
    )
    from graph_core.runner.branch import Branch, Key, Region
    from graph_core.runner.pauses import Pause


class Recorder(Movement):
    """Records finished nodes, if the run keeps its thread."""

    def _record(
        self,
        branch: Branch,
        changes: Sequence[Mapping[str, Any]],
        targets: Sequence[Target] | None = None,
        *,
        silent: bool = False,
    ) -> None:
        """Record a finished node with where its branch goes on (K1)."""
        if self._records is None or (branch.is_routed and targets is None):
            return
        if branch.is_routed and branch.call is branch.node:  # the fork at a point: nothing was done
            return
        following: dict[str, Any] = {}
        if targets is not None:
            following = {"to": self._run.tracked_targets(targets)}
        if silent:
            following["silent"] = True
        if branch.is_routed:
            following["routed"] = True
        if self._after and branch in self._after:
            following["pause"] = self._after[branch].written()
        updates = changes if branch.is_routed else (branch.result, *changes)
        self._records.append(self._record_of(branch, following, updates))

    def _record_pending(self, branch: Branch) -> None:
        """Record a finished node whose routes failed: they are evaluated again."""
        self._routing.pop(branch, None)
        if self._records is not None and not branch.is_routed:
            self._records.append(self._pending_of(branch))

    def _record_dropped(self, region: Region) -> None:
        """Record the branches that dropped out: without them the region ends again when it is repeated (P7)."""
        if self._records is not None:
            self._records += [self._drop_of(region, key, error) for key, error in region.errors]

    def _drop_of(self, region: Region, key: Key, error: GraphRunnerException) -> BranchRecord:
        following = {"dropped": True, "error": told(error)}
        return BranchRecord(key=key, node_id=region.plan.fork.id, next=following, step=region.step)

    def unrouted(self) -> list[BranchRecord]:
        """Give records of the nodes whose routes nobody waits for any more: their work is not lost."""
        decided, found = self._decided, [each for each in self._routing if not each.is_routed]
        return [
            self._pending_of(each) for each in found if not any(is_within(each.region, region) for region in decided)
        ]

    def _pending_of(self, branch: Branch) -> BranchRecord:
        following: dict[str, Any] = {"pending": True}
        if self._after and branch in self._after:
            following["pause"] = self._after[branch].written()
        return self._record_of(branch, following, (branch.result,))

    def _record_asked(self, branch: Branch, pause: Pause) -> None:
        """Record that a branch pauses before or inside the node that it stands on."""
        if self._records is not None:
            self._records.append(self._asked_of(branch, pause))

    def _asked_of(self, branch: Branch, pause: Pause) -> BranchRecord:
        following = {"asks": pause.written()}
        return BranchRecord(key=branch.key, node_id=branch.node.id, next=following, step=branch.step - 1)

    def _record_of(
        self, branch: Branch, following: Mapping[str, Any], updates: Sequence[Mapping[str, Any]]
    ) -> BranchRecord:
        return BranchRecord(
            key=branch.key,
            node_id=branch.node.id,
            next=following,
            step=branch.step,
            updates=tuple(map(self._run.tracked, updates)),
        )
