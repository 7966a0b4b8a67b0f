"""Text to SPDX licence expression, by recursive descent."""

import re
from collections.abc import Callable
from typing import Final

from returns.result import Failure, Result, Success

from samples.licence_audit.spdx import Expression, Licence, all_of, any_of

# Metadata comes from strangers: without a limit, a row of brackets would exhaust Python's stack.
MAX_DEPTH: Final = 50

_TOKEN = re.compile(r"\s*(?:([()])|([A-Za-z0-9.:-]+\+?))")
_OPERATORS: Final = frozenset({"AND", "OR", "WITH"})


class SpdxSyntaxError(ValueError):
    """The text is no SPDX licence expression."""


def parse(text: str) -> Result[Expression, SpdxSyntaxError]:
    """Return the expression `text` stands for; operators in any case, as PEP 639 allows.

    Ids are not looked up: `Foo-1.0` is well formed.
    """
    try:
        tokens = _Tokens(_split(text))
        expression = _any_of(tokens, 0)
        tokens.expect_end()
    except SpdxSyntaxError as error:
        return Failure(error)
    return Success(expression)


def _split(text: str) -> list[str]:
    tokens: list[str] = []
    text = text.strip()
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            message = f"{text[position]!r} at {position} cannot stand in a licence expression"
            raise SpdxSyntaxError(message)
        word = found.group(1) or found.group(2)
        tokens.append(word.upper() if word.upper() in _OPERATORS else word)
        position = found.end()
    return tokens


class _Tokens:
    """The words still to be read."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._next = 0

    def take_if(self, word: str) -> bool:
        """Step over `word` if it is next, and say whether it was."""
        found = self._next < len(self._words) and self._words[self._next] == word
        self._next += found
        return found

    def take_name(self, what: str) -> str:
        """Step over a name; `what` says in the error which name was missing."""
        word = self._words[self._next] if self._next < len(self._words) else "the end"
        if word in _OPERATORS or word in {"(", ")", "the end"}:
            message = f"{what} expected, {word} found"
            raise SpdxSyntaxError(message)
        self._next += 1
        return word

    def expect_end(self) -> None:
        """Raise if words are left."""
        if self._next < len(self._words):
            message = f"AND, OR or the end expected, {self._words[self._next]} found"
            raise SpdxSyntaxError(message)


def _any_of(tokens: _Tokens, depth: int) -> Expression:
    return any_of(*_chain(tokens, depth, "OR", _all_of))


def _all_of(tokens: _Tokens, depth: int) -> Expression:
    return all_of(*_chain(tokens, depth, "AND", _unit))


def _chain(tokens: _Tokens, depth: int, operator: str, part: Callable[[_Tokens, int], Expression]) -> list[Expression]:
    parts = [part(tokens, depth)]
    while tokens.take_if(operator):
        parts.append(part(tokens, depth))
    return parts


def _unit(tokens: _Tokens, depth: int) -> Expression:
    if depth > MAX_DEPTH:
        message = f"parentheses nested deeper than {MAX_DEPTH}"
        raise SpdxSyntaxError(message)
    if tokens.take_if("("):
        inner = _any_of(tokens, depth + 1)
        if not tokens.take_if(")"):
            message = "a closing parenthesis is missing"
            raise SpdxSyntaxError(message)
        return inner
    name = tokens.take_name("a licence id or (")
    exception = tokens.take_name("an exception id") if tokens.take_if("WITH") else None
    if exception is not None and exception.endswith("+"):
        message = f"an exception has no later versions: {exception}"
        raise SpdxSyntaxError(message)
    return Licence(name.removesuffix("+"), name.endswith("+"), exception)
