"""The rules of states and strategies, seen from a run."""

import operator
import re
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from graph_core import (
    APPEND,
    END,
    MERGE,
    REMOVE,
    REPLACE,
    START,
    Command,
    CompileConfig,
    CompiledGraph,
    GraphRunnerException,
    InvalidRecordError,
    KeyStrategy,
    MultiCommand,
    OverAllState,
    Overwrite,
    RunnableConfig,
    StateGraph,
    StateMergeError,
)

State: TypeAlias = OverAllState
Action: TypeAlias = Callable[..., Any]
Compiled: TypeAlias = CompiledGraph[Any, Any, Any, Any]


def chain(*actions: Action, default: KeyStrategy = REPLACE, **strategies: KeyStrategy) -> Compiled:
    """START → n1 → n2 → … → END."""
    graph = StateGraph(strategies, default_strategy=default)
    names = [f"n{number}" for number, _ in enumerate(actions, 1)]
    for name, action in zip(names, actions, strict=True):
        graph.add_node(name, action)
    for source, target in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(source, target)
    return graph.compile(CompileConfig(detect_mutation=True))


def giving(update: Any) -> Action:
    """A node that returns this."""

    def node(_: State) -> Any:
        return update

    return node


def failure(compiled: Compiled, inputs: dict[str, Any] | None = None) -> GraphRunnerException:
    """The error that a run ends with."""
    with pytest.raises(GraphRunnerException) as caught:
        compiled.invoke(inputs or {})
    return caught.value


CHANGES: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "list": ([1], lambda value: value.append(2)),
    "dict": ({"a": 1}, lambda value: value.update(b=2)),
    "set": ({1}, lambda value: value.add(2)),
    "inner list": ({"a": [1]}, lambda value: value["a"].append(2)),
    "inner dict": ([{"a": 1}], lambda value: value[0].clear()),
    "in a tuple": (([1],), lambda value: value[0].pop()),
    "an element": ([1], lambda value: value.__setitem__(0, 2)),
    "order": ({"a": 1, "b": 2}, lambda value: value.update(a=value.pop("a"))),
}


class TestState:
    def test_a_node_gets_an_immutable_state(self) -> None:
        """S1: a node can not write to its state."""

        def node(state: Any) -> Any:
            state["a"] = 2

        error = failure(chain(node), {"a": 1})
        assert (error.node_id, type(error.__cause__)) == ("n1", TypeError)

    def test_a_run_gives_a_new_state(self) -> None:
        """S1: the state that a run gives is a state, and the inputs are as they were."""
        inputs = {"m": ["a"]}
        final = chain(giving({"m": "b"}), m=APPEND).invoke(inputs)
        assert (type(final), dict(final), inputs) == (OverAllState, {"m": ["a", "b"]}, {"m": ["a"]})


class TestStrategies:
    def test_inputs_are_merged(self) -> None:
        """S2: the inputs pass through the strategies like any update, with `None` as the old value."""
        calls: list[tuple[Any, Any]] = []

        def strategy(old: Any, new: Any) -> Any:
            calls.append((old, new))
            return new

        chain(giving({"k": 2}), k=strategy).invoke({"k": 1})
        assert calls == [(None, 1), (1, 2)]

    def test_the_default_strategy(self) -> None:
        """S3: a key without a strategy uses the graph's default strategy."""
        compiled = chain(giving({"a": 2, "b": 2}), default=APPEND, b=operator.add)
        assert compiled.invoke({"a": 1, "b": 1}) == {"a": [1, 2], "b": 3}

    def test_replace_is_the_default(self) -> None:
        """S3: without a default of the graph it is REPLACE, for `input` as for any key."""
        assert chain(giving({"input": 2})).invoke({"input": 1}) == {"input": 2}

    def test_input_has_its_own_strategy(self) -> None:
        """S3: `input` is an ordinary key."""
        assert chain(giving({"input": 2}), input=APPEND).invoke({"input": 1}) == {"input": [1, 2]}

    def test_a_failing_strategy_names_key_and_node(self) -> None:
        """S8: a strategy that raises fails the step, naming key and node."""
        error = failure(chain(giving({}), giving({"k": "x"}), k=operator.add), {"k": 1})
        assert (error.node_id, error.code) == ("n2", "key_strategy_failed")
        assert "node 'n2': key 'k': its strategy add raised TypeError" in str(error)
        assert isinstance(error.__cause__, TypeError)

    def test_incompatible_types_name_key_node_and_types(self) -> None:
        """S7: values of different types fail the step."""
        error = failure(chain(giving({"k": "x"}), k=MERGE), {"k": 1})
        assert re.search("node 'n1': key 'k': .*incompatible types int and str", str(error))


