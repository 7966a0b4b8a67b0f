"""Branches and regions of a run: who stands where, and what was done since the fork (rules P2 to P6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast, final

from graph_core.runner.failures import merge_failed
from graph_core.state.overall_state import state_of

if TYPE_CHECKING:
    from graph_core.compiler.plan import Call, NodePlan, RegionPlan
    from graph_core.config import RunnableConfig
    from graph_core.config.executors import ActionExecutor
    from graph_core.exception import GraphRunnerException
    from graph_core.runner.answers import Calls
    from graph_core.runner.limits import Slots
    from graph_core.state import OverAllState

Entry: TypeAlias = tuple[str, Mapping[str, Any]]
"""An update since the fork, and the node that made it; each entry is one object, and counts once."""
Key: TypeAlias = tuple[int, ...]
_key: Final = attrgetter("key")
LAST_NODES: Final = 5
"""How many nodes the error of the recursion limit names."""
_NO_COUNTS: Final[dict[int, int]] = {}
_NOBODY: Final[dict[int, list[Branch]]] = {}


@final
class Group:
    """Branches that may join with each other: the plain ones of a region, or one `Send` and its own.

    Args:
        base: what its branches see of the state of the fork.
        tracked: its region counts who stands where; else nobody ever waits.
    """

    __slots__ = ("base", "counts", "mask", "waiting")

    def __init__(self, base: OverAllState[Any], *, tracked: bool) -> None:
        self.base = base
        self.counts: dict[int, int] = {} if tracked else _NO_COUNTS
        self.mask = 0
        self.waiting: dict[int, list[Branch]] = {} if tracked else _NOBODY

    def stand(self, rank: int) -> None:
        """Count one more branch that stands on a node."""
        self.counts[rank] = self.counts.get(rank, 0) + 1
        self.mask |= 1 << rank

    def leave(self, rank: int, branches: int = 1) -> None:
        """Count branches that stand there no longer."""
        left = self.counts[rank] - branches
        self.counts[rank] = left
        if not left:
            self.mask ^= 1 << rank


@final
class Branch:
    """One branch: the node it stands on, its key, and its log of updates since the fork.

    The driver reads `call`, `view` and `config`: what to run next, and on what. `is_stale` tells
    that the last entry of the log is not merged into `state`; `is_routed` that of the step only the
    routes are to be recorded: the node itself was in an earlier run, or no node ran.
    """

    __slots__ = (
        "call", "config", "group", "is_routed", "is_stale", "key", "log", "node", "rank", "region", "result", "state",
        "step", "view", "walk",
    )  # fmt: skip
    config: RunnableConfig[Any] | None
    call: Call
    view: OverAllState[Any]
    rank: int
    result: Mapping[str, Any]

    def __init__(
        self,
        region: Region,
        node: NodePlan,
        key: Key,
        group: Group,
        state: OverAllState[Any],
        step: int,
        log: list[Entry],
    ) -> None:
        self.region = region
        self.node = node
        self.key = key
        self.group = group
        self.state = state
        self.step = step
        self.log = log
        self.walk: Calls | None = None
        self.is_stale = False
        self.is_routed = False

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What the call is called with."""
        return (self.view,) if self.config is None else (self.view, self.config)

    def executor(self, by_fork: Mapping[str, ActionExecutor], default: ActionExecutor | None) -> ActionExecutor | None:
        """Give where the call runs: the node's executor, else the fork's, else the default (P10)."""
        executor = self.call.executor
        return executor if executor is not None else by_fork.get(self.region.plan.fork.source.id, default)


@final
class Region:
    """A region that runs.

    Args:
        plan: what the compiler decided about it.
        parent: the branch around it, which stands on the fork's source; `None` on the main path.
        state: the state of the fork.
        step: the step of the fork's source.
        positions: how many branches it begins with.

    `live` counts the branches that have neither arrived nor left, `busy` those of them that do not wait;
    `any_of` tells that the first branch to arrive is enough, `is_over` that it has ended, failed or was
    cancelled; `errors` are those of its branches, `slots` those of its limited fork.
    `silent` tells that it has no output of its own, `shared` that logs may have entries in common, since
    an open fork made branches of one.
    """

    __slots__ = (
        "any_of", "arrived", "busy", "errors", "group", "groups", "is_over", "left", "live", "parent", "plan",
        "positions", "prefix", "shared", "silent", "slots", "state", "step", "updates",
    )  # fmt: skip

    def __init__(
        self, plan: RegionPlan, parent: Branch | None, state: OverAllState[Any], step: int, positions: int
    ) -> None:
        self.plan = plan
        self.parent = parent
        self.prefix: Key = parent.key if parent is not None else ()
        self.state = state
        self.step = step
        self.positions = positions
        self.live = positions
        self.busy = positions
        self.group = Group(state, tracked=plan.tracked)
        self.groups = [self.group]
        self.arrived: list[Branch] = []
        self.left: list[tuple[NodePlan, Branch]] = []
        self.updates: Sequence[Mapping[str, Any]] = ()
        self.shared = False
        self.silent = False
        self.is_over = False
        self.any_of = False
        self.errors: list[tuple[Key, GraphRunnerException]] = []
        self.slots: Slots | None = None

    @property
    def place(self) -> Key:
        """The place of the region itself: behind its last branch."""
        return (*self.prefix, self.positions)


def joined_log(branches: list[Branch]) -> list[Entry]:
    """Concatenate the logs of branches in key order, each entry once (rule P4)."""
    if len(branches) == 1:
        return branches[0].log
    ordered = sorted(branches, key=_key)
    if not ordered[0].region.shared:
        return [entry for branch in ordered for entry in branch.log]
    seen: set[int] = set()
    found: list[Entry] = []
    for branch in ordered:
        for entry in branch.log:
            if id(entry) not in seen:
                seen.add(id(entry))
                found.append(entry)
    return found


def applied(base: OverAllState[Any], log: list[Entry]) -> OverAllState[Any]:
    """Give a state with a log merged in.

    Raises:
        GraphRunnerException: a strategy raises; it names the node whose update it is.
    """
    merger = base._merger  # pyright: ignore[reportPrivateUsage]  (the state's own)
    state = state_of(base, merger)
    owned: set[str] = set()
    for node_id, update in log:
        try:
            merger.apply(cast("dict[str, Any]", state), update, owned)
        except Exception as error:
            raise (failure := merge_failed(node_id, error)) from failure.__cause__
    return state
