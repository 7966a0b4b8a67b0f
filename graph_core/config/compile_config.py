"""Settings of a compiled graph."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Any, Final, Literal, cast, final

import attrs

from graph_core.checkpoint import BaseCheckpointSaver
from graph_core.config.aggregation import Concurrency, concurrency
from graph_core.config.interrupts import Interrupts, interrupts
from graph_core.exception import InvalidRecordError

DEFAULT_RECURSION_LIMIT = 100
_COLLECTION: Final[Any] = Collection  # as `Any`: to a type checker `isinstance` does not narrow then
_CHOICES = {"on_conflict": ["last", "error"], "on_branch_error": ["cancel", "wait"]}


def check_text(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Refuse a name or id that is neither `None` nor a `str` with something in it."""
    if value is not None and (not isinstance(value, str) or not value):
        raise InvalidRecordError(f"{attribute.name} must be a str that is not empty, or None, not {value!r}")


def check_limit(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Refuse a limit that is no whole number above zero."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidRecordError(f"{attribute.name} must be a whole number > 0, not {value!r}")


def _flag(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, bool):
        raise InvalidRecordError(f"{attribute.name} must be True or False, not {value!r}")


def _choice(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    allowed = _CHOICES[attribute.name]
    if value not in allowed:
        raise InvalidRecordError(f"{attribute.name} must be one of {allowed}, not {value!r}")


@final
class _Fresh:
    """Type of the default saver: a `MemorySaver` of its own for every compile."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Tell what it stands for."""
        return "<a fresh MemorySaver per compile>"

    def __reduce__(self) -> str:
        """Pickle, copy and deepcopy to the one instance."""
        return "FRESH"


FRESH = _Fresh()
"""The default of `checkpoint_saver`."""


def _saver(_: object, __: object, saver: Any) -> None:
    if saver is not None and saver is not FRESH and not isinstance(saver, BaseCheckpointSaver):
        text = "checkpoint_saver must be a BaseCheckpointSaver (MemorySaver, DatabaseSaver), or None to keep nothing"
        raise InvalidRecordError(f"{text}, not {saver!r}")


def _keys(value: Any) -> frozenset[str]:
    if isinstance(value, str) or not isinstance(value, _COLLECTION) or not all(isinstance(key, str) for key in value):
        raise InvalidRecordError(f"untracked must be a collection of keys, not {value!r}")
    return frozenset(value)


_FOREVER: Final = 100 * 366 * 24 * 3600


def _seconds(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _FOREVER:
        raise InvalidRecordError(f"{attribute.name} must be a number of seconds > 0, at most a century, not {value!r}")


@final
@attrs.frozen(kw_only=True)
class CompileConfig:
    """How a graph is compiled.

    Args:
        name: name of the compiled graph, else the one of the `StateGraph`.
        checkpoint_saver: where the checkpoints of threads are kept; `None`: nowhere. Default: a fresh
            `MemorySaver` for every compile.
        recursion_limit: how many steps deep one call may go.
        interrupts_before, interrupts_after: ids of nodes before or after which a run pauses, `"*"` for all,
            or paths into child graphs in tuples.
        interrupt_before_edge: what pauses after a node pauses before its routes are evaluated.
        on_conflict: `"error"` refuses two branches that write one key which is replaced (rule P5);
            with `"last"` the last one in branch order wins.
        on_branch_error: `"wait"` lets the siblings of a failing branch go on as far as they do not
            need it, before the run fails; `"cancel"` cancels them.
        max_concurrency: how many calls may run at once in a run, or a mapping of fork sources to how
            many may in each activation of that fork.
        release_thread: take the checkpoints of a thread out of the saver when its run is done.
        untracked: keys that are never written to a checkpoint, as those marked `UNTRACKED` in a schema.
        lease: seconds after which the thread of a run whose process has died can be taken by another.
        detect_mutation: fail the step of a node that changes a value of its state in place (rule
            S10); costs a copy of the state's containers per step. Default: the environment variable
            `GRAPH_CORE_DETECT_MUTATION` is `1`.

    Raises:
        InvalidRecordError: a setting is of another type or out of range.

    >>> CompileConfig(recursion_limit=500).recursion_limit
    500
    """

    name: str | None = attrs.field(default=None, validator=check_text)
    checkpoint_saver: BaseCheckpointSaver | None = attrs.field(default=cast("Any", FRESH), validator=_saver)
    recursion_limit: int = attrs.field(default=DEFAULT_RECURSION_LIMIT, validator=check_limit)
    interrupts_before: Interrupts = attrs.field(default=(), converter=interrupts)
    interrupts_after: Interrupts = attrs.field(default=(), converter=interrupts)
    interrupt_before_edge: bool = attrs.field(default=False, validator=_flag)
    on_conflict: Literal["last", "error"] = attrs.field(default="last", validator=_choice)
    on_branch_error: Literal["cancel", "wait"] = attrs.field(default="cancel", validator=_choice)
    max_concurrency: Concurrency | None = attrs.field(default=None, converter=concurrency)
    release_thread: bool = attrs.field(default=False, validator=_flag)
    untracked: Collection[str] = attrs.field(default=frozenset[str](), converter=_keys)
    lease: float = attrs.field(default=30.0, validator=_seconds)
    detect_mutation: bool = attrs.field(
        factory=lambda: os.environ.get("GRAPH_CORE_DETECT_MUTATION") == "1", validator=_flag
    )
