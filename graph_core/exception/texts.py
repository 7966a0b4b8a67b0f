"""Texts of objects that are the user's, and may raise anything when asked for one."""

from __future__ import annotations

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


def said(error: BaseException) -> str:
    """Give type and text of an error.

    >>> said(ValueError("no"))
    'ValueError: no'
    """
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001  (a str may raise anything)
        return f"{type(error).__name__}, whose str raised"
