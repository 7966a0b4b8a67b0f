"""T2: a returned instance updates the fields that differ from what the node got."""

import functools
import operator
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

import attrs
import pytest

from graph_core import (
    APPEND,
    END,
    MERGE,
    START,
    Command,
    MultiCommand,
    Overwrite,
    RunnableConfig,
    StateGraph,
    StreamMode,
)
from graph_core_tests.schemas.kinds import AsAttrs, AsDataclass, AsDict, AsModel, each_record, each_runner
from graph_core_tests.shapes import RUNNERS, Runner, failure_of, says


def typed(schema: Any, change: Callable[[Any], Any], *, is_async: bool = False) -> Callable[..., Any]:
    """Make a node that gets an instance of a class."""

    def act(state: Any) -> Any:
        return change(state)

    async def act_async(state: Any) -> Any:
        return change(state)

    made = act_async if is_async else act
    made.__annotations__["state"] = schema
    return made


def of(node: Any, schema: Any, **options: Any) -> Any:
    """A graph of one node."""
    built: Any = StateGraph(schema)
    return built.add_node("a", node, **options).add_edge(START, "a").add_edge("a", END).compile()


def changed(state: Any, **fields: Any) -> Any:
    """Give another instance of the class with some fields changed."""
    values = {name: getattr(state, name) for name in ("name", "n", "log", "total")}
    return type(state)(**{**values, **fields})


def itself(state: Any) -> Any:
    """Change nothing."""
    return state


def logged(name: str, state: Any) -> Any:
    """Add a name to the log, and count."""
    return changed(state, log=[*state.log, name], total=state.total + 1)


