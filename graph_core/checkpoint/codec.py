"""The form in which a saver keeps values, and the way back to a state."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar, cast, final

import attrs

from graph_core.checkpoint.changes import Append, Change, PackedChanges, Put, Remove
from graph_core.checkpoint.checkpoint import NOTHING, BranchRecord
from graph_core.checkpoint.errors import uncopyable
from graph_core.checkpoint.retention import compacted

if TYPE_CHECKING:
    from collections.abc import Callable

N = TypeVar("N")
ATOMS: Final = frozenset({str, int, float, bool, type(None), bytes, complex})


class ValueSerializer(Protocol):
    """What a saver needs of a serializer; `graph_core.serializer.Serializer` is one."""

    def dumps(self, value: object, where: str = ..., /) -> bytes:
        """Write a value; `where` names it in error texts."""
        ...

    def loads(self, data: bytes, where: str = ..., /) -> Any:
        """Read a value."""
        ...


class Codec(Protocol):
    """Turns values into the form in which a saver keeps them, and back; neither shares anything with the other."""

    def kept(self, value: Any, where: str, /) -> Any:
        """Give the form to keep; `where` names the value in error texts."""
        ...

    def fresh(self, kept: Any, where: str, /) -> Any:
        """Give the value anew."""
        ...


@final
class CopyCodec:
    """Keeps copies, so that any value that can be copied can be kept.

    >>> CopyCodec().kept([{"a": 1}], "$")
    [{'a': 1}]
    """

    def kept(self, value: Any, where: str) -> Any:
        """Give a copy.

        Raises:
            UncopyableValueError: the value can not be copied.
        """
        if value.__class__ in ATOMS:
            return value
        try:
            return copied(value)
        except Exception as error:  # a copy runs code of the user's
            raise uncopyable(where, value, error) from error

    def fresh(self, kept: Any, where: str) -> Any:
        """Give a copy."""
        return self.kept(kept, where)


@final
class SerializerCodec:
    """Keeps what a serializer writes."""

    def __init__(self, serializer: ValueSerializer) -> None:
        self.serializer = serializer
        self.kept = serializer.dumps
        self.fresh = serializer.loads


def copied(value: Any) -> Any:
    """Copy a value as `copy.deepcopy` does; lists and dicts of plain values, and lists of such dicts, much faster.

    >>> copied([{"role": "user"}, {"role": "tool"}])
    [{'role': 'user'}, {'role': 'tool'}]
    """
    if value.__class__ is dict:
        return value.copy() if _is_flat(value) else copy.deepcopy(value)
    if value.__class__ is not list:
        return copy.deepcopy(value)
    items: list[Any] = []
    for item in value:
        if item.__class__ in ATOMS:
            items.append(item)
        elif item.__class__ is dict and _is_flat(item):
            items.append(item.copy())
        else:
            return copy.deepcopy(value)
    return items


def _is_flat(value: dict[Any, Any]) -> bool:
    return ATOMS.issuperset(map(type, value.values())) and ATOMS.issuperset(map(type, value))


def packed(codec: Codec, changes: Mapping[str, Change]) -> PackedChanges:
    """Turn changes into the form in which they are kept."""
    return tuple([(key, _packed(codec, key, change)) for key, change in changes.items()])


def _packed(codec: Codec, key: str, change: Change) -> Change:
    if isinstance(change, Append):
        tail = change.tail if change.tail.__class__ is list else [*change.tail]
        return Append(codec.kept(tail, f"$.{key}"))
    if isinstance(change, Put):
        return Put(codec.kept(change.value, f"$.{key}"))
    return change


@final
class Folder(Generic[N]):
    """Folds the changes along the way from the first checkpoint to one, in one go and without recursion.

    Args:
        codec: reads what is kept.
        link: gives the checkpoint that one builds on, and its own changes.

    Attributes:
        steps: the length of the way that was folded last.
        folded: the changes of that way, in one.
    """

    def __init__(self, codec: Codec, link: Callable[[N], tuple[N | None, PackedChanges]]) -> None:
        self._codec = codec
        self._link = link
        self._states: dict[N, dict[str, Any]] = {}
        self.steps = 0
        self.folded: PackedChanges = ()

    def state(self, at: N) -> dict[str, Any]:
        """Give the state at a checkpoint.

        The states that one folder gives share the values that did not change in between, no dict and
        no list that grew; asked for in order of insertion, each costs what changed since the last.
        """
        steps: list[PackedChanges] = []
        here: N | None = at
        while here is not None and here not in self._states:
            here, changes = self._link(here)
            steps.append(changes)
        state = {} if here is None else self._states[here].copy()
        folded = compacted(reversed(steps))
        for key, kept in folded.items():
            self._apply(state, key, kept)
        self._states[at] = state
        self.steps = len(steps)
        self.folded = tuple([(key, change) for key, kept in folded.items() for change in kept])
        return state

    def _apply(self, state: dict[str, Any], key: str, changes: list[Change]) -> None:
        where = f"$.{key}"
        owned: list[Any] | None = None
        for change in changes:
            if isinstance(change, Remove):
                state.pop(key, None)
            elif isinstance(change, Put):
                state[key] = self._codec.fresh(change.value, where)
            else:
                if owned is None:
                    state[key] = owned = [*state.get(key, ())]
                owned.extend(self._codec.fresh(change.tail, where))


@final
@attrs.frozen
class KeptRecord:
    """A branch record in the form in which a saver keeps it.

    Args:
        bare: the record without what follows.
        next: its `next`; `None` if that is empty.
        updates: its `updates`, each as changes.
    """

    bare: BranchRecord
    next: Any
    updates: tuple[PackedChanges, ...]


def kept_record(codec: Codec, record: BranchRecord) -> KeptRecord:
    """Turn a branch record into the form in which it is kept."""
    updates = tuple([packed(codec, {key: Put(value) for key, value in update.items()}) for update in record.updates])
    return KeptRecord(
        attrs.evolve(record, next=NOTHING, updates=()), kept_mapping(codec, record.next, "$.next"), updates
    )


def fresh_record(codec: Codec, kept: KeptRecord) -> BranchRecord:
    """Give a branch record anew."""
    updates = tuple([_fresh_update(codec, update) for update in kept.updates])
    return attrs.evolve(kept.bare, next=fresh_mapping(codec, kept.next, "$.next"), updates=updates)


def _fresh_update(codec: Codec, update: PackedChanges) -> dict[str, Any]:
    return {key: codec.fresh(change.value, f"$.{key}") for key, change in update if isinstance(change, Put)}


def kept_mapping(codec: Codec, values: Mapping[str, Any], where: str) -> Any:
    """Give the form to keep of a mapping; `None` of an empty one."""
    return codec.kept(dict(values), where) if values else None


def fresh_mapping(codec: Codec, kept: Any, where: str) -> Mapping[str, Any]:
    """Give a mapping anew."""
    found: Any = NOTHING if kept is None else codec.fresh(kept, where)
    if not isinstance(found, Mapping):
        raise TypeError(f"{where} must hold a mapping, not {type(found).__name__}")
    return cast("Mapping[str, Any]", found)
