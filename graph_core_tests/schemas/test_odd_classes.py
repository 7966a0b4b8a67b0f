"""T1 to T3 with classes that do more than hold values."""

import collections
import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypedDict, TypeVar

import attrs
import pydantic
import pytest
import typing_extensions

from graph_core import (
    APPEND,
    END,
    MERGE,
    REMOVE,
    START,
    InvalidRecordError,
    RemoveByHash,
    StateGraph,
    UnresolvedHintWarning,
    route,
)
from graph_core_tests.shapes import failure_of, says


def of(schema: Any, node: Any, **options: Any) -> Any:
    """A graph of one node."""
    built: Any = StateGraph(schema)
    return built.add_node("a", node, **options).add_edge(START, "a").add_edge("a", END).compile()


def typed(schema: Any, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a node with a view."""

    def act(state: Any) -> Any:
        return change(state)

    act.__annotations__["state"] = schema
    return act


def looking(seen: list[Any]) -> Callable[[Any], Any]:
    """Make a node that notes what it gets."""

    def look(state: Any) -> Any:
        seen.append(state)
        return {}

    return look


class TestConstructors:
    def test_an_init_var(self) -> None:
        """T2: a parameter that is no field takes no value of the state."""

        @dataclasses.dataclass
        class Scaled:
            x: int
            scale: dataclasses.InitVar[int] = 1
            y: int = 2

        seen: list[Any] = []
        of(Scaled, typed(Scaled, looking(seen))).invoke({"x": 1, "y": 7})
        assert (seen[0].x, seen[0].y) == (1, 7)

    def test_an_own_constructor(self) -> None:
        """T2: values go to the parameters of their names, in whatever order these are."""

        @dataclasses.dataclass(init=False)
        class Turned:
            x: int = 0
            y: int = 0

            def __init__(self, y: int = 0, x: int = 0) -> None:
                self.x, self.y = x, y

        seen: list[Any] = []
        of(Turned, typed(Turned, looking(seen))).invoke({"x": 1, "y": 7})
        assert (seen[0].x, seen[0].y) == (1, 7)

    def test_a_class_without_a_signature(self) -> None:
        """T2: where the parameters can not be told, values go by name."""

        class Meta(type):
            @property
            def __signature__(cls) -> Any:
                raise ValueError

        @attrs.frozen
        class Hidden(metaclass=Meta):
            x: int = 0

        seen: list[Any] = []
        of(Hidden, typed(Hidden, looking(seen))).invoke({"x": 1})
        assert seen[0].x == 1


class Inner(pydantic.BaseModel):
    """A model in a model."""

    q: int = 0


class Model(pydantic.BaseModel):
    """A model with everything that can be changed in it."""

    inner: Inner = Inner()
    grid: list[list[int]] = [[1]]
    table: dict[str, list[int]] = {}
    queue: collections.deque[int] = collections.deque()
    marks: set[int] = set()


class TestModels:
    def test_defaults_are_fresh(self) -> None:
        """T1: no two runs share a default, not even what is inside it, and the class keeps its own."""

        def change(model: Model) -> Model:
            model.inner.q += 1
            return model

        app = of(Model, typed(Model, change))
        assert [app.invoke({})["inner"].q for _ in range(2)] == [1, 1]
        assert Model().inner.q == 0

    def test_changes_at_any_depth(self) -> None:
        """T2: what a node changed inside its view is an update, however deep it is."""

        def change(model: Model) -> Model:
            model.grid[0].append(5)
            model.table["a"] = [1]
            model.queue.append(1)
            model.marks.add(2)
            model.inner.q = 3
            return model

        state = of(Model, typed(Model, change)).invoke({})
        assert dict(state) == {
            "inner": Inner(q=3),
            "grid": [[1, 5]],
            "table": {"a": [1]},
            "queue": collections.deque([1]),
            "marks": {2},
        }

    def test_whole_validators(self) -> None:
        """T3: what the model refuses as a whole is refused at the door, defaults included."""

        class Lucky(pydantic.BaseModel):
            x: int = 0
            y: int = 0

            @pydantic.model_validator(mode="after")
            def no_13(self) -> Any:
                if self.x == 13:
                    raise ValueError("unlucky")
                return self

        assert "unlucky" in str(failure_of(of(Lucky, says({})), {"x": 13}))


class TestRecords:
    def test_fields_that_do_not_count(self) -> None:
        """T2: a record whose equality leaves a field out has changed when that field has."""

        @dataclasses.dataclass(frozen=True)
        class User:
            id: int
            name: str = dataclasses.field(default="", compare=False)

        @attrs.frozen
        class Item:
            id: int
            name: str = attrs.field(default="", eq=False)

        @attrs.frozen
        class State:
            user: User
            item: Item

        def change(state: State) -> State:
            return State(User(1, "new"), Item(1, "new"))

        state = of(State, typed(State, change)).invoke({"user": User(1, "old"), "item": Item(1, "old")})
        assert (state["user"].name, state["item"].name) == ("new", "new")

    def test_types_in_sets(self) -> None:
        """T2: `{True}` is not `{1}`."""

        @attrs.frozen
        class State:
            marks: set[int | bool]

        state = of(State, typed(State, lambda _: State({True}))).invoke({"marks": {1}})
        assert [*state["marks"]] == [True]
        assert next(iter(state["marks"])) is True

    @pytest.mark.parametrize("extra", ["subclass", "model"])
    def test_more_fields_than_the_view(self, extra: str) -> None:
        """T3: what an instance holds beside the view's fields is a key like any other: it is not dropped."""

        @attrs.frozen
        class Order:
            sku: str = ""

        @attrs.frozen
        class More(Order):
            count: int = 0

        class Open(pydantic.BaseModel):
            model_config = pydantic.ConfigDict(extra="allow")
            sku: str = ""

        schema, given = (Order, More("a", 7)) if extra == "subclass" else (Open, Open(sku="a", count=7))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
        failure = failure_of(of(schema, typed(schema, lambda _: given)), {})
        assert (failure.code, "unknown key 'count'" in str(failure)) == ("unknown_key", True)
        built: Any = StateGraph().add_node("a", typed(schema, lambda _: given)).add_edge(START, "a").add_edge("a", END)
        assert dict(built.compile().invoke({})) == {"sku": "a", "count": 7}


class TestMarkers:
    @attrs.frozen
    class State:
        """A list and a mapping."""

        m: Annotated[list[str], APPEND] = attrs.field(factory=list[str])
        d: Annotated[dict[str, int], MERGE] = attrs.field(factory=dict[str, int])

    def test_in_the_tail_of_a_list(self) -> None:
        """S6, T2: the tail of a returned list may take elements away."""
        wrong: Any = RemoveByHash("pre")
        node = typed(self.State, lambda s: attrs.evolve(s, m=[*s.m, wrong, "new"]))
        assert of(self.State, node).invoke({"m": ["pre", "q"]})["m"] == ["q", "new"]

    def test_among_entries(self) -> None:
        """S4, T2: an entry of a returned mapping may be taken away."""
        wrong: Any = REMOVE
        node = typed(self.State, lambda s: attrs.evolve(s, d={**s.d, "k": wrong, "n": 2}))
        assert of(self.State, node).invoke({"d": {"k": 1, "o": 1}})["d"] == {"o": 1, "n": 2}

    def test_a_shorter_list(self) -> None:
        """T2: a shorter list is no tail."""
        node = typed(self.State, lambda s: attrs.evolve(s, m=s.m[:1]))
        assert failure_of(of(self.State, node), {"m": ["a", "b"]}).code == "invalid_update"


Alias = typing_extensions.TypeAliasType("Alias", TestMarkers.State)
Bound = TypeVar("Bound", bound=TestMarkers.State)


class TestHints:
    @pytest.mark.parametrize(
        "hint", [Alias, Annotated[TestMarkers.State, "doc"], Bound], ids=["alias", "annotated", "type variable"]
    )
    def test_of_parameters(self, hint: Any) -> None:
        """T2: aliases, `Annotated` and type variables of a schema class mean that class."""
        seen: list[Any] = []
        of(TestMarkers.State, typed(hint, looking(seen))).invoke({})
        of(TestMarkers.State, looking(seen), input_schema=hint).invoke({})
        assert [type(each) for each in seen] == [TestMarkers.State] * 2

    @pytest.mark.parametrize("hint", [Alias, Annotated[TestMarkers.State, "doc"]], ids=["alias", "annotated"])
    def test_of_the_state(self, hint: Any) -> None:
        """T1: so do those that a graph is given."""
        assert of(hint, says({"m": "x"})).invoke({}).view() == TestMarkers.State(["x"])

    def test_mappings_given_twice(self) -> None:
        """R3: a typed route has its mappings already."""

        def choose(state: Any) -> bool:
            return True

        with pytest.raises(InvalidRecordError, match="has its mappings already"):
            StateGraph().add_conditional_edges(START, route(choose).to({True: "a", False: "b"}), ["a"])


_annotated: Any = Annotated  # to type checkers no value at all
_list: Any = list


class TestUnions:
    @pytest.mark.parametrize("order", ["before", "behind"])
    def test_a_strategy_on_a_member(self, order: str) -> None:
        """T1: a strategy on a part of a union would be overlooked, so it is refused with the right spelling."""
        part: Any = _annotated[list[int], APPEND]
        hint: Any = part | None if order == "before" else None | part
        schema: Any = attrs.make_class("Made", {"h": attrs.field(type=hint, default=None)})
        with pytest.raises(InvalidRecordError, match="stands on a part of a union; annotate the whole"):
            StateGraph(schema)

    def test_other_metadata_on_a_member(self) -> None:
        """T1: what is no strategy may stand there."""
        hint: Any = _annotated[int, "doc"] | None
        schema: Any = attrs.make_class("Made", {"h": attrs.field(type=hint, default=None)})
        assert of(schema, says({})).invoke({"h": 1})["h"] == 1


Label = Literal["a", "b"]


class TestTextInHints:
    def test_is_resolved(self) -> None:
        """R3, R10: text inside a hint is resolved as a hint of text is."""

        def several(state: Any) -> Any:
            return ["a"]

        several.__annotations__["return"] = _list["Label"]
        built: Any = StateGraph().add_node("a", says({})).add_node("b", says({})).add_edge(["a", "b"], END)
        assert built.add_conditional_edges(START, several).compile().invoke({}) == {}

    def test_is_told_if_it_can_not_be(self) -> None:
        """R10: what can not be resolved there is a named warning."""

        def wrong(state: Any) -> Any:
            return ["a"]

        wrong.__annotations__["return"] = _list["Nowhere"]
        with pytest.warns(UnresolvedHintWarning, match="the return hint of wrong"):
            StateGraph().add_conditional_edges(START, wrong, ["a"])


class TestViewsOfMappings:
    class Part(TypedDict, total=False):
        """Some of the keys."""

        a: int

    class Whole(Part, total=False):
        """All of them."""

        b: int

    @pytest.mark.parametrize("schema", [Part, Whole])
    def test_nobody_can_change_them(self, schema: Any) -> None:
        """R7: the view of a TypedDict is read-only, whether it has all keys or some."""

        def change(state: Any) -> dict[str, Any]:
            state["a"] = 99
            return {}

        failure = failure_of(of(self.Whole, typed(schema, change)), {"a": 1})
        assert isinstance(failure.__cause__, TypeError)
        assert "immutable" in str(failure)

    def test_they_can_be_copied(self) -> None:
        """R7: and pickled, copied, and shown as a dict is."""
        seen: list[Any] = []
        of(self.Whole, typed(self.Part, looking(seen))).invoke({"a": 1})
        assert copy.deepcopy(seen[0]) == pickle.loads(pickle.dumps(seen[0])) == {"a": 1}  # noqa: S301  (our own bytes)
        assert repr(seen[0]) == "{'a': 1}"


def test_a_key_that_can_not_be_shown() -> None:
    """T3: a key whose text raises is refused like any other that is unknown."""

    class Odd(str):
        __slots__ = ()

        def __repr__(self) -> str:
            raise ValueError

    class State(TypedDict, total=False):
        a: int

    failure = failure_of(of(State, says({})), {Odd("zz"): 1})
    assert (failure.code, "unknown key <Odd, whose repr raised ValueError>" in str(failure)) == ("invalid_inputs", True)
