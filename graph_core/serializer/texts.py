"""Texts, bytes, identifiers and paths."""

from __future__ import annotations

import binascii
import pathlib
import uuid
from typing import Any, Final

from graph_core.serializer.codec import Codec, as_is, boxed
from graph_core.serializer.failure import Failure


def is_unicode(text: str) -> bool:
    r"""Tell whether a text can stand in JSON: half a surrogate pair can not.

    >>> is_unicode("ä"), is_unicode("\ud800")
    (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def base64(data: bytes | bytearray | memoryview) -> str:
    """Give bytes as base64.

    >>> base64(b"abc")
    'YWJj'
    """
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def from_base64(text: Any) -> bytes:
    """Read base64, of which nothing may be left over or wrong.

    Raises:
        Failure: it is no text.
        ValueError: it is not base64.
    """
    return binascii.a2b_base64(as_is(str, text), strict_mode=True)


def _surrogates(data: Any) -> str:
    text = from_base64(data).decode("utf-8", "surrogatepass")
    if is_unicode(text):
        raise Failure("this text needs no such form")
    return text


def _uuid(text: Any) -> uuid.UUID:
    found = uuid.UUID(as_is(str, text))
    if str(found) != text:
        raise Failure(f"{text!r} is not how a UUID is written")
    return found


def _path(cls: Any, tag: str) -> Codec:
    return boxed(cls, tag, str, lambda text: cls(as_is(str, text)))


TEXT: Final = boxed(str, "str", lambda text: base64(text.encode("utf-8", "surrogatepass")), _surrogates)
# A concrete path is written with slashes and becomes one of the machine that reads it; a pure one keeps its flavour.
_HERE: Final = boxed(
    type(pathlib.Path()), "path", pathlib.PurePath.as_posix, lambda text: pathlib.Path(as_is(str, text))
)
TEXTS: Final[tuple[Codec, ...]] = (
    TEXT,
    boxed(bytes, "bytes", base64, from_base64),
    boxed(bytearray, "bytearray", base64, lambda text: bytearray(from_base64(text))),
    boxed(uuid.UUID, "uuid", str, _uuid),
    _HERE,
    _path(pathlib.PurePosixPath, "posix_path"),
    _path(pathlib.PureWindowsPath, "windows_path"),
)
