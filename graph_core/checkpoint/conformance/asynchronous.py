"""The asynchronous twins."""

from __future__ import annotations

import asyncio

from graph_core.checkpoint.changes import Put
from graph_core.checkpoint.checkpoint import BranchRecord
from graph_core.checkpoint.conformance.story import SaverTests, Story
from graph_core.checkpoint.errors import ThreadBusyError
from graph_core.checkpoint.retention import Retention


class AsyncTests(SaverTests):
    """Each does what the verb does."""

    def test_a_run(self) -> None:
        """From take to give_back."""
        story = Story(self.saver())
        saver = story.saver

        async def run() -> None:
            assert (await saver.atake("t", "run", lease=30, metadata={"user": "ann"})).status == "new"
            entry = story.entry()
            await saver.aput(entry, {"x": Put(1)}, run_id="run")
            await saver.aput_record("t", entry.id, BranchRecord(key=(0,), node_id="b", step=2), run_id="run")
            await saver.aput_records("t", entry.id, (), run_id="run")
            await saver.arenew("t", "run")
            assert await saver.aget("t") == story.read()
            assert [*await saver.alist("t", limit=1)] == [story.read()]
            await saver.agive_back("t", "run", "done")
            assert await saver.astate_of("t") == saver.state_of("t")

        asyncio.run(run())
        assert (story.state(), len(story.read().records)) == ({"x": 1}, 1)

    def test_housekeeping(self) -> None:
        """The others."""
        story = self.story()
        for _ in range(3):
            story.put()
        story.end()
        saver = story.saver

        async def run() -> None:
            assert await saver.aprune("t", Retention(max_checkpoints=2)) == 1
            await saver.acopy("t", "new")
            assert [*await saver.athreads(prefix="n")] == ["new"]
            assert await saver.adelete("new")
            assert len((await saver.arelease("t")).checkpoints) == 2
            await saver.aclose()

        asyncio.run(run())

    def test_one_of_many_takes_a_thread(self) -> None:
        """K8 holds among tasks as well."""
        saver = self.saver()

        async def run() -> list[object]:
            takes = [saver.atake("t", f"run {number}") for number in range(8)]
            return list(await asyncio.gather(*takes, return_exceptions=True))

        assert [type(found) for found in asyncio.run(run())].count(ThreadBusyError) == 7
