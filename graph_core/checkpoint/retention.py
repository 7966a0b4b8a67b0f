"""How much history is kept, and which entries go."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, final

import attrs

from graph_core.checkpoint.changes import Append, Change, PackedChanges, Remove
from graph_core.exception import InvalidRecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

N = TypeVar("N")
_INT: Final[Any] = int
_SPAN: Final[Any] = timedelta


@final
@attrs.frozen(kw_only=True)
class Retention:
    """How much of each history is kept; the head of every path always is.

    Args:
        max_checkpoints: the newest so many of each path.
        max_age: those that are not older.

    Raises:
        InvalidRecordError: neither is given, or one of them is not above 0.

    >>> Retention(max_checkpoints=10).max_age is None
    True
    """

    max_checkpoints: int | None = None
    max_age: timedelta | None = None

    def __attrs_post_init__(self) -> None:
        """Check both."""
        if self.max_checkpoints is None and self.max_age is None:
            raise InvalidRecordError("a Retention needs max_checkpoints, max_age, or both")
        count: Any = self.max_checkpoints
        if count is not None and not (isinstance(count, _INT) and not isinstance(count, bool) and count > 0):
            raise InvalidRecordError(f"max_checkpoints must be a whole number > 0, not {count!r}")
        span: Any = self.max_age
        if span is not None and not (isinstance(span, _SPAN) and span > timedelta()):
            raise InvalidRecordError(f"max_age must be a timedelta > 0, not {span!r}")


@final
@attrs.frozen
class Link(Generic[N]):
    """What retention looks at of one checkpoint; `base` is the one whose state it builds on."""

    key: N
    base: N | None
    path: object
    created_at: datetime


@final
@attrs.frozen
class Cut(Generic[N]):
    """What a pruning does.

    Args:
        dropped: the checkpoints that go.
        rebased: of those that stay and build on one that goes: the nearest one below that stays,
            and those between, oldest first, whose changes are folded into it.
    """

    dropped: tuple[N, ...]
    rebased: tuple[tuple[N, N | None, tuple[N, ...]], ...]


def cut(links: Sequence[Link[N]], retention: Retention, now: datetime) -> Cut[N]:
    """Decide what goes; `links` are all checkpoints of a thread in order of insertion.

    >>> old = datetime(2020, 1, 1)
    >>> cut([Link(1, None, "", old), Link(2, 1, "", old)], Retention(max_checkpoints=1), old)
    Cut(dropped=(1,), rebased=((2, None, (1,)),))
    """
    gone = {link.key: link for link in _superfluous(links, retention, now)}
    rebased: list[tuple[N, N | None, tuple[N, ...]]] = []
    for link in links:
        base = link.base
        if link.key in gone or base not in gone:
            continue
        between: list[N] = []
        while base is not None and base in gone:
            between.append(base)
            base = gone[base].base
        rebased.append((link.key, base, tuple(reversed(between))))
    return Cut(tuple(gone), tuple(rebased))


def _superfluous(links: Sequence[Link[N]], retention: Retention, now: datetime) -> list[Link[N]]:
    counts: dict[object, int] = {}
    found: list[Link[N]] = []
    for link in reversed(links):
        counts[link.path] = number = counts.get(link.path, 0) + 1
        too_many = retention.max_checkpoints is not None and number > retention.max_checkpoints
        too_old = retention.max_age is not None and now - link.created_at > retention.max_age
        if number > 1 and (too_many or too_old):
            found.append(link)
    return found[::-1]


def compacted(changes: Iterable[PackedChanges]) -> dict[str, list[Change]]:
    """Fold changes, oldest first, key by key; what a later change makes void is dropped.

    A key that was removed and put again stands behind the others, as in a dict.

    >>> from graph_core.checkpoint.changes import Put
    >>> compacted([(("a", Put(1)), ("b", Put(1))), (("a", Put(2)), ("b", Append([3])))])
    {'a': [Put(value=2)], 'b': [Put(value=1), Append(tail=[3])]}
    """
    folded: dict[str, list[Change]] = {}
    for step in changes:
        for key, change in step:
            if isinstance(change, Remove):
                folded.pop(key, None)
                folded[key] = [change]
                continue
            known = folded.get(key)
            if known is None:
                folded[key] = [change]
            elif isinstance(change, Append):
                _again(folded, key, known).append(change)
            else:
                kept = _again(folded, key, known)
                kept[isinstance(kept[0], Remove) :] = [change]
    return folded


def _again(folded: dict[str, list[Change]], key: str, known: list[Change]) -> list[Change]:
    """Give what is known of a key; one that is only removed so far comes back behind the others."""
    if len(known) == 1 and isinstance(known[0], Remove):
        folded[key] = folded.pop(key)
    return known


def in_one(changes: Iterable[PackedChanges]) -> PackedChanges:
    """Fold changes, oldest first, into those of one checkpoint.

    >>> in_one([(("a", Append([1])),), (("a", Remove()),)])
    (('a', Remove()),)
    """
    return tuple((key, change) for key, kept in compacted(changes).items() for change in kept)
