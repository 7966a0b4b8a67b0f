"""The savers that threads are kept in."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from graph_core.checkpoint import BaseCheckpointSaver
from graph_core.checkpoint.savers import DatabaseSaver, MemorySaver

Make: TypeAlias = Callable[[Path], BaseCheckpointSaver]

SAVERS: Mapping[str, Make] = {
    "memory": lambda _: MemorySaver(),
    "serialized": lambda _: MemorySaver(serialize=True),
    "database": lambda folder: DatabaseSaver(folder / "threads.db"),
}
"""Every kind of saver, by name."""


@contextmanager
def opened(name: str) -> Generator[BaseCheckpointSaver, None, None]:
    """Give a new saver of that kind; its files are gone afterwards."""
    with TemporaryDirectory() as folder, SAVERS[name](Path(folder)) as saver:
        yield saver


Hook: TypeAlias = Callable[[str], None]
"""Is told each verb before it is called; what it raises, the verb raises."""


def watched(saver: BaseCheckpointSaver, hook: Hook) -> BaseCheckpointSaver:
    """Give a saver that does what another one does, and tells before."""

    def verb(name: str) -> Callable[..., Any]:
        def call(_: object, *arguments: Any, **options: Any) -> Any:
            hook(name)
            return getattr(saver, name)(*arguments, **options)

        return call

    def same(own: BaseCheckpointSaver, _: object) -> BaseCheckpointSaver:
        return own

    names = sorted(BaseCheckpointSaver.__abstractmethods__ - {"serializer", "with_serializer"})
    members: dict[str, Any] = {name: verb(name) for name in names}
    members["serializer"] = property(lambda _: saver.serializer)
    members["with_serializer"] = same
    members["blocks"] = saver.blocks
    found: BaseCheckpointSaver = type("Watched", (BaseCheckpointSaver,), members)()
    return found