class TestReturned:
    @pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
    @each_record
    @each_runner
    def test_updates_what_differs(self, schema: Any, is_async: Any, run: Runner) -> None:
        """T2: fields that are as they were are no update; the others become what the instance says."""
        node = typed(schema, lambda s: changed(s, n=s.n + 1, log=[*s.log, "b"], total=9), is_async=is_async)
        result = run(of(node, schema), {"name": "x", "log": ["a"]}, None)
        assert result.state == {"name": "x", "n": 1, "log": ["a", "b"], "total": 9}
        assert dict(result.outputs[1].update) == {"n": 1, "log": ["b"], "total": 4}

    @each_record
    @each_runner
    def test_nothing_changed(self, schema: Any, run: Runner) -> None:
        """T2: the view itself, or an equal instance, changes nothing."""
        changes: list[Any] = [itself, changed]
        for change in changes:
            result = run(of(typed(schema, change), schema), {"name": "x", "log": ["a"]}, None)
            assert dict(result.outputs[1].update) == {}

    @pytest.mark.parametrize("schema", [AsDataclass, AsModel])
    def test_changed_in_place(self, schema: Any) -> None:
        """T2: a node may set fields of an instance that can be changed, and return it."""

        def change(state: Any) -> Any:
            state.n = 7
            return state

        assert of(typed(schema, change), schema).invoke({"name": "x"})["n"] == 7

    @each_record
    @each_runner
    def test_append_adds_the_tail(self, schema: Any, run: Runner) -> None:
        """T2: under APPEND a list that does not begin with the old one is refused, unless it is an `Overwrite`."""
        compiled = of(typed(schema, lambda s: changed(s, log=["z"])), schema)
        failure = run(compiled, {"name": "x", "log": ["a"]}, None).failure
        assert (failure.code, failure.node_id) == ("invalid_update", "a")
        assert f"node 'a': key 'log' of the returned {schema.__name__}: its strategy APPEND only adds" in str(failure)

    def test_overwrite(self) -> None:
        """T2: an `Overwrite` in a field replaces the list."""
        compiled = of(typed(AsAttrs, lambda s: changed(s, log=Overwrite(["z"]))), AsAttrs)
        assert compiled.invoke({"name": "x", "log": ["a"]})["log"] == ["z"]

    def test_a_partial_mapping(self) -> None:
        """T2: a node with a view may return a mapping as well, which goes by the strategies."""
        compiled = of(typed(AsAttrs, says({"log": "b", "total": 1})), AsAttrs)
        assert dict(compiled.invoke({"name": "x"})) == {"name": "x", "n": 0, "log": ["b"], "total": 6}

    @pytest.mark.parametrize("wrong", [5, "n", None, [1]], ids=repr)
    def test_no_update(self, wrong: Any) -> None:
        """S9: anything else is an error that names the node."""
        failure = failure_of(of(typed(AsAttrs, says(wrong)), AsAttrs), {"name": "x"})
        assert (failure.code, failure.node_id) == ("invalid_update", "a")

    def test_a_value_that_does_not_fit(self) -> None:
        """T2: a value of another type names node, key, expected and actual type."""
        failure = failure_of(of(typed(AsAttrs, lambda s: changed(s, n="7")), AsAttrs), {"name": "x"})
        assert (failure.code, failure.node_id) == ("invalid_value", "a")
        assert str(failure) == "node 'a': key 'n': expected int, not str '7'"

    def test_by_the_graphs_strategies(self) -> None:
        """T2: what an update has to be is told by the graph's strategy, which the view need not repeat."""

        class Strategies(TypedDict):
            log: Annotated[list[str], APPEND]
            seen: Annotated[dict[str, int], MERGE]

        @attrs.frozen
        class View:
            log: list[str]
            seen: dict[str, int]

        def a(state: View) -> View:
            return View([*state.log, "b"], {"x": 2})

        state = of(a, Strategies).invoke({"log": ["a"], "seen": {"x": 1, "y": 1}})
        assert dict(state) == {"log": ["a", "b"], "seen": {"x": 2}}

    def test_a_key_that_only_the_view_had(self) -> None:
        """T2: a default that the view showed is no value of the state: the update makes it what the instance says."""

        @attrs.frozen
        class View:
            total: int = 5
            n: int = 3

        def a(state: View) -> View:
            return View(state.total + 1, state.n)

        state = of(a, AsDict).invoke({"name": "x"})
        assert dict(state) == {"name": "x", "total": 6}

    def test_under_another_executor_verb(self) -> None:
        """T2: what is shown as the update is what changed."""
        compiled = of(typed(AsAttrs, lambda s: changed(s, n=2)), AsAttrs)
        outputs = compiled.stream({"name": "x"}, RunnableConfig(stream_mode=StreamMode.UPDATES))
        assert [dict(output.update) for output in outputs][1] == {"n": 2}

    def test_a_sync_action_that_gives_a_coroutine(self) -> None:
        """T2: what a sync action gives to be awaited is read as well."""
        inner = typed(AsAttrs, lambda s: changed(s, n=2), is_async=True)

        def outer(state: AsAttrs) -> Any:
            return inner(state)

        compiled = of(outer, AsAttrs)
        for run in RUNNERS.values():
            assert run(compiled, {"name": "x"}, None).state["n"] == 2

    def test_a_coroutine_with_a_mapping(self) -> None:
        """T2: also where that is a mapping."""
        inner = typed(AsAttrs, says({"n": 3}), is_async=True)

        def outer(state: AsAttrs) -> Any:
            return inner(state)

        assert of(outer, AsAttrs).invoke({"name": "x"})["n"] == 3


@attrs.frozen
class Answer:
    """What a node says that got something else."""

    n: int
    log: list[str] = attrs.field(factory=list[str])


