"""`add_sequence`: nodes, and the edges between them."""

from typing import Any

import pytest

from graph_core import APPEND, END, START, GraphStateException, InvalidRecordError, Node, StateGraph
from graph_core_tests.shapes import State, Update, appends, codes


def first(state: State) -> Update:
    """Append a word."""
    return {"m": "first"}


def test_all_forms_in_order() -> None:
    """api: items are as `add_node`'s first argument, or (id, action)."""
    graph = StateGraph({"m": APPEND}).add_sequence(first, ("b", appends("b")), Node("c", lambda config: appends("c")))
    assert graph.node_ids == ("first", "b", "c")
    compiled = graph.add_edge(START, "first").add_edge("c", END).compile()
    assert compiled.invoke({})["m"] == ["first", "b", "c"]
    assert [value.id for value in compiled.edges.values()] == ["first", "b", "c", END]


def test_one_node_has_no_edge() -> None:
    """api: the edges are between the nodes; in and out are the user's."""
    assert codes(StateGraph().add_sequence(first).validate()) == ["missing_entry_point", "missing_edge"]


def test_no_nodes() -> None:
    """C1: a sequence of nothing is raised at once."""
    with pytest.raises(GraphStateException) as caught:
        StateGraph().add_sequence()
    assert caught.value.code == "empty_source_node_by_edge"


def test_the_same_node_twice() -> None:
    """C1: an id is added once."""
    with pytest.raises(GraphStateException, match="node with id: 'first' already exist!"):
        StateGraph().add_sequence(first, first)


@pytest.mark.parametrize("bad", ["a", 5, ("a", 5), ("a", None)])
def test_an_item_of_another_form(bad: Any) -> None:
    """api: an id alone has no action."""
    with pytest.raises(InvalidRecordError):
        StateGraph().add_sequence(first, bad)


def test_between_what_is_there() -> None:
    """api: a sequence may follow what was added before."""
    graph = StateGraph({"m": APPEND}).add_node("a", appends("a")).add_edge(START, "a").add_edge("a", "b")
    graph.add_sequence(("b", appends("b")), ("c", appends("c"))).add_edge("c", END)
    assert graph.compile().invoke({})["m"] == ["a", "b", "c"]
