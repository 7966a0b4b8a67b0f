"""From a definition to a plan, through all passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn, cast, final

from graph_core.action.signature import Signature, signature_of
from graph_core.compiler.actions import action_of, with_actions
from graph_core.compiler.convergence import Join, joins_of
from graph_core.compiler.flow import all_lead_out
from graph_core.compiler.pauses import hook_plans, problems_of_pauses
from graph_core.compiler.plan import ForkPlan, GraphPlan, Need, NodePlan, RegionPlan, RoutePlan
from graph_core.compiler.regions import Layouts, RegionLayout
from graph_core.compiler.saver import with_saver
from graph_core.compiler.state import StatePlan, state_plan
from graph_core.compiler.validate import problems_of
from graph_core.edge import DEFAULT, EdgeCondition
from graph_core.exception import GraphProblem, problems
from graph_core.node import END, parallel_node_id

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from graph_core.compiler.definition import Definition, Route
    from graph_core.compiler.flow import Flow
    from graph_core.config import CompileConfig
    from graph_core.state.schema import Schema


def problems_and_plan(
    definition: Definition, config: CompileConfig
) -> tuple[tuple[GraphProblem, ...], GraphPlan | None]:
    """Compile: find every problem, and make the plan if there is none."""
    definition = with_actions(definition, config)
    found, flow = problems_of(definition)
    state_problems, state = state_plan(definition, config)
    found += state_problems
    joins: dict[int, Join] = {}
    tops: dict[int, RegionLayout] = {}
    if flow.forks and all_lead_out(flow):
        joins, more = joins_of(flow)
        layouts = Layouts(flow, joins)
        tops = layouts.top()
        found += [*more, *layouts.problems]
    found += problems_of_pauses(config, definition.nodes, is_kept=config.checkpoint_saver is not None)
    if tops or not flow.forks:
        found += _of_limits(config, {flow.names[source] for source in _sources(tops, set())})
    if found:
        return tuple(found), None
    config = with_saver(config, state, definition.keys.serializer)
    return (), _Assembly(definition, config, state, flow, joins).plan(tops)


def _sources(layouts: Mapping[int, RegionLayout], found: set[int]) -> set[int]:
    """Collect the sources of all forks that run as a region somewhere."""
    for source, layout in layouts.items():
        if source not in found:
            found.add(source)
            _sources(layout.inner, found)
    return found


def _of_limits(config: CompileConfig, forks: set[str]) -> Iterator[GraphProblem]:
    if isinstance(config.max_concurrency, Mapping):
        for id_ in config.max_concurrency:
            if id_ not in forks:
                yield problems.unknown_fork("max_concurrency", id_, forks)


@final
class _Assembly:
    def __init__(
        self, definition: Definition, config: CompileConfig, state: StatePlan, flow: Flow, joins: dict[int, Join]
    ) -> None:
        self._definition = definition
        self._config = config
        self._state = state
        self._flow = flow
        self._joins = joins
        self._regions: dict[int, RegionPlan] = {}
        self._points: dict[int, NodePlan] = {}
        self._nodes = [self._node(index) for index in range(len(flow.names))]
        self._forks: dict[int, ForkPlan] = {}

    def plan(self, tops: dict[int, RegionLayout]) -> GraphPlan:
        for index in range(self._flow.end):
            self._leave(index)
        for index, fork in self._forks.items():
            fork.convergence = self._at(self._joins[index].convergence)
        definition, names = self._definition, self._flow.names
        return GraphPlan(
            name=self._config.name or definition.name,
            config=self._config,
            state=self._state,
            merger=self._state.merger,
            start=self._nodes[0],
            end=self._nodes[-1],
            nodes={names[i]: self._nodes[i] for i in range(1, self._flow.end)},
            regions={index: self._region(layout) for index, layout in tops.items()},
            parallel_ids={fork.id: fork for fork in self._forks.values()},
            rank_from_start={node: i for i, node in enumerate(self._flow.order)} if tops else {},
            definition=definition,
            has_hooks=any(node.before is not None or node.after is not None for node in self._nodes),
        )

    def _node(self, index: int) -> NodePlan:
        id_ = self._flow.names[index]
        node = self._definition.nodes.get(id_)
        if node is None:
            return NodePlan(id=id_, index=index, fn=_no_action, metadata={}, is_end=id_ == END)
        fn, signature = action_of(id_, node, self._config), cast("Signature", node.signature)
        need, hooks = cast("Need | None", None), hook_plans(id_, fn)
        if node.view is not None:
            fn, need = self._typed(fn, node.view, f"node {id_!r}", id_, is_async=signature.is_async)
        return NodePlan(
            id=id_,
            index=index,
            fn=fn,
            takes_config=signature.takes_config,
            is_async=signature.is_async,
            executor=node.executor,
            metadata=node.metadata,
            defer=node.defer,
            returns_none=node.returns_none,
            answers_only=node.commands is not None and node.commands.answers_only,
            is_either=node.commands is not None and node.commands.kind == "either",
            need=need,
            before=hooks.get("before"),
            after=hooks.get("after"),
        )

    def _typed(
        self, fn: Callable[..., Any], view: Schema, where: str, id_: str, *, is_async: bool
    ) -> tuple[Callable[..., Any], Need | None]:
        """Give an action with the adapter to its view."""
        from graph_core.compiler.typed import typed

        found = typed(fn, view, self._state.merger, where, id_, is_async=is_async)
        return found.fn, found.need

    def _at(self, index: int) -> NodePlan:
        size = len(self._nodes)
        if index < size:
            return self._nodes[index]
        if index not in self._points:
            source = self._nodes[index - size]
            id_ = parallel_node_id(source.id)
            self._points[index] = NodePlan(
                id=id_, index=index, fn=_no_action, metadata={}, point_of=source, fork=source.fork
            )
        return self._points[index]

    def _leave(self, index: int) -> None:
        plan = self._nodes[index]
        routes = self._definition.routes.get(plan.id, ())
        node = self._definition.nodes.get(plan.id)
        if len(routes) == 1 and isinstance(routes[0].target, str) and (node is None or node.commands is None):
            plan.next = self._nodes[self._flow.index[routes[0].target]]
            return
        ways = tuple(self._way(plan, route) for route in routes)
        if node is not None and node.commands is not None:
            condition = EdgeCondition(None, node.commands.mappings)
            plan.commands = self._route(plan, condition, "command", plan.fn, multi=node.commands.kind != "single")
        if index in self._joins:
            targets = [(way, None, None) for way in ways if isinstance(way, NodePlan)]
            plan.fork = ForkPlan(
                id=parallel_node_id(plan.id),
                source=plan,
                routes=ways,
                fixed=targets if len(targets) == len(ways) else None,
                convergence=self._nodes[-1],
            )
            self._forks[index] = plan.fork
        elif ways and isinstance(ways[0], NodePlan):
            plan.next = ways[0]
        elif ways and isinstance(ways[0], RoutePlan):
            plan.route = ways[0]

    def _way(self, source: NodePlan, route: Route) -> NodePlan | RoutePlan:
        if isinstance(route.target, str):
            return self._nodes[self._flow.index[route.target]]
        action = route.target.action
        fn = _no_action if action is None else action.fn
        multi = route.target.is_multi_command
        return self._route(source, route.target, route.name, fn, multi=multi, view=route.view)

    def _route(
        self,
        source: NodePlan,
        condition: EdgeCondition,
        name: str,
        fn: Any,
        *,
        multi: bool,
        view: Schema | None = None,
    ) -> RoutePlan:
        index = self._flow.index
        everywhere = condition.mappings is None
        mappings: Mapping[Hashable, str] = condition.mappings or {id_: id_ for id_ in self._flow.names[1:]}
        labels = {label: self._nodes[index[id_]] for label, id_ in mappings.items()}
        signature = signature_of(fn, f"the condition of {source.id!r}") if fn is not _no_action else None
        need: Need | None = None
        if view is not None and signature is not None:
            where = f"the route {name!r} of {source.id!r}"
            fn, need = self._typed(fn, view, where, source.id, is_async=signature.is_async)
        return RoutePlan(
            source=source.id,
            name=name,
            fn=fn,
            takes_config=signature is not None and signature.takes_config,
            is_async=signature is not None and signature.is_async,
            executor=source.executor,
            multi=multi,
            labels=labels,
            default=labels.pop(DEFAULT, None),
            everywhere=everywhere,
            need=need,
        )

    def _region(self, layout: RegionLayout) -> RegionPlan:
        key = id(layout)
        if key not in self._regions:
            rank = {node: i for i, node in enumerate(layout.order)}
            deferred = any(self._nodes[node].defer for node in layout.order)
            plan = self._regions[key] = RegionPlan(
                fork=self._forks[layout.source],
                convergence=self._at(layout.convergence),
                back=layout.back & ~(1 << layout.convergence),
                rank=rank,
                entries=frozenset(node for node in rank if not layout.back >> node & 1),
                holders=layout.holders,
                forbidden=layout.forbidden,
                tracked=deferred or any(layout.holders),
                inner={},
                deferred=deferred,
            )
            plan.inner = {node: self._region(inner) for node, inner in layout.inner.items()}
        return self._regions[key]


def _no_action(_: object) -> NoReturn:
    raise AssertionError("START, END and points have no action")  # pragma: no cover  (they are never called)
