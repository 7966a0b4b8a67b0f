"""The moving parts of a modelled run: updates, branches, regions, records."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from attrs import Factory, define, field, frozen

from graph_core_tests.model.analysis import ForkInfo
from graph_core_tests.model.graph import Json, State

Key: TypeAlias = tuple[int, ...]
Status: TypeAlias = Literal["waiting", "running", "inside", "arrived", "left"]
"""Waiting for its node, running it, standing on a closed fork, arrived, left backwards."""


@frozen
class Update:
    """One update of a branch's log; `uid` tells equal updates apart."""

    uid: int
    values: State


@define(eq=False)
class Branch:
    """A branch: where it stands, its key, and the log of updates since the fork (P).

    `overlay` is the state of the Send that started it; `group` is 0 or the number of that Send:
    branches of different groups neither join nor hold each other (P6).
    """

    region: "Region"
    key: Key
    node: str
    step: int
    log: tuple[Update, ...] = ()
    overlay: State = Factory(dict[str, Json])
    group: int = 0
    status: Status = "waiting"


@define(eq=False)
class Region:
    """One activation of a fork; the main path is a region without fork and parent."""

    info: ForkInfo | None
    base: State
    parent: Branch | None
    branches: list[Branch] = field(factory=list[Branch])
    number: int = 0

    def live(self) -> list[Branch]:
        """The branches that have neither arrived nor left."""
        return [b for b in self.branches if b.status in {"waiting", "running", "inside"}]

    def held(self, branch: Branch) -> bool:
        """Whether another live branch stands on a node that holds this one's (P3)."""
        if self.info is None:
            return False
        others = [b for b in self.live() if b is not branch and b.group == branch.group]
        return any((other.node, branch.node) in self.info.holds for other in others)


@frozen
class NodeRun:
    """One run of a node: its step, the state it saw when it started, its branch's key."""

    node: str
    step: int
    seen: State
    key: Key


@frozen
class RegionOutput:
    """One output `__PARALLEL__(source)`: the merged state, largest step, key of its branch."""

    id: str
    state: State
    step: int
    key: Key


@frozen
class Result:
    """How a run went.

    `ended` is `done` or an error's code. `runs` are in order of their starts, `regions` in order
    of their ends; `choices` are the numbers of alternatives there were at each completion.
    """

    state: State
    runs: tuple[NodeRun, ...]
    regions: tuple[RegionOutput, ...]
    ended: str
    choices: tuple[int, ...]


def join_logs(branches: Iterable[Branch]) -> tuple[Update, ...]:
    """The logs in key order, skipping updates already there (P4)."""
    joined: dict[int, Update] = {}
    for branch in sorted(branches, key=lambda each: each.key):
        for update in branch.log:
            joined.setdefault(update.uid, update)
    return tuple(joined.values())
