"""`add_node` in all its forms."""

import functools
from typing import Any, cast

import pytest

from graph_core import (
    APPEND,
    END,
    INLINE,
    START,
    Command,
    CommandAction,
    CompileConfig,
    GraphStateException,
    InvalidRecordError,
    MultiCommandAction,
    Node,
    RunnableConfig,
    StateGraph,
)
from graph_core_tests.shapes import Action, State, Update, appends, on, says


def hello(state: State) -> Update:
    """Append a word."""
    return {"m": "hello"}


class Greeter:
    """A callable object."""

    def __call__(self, state: State) -> Update:
        """Append a word."""
        return {"m": "greeting"}

    def method(self, state: State, config: RunnableConfig) -> Update:
        """Append the node's id."""
        return {"m": config.node_id}


def run_alone(graph: StateGraph) -> list[str]:
    """Run the only node of a graph, and give `m`."""
    (name,) = graph.node_ids
    found: list[str] = graph.add_edge(START, name).add_edge(name, END).compile().invoke({})["m"]
    return found


def new() -> StateGraph:
    """Make an empty graph with a list."""
    return StateGraph({"m": APPEND})


class TestForms:
    def test_an_id_and_a_function(self) -> None:
        """api: `add_node(id, callable)`."""
        assert run_alone(new().add_node("a", appends("a"))) == ["a"]

    def test_a_function_gives_its_name(self) -> None:
        """api: a callable alone is added under its `__name__`."""
        graph = new().add_node(hello)
        assert graph.node_ids == ("hello",)
        assert run_alone(graph) == ["hello"]

    def test_a_method_gives_its_name(self) -> None:
        """api: a bound method has the name of its function."""
        assert new().add_node(Greeter().method).node_ids == ("method",)

    def test_a_partial_under_an_id(self) -> None:
        """api: a partial is an action as any; without a `__name__` it needs an id."""
        assert run_alone(new().add_node("p", functools.partial(hello))) == ["hello"]

    def test_a_method_takes_the_config(self) -> None:
        """R2: an action with two parameters gets the config."""
        assert run_alone(new().add_node(Greeter().method)) == ["method"]

    def test_a_callable_object(self) -> None:
        """api: any callable is an action."""
        assert run_alone(new().add_node("a", Greeter())) == ["greeting"]

    def test_an_async_function(self) -> None:
        """X1: an async action runs under a sync verb."""

        async def later(state: State) -> Update:
            return {"m": "later"}

        assert run_alone(new().add_node(later)) == ["later"]

    def test_a_node_alone(self) -> None:
        """api: a `Node` brings its id and the factory of its action."""
        assert run_alone(new().add_node(Node("n", lambda config: appends("n")))) == ["n"]

    def test_a_node_under_its_id(self) -> None:
        """api: a `Node` may be given with its own id."""
        assert run_alone(new().add_node("n", Node("n", lambda config: appends("n")))) == ["n"]

    def test_a_factory_is_called_once_per_compile(self) -> None:
        """api: the factory of a `Node` gets the `CompileConfig`, once per compile."""
        seen: list[CompileConfig] = []

        def factory(config: CompileConfig) -> Action:
            seen.append(config)
            return appends("n")

        graph = new().add_node(Node("n", factory)).add_edge(START, "n").add_edge("n", END)
        config = CompileConfig(name="one")
        compiled = graph.compile(config)
        compiled.invoke({})
        compiled.invoke({})
        assert seen == [config]

    def test_a_node_whose_factory_gives_an_async_action_with_config(self) -> None:
        """R2: what a factory gives is read as any other action."""

        async def act(state: State, config: RunnableConfig) -> Update:
            return {"m": config.node_id}

        assert run_alone(new().add_node(Node("n", lambda config: act))) == ["n"]

    def test_a_node_whose_factory_gives_a_command_action(self) -> None:
        """api: the action of a `Node` may be wrapped."""
        action: Any = CommandAction(appends("n"))
        assert run_alone(new().add_node(Node("n", lambda config: action))) == ["n"]

    def test_a_command_action_with_mappings(self) -> None:
        """R9: a command action with mappings needs no edge."""
        graph = new().add_node("a", CommandAction.of(says(Command("done", {"m": "a"}))), {"done": END})
        assert graph.add_edge(START, "a").compile().invoke({})["m"] == ["a"]

    def test_a_multi_command_action_with_mappings(self) -> None:
        """R9: a multi command action runs all that it names."""
        graph = new().add_node("a", MultiCommandAction.of(says(["x", "y"])), ["x", "y"])
        graph.add_node("x", appends("x")).add_node("y", appends("y")).add_edge(START, "a").add_edge(["x", "y"], END)
        assert graph.compile().invoke({})["m"] == ["x", "y"]

    def test_options(self) -> None:
        """X4: executor and metadata belong to the node."""

        def act(state: State, config: RunnableConfig) -> Update:
            return {"m": config.metadata["colour"]}

        assert run_alone(new().add_node("a", act, executor=INLINE, metadata={"colour": "red"})) == ["red"]

    def test_metadata_of_a_node_record(self) -> None:
        """X4: a `Node` may be added with metadata."""

        def act(state: State, config: RunnableConfig) -> Update:
            return {"m": config.metadata["colour"]}

        assert run_alone(new().add_node(Node("a", lambda config: act), metadata={"colour": "red"})) == ["red"]


