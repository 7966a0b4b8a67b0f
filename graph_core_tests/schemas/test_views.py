"""T2: an action annotated with a schema class gets an instance of it, built before it runs."""

import functools
import itertools
from collections.abc import Callable, Mapping
from typing import Any, NotRequired, TypedDict

import attrs
import pytest

from graph_core import (
    APPEND,
    END,
    INLINE,
    REMOVE,
    START,
    CommandAction,
    CompileConfig,
    Node,
    NodeRef,
    OverAllState,
    Overwrite,
    RunnableConfig,
    Send,
    StateGraph,
)
from graph_core_tests.schemas.kinds import ALL, RECORDS, AsAttrs, AsDict, each_kind, each_runner
from graph_core_tests.shapes import Runner, failure_of, says

GIVEN = {"name": "x", "n": 1, "log": ["a"], "total": 2}


class Part(TypedDict):
    """Some of the keys."""

    n: int


class Wants(TypedDict):
    """A key that nobody writes."""

    name: str
    nam: int


@attrs.frozen
class Needs:
    """The same as a record."""

    name: str
    nam: int


def annotated(schema: Any, seen: list[Any], *, is_async: bool = False) -> Callable[..., Any]:
    """Make a node whose first parameter, of whatever name, is annotated with a class."""

    def look(whatever: Any) -> dict[str, Any]:
        seen.append(whatever)
        return {}

    async def look_async(whatever: Any) -> dict[str, Any]:
        return look(whatever)

    made = look_async if is_async else look
    made.__annotations__["whatever"] = schema
    return made


def command_of(node: Callable[..., Any]) -> Any:
    """Make a factory that gives a command action, as in Java."""

    def make(config: CompileConfig) -> CommandAction:
        return CommandAction.of(node)

    return make


def of(node: Any, schema: Any = None, **options: Any) -> Any:
    """A graph of one node."""
    built: Any = StateGraph(schema)
    return built.add_node("a", node, **options).add_edge(START, "a").add_edge("a", END).compile()


class TestNodes:
    @pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
    @pytest.mark.parametrize("state", [*ALL.values(), None], ids=[*ALL, "none"])
    @each_kind
    @each_runner
    def test_gets_an_instance(self, schema: Any, state: Any, is_async: Any, run: Runner) -> None:
        """T2: the annotated class decides what a node gets, whatever the state's schema is."""
        seen: list[Any] = []
        begun = 5 if state in RECORDS.values() else 0
        given = {**GIVEN, "total": 2 - begun}
        run(of(annotated(schema, seen, is_async=is_async), state), given, None)
        assert seen == [GIVEN if schema is AsDict else schema(**GIVEN)]

    @pytest.mark.parametrize("state", [AsDict, AsAttrs, None], ids=["typed_dict", "attrs", "none"])
    @each_runner
    def test_holds_that_schemas_keys(self, state: Any, run: Runner) -> None:
        """T2: of a TypedDict with some of the keys the view is a mapping of these."""
        seen: list[Any] = []
        run(of(annotated(Part, seen), state), {"name": "x", "n": 1}, None)
        assert seen == [{"n": 1}]

    def test_of_the_whole_state(self) -> None:
        """T2: of a TypedDict with all keys it is the state itself, which nobody can change."""
        seen: list[Any] = []
        of(annotated(AsDict, seen), AsDict).invoke(GIVEN)
        assert isinstance(seen[0], OverAllState)

    @each_kind
    def test_given(self, schema: Any) -> None:
        """T2: `input_schema=` says it where no annotation does, and instead of one."""
        seen: list[Any] = []

        def look(state: Any) -> dict[str, Any]:
            seen.append(state)
            return {}

        of(look, AsDict, input_schema=schema).invoke(GIVEN)
        of(annotated(Part, seen), AsDict, input_schema=schema).invoke(GIVEN)
        assert seen == [GIVEN if schema is AsDict else schema(**GIVEN)] * 2

    @pytest.mark.parametrize(
        "hint",
        [dict, Mapping, Mapping[str, Any], OverAllState, OverAllState[AsAttrs], AsAttrs | None, Any, "AsAttrs"],
        ids=repr,
    )
    def test_other_hints(self, hint: Any) -> None:
        """T2: any other annotation means the state itself; a text is resolved."""
        seen: list[Any] = []
        of(annotated(hint, seen), AsDict).invoke(GIVEN)
        assert isinstance(seen[0], AsAttrs if hint == "AsAttrs" else OverAllState)

    def test_no_keys(self) -> None:
        """T2: a class without fields is a view that holds nothing."""

        @attrs.frozen
        class Nothing:
            pass

        seen: list[Any] = []
        of(annotated(Nothing, seen), AsDict).invoke(GIVEN)
        assert seen == [Nothing()]

    def test_a_nodes_factory(self) -> None:
        """T2: the action that a `Node`'s factory gives is read as well."""
        seen: list[Any] = []
        built: Any = StateGraph(AsDict)
        built.add_node(Node("a", lambda _: annotated(AsAttrs, seen)))
        built.add_node(Node("b", command_of(annotated(Part, seen))), input_schema=AsDict)
        built.add_edge(START, "a").add_edge("a", "b").add_edge("b", END).compile().invoke(GIVEN)
        assert [type(each) for each in seen] == [AsAttrs, OverAllState]

    def test_a_node_ref(self) -> None:
        """T4: a `NodeRef` names a node."""
        ref = NodeRef("work", Part)
        built: Any = StateGraph(AsDict).add_node(ref, says({}))
        assert built.node_ids == ("work",)
        assert (str(ref), Send(ref, {"n": 1}).node) == ("work", "work")

    def test_with_a_config(self) -> None:
        """R2: the config comes second, as ever."""

        def a(state: AsAttrs, config: RunnableConfig[Any]) -> dict[str, Any]:
            return {"log": f"{state.name} {config.node_id}"}

        assert of(a, AsDict).invoke(GIVEN)["log"] == ["a", "x a"]


