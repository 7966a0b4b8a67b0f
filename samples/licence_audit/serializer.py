"""How the state of an audit is written to a file: all but one of its types are found in the graph's schemas."""

from importlib.metadata import Distribution, PathDistribution
from pathlib import Path
from typing import Any, Final

from graph_core.serializer import Serializer


def _place(distribution: PathDistribution) -> str:
    # No public attribute tells where the metadata is.
    path: Any = getattr(distribution, "_path", None)
    if not isinstance(path, Path):
        raise TypeError(f"a distribution in an archive can not be kept: {path}")
    return str(path)


SERIALIZER: Final = Serializer().register(PathDistribution, "distribution", encode=_place, decode=Distribution.at)
"""A distribution is kept as the path of its metadata, and read there again."""
