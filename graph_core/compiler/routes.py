"""Reading what the user gave as a node or a condition: kinds, labels, signatures."""

from __future__ import annotations

import typing
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from types import FunctionType
from typing import Any, Final, final

import attrs

from graph_core.action import Command, CommandAction, MultiCommand, MultiCommandAction, NodeRef, Send
from graph_core.action.signature import MISSING_HINT, Hints, hints_of, name_of, signature_of
from graph_core.compiler.definition import Answers, Commands, NodeDefinition, Route
from graph_core.compiler.keys import given_schema, view_schema
from graph_core.config.executors import check_executor
from graph_core.edge import EdgeCondition
from graph_core.edge.mappings import Mappings, answers_of, labels_of, normalized, union_parts
from graph_core.exception import GraphStateException, InvalidRecordError, problems
from graph_core.node import END, Node
from graph_core.state.frozen import FrozenMapping

if typing.TYPE_CHECKING:
    from graph_core.config import ActionExecutor
    from graph_core.state.schema import Schema  # noqa: TC004  (only annotations name it, and few graphs have a schema to load it for)

_SEQUENCES: Final = frozenset({list, tuple, Sequence})  # what a multi route may answer with
_NO_METADATA: Final[Mapping[str, Any]] = FrozenMapping()


@final
@attrs.frozen
class MadeCondition:
    """A condition, and what its annotations say.

    Args:
        condition: the condition.
        only_sends: all its targets are `Send` targets.
        view: the schema of which its action gets an instance.
        answers: the labels that it names.
    """

    condition: EdgeCondition
    only_sends: bool
    view: Schema | None
    answers: Answers | None


def make_condition(
    source: str, given: Any, mappings: Mappings | None, name: str | None, *, multi: bool
) -> MadeCondition:
    """Make a condition of what was given to one of the two verbs.

    Raises:
        InvalidRecordError: it is not callable, has the wrong kind, or labels can not be node ids.
    """
    work, is_open = _action_of(source, given, multi=multi)
    if isinstance(given, EdgeCondition):
        if given.either and mappings is not None:
            raise InvalidRecordError(f"the condition of {source!r} has its mappings already: {given.mappings!r}")
        name, mappings = name or given.name, mappings or given.mappings
    fn: Any = work.fn if isinstance(work, CommandAction | MultiCommandAction) else work
    many = multi or isinstance(work, MultiCommandAction)
    made = EdgeCondition.multi(fn, mappings) if many else EdgeCondition.single(fn, mappings)
    what = f"the condition of {source!r}"
    signature_of(fn, what)
    hints = hints_of(fn, what)
    if is_open and not many and _is_multi(hints.returned):
        made = EdgeCondition.multi(fn, mappings)
    named = made.mappings if made.mappings is not None else _labels(hints.returned)
    return MadeCondition(
        EdgeCondition(made.action, named, name),
        only_sends=_only_sends(hints.returned),
        view=view_schema(hints.state),
        answers=_answers(hints.returned),
    )


def label_of(condition: EdgeCondition, routes: Sequence[Route]) -> str:
    """Give the name of a condition among the other routes of its source; nameless ones are numbered (R8)."""
    return condition.label or f"<condition {1 + sum(route.name.startswith('<condition ') for route in routes)}>"


def _action_of(source: str, given: Any, *, multi: bool) -> tuple[Any, bool]:
    """Give the action of what was given, and whether its annotation may say that it chooses several targets."""
    work, is_open = given, not isinstance(given, CommandAction | MultiCommandAction)
    if isinstance(given, EdgeCondition):
        work, is_open = given.action, given.either
        if work is None:
            raise InvalidRecordError(f"the condition of {source!r} has no action; EdgeCondition.single(fn, mappings)")
    if multi and isinstance(work, CommandAction) and not is_open:
        raise _single_given(source, given)
    return work, is_open


def _single_given(source: str, given: object) -> InvalidRecordError:
    text = f"{source!r}: add_parallel_conditional_edges takes a MultiCommandAction, not {given!r}"
    return InvalidRecordError(f"{text}; add_conditional_edges chooses one target")