class TestOfOtherClasses:
    @pytest.mark.parametrize("node", [typed(AsAttrs, says(Answer(3, ["a", "b"]))), says(Answer(3, ["a", "b"]))])
    @pytest.mark.parametrize("schema", [AsAttrs, AsDict, {"log": APPEND}], ids=["attrs", "typed_dict", "strategies"])
    @each_runner
    def test_says_what_the_state_shall_be(self, schema: Any, node: Any, run: Runner) -> None:
        """S9: an instance of another schema class updates what it says else than the state, view or none."""
        result = run(of(node, schema), {"name": "x", "log": ["a"]}, None)
        assert (result.state["n"], result.state["log"]) == (3, ["a", "b"])

    def test_defaults_add_nothing(self) -> None:
        """S9: a field that was left at its default adds nothing under a strategy other than REPLACE."""
        assert of(says(Answer(3)), AsAttrs).invoke({"name": "x", "log": ["a"]})["log"] == ["a"]

    def test_defaults_replace(self) -> None:
        """S9: a default is as good a value as any other where it replaces: nothing that was said is lost."""

        @attrs.frozen
        class Reset:
            n: int = 0

        assert of(says(Reset()), AsAttrs).invoke({"name": "x", "n": 5})["n"] == 0

    def test_a_model_knows_what_was_set(self) -> None:
        """S9: a pydantic model says only the fields that were set, if only to their default."""
        given = {"name": "x", "n": 5}
        assert of(says(AsModel(name="y")), AsAttrs).invoke(given)["n"] == 5
        assert of(says(AsModel(name="y", n=0)), AsAttrs).invoke(given)["n"] == 0

    def test_a_default_that_can_not_be_made(self) -> None:
        """S9: a factory that raises gives no default, so the field was set."""

        def no() -> list[str]:
            raise LookupError

        @attrs.frozen
        class Said:
            log: list[str] = attrs.field(factory=no)

        assert of(says(Said(["b"])), {"log": APPEND}).invoke({})["log"] == ["b"]

    @pytest.mark.parametrize("node", [typed(AsAttrs, says(Answer(3, ["z"]))), says(Answer(3, ["z"]))])
    @each_runner
    def test_what_no_update_gives(self, node: Any, run: Runner) -> None:
        """T2: a list under APPEND that does not begin with the old one is refused here, too."""
        failure = run(of(node, AsAttrs), {"name": "x", "log": ["a"]}, None).failure
        assert (failure.code, failure.node_id) == ("invalid_update", "a")
        assert "wrap the value, Overwrite(value)" in str(failure)

    def test_keys_that_are_unknown(self) -> None:
        """T3: a key that no schema of the graph declares is refused."""

        class Small(TypedDict):
            n: int

        failure = failure_of(of(says(Answer(3, ["z"])), Small), {"n": 1})
        assert (failure.code, failure.node_id) == ("unknown_key", "a")

    @each_runner
    def test_in_a_region(self, run: Runner) -> None:
        """P4: instances of branches are updates against what each branch sees, and join like any others."""
        built: Any = StateGraph(AsAttrs).add_node("s", says({"log": "s"}))
        for name in ("a", "b"):
            built.add_node(name, typed(AsAttrs, functools.partial(logged, name)))
        built.add_edge(START, "s").add_edge("s", ["a", "b"]).add_edge(["a", "b"], END)
        assert run(built.compile(), {"name": "x"}, None).state == {
            "name": "x",
            "n": 0,
            "log": ["s", "a", "b"],
            "total": 7,
        }


