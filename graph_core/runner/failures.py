"""The errors of a run: who failed, where, and why."""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING, Any

from graph_core.compiler.plan import NodePlan, RefusedError, RoutePlan
from graph_core.exception import GraphRunnerException, StateMergeError
from graph_core.exception.problems import hint
from graph_core.exception.texts import said, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MISSING_LABEL = "missing_node_in_edge_mapping"


def call_failed(call: NodePlan | RoutePlan, error: BaseException) -> GraphRunnerException:
    """Name the node or route whose action raised; the original is set as the cause by the caller."""
    what = said(error)
    if isinstance(call, NodePlan):
        return GraphRunnerException(f"node {call.id!r} failed: {what}", "execution_error", call.id)
    text = f"the route {call.name!r} of {call.source!r} failed: {what}"
    return GraphRunnerException(text, "execution_error", call.source)


def of_call(call: NodePlan | RoutePlan, error: BaseException) -> GraphRunnerException:
    """Make the failure of a call, with what it raised as its cause; one of the driver's own is kept.

    Raises:
        BaseException: what was raised, if it ends the whole program or its task (`KeyboardInterrupt`).
    """
    if not isinstance(error, Exception | CancelledError):
        raise error
    if error.__class__ is RefusedError:
        return refused(error, _source(call))
    if isinstance(error, GraphRunnerException) and (error.code, error.node_id) == ("executor_failed", _source(call)):
        return error
    return caused(call_failed(call, error), error)


def refused(error: Any, node_id: str) -> GraphRunnerException:
    """Name the node whose view, or whose returned instance, was refused."""
    return _named(str(error), error, node_id)


def _named(text: str, error: GraphRunnerException, node_id: str) -> GraphRunnerException:
    failure = GraphRunnerException(text, error.code, node_id)
    return failure if error.__cause__ is None else caused(failure, error.__cause__)


def merge_failed(node_id: str, error: Exception) -> GraphRunnerException:
    """Name the node whose update could not be merged; a user's object may have raised anything."""
    if isinstance(error, StateMergeError):
        return _named(f"node {node_id!r}: {error}", error, node_id)
    text = f"node {node_id!r}: its update can not be read ({said(error)}); return a dict with str keys"
    return caused(GraphRunnerException(text, "invalid_update", node_id), error)


def unreadable_update(node_id: str, result: object, error: Exception) -> GraphRunnerException:
    """Name the node that returned a mapping which can not be read."""
    text = f"node {node_id!r} returned a {type(result).__name__} that can not be read ({said(error)});"
    return caused(GraphRunnerException(f"{text} return a dict with str keys", "invalid_update", node_id), error)


def invalid_update(node_id: str, result: object) -> GraphRunnerException:
    """Name the node that returned what is no update."""
    text = f"node {node_id!r} returned {shown(result)}, which is no update: return a mapping with str keys"
    return GraphRunnerException(f"{text} (an empty one is fine)", "invalid_update", node_id)


def undeclared_command(node_id: str, result: object) -> GraphRunnerException:
    """Name the node that returned a command without having declared its targets."""
    text = f"node {node_id!r} returned {shown(result)}, but declares no targets: give add_node destinations=[...],"
    return GraphRunnerException(
        f"{text} mappings, or annotate the action -> Command[Literal[...]]", "missing_edge", node_id
    )


def missing_node(node_id: str) -> GraphRunnerException:
    """Name what is no node."""
    return GraphRunnerException(f"node with id: {node_id!r} doesn't exist!", "missing_node", node_id)


def missing_edge(node_id: str) -> GraphRunnerException:
    """Name the node that returned an update although it has commands only."""
    text = f"edge with sourceId: {node_id!r} doesn't exist! It returned an update, and no edge says where to go on;"
    return GraphRunnerException(f"{text} return a Command, or add an edge", "missing_edge", node_id)


def unmapped(route: RoutePlan, label: object) -> GraphRunnerException:
    """Name a label that is not mapped, and those that are."""
    allowed = ", ".join(map(shown, route.labels))
    text = f"cannot find edge mapping for id: {shown(label)} in conditional edge with sourceId: {route.source!r}"
    return GraphRunnerException(
        f"{text} (route {route.name!r}); the labels are: {allowed}", MISSING_LABEL, route.source
    )


def invalid_answer(route: RoutePlan, answer: object, right: str) -> GraphRunnerException:
    """Name a route that answered with what is no label."""
    text = f"the route {route.name!r} of {route.source!r} answered {shown(answer)}; {right}"
    return GraphRunnerException(text, "invalid_route", route.source)


def send_to_convergence(route: RoutePlan, node_id: str) -> GraphRunnerException:
    """Name a `Send` to the node where the branches join."""
    text = f"the route {route.name!r} of {route.source!r} sends a copy to {node_id!r}, where its branches join;"
    return GraphRunnerException(f"{text} declare it: sends=[{node_id!r}]", "send_to_convergence", route.source)


def refused_payload(route: RoutePlan, node_id: str, error: GraphRunnerException) -> GraphRunnerException:
    """Name a `Send` whose state does not fit the schema of the graph."""
    text = f"the route {route.name!r} of {route.source!r} sends a copy to {node_id!r} whose state does not fit: {error}"
    return GraphRunnerException(text, error.code, route.source)


