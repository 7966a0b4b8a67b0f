"""State schemas: what keys a state has, of which types, merged how (rules T1 to T3)."""

from __future__ import annotations

import collections
import copy
import functools
import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, final

import attrs

from graph_core.exception import GraphRunnerException, InvalidRecordError
from graph_core.state.frozen import FrozenMapping
from graph_core.state.nested import MAPPING
from graph_core.state.schema.changes import changes_between, refuse_foreign, unknown_key
from graph_core.state.schema.field import Kind, SchemaField
from graph_core.state.schema.hints import class_of
from graph_core.state.schema.kinds import actual
from graph_core.state.schema.read import Reader, kind_of
from graph_core.state.schema.same import is_same
from graph_core.state.schema.strategy import refuse_misfit, started
from graph_core.state.schema.view import View, view_of
from graph_core.state.strategies import KeyStrategy

_CONTAINERS: Final = frozenset({list, dict, set})
_GROWING: Final[Any] = (collections.deque, collections.defaultdict, collections.OrderedDict)
_RIGHT: Final = "a TypedDict, an attrs class, a dataclass or a pydantic model"


@final
@attrs.frozen(eq=False, repr=False)
class Schema:
    """What a class says about a state.

    Args:
        cls: the class, or an alias of it with type arguments.
        kind: ``"typed_dict"``, ``"attrs"``, ``"dataclass"`` or ``"pydantic"``.
        fields: key → what is declared for it, in the order of declaration.
        name: the name of the class.

    >>> from typing import Annotated, TypedDict
    >>> from graph_core import APPEND
    >>> Chat = TypedDict("Chat", {"user": str, "messages": Annotated[list[str], APPEND]})
    >>> chat = Schema.of(Chat)
    >>> chat.strategies()
    {'messages': AppendStrategy(allow_duplicate=True)}
    >>> chat.validate({"user": 5, "mesages": []})
    ['expected str @ $.user, not int 5', "unknown key 'mesages' @ $, did you mean 'messages'?"]
    """

    cls: Any
    kind: Kind
    fields: Mapping[str, SchemaField]
    name: str
    _view: View = attrs.field(alias="view")
    _values: Callable[[Any], dict[str, Any]] = attrs.field(alias="values")
    _strategies: Mapping[str, KeyStrategy] = attrs.field(alias="strategies")
    _is_frozen: bool = attrs.field(alias="is_frozen")

    @staticmethod
    def of(of_class: Any, /) -> Schema:
        """Read a class; the same one gives the same schema.

        Raises:
            InvalidRecordError: it is no schema class, a hint can not be resolved, or a strategy or a
                default is none that a state can use.
        """
        try:
            hash(of_class)
        except TypeError:
            raise _no_schema(of_class) from None
        return _read(of_class)

    def strategies(self) -> dict[str, KeyStrategy]:
        """Give key → strategy, ready for the engine, of the keys that declare one.

        A callable of the user's gets the empty value of the key's type as its first old value (rule
        T1). Builtins are left as they are, since the engine stores a first value without calling them.
        """
        return dict(self._strategies)

    def defaults(self) -> dict[str, Any]:
        """Give key → default, fresh ones at each call."""
        made = ((name, field.make_default) for name, field in self.fields.items())
        return {name: make() for name, make in made if make is not None}

    def values(self, instance: Any) -> dict[str, Any]:
        """Give key → value of an instance of the class."""
        return self._values(instance)

    def view(self, state: Mapping[str, Any], where: str) -> Any:
        """Build an instance of the class of a state (of a TypedDict: a dict of its keys).

        Args:
            state: the values; other keys are left out.
            where: who gets the view, for error texts: ``node 'a'``.

        Raises:
            GraphRunnerException: a required key is not there (code ``missing_key``), or a value is
                of the wrong type (code ``invalid_value``); only its outermost type is looked at.
        """
        return self._view(state, where)

    def adapter(self, *, trusted: bool = False) -> View:
        """Give what builds the views, `(state, where) -> instance`, for whoever calls it often.

        Args:
            trusted: the values fit the types already: no class is looked at.
        """
        if not trusted:
            return self._view
        return view_of(class_of(self.cls), self.kind, tuple(self.fields.values()), self.name, trusted=True)

    @property
    def is_frozen(self) -> bool:
        """Tell that nobody can change an instance."""
        return self._is_frozen

    def before(self, view: Any) -> Any:
        """Give what `changes` has to compare with, taken before a node gets its view.

        That is the view itself where nobody can change it, else its values: a node may change its
        instance and return it. The containers of a pydantic model are its own, so they are copied.
        """
        if self._is_frozen:
            return view
        values = self._values(view)
        if self.kind == "pydantic":
            return {name: _copied(value) for name, value in values.items()}
        return values

    def changes(
        self,
        before: Any,
        result: Any,
        where: str,
        *,
        strategies: Mapping[str, KeyStrategy] | None = None,
        absent: Collection[str] = (),
    ) -> dict[str, Any]:
        """Give the update that a returned instance means: the fields that differ from the view.

        For every key the update is what its strategy merges with the old value into the new one: the
        tail of a list under APPEND or `operator.add`, the difference of numbers (of floats up to
        rounding), the entries that changed (or went: `REMOVE`) under MERGE, the value itself under
        REPLACE.

        Args:
            before: what `before(view)` gave (or the view, which is the same for frozen classes).
            result: what the node returned.
            where: the node, for error texts.
            strategies: those of the graph, where they are not only the schema's own.
            absent: keys that the state had not, so that the view showed their defaults.

        Raises:
            GraphRunnerException: `result` is of another class, or no update gives one of its values
                (a shortened list under APPEND, say), and it is no `Overwrite` (code ``invalid_update``).
            InvalidRecordError: `before` is the returned instance itself and could be changed.
        """
        if before is result and not self._is_frozen:
            text = f"a {self.name} can be changed, so it can not be compared with itself; take schema.before(view)"
            raise InvalidRecordError(f"{text} before the node gets the view")
        if not isinstance(result, MAPPING if self.kind == "typed_dict" else class_of(self.cls)):
            text = f"{where} returned {actual(result)}, but its state is {self.name}; return an instance of that,"
            raise GraphRunnerException(f"{text} or a mapping with the update", "invalid_update")
        if self.kind == "typed_dict":
            refuse_foreign(result, self.fields, where, self.name)
        old = before if isinstance(before, MAPPING) else self._values(before)
        new = self._values(result)
        if absent:  # what was changed there starts from nothing
            old = {key: value for key, value in old.items() if key not in absent or is_same(value, new.get(key))}
        return changes_between(old, new, self._strategies if strategies is None else strategies, where, self.name)

    def unknown_keys(self, values: Mapping[str, Any]) -> list[str]:
        """Tell which keys of an update are not declared, each with a close match; cheap if all are."""
        if values.keys() <= self.fields.keys():
            return []
        return [unknown_key(key, self.fields) for key in values if key not in self.fields]

    def validate(self, values: Mapping[str, Any], *, coerce: bool = False, partial: bool = True) -> list[str]:
        """Check what is written to a state; everything wrong is told at once.

        An `int` is a `float`, `True` is no number, `"5"` is no `int`. `REMOVE`, `Overwrite`, `ReplaceAllWith`
        and `RemoveByHash` may be values of keys; what is overwritten with is checked.

        Args:
            values: the input or update.
            coerce: allow what can be converted without loss.
            partial: required keys may be missing.

        Returns:
            The problems with their paths: ``expected int @ $.items[2].qty, not str '5'``.
        """
        return self._checked(values, coerce, partial)[1]

    def coerced(self, values: Mapping[str, Any], *, partial: bool = True) -> dict[str, Any]:
        """Give the values with everything converted that can be without loss; what fits is not rebuilt.

        Raises:
            GraphRunnerException: some do not fit; all problems are told (code ``invalid_input``).
        """
        found, problems = self._checked(values, True, partial)  # noqa: FBT003  (coerce)
        if problems:
            raise GraphRunnerException(f"{self.name}: {'; '.join(problems)}", "invalid_input")
        return found

    def _checked(self, values: Mapping[str, Any], coerce: bool, partial: bool) -> tuple[dict[str, Any], list[str]]:  # noqa: FBT001
        from graph_core.state.schema.validation import checked_values

        return checked_values(self, values, lax=coerce, partial=partial)

    def __repr__(self) -> str:
        """Show kind and name."""
        return f"<Schema {self.name} ({self.kind}): {', '.join(self.fields)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the class."""
        return Schema.of, (self.cls,)


