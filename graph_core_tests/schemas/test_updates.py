"""T3: in a graph with a schema an update has declared keys, and values that fit."""

import operator
from decimal import Decimal
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import attrs
import pytest
from returns.pipeline import is_successful

from graph_core import (
    APPEND,
    END,
    MERGE,
    REMOVE,
    START,
    Command,
    CompileConfig,
    KeyStrategy,
    NodeOutput,
    Overwrite,
    RemoveByHash,
    ReplaceAllWith,
    RunnableConfig,
    StateGraph,
)
from graph_core_tests.schemas.kinds import AsDict
from graph_core_tests.shapes import RUNNERS, Result, Runner, failure_of, says

LIST: Any = ReplaceAllWith[int]([1])
ONLY: Any = Overwrite([1])


PLAIN = CompileConfig(detect_mutation=False)


def run_plain(compiled: Any, inputs: Any, config: RunnableConfig | None = None) -> Result:
    """Run without anybody who reads, on the shortest way through the engine."""
    outcome = compiled.try_invoke(inputs, config)
    if is_successful(outcome):
        return Result([NodeOutput(node=END, state=outcome.unwrap(), update={})])
    return Result(error=outcome.failure())


def text(old: Any, new: Any) -> Any:
    """A strategy that gives what does not fit the key."""
    return f"{old}{new}"


RUNS: dict[str, Runner] = {**RUNNERS, "plain": run_plain}
each_runner = pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())


class State(TypedDict):
    """Keys of several types and strategies."""

    n: NotRequired[int]
    x: NotRequired[float]
    maybe: NotRequired[int | None]
    choice: NotRequired[Literal["a", "b"]]
    any: NotRequired[Any]
    price: NotRequired[Decimal]
    log: NotRequired[Annotated[list[int], APPEND]]
    seen: NotRequired[Annotated[dict[str, int], MERGE]]
    total: NotRequired[Annotated[int, operator.add]]
    joined: NotRequired[Annotated[int, text]]


def of(update: Any, schema: Any = State) -> Any:
    """A graph of one node on the main path, and the same node in a branch."""
    built: Any = StateGraph(schema)
    return built.add_node("a", says(update)).add_edge(START, "a").add_edge("a", END).compile(PLAIN)


def region(update: Any, schema: Any = State) -> Any:
    """The same node in a branch that goes on, and in one that arrives."""
    built: Any = StateGraph(schema).add_node("s", says({})).add_node("b", says({})).add_node("c", says({}))
    built.add_node("a", says(update)).add_edge(START, "s").add_edge("s", ["b", "a"]).add_edge("a", "c")
    return built.add_edge(["b", "c"], END).compile(PLAIN)


def arriving(update: Any, schema: Any = State) -> Any:
    """The same node as the last one of a branch."""
    built: Any = StateGraph(schema).add_node("s", says({})).add_node("b", says({}))
    built.add_node("a", says(update)).add_edge(START, "s").add_edge("s", ["b", "a"])
    return built.add_edge(["b", "a"], END).compile(PLAIN)


def routed(update: Any, schema: Any = State) -> Any:
    """The same update by a route."""
    built: Any = StateGraph(schema).add_node("a", says({})).add_edge(START, "a")
    return built.add_conditional_edges("a", says(Command(END, update)), [END]).compile(PLAIN)


WAYS: dict[str, Any] = {"node": of, "branch": region, "arriving": arriving, "route": routed}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())


class TestUnknownKeys:
    @pytest.mark.parametrize("value", [1, REMOVE, Overwrite(1), LIST, RemoveByHash(1), [1]], ids=repr)
    @each_way
    @each_runner
    def test_are_refused(self, way: Any, value: Any, run: Runner) -> None:
        """T3: a key that no schema declares fails the step, with a close match, whatever its value is."""
        failure = run(way({"tota": value}), {}, None).failure
        assert (failure.code, failure.node_id) == ("unknown_key", "a")
        assert "unknown key 'tota': no schema of the graph declares it, did you mean 'total'?" in str(failure)

    def test_in_an_open_graph(self) -> None:
        """T1: without a state schema any key may be there, also beside typed nodes."""

        def a(state: AsDict) -> dict[str, Any]:
            return {"free": 1}

        built: Any = StateGraph().add_node(a).add_edge(START, "a").add_edge("a", END)
        assert built.compile().invoke({"name": "x"})["free"] == 1


