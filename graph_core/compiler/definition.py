"""The user's words as immutable records: what the builder hands to the compiler."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Literal, TypeAlias, final

import attrs

from graph_core.action.signature import Signature
from graph_core.config import ActionExecutor
from graph_core.edge import EdgeCondition
from graph_core.node import Node
from graph_core.state.merger import Merger

CommandKind: TypeAlias = Literal["single", "multi", "either"]


@final
@attrs.frozen(kw_only=True)
class Commands:
    """The commands that a node may return (rule R9).

    Args:
        kind: a `Command`, a `MultiCommand`, or either.
        mappings: label → node id; `None` where nothing was declared.
        answers_only: the node returns nothing but commands (and labels), as in Java's command node.
    """

    kind: CommandKind
    mappings: Mapping[Hashable, str] | None
    answers_only: bool = False


@final
@attrs.frozen(kw_only=True)
class NodeDefinition:
    """A node as it was added."""

    node: Node
    signature: Signature | None
    returns_none: bool = False
    commands: Commands | None = None
    defer: bool = False
    executor: ActionExecutor | None = None
    metadata: Mapping[str, Any] = attrs.field(factory=dict[str, Any])
    sends: tuple[str, ...] = ()
    converge_at: str | None = None


@final
@attrs.frozen
class Route:
    """One way out of a source: a node id, or a condition.

    Args:
        target: the id or the condition.
        name: the condition's name, unique on its source; empty for a fixed target.
        sends: node ids that are `Send` targets.
        only_sends: every target of the condition is a `Send` target.
        converge_at: where the branches join, if not at the nearest node.
    """

    target: str | EdgeCondition
    name: str = ""
    sends: tuple[str, ...] = ()
    only_sends: bool = False
    converge_at: str | None = None


@final
@attrs.frozen(kw_only=True)
class Definition:
    """A graph as it was defined: nothing in it changes any more."""

    name: str | None
    nodes: Mapping[str, NodeDefinition]
    routes: Mapping[str, tuple[Route, ...]]
    merger: Merger
