"""Schemas that are made at run time."""

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from graph_core.state.schema import Schema

_typed_dict: Any = TypedDict  # to a type checker it is no function
_annotated: Any = Annotated


def typed_dict(name: str, hints: Mapping[str, Any], *, total: bool = True) -> Any:
    """Make a TypedDict."""
    return _typed_dict(name, dict(hints), total=total)


def one_key(hint: Any, *metadata: Any, name: str = "S") -> Schema:
    """Make a schema with one key `k`."""
    return Schema.of(typed_dict(name, {"k": _annotated[hint, *metadata] if metadata else hint}))
