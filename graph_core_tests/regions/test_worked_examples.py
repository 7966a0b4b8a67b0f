"""The worked examples of the rules, literally, under every driver."""

from typing import Any

import pytest

from graph_core import APPEND, END, START, CompileConfig, RunnableConfig, Send, StateGraph
from graph_core_tests.drive import drive
from graph_core_tests.regions.orders import all_orders
from graph_core_tests.shapes import (
    RUNNERS,
    Compiled,
    Result,
    Runner,
    State,
    Update,
    appends,
    async_appends,
    graph,
    on,
    says,
    shown,
)

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
each_kind = pytest.mark.parametrize("make", [appends, async_appends], ids=["sync nodes", "async nodes"])


def views(result: Result, node: str) -> list[dict[str, Any]]:
    """The states after each run of a node: what it saw, and its own update."""
    return [shown(output) for output in result.outputs if output.node == node]


def order_of(compiled: Compiled, inputs: dict[str, Any] | None = None) -> list[str]:
    """The nodes in the order in which they start, the first of those that run completing first."""
    return [run.node for run in drive(compiled, inputs or {}).runs]


@each_kind
@each_runner
class TestExample1:
    def build(self, make: Any) -> Compiled:
        """START→A→{B,C}, B→{D,E}, C→E, D→F, E→F, F→END; B, C, D write x."""
        nodes = {name: make(name, x=name) for name in "BCD"}
        return graph(
            "START > A", "A > B, C", "B > D, E", "C > E", "D > F", "E > F", "F > END", make=make, **nodes
        ).compile()  # fmt: skip

    def test_convergence(self, run: Runner, make: Any) -> None:
        """P1: the convergence of A is F, and B is an open fork."""
        compiled = self.build(make)
        assert compiled.edges["__PARALLEL__(A)"].id == "F"
        assert [name for name, _ in run(compiled, {}, None).regions] == ["__PARALLEL__(A)"]

    def test_steps(self, run: Runner, make: Any) -> None:
        """P3, X2: A1; B2 ∥ C2; D3; E3 once, after B and C; F4."""
        steps = run(self.build(make), {}, None).steps
        assert sorted(steps) == [("A", 1), ("B", 2), ("C", 2), ("D", 3), ("E", 3), ("F", 4)]

    def test_views(self, run: Runner, make: Any) -> None:
        """P4: D sees m=[A,B], x=B; E sees [A,B,C], x=C."""
        result = run(self.build(make), {}, None)
        assert views(result, "D") == [{"m": ["A", "B", "D"], "x": "D"}]
        assert views(result, "E") == [{"m": ["A", "B", "C", "E"], "x": "C"}]

    def test_region_and_end(self, run: Runner, make: Any) -> None:
        """P4, P11: the region shows [A,B,D,C,E]; the final state."""
        result = run(self.build(make), {}, None)
        assert result.regions == [("__PARALLEL__(A)", ["A", "B", "D", "C", "E"])]
        assert result.state == {"m": ["A", "B", "D", "C", "E", "F"], "x": "C"}


def test_example_1_d_does_not_wait_for_c() -> None:
    """P2: D runs as soon as B is done; E after B and C."""
    compiled = graph("START > A", "A > B, C", "B > D, E", "C > E", "D > F", "E > F", "F > END").compile()
    assert order_of(compiled) == ["A", "B", "C", "D", "E", "F"]
    started: list[list[str]] = []

    def first(running: Any) -> int:
        started.append([branch.node.id for branch in running])
        return 0

    drive(compiled, {}, first)
    assert started[:2] == [["B", "C"], ["C", "D"]]


def example_2(make: Any = appends) -> Compiled:
    """START→S→A→{B,C}, B→D, C→(S if n<2 else D), D→END; C counts n."""

    def count(state: State) -> Update:
        return {"m": "C", "n": state.get("n", 0) + 1}

    built = graph("START > S", "S > A", "A > B, C", "B > D", "D > END", make=make, C=count)
    return built.add_conditional_edges("C", on(lambda state: "S" if state["n"] < 2 else "D"), ["S", "D"]).compile()


@each_kind
@each_runner
class TestExample2:
    def test_steps(self, run: Runner, make: Any) -> None:
        """P15: S1, A2, B3 ∥ C3, S4, A5, B6 ∥ C6, D7."""
        assert run(example_2(make), {}, None).steps == [
            ("S", 1), ("A", 2), ("B", 3), ("C", 3), ("S", 4), ("A", 5), ("B", 6), ("C", 6), ("D", 7),
        ]  # fmt: skip

    def test_the_way_back(self, run: Runner, make: Any) -> None:
        """P15: the second S sees [S,A,B,C], n=1."""
        assert views(run(example_2(make), {}, None), "S")[1] == {"m": ["S", "A", "B", "C", "S"], "n": 1}

    def test_regions_and_end(self, run: Runner, make: Any) -> None:
        """P11: `__PARALLEL__(A)` twice; the final state."""
        result = run(example_2(make), {}, None)
        assert result.regions == [
            ("__PARALLEL__(A)", ["S", "A", "B", "C"]),
            ("__PARALLEL__(A)", ["S", "A", "B", "C", "S", "A", "B", "C"]),
        ]
        assert result.state == {"m": [*"SABCSABCD"], "n": 2}

    def test_the_limit(self, run: Runner, make: Any) -> None:
        """X2: limit 7 is enough, 6 is not."""
        assert run(example_2(make), {}, RunnableConfig(recursion_limit=7)).error is None
        error = run(example_2(make), {}, RunnableConfig(recursion_limit=6)).failure
        assert (error.code, error.node_id) == ("recursion_limit", "D")