class TestRemove:
    def test_from_a_node(self) -> None:
        """S4: `REMOVE` deletes the key, from any node."""
        assert chain(giving({"k": REMOVE}), k=APPEND).invoke({"k": 1, "other": 2}) == {"other": 2}

    def test_from_the_inputs(self) -> None:
        """S4: from the inputs, too."""
        assert chain(giving({})).invoke({"k": REMOVE}) == {}

    def test_from_a_router(self) -> None:
        """S4: from the command of a router."""
        graph = StateGraph({"k": APPEND}).add_node("n", giving({})).add_edge(START, "n")
        graph.add_conditional_edges("n", giving(Command("end", {"k": REMOVE})), {"end": END})
        assert graph.compile().invoke({"k": 1}) == {}

    def test_from_a_multi_route(self) -> None:
        """S4: from the command of a multi route; the branches do not see the key."""
        seen: list[bool] = []

        def node(state: State) -> Any:
            seen.append("k" in state)
            return {}

        graph = StateGraph({"k": APPEND}).add_node("n", node).add_edge("n", END)
        graph.add_parallel_conditional_edges(START, giving(MultiCommand(["n"], {"k": REMOVE})), ["n"])
        assert (dict(graph.compile().invoke({"k": 1})), seen) == ({}, [False])

    def test_from_a_branch(self) -> None:
        """S4: from one of several branches (in Java it gets lost)."""
        graph = StateGraph({"k": APPEND}).add_node("a", giving({"k": REMOVE})).add_node("b", giving({"x": 1}))
        graph.add_edge(START, ["a", "b"]).add_edge(["a", "b"], END)
        assert graph.compile().invoke({"k": 1}) == {"x": 1}

    def test_misplaced(self) -> None:
        """S4: nested anywhere else it fails the step, naming node and key."""
        error = failure(chain(giving({"k": [REMOVE]})))
        assert (error.node_id, error.code) == ("n1", "misplaced_marker")
        assert "node 'n1': key 'k': REMOVE stands inside a value" in str(error)

    def test_overwrite(self) -> None:
        """S4: `Overwrite` replaces, from a node as from the inputs."""
        assert chain(giving({"k": Overwrite([3])}), k=APPEND).invoke({"k": Overwrite([1, 2])}) == {"k": [3]}


class TestNone:
    @pytest.mark.parametrize("strategy", [APPEND, MERGE], ids=repr)
    def test_append_and_merge(self, strategy: KeyStrategy) -> None:
        """S5: `None` keeps the old value and leaves an absent key absent, on all paths."""
        assert chain(giving({"k": None}), giving({"z": None}), k=strategy, z=strategy).invoke({"k": None}) == {}

    @pytest.mark.parametrize("strategy", [APPEND, MERGE], ids=repr)
    def test_branches_and_routes(self, strategy: KeyStrategy) -> None:
        """S5: from a branch, a router and a multi route it is the same rule."""
        graph = StateGraph({"k": strategy, "z": strategy}).add_node("a", giving({"k": None})).add_node("b", giving({}))
        graph.add_parallel_conditional_edges(
            START, giving(MultiCommand(["a", "b"], {"k": None, "z": None})), ["a", "b"]
        )
        graph.add_node("c", giving({})).add_edge(["a", "b"], "c")
        graph.add_conditional_edges("c", giving(Command("end", {"k": None, "z": None})), {"end": END})
        assert graph.compile().invoke({"k": {"x": 1}}) == {"k": strategy(None, {"x": 1})}

    def test_replace(self) -> None:
        """S5: REPLACE stores `None`, from a node as from the inputs."""
        assert chain(giving({"k": None})).invoke({"k": 1, "z": None}) == {"k": None, "z": None}


