"""A graph with all it needs to audit an environment, whichever way it goes."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import attrs

from graph_core import CompiledGraph, NodeOutput, RunnableConfig
from samples.licence_audit.checks import Checks
from samples.licence_audit.finding import Report
from samples.licence_audit.state import Audited, Environment

AuditGraph: TypeAlias = CompiledGraph[Any, Checks, Environment, Audited]


@attrs.frozen(kw_only=True)
class Audit:
    """An audit to be run: `way` says in words how it goes."""

    way: str
    graph: AuditGraph
    inputs: Environment
    config: RunnableConfig[Checks]

    def report(self) -> Report:
        """Run, and return what was found."""
        return self.graph.invoke(self.inputs, self.config).view().report

    def outputs(self) -> list[NodeOutput]:
        """Run, and return what happened: distribution by distribution, in each by step and branch.

        The order is the same on every run, however the branches overtook each other.
        """
        return sorted(self.graph.stream(self.inputs, self.config), key=_in_order)


# What is on the main path has no branch; the report at its end comes last.
_LAST: Final = (float("inf"),)


def _in_order(output: NodeOutput) -> tuple[tuple[float, ...], int, tuple[int, ...]]:
    return output.branch[:1] or (_LAST if output.is_end or output.node == "report" else ()), output.step, output.branch


def report_in(outputs: Sequence[NodeOutput]) -> Report:
    """Return the report that a finished run has left."""
    state: Mapping[str, Any] = outputs[-1].state or {}
    report: Report = state["report"]
    return report
