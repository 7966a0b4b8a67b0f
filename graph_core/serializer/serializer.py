"""The serializer of state values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, final

import orjson

from graph_core.exception.texts import said
from graph_core.serializer.errors import DeserializationError, SerializationError
from graph_core.serializer.failure import Failure, exactly
from graph_core.serializer.plain import dumped
from graph_core.serializer.reader import Reader
from graph_core.serializer.registry import Registry
from graph_core.serializer.walk import classes_in
from graph_core.serializer.writer import Writer, too_deep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
_MARK: Final = "$"
_VERSION: Final = "$1"
_CYCLE: Final = "a value around this one contains itself; let the inner one name the outer"


@final
class Serializer:
    """Writes state values to bytes and reads them back, exactly, building only what is on its list.

    A value that is plain JSON is written as that. Any other document is ``{"$1": tree}``; in the tree an
    object with the key ``"$"`` is a value that is not JSON, its tag says of which kind. On the list are the
    usual types of the standard library, numpy's arrays, the markers and commands of this package, and the
    attrs classes, dataclasses, pydantic models, namedtuples and enums that were registered.

    Values that are shared come back as equal copies. Records are restored, not constructed: converters do not
    run again, nor does `__post_init__`. A class may get fields that have defaults, and its fields may change
    places; a field that is gone, or has another type now, is an error unless a `decode` function takes care
    of it. An attribute that is no field is an error when it is written.

    Args:
        types: classes to register by their usual names.
        names: name → class, for those that shall have other names.

    Raises:
        InvalidRecordError: a class can not be registered so.

    >>> import attrs, decimal
    >>> @attrs.frozen
    ... class Price:
    ...     amount: decimal.Decimal
    >>> serializer = Serializer(names={"price": Price})
    >>> data = serializer.dumps({"paid": (Price(decimal.Decimal("9.90")),)})
    >>> data.decode()
    '{"$1":{"paid":{"$":"tuple","v":[{"$":"@price","amount":{"$":"decimal","v":"9.90"}}]}}}'
    >>> serializer.loads(data)
    {'paid': (Price(amount=Decimal('9.90')),)}
    >>> Serializer().loads(data)
    Traceback (most recent call last):
    graph_core.serializer.errors.DeserializationError: $.paid[0]: 'price' is not registered, ...
    """

    def __init__(self, *types: type, names: Mapping[str, type] | None = None) -> None:
        self._registry = Registry()
        for cls in types:
            self._registry.add(cls)
        for name, cls in (names or {}).items():
            self._registry.add(cls, name)

    def __repr__(self) -> str:
        """Show the names of what is registered."""
        return f"Serializer({', '.join(map(repr, self._registry.names))})"

    def register(
        self,
        cls: type[T],
        name: str | None = None,
        *,
        encode: Callable[[T], Any] | None = None,
        decode: Callable[[Any], T] | None = None,
    ) -> Self:
        """Put a class on the list.

        A class that is there already stays as it is, unless functions are given.

        Args:
            cls: the class; its subclasses are others.
            name: stands for it in what is written; module and qualified name, if none is given.
            encode: gives what is written for a value: anything that can be written.
            decode: makes the value of that. Without `encode`: of the fields as a dict, of an enum's name.

        Raises:
            InvalidRecordError: its name is that of another class, it has another name already, it is built in,
                or it is of no kind that can be written without functions.

        >>> serializer = Serializer().register(range, encode=lambda r: [r.start, r.stop], decode=lambda v: range(*v))
        >>> serializer.loads(serializer.dumps(range(2, 5)))
        range(2, 5)
        """
        self._registry.add(cls, name, encode, decode)
        return self

    def with_types(self, *types: type) -> Serializer:
        """Give a copy that has more classes on its list.

        Raises:
            InvalidRecordError: a class can not be registered.
        """
        other = Serializer()
        other._registry = self._registry.copy()
        for cls in types:
            other._registry.add(cls)
        return other

    def with_schema(self, *hints: Any) -> Serializer:
        """Give a copy that has the classes on its list that schemas name.

        Those are the attrs classes, dataclasses, pydantic models, namedtuples and enums in the hints: of fields,
        inside containers, unions and aliases, and in the fields of what is found. Subclasses of them are not
        found; register those that are used.

        Args:
            hints: schema classes, TypedDicts too, or any other hints.

        Raises:
            InvalidRecordError: two of the classes have the same name.

        >>> import enum, typing
        >>> Color = enum.Enum("Color", "RED", module="paints")
        >>> State = typing.TypedDict("State", {"colors": list[Color]})
        >>> Serializer().with_schema(State)
        Serializer('paints.Color')
        """
        other = self.with_types()
        for hint in hints:
            for cls in classes_in(hint):
                other._registry.add_found(cls)  # noqa: SLF001  (of the same class)
        return other

    def dumps(self, value: object, where: str = "$") -> bytes:
        """Write a value.

        Args:
            value: what to write.
            where: what error texts call the value.

        Returns:
            A JSON document; equal for equal values whose dicts have the same order.

        Raises:
            SerializationError: it holds something of a class that is not registered, it contains itself, or it
                is nested too deeply.
        """
        text = dumped(value)
        if text is not None and not _is_document(value):
            return text
        try:
            return orjson.dumps({_VERSION: Writer(self._registry.codec_of).write(value)})
        except RuntimeError as error:
            raise SerializationError(f"{where}: {_said(error)}", path=where) from error
        except Failure as failure:
            path = failure.path(where)
            what = f"{path}: {_CYCLE if failure.is_cycle else failure.text}"
            raise SerializationError(what, failure.code or "serialization_failed", path) from failure.__cause__

    def loads(self, data: bytes | bytearray | memoryview, where: str = "$") -> Any:
        """Read a value.

        Args:
            data: what `dumps` gave.
            where: what error texts call the value.

        Raises:
            DeserializationError: this is nothing that `dumps` gives, or it is of a class that is not registered.
        """
        try:
            tree = orjson.loads(data)
        except ValueError as error:
            raise DeserializationError(f"{where}: this is no JSON: {error}", path=where) from error
        if not _is_document(tree):
            return tree
        try:
            return Reader(self._registry.tags).read(_tree(tree))
        except RecursionError as error:
            raise DeserializationError(f"{where}: nested too deeply to be read", path=where) from error
        except Failure as failure:
            path = failure.path(where)
            text = f"{path}: {failure.text}"
            raise DeserializationError(text, failure.code or "corrupt_data", path) from failure.__cause__


def _said(error: RuntimeError) -> str:
    """Say what happened outside of any value: the stack of Python is full, or a dict changed meanwhile."""
    return too_deep().text if isinstance(error, RecursionError) else said(error)


def _is_document(tree: Any) -> bool:
    """Tell whether a JSON value has the form of a document that is more than JSON."""
    return exactly(tree) is dict and len(tree) == 1 and bool(next(iter(tree)).startswith(_MARK))


def _tree(document: dict[str, Any]) -> Any:
    if _VERSION not in document:
        raise Failure(f"unknown version {next(iter(document))!r}; was this written by a newer version?")
    return document[_VERSION]
