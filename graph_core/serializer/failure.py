"""A failure on its way up: each level that it passes adds its piece of the path."""

from __future__ import annotations

from typing import Any, Final, final

from graph_core.exception.texts import shown

_LONGEST_PATH: Final = 16
exactly: Final[Any] = type
"""`type`; declared as `Any`, so that to a type checker a comparison does not narrow."""


@final
class Failure(Exception):
    """What is wrong, while the place of it is being found out; it never leaves the serializer.

    Args:
        text: what is wrong and what would be right.
        code: the code of the error to come, if it is not the usual one.
        is_deep: a value is nested too deeply, maybe for ever.
    """

    def __init__(self, text: str, code: str | None = None, *, is_deep: bool = False) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.pieces: list[str] = []
        self.inside: list[object] = []
        self.is_deep = is_deep

    def under(self, piece: str, value: object = None) -> None:
        """Add the piece of the path that leads here, and the value that it is inside of."""
        self.pieces.append(piece)
        self.inside.append(value)

    def path(self, where: str) -> str:
        """Give the whole path; a long one is cut in its middle."""
        pieces = [piece for piece in reversed(self.pieces) if piece]
        if len(pieces) > _LONGEST_PATH:
            pieces = [*pieces[: _LONGEST_PATH // 2], "…", *pieces[-_LONGEST_PATH // 2 :]]
        return where + "".join(pieces)

    @property
    def is_cycle(self) -> bool:
        """Whether it is so deep inside because a value contains itself."""
        return self.is_deep and len(set(map(id, self.inside))) < len(self.inside)


def at_key(key: Any) -> str:
    """Give the piece of a path for a key or a field.

    >>> at_key("price"), at_key("unit price"), at_key((1, 2))
    ('.price', "['unit price']", '[(1, 2)]')
    """
    return f".{key}" if exactly(key) is str and key.isidentifier() else f"[{shown(key)}]"


def at_index(index: int) -> str:
    """Give the piece of a path for an element.

    >>> at_index(2)
    '[2]'
    """
    return f"[{index}]"
