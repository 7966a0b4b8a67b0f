"""What a checkpoint saver is: the verbs, and an asynchronous twin of each."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, final

from graph_core.checkpoint.verbs import SaverVerbs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graph_core.checkpoint.changes import Change
    from graph_core.checkpoint.checkpoint import BranchRecord, Checkpoint
    from graph_core.checkpoint.retention import Retention
    from graph_core.checkpoint.thread import Tag, ThreadState, ThreadStatus

P = ParamSpec("P")
R = TypeVar("R")


class BaseCheckpointSaver(SaverVerbs):
    """A saver; write the verbs of `SaverVerbs`, and what begins with `a` is made of them.

    A twin that is cancelled gives up waiting: what it had begun in a thread is still done, whole.

    `graph_core.checkpoint.conformance.SaverConformance` is a test class that any saver can be run through.
    """

    async def _called(self, verb: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
        """Call a verb, in a thread if it may block."""
        if self.blocks:
            return await asyncio.to_thread(verb, *args, **options)
        return verb(*args, **options)

    async def atake(
        self,
        thread_id: str,
        run_id: str,
        *,
        lease: float = 30.0,
        take_over: bool = False,
        create: bool = True,
        metadata: Mapping[str, Any] | None = None,
    ) -> ThreadState:
        """Do as `take` does."""
        options = {"lease": lease, "take_over": take_over, "create": create, "metadata": metadata}
        take: Callable[..., ThreadState] = self.take
        return await self._called(take, thread_id, run_id, **options)

    async def arenew(self, thread_id: str, run_id: str, lease: float = 30.0) -> None:
        """Do as `renew` does."""
        await self._called(self.renew, thread_id, run_id, lease)

    async def agive_back(
        self, thread_id: str, run_id: str, status: ThreadStatus, data: Mapping[str, Any] | None = None
    ) -> None:
        """Do as `give_back` does."""
        await self._called(self.give_back, thread_id, run_id, status, data)

    async def aput(
        self, checkpoint: Checkpoint, changes: Mapping[str, Change], *, run_id: str, fork: bool = False
    ) -> None:
        """Do as `put` does."""
        await self._called(self.put, checkpoint, changes, run_id=run_id, fork=fork)

    async def aput_records(
        self, thread_id: str, checkpoint_id: str, records: Sequence[BranchRecord], *, run_id: str
    ) -> None:
        """Do as `put_records` does."""
        await self._called(self.put_records, thread_id, checkpoint_id, records, run_id=run_id)

    @final
    async def aput_record(self, thread_id: str, checkpoint_id: str, record: BranchRecord, *, run_id: str) -> None:
        """Do as `put_record` does."""
        await self.aput_records(thread_id, checkpoint_id, (record,), run_id=run_id)

    async def aget(
        self, thread_id: str, checkpoint_id: str | None = None, *, path: tuple[str, ...] | None = None
    ) -> Checkpoint | None:
        """Do as `get` does."""
        return await self._called(self.get, thread_id, checkpoint_id, path=path)

    async def alist(
        self,
        thread_id: str,
        *,
        limit: int | None = None,
        before: str | None = None,
        path: tuple[str, ...] = (),
        where: Mapping[str, Any] | None = None,
    ) -> Sequence[Checkpoint]:
        """Do as `list` does."""
        return await self._called(self.list, thread_id, limit=limit, before=before, path=path, where=where)

    async def astate_of(self, thread_id: str) -> ThreadState | None:
        """Do as `state_of` does."""
        return await self._called(self.state_of, thread_id)

    async def athreads(
        self,
        *,
        prefix: str = "",
        limit: int | None = None,
        after: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Sequence[str]:
        """Do as `threads` does."""
        return await self._called(self.threads, prefix=prefix, limit=limit, after=after, where=where)

    async def adelete(self, thread_id: str, *, run_id: str | None = None) -> bool:
        """Do as `delete` does."""
        return await self._called(self.delete, thread_id, run_id=run_id)

    async def arelease(self, thread_id: str, *, run_id: str | None = None) -> Tag:
        """Do as `release` does."""
        return await self._called(self.release, thread_id, run_id=run_id)

    async def acopy(self, thread_id: str, new_thread_id: str) -> None:
        """Do as `copy` does."""
        await self._called(self.copy, thread_id, new_thread_id)

    async def aprune(self, thread_id: str, retention: Retention | None = None) -> int:
        """Do as `prune` does."""
        return await self._called(self.prune, thread_id, retention)

    async def aclose(self) -> None:
        """Do as `close` does."""
        await self._called(self.close)