class TestFluent:
    def test_every_verb_gives_the_builder(self) -> None:
        """api: the verbs return Self."""
        graph = new()
        assert graph.add_node("a", appends("a")) is graph
        assert graph.add_sequence(("b", appends("b"))) is graph
        assert graph.add_edge(START, "a") is graph
        assert graph.add_conditional_edges("a", says("b"), ["b"]) is graph
        assert graph.add_parallel_conditional_edges("b", says(END), [END]) is graph

    def test_ids_in_order(self) -> None:
        """api: `node_ids` are in the order of addition."""
        graph = new().add_node("z", appends("z")).add_node("a", appends("a"))
        assert graph.node_ids == ("z", "a")


class TestRaisedAtOnce:
    def test_end(self) -> None:
        """C1: END is no node, with Java's text."""
        with pytest.raises(GraphStateException, match="END is not a valid node id!") as caught:
            new().add_node(END, appends("a"))
        assert caught.value.code == "invalid_node_identifier"

    def test_twice(self) -> None:
        """C1: an id is added once."""
        graph = new().add_node("a", appends("a"))
        with pytest.raises(GraphStateException, match="node with id: 'a' already exist!") as caught:
            graph.add_node("a", appends("a"))
        assert (caught.value.code, caught.value.errors[0].place) == ("duplicate_node_error", "node a")

    def test_another_id_than_the_nodes_own(self) -> None:
        """C1: the text names both ids in the right places."""
        with pytest.raises(GraphStateException) as caught:
            new().add_node("given", Node("own", lambda config: hello))
        assert caught.value.code == "node_id_not_match_error"
        text = "node id ('given') specified in add_node doesn't match the id ('own') of the node to be added!"
        assert caught.value.errors[0].message == text

    @pytest.mark.parametrize("option", ["mappings", "destinations"])
    @pytest.mark.parametrize("empty", [{}, [], ()])
    def test_an_empty_mapping(self, option: str, empty: Any) -> None:
        """C1: a mapping without an entry leads nowhere."""
        with pytest.raises(GraphStateException, match="edge mapping is empty!") as caught:
            new().add_node("a", hello, **{option: empty})
        assert caught.value.code == "edge_mapping_is_empty"

    @pytest.mark.parametrize("bad", [None, 5, b"a", ("a",)])
    def test_an_id_that_is_no_text(self, bad: Any) -> None:
        """api: an id is a str; the text shows what was given."""
        with pytest.raises(InvalidRecordError, match="the id of a node must be a str"):
            new().add_node(bad, hello)

    @pytest.mark.parametrize("bad", [None, 5, "b"])
    def test_an_action_that_can_not_be_called(self, bad: Any) -> None:
        """api: the action is a callable; the text names the node."""
        with pytest.raises(InvalidRecordError, match="node 'a': its action must be callable"):
            new().add_node("a", bad)

    def test_an_action_with_too_many_parameters(self) -> None:
        """R2: an action takes the state, or state and config."""

        def three(state: State, config: RunnableConfig, more: int) -> Update:
            return {}

        with pytest.raises(InvalidRecordError, match="node 'a': three must be callable"):
            new().add_node("a", cast("Any", three))

    def test_a_lambda_or_a_partial_has_no_name(self) -> None:
        """api: without an id the action needs a name."""
        with pytest.raises(InvalidRecordError, match="has no name to take the id from"):
            new().add_node(on(lambda state: {}))

    def test_a_node_without_an_action(self) -> None:
        """api: a `Node` without a factory can not run."""
        with pytest.raises(InvalidRecordError, match="node 'a' has no action"):
            new().add_node(Node("a"))

    def test_a_bad_executor(self) -> None:
        """P10: an executor is one of concurrent.futures, or INLINE."""
        bad: Any = "pool"
        with pytest.raises(InvalidRecordError, match=r"node 'a': an executor must be INLINE or a concurrent\.futures"):
            new().add_node("a", hello, executor=bad)

    @pytest.mark.parametrize("bad", ["w", [5]], ids=repr)
    def test_send_targets_that_are_no_list_of_ids(self, bad: Any) -> None:
        """P1: `sends=` is a list of node ids; a text alone is refused, not read letter by letter."""
        with pytest.raises(InvalidRecordError, match="must be a list of node ids"):
            new().add_node("a", hello, ["w"], sends=bad)

    def test_a_mapping_that_is_none(self) -> None:
        """R3: mappings are a dict or a list of ids."""
        bad: Any = "b"
        with pytest.raises(InvalidRecordError, match="mappings must be a dict label → node id or a list"):
            new().add_node("a", hello, bad)


