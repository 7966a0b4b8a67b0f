"""Licences by the free text of the `License` field: a name, several, an expression, or a whole licence text."""

import re
from typing import Final

from returns.result import Success

from samples.licence_audit.class_of_expression import class_of_expression, knows_all_ids
from samples.licence_audit.licence_class import LicenceClass, all_apply, one_may_be_chosen, strictest
from samples.licence_audit.licence_text import recognise
from samples.licence_audit.names import class_of_names
from samples.licence_audit.spdx_parser import parse

# A pasted text begins with its title; far into prose a licence's name is no longer a statement.
_TITLE_LENGTH: Final = 300

# An `or` or `and` inside a name, which divides nothing.
_INSIDE_A_NAME = re.compile(
    r"\bor\W+(\(?at your option\)?\W+)?((any|a) )?(later|newer|higher|above|greater)( version)?\b"
    r"|\band (later|newer|above)\b|\blibrary or\b|\bdevelopment and\b|\bnotice and\b|\bfoundation and\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\band/or\b|\bor\b|\|+", re.IGNORECASE)
_AND = re.compile(r"\band\b|&|;", re.IGNORECASE)


def class_of_free_text(text: str) -> LicenceClass | None:
    """Return the class of what `text` says, or None if it says nothing clear."""
    parsed = parse(text)
    if isinstance(parsed, Success):
        expression = parsed.unwrap()
        if knows_all_ids(expression):
            return class_of_expression(expression)
    texts = recognise(text)
    if texts:
        return strictest(known.licence_class for known in texts)
    return _class_of_title(text[:_TITLE_LENGTH])


def _class_of_title(text: str) -> LicenceClass | None:
    choices = _OR.split(_INSIDE_A_NAME.sub(" ", text))
    return one_may_be_chosen(all_apply(class_of_names(part) for part in _AND.split(choice)) for choice in choices)
