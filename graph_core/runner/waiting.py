"""What a thread waits for, as its entries and branch records say, and what goes on (rules K2, K5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from graph_core.config.runnable_config import MISSING
from graph_core.runner import failures
from graph_core.runner.gate import Gate
from graph_core.runner.pauses import Pending, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core.checkpoint import BranchRecord
    from graph_core.config import RunnableConfig
    from graph_core.runner.branch import Key
    from graph_core.runner.history import Boundary


def own_records(records: Sequence[BranchRecord]) -> list[BranchRecord]:
    """Give those of the main path."""
    return [each for each in records if not each.key]


def branch_records(records: Sequence[BranchRecord]) -> list[BranchRecord]:
    """Give those of branches."""
    return [each for each in records if each.key]


def pending_on_path(boundary: Boundary, records: Sequence[BranchRecord]) -> tuple[Gate, Pending | None]:
    """Repeat what happened at an entry of the main path: give its gate, and what is pending."""
    data = boundary.data
    gate = Gate(is_open=bool(data.get("open")), feedback=data.get("feedback"))
    node_id, step = boundary.node_id, boundary.step
    pause = read(data["pause"]) if "pause" in data else None
    for record in own_records(records):
        if "asks" in record.next:
            pause, node_id, step = read(record.next["asks"]), record.node_id, boundary.step + 1
        elif pause is not None and pause.id == record.next["resumed"]:
            gate.goes_on(pause, record.next)
            pause = None
        else:
            gate.goes_on_anew(record.next)
            pause = None
    if pause is None:
        return gate, None
    return gate, Pending(pause=pause, node_id=node_id, key=(), state=boundary.state, step=step)


def asked_again(records: Sequence[BranchRecord]) -> list[BranchRecord]:
    """Give the records of an old entry for a run that forks from it: what was asked there is asked again."""
    found: list[BranchRecord] = []
    over: set[Key] = set()
    passed = {each.next["pause"]["id"] for each in records if "pause" in each.next}  # others may have joined since
    last = {each.key: number for number, each in enumerate(records) if each.key and not _is_of_pause(each)}
    for number, record in enumerate(records):
        is_open = number > last.get(record.key, -1)
        if is_open and "resumed" in record.next and record.next["resumed"] not in passed:
            over.add(record.key)
        if not (is_open and record.key in over):
            found.append(record)
    return found


def _is_of_pause(record: BranchRecord) -> bool:
    return "asks" in record.next or "resumed" in record.next


def asked_anew(records: Sequence[BranchRecord]) -> list[BranchRecord]:
    """Give the records of an entry whose state has changed: nodes that have asked inside may ask anew."""
    return [
        attrs.evolve(each, next={**each.next, "asks": {**each.next["asks"], "again": True}})
        if "asks" in each.next and each.next["asks"]["when"] == "inside"
        else each
        for each in records
    ]


def answered(
    config: RunnableConfig[Any], thread_id: str, pending: Sequence[Pending], used: Sequence[Pending]
) -> list[BranchRecord]:
    """Give the records of what goes on, by what the call says.

    Args:
        config: the config of the call.
        thread_id: the thread.
        pending: what waits.
        used: what was answered, to nodes that have not finished: the answers may be replaced.

    Raises:
        GraphRunnerException: an answer is for nothing that is pending, or it is not clear for what.
    """
    resume = config.resume
    ids = {each.pause.id: each for each in pending}
    if resume is not None and resume.answer is not MISSING:
        if not ids:
            raise failures.no_pending_interrupt(thread_id, [each.pause.id for each in used])
        if len(ids) > 1:
            raise failures.several_pending_interrupts(thread_id, ids)
        found = [pending[0].resumed(resume.answer)]
    elif resume is not None and resume.answers is not None:
        known = {**ids, **{each.pause.id: each for each in used}}
        for id_ in resume.answers:
            if id_ not in known:
                raise failures.unknown_answer(thread_id, id_, ids)
        found = [each.resumed(resume.answers[id_]) for id_, each in known.items() if id_ in resume.answers]
    else:
        found = [each.resumed() for each in pending if each.pause.when != "inside" or each.pause.again]
    together = [attrs.evolve(each, next={**each.next, "together": True}) for each in found[:-1]]
    return [*together, *found[-1:]]
