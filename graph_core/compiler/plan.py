"""What a run walks: everything that a compile can decide is decided here.

The records are filled in once, by `assemble`, since they refer to each other; nobody writes to them later.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias, final

import attrs

from graph_core.compiler.definition import Definition
from graph_core.compiler.state import StatePlan
from graph_core.config import INLINE, ActionExecutor, CompileConfig
from graph_core.exception import GraphRunnerException
from graph_core.state.merger import Merger

Call: TypeAlias = "NodePlan | RoutePlan | HookPlan"
"""What a driver can run: it has `fn`, `takes_config`, `is_async` and `executor`."""


class RefusedError(GraphRunnerException):
    """What the adapter of an action refused, before or after it: the run makes a failure of the node of it."""


@final
@attrs.frozen
class Need:
    """The keys without which an action does not run, where its view is the state itself.

    Args:
        required: the keys.
        total: how many keys the whole graph declares: a state with so many has them all.
        refuse: makes the error of a key that is missing.
    """

    required: frozenset[str]
    total: int
    refuse: Callable[[str, Mapping[str, Any]], GraphRunnerException]

    def check(self, state: Mapping[str, Any]) -> None:
        """Refuse a state without one of them.

        Raises:
            GraphRunnerException: as said (code ``missing_key``).
        """
        if not self.required <= state.keys():
            raise self.refuse(min(self.required - state.keys()), state)


@final
@attrs.define(eq=False, kw_only=True)
class RoutePlan:
    """A condition: its action, and the nodes that its labels mean.

    Args:
        source: id of the source.
        name: name of the condition.
        labels: label → node; `everywhere` tells that the labels are the ids of all nodes.
        default: the node of every label that is not mapped.
        need: the keys that its view must have, if that is the state itself.
    """

    source: str
    name: str
    fn: Callable[..., Any]
    takes_config: bool
    is_async: bool
    executor: ActionExecutor | None
    multi: bool
    labels: dict[Hashable, NodePlan]
    default: NodePlan | None
    everywhere: bool = False
    need: Need | None = None


@final
@attrs.define(eq=False, kw_only=True)
class HookPlan:
    """A method of an `InterruptableAction`; like a route it only decides, so it is called where the run is.

    Args:
        source: id of the node.
        name: name of the method.
        fn: the method with the id of the node; before it is called it has got the update, if it takes one.
    """

    source: str
    name: str
    fn: Callable[..., Any]
    is_async: bool
    takes_config: bool = True
    executor: ActionExecutor | None = INLINE
    need: Need | None = None


@final
@attrs.define(eq=False, kw_only=True)
class NodePlan:
    """A node: its action, and what comes after it: one of `next`, `route` and `fork`.

    Args:
        index: position in the compiled graph; `START` is 0, `END` the last node.
        commands: the route that reads the commands which the action may return.
        answers_only: the action returns nothing but commands and labels.
        is_either: it may return a `Command` as well as a `MultiCommand`.
        need: the keys that its view must have, if that is the state itself.
        point_of: the source whose fork this point stands behind; only points have one.
        before, after: what tells whether the run has to pause there.
    """

    id: str
    index: int
    fn: Callable[..., Any]
    takes_config: bool = False
    is_async: bool = False
    executor: ActionExecutor | None = None
    metadata: Mapping[str, Any]
    defer: bool = False
    returns_none: bool = False
    commands: RoutePlan | None = None
    answers_only: bool = False
    is_either: bool = False
    is_end: bool = False
    need: Need | None = None
    point_of: NodePlan | None = None
    before: HookPlan | None = None
    after: HookPlan | None = None
    next: NodePlan | None = None
    route: RoutePlan | None = None
    fork: ForkPlan | None = None


@final
@attrs.define(eq=False, kw_only=True)
class ForkPlan:
    """A fork: its routes in the order of declaration, and where its branches join.

    Args:
        fixed: its targets, if none of them is chosen when it runs.
    """

    id: str
    source: NodePlan
    routes: tuple[NodePlan | RoutePlan, ...]
    fixed: list[tuple[NodePlan, None, None]] | None
    convergence: NodePlan


@final
@attrs.define(eq=False, kw_only=True)
class RegionPlan:
    """The region of a fork in its place (rules P1 to P3, P14, P15).

    Args:
        fork: the fork.
        convergence: where its branches join.
        back: indices of the nodes that a branch leaves backwards to, as a bit set.
        rank: index → rank, for all nodes of the region.
        entries: indices of the nodes that a label leads into the region at.
        holders: by rank, the ranks of the nodes that hold it, as a bit set.
        forbidden: indices of the nodes that no copy may be sent to, as a bit set.
        tracked: a node of the region holds another one or is deferred, so it counts who stands where.
        inner: index of a closed fork → its region.
        deferred: a node of the region is deferred.
    """

    fork: ForkPlan
    convergence: NodePlan
    back: int
    rank: dict[int, int]
    entries: frozenset[int]
    holders: list[int]
    forbidden: int
    tracked: bool
    inner: dict[int, RegionPlan]
    deferred: bool


@final
@attrs.define(eq=False, kw_only=True)
class GraphPlan:
    """A compiled graph: nodes, and the regions of the forks that the main path comes to.

    Args:
        state: what its schemas come to; `merger` is that of it.
        nodes: id → node, without `START` and `END`.
        regions: index of a fork → its region.
        parallel_ids: id `__PARALLEL__(source)` → the fork.
        rank_from_start: index → breadth-first position from `START`; empty without forks.
        definition: what it was made from, to be shown.
        has_hooks: the action of a node may pause the run before or after itself.
    """

    name: str | None
    config: CompileConfig
    state: StatePlan
    merger: Merger
    start: NodePlan
    end: NodePlan
    nodes: dict[str, NodePlan]
    regions: dict[int, RegionPlan]
    parallel_ids: dict[str, ForkPlan]
    rank_from_start: dict[int, int]
    definition: Definition
    has_hooks: bool
