"""What was handed in under a name: kept beside the runs of the requests, so that every process finds all of them."""

from typing import Any, TypedDict

import attrs

from graph_core import END, START, BaseCheckpointSaver, CompileConfig, CompiledGraph, RunnableConfig, StateGraph
from samples.approval_workflow.source import Source, source_of


class HandedIn(TypedDict):
    """The text of a file of requests."""

    text: str


def _keep(state: HandedIn) -> dict[str, Any]:
    return {}  # what a run begins with is kept before anything runs


@attrs.frozen
class Batch:
    """The requests that a name stands for: once handed in, they stay the same."""

    name: str
    graph: CompiledGraph[HandedIn]

    @property
    def _thread(self) -> RunnableConfig:
        return RunnableConfig(thread_id=f"{self.name} (requests)")

    def source(self) -> Source | None:
        """Return what was handed in; None if nothing was yet."""
        left = self.graph.state_of(self._thread).value_or(None)
        return None if left is None else source_of(left.state["text"], f"what was handed in as {self.name!r}")

    def hand_in(self, source: Source) -> None:
        """Keep the requests of `source`."""
        self.graph.invoke({"text": source.text}, self._thread)

    def thread_of(self, number: int) -> str:
        """Return the thread in which a request runs; `number` counts from 1."""
        return f"{self.name} (no. {number})"


def batch(name: str, saver: BaseCheckpointSaver) -> Batch:
    """Return the batch of that name."""
    graph = StateGraph(HandedIn, name="requests").add_node("keep", _keep).add_edge(START, "keep").add_edge("keep", END)
    return Batch(name, graph.compile(CompileConfig(checkpoint_saver=saver)))