def make_node(
    node: Any,
    action: Any,
    mappings: Mappings | None,
    destinations: Mappings | None,
    *,
    input_schema: Any,
    defer: bool,
    executor: ActionExecutor | None,
    metadata: Mapping[str, Any] | None,
    sends: Sequence[str],
    converge_at: str | None,
) -> NodeDefinition:
    """Make a node of what was given to `add_node`.

    Raises:
        GraphStateException: the id is `END`, does not match, or the mapping is empty.
        InvalidRecordError: an argument is of another type.
    """
    id_, work = _id_and_action(node, action)
    if (mappings is not None and not mappings) or (destinations is not None and not destinations):
        raise GraphStateException([problems.edge_mapping_is_empty(id_)])
    fn = work.fn if isinstance(work, CommandAction | MultiCommandAction) else work
    if isinstance(work, Node):
        made, signature, hints = work, None, Hints()
    elif callable(fn):
        made, signature = Node(id_, lambda _: fn), signature_of(fn, f"node {id_!r}")
        hints = hints_of(fn, f"node {id_!r}")
    else:
        raise InvalidRecordError(f"node {id_!r}: its action must be callable (state) or (state, config), not {fn!r}")
    _check_options(id_, defer, executor, metadata, converge_at)
    hint = hints.returned
    given = input_schema is not None
    return NodeDefinition(
        node=made,
        signature=signature,
        returns_none=hint is None or hint is type(None),
        commands=_commands(work, hint, normalized(mappings or destinations)),
        defer=defer,
        executor=executor,
        metadata=metadata or _NO_METADATA,
        sends=ids_of(sends, f"sends= of node {id_!r}") if sends else (),
        converge_at=converge_at,
        view=given_schema(input_schema, f"node {id_!r}") if given else view_schema(hints.state),
    )


def _check_options(id_: str, defer: Any, executor: Any, metadata: Any, converge_at: Any) -> None:
    check_executor(executor, f"node {id_!r}")
    check_converge_at(converge_at, f"node {id_!r}")
    if not isinstance(defer, bool):
        raise InvalidRecordError(f"node {id_!r}: defer must be True or False, not {defer!r}")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise InvalidRecordError(f"node {id_!r}: metadata must be a mapping, not {metadata!r}")


def check_converge_at(converge_at: object, where: str) -> None:
    """Refuse a `converge_at` that is no id.

    Raises:
        InvalidRecordError: it is neither `None` nor a `str`.
    """
    if converge_at is not None and not isinstance(converge_at, str):
        raise InvalidRecordError(f"{where}: converge_at must be the id of one node (a str), not {converge_at!r}")


def _id_and_action(node: Any, action: Any) -> tuple[str, Any]:
    if node.__class__ is str and action.__class__ is FunctionType and node != END:
        return node, action
    node = node.id if isinstance(node, NodeRef) else node
    if action is None:
        node, action = _both(node)
    if not isinstance(node, str):
        raise InvalidRecordError(f"the id of a node must be a str, not {node!r}")
    if node == END:
        raise GraphStateException([problems.invalid_node_identifier(node)])
    if isinstance(action, Node):
        _check_node(node, action)
    return node, action


def _both(node: Any) -> tuple[Any, Any]:
    """Give id and action of what was given for both."""
    if isinstance(node, Node):
        return node.id, node
    if not callable(node):
        return node, None
    fn: Any = node
    name = name_of(fn.func if isinstance(node, partial) else fn)
    if not name:
        raise InvalidRecordError(f"{fn!r} has no name to take the id from; use add_node(id, action)")
    return name, fn


def _check_node(id_: str, node: Node) -> None:
    if node.id != id_:
        raise GraphStateException([problems.node_id_not_match(id_, node.id)])
    if node.action_factory is None:
        raise InvalidRecordError(f"node {id_!r} has no action; Node(id, lambda config: action) gives it one")