def _copied(value: Any) -> Any:
    """Copy what a node may change in a model: containers and models, at every depth."""
    kind: Any = value.__class__
    if kind in _CONTAINERS or isinstance(value, _GROWING):
        return copy.deepcopy(value) if kind not in {list, dict} else _each_copied(value)
    return value.model_copy(deep=True) if kind_of(kind) == "pydantic" else value


def _each_copied(value: Any) -> Any:
    if isinstance(value, MAPPING):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value]


@functools.lru_cache(maxsize=1024)
def _read(cls: Any) -> Schema:
    kind = kind_of(cls)
    if kind is None:
        raise _no_schema(cls)
    reader = Reader(cls, strict=True)
    fields = reader.fields()
    for field in fields:
        refuse_misfit(field, reader.where(field.name))
    found = ((field.name, started(field)) for field in fields)
    return Schema(
        cls=cls,
        kind=kind,
        fields=FrozenMapping({field.name: field for field in fields}),
        name=reader.name,
        view=view_of(class_of(cls), kind, fields, reader.name),
        values=_reader_of_values(kind, fields),
        strategies=FrozenMapping({name: strategy for name, strategy in found if strategy is not None}),
        is_frozen=_is_frozen(class_of(cls), kind),
    )


def _no_schema(cls: Any) -> InvalidRecordError:
    what = f"the class {cls.__qualname__}" if isinstance(cls, type) else repr(cls)
    text = f"a state has named keys, and {what} declares none; a schema is {_RIGHT}"
    return InvalidRecordError(text)


def _reader_of_values(kind: Kind, fields: list[SchemaField]) -> Callable[[Any], dict[str, Any]]:
    names = [field.name for field in fields]
    if kind == "typed_dict":
        return dict
    if len(names) > 1:
        values_of = operator.attrgetter(*names)
        return lambda instance: dict(zip(names, values_of(instance), strict=True))
    return lambda instance: {name: getattr(instance, name) for name in names}


def _is_frozen(cls: Any, kind: Kind) -> bool:
    if kind == "dataclass":
        return bool(cls.__dataclass_params__.frozen)
    if kind != "attrs":
        return False
    decorated = next(base for base in cls.__mro__ if "__attrs_attrs__" in vars(base))
    return bool(attrs.inspect(decorated).is_frozen)
