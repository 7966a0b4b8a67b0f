"""Changes as bytes: one frame for each, so that folding neither reads nor writes a value."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any, Final

from graph_core.checkpoint.changes import Append, Change, PackedChanges, Put, Remove

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEADER: Final = Struct("<cII")  # kind, bytes of the key, bytes of the value
_KINDS: Final[dict[type[Any], bytes]] = {Put: b"P", Append: b"A", Remove: b"R"}


def framed(changes: PackedChanges) -> bytes:
    r"""Write changes whose values are bytes.

    >>> framed((("x", Put(b"1")),))
    b'P\x01\x00\x00\x00\x01\x00\x00\x00x1'
    """
    parts: list[bytes] = []
    for key, change in changes:
        name = key.encode()
        value: Any = change.value if isinstance(change, Put) else change.tail if isinstance(change, Append) else b""
        parts += (_HEADER.pack(_KINDS[change.__class__], len(name), len(value)), name, value)
    return b"".join(parts)


def unframed(data: bytes) -> PackedChanges:
    """Read changes; their values stay bytes.

    >>> unframed(framed((("x", Put(b"1")), ("y", Remove()))))
    (('x', Put(value=b'1')), ('y', Remove()))
    """
    found: list[tuple[str, Change]] = []
    at = 0
    while at < len(data):
        kind, name, value = _HEADER.unpack_from(data, at)
        begin = at + _HEADER.size + name
        at = begin + value
        found.append((data[begin - name : begin].decode(), _change(kind, data[begin:at])))
    return tuple(found)


def _change(kind: bytes, value: Any) -> Change:
    if kind == _KINDS[Put]:
        return Put(value)
    return Append(value) if kind == _KINDS[Append] else Remove()


def framed_updates(updates: Iterable[PackedChanges]) -> bytes:
    """Write several updates.

    >>> list(unframed_updates(framed_updates([(("x", Put(b"1")),), ()])))
    [(('x', Put(value=b'1')),), ()]
    """
    return framed(tuple([("", Put(framed(update))) for update in updates]))


def unframed_updates(data: bytes) -> tuple[PackedChanges, ...]:
    """Read several updates."""
    return tuple([unframed(update.value) for _, update in unframed(data) if isinstance(update, Put)])
