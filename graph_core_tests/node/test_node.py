"""Nodes of a definition, and the two kinds that the compiler makes of forks."""

import re
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import (
    END,
    START,
    CommandAction,
    ConditionalParallelNode,
    EdgeCondition,
    GraphStateException,
    InvalidRecordError,
    Node,
    ParallelNode,
    StateGraph,
)
from graph_core.node import parallel_node_id
from graph_core_tests.travel import travelled

CONDITION = EdgeCondition(CommandAction(len), {0: "c"})


def factory(config: Any) -> Any:
    """Make an action."""

    def action(_: Any) -> dict[str, str]:
        return {"made": type(config).__name__}

    return action


class TestNode:
    def test_id_and_factory(self) -> None:
        """C1: a node is an id and a factory of its action."""
        node = Node("a", factory)
        assert (node.id, node.action_factory, node.is_parallel) == ("a", factory, False)

    def test_equality(self) -> None:
        """C1: nodes are equal if their ids are, as in Java."""
        assert Node("a", factory) == Node("a") != Node("b")
        assert len({Node("a", factory), Node("a"), Node("b")}) == 2

    def test_new_id(self) -> None:
        """C3: the node of a child gets another id, and keeps its factory."""
        node = Node("a", factory).with_id_updated(lambda id_: f"sub-{id_}")
        assert (node.id, node.action_factory) == ("sub-a", factory)

    @pytest.mark.parametrize("id_", [None, 5, ["a"]], ids=repr)
    def test_ids(self, id_: Any) -> None:
        """E1: an id is a `str`."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"the id of a node must be a str, not {id_!r}")):
            Node(id_)

    def test_factories(self) -> None:
        """C1: a factory is a callable; the error names the node."""
        wrong: Any = {"x": 1}
        with pytest.raises(
            InvalidRecordError, match=re.escape("node 'a': the action factory must be callable, not {'x': 1}")
        ):
            Node("a", wrong)

    def test_it_never_changes(self) -> None:
        """C5: a node can not be changed."""
        node: Any = Node("a")
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            node.id = "b"

    @given(st.text())
    def test_travel(self, id_: str) -> None:
        """E1: a node survives a pickle and copies."""
        assert (Node(id_), Node(id_), Node(id_)) == travelled(Node(id_))


class TestInAGraph:
    def test_the_factory_is_called_once_per_compile(self) -> None:
        """C5: each compile makes its own action, from its own config."""
        configs: list[Any] = []

        def counted(config: Any) -> Any:
            configs.append(config)
            return factory(config)

        graph = StateGraph().add_node(Node("a", counted)).add_edge(START, "a").add_edge("a", END)
        first, second = graph.compile(), graph.compile()
        made = [dict(compiled.invoke({})) for compiled in (first, first, second)]
        assert (made, len(configs)) == ([{"made": "CompileConfig"}] * 3, 2)

    def test_another_id(self) -> None:
        """C1: a node that is added under another id is a problem, with Java's code."""
        with pytest.raises(GraphStateException, match=re.escape("node id ('b') specified")) as caught:
            StateGraph().add_node("b", Node("a", factory))
        assert caught.value.code == "node_id_not_match_error"

    def test_without_a_factory(self) -> None:
        """C1: a node without a factory has nothing to run."""
        with pytest.raises(InvalidRecordError, match="node 'a' has no action"):
            StateGraph().add_node(Node("a"))


class TestForks:
    def test_parallel_node(self) -> None:
        """P1: a fork with fixed targets has the id `__PARALLEL__(source)` and a convergence."""
        node = ParallelNode("a", ["b", "c"], "d")
        assert (node.id, node.targets, node.convergence_id) == ("__PARALLEL__(a)", ("b", "c"), "d")
        assert node.is_parallel is True

    def test_conditional_parallel_node(self) -> None:
        """P1: a fork whose targets are chosen has its conditions, and the fixed targets besides."""
        node = ConditionalParallelNode("a", [CONDITION], ["b"], END)
        assert (node.id, node.conditions, node.static_targets) == ("__PARALLEL__(a)", (CONDITION,), ("b",))
        assert (node.convergence_id, node.is_parallel) == (END, True)

    def test_the_id(self) -> None:
        """P1: the id names the source, nested ones too."""
        assert parallel_node_id(parallel_node_id("a")) == "__PARALLEL__(__PARALLEL__(a))"

    @pytest.mark.parametrize(
        "node",
        [ParallelNode("a", ["b", "c"], "d"), ConditionalParallelNode("a", [CONDITION], ["b"], "d")],
        ids=["fixed", "conditional"],
    )
    def test_travel(self, node: Any) -> None:
        """E1: they survive a pickle and copies."""
        assert (node, node, node) == travelled(node)
