"""Checkpoints: what is stored of a run, and the savers that store it.

How a run uses a saver:

>>> from graph_core.checkpoint.savers import MemorySaver
>>> saver, thread, run = MemorySaver(), "invoice 7", new_id()
>>> found = saver.take(thread, run, lease=30.0)  # ThreadBusyError: another run holds it
>>> head = saver.get(thread)  # None: there is nothing to go on from
>>> (found.status, found.is_killed, head)
('new', False, None)

Each step is one `put` of what it changed, and a finished node of a region is one record:

>>> step = Checkpoint(id=new_id(), thread_id=thread, node_id="read", next_node_ids=("b", "c"), step=1, run_id=run)
>>> saver.put(step, {"total": Put(12), "m": Append(["read"])}, run_id=run)
>>> record = BranchRecord(key=(0,), node_id="b", next={"nodes": ["d"]}, step=2, updates=({"m": ["b"]},))
>>> saver.put_record(thread, step.id, record, run_id=run)
>>> saver.give_back(thread, run, "interrupted", {"pending": ["c?"]})

Whoever asks later, in any process, sees where it stands and goes on; a fork from an older checkpoint says so:

>>> again = new_id()
>>> found, head = saver.take(thread, again, create=False), saver.get(thread)
>>> found.status, found.data, head.state, [record.node_id for record in head.records]
('interrupted', {'pending': ['c?']}, {'total': 12, 'm': ['read']}, ['b'])
>>> fork = Checkpoint(id=new_id(), thread_id=thread, parent_id=step.id, node_id="d", step=3, run_id=again)
>>> saver.put(fork, {"total": Remove()}, run_id=again, fork=True)
>>> saver.give_back(thread, again, "done")
>>> saver.get(thread).state, [entry.node_id for entry in saver.list(thread)]
({'m': ['read']}, ['d', 'read'])
"""

from graph_core.checkpoint.base_saver import BaseCheckpointSaver
from graph_core.checkpoint.changes import Append, Change, Put, Remove
from graph_core.checkpoint.checkpoint import BranchRecord, Checkpoint
from graph_core.checkpoint.codec import ValueSerializer
from graph_core.checkpoint.errors import (
    CheckpointSaverError,
    DuplicateCheckpointError,
    LostThreadError,
    ThreadBusyError,
    ThreadExistsError,
    UncopyableValueError,
    UnknownCheckpointError,
    UnknownThreadError,
)
from graph_core.checkpoint.ids import new_id
from graph_core.checkpoint.retention import Retention
from graph_core.checkpoint.thread import Tag, ThreadState, ThreadStatus

__all__ = [
    "Append",
    "BaseCheckpointSaver",
    "BranchRecord",
    "Change",
    "Checkpoint",
    "CheckpointSaverError",
    "DuplicateCheckpointError",
    "LostThreadError",
    "Put",
    "Remove",
    "Retention",
    "Tag",
    "ThreadBusyError",
    "ThreadExistsError",
    "ThreadState",
    "ThreadStatus",
    "UncopyableValueError",
    "UnknownCheckpointError",
    "UnknownThreadError",
    "ValueSerializer",
    "new_id",
]