class TestUpdates:
    @pytest.mark.parametrize("result", [None, 5, "text", [("a", 1)], {"a"}], ids=repr)
    def test_what_is_no_mapping(self, result: Any) -> None:
        """S9: anything but a mapping is an error that names the node (in Java a `null` ends the run silently)."""
        error = failure(chain(giving({}), giving(result)))
        assert (error.node_id, error.code) == ("n2", "invalid_update")
        assert f"node 'n2' returned {result!r}, which is no update" in str(error)

    def test_the_text_says_that_empty_is_fine(self) -> None:
        """S9: an empty mapping is fine; the error text says so."""
        assert "(an empty one is fine)" in str(failure(chain(giving(None))))
        assert chain(giving({})).invoke({"a": 1}) == {"a": 1}

    def test_keys_are_str(self) -> None:
        """S9: a key that is no `str` is an error that names the node."""
        error = failure(chain(giving({1: 2})))
        assert (error.node_id, error.code) == ("n1", "invalid_update")
        assert "keys of an update must be str, but 1 is int" in str(error)

    def test_keys_of_a_routers_update_are_str(self) -> None:
        """S9: the same for the update of a command."""
        graph = StateGraph().add_node("n", giving({})).add_edge(START, "n")
        wrong: Any = {1: 2}
        graph.add_conditional_edges("n", giving(Command("end", wrong)), {"end": END})
        assert failure(graph.compile()).code == "invalid_update"

    def test_annotated_as_none(self) -> None:
        """S9: a node annotated `-> None` may return `None`."""

        def node(state: State) -> None:
            """Return nothing."""

        async def later(state: State) -> None:
            """Return nothing."""

        assert chain(node, later).invoke({"a": 1}) == {"a": 1}

    def test_annotated_as_none_in_a_text(self) -> None:
        """S9: also where annotations are texts."""

        def node(state: State) -> "None":
            """Return nothing."""

        assert chain(node).invoke({"a": 1}) == {"a": 1}

    def test_annotated_otherwise(self) -> None:
        """S9: a node annotated with anything else may not."""

        def node(state: State) -> dict[str, Any] | None:
            return None

        assert failure(chain(node)).code == "invalid_update"

    @pytest.mark.parametrize("inputs", [5, [("a", 1)]], ids=repr)
    def test_inputs(self, inputs: Any) -> None:
        """S9: the inputs of a run are a mapping, too."""
        with pytest.raises((GraphRunnerException, InvalidRecordError, StateMergeError), match="mapping with str keys"):
            chain(giving({})).invoke(inputs)


class TestSharing:
    def test_values_are_shared(self) -> None:
        """S10: values are shared, not copied."""
        value = {"a": [1]}
        graph = StateGraph().add_node("n", giving({"k": value})).add_edge(START, "n").add_edge("n", END)
        assert graph.compile(CompileConfig(detect_mutation=False)).invoke({})["k"] is value

    @pytest.mark.parametrize(("value", "change"), CHANGES.values(), ids=CHANGES.keys())
    def test_a_change_in_place_is_found(self, value: Any, change: Callable[[Any], object]) -> None:
        """S10: `detect_mutation=True` fails the step of a node that changes a value, naming node and key."""

        def node(state: State) -> Any:
            change(state["k"])
            return {}

        error = failure(chain(giving({}), node), {"other": [0], "k": value})
        assert (error.node_id, error.code) == ("n2", "mutated_state")
        assert "node 'n2' changed the value of key 'k' in place" in str(error)

    def test_a_change_in_place_does_not_reach_the_inputs(self) -> None:
        """S10: what a node was caught changing was its own copy."""

        def node(state: State) -> Any:
            state["k"].append(2)
            return {}

        value = [1]
        failure(chain(node), {"k": value})
        assert value == [1]

    def test_reading_is_no_change(self) -> None:
        """S10: a node that only reads, or returns a new value, is fine."""

        def node(state: State, config: RunnableConfig) -> Any:
            return {"k": [*state["k"], len(state["d"])]}

        assert chain(node).invoke({"k": [1], "d": {"a": {1}}}) == {"k": [1, 1], "d": {"a": {1}}}
