"""A read-only mapping that, other than a mapping proxy, can be pickled and copied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, final, overload

K = TypeVar("K")
V = TypeVar("V", covariant=True)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    class ReadOnlyDict(Mapping[K, V]):
        """To a type checker it is a `Mapping`: writing to it is an error that it sees."""

        advice: ClassVar[str]

        @overload
        def __init__(self) -> None: ...
        @overload
        def __init__(self, entries: Mapping[K, V] | Iterable[tuple[K, V]], /) -> None: ...
        def __init__(self, *_: Any) -> None: ...
        def __getitem__(self, key: K, /) -> V: ...
        def __iter__(self) -> Iterator[K]: ...
        def __len__(self) -> int: ...
else:

    class ReadOnlyDict(dict):
        """At run time it is a dict, so that reading a key costs what it costs in a dict."""

        __slots__ = ()
        advice = ""

        def _immutable(self, *_: object, **__: object) -> NoReturn:
            raise TypeError(self.advice)

        __setitem__ = __delitem__ = __ior__ = _immutable
        clear = pop = popitem = setdefault = update = _immutable


@final
class FrozenMapping(ReadOnlyDict[K, V]):
    """A dict whose entries never change.

    >>> FrozenMapping({"a": 1})["a"]
    1
    """

    __slots__ = ()
    advice = "this mapping is immutable; build a new one, dict(mapping) gives a copy that can be changed"

    def __repr__(self) -> str:
        """Show the entries as a dict does."""
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the entries."""
        return FrozenMapping, (dict(self),)
