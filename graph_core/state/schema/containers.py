"""Values with elements: each is checked, and the problems are told with their index or key."""

from __future__ import annotations

import collections
import collections.abc
import copy
import operator
import typing
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from graph_core.state.nested import MAPPING
from graph_core.state.schema.hints import shown
from graph_core.state.schema.kinds import admits, is_shallow, kinds_of
from graph_core.state.schema.problems import ValueProblem, at_index, mismatch, of_elements

if typing.TYPE_CHECKING:
    from graph_core.state.schema.leaves import Hook

Structure: TypeAlias = Callable[[Any, Any], Any]
_abc: Final = collections.abc
_BUILT: Final[dict[Any, type]] = {
    **{kind: kind for kind in (list, tuple, set, frozenset, collections.deque)},
    **dict.fromkeys((_abc.Sequence, _abc.MutableSequence, _abc.Collection, _abc.Iterable, _abc.Reversible), list),
    **dict.fromkeys((_abc.Set, _abc.MutableSet), set),
}
MAPPING_ORIGINS: Final[Any] = frozenset(
    {dict, collections.defaultdict, collections.OrderedDict, _abc.Mapping, _abc.MutableMapping}
)
_SOURCES: Final[Any] = (list, tuple, set, frozenset, collections.deque)
_COLLECTION: Final[Any] = collections.abc.Collection
_ORDERED: Final[Any] = (tuple, list)
_TUPLE: Final[Any] = tuple
_DICT: Final[Any] = dict


def is_collection(hint: Any) -> bool:
    """Tell whether a hint names a container and the type of its elements."""
    return typing.get_origin(hint) in _BUILT


def collection(structure: Structure, lax: bool, hint: Any) -> Hook:  # noqa: FBT001  (bound in a list of factories)
    """Make the hook of a list, a set, a tuple of any length, and the like."""
    origin: Any = typing.get_origin(hint)
    element = typing.get_args(hint)[0]
    kinds = kinds_of(hint)
    all_fit = _all_fit(element, lax=lax)

    def check(value: Any, _: Any) -> Any:
        fits = admits(kinds, type(value))
        if not fits and not (lax and isinstance(value, _SOURCES)):
            raise mismatch(hint, value)
        if fits and not isinstance(value, _COLLECTION):
            return value  # an iterator: to read it is to use it up
        if fits and all_fit(value):
            return value
        checked = each(value, structure, element)
        if fits and all(map(operator.is_, checked, value)):
            return value
        return (type(value) if type(value) in _BUILT and fits else _BUILT[origin])(checked)

    return check


def _all_fit(hint: Any, *, lax: bool) -> Callable[[Iterable[Any]], bool]:
    """Make the quick check: the classes of the values say that all fit, and none is to be converted."""
    kinds = kinds_of(hint)
    if not is_shallow(hint) or (lax and kinds is not None and float in kinds):
        return lambda _: False
    return lambda values: all(admits(kinds, kind) for kind in set(map(type, values)))


def each(values: Any, structure: Structure, element: Any) -> list[Any]:
    """Check every element.

    Raises:
        IterableValidationError: with a note of its index at the error of each element that does not fit.
    """
    checked: list[Any] = []
    errors: list[Exception] = []
    for index, value in enumerate(values):
        try:
            checked.append(structure(value, element))
        except Exception as error:  # noqa: BLE001  (all problems are told at once)
            errors.append(at_index(error, index))
    if errors:
        raise of_elements(errors)
    return checked


def fixed_tuple(structure: Structure, lax: bool, hint: Any) -> Hook:  # noqa: FBT001  (bound in a list of factories)
    """Make the hook of a tuple with a type for each position."""
    elements = typing.get_args(hint)

    def check(value: Any, _: Any) -> Any:
        if not isinstance(value, _ORDERED if lax else _TUPLE):
            raise mismatch(hint, value)
        if len(value) != len(elements):
            raise ValueProblem(f"expected {shown(hint)}", f", not a tuple of {len(value)}")
        places = iter(elements)
        checked = each(value, lambda item, _: structure(item, next(places)), None)
        return value if isinstance(value, _TUPLE) and all(map(operator.is_, checked, value)) else tuple(checked)

    return check


def mapping(structure: Structure, lax: bool, hint: Any) -> Hook:  # noqa: FBT001  (bound in a list of factories)
    """Make the hook of a dict, a `Mapping`, and the like."""
    kinds = kinds_of(hint)
    origin: Any = typing.get_origin(hint)
    key_hint, value_hint = typing.get_args(hint)
    keys_fit, values_fit = _all_fit(key_hint, lax=lax), _all_fit(value_hint, lax=lax)

    def check(value: Any, _: Any) -> Any:
        fits = admits(kinds, type(value))
        if not fits and not (lax and isinstance(value, MAPPING)):
            raise mismatch(hint, value)
        if fits and keys_fit(value) and values_fit(value.values()):
            return value
        changed = checked_entries(value, structure, key_hint, value_hint)
        if changed is None and fits:
            return value
        if fits and changed is not None and changed.keys() == value.keys():
            copied = copy.copy(value) if isinstance(value, _DICT) else dict(value)
            copied.update(changed)
            return copied
        return _rebuilt(origin, dict(value) if changed is None else changed)

    return check


def _rebuilt(origin: Any, entries: dict[Any, Any]) -> Any:
    return collections.OrderedDict(entries) if origin is collections.OrderedDict else entries


def checked_entries(value: Any, structure: Structure, key_hint: Any, value_hint: Any) -> dict[Any, Any] | None:
    """Check every key and value of a mapping.

    Returns:
        The entries, or `None` if none was converted.

    Raises:
        IterableValidationError: with a note of its key at the error of each entry that does not fit.
    """
    checked: dict[Any, Any] = {}
    errors: list[Exception] = []
    for key, item in value.items():
        try:
            checked[structure(key, key_hint)] = structure(item, value_hint)
        except Exception as error:  # noqa: BLE001  (all problems are told at once)
            errors.append(at_index(error, key))
    if errors:
        raise of_elements(errors)
    if len(checked) != len(value):
        raise ValueProblem(f"expected {shown(key_hint)} keys", ", but two keys are converted to the same one")
    same = all(map(operator.is_, checked, value)) and all(map(operator.is_, checked.values(), value.values()))
    return None if same else checked
