"""The list of what can be written and read."""

from __future__ import annotations

import inspect
import threading
import types
import typing
from typing import TYPE_CHECKING, Any, Final, final

import attrs
import typing_extensions

from graph_core.exception import InvalidRecordError
from graph_core.exception.texts import shown
from graph_core.serializer.arrays import ARRAY, SCALAR, array_codec
from graph_core.serializer.classes import codec_for, is_registrable
from graph_core.serializer.codec import REGISTERED, Codec
from graph_core.serializer.commands import COMMANDS
from graph_core.serializer.containers import CONTAINERS, PAIRS
from graph_core.serializer.custom import decoded_by, encoded_by
from graph_core.serializer.failure import Failure
from graph_core.serializer.numbers import NUMBERS
from graph_core.serializer.texts import TEXTS
from graph_core.serializer.times import TIMES, ZONE, zone_codec
from graph_core.state.schema.hints import class_of

if TYPE_CHECKING:
    from collections.abc import Callable

_BUILT_IN: Final = (*NUMBERS, *TEXTS, *TIMES, PAIRS, *CONTAINERS, *COMMANDS)
_CLASSES: Final[dict[type, Codec]] = {codec.cls: codec for codec in _BUILT_IN}
_TAGS: Final[dict[str, Codec]] = {codec.tag: codec for codec in (*_BUILT_IN, ARRAY, SCALAR, ZONE)}
_UNION: Final[Any] = types.UnionType
_JSON: Final = frozenset({bool, list, type(None)})


@final
class Registry:
    """Class ↔ codec ↔ tag, for what is built in and for what is registered."""

    def __init__(self) -> None:
        self._classes: dict[type, Codec] = dict(_CLASSES)
        self.tags: dict[str, Codec] = dict(_TAGS)
        self._lock = threading.Lock()

    def copy(self) -> Registry:
        """Give another one with the same list."""
        other = Registry()
        with self._lock:
            other._classes, other.tags = dict(self._classes), dict(self.tags)
        return other

    @property
    def names(self) -> list[str]:
        """The names of what is registered."""
        return [tag.removeprefix(REGISTERED) for tag in list(self.tags) if tag.startswith(REGISTERED)]

    def codec_of(self, kind: type) -> Codec:
        """Give the codec of a class.

        Raises:
            Failure: it is not on the list.
        """
        codec = self._classes.get(kind)
        if codec is not None:
            return codec
        codec = _late_codec(kind)
        if codec is None:
            raise Failure(f"{shown(kind)} is not registered; Serializer().register({_call(kind)})", "unregistered_type")
        self._classes[kind] = codec
        return codec

    def add(
        self,
        cls: Any,
        name: str | None = None,
        encode: Callable[[Any], Any] | None = None,
        decode: Callable[[Any], Any] | None = None,
    ) -> None:
        """Put a class on the list.

        Raises:
            InvalidRecordError: it can not be, or not under this name.
        """
        kind = _checked(cls)
        if kind in _CLASSES or kind in _JSON or _late_codec(kind) is not None:
            if (name, encode, decode) != (None, None, None):
                raise InvalidRecordError(f"{kind!r} is built in; it has a form that can not be changed")
            return
        with self._lock:
            codec = self._named(kind, name)
            if codec is None or encode is not None or decode is not None:
                codec = _made(kind, codec.tag if codec else REGISTERED + _name_of(kind, name), encode, decode)
                self._classes[kind] = self.tags[codec.tag] = codec

    def add_found(self, cls: type) -> None:
        """Put a class on the list that a schema names, unless it is there already."""
        if cls not in self._classes:
            self.add(cls)

    def _named(self, kind: type, name: str | None) -> Codec | None:
        """Give what a class is registered as already.

        Raises:
            InvalidRecordError: it has another name, or the name is another's.
        """
        codec = self._classes.get(kind)
        tag = REGISTERED + _name_of(kind, name)
        if codec is not None:
            if name is not None and codec.tag != tag:
                known = codec.tag.removeprefix(REGISTERED)
                raise InvalidRecordError(f"{kind!r} is registered as {known!r}; it can not be {name!r} as well")
            return codec
        if tag in self.tags:
            other = self.tags[tag].cls
            text = f"the name {_name_of(kind, name)!r} of {kind!r} is that of {other!r} already; give one of them"
            raise InvalidRecordError(f"{text} a name of its own: register({kind.__qualname__}, 'another name')")
        return None


def _late_codec(kind: type) -> Codec | None:
    """Give the codec of a class that is built in, and of a module that is not loaded for it."""
    return array_codec(kind) or zone_codec(kind)


def _checked(cls: Any) -> Any:
    kind: Any = class_of(cls)
    if not inspect.isclass(kind) or typing.get_origin(cls) is _UNION:
        raise InvalidRecordError(f"a class is registered, not {cls!r}; with_schema(…) takes other hints")
    if typing_extensions.is_typeddict(kind):
        text = f"{kind.__qualname__} is a TypedDict, whose values are dicts and need not be registered"
        raise InvalidRecordError(f"{text}; with_schema({kind.__qualname__}) registers what it holds")
    return kind


def _name_of(kind: type, name: str | None) -> str:
    if name is None:
        return f"{kind.__module__}.{kind.__qualname__}"
    if not isinstance(name, str) or not name:
        raise InvalidRecordError(f"the name of a registered class is a str that is not empty, not {name!r}")
    return name


def _made(kind: type, tag: str, encode: Callable[[Any], Any] | None, decode: Callable[[Any], Any] | None) -> Codec:
    if encode is not None:
        if decode is None:
            text = f"register({kind.__qualname__}, encode=…) needs decode=… as well, to read it again"
            raise InvalidRecordError(text)
        return Codec(kind, tag, encoded_by(encode), decoded_by(kind, decode))
    codec = codec_for(kind, tag)
    if codec is None:
        text = f"{kind!r} is no attrs class, dataclass, pydantic model, namedtuple or enum with members, so say how it"
        raise InvalidRecordError(f"{text} is written: register({_call(kind)})")
    return codec if decode is None else attrs.evolve(codec, decode=decoded_by(kind, decode))


def _call(kind: type) -> str:
    """Show the arguments with which a class is registered."""
    return kind.__qualname__ if is_registrable(kind) else f"{kind.__qualname__}, encode=…, decode=…"