@each_kind
@each_runner
def test_example_3(run: Runner, make: Any) -> None:
    """P1, P15: START→a→multi{b,c,END}, b→a, c→a; [b,c], then [c], then [END]: the convergence of a is a."""
    answers = {1: ["b", "c"], 4: ["c"], 6: [END]}
    built = graph("START > a", "b > a", "c > a", make=make)
    built.add_parallel_conditional_edges("a", on(lambda state: answers[len(state["m"])]), ["b", "c", END])
    compiled = built.compile()
    assert compiled.edges["__PARALLEL__(a)"].id == "a"
    result = run(compiled, {}, None)
    assert result.steps == [("a", 1), ("b", 2), ("c", 2), ("a", 3), ("c", 4), ("a", 5)]
    assert result.state == {"m": ["a", "b", "c", "a", "c", "a"]}
    assert result.regions == [("__PARALLEL__(a)", ["a", "b", "c"]), ("__PARALLEL__(a)", ["a", "b", "c", "a", "c"])]


@each_runner
def test_example_4(run: Runner) -> None:
    """P6: copies of w beside p; only item 2 goes back once; r runs once, and there is no key `item`."""

    def worker(state: State) -> Update:
        return {"m": f"w{state['item']}"}

    def again(state: State) -> str:
        return "w" if state["item"] == 2 and state["m"].count("w2") < 2 else "r"

    built = StateGraph({"m": APPEND}).add_node("w", worker)
    for name in "apqr":
        built.add_node(name, appends(name))
    built.add_edge(START, "a").add_edge("p", "q").add_edge("q", "r").add_edge("r", END)
    built.add_conditional_edges("w", again, ["w", "r"])
    answer = [Send("w", {"item": 1}), "p", Send("w", {"item": 2})]
    compiled = built.add_parallel_conditional_edges("a", says(answer), ["w", "p"], sends=["w"]).compile()
    assert compiled.edges["__PARALLEL__(a)"].id == "r"
    result = run(compiled, {}, None)
    assert result.steps == [("a", 1), ("w", 2), ("p", 2), ("w", 2), ("q", 3), ("w", 3), ("r", 4)]
    assert [view["m"] for view in views(result, "w")] == [["a", "w1"], ["a", "w2"], ["a", "w2", "w2"]]
    assert result.state == {"m": ["a", "w1", "p", "q", "w2", "w2", "r"]}


@each_runner
def test_example_6(run: Runner) -> None:
    """P3: START→a→{b,c}, b→(c or d), c→(b or d), d→END; b to c, c to b, b to d: a, b, c (joined), b, d."""
    built = graph("START > a", "a > b, c", "d > END")
    built.add_conditional_edges("b", on(lambda state: "c" if "c" not in state["m"] else "d"), ["c", "d"])
    built.add_conditional_edges("c", says("b"), ["b", "d"])
    result = run(built.compile(), {}, None)
    assert result.steps == [("a", 1), ("b", 2), ("c", 3), ("b", 4), ("d", 5)]
    assert result.state == {"m": ["a", "b", "c", "b", "d"]}


@each_kind
@each_runner
def test_example_7(run: Runner, make: Any) -> None:
    """P14: START→a→{b,c}, b→(END or d), c→d→e→END, b ends: d sees [a,c]; d and e run inside the region."""
    built = graph("START > a", "a > b, c", "c > d", "d > e", "e > END", make=make)
    result = run(built.add_conditional_edges("b", says(END), [END, "d"]).compile(), {}, None)
    assert views(result, "d") == [{"m": ["a", "c", "d"]}]
    region = next(output for output in result.outputs if output.node == "__PARALLEL__(a)")
    last = next(output for output in result.outputs if output.node == "e")
    assert region.sequence > last.sequence
    assert result.regions == [("__PARALLEL__(a)", ["a", "b", "c", "d", "e"])]
    assert result.state == {"m": ["a", "b", "c", "d", "e"]}


@pytest.mark.parametrize("detect", [False, True])
def test_in_every_order(*, detect: bool) -> None:
    """P4: no completion order changes what examples 1 and 2 give."""
    config = CompileConfig(detect_mutation=detect)
    for trace in all_orders(lambda: example_2(appends), {}):
        assert trace.state == {"m": [*"SABCSABCD"], "n": 2}
    built = graph("START > A", "A > B, C", "B > D, E", "C > E", "D > F", "E > F", "F > END")
    found = [trace.state for trace in all_orders(lambda: built.compile(config), {})]
    assert len(found) > 3
    assert all(state == {"m": ["A", "B", "D", "C", "E", "F"]} for state in found)
