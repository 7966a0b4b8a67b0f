"""P5: two branches that set one key without having seen each other."""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from graph_core import (
    APPEND,
    END,
    MERGE,
    REMOVE,
    REPLACE,
    Command,
    CompileConfig,
    GraphRunnerException,
    MultiCommand,
    Overwrite,
    RemoveByHash,
    ReplaceAllWith,
    RunnableConfig,
    Send,
    StateGraph,
)
from graph_core_tests.control.ways import ANY, FORK, NESTED, Way, each_way
from graph_core_tests.drive import drive
from graph_core_tests.regions.orders import all_orders
from graph_core_tests.shapes import State, Update, appends, graph, says

CHECKED = CompileConfig(on_conflict="error")
STRATEGIES: Mapping[str, Any] = {"m": APPEND, "list": APPEND, "map": MERGE, "sum": operator.add, "plain": REPLACE}


REPLACED: ReplaceAllWith[int] = ReplaceAllWith([5])
LOSING: Sequence[tuple[str, Any, Any]] = [
    ("list", 1, REMOVE),
    ("list", REMOVE, 1),
    ("list", Overwrite([5]), 1),
    ("list", 1, REPLACED),
    ("map", {"a": 1}, Overwrite({"b": 2})),
    ("map", REMOVE, {"a": 1}),
    ("sum", 1, Overwrite(7)),
    ("sum", REMOVE, REMOVE),
    ("plain", 1, 2),
    ("plain", None, None),
    ("undeclared", 1, 2),
]
"""Key, and two values of which one would be lost."""


def writes(*edges: str, config: CompileConfig = CHECKED, **values: Any) -> Any:
    """Drive the graph of edges, whose nodes write to `x` what is given; gives `x`, or the error's text."""
    nodes: dict[str, Any] = {name: appends(name, x=value) for name, value in values.items()}
    trace = drive(graph(*edges, **nodes).compile(config), {"x": "before"})
    assert trace.live == 0
    return str(trace.error) if trace.state is None else trace.state["x"]


def named(first: str, second: str, key: str = "x") -> str:
    """The beginning of the error's text."""
    return f"key {key!r} is written by {first} and by {second} in parallel, and one value would be lost"


class TestLast:
    def test_it_is_the_default(self) -> None:
        """P5: without the setting the last in branch order wins."""
        assert writes(*FORK, config=CompileConfig(), b=1, c=2) == 2

    def test_whichever_was_first(self) -> None:
        """P4, P5: time does not matter."""

        def build() -> Any:
            return graph(*FORK, b=appends("b", x=1), c=appends("c", x=2)).compile()

        traces = list(all_orders(build, {}))
        assert [trace.state for trace in traces] == [{"m": ["a", "b", "c", "d"], "x": 2}] * len(traces)
        assert len(traces) == 2

    @pytest.mark.parametrize("bad", ["first", None, True], ids=str)
    def test_other_settings(self, bad: Any) -> None:
        """P5: there are two choices."""
        with pytest.raises(ValueError, match=r"on_conflict must be one of \['last', 'error'\]"):
            CompileConfig(on_conflict=bad)


