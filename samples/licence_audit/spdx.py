"""SPDX licence expressions as records, and their text.

The grammar is that of annex D of the SPDX specification 2.3, which PEP 639 uses for `License-Expression`.
"""

from typing import TypeAlias

import attrs


@attrs.frozen
class Licence:
    """One licence: its id, a `+` for later versions too, and the exception named after `WITH`."""

    id: str
    or_later: bool = False
    exception: str | None = None


@attrs.frozen
class AllOf:
    """Licences that apply together: `A AND B`. Build it with `all_of`."""

    parts: tuple["Expression", ...]


@attrs.frozen
class AnyOf:
    """Licences to choose from: `A OR B`. Build it with `any_of`."""

    parts: tuple["Expression", ...]


Expression: TypeAlias = Licence | AllOf | AnyOf


def all_of(*parts: Expression) -> Expression:
    """Return `parts` joined by AND; one part stays as it is, an inner AND is flattened."""
    flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, AllOf) else (part,)))
    return flat[0] if len(flat) == 1 else AllOf(flat)


def any_of(*parts: Expression) -> Expression:
    """Return `parts` joined by OR; one part stays as it is, an inner OR is flattened."""
    flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, AnyOf) else (part,)))
    return flat[0] if len(flat) == 1 else AnyOf(flat)


def render(expression: Expression) -> str:
    """Return the text of `expression`, with parentheses only where they are needed.

    >>> render(AllOf((Licence("MIT"), AnyOf((Licence("GPL-2.0", or_later=True), Licence("ISC"))))))
    'MIT AND (GPL-2.0+ OR ISC)'
    """
    match expression:
        case Licence():
            plus = "+" if expression.or_later else ""
            exception = "" if expression.exception is None else f" WITH {expression.exception}"
            return f"{expression.id}{plus}{exception}"
        case AllOf():
            return " AND ".join(
                f"({render(part)})" if isinstance(part, AnyOf) else render(part) for part in expression.parts
            )
        case AnyOf():
            return " OR ".join(render(part) for part in expression.parts)
