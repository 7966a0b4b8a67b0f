"""Asking the sources, each question one check: what a run of the audit is given as its context."""

from collections.abc import Callable

import attrs

from samples.licence_audit.installed import Installed
from samples.licence_audit.statements import Source, Statement, statement_of


def _at_once(source: Source, one: Installed) -> None:
    """Ask without further ado."""


@attrs.frozen
class Checks:
    """How the sources are asked; `before` is called ahead of each check, in the thread that will do it."""

    before: Callable[[Source, Installed], object] = _at_once

    def ask(self, source: Source, one: Installed) -> Statement:
        """Return what `source` says about `one`."""
        self.before(source, one)
        return statement_of(source, one)
