"""The errors of a run: who failed, where, and why."""

from __future__ import annotations

from asyncio import CancelledError
from typing import TYPE_CHECKING, Any, Final

from graph_core.compiler.plan import Call, HookPlan, NodePlan, RefusedError, RoutePlan
from graph_core.exception import GraphInterrupt, GraphRunnerException, StateMergeError
from graph_core.exception.problems import hint
from graph_core.exception.texts import said, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from graph_core.exception import GraphProblem
    from graph_core.runner.pauses import Pending

GROUP: Final[Any] = BaseExceptionGroup  # as `Any`: to a type checker `isinstance` does not narrow then
MOST_NAMED = 10
MISSING_LABEL = "missing_node_in_edge_mapping"


def call_failed(call: Call, error: BaseException) -> GraphRunnerException:
    """Name the node or route whose action raised; the original is set as the cause by the caller."""
    what = said(error)
    if isinstance(call, NodePlan):
        return GraphRunnerException(f"node {call.id!r} failed: {what}", "execution_error", call.id)
    return GraphRunnerException(f"{_who(call)} failed: {what}", "execution_error", call.source)


def _without_questions(group: Any) -> BaseException:
    found: BaseException | None = group.split(GraphInterrupt)[1]
    return group if found is None else found


def _who(call: Call) -> str:
    if isinstance(call, NodePlan):
        return f"node {call.id!r}"
    return f"the {'method' if isinstance(call, HookPlan) else 'route'} {call.name!r} of {call.source!r}"


def of_call(call: Call, error: BaseException) -> GraphRunnerException:
    """Make the failure of a call, with what it raised as its cause; one of the driver's own is kept.

    Raises:
        BaseException: what was raised, if it ends the whole program or its task (`KeyboardInterrupt`).
    """
    if isinstance(error, GraphInterrupt):
        return misplaced_interrupt(call, error)
    if isinstance(error, GROUP):  # a task that asked beside one that failed: it is called again anyway
        error = _without_questions(error)
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


def executor_failed(call: Call, error: BaseException) -> GraphRunnerException:
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


def mutated(call: Call, key: str) -> GraphRunnerException:
    """Name the node or route that changed a value of its state in place."""
    node_id = _source(call)
    text = f"{_who(call)} changed the value of key {key!r} in place; return a new value as an update instead"
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


def no_saver() -> GraphRunnerException:
    """Tell that a graph without a saver has nothing to go on with."""
    text = "the call resumes a thread, but the graph keeps no checkpoints (checkpoint_saver=None); {} starts a run"
    return GraphRunnerException(f"{text} with nothing", "missing_checkpoint_saver")


def no_thread_id() -> GraphRunnerException:
    """Tell that a call which resumes, looks at or changes a thread does not say which."""
    text = "the call is about a thread, but names none: RunnableConfig(thread_id=...); {} starts a run with nothing"
    return GraphRunnerException(text, "missing_thread_id")


def nothing_to_resume(thread_id: str) -> GraphRunnerException:
    """Tell that a thread has no checkpoint yet."""
    text = f"thread {thread_id!r} has no checkpoint to go on from; give it an input, {{}} starts with nothing"
    return GraphRunnerException(text, "missing_checkpoint", None, thread_id)


def finished(thread_id: str, checkpoint_id: str) -> GraphRunnerException:
    """Tell that a thread is done."""
    text = f"thread {thread_id!r} is done at checkpoint {checkpoint_id!r}: there is nothing to go on with; give it an"
    text = f"{text} input to start anew, or go on from an older checkpoint: config.with_checkpoint_id(...)"
    return GraphRunnerException(text, "finished_thread", None, thread_id)


def stale(node_id: str) -> GraphRunnerException:
    """Tell that a checkpoint is one of another graph."""
    text = f"the checkpoint stands at {node_id!r}, which this graph does not lead to there; go on with the graph that"
    return GraphRunnerException(f"{text} wrote it, or from an older checkpoint", "stale_checkpoint", node_id)


def no_branch(node_id: str, path: object, ready: Sequence[tuple[int, ...]]) -> GraphRunnerException:
    """Tell that an update names no branch that could run the node now."""
    if not ready:
        text = f"a branch stands at {node_id!r}, but it waits for others; update the state without as_node, or later"
    else:
        text = f"branches {sorted(ready)} stand at {node_id!r}; name one of them: path={ready[0]!r}, not {path!r}"
    return GraphRunnerException(text, "ambiguous_branch", node_id)


def missing_branch(node_id: str | None, standing: Sequence[str], fork: str | None) -> GraphRunnerException:
    """Tell that an update is for a branch, but none stands on the node."""
    if fork is None:
        text = "path names a branch, but the thread stands in no region; update the state without it"
    elif node_id is None:
        text = "path names a branch, and needs as_node, the node that the branch stands on"
    else:
        text = f"no branch stands at {node_id!r}; branches stand at {', '.join(map(repr, dict.fromkeys(standing)))};"
        text = f"{text} as_node={fork!r} drops them and routes again"
    return GraphRunnerException(text, "missing_branch", node_id)


def inner_fork(node_id: str) -> GraphRunnerException:
    """Tell that a node's branches can not begin on the main path."""
    text = (
        f"{node_id!r} is the source of a fork inside of a region, and no branch stands there; update the state as the"
    )
    return GraphRunnerException(
        f"{text} source of the region's own fork, to come there again", "missing_branch", node_id
    )


