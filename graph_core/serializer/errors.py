"""What goes wrong when values are written and read (rule E1)."""

from __future__ import annotations

from graph_core.exception import GraphRunnerException


class SerializationError(GraphRunnerException):
    """A value that can not be written.

    Args:
        message: what is wrong, where, and what would be right.
        code: ``"serialization_failed"``, or ``"unregistered_type"`` if a class is not on the list.
        path: where in the value, for example ``$.items[2].price``.
    """

    def __init__(self, message: str, code: str = "serialization_failed", path: str = "$") -> None:
        super().__init__(message, code)
        self.path = path


class DeserializationError(GraphRunnerException):
    """Bytes that no value can be read from.

    Args:
        message: what is wrong, where, and what would be right.
        code: ``"corrupt_data"``, or ``"unregistered_type"`` if a class is not on the list.
        path: where in the value, for example ``$.items[2].price``.
    """

    def __init__(self, message: str, code: str = "corrupt_data", path: str = "$") -> None:
        super().__init__(message, code)
        self.path = path
