"""What a person is asked, and what may be answered."""

from typing import Final

import attrs

from samples.approval_workflow.request import one_line
from samples.shared.table import plain

_YES: Final = frozenset({"yes", "y"})
_NO: Final = frozenset({"no", "n"})


@attrs.frozen(kw_only=True)
class Question:
    """What is asked about the request `id`: whom, what it is about, and why the rules leave it to a person."""

    id: str
    approver: str
    summary: str
    why: str

    def __str__(self) -> str:
        """Lay it out for people."""
        return f"{self.id} waits for {self.approver}: {self.why}\n  {plain(self.summary)}"


def _reason(ruling: "Ruling", field: "attrs.Attribute[str]", text: str) -> None:
    if text:
        one_line(ruling, field, text)
    elif not ruling.is_approved:
        raise ValueError("whoever hears no has to hear why: no:REASON")


@attrs.frozen(kw_only=True)
class Ruling:
    """What a person has answered; only a yes needs no reason."""

    is_approved: bool
    reason: str = attrs.field(default="", validator=_reason)

    def __str__(self) -> str:
        """Say it as it would be typed."""
        word = "yes" if self.is_approved else "no"
        return f"{word}:{self.reason}" if self.reason else word


def ruling_of(text: str) -> Ruling:
    """Return the ruling that somebody typed.

    Raises:
        ValueError: it is none; the text says what would be one.

    >>> ruling_of("no: too dear")
    Ruling(is_approved=False, reason='too dear')
    """
    word, _, reason = (part.strip() for part in text.partition(":"))
    if word.casefold() not in _YES | _NO:
        raise ValueError(f"an answer is yes, yes:REASON or no:REASON, not {text!r}")
    return Ruling(is_approved=word.casefold() in _YES, reason=reason)
