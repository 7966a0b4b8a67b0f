"""The builder of graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, cast, final, overload

from returns.result import Failure, Result, Success
from typing_extensions import TypeVar

from graph_core.compiler.definition import Definition, NodeDefinition, Route
from graph_core.compiler.edges import checked_source, edge_ids
from graph_core.compiler.keys import Options, Strategies, make_keys
from graph_core.compiler.routes import check_converge_at, ids_of, label_of, make_condition, make_node
from graph_core.config import ActionExecutor, CompileConfig
from graph_core.exception import GraphProblem, GraphStateException, InvalidRecordError, problems
from graph_core.state import REPLACE, KeyStrategy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Self, TypeAlias, Unpack

    from graph_core.action import Action, CommandAction, MultiCommandAction, NodeRef
    from graph_core.compiled_graph import CompiledGraph
    from graph_core.edge import EdgeCondition
    from graph_core.edge.mappings import Mappings
    from graph_core.node import Node
    from graph_core.serializer import Serializer

    Work: TypeAlias = Action | Node | CommandAction | MultiCommandAction

S = TypeVar("S", default=Any)
C = TypeVar("C", default=Any)
I = TypeVar("I", default=S)
O = TypeVar("O", default=S)
C2 = TypeVar("C2", default=Any)
T = TypeVar("T", default=Any)  # the schema that is given
_ANY: Final[Any] = None  # what is not given; pyright takes a type argument from it


@final
class StateGraph(Generic[S, C, I, O]):
    """Collects nodes and edges, and compiles them.

    Args:
        state: a schema (a TypedDict, an attrs class, a dataclass or a pydantic model) that declares
            the keys, their types, strategies and defaults; or key → strategy, or a factory of that
            mapping, and then any other key may be there, too, with the default strategy.
        name: the name of the graph.
        input_schema, output_schema: what a run takes and gives; a schema or a collection of keys.
        context_schema: what `config.context` is: a schema or any class.
        default_strategy: the strategy of keys without one of their own.
        serializer: writes the values of checkpoints; it knows the types that are no part of a schema.
        coerce: convert inputs where nothing is lost (`"5"` where an int is expected), instead of refusing.

    Raises:
        InvalidRecordError: a class is no schema (a bare value, say), the strategies are no mapping of
            `str` to callables, or another argument is of another type.

    Every verb returns the builder. What can be seen at once is raised at once as a
    `GraphStateException`; `compile()` reports all the rest together.

    >>> from graph_core import APPEND, END, START
    >>> graph = StateGraph({"log": APPEND}).add_node("hello", lambda state: {"log": "hi"})
    >>> graph.add_edge(START, "hello").add_edge("hello", END).compile().invoke({})["log"]
    ['hi']
    """

    @overload
    def __init__(
        self: StateGraph[Any, C2, Mapping[str, Any], T],
        state: Strategies | None = None,
        /,
        *,
        input_schema: Collection[str] | None = None,
        output_schema: type[T] = _ANY,
        context_schema: type[C2] = _ANY,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self,
        state: type[S] | Strategies | None = None,
        /,
        *,
        input_schema: type[I] | None = None,
        output_schema: type[O] | None = None,
        context_schema: type[C] | None = None,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: StateGraph[T, C2, T, Any],
        state: type[T],
        /,
        *,
        output_schema: Collection[str],
        context_schema: type[C2] = _ANY,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: StateGraph[Any, C2, T, Any],
        state: type[Any] | Strategies | None = None,
        /,
        *,
        input_schema: type[T],
        output_schema: Collection[str],
        context_schema: type[C2] = _ANY,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: StateGraph[Any, C2, Mapping[str, Any], Any],
        state: type[Any] | Strategies | None = None,
        /,
        *,
        input_schema: Collection[str] | None = None,
        output_schema: type[Any] | Collection[str] | None = None,
        context_schema: type[C2] = _ANY,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        state: Any = None,
        /,
        *,
        name: str | None = None,
        input_schema: Any = None,
        output_schema: Any = None,
        context_schema: Any = None,
        default_strategy: KeyStrategy = REPLACE,
        serializer: Serializer | None = None,
        coerce: bool = False,
    ) -> None:
        self.name = name
        given = (state, input_schema, output_schema, context_schema, default_strategy, serializer)
        self._keys = make_keys(*given, coerce=coerce)
        self._nodes: dict[str, NodeDefinition] = {}
        self._routes: dict[str, list[Route]] = {}

    def add_node(
        self,
        node: str | NodeRef[Any] | Callable[..., Any] | Node,
        action: Work | None = None,
        mappings: Mappings | None = None,
        *,
        input_schema: type[Any] | None = None,
        defer: bool = False,
        destinations: Mappings | None = None,
        executor: ActionExecutor | None = None,
        metadata: Mapping[str, Any] | None = None,
        sends: Sequence[str] = (),
        converge_at: str | None = None,
    ) -> Self:
        """Add a node.

        Args:
            node: the id, a `NodeRef`, a callable whose `__name__` is the id, or a `Node`.
            action: callable `(state)` or `(state, config)`, sync or async, that returns an update; a
                `Node` with the same id; or an action that returns commands.
            mappings: label → node id of the commands that the action returns.
            input_schema: the schema class of which the action gets an instance (of a TypedDict: the
                mapping) with that schema's keys; else it is read off the annotation of its first parameter.
            defer: in a region, start only when nothing else there can go on.
            destinations: node ids (or label → node id) of the commands that the action may return
                instead of an update.
            executor: where the action runs.
            metadata: added to `config.metadata` of this node.
            sends: node ids that the commands reach by `Send`.
            converge_at: where the branches of its commands join, if not at the nearest node.

        Raises:
            GraphStateException: the id is `END` or taken, or the mapping is empty.
            InvalidRecordError: an argument is of another type.

        >>> StateGraph().add_node("double", lambda state: {"n": state["n"] * 2}).node_ids
        ('double',)
        """
        definition = make_node(
            node,
            action,
            mappings,
            destinations,
            input_schema=input_schema,
            defer=defer,
            executor=executor,
            metadata=metadata,
            sends=sends,
            converge_at=converge_at,
        )
        id_ = definition.node.id
        if id_ in self._nodes:
            raise GraphStateException([problems.duplicate_node(id_)])
        self._nodes[id_] = definition
        return self

    def add_sequence(self, *nodes: str | Callable[..., Any] | Node | tuple[str | NodeRef[Any], Work]) -> Self:
        """Add nodes, and the edges from each one to the next.

        Args:
            nodes: each as the first argument of `add_node`, or as `(id, action)`.

        Raises:
            GraphStateException: as `add_node`; or there are no nodes.

        >>> def first(state): return {"n": 1}
        >>> StateGraph().add_sequence(first, ("second", lambda state: {})).node_ids
        ('first', 'second')
        """
        if not nodes:
            raise GraphStateException([problems.empty_source("add_sequence()")])
        before: str | None = None
        for item in nodes:
            if isinstance(item, tuple):
                self.add_node(*cast("Any", item))
            else:
                self.add_node(item)
            added = next(reversed(self._nodes))
            if before is not None:
                self.add_edge(before, added)
            before = added
        return self

    def add_edge(
        self, source: str | Sequence[str], target: str | Sequence[str], *, converge_at: str | None = None
    ) -> Self:
        """Add an edge, or all edges from several sources to several targets.

        Several targets of one source run in parallel; `converge_at` names the node where they join,
        if not the nearest one.

        Raises:
            GraphStateException: no source or no target is named, or a source is `END`.

        >>> from graph_core import END, START
        >>> graph = StateGraph().add_node("a", lambda s: {}).add_edge(START, "a").add_edge("a", END)
        >>> graph.validate()
        ()
        """
        if converge_at is not None:
            check_converge_at(converge_at, f"the edge from {source!r}")
        if isinstance(source, str) and isinstance(target, str) and source:
            self._routes_of(source, target).append(Route(target, converge_at=converge_at))
            return self
        sources, targets = edge_ids(source, "source"), edge_ids(target, "target")
        if not sources or None in sources:
            raise GraphStateException([problems.empty_source(target)])
        if not targets or None in targets:
            raise GraphStateException([problems.empty_target(source)])
        for one in sources:
            checked_source(one, targets[0])
        for one in sources:
            self._routes_of(one, targets[0]).extend(Route(each, converge_at=converge_at) for each in targets)
        return self

    def add_conditional_edges(
        self,
        source: str,
        condition: Action | CommandAction | MultiCommandAction | EdgeCondition,
        mappings: Mappings | None = None,
        *,
        name: str | None = None,
    ) -> Self:
        """Add a condition that chooses one target.

        Args:
            source: `START` or a node id.
            condition: callable `(state)` or `(state, config)` that returns a label or a `Command`.
            mappings: label → node id, or a list of node ids; absent it is read off the return
                annotation (`Literal[...]` or an `Enum`), else every node may be the target.
            name: the condition's name, else its `__name__`.

        Raises:
            GraphStateException: the source is `END` or missing, or the mapping is empty.
            InvalidRecordError: the condition is not callable, or the mapping of another type.

        >>> from graph_core import END, START
        >>> graph = StateGraph().add_node("inc", lambda s: {"n": s["n"] + 1}).add_edge(START, "inc")
        >>> again = lambda s: "again" if s["n"] < 3 else "done"
        >>> graph.add_conditional_edges("inc", again, {"again": "inc", "done": END}).compile().invoke({"n": 0})["n"]
        3
        """
        return self._add_condition(source, condition, mappings, name=name, multi=False)

    def add_parallel_conditional_edges(
        self,
        source: str,
        condition: Action | MultiCommandAction | EdgeCondition,
        mappings: Mappings | None = None,
        *,
        name: str | None = None,
        sends: Sequence[str] = (),
        converge_at: str | None = None,
    ) -> Self:
        """Add a condition that chooses any number of targets, which run in parallel.

        Args:
            source: `START` or a node id.
            condition: callable that returns a label, a `Send`, a sequence of both, or a `MultiCommand`.
            mappings: label → node id, or a list of node ids; absent it is read off the annotation.
            name: the condition's name, else its `__name__`.
            sends: node ids that are reached by `Send`; no branch joins before them.
            converge_at: where the branches join, if not at the nearest node.

        Raises:
            GraphStateException: the source is `END` or missing, or the mapping is empty.
            InvalidRecordError: the condition is not callable, or the mapping of another type.

        >>> from graph_core import APPEND, END, START, Send
        >>> graph = StateGraph({"out": APPEND}).add_node("work", lambda s: {"out": s["item"] * 10})
        >>> each = lambda s: [Send("work", {"item": item}) for item in s["items"]]
        >>> graph = graph.add_parallel_conditional_edges(START, each, ["work"]).add_edge("work", END)
        >>> graph.compile().invoke({"items": [1, 2, 3]})["out"]
        [10, 20, 30]
        """
        named = ids_of(sends, f"sends= of {source!r}")
        return self._add_condition(
            source, condition, mappings, name=name, multi=True, sends=named, converge_at=converge_at
        )

    @property
    def node_ids(self) -> tuple[str, ...]:
        """Ids of the nodes, in the order in which they were added."""
        return tuple(self._nodes)

    def validate(self) -> tuple[GraphProblem, ...]:
        """Give everything that is wrong with the graph, nothing if it compiles."""
        from graph_core.compiler.assemble import problems_and_plan

        return problems_and_plan(self.definition(), CompileConfig())[0]

    def compile(self, config: CompileConfig | None = None) -> CompiledGraph[S, C, I, O]:
        """Make the graph runnable; later changes to the builder do not reach it.

        Raises:
            GraphStateException: with every problem in `.errors`.

        >>> StateGraph().add_node("a", lambda s: {}).compile()
        Traceback (most recent call last):
        ...
        graph_core.exception.errors.GraphStateException: [missing_entry_point] edge START → ?: missing Entry Point; ...
        """
        from graph_core.compiled_graph import CompiledGraph
        from graph_core.compiler.assemble import problems_and_plan

        settings = CompileConfig() if config is None else config
        if not isinstance(settings, CompileConfig):
            raise InvalidRecordError(f"compile takes a CompileConfig, not {settings!r}")
        found, plan = problems_and_plan(self.definition(), settings)
        if plan is None:
            raise GraphStateException(found)
        return CompiledGraph(plan)

    def compile_result(
        self, config: CompileConfig | None = None
    ) -> Result[CompiledGraph[S, C, I, O], GraphStateException]:
        """Compile for a caller who decides what to do with problems.

        >>> StateGraph().compile_result().failure().code
        'missing_entry_point'
        """
        try:
            return Success(self.compile(config))
        except GraphStateException as error:
            return Failure(error)

    def definition(self) -> Definition:
        """Give what was defined so far, as records that never change."""
        return Definition(
            name=self.name,
            nodes=dict(self._nodes),
            routes={source: tuple(routes) for source, routes in self._routes.items()},
            keys=self._keys,
        )

    def _add_condition(
        self,
        source: str,
        condition: Any,
        mappings: Mappings | None,
        *,
        name: str | None,
        multi: bool,
        sends: tuple[str, ...] = (),
        converge_at: str | None = None,
    ) -> Self:
        checked_source(source, "?")
        check_converge_at(converge_at, f"the condition of {source!r}")
        if mappings is not None and not mappings:
            raise GraphStateException([problems.edge_mapping_is_empty(source)])
        made = make_condition(source, condition, mappings, name, multi=multi)
        routes = self._routes_of(source, "?")
        label = label_of(made.condition, routes)
        routes.append(Route(made.condition, label, sends, made.only_sends, converge_at, made.view, made.answers))
        return self

    def _routes_of(self, source: str, target: str) -> list[Route]:
        if source not in self._routes:
            self._routes[checked_source(source, target)] = []
        return self._routes[source]
