"""Writing: a value becomes a JSON tree in which what is not JSON stands as a tagged object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

import orjson

from graph_core.exception.texts import said
from graph_core.serializer.codec import PAYLOAD, TAG, at_part
from graph_core.serializer.containers import DICT
from graph_core.serializer.failure import Failure, at_index, at_key, exactly
from graph_core.serializer.numbers import FLOAT, INTEGER, fits
from graph_core.serializer.plain import dumped
from graph_core.serializer.texts import TEXT, is_unicode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graph_core.serializer.codec import Codec, Parts


_DEEPEST: Final = 253  # orjson writes 254 arrays and objects inside each other, and the document is one
_INFINITY: Final = float("inf")
_STR: Final[frozenset[type]] = frozenset({str})
_CONTAINERS: Final[frozenset[type]] = frozenset({list, dict})
_TAG_IN_TEXT: Final = b'"$"'


@final
class Writer:
    """Writes one value.

    A level costs two calls inside each other, so that the depth that orjson can write is reached before
    that of Python's stack.

    Args:
        codec_of: class → codec.
    """

    __slots__ = ("_codec_of", "_depth")

    def __init__(self, codec_of: Callable[[type], Codec]) -> None:
        self._codec_of = codec_of
        self._depth = 0

    def write(self, value: Any) -> Any:  # noqa: PLR0911  (one for each kind that JSON has)
        """Give the JSON of a value.

        Raises:
            Failure: it, or something in it, can not be written.
        """
        kind = exactly(value)
        if kind is str:
            return value if value.isascii() or is_unicode(value) else self._tagged(value, TEXT)
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if fits(value) else self._tagged(value, INTEGER)
        if kind is float:
            return value if -_INFINITY < value < _INFINITY else self._tagged(value, FLOAT)
        if kind is list:
            return self._items(value)
        if kind is dict:
            return self._entries(value, value, {}) if _is_object(value) else self._pairs(value)
        return self._tagged(value)

    def _items(self, values: list[Any]) -> list[Any]:
        write = self.write
        found: list[Any] = []
        self._enter(1)
        try:
            for value in values:
                is_plain = value is None or (exactly(value) is str and value.isascii())  # saves a call, most often
                found.append(value if is_plain else write(value))  # how many there are tells the path of a failure
        except Failure as failure:
            failure.under(at_index(len(found)), values)
            raise
        self._depth -= 1
        return found

    def _entries(self, value: Any, entries: Mapping[str, Any], body: Parts) -> Parts:
        self._enter(1)
        write = self._quickly if self._depth == 1 and TAG not in body else self.write
        key = ""
        try:
            for key, item in entries.items():
                is_plain = item is None or (exactly(item) is str and item.isascii())
                body[key] = item if is_plain else write(item)
        except Failure as failure:
            failure.under(at_part(body.get(TAG), key), value)
            raise
        self._depth -= 1
        return body

    def _quickly(self, value: Any) -> Any:
        """Write a value of the outermost dict, as a whole if it is plain: most of what a state holds is."""
        text = dumped(value) if exactly(value) in _CONTAINERS else None
        return self.write(value) if text is None or _TAG_IN_TEXT in text else orjson.Fragment(text)

    def _pairs(self, value: dict[Any, Any]) -> Parts:
        write = self.write
        key: Any = None
        pairs: list[list[Any]] = []
        self._enter(3)
        try:
            for key, item in value.items():
                pairs.append([write(key), write(item)])
        except Failure as failure:
            failure.under(at_key(key), value)
            raise
        self._depth -= 3
        return {TAG: DICT, PAYLOAD: pairs}

    def _tagged(self, value: Any, codec: Codec | None = None) -> Parts:
        try:
            codec = codec or self._codec_of(exactly(value))
            parts = codec.encode(value)
        except Failure:
            raise
        except Exception as error:
            raise Failure(said(error)) from error
        body = self._entries(value, parts, {TAG: codec.tag})
        if codec.is_sorted:
            body[PAYLOAD].sort(key=orjson.dumps)
        return body

    def _enter(self, levels: int) -> None:
        self._depth += levels
        if self._depth > _DEEPEST:
            raise too_deep()


def _is_object(value: Mapping[Any, Any]) -> bool:
    """Tell whether a dict can be a JSON object as it stands."""
    return TAG not in value and set(map(type, value)) <= _STR and is_unicode("".join(value))


def too_deep() -> Failure:
    """Say that a value is nested more deeply than can be written."""
    text = "nested too deeply, more than 250 JSON arrays and objects inside each other (a record is one, a tuple two,"
    text = f"{text} a dict with other keys than str three); hold the inner ones in a list, and refer to them"
    return Failure(text, is_deep=True)
