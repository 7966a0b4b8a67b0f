"""Ways that a value travels to another place."""

import copy
import pickle
from typing import TypeVar

T = TypeVar("T")


def pickled(value: T) -> T:
    """Give the value as another process would get it."""
    again: T = pickle.loads(pickle.dumps(value))  # noqa: S301  (our own bytes)
    return again


def travelled(value: T) -> tuple[T, T, T]:
    """Give the value pickled, copied, and deep-copied."""
    return pickled(value), copy.copy(value), copy.deepcopy(value)
