"""Actions that get a view of the state, and may return an instance of it (rule T2)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, final

import attrs

from graph_core.action import Command, MultiCommand, Send
from graph_core.compiler.plan import Need, RefusedError
from graph_core.exception import GraphRunnerException
from graph_core.state import OverAllState, ReplaceStrategy
from graph_core.state.nested import SCALARS
from graph_core.state.schema.hints import class_of
from graph_core.state.schema.instances import is_instance, update_of_instance
from graph_core.state.schema.view import missing_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph_core.state.merger import Merger
    from graph_core.state.schema import Declared, Schema

_COMMANDS: Final[Any] = (Command, MultiCommand)  # as `Any`: to a type checker `isinstance` does not narrow then
_PLAIN: Final = frozenset({dict, str, bool, int, type(None), list, tuple, Send, OverAllState})
_MAPPING_KIND: Final = "typed_dict"


@final
@attrs.frozen(kw_only=True)
class Typed:
    """How an action is called that is annotated with a schema class.

    Args:
        fn: what is called instead of it.
        need: the keys that the state must have, where the view is the state itself.
    """

    fn: Callable[..., Any]
    need: Need | None = None


def typed(fn: Callable[..., Any], schema: Schema, merger: Merger, where: str, node_id: str, *, is_async: bool) -> Typed:
    """Make the adapter of an action.

    A TypedDict that declares all keys of the graph is seen as the state itself: only what it requires is looked for.
    """
    declared = merger.declared
    if declared is not None and schema.kind == _MAPPING_KIND and _is_whole(schema, declared):
        required = frozenset(key for key, field in schema.fields.items() if field.required)
        refuse = functools.partial(_missing, schema.name, where, node_id)
        return Typed(fn=fn, need=Need(required, len(declared.fields), refuse) if required else None)
    action = TypedAction(fn, schema, merger, where, node_id)
    return Typed(fn=action.acall if is_async else action.call)


def _is_trusted(schema: Schema, declared: Declared | None) -> bool:
    """Tell whether all values that a view gets were checked against the same types when they were written."""
    return declared is not None and all(
        not field.converts and declared.fields[key].type == field.type and not declared.fields[key].converts
        for key, field in schema.fields.items()
    )


def _is_whole(schema: Schema, declared: Declared) -> bool:
    return all(key in schema.fields and schema.fields[key].type == field.type for key, field in declared.fields.items())


def _missing(name: str, where: str, node_id: str, key: str, state: Mapping[str, Any]) -> GraphRunnerException:
    error = missing_key(key, where, name, state)
    error.node_id = node_id
    return error


@final
class TypedAction:
    """An action with the adapter to its view. It can be pickled, for executors in other processes.

    Args:
        fn: the action itself.
        schema: of which class it gets an instance.
        merger: the strategies of the graph.
        where: the action, for error texts.
        node_id: its node, or the source of its route.
    """

    __slots__ = (
        "_before",
        "_class",
        "_fn",
        "_made_of",
        "_merger",
        "_node_id",
        "_replaced",
        "_schema",
        "_strategies",
        "_view",
        "_where",
    )

    def __init__(self, fn: Callable[..., Any], schema: Schema, merger: Merger, where: str, node_id: str) -> None:
        self._made_of = (fn, schema, merger, where, node_id)
        self._fn = fn
        self._schema = schema
        self._class = class_of(schema.cls) if schema.kind != _MAPPING_KIND else ()
        self._view = schema.adapter(trusted=_is_trusted(schema, merger.declared))
        self._before = None if schema.is_frozen else schema.before
        self._merger = merger
        self._strategies = {key: merger.strategy(key) for key in schema.fields}
        self._replaced = frozenset(key for key, each in self._strategies.items() if isinstance(each, ReplaceStrategy))
        self._where = where
        self._node_id = node_id

    def call(self, state: Mapping[str, Any], *config: Any) -> Any:
        """Call a sync action."""
        view, before = self._seen(state)
        result = self._fn(view, *config)
        if result.__class__ in _PLAIN:
            return result
        if inspect.isawaitable(result):
            return self._awaited(result, state, before)
        return self._read(result, state, before)

    async def acall(self, state: Mapping[str, Any], *config: Any) -> Any:
        """Call an async action."""
        view, before = self._seen(state)
        result = await self._fn(view, *config)
        return result if result.__class__ in _PLAIN else self._read(result, state, before)

    async def _awaited(self, work: Any, state: Mapping[str, Any], before: Any) -> Any:
        result = await work
        return result if result.__class__ in _PLAIN else self._read(result, state, before)

    def _seen(self, state: Mapping[str, Any]) -> tuple[Any, Any]:
        try:
            view = self._view(state, self._where)
        except GraphRunnerException as error:
            raise self._refused(error) from error.__cause__
        return view, view if self._before is None else self._before(view)

    def _read(self, result: Any, state: Mapping[str, Any], before: Any) -> Any:
        """Put the update that an instance means in its place."""
        try:
            if isinstance(result, _COMMANDS):
                return result.with_update(self._update(result.update, state, before))
            return self._update(result, state, before)
        except GraphRunnerException as error:
            raise self._refused(error) from error.__cause__

    def _update(self, given: Any, state: Mapping[str, Any], before: Any) -> Any:
        if isinstance(given, self._class):
            if self._before is None and given.__class__ is self._class:
                update = self._replacing(before, given)
                if update is not None:
                    return update
            absent = () if self._strategies.keys() <= state.keys() else self._strategies.keys() - state.keys()
            update = self._schema.changes(before, given, self._where, strategies=self._strategies, absent=absent)
            return {**self._others(given, state), **update}
        if is_instance(given):
            return update_of_instance(given, state, self._merger.strategy, self._where)
        return given

    def _others(self, given: Any, state: Mapping[str, Any]) -> dict[str, Any]:
        """Give what an instance says beside the fields of the view: it is of a subclass, or of an open model."""
        extra: dict[str, Any] = dict(getattr(given, "model_extra", None) or {})
        if given.__class__ is not self._class:
            said = update_of_instance(given, state, self._merger.strategy, self._where)
            extra = {**said, **extra}
        return {key: value for key, value in extra.items() if key not in self._strategies}

    def _replacing(self, view: Any, given: Any) -> dict[str, Any] | None:
        """Give the update where only plain values of keys that are replaced have changed, which is most often so."""
        update: dict[str, Any] = {}
        for key in self._strategies:
            old, new = getattr(view, key), getattr(given, key)
            if old is not new:
                kind = new.__class__
                if kind not in SCALARS or key not in self._replaced:
                    return None
                if kind is not old.__class__ or new != old:
                    update[key] = new
        return update

    def _refused(self, error: GraphRunnerException) -> RefusedError:
        return RefusedError(str(error), error.code, self._node_id)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by what it is made of."""
        return TypedAction, self._made_of