class TestError:
    @each_way
    def test_key_and_both_nodes(self, way: Way) -> None:
        """P5: under every verb, with the second node as the failing one."""
        compiled = graph(*FORK, b=appends("b", x=1), c=appends("c", x=2)).compile(CHECKED)
        error = way(compiled, RunnableConfig()).failure
        assert (error.code, error.node_id) == ("conflict", "c")
        assert named("'b'", "'c'") in str(error)
        assert "give the key a strategy that keeps both, or compile with on_conflict='last'" in str(error)

    def test_in_every_order(self) -> None:
        """P5: the nodes are named in branch order."""

        def build() -> Any:
            return graph(*FORK, b=appends("b", x=1), c=appends("c", x=2)).compile(CHECKED)

        texts = {str(trace.error).split(";")[0] for trace in all_orders(build, {})}
        assert texts == {named("'b'", "'c'")}

    def test_equal_values(self) -> None:
        """P5: equal values conflict, too."""
        assert named("'b'", "'c'") in writes(*FORK, b=1, c=1)

    def test_one_writer(self) -> None:
        """P5: one is no conflict, whatever the state held."""
        assert writes(*FORK, b=1) == 1

    def test_the_first_pair_is_named(self) -> None:
        """P5: of three the first two that meet."""
        edges = ("START > a", "a > b, c, e", "b > d", "c > d", "e > d", "d > END")
        assert named("'b'", "'e'") in writes(*edges, b=1, e=2)

    def test_at_an_inner_join(self) -> None:
        """P5: the join inside the region, not only the convergence."""
        edges = ("START > a", "a > b, c, e", "b > j", "c > j", "j > d", "e > d", "d > END")
        nodes: dict[str, Any] = {"b": appends("b", x=1), "c": appends("c", x=2)}
        trace = drive(graph(*edges, **nodes).compile(CHECKED), {})
        assert isinstance(trace.error, GraphRunnerException)
        assert trace.error.code == "conflict"
        assert "j" not in [run.node for run in trace.runs]

    def test_between_a_region_and_its_sibling(self) -> None:
        """P5: a node of an inner region is named itself."""
        assert named("'y'", "'c'") in writes(*NESTED, y=1, c=2)

    def test_inside_an_inner_region(self) -> None:
        """P5: found where the inner one ends."""
        assert named("'x'", "'y'") in writes(*NESTED, x=1, y=2)

    def test_where_some_leave_backwards(self) -> None:
        """P5, P15: what leaves is merged as well."""
        built = graph("START > a", "a > b, c", "b > d", "d > END", b=appends("b", x=1), c=appends("c", x=2))
        built.add_conditional_edges("c", says("a"), ["a", "d"])
        assert named("'b'", "'c'") in str(drive(built.compile(CHECKED), {}).error)

    def test_of_losers_nothing_is_compared(self) -> None:
        """P5, P7: what leaves nothing in the state is in no conflict."""
        compiled = graph(*FORK, b=appends("b", x=1), c=appends("c", x=2)).compile(CHECKED)
        assert drive(compiled, {}, lambda running: len(running) - 1, ANY).state == {"m": ["a", "c", "d"], "x": 2}


class TestOrdered:
    def test_before_the_fork(self) -> None:
        """P5: the fork's source ran before its branches."""
        assert writes(*FORK, a=0, b=1) == 1

    def test_behind_it(self) -> None:
        """P5: the convergence ran after them."""
        assert writes(*FORK, b=1, d=2) == 2

    def test_in_one_branch(self) -> None:
        """P5: one after the other."""
        edges = ("START > a", "a > b, c", "b > b2", "b2 > d", "c > d", "d > END")
        assert writes(*edges, b=1, b2=2) == 2

    def test_in_a_loop(self) -> None:
        """P5: a node that runs twice in one branch."""
        built = graph("START > a", "a > b, c", "c > d", "d > END", b=appends("b", x=1))
        built.add_conditional_edges("b", lambda state: "b" if state["m"].count("b") < 3 else "d", ["b", "d"])
        assert drive(built.compile(CHECKED), {}).state == {"m": ["a", "b", "b", "b", "c", "d"], "x": 1}

    def test_around_an_inner_region(self) -> None:
        """P5: the inner fork's source and convergence have seen all of it."""
        assert writes(*NESTED, b=1, x=2, z=3) == 3

    def test_before_an_open_fork(self) -> None:
        """P5, P14: what both branches of an open fork hold is before each of them; they conflict with each other."""
        edges = ("START > a", "a > b, c", "b > x, y", "c > y", "x > d", "y > d", "d > END")
        assert writes(*edges, b=1, x=2) == 2
        assert writes(*edges, b=1, y=2) == 2
        assert writes(*edges, c=1, y=2) == 2
        assert named("'x'", "'y'") in writes(*edges, b=1, x=2, y=3)
        assert named("'x'", "'c'") in writes(*edges, c=1, x=2)

    def test_behind_a_join(self) -> None:
        """P5: the joined node has seen all that came to it."""
        edges = ("START > a", "a > b, c, e", "b > j", "c > j", "j > d", "e > d", "d > END")
        assert writes(*edges, b=1, j=2) == 2
        assert named("'j'", "'e'") in writes(*edges, j=1, e=2)

    def test_a_route_before_its_branches(self) -> None:
        """P5, R6: a multi route's update is before what its branches write."""
        built = graph("START > a", "b > d", "c > d", "d > END", b=appends("b", x=1))
        built.add_parallel_conditional_edges("a", says(MultiCommand(["b", "c"], {"x": 0})), ["b", "c"])
        assert (drive(built.compile(CHECKED), {}).state or {})["x"] == 1