def saying(schema: Any, seen: list[Any], answer: Any) -> Callable[..., Any]:
    """Make an action that answers."""

    def say(state: Any) -> Any:
        seen.append(state)
        return answer

    say.__annotations__["state"] = schema
    return say


class Reader:
    """Callables that are no functions."""

    def __init__(self, seen: list[Any]) -> None:
        self.seen = seen

    def __call__(self, state: AsAttrs) -> dict[str, Any]:
        """Sync."""
        self.seen.append(state)
        return {}

    def method(self, state: AsAttrs) -> dict[str, Any]:
        """Sync."""
        return self(state)

    @classmethod
    def of_class(cls, seen: list[Any], state: AsAttrs) -> dict[str, Any]:
        """Bound to the class."""
        return cls(seen)(state)

    @staticmethod
    def static(seen: list[Any], state: AsAttrs) -> dict[str, Any]:
        """Bound to nothing."""
        return Reader(seen)(state)


class AsyncReader(Reader):
    """With an async `__call__`."""

    async def __call__(self, state: AsAttrs) -> dict[str, Any]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        """Async."""
        self.seen.append(state)
        return {}


def by_keyword(state: AsAttrs, seen: list[Any]) -> dict[str, Any]:
    """A function for partials."""
    return Reader(seen)(state)


