"""Asking a person on the terminal."""

import sys
from collections.abc import Iterator
from typing import TextIO

import attrs

from samples.approval_workflow.question import Question, Ruling, ruling_of

_PROMPT = "yes, yes:REASON, no:REASON or later? "


@attrs.define
class Prompt:
    """Asks on stderr, so that stdout has the report alone; where the lines end, all is left for later."""

    lines: TextIO
    _is_over: bool = attrs.field(default=False, init=False)

    def ask(self, question: Question) -> Ruling | None:
        """Return what is answered; None if it is to be answered later."""
        if self._is_over:
            return None
        say(f"\n{question}")
        for line in self._answers():
            if line.casefold() == "later":
                return None
            try:
                return ruling_of(line)
            except ValueError as error:
                say(f"  {error}")
        return None

    def _answers(self) -> Iterator[str]:
        """Yield each line that is typed, until there are no more."""
        say(_PROMPT, end="")
        try:
            while line := self.lines.readline():
                yield line.strip()
                say(_PROMPT, end="")
        except UnicodeDecodeError:
            say("That is no text.", end="")
        self._is_over = True
        say()


def is_terminal() -> bool:
    """Tell whether a person can be asked: both what they type and what they see go through a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def say(text: str = "", end: str = "\n") -> None:
    """Print to stderr what is not part of the report."""
    print(text, end=end, file=sys.stderr, flush=True)
