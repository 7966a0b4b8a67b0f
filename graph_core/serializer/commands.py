"""What updates and answers hold besides values: the markers, commands and Sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graph_core.action import Command, MultiCommand, Send
from graph_core.serializer.codec import Codec, Parts, taken
from graph_core.serializer.failure import exactly
from graph_core.state import REMOVE, Overwrite, RemoveByHash, ReplaceAllWith
from graph_core.state.frozen import FrozenMapping

if TYPE_CHECKING:
    from collections.abc import Callable


def _made(cls: Any, tag: str, make: Callable[..., Any], *names: str) -> Codec:
    """Make the codec of a record of ours, which is made anew by what checks its arguments."""

    def encode(value: Any) -> Parts:
        return {name: _plain(getattr(value, name)) for name in names}

    return Codec(cls, tag, encode, lambda parts: make(*taken(parts, *names)))


def _plain(value: Any) -> Any:
    """Give an update as a dict, which the record makes immutable again."""
    return dict(value) if exactly(value) is FrozenMapping else value


def _commands(nodes: Any, update: Any) -> MultiCommand[Any]:
    return MultiCommand(nodes, update) if nodes else MultiCommand.nothing(update)


COMMANDS: Final[tuple[Codec, ...]] = (
    _made(type(REMOVE), "remove", lambda: REMOVE),
    _made(Overwrite, "overwrite", Overwrite, "value"),
    _made(ReplaceAllWith, "replace_all_with", ReplaceAllWith, "values"),
    _made(RemoveByHash, "remove_by_hash", RemoveByHash, "value"),
    _made(Command, "command", Command, "goto_node", "update"),
    _made(Send, "send", Send, "node", "state"),
    _made(MultiCommand, "multi_command", _commands, "goto_nodes", "update"),
)
