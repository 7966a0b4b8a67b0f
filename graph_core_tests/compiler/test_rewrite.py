"""What a compile makes of a graph: `compiled.nodes` and `compiled.edges`."""

from graph_core import (
    END,
    START,
    Command,
    ConditionalParallelNode,
    EdgeCondition,
    MultiCommandAction,
    Node,
    ParallelNode,
    StateGraph,
)
from graph_core_tests.shapes import Compiled, graph, says


def leads(compiled: Compiled, source: str) -> str | None:
    """Where the edge of a source leads, if to one node."""
    return compiled.edges[source].id


class TestFixedForks:
    def test_nodes_and_edges(self) -> None:
        """P: source → `__PARALLEL__(source)` → convergence."""
        compiled = graph("START > a", "a > b, c", "b > d", "c > d", "d > END").compile()
        assert list(compiled.nodes) == ["a", "b", "c", "d", "__PARALLEL__(a)"]
        assert compiled.nodes["__PARALLEL__(a)"] == ParallelNode("a", ["b", "c"], "d")
        assert leads(compiled, "a") == "__PARALLEL__(a)"
        assert leads(compiled, "__PARALLEL__(a)") == "d"
        assert leads(compiled, "b") == leads(compiled, "c") == "d"
        assert leads(compiled, START) == "a"
        assert leads(compiled, "d") == END
        assert END not in compiled.edges

    def test_start(self) -> None:
        """P: START may fork; its parallel node has Java's id."""
        compiled = graph("START > a, b", "a > END", "b > END").compile()
        assert compiled.nodes["__PARALLEL__(__START__)"] == ParallelNode(START, ["a", "b"], END)
        assert leads(compiled, START) == "__PARALLEL__(__START__)"

    def test_every_node_is_what_was_added(self) -> None:
        """api: `nodes` maps ids to `Node` records."""
        compiled = graph("START > a", "a > END").compile()
        assert compiled.nodes["a"] == Node("a")
        assert not compiled.nodes["a"].is_parallel

    def test_nested(self) -> None:
        """P: every fork is rewritten, open ones too."""
        compiled = graph("START > A", "A > B, C", "B > D, E", "C > E", "D > F", "E > F", "F > END").compile()
        assert compiled.nodes["__PARALLEL__(A)"] == ParallelNode("A", ["B", "C"], "F")
        assert compiled.nodes["__PARALLEL__(B)"] == ParallelNode("B", ["D", "E"], "F")
        assert leads(compiled, "B") == "__PARALLEL__(B)"

    def test_a_graph_without_forks_has_no_parallel_node(self) -> None:
        """P: one way out is no fork."""
        compiled = graph("START > a", "a > b", "b > END").compile()
        assert not [node for node in compiled.nodes.values() if node.is_parallel]


class TestConditionalForks:
    def test_a_multi_route(self) -> None:
        """P: a multi route becomes a `ConditionalParallelNode`."""
        condition = EdgeCondition.multi(says(["b"]), ["b", "c"])
        compiled = graph("START > a", "b > END", "c > END").add_parallel_conditional_edges("a", condition).compile()
        node = compiled.nodes["__PARALLEL__(a)"]
        assert node == ConditionalParallelNode("a", [condition], [], END)
        assert node.is_parallel

    def test_a_mix(self) -> None:
        """P, R8: conditions in their order, and the fixed targets."""
        one, two = EdgeCondition.single(says("b"), ["b", END]), EdgeCondition.multi(says(["b"]), ["b", "c"])
        built = graph("START > a", "b > END", "c > END", "d > END").add_conditional_edges("a", one, name="one")
        built.add_edge("a", "d").add_parallel_conditional_edges("a", two, name="two")
        node = built.compile().nodes["__PARALLEL__(a)"]
        assert isinstance(node, ConditionalParallelNode)
        assert [condition.name for condition in node.conditions] == ["one", "two"]
        assert node.static_targets == ("d",)
        assert node.convergence_id == END

    def test_a_node_that_returns_commands(self) -> None:
        """P, R9: its declared targets are those of a condition."""
        built = graph("b > END", "c > END").add_node("a", MultiCommandAction(says(["b"])), ["b", "c"])
        compiled = built.add_edge(START, "a").compile()
        node = compiled.nodes["__PARALLEL__(a)"]
        assert isinstance(node, ConditionalParallelNode)
        assert dict(node.conditions[0].mappings or {}) == {"b": "b", "c": "c"}
        assert node.conditions[0].is_multi_command
        assert leads(compiled, "a") == "__PARALLEL__(a)"

    def test_a_node_that_may_return_commands_beside_a_fork(self) -> None:
        """P, R9: fixed targets and commands of one node are one fork."""
        built = graph("b > END", "c > END", "d > END").add_node("a", says({}), destinations=["d"])
        compiled = built.add_edge(START, "a").add_edge("a", ["b", "c"]).compile()
        node = compiled.nodes["__PARALLEL__(a)"]
        assert isinstance(node, ConditionalParallelNode)
        assert node.static_targets == ("b", "c")


class TestSinglePaths:
    def test_a_condition(self) -> None:
        """api: the edge of a condition holds it."""
        condition = EdgeCondition.single(
            says("b"),
            {"b": "b", "stop": END},
        )
        compiled = graph("START > a", "b > END").add_conditional_edges("a", condition).compile()
        value = compiled.edges["a"]
        assert value.id is None
        assert value.target_ids == ("b", END)

    def test_a_command_node(self) -> None:
        """R9: the edge of a node that returns a `Command` shows its targets."""

        def act(state: object) -> Command:
            return Command("x")

        compiled = StateGraph().add_node("a", act, {"x": END}).add_edge(START, "a").compile()
        value = compiled.edges["a"].value
        assert value is not None
        assert dict(value.mappings or {}) == {"x": END}
        assert not value.is_multi_command
