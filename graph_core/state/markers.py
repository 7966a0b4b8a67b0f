"""Values in an update that mean something else than themselves (rules S4, S6, K10)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Generic, TypeVar, final

import attrs

from graph_core.exception import InvalidRecordError

T = TypeVar("T")
# Declared as `Any`: to a type checker `isinstance` does not narrow then.
_ITERABLE: Final[Any] = Iterable


@final
class Remove:
    """Type of `REMOVE`: as the value of a key it deletes that key, under every strategy."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show the public name."""
        return "REMOVE"

    def __reduce__(self) -> str:
        """Pickle, copy and deepcopy to the one instance."""
        return "REMOVE"


REMOVE: Final = Remove()
"""Deletes its key; inside a mapping under MERGE it deletes that entry."""


@final
class Untracked:
    """Type of `UNTRACKED`: in the annotation of a key it keeps that key out of checkpoints."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show the public name."""
        return "UNTRACKED"

    def __reduce__(self) -> str:
        """Pickle, copy and deepcopy to the one instance."""
        return "UNTRACKED"


UNTRACKED: Final = Untracked()
"""As in `Annotated[Client, UNTRACKED]`: the key is never written to a checkpoint (rule K10)."""


@final
@attrs.frozen
class Overwrite(Generic[T]):
    """Replaces the old value under every strategy.

    >>> from graph_core import APPEND, OverAllState
    >>> OverAllState({"m": [1, 2]}, {"m": APPEND}).updated({"m": Overwrite([3])})["m"]
    [3]
    """

    value: T


def _as_list(values: Any) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, _ITERABLE):
        raise InvalidRecordError(f"ReplaceAllWith takes the elements of the new list, not {values!r}; [value] is one")
    return list[Any](values)


@final
@attrs.frozen
class ReplaceAllWith(Generic[T]):
    """Replaces the whole list, under every strategy: the list form of `Overwrite`.

    Args:
        values: the elements of the new list.
    """

    values: list[T] = attrs.field(converter=_as_list)

    @property
    def value(self) -> list[T]:
        """The new list, a fresh one at each call."""
        return list(self.values)


@final
@attrs.frozen
class RemoveByHash(Generic[T]):
    """Under APPEND removes the first element equal to `value`, alone or inside a list.

    The name is Java's; elements are compared by equality, not by hash code.

    >>> from graph_core import APPEND, OverAllState
    >>> OverAllState({"m": [1, 2]}, {"m": APPEND}).updated({"m": [RemoveByHash(1), 3]})["m"]
    [2, 3]
    """

    value: T
