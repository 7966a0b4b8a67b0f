"""What a node, an edge and a command action is, and what they answer."""

from graph_core.action.command import Command, MultiCommand, Send
from graph_core.action.interrupts import InterruptableAction, interrupt
from graph_core.action.node_ref import NodeRef
from graph_core.action.route_action import Action, CommandAction, MultiCommandAction

__all__ = [
    "Action",
    "Command",
    "CommandAction",
    "InterruptableAction",
    "MultiCommand",
    "MultiCommandAction",
    "NodeRef",
    "Send",
    "interrupt",
]
