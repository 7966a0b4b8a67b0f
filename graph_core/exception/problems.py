"""The problems of graph definitions: codes and texts (Java: `Errors`, its slips corrected)."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from graph_core.exception.errors import GraphProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def hint(wrong: str, known: Iterable[str]) -> str:
    """Give the close match of an id as the end of a text; empty if there is none."""
    if wrong.strip("_").upper() in {"END", "START"}:
        return f" Did you mean the constant {wrong.strip('_').upper()}?"
    close = difflib.get_close_matches(wrong, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def edge_place(source: str, target: str) -> str:
    """Name an edge: ``edge a → b``."""
    return f"edge {source} → {target}"


def invalid_node_identifier(node: str) -> GraphProblem:
    """An id that no node may have."""
    if node == "__END__":
        text = "END is not a valid node id!"
    elif not node.strip():
        text = f"{node!r} is not a valid node id: it is blank; give the node a name"
    else:
        text = f"{node!r} is not a valid node id: ids that begin with '__' are reserved; give the node another name"
    return GraphProblem("invalid_node_identifier", text, f"node {node}")


def node_id_not_match(given: str, own: str) -> GraphProblem:
    """A `Node` that was added under another id than its own."""
    text = f"node id ({given!r}) specified in add_node doesn't match the id ({own!r}) of the node to be added!"
    return GraphProblem("node_id_not_match_error", text, f"node {given}")


def duplicate_node(node: str) -> GraphProblem:
    """An id that was added twice."""
    text = f"node with id: {node!r} already exist! Give one of the two another id"
    return GraphProblem("duplicate_node_error", text, f"node {node}")


def invalid_edge_identifier(target: str) -> GraphProblem:
    """An edge that begins at `END`."""
    return GraphProblem("invalid_edge_identifier", "END is not a valid edge sourceId!", edge_place("END", target))


def edge_mapping_is_empty(source: str) -> GraphProblem:
    """A mapping without an entry."""
    text = f"edge mapping is empty! Map at least one label of {source!r} to a node"
    return GraphProblem("edge_mapping_is_empty", text, edge_place(source, "{}"))


def empty_source(target: object) -> GraphProblem:
    """An edge without a source."""
    text = f"Source nodeIds missing for add_edge(source_ids, {target!r})! Name at least one source"
    return GraphProblem("empty_source_node_by_edge", text, f"edge ? → {target}")


def empty_target(source: object) -> GraphProblem:
    """An edge without a target."""
    text = f"Target nodeIds missing for add_edge({source!r}, target_ids)! Name at least one target"
    return GraphProblem("empty_target_node_by_edge", text, f"edge {source} → ?")


def missing_entry_point() -> GraphProblem:
    """No edge begins at `START`."""
    text = "missing Entry Point; add one: add_edge(START, node) or add_conditional_edges(START, condition, mappings)"
    return GraphProblem("missing_entry_point", text, "edge START → ?")


def missing_source(source: str, known: Iterable[str]) -> GraphProblem:
    """An edge whose source is no node."""
    text = f"edge sourceId {source!r} refers to undefined node! Add it with add_node.{hint(source, known)}"
    return GraphProblem("missing_node_referenced_by_edge", text, f"edge {source} → …")


def missing_target(source: str, target: str, known: Iterable[str]) -> GraphProblem:
    """An edge whose target is no node."""
    text = f"edge from {source!r} refers to undefined node {target!r}! Add it with add_node.{hint(target, known)}"
    return GraphProblem("missing_node_referenced_by_edge", text, edge_place(source, target))


def missing_in_mapping(source: str, label: object, target: str, known: Iterable[str]) -> GraphProblem:
    """A mapping that leads to what is no node."""
    text = f"edge mapping for sourceId: {source!r} contains a not existent nodeId {target!r} (label {label!r})!"
    return GraphProblem("missing_node_in_edge_mapping", text + hint(target, known), edge_place(source, target))


def edge_into_start(source: str) -> GraphProblem:
    """An edge that leads to `START`."""
    text = f"edge from {source!r} leads into START, where a run only begins; name the first node instead"
    return GraphProblem("edge_into_start", text, edge_place(source, "START"))


def duplicate_targets(source: str, targets: Sequence[str]) -> GraphProblem:
    """Fixed targets of one source that were named twice."""
    names = ", ".join(map(repr, targets))
    text = f"edge [{source!r}] has duplicate targets [{names}]! A branch runs once: drop one of the two edges"
    return GraphProblem("duplicate_edge_target_error", text, edge_place(source, ", ".join(targets)))


def duplicate_condition(source: str, name: str) -> GraphProblem:
    """Two conditions of one source with one name."""
    text = f"conditional edge from {source!r} already exist! Two are named {name!r}; give one of them name=…"
    return GraphProblem("duplicate_conditional_edge_error", text, f"edge {source} → {name}")


def missing_edge(node: str) -> GraphProblem:
    """A node that nothing leads out of."""
    text = f"edge with sourceId: {node!r} doesn't exist! Say where the run goes on: add_edge({node!r}, END), or"
    return GraphProblem("missing_edge", f"{text} destinations= if the node returns a Command", f"node {node}")


def unreachable_node(node: str) -> GraphProblem:
    """A node that no way from `START` leads to."""
    text = f"node {node!r} can not be reached from START; lead an edge to it, or remove it"
    return GraphProblem("unreachable_node", text, f"node {node}")


def never_finishes(node: str) -> GraphProblem:
    """A node from which `END` can never be reached."""
    text = f"from node {node!r} the run can never finish; lead a way out of the loop: add_edge({node!r}, END),"
    return GraphProblem("node_never_finishes", f"{text} or a condition that maps a label to END", f"node {node}")


def end_among_targets(source: str) -> GraphProblem:
    """`END` as one of several fixed targets."""
    text = f"END stands among several fixed targets of {source!r}, where it adds no branch; drop that edge, or"
    return GraphProblem("end_among_targets", f"{text} lead the branches that end to END", edge_place(source, "END"))


def undeclared_targets(source: str, why: str) -> GraphProblem:
    """A route whose targets are not known where they must be."""
    text = f"the route of {source!r} does not say where it may go, {why}; give mappings={{label: node}} (or"
    return GraphProblem("undeclared_targets", f"{text} destinations= for a Command)", f"edge {source} → ?")


def invalid_converge_at(source: str, wanted: str, why: str) -> GraphProblem:
    """A `converge_at=` that can not be."""
    text = f"converge_at={wanted!r} of the fork at {source!r} {why}"
    return GraphProblem("invalid_converge_at", text, f"fork {source}")


def open_sends(source: str, enclosing: str, way: str) -> GraphProblem:
    """Send targets on a fork that shares nodes with the branches around it."""
    text = f"{source!r} sends copies, but in the region of {enclosing!r} its branches share nodes with others ({way});"
    text = f"{text} put that part into a child, or a node before the shared one"
    return GraphProblem("open_sends", text, f"fork {source}")


def sends_to_no_node(source: str, target: str) -> GraphProblem:
    """`START` or `END` among the declared Send targets."""
    text = f"sends= of {source!r} names {target.strip('_')}, but a copy can only be sent to a node; END is a label"
    return GraphProblem("unknown_id", text, f"sends= of {source!r}")


def sends_unmapped(source: str, target: str) -> GraphProblem:
    """A declared Send target that the route does not map, so that it could never be sent to."""
    text = f"sends= of {source!r} names {target!r}, which its mappings do not hold; map a label to it"
    return GraphProblem("unknown_id", text, f"sends= of {source!r}")


def sends_back(source: str, target: str) -> GraphProblem:
    """A declared Send target that is the source, or where a branch leaves a region around it backwards."""
    text = f"sends= of {source!r} names {target!r}, which leads back out of the region; go there by a label"
    return GraphProblem("send_backwards", text, f"fork {source}")


def interruption_node_not_exist(where: str, wrong: object, known: Iterable[str]) -> GraphProblem:
    """A node to pause at that is not there."""
    close = hint(wrong, known) if isinstance(wrong, str) else ""
    text = f"node {wrong!r} configured as interruption doesn't exist! Name nodes of the graph in {where}, or '*'"
    return GraphProblem("interruption_node_not_exist", f"{text}.{close}", where)


def unkept_interrupts(where: str) -> GraphProblem:
    """Pauses of a graph that keeps nothing."""
    text = f"{where} pauses runs, but nothing keeps them until they go on (checkpoint_saver=None); give it a saver"
    return GraphProblem("missing_checkpoint_saver", text, where)


def unknown_fork(where: str, wrong: str, known: Iterable[str]) -> GraphProblem:
    """An id in a config that is no fork, or one whose branches belong to the region around it."""
    forks = sorted(known)
    text = f"{where} names {wrong!r}, but the forks of this graph that run as a region are {forks}.{hint(wrong, forks)}"
    return GraphProblem("unknown_id", text, where)


def disagreement(key: str, text: str) -> GraphProblem:
    """Two schemas that say different things about one key."""
    return GraphProblem("strategies_disagree", text, f"key {key!r}")


def unknown_key(where: str, wrong: str, known: Iterable[str]) -> GraphProblem:
    """A key in `input_schema=` or `output_schema=` that no schema of the graph declares."""
    keys = sorted(known)
    text = f"{where} names key {wrong!r}, but the schemas of this graph declare {keys}.{hint(wrong, keys)}"
    return GraphProblem("unknown_key", text, where)


def labels_disagree(source: str, route: str, unmapped: Sequence[object], never: Sequence[object]) -> GraphProblem:
    """A route whose annotation and mapping name different labels."""
    parts = [f"answers {', '.join(map(repr, unmapped))}, which no label is"] if unmapped else []
    parts += [f"never answers {', '.join(map(repr, never))}, which are mapped"] if never else []
    text = f"by its annotation the route {route!r} of {source!r} {', and it '.join(parts)};"
    text = f"{text} make its annotation and its mappings name the same labels (DEFAULT catches all others)"
    return GraphProblem("labels_disagree", text, f"edge {source} → {route}")


def unknown_id(where: str, wrong: str, known: Iterable[str]) -> GraphProblem:
    """An id in a config, or in `sends=` or `destinations=`, that is no node."""
    text = f"{where} names {wrong!r}, which is no such node.{hint(wrong, known)}"
    return GraphProblem("unknown_id", text, where)
