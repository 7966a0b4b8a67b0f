"""P9: what is bound to an id must be bound to something."""

from collections.abc import Mapping
from typing import Any

import pytest

from graph_core import (
    APPEND,
    END,
    INLINE,
    START,
    CompileConfig,
    GraphStateException,
    RunnableConfig,
    Send,
    StateGraph,
)
from graph_core_tests.control.ways import (
    ANY_OF,
    FORK,
    NESTED,
    Way,
    each_threaded_way,
)
from graph_core_tests.shapes import State, Update, appends, failure_of, graph, says

OPEN = ("START > a", "a > b, c", "b > x, y", "c > y", "x > d", "y > d", "d > END")
"""The fork at b is an open one."""

VALUES: Mapping[str, Any] = {"parallel_executors": INLINE, "max_concurrency": 1, "aggregation": ANY_OF}


def bound(setting: str, id_: Any) -> RunnableConfig:
    """Bind one id."""
    settings: dict[str, Any] = {setting: {id_: VALUES[setting]}}
    return RunnableConfig(**settings)


@pytest.mark.parametrize("setting", ["parallel_executors", "max_concurrency"])
class TestSources:
    @pytest.mark.parametrize("id_", ["a", "b"])
    def test_closed_forks(self, setting: str, id_: str) -> None:
        """P9: the source of a fork, of an inner one, too."""
        assert graph(*NESTED).compile().invoke({}, bound(setting, id_))["m"] == ["a", "b", "x", "y", "z", "c", "d"]

    def test_start(self, setting: str) -> None:
        """P9: START may be a source."""
        compiled = graph("START > a, b", "a > END", "b > END").compile()
        assert compiled.invoke({}, bound(setting, START))["m"] == ["a", "b"]

    @pytest.mark.parametrize("id_", ["x", "d", "zz", END, "__PARALLEL__(a)"], ids=str)
    def test_others(self, setting: str, id_: Any) -> None:
        """P9: a node that is no fork, no node at all, and the fork's own id are refused before anything runs."""
        ran: list[str] = []

        def note(state: State) -> Update:
            ran.append("a")
            return {}

        error = failure_of(graph(*NESTED, a=note).compile(), {}, bound(setting, id_))
        assert (error.code, ran) == ("unknown_id", [])
        assert f"{setting} names {id_!r}, which is none of the forks" in str(error)
        assert "that run as a region: ['a', 'b']." in str(error)

    def test_an_open_fork(self, setting: str) -> None:
        """P9, P14: an open fork has no branches of its own."""
        assert failure_of(graph(*OPEN).compile(), {}, bound(setting, "b")).code == "unknown_id"
        assert graph(*OPEN).compile().invoke({}, bound(setting, "a"))["m"] == ["a", "b", "x", "c", "y", "d"]

    def test_a_fork_inside_of_two(self, setting: str) -> None:
        """P9: a fork that lies in the regions of two others is one fork."""
        shape = ("p > a, b", "q > a, b", "a > c, d", "c > e", "d > e", "e > z", "b > z", "z > END")
        compiled = graph("START > s", *shape).add_conditional_edges("s", lambda _: "q", {"p": "p", "q": "q"}).compile()
        assert compiled.invoke({}, bound(setting, "a"))["m"] == ["s", "q", "a", "c", "d", "e", "b", "z"]

    def test_a_hint(self, setting: str) -> None:
        """P9: a close match is told."""
        built = graph("START > first", "first > b, c", "b > END", "c > END")
        assert "Did you mean 'first'?" in str(failure_of(built.compile(), {}, bound(setting, "frist")))


class TestAggregation:
    @pytest.mark.parametrize("id_", ["__PARALLEL__(a)", "__PARALLEL__(b)", "d", "z"])
    def test_what_may_be_named(self, id_: str) -> None:
        """P7, P9: forks and convergences."""
        assert graph(*NESTED).compile().try_invoke({}, bound("aggregation", id_)).unwrap() is not None

    @pytest.mark.parametrize("id_", ["a", "x", "zz", END, START, "__PARALLEL__(d)"])
    def test_what_may_not(self, id_: str) -> None:
        """P9: a source, a node where nothing converges, and what is no id."""
        error = failure_of(graph(*NESTED).compile(), {}, bound("aggregation", id_))
        assert error.code == "unknown_id"
        assert f"aggregation names {id_!r}" in str(error)

    def test_an_open_fork(self) -> None:
        """P9, P14: it has no region."""
        assert failure_of(graph(*OPEN).compile(), {}, bound("aggregation", "__PARALLEL__(b)")).code == "unknown_id"

    def test_end(self) -> None:
        """P7: `END`, if something converges there."""
        compiled = graph("START > a, b", "a > END", "b > END").compile()
        assert len(compiled.invoke({}, bound("aggregation", END))["m"]) == 1

    def test_an_open_fork_behind_copies(self) -> None:
        """P1, P9: the point where copies join before a fork has no id of its own."""
        built = StateGraph({"m": APPEND})
        for name in "wxyz":
            built.add_node(name, appends(name))
        built.add_parallel_conditional_edges(START, says([Send("w", {})]), ["w"])
        built.add_edge("w", ["x", "y"]).add_edge(["x", "y"], "z").add_edge("z", END)
        error = failure_of(built.compile(), {}, bound("aggregation", "w"))
        assert "['__PARALLEL__(__START__)', '__PARALLEL__(w)', 'z']" in str(error)

    @pytest.mark.parametrize("bad", [5, [("d", ANY_OF)], {"d": "any_of"}, {"d": None}], ids=repr)
    def test_what_is_no_aggregation(self, bad: Any) -> None:
        """P7: a mapping of ids to strategies."""
        with pytest.raises(ValueError, match="aggregation"):
            RunnableConfig(aggregation=bad)

    @pytest.mark.parametrize("bad", ["any_of", None, 1], ids=repr)
    def test_what_is_no_default(self, bad: Any) -> None:
        """P7: one of the two."""
        with pytest.raises(ValueError, match=r"default_aggregation must be NodeAggregationStrategy.ALL_OF or ANY_OF"):
            RunnableConfig(default_aggregation=bad)


class TestTheCompile:
    def test_its_limits(self) -> None:
        """C2, P9: the compile's mapping is checked when it is compiled."""
        with pytest.raises(GraphStateException, match="max_concurrency names 'b'"):
            graph(*FORK).compile(CompileConfig(max_concurrency={"b": 1}))

    def test_a_good_one(self) -> None:
        """P9: a fork."""
        assert graph(*FORK).compile(CompileConfig(max_concurrency={"a": 1})).invoke({})["m"] == ["a", "b", "c", "d"]


@each_threaded_way
def test_a_run_inside_does_not_get_them(way: Way) -> None:
    """C6, P9: a node's config in another graph's verb carries no bindings, but the other settings."""
    inner = graph("START > p, q", "p > END", "q > END", make=appends).compile()

    def act(state: State, config: RunnableConfig) -> Update:
        return {"m": inner.invoke({}, config)["m"]}

    config = RunnableConfig(
        parallel_executors={"a": INLINE},
        max_concurrency={"a": 1},
        aggregation={"__PARALLEL__(a)": ANY_OF, "d": ANY_OF},
        context="kept",
    )
    assert way(graph(*FORK, b=act).compile(), config).m == ["a", "p", "q", "d"]
