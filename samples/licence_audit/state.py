"""The states of an audit: what goes into both ways and comes out of them, and what each knows on its way."""

from typing import Annotated, TypedDict

import attrs

from graph_core import APPEND
from samples.licence_audit.finding import Finding, Report
from samples.licence_audit.installed import Installed
from samples.licence_audit.statements import Statement


class Environment(TypedDict):
    """What there is to audit."""

    distributions: tuple[Installed, ...]


@attrs.frozen
class Audited:
    """What an audit gives."""

    report: Report


@attrs.frozen(kw_only=True)
class Walk:
    """The way through the environment: `position` is the next distribution's, `current` is None when none is left."""

    distributions: tuple[Installed, ...]
    position: int = 0
    current: Finding | None = None
    findings: Annotated[list[Finding], APPEND] = attrs.field(factory=list[Finding])


@attrs.frozen(kw_only=True)
class Fan:
    """All distributions at once.

    `notes` and `current` are replaced by every branch; each reads its own, and behind them nobody reads any.
    """

    distributions: tuple[Installed, ...]
    notes: tuple[str, ...] = ()
    statements: Annotated[list[Statement], APPEND] = attrs.field(factory=list[Statement])
    current: Finding | None = None
    findings: Annotated[list[Finding], APPEND] = attrs.field(factory=list[Finding])


class Judged(TypedDict):
    """Either way with a distribution that has been judged."""

    current: Finding


class Results(TypedDict):
    """Either way with all findings so far."""

    findings: list[Finding]


class Copy(TypedDict):
    """A branch of the fan with its distribution, from its `Send`."""

    one: Installed


class Asked(Copy):
    """A branch after its checks: `statements` stand in the order in which the sources count."""

    notes: tuple[str, ...]
    statements: list[Statement]