def ids_of(ids: Sequence[str], where: str) -> tuple[str, ...]:
    """Give a sequence of node ids as a tuple.

    Raises:
        InvalidRecordError: it is a single `str`, or an element is no `str`.
    """
    if not isinstance(ids, list | tuple) or not all(isinstance(id_, str) for id_ in ids):
        raise InvalidRecordError(f"{where} must be a list of node ids, not {ids!r}")
    return tuple(ids)


def _commands(work: Any, hint: Any, mappings: Mapping[Hashable, str] | None) -> Commands | None:
    if hint is MISSING_HINT and mappings is None and not isinstance(work, CommandAction | MultiCommandAction):
        return None
    parts = union_parts(hint)
    single = [part for part in parts if _is(part, Command)]
    multi = [part for part in parts if _is(part, MultiCommand)]
    if isinstance(work, CommandAction | MultiCommandAction):
        kind: Any = "single" if isinstance(work, CommandAction) else "multi"
        labels = mappings or _labels_of_all(single + multi) or _labels(hint)
        return Commands(kind=kind, mappings=labels, answers_only=True, answers=_answers(hint))
    if mappings is None and not single and not multi:
        return None
    kind = "either" if bool(single) is bool(multi) else "single" if single else "multi"
    answers = _answers_of_all(single + multi)
    return Commands(kind=kind, mappings=mappings or _labels_of_all(single + multi), answers=answers)


def _labels_of_all(parts: Sequence[Any]) -> Mapping[Hashable, str] | None:
    found: dict[Hashable, str] = {}
    for part in parts:
        arguments = typing.get_args(part)
        labels = labels_of(arguments[0]) if arguments else None
        found.update(labels or {})
    return FrozenMapping(found) if found else None


def _labels(hint: Any) -> Mapping[Hashable, str] | None:
    """Read the labels off a route's annotation; `None` where a part of it names none."""
    found: dict[Hashable, str] = {}
    for part in _parts(hint):
        if _is_command(part):
            found.update(_labels_of_all([part]) or {})
        elif not _is(part, Send):
            labels = labels_of(part)
            if labels is None:
                return None
            found.update(labels)
    return FrozenMapping(found) if found else None


def _answers(hint: Any) -> Answers | None:
    """Read the labels off a route's annotation, whatever they are mapped to; `None` where a part of it names none."""
    labels: list[Hashable] = []
    parts = _parts(hint)
    for part in parts:
        if _is(part, Send):
            continue
        found = answers_of(typing.get_args(part)[0] if _is_command(part) and typing.get_args(part) else part)
        if found is None:
            return None
        labels += found
    return Answers(
        tuple(dict.fromkeys(labels)), sends=any(_is(part, Send) or _is(part, MultiCommand) for part in parts)
    )


def _answers_of_all(parts: Sequence[Any]) -> Answers | None:
    return _answers(typing.Union[tuple(parts)]) if parts else None  # noqa: UP007  (a union made at run time)


def _is_command(part: Any) -> bool:
    return _is(part, Command) or _is(part, MultiCommand)


def _is_multi(hint: Any) -> bool:
    """Tell whether a route's annotation says that it may answer with several targets, or with `Send`s."""
    parts = union_parts(hint)
    return any(typing.get_origin(part) in _SEQUENCES or _is(part, Send) or _is(part, MultiCommand) for part in parts)


def _only_sends(hint: Any) -> bool:
    """Tell whether a route answers with nothing but `Send`s."""
    return all(_is(part, Send) for part in _parts(hint))


def _parts(hint: Any) -> list[Any]:
    return [element for part in union_parts(hint) for element in _elements(part)]


def _elements(part: Any) -> tuple[Any, ...]:
    if typing.get_origin(part) in _SEQUENCES:
        return tuple(each for arg in typing.get_args(part) if arg is not Ellipsis for each in union_parts(arg))
    return (part,)


def _is(part: Any, kind: type) -> bool:
    return part is kind or typing.get_origin(part) is kind
