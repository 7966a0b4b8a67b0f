"""T1: a class says what the state is: keys, strategies, defaults."""

import operator
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Generic, TypedDict, TypeVar

import attrs
import pytest

from graph_core import (
    APPEND,
    END,
    START,
    GraphStateException,
    InvalidRecordError,
    KeyStrategyFactoryBuilder,
    StateGraph,
)
from graph_core_tests.schemas.kinds import AsDict, each_kind, each_record, each_runner
from graph_core_tests.shapes import Runner, codes, failure_of, says, shown


def of(schema: Any, action: Callable[[Any], Any], **options: Any) -> Any:
    """A graph of one node `a`."""
    built: Any = StateGraph(schema, **options)
    return built.add_node("a", action).add_edge(START, "a").add_edge("a", END)


def joined(old: list[int], new: list[int]) -> list[int]:
    """A strategy of the user's."""
    return [*old, *new]


class TestStrategies:
    @each_kind
    @each_runner
    def test_of_annotations(self, schema: Any, run: Runner) -> None:
        """T1: `Annotated[list[str], APPEND]`, an attrs field's metadata, and any binary callable name strategies."""
        compiled = of(schema, lambda state: {"log": "b", "total": 2, "n": 7}).compile()
        state = run(compiled, {"name": "x", "log": ["a"], "total": 1}, None).state
        base = 0 if schema is AsDict else 5
        assert state == {"name": "x", "n": 7, "log": ["a", "b"], "total": base + 3}

    def test_shown(self) -> None:
        """T1: the compiled graph shows them."""
        assert of(AsDict, lambda state: {}).compile().key_strategies == {"log": APPEND, "total": operator.add}

    def test_empty_value_of_a_callable(self) -> None:
        """T1: a callable strategy of a key without default gets the empty value of its type as first `old`."""

        class Schema(TypedDict):
            k: Annotated[list[int], joined]

        assert of(Schema, lambda state: {"k": [1]}).compile().invoke({})["k"] == [1]

    def test_default_strategy(self) -> None:
        """S3: a key that names none has the graph's default strategy."""

        class Schema(TypedDict):
            k: list[int]

        compiled = of(Schema, lambda state: {"k": 2}, default_strategy=APPEND).compile()
        assert compiled.invoke({"k": [1]})["k"] == [1, 2]

    def test_unresolved_hint(self) -> None:
        """T1: a hint of a schema that can not be resolved is an error that names the field."""
        schema: Any = TypedDict("schema", {"k": "Nowhere"})  # type: ignore[name-defined]  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
        with pytest.raises(InvalidRecordError, match="the hint of field 'k'"):
            StateGraph(schema)


class TestDisagreement:
    class A(TypedDict):
        """One that appends."""

        k: Annotated[list[int], APPEND]

    class B(TypedDict):
        """One that adds."""

        k: Annotated[list[int], operator.add]

    def test_of_node_and_graph(self) -> None:
        """T1: two schemas that disagree on a key's strategy are a compile problem that names both."""

        def a(state: TestDisagreement.B) -> dict[str, Any]:
            raise AssertionError

        (problem,) = of(self.A, a).validate()
        assert (problem.code, problem.place) == ("strategies_disagree", "key 'k'")
        assert "TestDisagreement.A and TestDisagreement.B declare different strategies" in problem.message

    def test_of_input_and_output(self) -> None:
        """T1: those of input and output schemas count, too."""
        built = of(None, lambda state: {}, input_schema=self.A, output_schema=self.B)
        assert codes(built.validate()) == ["strategies_disagree"]

    def test_of_a_router(self) -> None:
        """T1: the view of a router counts, too."""

        def route(state: TestDisagreement.B) -> bool:
            raise AssertionError

        built: Any = StateGraph(self.A)
        built.add_node("a", says({})).add_edge(START, "a")
        built.add_conditional_edges("a", route, {True: END, False: END})
        assert codes(built.validate()) == ["strategies_disagree"]

    @pytest.mark.parametrize(
        "strategies",
        [{"k": APPEND}, KeyStrategyFactoryBuilder().add_strategy("k", APPEND).build()],
        ids=["mapping", "factory"],
    )
    def test_with_a_mapping(self, strategies: Any) -> None:
        """T1: a mapping of strategies disagrees with a view as a schema would."""

        def a(state: TestDisagreement.B) -> dict[str, Any]:
            raise AssertionError

        (problem,) = of(strategies, a).validate()
        assert "the mapping of strategies and TestDisagreement.B declare different strategies" in problem.message

    @pytest.mark.parametrize("strategies", [{"j": APPEND}, lambda: {"j": APPEND}], ids=["mapping", "factory"])
    def test_agreement_adds_up(self, strategies: Any) -> None:
        """T1: strategies of a mapping and of a view hold together."""

        def a(state: TestDisagreement.A) -> dict[str, Any]:
            return {"k": 2, "j": 2}

        assert dict(of(strategies, a).compile().invoke({"k": [1], "j": [1]})) == {"k": [1, 2], "j": [1, 2]}

    def test_rules_of_a_factory(self) -> None:
        """T1: the rules of a strategy factory hold beside the strategies of a view."""

        def a(state: TestDisagreement.A) -> dict[str, Any]:
            return {"k": 2, "some_log": 2}

        factory = KeyStrategyFactoryBuilder().add_suffix_strategy("_log", APPEND).build()
        found = of(factory, a).compile().invoke({"k": [1], "some_log": [1]})
        assert dict(found) == {"k": [1, 2], "some_log": [1, 2]}

    def test_all_problems_at_once(self) -> None:
        """C1: it is told together with everything else that is wrong."""

        def a(state: TestDisagreement.B) -> dict[str, Any]:
            raise AssertionError

        built: Any = StateGraph(self.A)
        with pytest.raises(GraphStateException) as raised:
            built.add_node(a).add_edge(START, "a").compile()
        assert codes(raised.value.errors) == ["missing_edge", "strategies_disagree"]


