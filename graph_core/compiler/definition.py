"""The user's words as immutable records: what the builder hands to the compiler."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, final

import attrs

from graph_core.action.signature import Signature
from graph_core.config import ActionExecutor
from graph_core.edge import EdgeCondition
from graph_core.node import Node
from graph_core.state import REPLACE, KeyStrategy

if TYPE_CHECKING:
    from graph_core.serializer import Serializer  # noqa: TC004  (only annotations name it, and not every graph needs it)
    from graph_core.state.schema import Schema  # noqa: TC004  (only annotations name it, and few graphs have a schema to load it for)

CommandKind: TypeAlias = Literal["single", "multi", "either"]


@final
@attrs.frozen(kw_only=True, eq=False)
class Keys:
    """What a graph says about its state (rule T1).

    Args:
        strategies: key → strategy, as given besides the schemas.
        default_strategy: the strategy of every other key.
        state: the schema of the state; `None`: any keys.
        inputs: what may be given to a run: a schema, or keys; `None`: what the state may hold.
        outputs: what a run gives: a schema, or keys; `None`: the keys of the state's schema.
        context: what the context of a run must be: a schema or any class.
        coerce: inputs are converted where nothing is lost.
        serializer: writes and reads the values of checkpoints; `None`: the saver's own.
    """

    strategies: Mapping[str, KeyStrategy] = attrs.field(factory=dict[str, KeyStrategy])
    default_strategy: KeyStrategy = REPLACE
    state: Schema | None = None
    inputs: Schema | tuple[str, ...] | None = None
    outputs: Schema | tuple[str, ...] | None = None
    context: Schema | type | None = None
    coerce: bool = False
    serializer: Serializer | None = None


@final
@attrs.frozen
class Answers:
    """The labels that the annotation of a route names.

    Args:
        labels: the labels.
        sends: it may answer with `Send`s as well, to nodes that are mapped.
    """

    labels: tuple[Hashable, ...]
    sends: bool


@final
@attrs.frozen(kw_only=True)
class Commands:
    """The commands that a node may return (rule R9).

    Args:
        kind: a `Command`, a `MultiCommand`, or either.
        mappings: label → node id; `None` where nothing was declared.
        answers_only: the node returns nothing but commands (and labels), as in Java's command node.
        answers: the labels that its annotation names, if it does.
    """

    kind: CommandKind
    mappings: Mapping[Hashable, str] | None
    answers_only: bool = False
    answers: Answers | None = None


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
    view: Schema | None = None


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
        view: of which schema the condition gets an instance.
        answers: the labels that the condition's annotation names, if it does.
    """

    target: str | EdgeCondition
    name: str = ""
    sends: tuple[str, ...] = ()
    only_sends: bool = False
    converge_at: str | None = None
    view: Schema | None = None
    answers: Answers | None = None


@final
@attrs.frozen(kw_only=True)
class Definition:
    """A graph as it was defined: nothing in it changes any more."""

    name: str | None
    nodes: Mapping[str, NodeDefinition]
    routes: Mapping[str, tuple[Route, ...]]
    keys: Keys