def send_backwards(route: RoutePlan, node_id: str) -> GraphRunnerException:
    """Name a `Send` to a node that the branches leave backwards to."""
    text = f"the route {route.name!r} of {route.source!r} sends a copy back to {node_id!r}, out of its own region;"
    return GraphRunnerException(
        f"{text} go there by a label, or send to a node behind the fork", "send_backwards", route.source
    )


def send_on_open_fork(route: RoutePlan, node_id: str) -> GraphRunnerException:
    """Name a `Send` on a fork that shares nodes with the branches around it."""
    text = f"the route {route.name!r} of {route.source!r} sends a copy to {node_id!r}, but its branches share nodes"
    text = f"{text} with others; put that part into a child, or a node before the shared one"
    return GraphRunnerException(text, "open_sends", route.source)


def recursion_limit(node_id: str, limit: int, thread_id: str, last: Sequence[str]) -> GraphRunnerException:
    """Name the limit that a node would exceed, and the nodes before it."""
    text = f"recursion limit of {limit} steps reached before node {node_id!r} (thread {thread_id!r}; last nodes: "
    text = f"{text}{', '.join(map(repr, last))}); raise recursion_limit, or let the loop end"
    return GraphRunnerException(text, "recursion_limit", node_id, thread_id)


def conflict(key: str, first: str, second: str, node_id: str) -> GraphRunnerException:
    """Name a key that two branches wrote without having seen each other, and both nodes."""
    text = f"key {key!r} is written by {first} and by {second} in parallel, and one value would be lost; give the key"
    text = f"{text} a strategy that keeps both, or compile with on_conflict='last'"
    return GraphRunnerException(text, "conflict", node_id)


def executor_failed(call: NodePlan | RoutePlan, error: BaseException) -> GraphRunnerException:
    """Name the node whose executor is shut down or has lost its worker."""
    node_id = _source(call)
    what = said(error)
    text = f"the executor of node {node_id!r} can not run its action ({what}); give the run an executor that works"
    return GraphRunnerException(text, "executor_failed", node_id)


def unknown_binding(where: str, id_: object, known: Collection[str]) -> GraphRunnerException:
    """Name an id in the config of a run that is bound to nothing."""
    text = (
        f"{where} names {shown(id_)}, which is none of the forks (or convergences) of this graph that run as a region"
    )
    return GraphRunnerException(f"{text}: {sorted(known)}.{hint(str(id_), known)}", "unknown_id")


def mutated(call: NodePlan | RoutePlan, key: str) -> GraphRunnerException:
    """Name the node or route that changed a value of its state in place."""
    node_id = _source(call)
    who = f"node {node_id!r}" if isinstance(call, NodePlan) else f"the route {call.name!r} of {node_id!r}"
    text = f"{who} changed the value of key {key!r} in place; return a new value as an update instead"
    return GraphRunnerException(text, "mutated_state", node_id)


def branches_failed(errors: Sequence[GraphRunnerException]) -> GraphRunnerException:
    """Make one error of those of several branches, the first in branch order first."""
    first = errors[0]
    if len(errors) == 1:
        return first
    nodes = ", ".join(repr(error.node_id) for error in errors)
    text = f"{len(errors)} branches failed, at the nodes {nodes}; the first: {first}"
    failure = GraphRunnerException(text, first.code, first.node_id, first.thread_id)
    failure.__cause__ = ExceptionGroup("branches failed", list(errors))
    return failure


def caused(failure: GraphRunnerException, cause: BaseException) -> GraphRunnerException:
    """Set the cause, and give the failure."""
    failure.__cause__ = cause
    return failure


def name_thread(failure: GraphRunnerException, thread_id: str) -> None:
    """Name the thread of a run in its failure, and in all those that are its cause."""
    failure.thread_id = failure.thread_id or thread_id
    cause: Any = failure.__cause__
    for each in cause.exceptions if cause.__class__ is ExceptionGroup else ():
        if isinstance(each, GraphRunnerException):
            name_thread(each, thread_id)


def refused_inputs(problems: Sequence[str]) -> GraphRunnerException:
    """Tell everything that is wrong with the inputs of a run."""
    failure = GraphRunnerException(f"the inputs of the run do not fit: {'; '.join(problems)}", "invalid_inputs")
    failure.problems = tuple(problems)
    return failure


def refused_context(text: str) -> GraphRunnerException:
    """Tell that a run can not work with its context."""
    return GraphRunnerException(f"the context of the run does not fit: {text}", "invalid_context")


def no_resume(inputs: Any) -> GraphRunnerException:
    """Tell that there is nothing to go on with."""
    text = f"inputs {shown(inputs)} resume a thread, but the graph keeps no checkpoints; {{}} starts a run with nothing"
    return GraphRunnerException(text, "missing_checkpoint_saver")


def invalid_inputs(inputs: object) -> GraphRunnerException:
    """Tell that a run can not start with this."""
    text = f"the inputs of a run must be a mapping with str keys ({{}} starts with nothing), not {shown(inputs)}"
    return GraphRunnerException(text, "invalid_inputs")


def _source(call: NodePlan | RoutePlan) -> str:
    return call.id if isinstance(call, NodePlan) else call.source
