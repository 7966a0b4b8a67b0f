"""Reading the ids of edges."""

from __future__ import annotations

from typing import Any, cast

from graph_core.exception import GraphStateException, InvalidRecordError, problems
from graph_core.node import END


def checked_source(source: str | None, target: str) -> str:
    """Give the source of an edge.

    Raises:
        GraphStateException: there is none, or it is `END`.
        InvalidRecordError: it is no `str`.
    """
    if source is None or source == "":
        raise GraphStateException([problems.empty_source(target)])
    if source == END:
        raise GraphStateException([problems.invalid_edge_identifier(target)])
    return _text(source, "source")


def edge_ids(given: Any, what: str) -> tuple[Any, ...]:
    """Give the ids that were named on one side of an edge; a missing one is `None`.

    Raises:
        InvalidRecordError: they are no ids.
    """
    if given is None:
        return ()
    if not isinstance(given, str | list | tuple):
        raise InvalidRecordError(f"the {what} of an edge must be the id of a node or a list of ids, not {given!r}")
    found: tuple[Any, ...] = (given,) if isinstance(given, str) else tuple(cast("Any", given))
    return tuple(each if each is None else _text(each, what) for each in found)


def _text(value: str, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidRecordError(f"the {what} of an edge must be the id of a node (a str), not {value!r}")
    return value