def told(failure: GraphRunnerException) -> dict[str, Any]:
    """Give what others may see of a failure."""
    return {"code": failure.code, "node_id": failure.node_id, "message": str(failure)}


def dropped_out(node_id: str, known: Mapping[str, Any] | None) -> GraphRunnerException:
    """Stand for what made a branch drop out in an earlier run."""
    if known is None:
        return GraphRunnerException(f"node {node_id!r} failed in an earlier run", "execution_error", node_id)
    return GraphRunnerException(f"{known['message']} (in an earlier run)", known["code"], known["node_id"])


def no_pending_interrupt(thread_id: str, used: Sequence[str]) -> GraphRunnerException:
    """Tell that an answer has no question."""
    text = f"an answer was given, but thread {thread_id!r} has no pending interrupt; with_resume() goes on without one"
    if used:
        text = f"{text}, with_resume(answers={{id: answer}}) replaces one that is there: {_listed(map(repr, used))}"
    return GraphRunnerException(text, "no_pending_interrupt", None, thread_id)


def several_pending_interrupts(thread_id: str, pending: Mapping[str, Pending]) -> GraphRunnerException:
    """Tell that it is not clear which question an answer is for."""
    text = (
        f"an answer was given, but thread {thread_id!r} has {len(pending)} pending interrupts ({_named_ids(pending)});"
    )
    text = f"{text} say which it is for: with_resume(answers={{id: answer}})"
    return GraphRunnerException(text, "several_pending_interrupts", None, thread_id)


def unknown_answer(thread_id: str, id_: object, pending: Mapping[str, Pending]) -> GraphRunnerException:
    """Tell that an answer is for nothing that is pending."""
    text = f"an answer was given for {shown(id_)}, which is no pending interrupt of thread {thread_id!r}"
    if not pending:
        text = f"{text}: it has none (perhaps it was answered already); with_resume() goes on without an answer"
        return GraphRunnerException(text, "no_pending_interrupt", None, thread_id)
    text = f"{text}; pending are {_named_ids(pending)}"
    return GraphRunnerException(text, "unknown_interrupt", None, thread_id)


def _named_ids(pending: Mapping[str, Pending]) -> str:
    return _listed(f"{id_!r} at {each.node_id!r}" for id_, each in pending.items())


def _listed(texts: Iterable[str]) -> str:
    named = [*texts]
    return ", ".join(named if len(named) <= MOST_NAMED else [*named[:MOST_NAMED], "..."])


def refused_interrupts(problem: GraphProblem) -> GraphRunnerException:
    """Tell what is wrong with where a call pauses: to a run an id that is no node's is one as all others are."""
    code = "unknown_id" if problem.code == "interruption_node_not_exist" else problem.code
    return GraphRunnerException(problem.message, code)


def unkept_pause(node_id: str) -> GraphRunnerException:
    """Tell that a node asks a person, but nothing would keep the run until the answer."""
    text = (
        f"node {node_id!r} pauses the run, but the graph keeps no checkpoints (checkpoint_saver=None), so nobody could"
    )
    return GraphRunnerException(f"{text} go on with it; compile it with a saver", "missing_checkpoint_saver", node_id)


def lost_answers(node_id: str) -> GraphRunnerException:
    """Tell that a node asked where its answers do not reach."""
    text = f"node {node_id!r} called interrupt(...) where the answers that it has do not reach: in a thread of its own,"
    text = f"{text} perhaps; start that with the context of the node, contextvars.copy_context().run, or ask outside"
    return GraphRunnerException(text, "misplaced_interrupt", node_id)


def unwritten(node_id: str, error: GraphRunnerException) -> GraphRunnerException:
    """Name the node whose update, question or answer can not be written."""
    return GraphRunnerException(f"node {node_id!r}: {error}", error.code, node_id)


def misplaced_interrupt(call: Call | None, error: GraphInterrupt) -> GraphRunnerException:
    """Tell that something else than a node asks a person."""
    who = "a key strategy, or another function that the graph calls," if call is None else _who(call)
    text = f"{who} called interrupt({shown(error.payload)}), which only a node can do; ask in the node before"
    return GraphRunnerException(text, "misplaced_interrupt", None if call is None else _source(call))


def invalid_interruption(hook: HookPlan, answer: object) -> GraphRunnerException:
    """Name the method of an `InterruptableAction` that said neither yes nor no."""
    text = f"{_who(hook)} returned {shown(answer)}; return Some(InterruptionMetadata(...)) to pause, or Nothing"
    return GraphRunnerException(text, "invalid_interruption", hook.source)


def invalid_inputs(inputs: object) -> GraphRunnerException:
    """Tell that a run can not start with this."""
    text = f"the inputs of a run must be a mapping with str keys ({{}} starts with nothing), not {shown(inputs)}"
    return GraphRunnerException(text, "invalid_inputs")


def invalid_values(values: object) -> GraphRunnerException:
    """Tell that a state can not be updated with this."""
    text = f"the values of update_state must be a mapping with str keys, not {shown(values)}"
    return GraphRunnerException(text, "invalid_inputs")


def _source(call: Call) -> str:
    return call.id if isinstance(call, NodePlan) else call.source
