"""What the audit found out about one distribution, and about all."""

from collections import Counter
from typing import Any

import attrs

from samples.licence_audit.decision import Decision, oddities
from samples.licence_audit.installed import Installed
from samples.licence_audit.licence_class import LicenceClass
from samples.licence_audit.statements import Source


@attrs.frozen(kw_only=True)
class Finding:
    """One distribution's line in the report; `duty` says what its licence asks for, `notes` what is odd about it."""

    name: str
    version: str
    stated: str
    licence_class: LicenceClass
    decided_by: Source
    notes: tuple[str, ...]
    place: str
    duty: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON values; an absent name, version or licence is null."""
        return {
            "name": self.name or None,
            "version": self.version or None,
            "licence": self.stated or None,
            "class": self.licence_class.value,
            "decided_by": self.decided_by.value,
            "duty": self.duty,
            "notes": list(self.notes),
            "place": self.place,
        }


@attrs.frozen
class Report:
    """All findings, in the order of the environment, which is sorted by name."""

    findings: tuple[Finding, ...]

    @property
    def totals(self) -> dict[LicenceClass, int]:
        """The number of distributions per class, every class named."""
        count = Counter(finding.licence_class for finding in self.findings)
        return {licence_class: count[licence_class] for licence_class in LicenceClass}

    @property
    def unknown(self) -> tuple[Finding, ...]:
        """The findings somebody has to look into."""
        return tuple(finding for finding in self.findings if finding.licence_class is LicenceClass.UNKNOWN)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "count": len(self.findings),
            "totals": {licence_class.value: count for licence_class, count in self.totals.items()},
            "unknown": [finding.name or finding.place for finding in self.unknown],
            "distributions": [finding.to_json() for finding in self.findings],
        }


def notes_on(one: Installed) -> tuple[str, ...]:
    """Return what is odd about `one`: what is broken in its metadata first, then in its statements."""
    return (*one.problems, *oddities(one))


def finding_of(one: Installed, decision: Decision, notes: tuple[str, ...]) -> Finding:
    """Return what can be said about `one` as long as its licence's duty is open."""
    return Finding(
        name=one.name,
        version=one.version,
        stated=decision.stated,
        licence_class=decision.licence_class,
        decided_by=decision.source,
        notes=notes,
        place=one.place,
    )
