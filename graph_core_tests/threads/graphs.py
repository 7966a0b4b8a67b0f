"""Small graphs of every shape, each with what makes its runs harder to stop and to go on with."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from attrs import frozen

from graph_core import (
    END,
    Command,
    MultiCommand,
    NodeAggregationStrategy,
    RunnableConfig,
    Send,
    StateGraph,
)
from graph_core_tests.shapes import Action, State, Update, appends, graph, says

Build: TypeAlias = Callable[[], StateGraph]
Wrap: TypeAlias = Callable[[str, Action], Action]
"""Gives the action of a node, made of one that only appends or counts."""


@frozen
class Shape:
    """A graph, how it is compiled, and whether which branches run is a matter of time.

    Args:
        build: makes the graph.
        options: of `CompileConfig`.
        any_of: the first branch to arrive is enough, so siblings may be cut short.
    """

    build: Build
    options: Mapping[str, Any] = {}
    any_of: bool = False

    @property
    def config(self) -> RunnableConfig:
        """What a call is made with."""
        if self.any_of:
            return RunnableConfig(default_aggregation=NodeAggregationStrategy.ANY_OF)
        return RunnableConfig()


def counted(name: str) -> Callable[[State], Update]:
    """Make a node that appends its id to `m`, and counts its runs."""
    return lambda state: {"m": name, f"n_{name}": state.get(f"n_{name}", 0) + 1}


def up_to(name: str, limit: int, back: str, on: str) -> Callable[[State], str]:
    """Make a route that goes back until a node has run so often."""
    return lambda state: back if state.get(f"n_{name}", 0) < limit else on


def bare(_: str, action: Action) -> Action:
    """Give an action as it is."""
    return action


def _appends(wrap: Wrap) -> Callable[[str], Action]:
    return lambda name: wrap(name, appends(name))


def chain(wrap: Wrap = bare) -> StateGraph:
    """A chain with a condition that changes the state."""
    built = graph("START > a", "a > b", "b", "c > END", make=_appends(wrap))

    def route(state: State) -> Command:
        return Command("c", {"m": "b?"})

    return built.add_conditional_edges("b", route, ["c", END])


def loop(wrap: Wrap = bare) -> StateGraph:
    """A loop of two nodes, three times around."""
    built = graph("START > a", "a > b", "b", make=_appends(wrap), a=wrap("a", counted("a")))
    return built.add_conditional_edges("b", up_to("a", 3, "a", END), ["a", END])


def start_fork() -> StateGraph:
    """A fork of `START`, with a condition in a branch."""
    built = graph("START > a, b", "a", "b > d", "c > d", "d > END")
    return built.add_conditional_edges("a", lambda state: "c", ["c", "d"])


def region(wrap: Wrap = bare) -> StateGraph:
    """A region with branches of different lengths, one with a loop, and a join of two."""
    edges = ("START > a", "a > b, c, d", "b > e", "c > e", "d", "e > f", "f > END")
    built = graph(*edges, make=_appends(wrap), d=wrap("d", counted("d")))
    return built.add_conditional_edges("d", up_to("d", 2, "d", "f"), ["d", "f"])


def nested(wrap: Wrap = bare) -> StateGraph:
    """A region in a branch of a region, between nodes of that branch."""
    edges = ("START > a", "a > b, c", "b > d, e", "d > g", "e > g", "g > z", "c > z", "z > END")
    return graph(*edges, make=_appends(wrap))


def open_fork() -> StateGraph:
    """The first worked example: the fork of a branch is open."""
    return graph("START > a", "a > b, c", "b > d, e", "c > e", "d > f", "e > f", "f > END")


def of_item(state: State) -> Update:
    """Append what a copy was sent."""
    return {"m": f"w{state.get('item')}"}


def sends(wrap: Wrap = bare) -> StateGraph:
    """Copies beside a plain branch; one copy goes around twice (the fourth worked example)."""
    edges = ("START > a", "a", "w", "p > q", "q > r", "r > END")
    built = graph(*edges, make=_appends(wrap), w=wrap("w", of_item))

    def route(state: State) -> list[Any]:
        return [Send("w", {"item": 1}), "p", Send("w", {"item": 2})]

    def again(state: State) -> str:
        return "w" if state.get("item") == 2 and state["m"].count("w2") < 2 else "r"

    built.add_parallel_conditional_edges("a", route, ["w", "p"], sends=["w"])
    return built.add_conditional_edges("w", again, ["w", "r"])


def copies_before_a_fork() -> StateGraph:
    """Copies that join right behind a node with several fixed edges, whose fork then runs once."""
    built = graph("START > a", "a", "w > x, y", "x > z", "y > z", "z > END", w=of_item)
    route = says([Send("w", {"item": 1}), Send("w", {"item": 2})])
    return built.add_parallel_conditional_edges("a", route, ["w"], sends=["w"])


def inner_copies_before_a_fork() -> StateGraph:
    """The same in a branch of a region."""
    edges = ("START > s", "s > a, b", "a", "w > x, y", "x > z", "y > z", "z > t", "b > t", "t > END")
    built = graph(*edges, w=of_item)
    route = says([Send("w", {"item": 1}), Send("w", {"item": 2})])
    return built.add_parallel_conditional_edges("a", route, ["w"], sends=["w"])


def deferred() -> StateGraph:
    """A deferred node in a region, which waits for a longer branch."""
    built = graph("START > a", "a > b, c", "b > l", "c > d", "d > e", "e > z", "z > END", later=["l"])
    return built.add_node("l", appends("l"), defer=True).add_edge("l", "z")


def way_back() -> StateGraph:
    """The second worked example: a branch leaves backwards, once."""
    built = graph("START > s", "s > a", "a > b, c", "b > d", "c", "d > END", c=counted("c"))
    return built.add_conditional_edges("c", up_to("c", 2, "s", "d"), ["s", "d"])


def routes_of_one_source() -> StateGraph:
    """A source with a fixed edge and two routes, one of which changes the state (R8)."""
    built = graph("START > a", "a > b", "b > z", "c > z", "d > z", "z > END")
    built.add_parallel_conditional_edges("a", says(MultiCommand(["c", "d"], {"m": "a?"})), ["c", "d"], name="some")
    return built.add_conditional_edges("a", says("c"), ["c", "z"], name="one")


def commands() -> StateGraph:
    """Nodes that say themselves where they go, on the main path and in a branch."""
    built = graph("START > a", "b", "c > z", "d > z", "e > z", "z > END", later=["a", "b"])
    built.add_node("a", says(MultiCommand(["b", "c"], {"m": "a"})), ["b", "c"])
    return built.add_node("b", says(MultiCommand(["d", "e"], {"m": "b"})), ["d", "e"])


def nothing_chosen() -> StateGraph:
    """Multi routes that choose nothing: on the main path, and in a branch."""
    built = graph("START > a", "a", "b > c", "c > d, e", "d", "e > y", "f > y", "y > z", "z > END")
    built.add_parallel_conditional_edges("a", says([]), ["b", "c"])
    return built.add_parallel_conditional_edges("d", says([]), ["f", "y"])


def held_by_one_that_drops_out() -> StateGraph:
    """Under ANY_OF: a join that is held by a branch which may drop out."""
    return graph("START > a", "a > b, c", "b > v", "c > v", "v > w", "w > z", "z > END")


def inner_any_of() -> StateGraph:
    """A region whose inner region needs one branch only."""
    return graph("START > a", "a > b, c", "b > d, e", "d > g", "e > g", "g > z", "c > k", "k > z", "z > END")


SHAPES: Mapping[str, Shape] = {
    "chain": Shape(chain),
    "loop": Shape(loop),
    "start_fork": Shape(start_fork),
    "region": Shape(region),
    "nested": Shape(nested),
    "open_fork": Shape(open_fork),
    "sends": Shape(sends),
    "copies_before_a_fork": Shape(copies_before_a_fork),
    "inner_copies_before_a_fork": Shape(inner_copies_before_a_fork),
    "deferred": Shape(deferred),
    "deferred, waits": Shape(deferred, {"on_branch_error": "wait"}),
    "way_back": Shape(way_back),
    "routes_of_one_source": Shape(routes_of_one_source),
    "commands": Shape(commands),
    "nothing_chosen": Shape(nothing_chosen),
    "region, waits": Shape(region, {"on_branch_error": "wait"}),
    "nested, waits": Shape(nested, {"on_branch_error": "wait"}),
    "region, any of": Shape(region, any_of=True),
    "nested, any of": Shape(nested, any_of=True),
    "inner_any_of": Shape(inner_any_of, any_of=True),
    "held_by_one_that_drops_out": Shape(held_by_one_that_drops_out, any_of=True),
}
"""Every shape by name."""