class TestDefaults:
    @each_record
    @each_runner
    def test_initialise(self, schema: Any, run: Runner) -> None:
        """X0, T1: defaults and factories initialise the state, and the first node sees them."""
        seen: list[Mapping[str, Any]] = []

        def a(state: Any) -> dict[str, Any]:
            seen.append(dict(state))
            return {}

        compiled = of(schema, a).compile()
        outputs = run(compiled, {"name": "x"}, None).outputs
        assert seen == [{"name": "x", "n": 0, "log": [], "total": 5}]
        assert outputs[0].is_start
        assert outputs[0].state == seen[0]

    @each_record
    def test_are_fresh(self, schema: Any) -> None:
        """T1: no two runs share a default."""
        compiled = of(schema, lambda state: {}).compile()
        first, second = (compiled.invoke({"name": "x"})["log"] for _ in range(2))
        assert first == second == []
        assert first is not second

    def test_count_as_present(self) -> None:
        """S8: a builtin strategy is called with a default, other than where nothing is there."""

        @attrs.frozen
        class Schema:
            most: Annotated[int, max] = 3

        assert of(Schema, lambda state: {"most": 2}).compile().invoke({})["most"] == 3

    def test_input_goes_over_them(self) -> None:
        """X0: the input is merged onto the defaults by the strategies."""

        @attrs.frozen
        class Schema:
            log: Annotated[list[str], APPEND] = attrs.field(factory=lambda: ["begun"])
            n: int = 1

        state = of(Schema, lambda state: {}).compile().invoke({"log": "a", "n": 2})
        assert dict(state) == {"log": ["begun", "a"], "n": 2}

    def test_of_input_and_output_schemas(self) -> None:
        """T1: their defaults initialise the state, too; those of the state's schema come first."""

        @attrs.frozen
        class Given:
            q: str = "?"
            n: int = 7

        @attrs.frozen
        class State:
            n: int = 1

        compiled = of(State, lambda state: {}, input_schema=Given).compile()
        outputs = list(compiled.stream({}))
        assert outputs[0].state == {"n": 1, "q": "?"}

    def test_in_an_open_graph(self) -> None:
        """T1: also where the state itself has no schema."""

        @attrs.frozen
        class Given:
            q: str = "?"

        assert dict(of(None, lambda state: {}, input_schema=Given).compile().invoke({})) == {"q": "?"}

    def test_that_do_not_fit(self) -> None:
        """T1: a default of another type than its key's is told when a run starts."""

        @attrs.frozen
        class Schema:
            n: int = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]

        error = failure_of(of(Schema, lambda state: {}).compile(), {})
        assert (error.code, error.node_id) == ("invalid_default", START)
        assert "the default of key 'n' can not be used: StateMergeError: key 'n': expected int, not None" in str(error)

    def test_a_factory_that_raises(self) -> None:
        """T1: a factory that raises fails the run, with its error as the cause."""

        def no() -> int:
            raise LookupError("gone")

        @attrs.frozen
        class Schema:
            n: int = attrs.field(factory=no)

        error = failure_of(of(Schema, lambda state: {}).compile(), {})
        assert error.code == "invalid_default"
        assert isinstance(error.__cause__, LookupError)


