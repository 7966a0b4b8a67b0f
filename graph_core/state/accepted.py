"""The classes of values that a key of a schema takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from graph_core.exception import StateMergeError

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_KNOWN: Final = 64


@final
class Accepted(set[type]):
    """The classes that were found to fit so far, so that to see it once more costs one look-up.

    Args:
        key: the key.
        expected: its type, as it is written.
        admits: tells of a class whether its values fit.
    """

    __slots__ = ("admits", "expected", "key")

    def __init__(self, key: str, expected: str, admits: Callable[[Any], bool]) -> None:
        super().__init__()
        self.key = key
        self.expected = expected
        self.admits = admits

    def check(self, value: Any) -> None:
        """Refuse a value that does not fit; only its outermost type is looked at.

        Raises:
            StateMergeError: as said (code ``invalid_value``).
        """
        kind = value.__class__
        if kind in self:
            return
        if not self.admits(kind):
            from graph_core.state.schema.kinds import actual

            text = f"key {self.key!r}: expected {self.expected}, not {actual(value)}"
            raise StateMergeError(text, "invalid_value", self.key)
        if len(self) < _MOST_KNOWN:  # classes made at run time must not fill the memory
            self.add(kind)