class TestStrategies:
    def test_a_factory(self) -> None:
        """T1: the strategies may come from a factory."""
        assert run_alone(StateGraph(lambda: {"m": APPEND}).add_node(hello)) == ["hello"]

    def test_the_default_strategy(self) -> None:
        """S3: a key without a strategy uses the graph's default."""
        assert run_alone(StateGraph(default_strategy=APPEND).add_node(hello)) == ["hello"]

    @pytest.mark.parametrize(
        ("bad", "text"),
        [
            ([], "the state must be a schema class, a mapping"),
            ({1: APPEND}, "the keys of a state must be str, not 1"),
            ({"m": 5}, "the strategy of key 'm' must be a callable"),
        ],
    )
    def test_bad_strategies(self, bad: Any, text: str) -> None:
        """T1: strategies are key → callable."""
        with pytest.raises(InvalidRecordError, match=text):
            StateGraph(bad)

    def test_a_bad_default(self) -> None:
        """T1: the default strategy is a callable, too."""
        bad: Any = None
        with pytest.raises(InvalidRecordError, match="the strategy of the default must be a callable"):
            StateGraph(default_strategy=bad)


class TestOptions:
    @pytest.mark.parametrize(
        ("option", "text"),
        [
            ({"defer": 5}, "defer must be True or False"),
            ({"metadata": 5}, "metadata must be a mapping"),
            ({"converge_at": ["d"]}, "converge_at must be the id of one node"),
            ({"sends": 5}, "must be a list of node ids"),
        ],
        ids=str,
    )
    def test_of_another_type(self, option: dict[str, Any], text: str) -> None:
        """C1: what can be seen at once is raised at once."""
        with pytest.raises(InvalidRecordError, match=text):
            new().add_node("a", lambda state: {}, **option)

    def test_a_convergence_of_an_edge(self) -> None:
        """P1: it is one id."""
        bad: Any = ["d"]
        with pytest.raises(InvalidRecordError, match="converge_at"):
            new().add_edge("a", ["b", "c"], converge_at=bad)

    def test_sends_of_a_node_without_commands(self) -> None:
        """C2: unknown ids are found there, too."""
        built = new().add_node("a", lambda state: {}, sends=["zz"]).add_edge(START, "a").add_edge("a", END)
        assert [problem.code for problem in built.validate()] == ["unknown_id"]

    def test_a_strategy_that_is_async(self) -> None:
        """S2: strategies are plain calls."""

        async def later(old: object, new: object) -> object:
            return new

        with pytest.raises(InvalidRecordError, match="not async"):
            StateGraph({"k": later})