class TestCommands:
    @pytest.mark.parametrize("view", [AsAttrs, None], ids=["view", "none"])
    @each_runner
    def test_of_a_router(self, view: Any, run: Runner) -> None:
        """R6: the update of a router's command may be an instance."""

        def route(state: Any) -> Command[Any]:
            return Command(END, AsAttrs("x", 4, ["a", "b"]))

        if view is not None:
            route.__annotations__["state"] = view
        built: Any = StateGraph(AsAttrs).add_node("a", says({"log": "a"})).add_edge(START, "a")
        result = run(built.add_conditional_edges("a", route, [END]).compile(), {"name": "x"}, None)
        assert result.state == {"name": "x", "n": 4, "log": ["a", "b"], "total": 5}
        assert [dict(update) for update in result.outputs[1].route_updates] == [{"n": 4, "log": ["b"]}]

    @pytest.mark.parametrize("view", [AsAttrs, None], ids=["view", "none"])
    @each_runner
    def test_of_start(self, view: Any, run: Runner) -> None:
        """R6: also where it leaves START."""

        def route(state: Any) -> Command[Any]:
            return Command("a", AsAttrs("x", 4))

        if view is not None:
            route.__annotations__["state"] = view
        built: Any = StateGraph(AsAttrs).add_node("a", says({})).add_conditional_edges(START, route, ["a"])
        assert run(built.add_edge("a", END).compile(), {"name": "x"}, None).state["n"] == 4

    @pytest.mark.parametrize("view", [AsAttrs, None], ids=["view", "none"])
    @pytest.mark.parametrize(
        "command",
        [
            Command("b", AsAttrs("x", 4)),
            MultiCommand(["b", "c"], AsAttrs("x", 4)),
            MultiCommand.nothing(AsAttrs("x", 4)),
        ],
        ids=["one", "several", "none"],
    )
    @pytest.mark.parametrize("inside", [False, True], ids=["main path", "region"])
    @each_runner
    def test_of_a_node(self, inside: Any, command: Any, view: Any, run: Runner) -> None:
        """R9: the update of a node's command may be an instance, on the main path and in a region."""
        node = says(command) if view is None else typed(view, says(command))
        built: Any = StateGraph(AsAttrs).add_node("s", says({})).add_node("a", node, ["b", "c", END])
        built.add_node("b", says({})).add_node("c", says({})).add_node("d", says({})).add_edge(START, "s")
        built.add_edge("s", ["a", "d"] if inside else "a").add_edge("b", END).add_edge("c", END).add_edge("d", END)
        if not inside:
            built.add_edge("s", "d")
        assert run(built.compile(), {"name": "x"}, None).state["n"] == 4

    @pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
    @each_runner
    def test_of_a_multi_route(self, is_async: Any, run: Runner) -> None:
        """R6: the update of a multi route may be an instance of its view."""
        route = typed(AsAttrs, lambda s: MultiCommand(["b"], changed(s, n=s.n + 4)), is_async=is_async)
        built: Any = StateGraph(AsAttrs).add_node("b", says({"n": 9})).add_edge("b", END)
        result = run(built.add_parallel_conditional_edges(START, route, ["b"]).compile(), {"name": "x"}, None)
        assert [dict(update) for update in result.outputs[-2].route_updates] == [{"n": 4}]

    def test_refused(self) -> None:
        """T2: an instance in a command that no update gives names the source."""
        route = typed(AsAttrs, lambda s: Command(END, changed(s, log=["z"])))
        for condition in (route, says(Command(END, AsAttrs("x", log=["z"])))):
            built: Any = StateGraph(AsAttrs).add_node("a", says({"log": "a"})).add_edge(START, "a")
            failure = failure_of(built.add_conditional_edges("a", condition, [END]).compile(), {"name": "x"})
            assert (failure.code, failure.node_id) == ("invalid_update", "a")

    def test_a_mapping_stays_a_mapping(self) -> None:
        """R6: the update of a command of a typed router may be a mapping, too."""
        route = typed(AsAttrs, lambda s: Command(END, {"log": "b"}))
        built: Any = StateGraph(AsAttrs).add_node("a", says({"log": "a"})).add_edge(START, "a")
        state = built.add_conditional_edges("a", route, [END]).compile().invoke({"name": "x"})
        assert state["log"] == ["a", "b"]


class TestOddInstances:
    def test_that_count_as_false(self) -> None:
        """S9: an instance counts, whatever its truth value is."""

        @attrs.frozen
        class Empty:
            n: int = 0

            def __bool__(self) -> bool:
                raise AssertionError

            def __len__(self) -> int:
                raise AssertionError

        built: Any = StateGraph({"n": operator.add}).add_node("a", says({}))
        built.add_edge(START, "a").add_conditional_edges("a", says(Command(END, Empty(4))), [END])
        for run in RUNNERS.values():
            assert run(built.compile(), {"n": 1}, None).state["n"] == 4

    def test_nan_is_written(self) -> None:
        """T2: what does not equal itself is written when it is another object."""

        @attrs.frozen
        class State:
            x: float = 0.0

        def a(state: State) -> State:
            return State(float("nan"))

        assert of(a, State).invoke({})["x"] != 0

    def test_equal_values_are_no_update(self) -> None:
        """T2: another object of the same value is no update."""

        @attrs.frozen
        class State:
            x: float = 1.5

        def a(state: State) -> State:
            return State(float("1.5"))

        built: Any = StateGraph(State).add_node("a", a).add_edge(START, "a").add_edge("a", END)
        assert [dict(output.update) for output in built.compile().stream({})][1] == {}

    def test_types_count(self) -> None:
        """T2: `True` is not `1`: a field of `int | bool` that goes from one to the other is an update."""

        @attrs.frozen
        class State:
            x: int | bool = 1

        def a(state: State) -> State:
            return State(x=True)

        assert of(a, State).invoke({})["x"] is True
