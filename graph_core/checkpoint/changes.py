"""What a step changed of each key of the state (rule K9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, final

import attrs


@final
@attrs.frozen
class Put:
    """The key has a new value.

    >>> Put({"a": 1}).value
    {'a': 1}
    """

    value: Any


@final
@attrs.frozen
class Append:
    """The list under the key stays and gets more elements; an absent key counts as an empty list.

    >>> Append(["new"]).tail
    ['new']
    """

    tail: Sequence[Any]


@final
@attrs.frozen
class Remove:
    """The key is gone.

    >>> Remove()
    Remove()
    """


Change: TypeAlias = Put | Append | Remove
"""One of the three."""
PackedChanges: TypeAlias = "tuple[tuple[str, Change], ...]"
"""Changes in their order, each value in the form in which a saver keeps it."""
