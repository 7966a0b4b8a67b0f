"""The two kinds of route actions: one target (`CommandAction`) or several (`MultiCommandAction`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, final

import attrs

from graph_core.exception import InvalidRecordError

Action: TypeAlias = Callable[[Any], Any] | Callable[[Any, Any], Any]
"""Any callable `(state)` or `(state, config)`, sync or async."""


def _callable(instance: object, _: object, fn: Any) -> None:
    if not callable(fn):
        raise InvalidRecordError(f"{type(instance).__name__} wraps a callable (state) or (state, config), not {fn!r}")


@final
@attrs.frozen
class CommandAction:
    """An action that answers with one label or a `Command`.

    Args:
        fn: callable `(state)` or `(state, config)`, sync or async.

    Raises:
        InvalidRecordError: `fn` is not callable.

    >>> CommandAction.of(lambda state: "next").fn({})
    'next'
    """

    fn: Callable[..., Any] = attrs.field(validator=_callable)

    @classmethod
    def of(cls, fn: Action | CommandAction) -> CommandAction:
        """Wrap a callable; a wrapped one is given back as it is."""
        return fn if isinstance(fn, CommandAction) else cls(fn)


@final
@attrs.frozen
class MultiCommandAction:
    """An action that answers with labels, `Send`s or a `MultiCommand`.

    Args:
        fn: callable `(state)` or `(state, config)`, sync or async.

    Raises:
        InvalidRecordError: `fn` is not callable.

    >>> MultiCommandAction.of(lambda state: ["left", "right"]).fn({})
    ['left', 'right']
    """

    fn: Callable[..., Any] = attrs.field(validator=_callable)

    @classmethod
    def of(cls, fn: Action | MultiCommandAction) -> MultiCommandAction:
        """Wrap a callable; a wrapped one is given back as it is."""
        return fn if isinstance(fn, MultiCommandAction) else cls(fn)
