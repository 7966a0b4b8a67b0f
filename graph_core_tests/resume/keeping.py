"""Graphs that keep threads, and what they kept."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import pytest

from graph_core import (
    BaseCheckpointSaver,
    CompileConfig,
    CompiledGraph,
    DatabaseSaver,
    MemorySaver,
    RunnableConfig,
    StateGraph,
    StateSnapshot,
)

Make: TypeAlias = Callable[[Path], BaseCheckpointSaver]
Shown: TypeAlias = tuple[str, tuple[str, ...], list[Any]]


def in_memory(_: Path) -> BaseCheckpointSaver:
    """Keep copies."""
    return MemorySaver()


def written(_: Path) -> BaseCheckpointSaver:
    """Keep what a serializer writes."""
    return MemorySaver(serialize=True)


def in_a_file(folder: Path) -> BaseCheckpointSaver:
    """Keep everything in a file."""
    return DatabaseSaver(folder / "threads.db")


MAKERS: dict[str, Make] = {"memory": in_memory, "written": written, "file": in_a_file}
T = RunnableConfig(thread_id="t")


@pytest.fixture(params=list(MAKERS.values()), ids=list(MAKERS))
def saver(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BaseCheckpointSaver]:
    """Each kind of saver."""
    with request.param(tmp_path) as made:
        yield made


def compiled(graph: StateGraph[Any, Any, Any, Any], saver: BaseCheckpointSaver, **options: Any) -> CompiledGraph:
    """Compile with a saver."""
    return graph.compile(CompileConfig(checkpoint_saver=saver, **options))


def shown(snapshot: StateSnapshot) -> Shown:
    """Node, next nodes and `m` of a snapshot."""
    return snapshot.node, snapshot.next, snapshot.state.get("m", [])


def history_of(app: CompiledGraph, config: RunnableConfig = T) -> list[Shown]:
    """The history, oldest first."""
    return [shown(snapshot) for snapshot in reversed(app.get_state_history(config))]


@attrs.define
class Flaky:
    """Nodes that note that they ran, and fail as long as they are told to."""

    ran: list[str] = attrs.field(factory=list[str])
    failing: set[str] = attrs.field(factory=set[str])

    def __call__(self, name: str) -> Callable[[Any], Any]:
        """Make the node of a name; it appends its name to `m`."""

        def act(state: Any) -> dict[str, Any]:
            self.ran.append(name)
            if name in self.failing:
                raise ValueError(name)
            return {"m": name}

        return act

    def route(self, name: str, answer: Any) -> Callable[[Any], Any]:
        """Make a route."""

        def choose(state: Any) -> Any:
            self.ran.append(name)
            if name in self.failing:
                raise ValueError(name)
            return answer

        return choose


class Client:
    """What nobody can write."""

    def __deepcopy__(self, _: object) -> Any:
        """Refuse."""
        raise TypeError

    def __reduce__(self) -> Any:
        """Refuse."""
        raise TypeError