class TestTypes:
    @pytest.mark.parametrize(
        ("key", "value", "expected", "actual"),
        [
            ("n", "1", "int", "str '1'"),
            ("n", True, "int", "bool True"),
            ("n", None, "int", "None"),
            ("n", [1], "int", "list"),
            ("x", "1", "float", "str '1'"),
            ("maybe", "1", "int | None", "str '1'"),
            ("choice", 5, "Literal['a', 'b']", "int 5"),
            ("price", 1.5, "Decimal", "float 1.5"),
            ("log", Overwrite(5), "list[int]", "int 5"),
            ("n", Overwrite("1"), "int", "str '1'"),
            ("n", LIST, "int", "list"),
            ("joined", 5, "int", "str '05'"),
        ],
    )
    @each_way
    @each_runner
    def test_that_do_not_fit(  # noqa: PLR0917  (pytest hands all of them over by name)
        self, way: Any, key: str, value: Any, expected: str, actual: str, run: Runner
    ) -> None:
        """T2: a value that does not fit names node, key, expected and actual type, when it is written."""
        compiled = way({key: value})
        compiled.try_invoke({key: 1})  # the key is known then, which is a way of its own
        failure = run(compiled, {}, None).failure
        assert (failure.code, failure.node_id) == ("invalid_value", "a")
        assert str(failure) == f"node 'a': key {key!r}: expected {expected}, not {actual}"

    @pytest.mark.parametrize(
        ("key", "value", "stored"),
        [
            ("n", 1, 1),
            ("x", 1, 1),
            ("x", 1.5, 1.5),
            ("maybe", None, None),
            ("choice", "b", "b"),
            ("any", object, object),
            ("price", Decimal(1), Decimal(1)),
            ("log", 1, [1]),
            ("log", (1, 2), [1, 2]),
            ("log", None, None),
            ("log", ONLY, [1]),
            ("log", LIST, [1]),
            ("seen", {"a": 1}, {"a": 1}),
            ("seen", None, None),
            ("total", 3, 3),
            ("n", REMOVE, None),
        ],
    )
    @each_way
    @each_runner
    def test_that_fit(self, way: Any, key: str, value: Any, stored: Any, run: Runner) -> None:
        """T2: what fits is stored as the strategies say."""
        assert run(way({key: value}), {}, None).state.get(key) == stored

    def test_subclasses(self) -> None:
        """T2: an instance of a subclass fits."""

        class Big(int):
            """A number."""

        assert of({"n": Big(5)}).invoke({})["n"] == 5

    def test_what_a_class_converts(self) -> None:
        """T2: a field whose class converts it takes other types as well."""

        @attrs.frozen
        class Lax:
            n: int = attrs.field(default=0, converter=int)

        def a(state: Lax) -> dict[str, Any]:
            return {"n": str(state.n + 1)}

        built: Any = StateGraph(Lax).add_node(a).add_edge(START, "a").add_edge("a", END)
        assert built.compile().invoke({}).view() == Lax(1)

    def test_many_classes(self) -> None:
        """T2: classes that are made at run time do not fill the memory, and still fit."""
        classes: list[Any] = [type(f"C{number}", (int,), {}) for number in range(100)]

        def a(state: State) -> dict[str, Any]:
            number = state.get("n", -1) + 1
            return {"n": classes[number](number)}

        def again(state: State) -> bool:
            return state.get("n", 0) < len(classes) - 1

        built: Any = StateGraph(State).add_node(a).add_edge(START, "a")
        built.add_conditional_edges("a", again, {True: "a", False: END})
        assert built.compile().invoke({})["n"] == 99

    def test_append_of_a_key_that_is_no_list(self) -> None:
        """T1: where a view makes a list of a key that the state declares otherwise, the step fails."""

        class Other(TypedDict):
            k: Annotated[list[int], APPEND]

        class Plain(TypedDict):
            k: NotRequired[tuple[int, ...]]

        def a(state: dict[str, Any]) -> dict[str, Any]:
            return {"k": 1}

        def b(state: Other) -> dict[str, Any]:
            raise AssertionError

        built: Any = (
            StateGraph(Plain).add_node(a).add_node(b).add_edge(START, "a").add_edge("a", "b").add_edge("b", END)
        )
        failure = failure_of(built.compile(), {})
        assert "key 'k': expected tuple[int, ...], not list" in str(failure)


@pytest.mark.parametrize("strategy", [APPEND, MERGE, operator.add, max, text])
def test_default_strategies(strategy: KeyStrategy) -> None:
    """T2: what the default strategy of the graph gives has to fit, too."""

    class Number(TypedDict):
        n: NotRequired[Literal[5]]

    built: Any = StateGraph(Number, default_strategy=strategy)
    built.add_node("a", says({"n": 5})).add_edge(START, "a").add_edge("a", END)
    outcome = built.compile().try_invoke({})
    fits = strategy in {operator.add, max, MERGE}
    assert outcome.value_or("-") == ({"n": 5} if fits else "-")
