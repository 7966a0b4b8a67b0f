"""What a scenario has to do: the Java trace, or what the rules say where they differ from it."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import attrs
import orjson

from graph_core_tests.parity.scenario import CONVERTER, RunSpec, Values, load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph_core_tests.parity.scenario import CompileSpec, JavaOutput, JavaRun, Recording

Entries: TypeAlias = tuple[tuple[str, tuple[str, ...], Values | None], ...]
Pause: TypeAlias = tuple[Literal["before", "after", "inside"], str, Values]

DIFFERENCES = Path(__file__).parent / "differences.json"

# The texts of Java's compile errors (its enum `Errors`), each with the code that stands for it here.
JAVA_PROBLEMS: Mapping[str, str] = {
    r"END is not a valid node id!": "invalid_node_identifier",
    r"END is not a valid edge sourceId!": "invalid_edge_identifier",
    r"node with id: .* already exist!": "duplicate_node_error",
    r"edge mapping is empty!": "edge_mapping_is_empty",
    r"missing Entry Point": "missing_entry_point",
    r"edge sourceId '.*' refers to undefined node!": "missing_node_referenced_by_edge",
    r"edge mapping for sourceId: .* contains a not existent nodeId .*!": "missing_node_in_edge_mapping",
    r"edge \[.*\] has duplicate targets \[.*\]!": "duplicate_edge_target_error",
    r"Target nodeIds missing for addEdges\(.*\)!": "empty_target_node_by_edge",
    r"node '.*' configured as interruption doesn't exist!": "interruption_node_not_exist",
}


@attrs.frozen(kw_only=True)
class ExpectedFailure:
    """How a run has to end: what is `None` is open; `mentions` are the words that its text has to hold."""

    code: str | None = None
    node: str | None = None
    cause: str | None = None
    mentions: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class ExpectedRun:
    """What one operation has to give; what is `None` is open.

    Args:
        outputs: those outside of regions, in order.
        inside: those inside of regions, in any order.
        pauses: the interruptions that it ends with, in branch order: where the run pauses, the node and the state.
        final: the state that `invoke` gives, if that is not the one of the last output.
        entries: checkpoints, newest first: the node, what comes next, and the state (`None`: open).
        failure: the error.
    """

    outputs: tuple[tuple[str, Values], ...] = ()
    inside: tuple[tuple[str, Values], ...] | None = None
    pauses: tuple[Pause, ...] = ()
    final: Values | None = None
    entries: Entries | None = ()
    failure: ExpectedFailure | None = None

    @property
    def last_state(self) -> Values:
        """What `invoke` has to give."""
        states = [*(state for _, state in self.outputs), *(state for _, _, state in self.pauses)]
        return states[-1] if self.final is None else self.final


@attrs.frozen(kw_only=True)
class Expected:
    """A compile problem that has to be among those reported, or the runs."""

    problem: str | None = None
    runs: tuple[ExpectedRun, ...] = ()


@attrs.frozen(kw_only=True)
class Difference:
    """Where the rules differ from the Java library, for one scenario or shown by a test."""

    rule: str
    java: str
    here: str
    reason: str
    scenario: str | None = None
    test: str | None = None
    expected: Expected = Expected()


@cache
def differences() -> tuple[Difference, ...]:
    """All differences, in the order of the rules."""
    return CONVERTER.structure(orjson.loads(DIFFERENCES.read_bytes()), tuple[Difference, ...])


def by_scenario() -> dict[str, Difference]:
    """The differences that belong to a scenario."""
    return {item.scenario: item for item in differences() if item.scenario is not None}


def expected(name: str) -> Expected:
    """What the scenario has to do: the rules win over the Java trace."""
    difference = by_scenario().get(name)
    return previewed(renamed(from_java(load(name)))) if difference is None else difference.expected


def runs_of(name: str) -> tuple[RunSpec, ...]:
    """What is done with the compiled graph; a scenario that Java only compiled is run once."""
    return load(name).scenario.runs or (RunSpec(input={}),)


def from_java(recording: Recording) -> Expected:
    """The Java trace as an expectation."""
    java, own = recording.java, recording.scenario.failures
    if not java.compile.ok:
        return Expected(problem=_problem(java.compile.message))
    compiled = recording.scenario.compile
    done = zip(java.runs, recording.scenario.runs or (RunSpec(),), strict=True)
    return Expected(runs=tuple(_expected_run(run, spec, own, compiled) for run, spec in done))


def previewed(trace: Expected) -> Expected:
    """A Java trace with the one difference that belongs to many histories (K1).

    The entry that enters a region holds what the branches have finished. So when the region is left, its state is the
    merged one, which is that of the entry behind it.
    """
    return attrs.evolve(trace, runs=tuple(attrs.evolve(run, entries=_merged(run.entries)) for run in trace.runs))


def _merged(history: Entries | None) -> Entries | None:
    if history is None:
        return None
    entries = list(history)
    for number, (newer, entry) in enumerate(pairwise(entries), 1):
        if entry[1] == (newer[0],) and newer[0].startswith("__PARALLEL__("):
            entries[number] = (entry[0], entry[1], newer[2])
    return tuple(entries)


def renamed(trace: Expected) -> Expected:
    """A Java trace with the one difference that belongs to many pauses (K5).

    Java names the node that was done last. One before which the run paused is the one that the next run begins with.
    """
    runs = list(trace.runs)
    streams = [number for number, run in enumerate(runs) if run.outputs]
    for number, following in pairwise(streams):
        first, _ = runs[following].outputs[0]
        pauses = tuple((when, first if when == "before" else node, state) for when, node, state in runs[number].pauses)
        runs[number] = attrs.evolve(runs[number], pauses=pauses)
    return attrs.evolve(trace, runs=tuple(runs))


def _expected_run(run: JavaRun, spec: RunSpec, own: Mapping[str, str], compiled: CompileSpec) -> ExpectedRun:
    """An error that the scenario raises itself has to name its node and to keep its text (X3)."""
    outputs = tuple((output.node, output.state) for output in run.outputs if output.kind != "interruption")
    pauses = tuple(_pause(output, compiled) for output in run.outputs if output.kind == "interruption")
    if run.error is None:
        return ExpectedRun(outputs=outputs, pauses=pauses, entries=_entries(run, spec))
    text = run.error.message
    failure = ExpectedFailure(node=own[text], cause=text) if text in own else ExpectedFailure()
    return ExpectedRun(outputs=outputs, failure=failure)


def _pause(output: JavaOutput, compiled: CompileSpec) -> Pause:
    """Java does not tell where it paused, but it was after a node that is named there."""
    return ("after" if output.node in compiled.interrupt_after else "before", output.node, output.state)


def _entries(run: JavaRun, spec: RunSpec) -> Entries | None:
    """The checkpoints of a history, or the one of a state.

    Of the one that was picked, or made by an update, Java does not tell the state; of the latter what comes next only
    if there was an `as_node`.
    """
    match run.op:
        case "stream":
            return ()
        case "history":
            return tuple((entry.node, (entry.next,), entry.state) for entry in run.history)
        case "state":
            return ((run.node, (str(run.next),), run.state),)
        case "pick":
            return ((spec.node, (str(run.next),), None),)
        case "update_state":
            return None if run.next is None else ((str(spec.as_node), (run.next,), None),)


def _problem(message: str) -> str:
    """The code for a text of Java's compile errors; a text that no rule takes over stands for itself."""
    return next((code for text, code in JAVA_PROBLEMS.items() if re.fullmatch(text, message)), message)
