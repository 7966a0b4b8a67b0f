"""Which licence class a distribution is in, and which of its statements decided that."""

from collections.abc import Iterable

import attrs
from returns.result import Success

from samples.licence_audit.checks import Checks
from samples.licence_audit.installed import Installed
from samples.licence_audit.licence_class import LicenceClass
from samples.licence_audit.spdx_parser import parse
from samples.licence_audit.statements import SOURCES, Source, Statement, statement_of


@attrs.frozen
class Decision:
    """The class of a distribution's licence, the words that decided it and where they stood."""

    licence_class: LicenceClass
    stated: str
    source: Source


def decide(one: Installed, checks: Checks | None = None) -> Decision:
    """Ask the sources about `one` in turn, up to the first that says something clear."""
    checks = checks or Checks()
    return decide_by(checks.ask(source, one) for source in SOURCES)


def decide_by(statements: Iterable[Statement]) -> Decision:
    """Return the first clear one of `statements`; if there is none, the first unclear one."""
    unclear = ""
    for statement in statements:
        if statement.licence_class is not None:
            return Decision(statement.licence_class, statement.stated, statement.source)
        unclear = unclear or statement.stated
    return Decision(LicenceClass.UNKNOWN, unclear, Source.NOTHING)


def oddities(one: Installed) -> tuple[str, ...]:
    """Return notes on what a person should look at in the statements of `one`."""
    notes = (_malformed_expression(one), _disagreement(one))
    return tuple(note for note in notes if note is not None)


def _malformed_expression(one: Installed) -> str | None:
    parsed = parse(one.expression)
    if isinstance(parsed, Success) or not one.expression:
        return None
    return f"licence expression {one.expression!r} is malformed: {parsed.failure()}"


def _disagreement(one: Installed) -> str | None:
    asked = (Source.FIELD, Source.CLASSIFIERS, Source.EXPRESSION)
    field, classifiers, expression = (statement_of(source, one).licence_class for source in asked)
    # A good expression replaces these older statements, whatever they say.
    if expression is not None or field is None or classifiers is None or field is classifiers:
        return None
    return f"classifiers say {classifiers.value}, licence field says {field.value}"
