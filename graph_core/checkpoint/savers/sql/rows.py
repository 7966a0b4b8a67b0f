"""Records as rows, and rows as records."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, final

import attrs
import orjson

from graph_core.checkpoint.checkpoint import BranchRecord, Checkpoint
from graph_core.checkpoint.codec import (
    Codec,
    KeptRecord,
    fresh_mapping,
    fresh_record,
    kept_mapping,
    kept_record,
    packed,
)
from graph_core.checkpoint.savers.sql.frames import framed, framed_updates, unframed_updates
from graph_core.checkpoint.thread import ThreadState, ThreadStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph_core.checkpoint.changes import Change

_BEGIN: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)


@final
@attrs.frozen
class ThreadRow:
    """A row of the table of threads, its columns in their order."""

    pk: int
    hash: str
    id: str
    owner: str
    expires: int
    status: ThreadStatus
    last: int
    head: int
    data: bytes | None
    metadata: bytes | None

    def is_live(self, now: float | None) -> bool:
        """Tell whether its owner's lease runs; without a clock it always does."""
        return bool(self.owner) and (now is None or self.expires > now * 1000)

    def state(self, codec: Codec, head: str | None, now: float | None) -> ThreadState:
        """Give the thread as readers see it."""
        return ThreadState(
            thread_id=self.id,
            status=self.status,
            owner=self.owner or None,
            is_live=self.is_live(now),
            head=head,
            data=fresh_mapping(codec, self.data, "$.data"),
            metadata=fresh_mapping(codec, self.metadata, "$.metadata"),
        )


def hashed(thread_id: str) -> str:
    """Give the hash by which a thread is found."""
    return sha256(thread_id.encode("utf-8", "surrogatepass")).hexdigest()


def path_text(path: tuple[str, ...]) -> str:
    """Write a path."""
    return orjson.dumps(path).decode() if path else ""


def _path(text: str) -> tuple[str, ...]:
    return tuple(orjson.loads(text)) if text else ()


def microseconds(moment: datetime) -> int:
    """Give the microseconds since 1970.

    >>> microseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    return (moment - _BEGIN) // _TICK


def moment(ticks: int) -> datetime:
    """Give the moment, to the microsecond."""
    return _BEGIN + timedelta(microseconds=ticks)


def checkpoint_values(codec: Codec, checkpoint: Checkpoint, changes: Mapping[str, Change]) -> dict[str, Any]:
    """Give the columns of a checkpoint that do not depend on what is stored."""
    return {
        "id": checkpoint.id,
        "parent": checkpoint.parent_id,
        "path": path_text(checkpoint.path),
        "node": checkpoint.node_id,
        "next": orjson.dumps(checkpoint.next_node_ids).decode(),
        "step": checkpoint.step,
        "run": checkpoint.run_id,
        "created": microseconds(checkpoint.created_at),
        "data": kept_mapping(codec, checkpoint.data, "$.data"),
        "metadata": kept_mapping(codec, checkpoint.metadata, "$.metadata"),
        "changes": framed(packed(codec, changes)),
    }


def metadata_of(codec: Codec, row: Sequence[Any]) -> Mapping[str, Any]:
    """Give the metadata of a checkpoint's row."""
    return fresh_mapping(codec, row[9], "$.metadata")


def checkpoint(
    codec: Codec, thread_id: str, row: Sequence[Any], state: dict[str, Any], records: tuple[BranchRecord, ...]
) -> Checkpoint:
    """Give the checkpoint of a row."""
    id_, parent, path, node, next_, step, run, created, data = row[:9]
    return Checkpoint(
        id=id_,
        thread_id=thread_id,
        parent_id=parent,
        node_id=node,
        next_node_ids=tuple(orjson.loads(next_)),
        step=step,
        run_id=run,
        created_at=moment(created),
        path=_path(path),
        metadata=metadata_of(codec, row),
        data=fresh_mapping(codec, data, "$.data"),
        state=state,
        records=records,
    )


def record_values(codec: Codec, record: BranchRecord) -> dict[str, Any]:
    """Give the columns of a branch record that do not depend on what is stored."""
    kept = kept_record(codec, record)
    return {
        "place": orjson.dumps(record.key).decode(),
        "node": record.node_id,
        "step": record.step,
        "next": kept.next,
        "updates": framed_updates(kept.updates),
    }


def record(codec: Codec, row: Sequence[Any]) -> BranchRecord:
    """Give the branch record of a row."""
    place, node, step, next_, updates = row
    bare = BranchRecord(key=tuple(orjson.loads(place)), node_id=node, step=step)
    return fresh_record(codec, KeptRecord(bare, next_, unframed_updates(updates)))
