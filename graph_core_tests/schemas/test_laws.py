"""T1 to T3: input → state → view → update → output loses nothing and changes nothing, for every schema."""

import operator
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_core import APPEND, END, START, StateGraph
from graph_core.state.schema.same import is_same
from graph_core_tests.shapes import RUNNERS
from graph_core_tests.state.schema.made import typed_dict
from graph_core_tests.state.schema.values import COMMON, Values

TYPES: list[tuple[Any, Values]] = [*COMMON, (int | bool, st.integers(0, 1) | st.booleans())]
FIELDS = st.lists(st.sampled_from(TYPES), min_size=1, max_size=4)


def as_attrs(hints: dict[str, Any]) -> Any:
    """Make a frozen attrs class."""
    return attrs.make_class("Made", {name: attrs.field(type=hint) for name, hint in hints.items()}, frozen=True)


def as_open(hints: dict[str, Any]) -> Any:
    """Make an attrs class whose instances can be changed."""
    return attrs.make_class("Made", {name: attrs.field(type=hint) for name, hint in hints.items()})


KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "typed_dict": lambda hints: typed_dict("Made", hints),
    "attrs": as_attrs,
    "mutable": as_open,
}
each_kind = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())


def chain_of(schema: Any, nodes: list[Callable[[Any], Any]]) -> Any:
    """A chain of nodes that get views."""
    built: Any = StateGraph(schema)
    built.add_sequence(*((f"n{number}", node) for number, node in enumerate(nodes)))
    return built.add_edge(START, "n0").add_edge(f"n{len(nodes) - 1}", END).compile()


def returning(schema: Any, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make a node with a view."""

    def act(state: Any) -> Any:
        return change(state)

    act.__annotations__["state"] = schema
    return act


def field_of(view: Any, key: str) -> Any:
    """Read a view, whatever it is."""
    if issubclass(type(view), dict):
        return view[key]
    return getattr(view, key)


def drawn(data: st.DataObject, fields: list[tuple[Any, Values]]) -> dict[str, Any]:
    """Draw a value for each field."""
    return {f"k{number}": data.draw(values) for number, (_, values) in enumerate(fields)}


@each_kind
@given(data=st.data(), fields=FIELDS, runner=st.sampled_from(list(RUNNERS.values())))
def test_what_goes_in_comes_out(make: Any, data: st.DataObject, fields: Any, runner: Any) -> None:
    """T1, T2: nodes that give their view back change nothing between input and output."""
    schema = make({f"k{number}": hint for number, (hint, _) in enumerate(fields)})
    values = drawn(data, fields)
    seen: list[Any] = []

    def look(view: Any) -> Any:
        seen.append(view)
        return {} if isinstance(view, dict) else view

    state = runner(chain_of(schema, [returning(schema, look)] * 2), values, None).state
    assert is_same(dict(state), values)
    for view in seen:
        assert is_same({key: field_of(view, key) for key in values}, values)


@given(data=st.data(), fields=FIELDS, given_as=st.sampled_from(["mapping", "instance"]))
def test_what_an_instance_says_is_what_the_state_is(data: st.DataObject, fields: Any, given_as: str) -> None:
    """T2: after a node that returned an instance the state is what it says, or it is refused."""
    schema = as_attrs({f"k{number}": hint for number, (hint, _) in enumerate(fields)})
    before, after = drawn(data, fields), drawn(data, fields)
    compiled = chain_of(schema, [returning(schema, lambda _: schema(**after))])
    outcome = compiled.try_invoke(before if given_as == "mapping" else schema(**before))
    refused = [
        key
        for number, (hint, _) in enumerate(fields)
        if APPEND in getattr(hint, "__metadata__", ()) or operator.add in getattr(hint, "__metadata__", ())
        for key in [f"k{number}"]
        if isinstance(after[key], list) and after[key][: len(before[key])] != before[key]
    ]
    if refused:
        assert outcome.failure().code == "invalid_update"
    else:
        assert is_same(dict(outcome.unwrap()), after)
        assert outcome.unwrap().view() == schema(**after)
