"""T3: inputs are checked before anything runs, and everything wrong is told at once, with paths."""

import operator
from decimal import Decimal
from typing import Annotated, Any, TypedDict

import attrs
import pydantic
import pytest

from graph_core import APPEND, END, START, GraphRunnerException, Overwrite, StateGraph
from graph_core_tests.schemas.kinds import AsAttrs, AsDict, AsModel, each_kind, each_record, each_runner
from graph_core_tests.shapes import Runner, failure_of, says


@attrs.frozen
class Item:
    """A line of an order."""

    sku: str
    qty: int


@attrs.frozen
class Order:
    """The state of a shop."""

    items: list[Item]
    price: Decimal = Decimal(0)


def never(state: Any) -> Any:
    """A node that must not run."""
    raise AssertionError


def idle(state: Any) -> Any:
    """A node that does nothing."""
    return {}


def of(schema: Any, node: Any = idle, **options: Any) -> Any:
    """A graph of one node."""
    built: Any = StateGraph(schema, **options)
    return built.add_node("a", node).add_edge(START, "a").add_edge("a", END).compile()


class TestRefusals:
    @each_kind
    @each_runner
    def test_all_at_once(self, schema: Any, run: Runner) -> None:
        """T3: all problems are told, each with its path, and nothing runs."""
        result = run(of(schema, never), {"name": 5, "n": "5", "lo": [], "log": [1]}, None)
        assert result.outputs == []
        assert result.failure.code == "invalid_inputs"
        text = str(result.failure)
        assert len(result.failure.problems) == 4
        for part in (
            "expected str @ $.name, not int 5",
            "expected int @ $.n, not str '5'",
            "unknown key 'lo' @ $, did you mean 'log'?",
            "expected str @ $.log[0], not int 1",
        ):
            assert part in text

    def test_paths_inside(self) -> None:
        """T3: the path leads into records and containers."""
        wrong: Any = Item
        error = failure_of(of(Order, never), {"items": [Item("a", 1), Item("b", 2), wrong("c", "5")]})
        assert "expected int @ $.items[2].qty, not str '5'" in str(error)

    @pytest.mark.parametrize(("value", "actual"), [(True, "bool True"), (1.0, "float 1.0"), ("5", "str '5'")])
    def test_strict(self, value: Any, actual: str) -> None:
        """T3: nothing is converted unless it is asked for."""
        assert f"expected int @ $.n, not {actual}" in str(failure_of(of(AsAttrs, never), {"name": "x", "n": value}))

    @pytest.mark.parametrize("wrong", [5, "text", [("name", "x")], Item("a", 1)], ids=repr)
    def test_no_mapping(self, wrong: Any) -> None:
        """T3: what is neither a mapping nor an instance of the schema is no input."""
        error = failure_of(of(AsAttrs, never), wrong)
        assert (error.code, "must be a mapping with str keys" in str(error)) == ("invalid_inputs", True)

    def test_keys_that_are_no_text(self) -> None:
        """S9: keys are `str`."""
        wrong: Any = {5: 1}
        assert failure_of(of(AsAttrs, never), wrong).code == "invalid_inputs"

    def test_markers_are_checked(self) -> None:
        """T3: what a key is overwritten with is checked, too."""
        error = failure_of(of(AsAttrs, never), {"name": "x", "log": Overwrite(5)})
        assert "$.log" in str(error)

    def test_a_model_has_its_own_rules(self) -> None:
        """T3: constraints of a pydantic model hold at the door."""

        class Bounded(pydantic.BaseModel):
            n: int = pydantic.Field(default=1, ge=1)

        assert "greater than or equal to 1" in str(failure_of(of(Bounded, never), {"n": 0}))


@attrs.frozen
class Guarded:
    """A state whose class looks at its values."""

    n: int = attrs.field(validator=attrs.validators.ge(0))
    code: str = attrs.field(default="a1", validator=attrs.validators.matches_re("[a-z][0-9]"))
    log: Annotated[list[int], APPEND] = attrs.field(factory=list[int], validator=attrs.validators.max_len(2))


