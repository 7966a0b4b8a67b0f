"""The report as text for people."""

from collections.abc import Iterable, Sequence
from typing import Final

from samples.licence_audit.finding import Finding, Report
from samples.licence_audit.licence_class import LicenceClass

_HEADINGS: Final = ("name", "version", "licence as stated", "class", "decided by")
_WIDEST: Final = 44


def render_report(report: Report, footer: str = "") -> str:
    """Return the table of all distributions, the totals, the unknown ones and what else is odd; then `footer`."""
    blocks = (_table(report.findings), _totals(report), _unknown(report.unknown), _odd(report.findings), footer)
    return "\n\n".join(block for block in blocks if block)


def _table(findings: Sequence[Finding]) -> str:
    if not findings:
        return "No distributions found."
    rows = [_HEADINGS, *(_row(finding) for finding in findings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _row(finding: Finding) -> tuple[str, ...]:
    return (
        _cell(finding.name),
        _cell(finding.version),
        _cell(finding.stated),
        finding.licence_class.value,
        finding.decided_by.value,
    )


def _cell(text: str) -> str:
    line = plain(text)
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 3]}..."


def plain(text: str) -> str:
    """Return `text` in one line and without control characters, which would reach the terminal; `-` for none."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split())) or "-"


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
    return _list("Unknown, somebody has to look:", (f"{title(f)}: {_cell(f.stated)}" for f in findings))


def _odd(findings: Iterable[Finding]) -> str:
    return _list("Odd:", (f"{title(f)}: {plain('; '.join(f.notes))}" for f in findings if f.notes))


def title(finding: Finding) -> str:
    """Return what to call `finding`'s distribution; its place, if it has no name."""
    return plain(f"{finding.name} {finding.version}" if finding.name else finding.place)


def _list(heading: str, items: Iterable[str]) -> str:
    lines = [f"  {item}" for item in items]
    return "\n".join((heading, *lines)) if lines else ""
