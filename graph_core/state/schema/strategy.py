"""Key strategies of schemas: found in annotations, started at the empty value, compared (rule T1)."""

from __future__ import annotations

import collections
import collections.abc
import datetime as dt
import decimal
import functools
import inspect
import types
import typing
from typing import TYPE_CHECKING, Any, Final, final

import attrs
import typing_extensions

from graph_core.exception import InvalidRecordError
from graph_core.state.schema.field import MISSING, Missing, SchemaField
from graph_core.state.schema.hints import class_of, plain, shown
from graph_core.state.schema.kinds import kinds_of
from graph_core.state.strategies import AppendStrategy, KeyStrategy, MergeStrategy, ReplaceStrategy

if TYPE_CHECKING:
    from collections.abc import Iterable

_READY_MADE: Final = (AppendStrategy, MergeStrategy, ReplaceStrategy)
_SAME: Final[tuple[type, ...]] = (
    *(list, dict, set, frozenset, tuple, str, bytes, bytearray, int, float, bool, complex),
    *(collections.deque, collections.defaultdict, collections.Counter, collections.OrderedDict),
    *(decimal.Decimal, dt.timedelta),
)
_abc: Final = collections.abc
_EMPTY: Final[dict[Any, type]] = {
    **{kind: kind for kind in _SAME},
    **dict.fromkeys((_abc.Sequence, _abc.MutableSequence, _abc.Collection, _abc.Iterable), list),
    **dict.fromkeys((_abc.Mapping, _abc.MutableMapping), dict),
    **dict.fromkeys((_abc.Set, _abc.MutableSet), set),
}


def empty_value(hint: Any) -> object | Missing:
    """Give the empty value of a type, a fresh one at each call.

    Returns:
        `MISSING` where there is no such value: of a union (`None` is a value of `int | None`), a
        `Literal`, a record, a tuple of fixed length, a TypedDict with required keys.

    >>> empty_value(list[str]), empty_value(int), empty_value(int | None)
    ([], 0, MISSING)
    """
    kind = _empty_kind(hint)
    return MISSING if kind is None else kind()


def _empty_kind(hint: Any) -> type | None:
    bare = plain(hint)
    origin: Any = class_of(bare)
    if typing_extensions.is_typeddict(origin):
        return None if origin.__required_keys__ else dict
    if origin is tuple and typing.get_args(bare) and Ellipsis not in typing.get_args(bare):
        return None
    return _EMPTY.get(origin)


@final
@attrs.frozen(repr=False)
class Started:
    """A strategy of a user's that gets an empty value as the old one where the key is absent.

    Args:
        strategy: the callable as it was declared.
        empty: the class of the empty value.
    """

    strategy: KeyStrategy
    empty: type

    def __call__(self, old: Any, new: Any) -> Any:
        """Merge."""
        return self.strategy(self.empty() if old is None else old, new)

    def __repr__(self) -> str:
        """Show the callable itself."""
        return repr(self.strategy)

    def __getattr__(self, name: str) -> Any:
        """Bear the names of the callable, which stand in error texts."""
        if name in {"__name__", "__qualname__"}:
            return getattr(self.strategy, name)
        raise AttributeError(name)


def started(field: SchemaField) -> KeyStrategy | None:
    """Give the strategy of a field as the engine has to call it (rule T1).

    Builtins (`operator.add`, `max`) are left as they are: the engine stores the first value without
    calling them (rule S8), and `max` against the empty value 0 would lose every negative first value.
    The empty value also stands in after the key was removed, whether the field has a default or not.
    """
    strategy = field.strategy
    if strategy is None or isinstance(strategy, _READY_MADE) or inspect.isbuiltin(strategy):
        return strategy
    empty = _empty_kind(field.type)
    return strategy if empty is None else Started(strategy, empty)


def strategy_in(metadata: Iterable[Any], where: str) -> KeyStrategy | None:
    """Find the strategy in what `Annotated` holds; the last one wins.

    Classes, and objects that can not be called with two values, are metadata of somebody else's.

    Raises:
        InvalidRecordError: a function stands there that does not take `(old, new)`.
    """
    found: KeyStrategy | None = None
    for item in metadata:
        if isinstance(item, type) or not callable(item):
            continue
        if _is_binary(item):
            found = item
        elif inspect.isroutine(item) or isinstance(item, functools.partial):
            raise InvalidRecordError(f"{where}: a key strategy is called with (old, new), which {item!r} does not take")
    return found


def refuse_inner_strategy(hint: Any, where: str) -> None:
    """Refuse a strategy that stands on a member of a union, where nobody would look for it.

    Raises:
        InvalidRecordError: as said; the text names the right spelling.
    """
    if typing.get_origin(hint) not in {typing.Union, types.UnionType}:
        return
    for member in typing.get_args(hint):
        found = strategy_in(getattr(member, "__metadata__", ()), where)
        if found is not None:
            text = f"{where}: the strategy {found!r} stands on a part of a union; annotate the whole:"
            raise InvalidRecordError(f"{text} Annotated[{shown(hint)}, {found!r}]")


def checked_strategy(value: Any, where: str) -> KeyStrategy:
    """Give what stands in a field's metadata as `strategy`.

    Raises:
        InvalidRecordError: it can not be called with `(old, new)`.
    """
    if not callable(value) or isinstance(value, type) or not _is_binary(value):
        raise InvalidRecordError(f"{where}: a key strategy is called with (old, new), which {value!r} does not take")
    strategy: KeyStrategy = value
    return strategy


def refuse_misfit(field: SchemaField, where: str) -> None:
    """Refuse APPEND for a key that can not hold a list, which it always makes.

    Raises:
        InvalidRecordError: the type of the field admits no list.
    """
    kinds = kinds_of(field.type)
    if isinstance(field.strategy, AppendStrategy) and kinds is not None and not issubclass(list, kinds):
        text = f"{where}: APPEND makes a list, but the key is declared as {shown(field.type)};"
        raise InvalidRecordError(f"{text} declare it as list[...]")


def _is_binary(fn: Any) -> bool:
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # some builtins have none, for example max
        return True
    try:
        signature.bind(None, None)
    except TypeError:
        return False
    return True


def new_hint(field: SchemaField) -> Any:
    """Give the type of the new values: what the strategy declares as its second parameter, else the field's."""
    if field.strategy is None or not inspect.isfunction(field.strategy):
        return field.type
    try:
        name = list(inspect.signature(field.strategy).parameters)[1]
        found = typing.get_type_hints(field.strategy)[name]
    except Exception:  # noqa: BLE001  (no hint, or one that can not be resolved, says nothing)
        return field.type
    is_open = isinstance(found, typing.TypeVar) or bool(getattr(found, "__parameters__", ()))
    return field.type if is_open else found