class TestValidators:
    @pytest.mark.parametrize(
        ("given", "text"),
        [
            ({"n": -1}, "ValueError: 'n' must be >= 0: -1 @ $"),
            ({"n": 1, "code": "zz"}, "ValueError: 'code' must match regex '[a-z][0-9]' ('zz' doesn't) @ $"),
            ({"n": 1, "log": (1, 2, 3)}, "ValueError: Length of 'log' must be <= 2: 3 @ $"),
        ],
        ids=str,
    )
    @each_runner
    def test_of_the_states_class(self, given: Any, text: str, run: Runner) -> None:
        """T3: what the class of the schema refuses is refused before anything runs, with its own words."""
        result = run(of(Guarded, never), given, None)
        assert (result.outputs, result.failure.code) == ([], "invalid_inputs")
        assert result.failure.problems == (text,)

    def test_of_a_part(self) -> None:
        """T3: where required keys are still missing, there is no instance to ask."""
        assert dict(of(Guarded).invoke({"code": "zz"})) == {"code": "zz", "log": []}

    def test_of_the_input_schema(self) -> None:
        """T3: an input schema's own types and validators count."""

        @attrs.frozen
        class Given:
            n: int = 5

        @attrs.frozen
        class State:
            n: str = "5"

        error = failure_of(of(State, never, input_schema=Given), {})
        assert error.problems == (
            "$: key 'n' of TestValidators.test_of_the_input_schema.<locals>.Given must be int, not str '5'",
        )


class TestPartialInputs:
    def test_without_input_schema(self) -> None:
        """T1: with the state's schema alone, an input may leave out what nodes write later."""
        assert dict(of(AsDict).invoke({"n": 1})) == {"n": 1}

    def test_with_input_schema(self) -> None:
        """T3: what an input schema requires must be given."""

        class Given(TypedDict):
            name: str
            n: int

        error = failure_of(of(AsDict, never, input_schema=Given), {"n": 1})
        assert (error.code, "required key missing @ $.name" in str(error)) == ("invalid_inputs", True)

    def test_a_default_of_the_state_will_do(self) -> None:
        """T3: a required key that the state begins with is not missing."""

        class Given(TypedDict):
            n: int

        assert of(AsAttrs, input_schema=Given).invoke({})["n"] == 0

    def test_keys_of_an_input_schema(self) -> None:
        """T1: an input schema narrows what goes in; the rest of the state is not for callers."""

        class Given(TypedDict):
            name: str

        compiled = of(AsDict, never, input_schema=Given)
        assert "unknown key 'n' @ $" in str(failure_of(compiled, {"name": "x", "n": 1}))

    @pytest.mark.parametrize("keys", [["name", "n"], ("name", "n"), {"name": 1, "n": 2}.keys()], ids=repr)
    def test_a_collection_of_keys(self, keys: Any) -> None:
        """T1: a collection of keys narrows, too; the types are those of the state's schema."""
        compiled = of(AsAttrs, input_schema=keys)
        assert compiled.invoke({"n": 3})["n"] == 3
        error = failure_of(compiled, {"n": "3", "log": []})
        assert "expected int @ $.n" in str(error)
        assert "unknown key 'log' @ $" in str(error)

    def test_a_collection_without_a_schema(self) -> None:
        """T1: without a schema the keys alone are looked at."""
        compiled = of(None, input_schema=["n"])
        assert compiled.invoke({"n": "any"})["n"] == "any"
        assert "unknown key 'm' @ $" in str(failure_of(compiled, {"m": 1}))

    def test_unknown_keys_of_a_collection(self) -> None:
        """T1: keys that no schema declares are a compile problem, with a close match."""
        built: Any = StateGraph(AsDict, input_schema=["nam"], output_schema=["nn", "log"])
        built.add_node("a", idle).add_edge(START, "a").add_edge("a", END)
        found = {problem.place: problem for problem in built.validate()}
        assert {problem.code for problem in found.values()} == {"unknown_key"}
        assert "input_schema names key 'nam'" in found["input_schema"].message
        assert "Did you mean 'name'?" in found["input_schema"].message
        assert "output_schema names key 'nn'" in found["output_schema"].message

    def test_private_input_keys(self) -> None:
        """T1: a key of the input schema alone is there for nodes, and goes no further than the run."""

        class Given(TypedDict):
            question: str

        def a(state: Given) -> dict[str, Any]:
            return {"name": state["question"]}

        assert dict(of(AsDict, a, input_schema=Given).invoke({"question": "q"})) == {"name": "q"}