class TestPrivateKeys:
    class Own(TypedDict):
        """It says how the key is merged."""

        secret: Annotated[list[str], APPEND]

    class OwnLater(TypedDict):
        """It only reads the key."""

        secret: list[str]

    @each_runner
    def test_later_nodes_read_them(self, run: Runner) -> None:
        """T1: keys of a node's own schema live in the state, and no caller gets them."""
        seen: list[Any] = []

        def write(state: AsDict) -> dict[str, Any]:
            return {"secret": "s"}

        def again(state: TestPrivateKeys.Own) -> dict[str, Any]:
            return {"secret": "t"}

        def read(state: TestPrivateKeys.OwnLater) -> dict[str, Any]:
            seen.append(state)
            return {"n": len(state["secret"])}

        built: Any = StateGraph(AsDict).add_sequence(write, again, read)
        result = run(built.add_edge(START, "write").add_edge("read", END).compile(), {"name": "x"}, None)
        assert seen == [{"secret": ["s", "t"]}]
        assert result.state == {"name": "x", "n": 2}
        assert [shown(output) for output in result.outputs if output.node == "read"] == [
            {"name": "x", "secret": ["s", "t"], "n": 2}
        ]

    def test_default_of_a_view(self) -> None:
        """T1: the default of a private key initialises the state."""

        @attrs.frozen
        class Own:
            tries: Annotated[int, operator.add] = 2

        def a(state: Own) -> Own:
            return Own(state.tries + 1)

        def b(state: Own) -> dict[str, Any]:
            return {"n": state.tries}

        built: Any = StateGraph(AsDict).add_sequence(a, b).add_edge(START, "a").add_edge("b", END)
        assert built.compile().invoke({"name": "x"})["n"] == 3

    def test_default_of_a_view_of_a_public_key(self) -> None:
        """T1: where the state declares the key, a view's default is only what the view shows."""

        @attrs.frozen
        class Own:
            n: int = 7

        def a(state: Own) -> dict[str, Any]:
            return {"name": str(state.n)}

        compiled = of(AsDict, a).compile()
        assert dict(compiled.invoke({"name": "x"})) == {"name": "7"}

    def test_not_from_outside(self) -> None:
        """T1, T3: a private key is none that an input may have."""

        def a(state: TestPrivateKeys.Own) -> dict[str, Any]:
            raise AssertionError

        error = failure_of(of(AsDict, a).compile(), {"name": "x", "secret": []})
        assert "unknown key 'secret' @ $" in str(error)


class TestRefusals:
    @pytest.mark.parametrize("bare", [int, str, list, dict, list[int], dict[str, int], Any, type], ids=repr)
    def test_a_bare_value(self, bare: Any) -> None:
        """T1: a schema that is one bare value is refused."""
        with pytest.raises(InvalidRecordError, match=r"a state has named keys|must be a schema class"):
            StateGraph(bare)

    @pytest.mark.parametrize("given", [5, "n", b"", [5], {1: 2}.values(), object()], ids=repr)
    @pytest.mark.parametrize("option", ["input_schema", "output_schema"])
    def test_input_and_output(self, option: str, given: Any) -> None:
        """T1: these are a schema class or a collection of keys."""
        options: dict[str, Any] = {option: given}
        with pytest.raises(InvalidRecordError, match=option):
            StateGraph(AsDict, **options)

    @pytest.mark.parametrize("given", [5, "n", ["n"], object()], ids=repr)
    def test_context(self, given: Any) -> None:
        """T1: the context's schema is a class."""
        with pytest.raises(InvalidRecordError, match="context_schema must be a class"):
            StateGraph(AsDict, context_schema=given)

    def test_a_generic_context(self) -> None:
        """T1: nothing is an instance of `list[int]`."""
        wrong: Any = list[int]
        with pytest.raises(InvalidRecordError, match="that a context can be an instance of"):
            StateGraph(AsDict, context_schema=wrong)

    def test_coerce(self) -> None:
        """T1: `coerce` is a flag."""
        wrong: Any = "yes"
        with pytest.raises(InvalidRecordError, match="coerce must be True or False, not 'yes'"):
            StateGraph(AsDict, coerce=wrong)

    def test_input_schema_of_a_node(self) -> None:
        """T2: a node's schema is a class."""
        wrong: Any = ["n"]
        with pytest.raises(InvalidRecordError, match="node 'a': input_schema must be a schema class"):
            StateGraph(AsDict).add_node("a", lambda state: {}, input_schema=wrong)
        wrong = int
        with pytest.raises(InvalidRecordError, match="the class int declares none"):
            StateGraph(AsDict).add_node("a", lambda state: {}, input_schema=wrong)

    def test_an_unreadable_view(self) -> None:
        """T2: a node's annotated class that can be no schema is told when the node is added."""

        class Wrong(TypedDict):
            k: Annotated[int, APPEND]

        def a(state: Wrong) -> dict[str, Any]:
            raise AssertionError

        with pytest.raises(InvalidRecordError, match="APPEND makes a list, but the key is declared as int"):
            StateGraph().add_node(a)


T = TypeVar("T")


@attrs.frozen
class Page(Generic[T]):
    """A generic state."""

    items: Annotated[list[T], APPEND] = attrs.field(factory=list[T])


class TestGenerics:
    def test_an_alias(self) -> None:
        """T1: a generic class with its arguments is a schema."""
        compiled = of(Page[int], lambda state: {"items": 2}).compile()
        assert compiled.invoke({"items": [1]})["items"] == [1, 2]
        assert "expected int @ $.items[0], not str 'x'" in str(failure_of(compiled, {"items": ["x"]}))
