"""Typed references to nodes."""

from __future__ import annotations

from typing import Any, Generic, final

import attrs
from typing_extensions import TypeVar

from graph_core.exception import InvalidRecordError

P = TypeVar("P", default=Any)


def _id(_: object, __: object, id_: Any) -> None:
    if not isinstance(id_, str) or not id_.strip():
        raise InvalidRecordError(f"a NodeRef needs the id of a node, not {id_!r}")


@final
@attrs.frozen
class NodeRef(Generic[P]):
    """The id of a node together with the type of what is sent to it: checkers see a wrong payload.

    Args:
        id: id of the node.
        payload: the type of the states that are sent there; it may be said as `NodeRef[Item]("work")` as well.

    Raises:
        InvalidRecordError: the id is no `str`, or blank.

    >>> from typing import TypedDict
    >>> from graph_core import Send
    >>> Item = TypedDict("Item", {"item": int})
    >>> Send(NodeRef("work", Item), {"item": 1})
    Send(node='work', state={'item': 1})
    """

    id: str = attrs.field(validator=_id)
    payload: type[P] | None = attrs.field(default=None, eq=False, repr=False)

    def __str__(self) -> str:
        """Give the id."""
        return self.id
