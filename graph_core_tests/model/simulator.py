"""Runs a graph by the rules, in the completion order a chooser asks for."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import define, field, frozen

from graph_core_tests.model.analysis import Analysis, ForkInfo, analyse
from graph_core_tests.model.branches import (
    Branch,
    Key,
    NodeRun,
    Region,
    RegionOutput,
    Result,
    Update,
    join_logs,
)
from graph_core_tests.model.errors import (
    NO_EDGES,
    RECURSION_LIMIT,
    SEND_BACK,
    SEND_TO_CONVERGENCE,
    ModelError,
)
from graph_core_tests.model.graph import END, START, Graph, State
from graph_core_tests.model.routing import Answer, Target, answer, chosen
from graph_core_tests.model.values import evaluate_update, merge, visit_value

__all__ = ["NodeRun", "RegionOutput", "Result", "Running", "run"]


@frozen
class Running:
    """One running action, as shown to the chooser."""

    node: str
    step: int
    key: Key


Chooser: TypeAlias = Callable[[Sequence[Running]], int]


@frozen
class _Action:
    """A running action: its branch, and what it will return."""

    branch: Branch
    update: State
    command: Answer | None


@define
class _Run:
    """The state of one run."""

    analysis: Analysis
    graph: Graph
    actions: list[_Action] = field(factory=list[_Action])
    regions: list[Region] = field(factory=list[Region])
    visits: Counter[str] = field(factory=Counter[str])
    numbers: int = 0
    runs: list[NodeRun] = field(factory=list[NodeRun])
    outputs: list[RegionOutput] = field(factory=list[RegionOutput])
    defer: frozenset[str] = frozenset()

    def number(self) -> int:
        """A number not used before, for updates and groups."""
        self.numbers += 1
        return self.numbers

    def view(self, branch: Branch) -> State:
        """The fork's state, a Send's state laid over it, the branch's log on top (P4, P6)."""
        state = {**branch.region.base, **branch.overlay}
        for update in branch.log:
            state = merge(self.graph.strategies, state, update.values)
        return state

    def write(self, branch: Branch, values: State) -> None:
        """Append an update to the log of a branch; one that cannot be merged raises first."""
        merge(self.graph.strategies, self.view(branch), values)
        branch.log = (*branch.log, Update(self.number(), values))

    # -- starting

    def settle(self) -> None:
        """Do everything that can happen before another action completes."""
        while self._start_ready() or self._close_one() or self._start_deferred():
            pass

    def _start_ready(self) -> bool:
        """Start a node that P3 lets start, unless it is deferred."""
        for region in self.regions:
            for branch in region.branches:
                ready = branch.status == "waiting" and not region.held(branch)
                if ready and branch.node not in self.defer:
                    self._start(branch)
                    return True
        return False

    def _start_deferred(self) -> bool:
        """Start one deferred node of a region in which nothing moves (P13)."""
        for region in self.regions:
            if all(branch.status not in {"running", "inside"} for branch in region.branches):
                ranks = region.info.ranks if region.info else dict[str, int]()
                ready = [b for b in region.live() if not region.held(b)]
                if ready:
                    self._start(min(ready, key=lambda b: (ranks.get(b.node, 0), b.key)))
                    return True
        return False

    def _start(self, branch: Branch) -> None:
        """Join all that wait on this node and run it once, one step on (P3, P4, X2)."""
        region = branch.region
        same = [b for b in region.branches if (b.status, b.node, b.group) == ("waiting", branch.node, branch.group)]
        first = min(same, key=lambda each: each.key)
        first.log, first.step = join_logs(same), max(b.step for b in same)
        region.branches = [b for b in region.branches if b is first or b not in same]
        first.status = "running"
        if self.analysis.flow.is_point(first.node):
            self.route(first, None)
            return
        first.step += 1
        if first.step > self.graph.recursion_limit:
            raise ModelError(RECURSION_LIMIT, first.node)
        self._act(first)

    def _act(self, branch: Branch) -> None:
        """Work out what the node will return; it is merged when the action completes."""
        self.visits[branch.node] += 1
        visit = self.visits[branch.node]
        seen = self.view(branch)
        self.runs.append(NodeRun(branch.node, branch.step, seen, branch.key))
        node = self.graph.node(branch.node)
        command = answer(node.command, seen, visit) if node.command else None
        update = evaluate_update(visit_value(node.updates, visit), seen, visit)
        self.actions.append(_Action(branch, update, command))

    # -- completing

    def complete(self, index: int) -> None:
        """The action ends: its update is written, its routes are evaluated."""
        action = self.actions.pop(index)
        if action.update:
            self.write(action.branch, action.update)
        self.route(action.branch, action.command)

    def route(self, branch: Branch, command: Answer | None) -> None:
        """Evaluate all routes on the node's own result, then move (R6, R8, R9)."""
        answers = [command] if command else self._answers(branch)
        for each in answers:
            for update in each.updates:
                self.write(branch, update)
        targets = chosen([target for each in answers for target in each.targets])
        alone = len(targets) == 1 and targets[0].node == END
        if branch.node in self.analysis.forks and not alone:
            self._fork(branch, targets)
        elif targets:
            self._move(branch, targets[0].node)
        else:
            raise ModelError(NO_EDGES, branch.node)

    def _answers(self, branch: Branch) -> list[Answer]:
        """What each edge of the branch's node says, in the order of declaration."""
        state = self.view(branch)
        result: list[Answer] = []
        for position, edge in enumerate(self.analysis.flow.routes[branch.node]):
            name = f"route {position} of {branch.node}"
            self.visits[name] += 1
            result.append(answer(edge, state, self.visits[name]))
        return result

    def _move(self, branch: Branch, node: str) -> None:
        """Arrive, leave backwards, or come to a node and wait there (P3, P15)."""
        info = branch.region.info
        branch.node = node
        if node == END or (info is not None and node == info.convergence):
            branch.status = "arrived"
        elif info is not None and node in info.backs:
            branch.status = "left"
        else:
            branch.status = "waiting"

    # -- forks

    def _fork(self, branch: Branch, targets: list[Target]) -> None:
        """Split into branches, in the same region or in one of their own (P14)."""
        info = self.analysis.forks[branch.node]
        outer = branch.region
        if outer.info is not None and branch.node in outer.info.open:
            children = [self._child(branch, outer, n, t) for n, t in enumerate(targets)]
            if not targets:
                self._move(branch, info.convergence)
                return
            at = outer.branches.index(branch)
            outer.branches[at : at + 1] = children
            return
        branch.status = "inside"
        region = Region(info, self.view(branch), branch, number=self.number())
        region.branches = [self._child(branch, region, n, t) for n, t in enumerate(targets)]
        self.regions.append(region)

    def _child(self, branch: Branch, region: Region, position: int, target: Target) -> Branch:
        """One branch of a fork, on its way to its target."""
        same = region is branch.region
        child = Branch(region, (*branch.key, position), branch.node, branch.step)
        if same:
            child.log, child.overlay, child.group = branch.log, branch.overlay, branch.group
        if target.send is None:
            self._move(child, target.node)
            return child
        self._check_send(region, target.node)
        child.node, child.overlay, child.group = target.node, target.send, self.number()
        return child

    def _check_send(self, region: Region, node: str) -> None:
        """A Send to the convergence, the source or an enclosing way back is an error."""
        info, outer = region.info, region.parent
        if info is None or node == info.convergence:
            raise ModelError(SEND_TO_CONVERGENCE, node)
        if node == info.fork.origin:
            raise ModelError(SEND_BACK, node)
        while outer is not None and outer.region.info is not None:
            if node in outer.region.info.backs:
                raise ModelError(SEND_BACK, node)
            outer = outer.region.parent

    # -- ends of regions

    def _close_one(self) -> bool:
        """End a region in which no branch lives any more."""
        for region in self.regions:
            if region.info is not None and region.parent is not None and not region.live():
                self._close(region, region.info, region.parent)
                return True
        return False

    def _close(self, region: Region, info: ForkInfo, parent: Branch) -> None:
        """Merge the logs into the fork's branch, emit the output, go on (P4, P11, P15)."""
        self.regions.remove(region)
        parent.log = (*parent.log, *join_logs(region.branches))
        parent.step = max([parent.step, *(b.step for b in region.branches)])
        merged = self.view(parent)
        self.outputs.append(RegionOutput(info.fork.id, merged, parent.step, parent.key))
        left = [b.node for b in region.branches if b.status == "left"]
        ways = sorted(left, key=lambda n: (-self._leaves(region, n), self.analysis.order[n]))
        self._move(parent, ways[0] if ways else info.convergence)

    def _leaves(self, region: Region | None, node: str) -> int:
        """How many regions a branch of this one leaves that goes back to `node`."""
        count = 0
        while region is not None and region.info is not None and node in region.info.backs:
            count += 1
            region = region.parent.region if region.parent else None
        return count


def run(graph: Graph, inputs: State, choose: Chooser = lambda _: 0, analysis: Analysis | None = None) -> Result:
    """Run from START; `choose` picks which of the running actions completes next.

    An error of the rules ends the run and is named in the result's `ended`.
    """
    model = _Run(analysis or analyse(graph), graph, defer=frozenset(n.id for n in graph.nodes if n.defer))
    root = Region(None, {}, None)
    main = Branch(root, (), START, 0, status="running")
    root.branches.append(main)
    model.regions.append(root)
    choices: list[int] = []
    ended = "done"
    try:
        model.write(main, inputs)
        model.route(main, None)
        model.settle()
        while model.actions:
            shown = [Running(a.branch.node, a.branch.step, a.branch.key) for a in model.actions]
            choices.append(len(shown))
            model.complete(choose(shown))
            model.settle()
        if root.live():
            ended = "stuck"
    except ModelError as error:
        ended = error.code
    state = model.view(root.branches[0])
    return Result(state, tuple(model.runs), tuple(model.outputs), ended, tuple(choices))