class TestRoutes:
    def test_a_router_counts_as_its_source(self) -> None:
        """P5, R6: what a router in a branch writes is an update of that branch."""
        built = graph("START > a", "a > b, c", "c > d", "d > END", c=appends("c", x=1))
        built.add_conditional_edges("b", says(Command("d", {"x": 2})), ["d"])
        assert named("'b'", "'c'") in str(drive(built.compile(CHECKED), {}).error)


class TestSends:
    def build(self, *targets: Any) -> StateGraph:
        """Build a fork of Sends to w and plain targets, all of which write x."""

        def act(state: State) -> Update:
            return {"x": state["item"]} if state["item"] else {}

        built = StateGraph({"m": APPEND}).add_node("w", act).add_node("p", appends("p", x=5))
        built.add_node("d", appends("d")).add_edge(["w", "p"], "d").add_edge("d", END)
        return built.add_parallel_conditional_edges("__START__", says(list(targets)), ["w", "p"], sends=["w"])

    def test_copies_are_named_with_their_index(self) -> None:
        """P5: two copies of one node."""
        built = self.build(Send("w", {"item": 0}), Send("w", {"item": 1}), Send("w", {"item": 2}))
        assert named("'w' (Send 1)", "'w' (Send 2)") in str(drive(built.compile(CHECKED), {}).error)

    def test_a_copy_and_a_plain_branch(self) -> None:
        """P5: the plain one has no index."""
        built = self.build(Send("w", {"item": 1}), "p")
        assert named("'w' (Send 0)", "'p'") in str(drive(built.compile(CHECKED), {}).error)

    def test_the_payload_is_no_update(self) -> None:
        """P5, P6: what is laid over the state is never merged."""
        built = self.build(Send("w", {"item": 0, "x": 1}), Send("w", {"item": 0, "x": 2}))
        assert drive(built.compile(CHECKED), {}).state == {"m": ["d"]}

    def test_inside_a_copy(self) -> None:
        """P5: the index tells which copy, also behind its first node."""
        built = StateGraph({"m": APPEND}).add_node("w", lambda _: {}).add_node("v", appends("v", x=1))
        built.add_node("d", appends("d")).add_edge("w", "v").add_edge("v", "d").add_edge("d", END)
        sends = says([Send("w", {}), Send("w", {})])
        built.add_parallel_conditional_edges("__START__", sends, ["w"], converge_at="d")
        assert named("'v' (Send 0)", "'v' (Send 1)") in str(drive(built.compile(CHECKED), {}).error)


class TestStrategies:
    @pytest.mark.parametrize(
        ("key", "first", "second", "merged"),
        [
            ("list", 1, 2, [0, 1, 2]),
            ("list", 1, RemoveByHash(0), [1]),
            ("map", {"a": 1}, {"a": 2}, {"k": 0, "a": 2}),
            ("map", {"a": 1}, {"k": REMOVE}, {"a": 1}),
            ("sum", 1, 2, 3),
        ],
        ids=str,
    )
    def test_what_keeps_both(self, key: str, first: Any, second: Any, merged: Any) -> None:
        """P5: other strategies are no conflict."""
        assert self.drive(key, first, second) == merged

    @pytest.mark.parametrize(
        ("key", "first", "second"),
        LOSING,
        ids=str,
    )
    def test_what_loses_one(self, key: str, first: Any, second: Any) -> None:
        """P5: REPLACE, declared or by default, and `REMOVE` or `Overwrite` under every strategy."""
        assert named("'b'", "'c'", key) in self.drive(key, first, second)

    def drive(self, key: str, first: Any, second: Any) -> Any:
        """Write both values in parallel; gives the merged one, or the error's text."""
        start = {"list": [0], "map": {"k": 0}, "sum": 0}
        nodes: dict[str, Any] = {"b": says({key: first}), "c": says({key: second})}
        trace = drive(graph(*FORK, strategies=STRATEGIES, **nodes).compile(CHECKED), start)
        return str(trace.error) if trace.state is None else trace.state[key]