class TestInstances:
    @each_record
    @each_runner
    def test_of_the_schema(self, schema: Any, run: Runner) -> None:
        """T1: an instance of the state's class is an input."""
        given: Any = schema(name="x", n=3, log=["a"])
        assert run(of(schema), given, None).state == {"name": "x", "n": 3, "log": ["a"], "total": 5}

    @each_record
    def test_defaults_are_not_doubled(self, schema: Any) -> None:
        """X0: a field that equals its default is what the state begins with, and is not merged onto it again."""
        assert of(schema).invoke(schema(name="x"))["total"] == 5

    def test_a_model_knows_what_was_set(self) -> None:
        """X0: a pydantic model knows which fields were set, also to their default."""
        assert of(AsModel).invoke(AsModel(name="x", total=5))["total"] == 10

    def test_of_an_input_schema(self) -> None:
        """T1: with an input schema, its instances are inputs, and those of the state are none."""

        @attrs.frozen
        class Given:
            name: str

        compiled = of(AsAttrs, input_schema=Given)
        assert compiled.invoke(Given("x"))["name"] == "x"
        other: Any = AsAttrs("x")
        assert failure_of(compiled, other).code == "invalid_inputs"

    def test_are_checked(self) -> None:
        """T3: attrs classes do not check types, the door does."""
        wrong: Any = AsAttrs(name=5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        assert "expected str @ $.name, not int 5" in str(failure_of(of(AsAttrs, never), wrong))


class TestCoercion:
    def test_what_can_be_converted_is(self) -> None:
        """T3: `coerce=True` converts what loses nothing, at the door."""
        compiled = of(Order, coerce=True)
        assert dict(compiled.invoke({"items": [{"sku": "a", "qty": "5"}], "price": "1.50"})) == {
            "items": [Item("a", 5)],
            "price": Decimal("1.50"),
        }

    def test_what_would_lose_is_refused(self) -> None:
        """T3: `2.5` is no int, however much one wishes."""
        error = failure_of(of(AsAttrs, never, coerce=True), {"name": "x", "n": 2.5})
        assert "expected int @ $.n, not float 2.5" in str(error)

    def test_only_at_the_door(self) -> None:
        """T3: what a node returns is not converted."""
        compiled = of(AsAttrs, says({"n": "5"}), coerce=True)
        assert failure_of(compiled, {"name": "x"}).code == "invalid_value"


class TestWithoutASchema:
    def test_anything_goes(self) -> None:
        """T1: a graph without a schema takes any keys."""
        assert dict(of({"m": APPEND}).invoke({"m": 1, "x": 2})) == {"m": [1], "x": 2}

    def test_an_instance_is_none(self) -> None:
        """T3: an instance means nothing to it."""
        with pytest.raises(GraphRunnerException, match="must be a mapping with str keys"):
            of({"m": operator.add}, never).invoke(Item("a", 1))


def test_append_takes_an_element() -> None:
    """S6, T3: under APPEND an input may be one element or several; both are checked."""

    class State(TypedDict):
        log: Annotated[list[int], APPEND]

    assert of(State).invoke({"log": 1})["log"] == [1]
    assert of(State).invoke({"log": (1, 2)})["log"] == [1, 2]
    assert "$.log" in str(failure_of(of(State, never), {"log": "x"}))
