"""What a graph's schemas come to: strategies, keys, defaults, and what goes in and out (rules T1 to T3)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeAlias, final

import attrs

from graph_core.exception import GraphProblem, problems
from graph_core.state.merger import Merger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from graph_core.compiler.definition import Definition, Keys
    from graph_core.config import CompileConfig
    from graph_core.state import OverAllState
    from graph_core.state.schema import Declared, Door, Schema  # noqa: TC004  (only annotations name it, and few graphs have a schema to load it for)

Defaults: TypeAlias = "tuple[tuple[str, Callable[[], object]], ...]"


@final
@attrs.frozen(kw_only=True, eq=False)
class StatePlan:
    """The state of a compiled graph.

    Args:
        merger: the strategies of the state.
        final: those of the state that a run gives, which has the output schema.
        outputs: the keys that a run gives; `None`: all.
        defaults: key → factory of the values that a state begins with.
        door: what may be given to a run; `None`: anything.
        context: what the context of a run must be; `None`: anything.
        untracked: keys that are never saved.
        schemas: all schemas of the graph.
    """

    merger: Merger
    final: Merger
    outputs: frozenset[str] | None = None
    defaults: Defaults = ()
    door: Door | None = None
    context: Schema | type | None = None
    untracked: frozenset[str] = frozenset()
    schemas: tuple[Schema, ...] = ()

    def given(self, state: OverAllState[Any]) -> OverAllState[Any]:
        """Give what a caller gets of a state: the output keys."""
        from graph_core.state.overall_state import state_of

        outputs = self.outputs
        if outputs is None and self.final is self.merger:
            return state
        return state_of(state if outputs is None else {k: v for k, v in state.items() if k in outputs}, self.final)


def state_plan(definition: Definition, config: CompileConfig) -> tuple[list[GraphProblem], StatePlan]:
    """Put all schemas of a graph together: its own, and those of its nodes and routes."""
    keys = definition.keys
    own = [each for each in (keys.state, keys.inputs, keys.outputs) if each is not None and not isinstance(each, tuple)]
    views = list(dict.fromkeys(_views(definition)))
    if not own and not views and keys.context is None and keys.inputs is None and keys.outputs is None:
        untracked = frozenset(config.untracked)
        merger = Merger(keys.strategies, keys.default_strategy, None, untracked)
        return [], StatePlan(merger=merger, final=merger, untracked=untracked)
    return _with_schemas(keys, list(dict.fromkeys(own)), views, config)


def _views(definition: Definition) -> Iterator[Schema]:
    for node in definition.nodes.values():
        if node.view is not None:
            yield node.view
    for routes in definition.routes.values():
        for route in routes:
            if route.view is not None:
                yield route.view


def _with_schemas(
    keys: Keys, own: list[Schema], views: list[Schema], config: CompileConfig
) -> tuple[list[GraphProblem], StatePlan]:
    from graph_core.state.schema import Declared, agreed_strategies

    schemas = list(dict.fromkeys([*own, *views]))
    strategies, disagreements = agreed_strategies(schemas, keys.strategies)
    found = [problems.disagreement(key, text) for key, text in disagreements]
    declared = Declared(schemas, keys.state) if keys.state is not None else None
    found += _unknown(keys, declared, config)
    marked = {key for schema in schemas for key, field in schema.fields.items() if field.is_untracked}
    untracked = frozenset({*config.untracked, *marked})
    outputs = _names(keys.state if keys.outputs is None else keys.outputs)
    if declared is not None and outputs is not None and declared.fields.keys() <= set(outputs):
        outputs = None
    merger = Merger(strategies, keys.default_strategy, declared, untracked)
    return found, StatePlan(
        merger=merger,
        final=_final(keys, merger, declared),
        outputs=None if outputs is None else frozenset(outputs),
        defaults=_defaults(own, views if declared is not None else []),
        door=_door(keys, merger),
        context=keys.context,
        untracked=untracked,
        schemas=tuple(schemas),
    )


def _final(keys: Keys, merger: Merger, declared: Declared | None) -> Merger:
    """Give the merger of final states: `view()` of one gives an instance of the output schema."""
    from graph_core.state.schema import Declared

    if keys.outputs is None:
        return merger
    seen = None if isinstance(keys.outputs, tuple) else keys.outputs
    if declared is not None:
        return merger.with_declared(declared.with_schema(seen))
    return merger if seen is None else merger.with_declared(Declared([seen], seen))


def _unknown(keys: Keys, declared: Declared | None, config: CompileConfig) -> Iterator[GraphProblem]:
    if declared is not None:
        places = (("input_schema", keys.inputs), ("output_schema", keys.outputs), ("untracked", (*config.untracked,)))
        for where, given in places:
            for key in given if isinstance(given, tuple) else ():
                if key not in declared.fields:
                    yield problems.unknown_key(where, key, declared.fields)


def _names(given: Schema | tuple[str, ...] | None) -> tuple[str, ...] | None:
    if given is None or isinstance(given, tuple):
        return given
    return tuple(given.fields)


def _defaults(own: list[Schema], views: list[Schema]) -> Defaults:
    """Collect defaults: those of the graph's own schemas, and of views those of private keys."""
    found: dict[str, Callable[[], object]] = {}
    declared = {key for schema in own for key in schema.fields}
    for schema in [*own, *views]:
        for key, field in schema.fields.items():
            if field.make_default is not None and (schema in own or key not in declared):
                found.setdefault(key, field.make_default)
    return tuple(found.items())


def _door(keys: Keys, merger: Merger) -> Door | None:
    from graph_core.state.schema import Door

    made = functools.partial(Door, strategy=merger.strategy, coerce=keys.coerce)
    if keys.inputs is None:
        if keys.state is None:
            return None
        return made(schema=keys.state, keys=tuple(keys.state.fields))
    if isinstance(keys.inputs, tuple):
        return made(schema=keys.state, keys=keys.inputs)
    fields: Mapping[str, Any] = keys.inputs.fields
    required = tuple(key for key, field in fields.items() if field.required)
    return made(schema=keys.inputs, keys=tuple(fields), required=required)
