"""Ids of checkpoints, and what an id may be."""

from __future__ import annotations

import itertools
import os
import secrets
from typing import Any, final

from graph_core.exception import InvalidRecordError

LONGEST_ID = 255


@final
class _Ids:
    """A random prefix per process and a count: unique, and a tenth of the cost of a random id each."""

    def __init__(self) -> None:
        self.renew()
        at_fork: Any = getattr(os, "register_at_fork", dict)  # where there are no forks, nothing happens
        at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.prefix = secrets.token_urlsafe(8)  # short: it is in every row, and in its index
        self.count = itertools.count()


_IDS = _Ids()


def new_id() -> str:
    """Give an id that no other checkpoint has, in this process or any other.

    >>> new_id() == new_id()
    False
    """
    return f"{_IDS.prefix}.{next(_IDS.count):x}"


def is_id(value: Any) -> bool:
    r"""Tell whether a value can be an id: a text that every database can hold.

    >>> is_id("../ä 🦜 "), is_id(""), is_id(chr(0))
    (True, False, False)
    """
    if not isinstance(value, str) or not value or "\0" in value:
        return False
    return value.isascii() or value.encode("utf-8", "ignore").decode() == value


def check_id(what: str, value: Any) -> None:
    """Check the id of a thread, a run or a checkpoint.

    Raises:
        InvalidRecordError: it is no text, it is empty, or it holds NUL or half a surrogate pair.

    >>> check_id("thread_id", "../ä 🦜 ")
    """
    if not is_id(value):
        text = f"{what} must be a text that is not empty, without NUL and half surrogate pairs"
        raise InvalidRecordError(f"{text}, not {value!r}")


def check_options(retention: Any, clock: Any, serializer: Any) -> None:
    """Check what a saver is made with.

    Raises:
        InvalidRecordError: one is of another type.
    """
    from graph_core.checkpoint.retention import Retention

    if retention is not None and not isinstance(retention, Retention):
        raise InvalidRecordError(f"retention must be a Retention(...) or None, not {retention!r}")
    if not callable(clock):
        raise InvalidRecordError(f"clock must be a callable that gives seconds since 1970, not {clock!r}")
    if serializer is not None and not (hasattr(serializer, "dumps") and hasattr(serializer, "loads")):
        raise InvalidRecordError(f"serializer must have dumps and loads, as Serializer() has, not {serializer!r}")


def check_checkpoint_id(value: Any) -> None:
    """Check the id of a checkpoint, which databases index as it stands.

    Raises:
        InvalidRecordError: it is no id, or longer than 255 characters.

    >>> check_checkpoint_id("c1")
    """
    check_id("a checkpoint's id", value)
    if len(value) > LONGEST_ID:
        text = f"a checkpoint's id may have {LONGEST_ID} characters, this one has {len(value)}"
        raise InvalidRecordError(f"{text}: {value[:40]!r}…")
