"""What a thread's checkpoints say: which steps are finished, and what must not change."""

from collections import Counter
from collections.abc import Iterator, Sequence

import attrs

from graph_core import START
from graph_core.checkpoint import BaseCheckpointSaver, Checkpoint
from graph_core.runner.history import records_at
from graph_core_tests.threads.machine import Steps

NO_STEP = {"routed", "dropped", "asks", "resumed"}
"""What records say of that is no node that a branch has finished."""


def way_to(saver: BaseCheckpointSaver, thread_id: str, checkpoint_id: str | None = None) -> Iterator[Checkpoint]:
    """Give the entries from a checkpoint (the head if none is named) back to the first, by their parents."""
    entries = {entry.id: entry for entry in saver.list(thread_id)}
    entry = saver.get(thread_id, checkpoint_id)
    while entry is not None:
        yield entry
        entry = entries.get(entry.parent_id or "")


def committed(saver: BaseCheckpointSaver, thread_id: str, checkpoint_id: str | None = None) -> Steps:
    """Count the finished steps on the way to a checkpoint (K7).

    An entry counts if it goes further than the one before it: one that was pending and then routed, that
    was stored again by a fork, or that stands for a point behind copies, is no step of its own.
    """
    found: Steps = Counter()
    way = list(way_to(saver, thread_id, checkpoint_id))
    for after, entry, before in zip([None, *way], way, [*way[1:], None], strict=False):
        is_copied = after is not None and (after.node_id, after.step) == (entry.node_id, entry.step)
        if not is_copied:
            done = [each for each in records_at(entry) if not NO_STEP & {*each.next}]
            found.update((each.node_id, each.step) for each in done)
        is_node = entry.node_id != START and not entry.node_id.startswith("__PARALLEL__")
        if is_node and (before is None or entry.step > before.step):
            found[entry.node_id, entry.step] += 1
    return found


def is_unchanged(before: Sequence[Checkpoint], after: Sequence[Checkpoint]) -> bool:
    """Tell whether the older entries are all there as they were, below the new ones (K1).

    The newest of them may have got more records: they are no entries.
    """
    older = list(after[len(after) - len(before) :])
    if older and before:
        newest = before[0]
        older[0] = attrs.evolve(older[0], records=older[0].records[: len(newest.records)])
    return older == list(before)
