"""Which metadata a reader asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def holds(metadata: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Tell whether metadata holds all entries asked for.

    >>> holds({"user": "ann", "n": 1}, {"user": "ann"}), holds({}, {"user": None})
    (True, False)
    """
    return all(key in metadata and metadata[key] == value for key, value in where.items())
