"""Compares what a scenario did with what it has to do, and tells every mismatch in words."""

from __future__ import annotations

from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from graph_core_tests.parity.expected import Entries, Expected, ExpectedFailure, ExpectedRun
    from graph_core_tests.parity.trace import Entry, Failure, Output, Run, Trace


def mismatches(expected: Expected, actual: Trace) -> tuple[str, ...]:
    """Every difference between the two; none means that they agree.

    Java's branches give no outputs of their own. By P11 each node inside a region does, in an order that is open:
    so `outputs` holds what comes from outside of regions, and `inside` what comes from inside, sorted. The pauses
    of a run, inside or outside, come last and in branch order (P12).
    """
    return tuple(_compile(expected, actual))


def _compile(expected: Expected, actual: Trace) -> Iterator[str]:
    if expected.problem is not None:
        if expected.problem not in actual.problems:
            yield f"compile: expected the problem {expected.problem!r}, got {sorted(actual.problems)}"
        return
    if actual.problems:
        yield f"compile: expected no problem, got {sorted(actual.problems)}"
        return
    if len(expected.runs) != len(actual.runs):
        yield f"expected {len(expected.runs)} runs, got {len(actual.runs)}"
    for number, (want, got) in enumerate(zip(expected.runs, actual.runs, strict=False)):
        for text in _run(want, got):
            yield f"run {number}: {text}"


def _run(expected: ExpectedRun, actual: Run) -> Iterator[str]:
    outputs, pauses = _split(actual.outputs)
    outside = [_shown(output) for output in outputs if not output.inner]
    yield from _outputs("output", [_text(node, state) for node, state in expected.outputs], outside)
    if expected.inside is not None:
        inside = sorted(_shown(output) for output in outputs if output.inner)
        yield from _outputs("inner output", sorted(_text(node, state) for node, state in expected.inside), inside)
    wanted = [_text(f"{when} {node}", state) for when, node, state in expected.pauses]
    yield from _outputs("pause", wanted, map(_shown, pauses))
    if expected.entries is not None:
        yield from _checkpoints(expected.entries, actual.entries)
    yield from _failure(expected.failure, actual.failure)


def _split(outputs: tuple[Output, ...]) -> tuple[list[Output], list[Output]]:
    """The outputs, and the interruptions behind them; one that is followed by an output stays among those."""
    count = len(list(takewhile(lambda output: output.when is not None, reversed(outputs))))
    end = len(outputs) - count
    return [*outputs[:end]], [*outputs[end:]]


def _shown(output: Output) -> str:
    return _text(output.node if output.when is None else f"{output.when} {output.node}", output.state)


def _checkpoints(expected: Entries, actual: tuple[Entry, ...]) -> Iterator[str]:
    """A state that is open is taken from what is there."""
    got = [_text(_step(entry.node, entry.next), entry.state) for entry in actual]
    want = [
        _text(_step(node, next_ids), _there(actual, number) if state is None else state)
        for number, (node, next_ids, state) in enumerate(expected)
    ]
    yield from _outputs("checkpoint", want, got)


def _there(actual: tuple[Entry, ...], number: int) -> Mapping[str, object]:
    return actual[number].state if number < len(actual) else {}


def _step(node: str, next_ids: tuple[str, ...]) -> str:
    return f"{node} → {', '.join(next_ids)}"


def _outputs(what: str, expected: Iterable[str], actual: Iterable[str]) -> Iterator[str]:
    for number, (want, got) in enumerate(zip_longest(expected, actual, fillvalue="none")):
        if want != got:
            yield f"{what} {number}: expected {want}, got {got}"


def _failure(expected: ExpectedFailure | None, actual: Failure | None) -> Iterator[str]:
    if expected is None or actual is None:
        if expected is not None or actual is not None:
            yield f"error: expected {expected}, got {actual}"
        return
    pairs = (
        ("code", expected.code, actual.code),
        ("node", expected.node, actual.node_id),
        ("cause", expected.cause, actual.cause),
    )
    for what, want, got in pairs:
        if want is not None and want != got:
            yield f"error: expected the {what} {want!r}, got {got!r}"
    for word in expected.mentions:
        if word not in actual.text:
            yield f"error: expected {word!r} in {actual.text!r}"


def _text(node: str, state: Mapping[str, object]) -> str:
    """One line that two equal outputs share; 1, 1.0 and true are three different values."""
    return f"{node} {orjson.dumps(state, option=orjson.OPT_SORT_KEYS).decode()}"
