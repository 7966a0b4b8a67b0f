"""The regions of a run: branches move by the same routes as the main path (rules P1 to P15)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

from graph_core.action import Command
from graph_core.compiler.plan import HookPlan, NodePlan, RoutePlan
from graph_core.exception import GraphRunnerException
from graph_core.runner import failures
from graph_core.runner.answers import (
    Target,
    command_choice,
    evaluate,
    evaluate_one,
    is_command,
    update_of,
)
from graph_core.runner.asks import Ask, Cancel, Done
from graph_core.runner.branch import Branch, Region
from graph_core.runner.forks import check_sends
from graph_core.runner.gate import Gate
from graph_core.runner.holding import Holder
from graph_core.runner.limits import is_over, is_within
from graph_core.runner.mutation import check_unchanged
from graph_core.runner.questions import question_of

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from graph_core.compiler.plan import ForkPlan


class Walk(Holder):
    """Lets branches run their nodes and follow their routes."""

    def _tell(self, told: Sequence[Done]) -> None:
        """Go on with every branch whose call is done."""
        rest = iter(told)
        branch, done = told[0][0], False
        limiter, guards = self._limiter, self._guards
        node_done = self._node_done if self._stops is None and not self._gates else self._watched
        while not done:
            try:
                for branch, is_result, value in rest:
                    if limiter is not None:
                        self._admitted += limiter.released(branch)
                    if (guards or not is_result) and self._is_held(branch, is_result, value):
                        continue
                    if branch.walk is None:
                        node_done(branch, value)
                    else:
                        self._walk(branch, value)
                done = True
            except GraphRunnerException as error:
                if branch.call.__class__ is RoutePlan:
                    self._keep_pending(branch)
                self._fail(branch, error)

    def _is_held(self, branch: Branch, is_result: bool, value: Any) -> bool:
        """Tell whether a branch pauses with its call, instead of going on.

        Raises:
            GraphRunnerException: the call has failed, or has changed the state in place.
        """
        if is_result:
            check_unchanged(branch.call, branch.state, branch.view)
            return False
        if self._has_asked(branch, value):
            return True
        raise failures.of_call(branch.call, value)

    def _resolved(self) -> Generator[Ask, Any, None]:
        """End the regions that have a winner or an error, cancelling what still runs in them."""
        while self._decided or self._failing:
            if self._decided:
                region = max(self._decided, key=lambda each: len(each.prefix))  # its winner may arrive further out
                if not is_over(region):
                    yield from self._cancelled(region)
                    region.arrived = [min(region.arrived, key=lambda branch: branch.key)]
                    self._close(region, region.arrived)
                    self._routing = {each: None for each in self._routing if not is_within(each.region, region)}
                self._decided.remove(region)
                continue
            region = max(self._failing, key=lambda each: len(each.prefix))
            self._failing.remove(region)
            goes_on = self._waits and region.busy  # what seemed to be the last branch let another one start
            if not goes_on and not is_over(region):
                for branch, is_result, value in (yield from self._cancelled(region)):
                    if not is_result and not (branch.call.__class__ is NodePlan and question_of(value)):
                        error = failures.of_call(branch.call, value)
                        region.errors.append((branch.key, error))
                self._failed(region)

    def _cancelled(self, region: Region) -> Generator[Ask, Any, list[Done]]:
        """Cancel all calls in a region, and give the outcomes of those that were done before."""
        region.is_over = True
        late: list[Done] = yield Cancel(lambda branch: is_over(branch.region))
        if self._limiter is not None:
            self._admitted += self._limiter.dropped()
        self._starts = [branch for branch in self._starts if not is_over(branch.region)]
        self._admitted = [branch for branch in self._admitted if not is_over(branch.region)]
        region.is_over = False
        return late

    def _keep_pending(self, branch: Branch) -> None:
        """Show and record a node that was done, although its route failed: its work is not lost (X3)."""
        if branch.node.fork is None:
            self._show(branch, ())
        self._record_pending(branch)

    def _node_done(self, branch: Branch, value: Any) -> None:
        node = branch.node
        if node.commands is not None and is_command(node, value):
            self._commanded(branch, node.commands, value)
            return
        update = value if value.__class__ is dict else update_of(node, value, branch.state)
        target = node.next
        if target is not None and target is branch.region.plan.convergence and not self._one:
            self._arrive(branch, node.id, update, target)
            return
        branch.result = update
        if update:
            self._log(branch, update)
        self._follow(branch)

    def _arrive(self, branch: Branch, node_id: str, update: Mapping[str, Any], target: NodePlan) -> None:
        """Arrive with an update that no view needs: that it can be merged is enough, the one merge is at the end."""
        try:
            self._merger.check(branch.state, update)
        except Exception as error:
            raise (failure := failures.merge_failed(node_id, error)) from failure.__cause__
        branch.log.append((node_id, update))
        branch.is_stale = True
        if self._records is not None:
            branch.result = update
            self._record(branch, ())
        region = branch.region
        if region.plan.tracked:
            self._move(branch, target)
            return
        region.arrived.append(branch)
        region.busy -= 1
        region.live -= 1
        if not region.live or region.errors:
            self._maybe_end(region)

    def _commanded(self, branch: Branch, route: RoutePlan, command: Any) -> None:
        """Go where a node's command says, instead of along its edges (R9)."""
        node = branch.node
        branch.result = {}
        targets, updates = command_choice(route, command)
        silent = node.is_either and isinstance(command, Command)
        if node.fork is None:
            self._go(branch, targets[0][0], updates)
        else:
            self._show(branch, ())
            self._fork(branch, targets, updates, silent=silent)

    def _follow(self, branch: Branch) -> None:
        """Go along the edges of the node a branch stands on."""
        node = branch.node
        if node.next is not None:
            if self._emits:
                self._show(branch, ())
            if self._records is not None:
                self._record(branch, ())
            self._go_to(branch, node.next)
        elif node.route is not None:
            if self._after and self._holds_before_edge(branch, partial(self._follow, branch)):
                return
            branch.walk = evaluate_one(node.route)
            self._walk(branch, None)
        elif node.fork is not None and (node.fork.routes or branch.region.plan.convergence.point_of is node):
            has_routes = node.fork.fixed is None
            if has_routes and self._after and self._holds_before_edge(branch, partial(self._follow, branch)):
                return
            self._show(branch, ())
            self._at_fork(branch)
        else:
            raise failures.missing_edge(node.id)

    def _at_fork(self, branch: Branch) -> None:
        """Evaluate the routes of the fork a branch stands on, unless its branches join right behind it."""
        node = branch.node
        convergence = branch.region.plan.convergence
        if convergence.point_of is node:
            self._record(branch, ())
            self._go_to(branch, convergence)
        else:
            branch.walk = evaluate(cast("ForkPlan", node.fork))
            self._walk(branch, None)

    def _walk(self, branch: Branch, answer: Any) -> None:
        if branch.call.__class__ is HookPlan:
            self._hooked(branch, answer)
            return
        walk: Any = branch.walk
        try:
            route = walk.send(answer)
        except StopIteration as end:
            branch.walk = None
            targets, updates = end.value
            if branch.node.fork is None:
                self._go(branch, targets[0][0], updates)
            else:
                self._fork(branch, targets, updates)
            self._routing.pop(branch, None)
            return
        self._call(branch, route)

    def _call(self, branch: Branch, call: Any) -> None:
        branch.call = call
        if call.need is not None and not self._has_needs(branch, call.need, shows=branch.node.fork is None):
            return
        self._calls(branch, call)
        self._routing[branch] = None
        self._starts.append(branch)

    def _log(self, branch: Branch, update: Mapping[str, Any]) -> None:
        branch.state = self._run.merged(branch.node.id, branch.state, update)
        branch.log.append((branch.node.id, update))

    def _log_all(self, branch: Branch, updates: Sequence[Any]) -> list[Mapping[str, Any]]:
        """Log the updates of commands, and give them as mappings."""
        branch.state, found = self._run.folded(branch.node.id, branch.state, updates)
        branch.log += [(branch.node.id, update) for update in found]
        return found

    def _go(self, branch: Branch, target: NodePlan, updates: Sequence[Mapping[str, Any]]) -> None:
        """Follow a single route; its update shows in the node's own output (P11)."""
        changes = self._log_all(branch, updates) if updates else []
        self._show(branch, changes)
        self._record(branch, changes, [(target, None, None)])
        branch.call = branch.node  # what fails from here on is not the node's route
        self._go_to(branch, target)

    def _go_to(self, branch: Branch, target: NodePlan) -> None:
        """Go to the next node, unless the branch has to pause first."""
        if self._after and branch in self._after:
            self._holds_after(branch, (target.id,), partial(self._move, branch, target))
        else:
            self._move(branch, target)

    def _show(self, branch: Branch, updates: Sequence[Mapping[str, Any]]) -> None:
        if self._emits and not branch.is_routed:
            self._run.show(branch.node.id, branch.state, branch.result, updates, branch.step, branch.key)

    def _fork(
        self,
        branch: Branch,
        targets: Sequence[Target],
        updates: Sequence[Mapping[str, Any]],
        *,
        silent: bool = False,
    ) -> None:
        updates = self._log_all(branch, updates)
        node = branch.node
        plan = branch.region.plan
        nodes = [target for target in targets if not target[0].is_end]
        if node.index in plan.inner:
            check_sends(plan.inner[node.index], self._merger, nodes)
        else:
            _check_open(nodes)
        self._record(branch, updates, targets, silent=silent)
        branch.call = node  # what fails from here on is not the node's route
        if self._after and branch in self._after:
            spread = partial(self._spread, branch, targets, nodes, updates, silent=silent)
            ids = [target[0].id for target in nodes] or [target[0].id for target in targets[:1]]
            self._holds_after(branch, ids or [cast("ForkPlan", node.fork).convergence.id], spread)
            return
        self._spread(branch, targets, nodes, updates, silent=silent)

    def _spread(
        self,
        branch: Branch,
        targets: Sequence[Target],
        nodes: Sequence[Target],
        updates: Sequence[Mapping[str, Any]],
        *,
        silent: bool,
    ) -> None:
        """Make branches of what a fork has chosen."""
        node, plan = branch.node, branch.region.plan
        if targets and not nodes:
            self._move(branch, targets[0][0])
        elif node.index not in plan.inner:
            self._split(branch, nodes)
        elif nodes:
            self._enter(plan.inner[node.index], branch, branch.state, branch.step, nodes, updates, silent=silent)
        else:
            if self._emits:
                self._run.show_region(plan.inner[node.index], branch.state, branch.step, (*branch.key, 0), updates)
            self._move(branch, plan.inner[node.index].fork.convergence)

    def _split(self, branch: Branch, targets: Sequence[Target]) -> None:
        """Make branches of the enclosing region of an open fork's targets (P14)."""
        fork = branch.node.fork
        if not targets and fork is not None:
            self._move(branch, fork.convergence)
            return
        region, group = branch.region, branch.group
        gate = self._gates.pop(branch, None) if self._gates else None
        region.shared = True
        region.live += len(targets) - 1
        region.busy += len(targets) - 1
        group.leave(branch.rank)
        for position, (target, _, _) in enumerate(targets):
            key = (*branch.key, position)
            child = Branch(region, branch.node, key, group, branch.state, branch.step, list(branch.log))
            if gate is not None:
                self._gates[child] = Gate(feedback=gate.feedback)
            self._place(child, target)
        self._settle(region, group)
        if region.errors:
            self._maybe_end(region)


def _check_open(targets: Sequence[Target]) -> None:
    for target, payload, route in targets:
        if payload is not None and route is not None:
            raise failures.send_on_open_fork(route, target.id)