def wrapped(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function as one does."""

    @functools.wraps(fn)
    def inner(*args: Any) -> Any:
        return fn(*args)

    return inner


MAKERS: dict[str, Callable[[list[Any]], Any]] = {
    "object": Reader,
    "async object": AsyncReader,
    "method": lambda seen: Reader(seen).method,
    "partial of a class method": lambda seen: functools.partial(Reader.of_class, seen),
    "partial of a static method": lambda seen: functools.partial(Reader.static, seen),
    "partial of a partial": lambda seen: functools.partial(functools.partial(Reader.static), seen),
    "partial by keyword": lambda seen: functools.partial(by_keyword, seen=seen),
    "partial of an object": lambda seen: functools.partial(Reader(seen)),
    "decorated": lambda seen: wrapped(Reader(seen).method),
}


class TestCallables:
    @pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
    @each_runner
    def test_of_every_kind(self, make: Callable[[list[Any]], Any], run: Runner) -> None:
        """T2: the annotation is found on partials, methods, objects and decorated functions."""
        seen: list[Any] = []
        run(of(make(seen), AsDict), GIVEN, None)
        assert seen == [AsAttrs("x", 1, ["a"], 2)]


class TestRouters:
    @pytest.mark.parametrize("is_async", [False, True], ids=["def", "async def"])
    @each_kind
    @each_runner
    def test_gets_an_instance(self, schema: Any, is_async: Any, run: Runner) -> None:
        """R10: a router with a typed first parameter gets that view, of the state after the node."""
        seen: list[Any] = []

        def look(state: Any) -> str:
            seen.append(state)
            return END

        async def look_async(state: Any) -> str:
            return look(state)

        route = look_async if is_async else look
        route.__annotations__["state"] = schema
        built: Any = StateGraph(AsDict).add_node("a", says({"n": 9}))
        built.add_conditional_edges(START, route, {END: "a"})
        built.add_conditional_edges("a", route, [END])
        run(built.compile(), {"name": "x"}, None)
        first, second = {"name": "x"}, {"name": "x", "n": 9}
        assert seen == ([first, second] if schema is AsDict else [schema(**first), schema(**second)])

    @each_runner
    def test_in_a_region(self, run: Runner) -> None:
        """R10: so do the routers of branches, and multi routes."""
        seen: list[Any] = []

        def each(state: AsAttrs) -> list[str]:
            seen.append(state.n)
            return ["b", "c"]

        def on(state: AsAttrs) -> bool:
            seen.append(state.n)
            return True

        built: Any = StateGraph(AsAttrs).add_node("a", says({"n": 1}))
        built.add_node("b", says({"n": 2})).add_node("c", says({"n": 2})).add_node("d", says({}))
        built.add_edge(START, "a").add_parallel_conditional_edges("a", each, ["b", "c"])
        built.add_conditional_edges("b", on, {True: "d", False: END}).add_edge("c", "d").add_edge("d", END)
        run(built.compile(), {"name": "x"}, None)
        assert seen == [1, 2]


PLAIN = CompileConfig(detect_mutation=False)


def chain_with(node: Callable[..., Any], schema: Any, **options: Any) -> Any:
    """Lead to a node on the main path."""
    built: Any = StateGraph(schema).add_node("b", says({})).add_node("a", node, **options)
    return built.add_edge(START, "b").add_edge("b", "a").add_edge("a", END).compile(PLAIN)


def region_with(node: Callable[..., Any], schema: Any, **options: Any) -> Any:
    """Lead to a node in a branch."""
    built: Any = StateGraph(schema).add_node("b", says({})).add_node("a", node, **options).add_node("c", says({}))
    return built.add_edge(START, "b").add_edge("b", ["a", "c"]).add_edge(["a", "c"], END).compile(PLAIN)


def route_with(route: Callable[..., Any], schema: Any) -> Any:
    """Lead to a route on the main path."""
    built: Any = StateGraph(schema).add_node("a", says({}))
    return built.add_edge(START, "a").add_conditional_edges("a", route, [END]).compile(PLAIN)


def region_route_with(route: Callable[..., Any], schema: Any) -> Any:
    """Lead to a route in a branch."""
    built: Any = StateGraph(schema).add_node("b", says({})).add_node("a", says({})).add_node("c", says({}))
    built.add_edge(START, "b").add_edge("b", ["a", "c"]).add_edge("c", END)
    return built.add_conditional_edges("a", route, [END]).compile(PLAIN)


WAYS: dict[str, Callable[..., Any]] = {
    "node": chain_with,
    "node in a region": region_with,
    "route": route_with,
    "route in a region": region_route_with,
}
each_way = pytest.mark.parametrize("lead", WAYS.values(), ids=WAYS.keys())


@attrs.frozen
class Wrong:
    """A view that sees another type than the state's."""

    name: int


@attrs.frozen
class Refusing:
    """A view whose class refuses."""

    n: int = attrs.field(default=0, validator=attrs.validators.gt(5))


class Free(TypedDict):
    """A state of which nothing is known."""

    name: Any
    nam: NotRequired[int]
    n: NotRequired[int]


class TestRefusals:
    @pytest.mark.parametrize("state", [Wants, Free, AsDict, None], ids=["whole", "free", "part", "none"])
    @pytest.mark.parametrize("schema", [Wants, Needs])
    @each_way
    @each_runner
    def test_a_missing_key(self, schema: Any, state: Any, lead: Any, run: Runner) -> None:
        """T2: a required key that is not in the state raises before the action runs, naming both."""
        seen: list[Any] = []
        failure = run(lead(annotated(schema, seen), state), {"name": "x"}, None).failure
        assert (failure.code, failure.node_id, seen) == ("missing_key", "a", [])
        text = str(failure)
        assert "'a'" in text
        assert f"{schema.__name__} requires key 'nam', which is not in the state, did you mean 'name'?" in text
        assert ("the route" in text) == (lead in {route_with, region_route_with})

    @pytest.mark.parametrize("state", [Free, None], ids=["free", "none"])
    @each_way
    @each_runner
    def test_a_wrong_type(self, state: Any, lead: Any, run: Runner) -> None:
        """T2: a value that does not fit names node, key, expected and actual type."""
        seen: list[Any] = []
        failure = run(lead(annotated(Wrong, seen), state), {"name": "x"}, None).failure
        assert (failure.code, failure.node_id, seen) == ("invalid_value", "a", [])
        assert "key 'name' of Wrong must be int, not str 'x'" in str(failure)

    @pytest.mark.parametrize("state", [Free, None], ids=["free", "none"])
    @each_way
    @each_runner
    def test_a_class_that_refuses(self, state: Any, lead: Any, run: Runner) -> None:
        """T2: what the class raises is the cause."""
        failure = run(lead(annotated(Refusing, []), state), {"name": "x", "n": 1}, None).failure
        assert (failure.code, failure.node_id) == ("invalid_value", "a")
        assert "Refusing can not be built from the state: ValueError: 'n' must be > 5" in str(failure)
        assert isinstance(failure.__cause__, ValueError)

    def test_a_default_will_do(self) -> None:
        """T2: a key with a default is not required."""
        seen: list[Any] = []
        of(annotated(AsAttrs, seen)).invoke({"name": "x"})
        assert seen == [AsAttrs("x")]

    def test_a_missing_key_at_start(self) -> None:
        """T2: a route of START is told in the same way."""
        built: Any = StateGraph(Wants).add_node("a", says({}))
        built.add_conditional_edges(START, annotated(Wants, []), ["a"]).add_edge("a", END)
        failure = failure_of(built.compile(), {"name": "x"})
        assert (failure.code, failure.node_id) == ("missing_key", START)

    @each_runner
    def test_a_failed_route_loses_no_work(self, run: Runner) -> None:
        """X3: a node whose route can not see its view has done its work; it is shown."""
        outputs = run(region_route_with(annotated(Wants, []), Wants), {"name": "x"}, None).outputs
        assert "a" in [output.node for output in outputs]

    @each_way
    def test_without_a_reader(self, lead: Any) -> None:
        """T2: the shortest way through the engine looks for required keys as well, and goes on where they are."""
        seen: list[Any] = []
        compiled = lead(annotated(Wants, seen), Wants)
        assert failure_of(compiled, {"name": "x"}).code == "missing_key"
        assert seen == []
        plain = lead(saying(Wants, seen, END if "route" in lead.__name__ else {}), Wants)
        assert dict(plain.invoke({"name": "x", "nam": 1})) == {"name": "x", "nam": 1}
        assert seen == [{"name": "x", "nam": 1}]

    def test_siblings(self) -> None:
        """P8: a branch whose view is refused fails like any other."""
        built: Any = StateGraph(Wants).add_node("s", says({}))
        for name in ("a", "b"):
            built.add_node(name, annotated(Wants, [])).add_edge(name, END)
        compiled = built.add_edge(START, "s").add_edge("s", ["a", "b"]).compile(CompileConfig(on_branch_error="wait"))
        failure = failure_of(compiled, {"name": "x"}, RunnableConfig(default_parallel_executor=INLINE))
        causes: Any = failure.__cause__
        assert [each.node_id for each in causes.exceptions] == ["a", "b"]

    def test_a_run_inside_keeps_its_own_failure(self) -> None:
        """X3: what a graph inside a node refuses is the node's failure, with that as its cause."""
        inner = of(annotated(Wants, []), Wants)

        def a(state: Any) -> Any:
            return inner.invoke({"name": "x"})

        failure = failure_of(of(a), {})
        assert failure.code == "execution_error"
        assert getattr(failure.__cause__, "code", "") == "missing_key"


class TestSends:
    class Item(TypedDict):
        """What a copy sees."""

        item: int

    @each_runner
    def test_the_view_holds_the_payload(self, run: Runner) -> None:
        """P6, T2: a copy's view is of the fork's state with the payload laid over it."""
        seen: list[Any] = []

        def work(state: TestSends.Item) -> dict[str, Any]:
            seen.append(dict(state))
            return {"log": str(state["item"])}

        ref = NodeRef("work", TestSends.Item)

        def each(state: AsDict) -> list[Send[Any]]:
            return [Send(ref, {"item": 1}), Send(ref, {"item": 2})]

        built: Any = StateGraph(AsDict).add_node(ref, work).add_parallel_conditional_edges(START, each, ["work"])
        result = run(built.add_edge("work", END).compile(), {"name": "x"}, None)
        assert sorted(each["item"] for each in seen) == [1, 2]
        assert result.state == {"name": "x", "log": ["1", "2"]}

    def test_an_instance(self) -> None:
        """P6: the state of a `Send` may be an instance: all its fields are laid over."""
        assert dict(Send("work", AsAttrs("x")).state) == {"name": "x", "n": 0, "log": [], "total": 5}

    @each_runner
    def test_a_payload_that_does_not_fit(self, run: Runner) -> None:
        """T3: a declared key of a payload is checked; the error names the route, the node and the key."""

        def each(state: AsDict) -> list[Send[Any]]:
            return [Send("work", {"n": "1"})]

        built: Any = StateGraph(AsDict).add_node("work", says({}))
        built.add_parallel_conditional_edges(START, each, ["work"]).add_edge("work", END)
        failure = run(built.compile(), {"name": "x"}, None).failure
        assert (failure.code, failure.node_id) == ("invalid_value", START)
        assert "sends a copy to 'work' whose state does not fit: key 'n': expected int, not str '1'" in str(failure)

    def test_markers(self) -> None:
        """P6: a payload may take a key away from the copy."""
        seen: list[Any] = []

        def work(state: AsDict) -> dict[str, Any]:
            seen.append(dict(state))
            return {}

        built: Any = StateGraph(AsDict).add_node(work)
        copies = [Send("work", {"n": REMOVE}), Send("work", {"n": Overwrite(2)})]
        built.add_parallel_conditional_edges(START, says(copies), ["work"]).add_edge("work", END)
        built.compile().invoke({"name": "x", "n": 1}, RunnableConfig(default_parallel_executor=INLINE))
        assert seen == [{"name": "x"}, {"name": "x", "n": 2}]

    @each_runner
    def test_a_payload_of_its_own(self, run: Runner) -> None:
        """P6: a payload may have keys that no schema declares: only the copy sees them."""
        seen: list[Any] = []

        def work(state: Any) -> dict[str, Any]:
            seen.append(state["free"])
            return {}

        built: Any = StateGraph(AsDict).add_node("work", work).add_node("s", says({}))
        built.add_parallel_conditional_edges("s", says([Send("work", {"free": 1})]), ["work"])
        result = run(built.add_edge(START, "s").add_edge("work", END).compile(), {"name": "x"}, None)
        assert (seen, result.state) == ([1], {"name": "x"})

    @each_runner
    def test_a_key_that_only_the_copy_lacks(self, run: Runner) -> None:
        """T2: an undeclared key of a payload does not make up for a required one."""
        built: Any = StateGraph(Wants).add_node("work", annotated(Wants, [])).add_node("s", says({}))
        built.add_parallel_conditional_edges("s", says([Send("work", {"free": 1})]), ["work"])
        failure = run(built.add_edge(START, "s").add_edge("work", END).compile(), {"name": "x"}, None).failure
        assert (failure.code, failure.node_id) == ("missing_key", "work")


def test_strategies_of_a_view() -> None:
    """T1: the strategies of a view hold in a graph without a schema."""

    def a(state: AsAttrs) -> dict[str, Any]:
        return {"log": "b"}

    compiled = of(a)
    assert compiled.key_strategies["log"] is APPEND
    assert compiled.invoke({"name": "x", "log": ["a"]})["log"] == ["a", "b"]


def test_counting_up() -> None:
    """T2: every step of a loop gets a view of its own."""
    seen: list[int] = []

    def a(state: AsAttrs) -> dict[str, Any]:
        seen.append(state.n)
        return {"n": state.n + 1}

    def again(state: AsAttrs) -> bool:
        return state.n < 3

    built: Any = StateGraph(AsAttrs).add_node(a).add_edge(START, "a")
    built.add_conditional_edges("a", again, {True: "a", False: END}).compile().invoke({"name": "x"})
    assert seen == list(itertools.takewhile(lambda n: n < 3, itertools.count()))
