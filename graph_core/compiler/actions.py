"""The actions of nodes that were added as records, with a factory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from graph_core.action import CommandAction, MultiCommandAction
from graph_core.action.signature import hints_of, signature_of
from graph_core.compiler.keys import view_schema
from graph_core.exception import InvalidRecordError
from graph_core.node import Node

if TYPE_CHECKING:
    from collections.abc import Callable

    from graph_core.compiler.definition import Definition, NodeDefinition
    from graph_core.config import CompileConfig


def with_actions(definition: Definition, config: CompileConfig) -> Definition:
    """Ask every factory for its action, and read off it what the builder reads off a callable.

    Raises:
        InvalidRecordError: a factory gives what is no action.
    """
    if all(node.signature is not None for node in definition.nodes.values()):
        return definition
    nodes = {
        id_: node if node.signature is not None else _made(id_, node, config) for id_, node in definition.nodes.items()
    }
    return attrs.evolve(definition, nodes=nodes)


def _made(id_: str, node: NodeDefinition, config: CompileConfig) -> NodeDefinition:
    fn, what = action_of(id_, node, config), f"node {id_!r}"
    view = view_schema(hints_of(fn, what).state) if node.view is None else node.view
    return attrs.evolve(node, node=Node(id_, lambda _: fn), signature=signature_of(fn, what), view=view)


def action_of(id_: str, node: NodeDefinition, config: CompileConfig) -> Callable[..., Any]:
    """Ask the factory of a node for its action.

    Raises:
        InvalidRecordError: it gives no callable.
    """
    factory = node.node.action_factory
    fn: Any = factory(config) if factory is not None else None
    if isinstance(fn, CommandAction | MultiCommandAction):
        fn = fn.fn
    if not callable(fn):
        raise InvalidRecordError(f"node {id_!r}: its factory must give a callable (state), not {fn!r}")
    found: Callable[..., Any] = fn
    return found
