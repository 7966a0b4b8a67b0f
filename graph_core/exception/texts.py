"""Texts of objects that are the user's, and may raise anything when asked for one."""

from __future__ import annotations

import attrs

_LONGEST = 300


def shown(value: object) -> str:
    """Give the `repr` of an object, cut where it is long.

    >>> shown("a")
    "'a'"
    """
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  (a repr may raise anything)
        return f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _own_text(error: BaseException) -> str:
    """Give the text of an error; the validators of attrs put the field and the value behind it."""
    first, *rest = error.args or (None,)
    is_of_attrs = isinstance(first, str) and any(isinstance(each, attrs.Attribute) for each in rest)
    return str(first) if is_of_attrs else str(error)


def said(error: BaseException) -> str:
    """Give type and text of an error.

    >>> said(ValueError("no"))
    'ValueError: no'
    """
    try:
        return f"{type(error).__name__}: {_own_text(error)}"
    except Exception:  # noqa: BLE001  (a str may raise anything)
        return f"{type(error).__name__}, whose str raised"
