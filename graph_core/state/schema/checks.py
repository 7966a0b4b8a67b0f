"""Checks of values against types, composed of cattrs hook factories (rule T3).

Every hook gives back the object it got, unless something in it was converted: what fits is never
rebuilt, so subclasses, shared lists and the like survive. The trap this closes: cattrs on its own takes
`"5"` for 5, 2.7 for 2, `"no"` for `True` and every object for a `str`.
"""

from __future__ import annotations

import functools
import pathlib
import types
import typing
from collections.abc import Callable
from typing import Any, Final, TypeAlias, Union

import typing_extensions
from cattrs import Converter

from graph_core.state.schema.containers import MAPPING_ORIGINS, collection, fixed_tuple, is_collection, mapping
from graph_core.state.schema.hints import parts_of, plain
from graph_core.state.schema.kinds import admits, kinds_of
from graph_core.state.schema.leaves import Hook, leaf, literal
from graph_core.state.schema.problems import mismatch
from graph_core.state.schema.read import kind_of
from graph_core.state.schema.records import record, typed_dict

Structure: TypeAlias = Callable[[Any, Any], Any]
"""`(value, hint) -> value`, the one of a converter."""
_BY_CLASS: Final = (str, bytes, int, float, pathlib.Path)  # cattrs looks these up before it asks the predicates


@functools.cache
def structure_of(*, lax: bool) -> Structure:
    """Give the check of all types.

    Args:
        lax: convert where nothing is lost, instead of refusing.

    Returns:
        A callable that raises one error with all problems, to be read by `texts_of`.
    """
    converter = Converter()
    structure: Structure = converter.structure
    for predicate, factory in _factories(structure, lax=lax):
        converter.register_structure_hook_factory(predicate, _one_parameter(factory))
    for kind in _BY_CLASS:
        converter.register_structure_hook(kind, _by_class(lax=lax))
    return structure


def _one_parameter(factory: Callable[[Any], Hook]) -> Callable[[Any], Hook]:
    """Hide a bound factory's other parameters from cattrs, which counts them."""
    return factory


def _by_class(*, lax: bool) -> Hook:
    leaf_of = functools.cache(functools.partial(leaf, lax))
    return lambda value, hint: leaf_of(hint)(value, hint)


def _factories(structure: Structure, *, lax: bool) -> list[tuple[Callable[[Any], bool], Callable[[Any], Hook]]]:
    """List what is tried, the last one first."""
    bound = functools.partial
    return [
        (lambda _: True, bound(leaf, lax)),
        (is_collection, bound(collection, structure, lax)),
        (_is_mapping, bound(mapping, structure, lax)),
        (_is_fixed_tuple, bound(fixed_tuple, structure, lax)),
        (lambda hint: kind_of(hint) is not None, bound(record, structure, lax)),
        (typing_extensions.is_typeddict, bound(typed_dict, structure)),
        (lambda hint: kind_of(hint) == "typed_dict", bound(typed_dict, structure)),
        (lambda hint: typing.get_origin(hint) is typing.Literal, literal),
        (_is_union, bound(union, structure)),
        (lambda hint: hint is Any or hint is object, lambda _: _passed),
        (lambda hint: plain(hint) != hint, bound(_unwrapped, structure)),
    ]


def _passed(value: Any, _: Any) -> Any:
    return value


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in {Union, types.UnionType}


def _is_mapping(hint: Any) -> bool:
    return typing.get_origin(hint) in MAPPING_ORIGINS


def _is_fixed_tuple(hint: Any) -> bool:
    return typing.get_origin(hint) is tuple and Ellipsis not in typing.get_args(hint)


def _unwrapped(structure: Structure, hint: Any) -> Hook:
    inner = plain(hint)
    return lambda value, _: structure(value, inner)


def union(structure: Structure, hint: Any) -> Hook:
    """Make the hook of a union: the first member that takes the value as it is, else the first that converts it.

    If the class of a value fits one member only, the problems inside are told, else the union is named.
    """
    members = parts_of(hint)
    strict = structure_of(lax=False)

    def check(value: Any, _: Any) -> Any:
        fitting = [member for member in members if admits(kinds_of(member), type(value))]
        if len(fitting) == 1:
            return structure(value, fitting[0])
        for attempt, member in [*((strict, m) for m in fitting), *((structure, m) for m in members)]:
            try:
                return attempt(value, member)
            except Exception:  # noqa: BLE001, S112  (the next member may take it)
                continue
        raise mismatch(hint, value)

    return check
