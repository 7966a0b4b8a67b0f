"""The report as text for people."""

from collections.abc import Iterable, Sequence
from typing import Final

from samples.licence_audit.finding import Finding, Report
from samples.licence_audit.installed import Installed
from samples.licence_audit.licence_class import LicenceClass
from samples.shared.table import cell, plain, table

_HEADINGS: Final = ("name", "version", "licence as stated", "class", "decided by")


def render_report(report: Report, footer: str = "") -> str:
    """Return the table of all distributions, the totals, the unknown ones and what else is odd; then `footer`."""
    blocks = (_table(report.findings), _totals(report), _unknown(report.unknown), _odd(report.findings), footer)
    return "\n\n".join(block for block in blocks if block)


def _table(findings: Sequence[Finding]) -> str:
    if not findings:
        return "No distributions found."
    return table(_HEADINGS, [_row(finding) for finding in findings])


def _row(finding: Finding) -> tuple[str, ...]:
    return (
        cell(finding.name),
        cell(finding.version),
        cell(finding.stated),
        finding.licence_class.value,
        finding.decided_by.value,
    )


def _totals(report: Report) -> str:
    duties = {finding.licence_class: finding.duty for finding in report.findings}
    lines = (
        f"  {licence_class.value:<{_label_width()}}  {count:>5}  {duties.get(licence_class, '')}".rstrip()
        for licence_class, count in report.totals.items()
    )
    return "\n".join((f"{len(report.findings)} distributions", *lines))


def _label_width() -> int:
    return max(len(licence_class.value) for licence_class in LicenceClass)


def _unknown(findings: Iterable[Finding]) -> str:
    return _list("Unknown, somebody has to look:", (f"{title(f)}: {cell(f.stated)}" for f in findings))


def _odd(findings: Iterable[Finding]) -> str:
    return _list("Odd:", (f"{title(f)}: {plain('; '.join(f.notes))}" for f in findings if f.notes))


def title(one: Finding | Installed) -> str:
    """Return what to call the distribution; its place, if it has no name."""
    return plain(f"{one.name} {one.version}" if one.name else one.place)


def _list(heading: str, items: Iterable[str]) -> str:
    lines = [f"  {item}" for item in items]
    return "\n".join((heading, *lines)) if lines else ""
