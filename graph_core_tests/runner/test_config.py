"""X6: what a node can read of its run."""

from typing import Any

import pytest

from graph_core import END, INLINE, InvalidRecordError, RunnableConfig, StateGraph, StreamMode
from graph_core_tests.shapes import RUNNERS, Compiled, Runner, State, Update, graph

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
FORK = ("START > a", "a > b, c", "b > x", "x > d", "c > d", "d > END")


def seen_by(edges: tuple[str, ...], attribute: str, run: Runner, config: RunnableConfig | None = None) -> list[Any]:
    """Run a graph whose nodes append an attribute of their config, and give what they saw."""

    def note(state: State, config: RunnableConfig) -> Update:
        return {"m": [getattr(config, attribute)]}

    found: list[Any] = run(graph(*edges, make=lambda _: note).compile(), {}, config).state["m"]
    return found


@each_runner
class TestAttributes:
    def test_node_id(self, run: Runner) -> None:
        """X6: the id of the node."""
        assert seen_by(FORK, "node_id", run) == ["a", "b", "x", "c", "d"]

    def test_step(self, run: Runner) -> None:
        """X6, X2: the step, from 1; siblings share a number."""
        assert seen_by(FORK, "step", run) == [1, 2, 3, 2, 4]

    def test_remaining_steps(self, run: Runner) -> None:
        """X6: what the limit allows after this step."""
        assert seen_by(FORK, "remaining_steps", run, RunnableConfig(recursion_limit=10)) == [9, 8, 7, 8, 6]

    def test_path(self, run: Runner) -> None:
        """X6: no child graphs around."""
        assert set(seen_by(FORK, "path", run)) == {()}

    def test_thread_id(self, run: Runner) -> None:
        """X6: the thread that was named."""
        assert set(seen_by(FORK, "thread_id", run, RunnableConfig(thread_id="t"))) == {"t"}

    def test_a_private_thread_id(self, run: Runner) -> None:
        """X5: a random one if none was named, the same for the whole run."""
        (one,), (two,) = set(seen_by(FORK, "thread_id", run)), set(seen_by(FORK, "thread_id", run))
        assert one
        assert one != two

    def test_run_id(self, run: Runner) -> None:
        """X6: each run has its own."""
        config = RunnableConfig(thread_id="t")
        (one,), (two,) = set(seen_by(FORK, "run_id", run, config)), set(seen_by(FORK, "run_id", run, config))
        assert one
        assert one != two


def run_plain(compiled: Compiled, config: RunnableConfig) -> Any:
    """Run, and give `m`."""
    return compiled.invoke({}, config)["m"]


class TestWhatIsHandedOn:
    def build(self, attribute: str) -> Compiled:
        """Make a graph whose nodes append what they are given."""

        def note(state: State, config: RunnableConfig) -> Update:
            return {"m": [getattr(config, attribute)]}

        return graph(*FORK, make=lambda _: note).compile()

    def test_context(self) -> None:
        """X6: the context is handed on as it is."""
        context = object()
        found = run_plain(self.build("context"), RunnableConfig(context=context))
        assert all(each is context for each in found)
        assert run_plain(self.build("context"), RunnableConfig()) == [None] * 5

    def test_store(self) -> None:
        """X6: so is the store."""
        store = object()
        assert all(each is store for each in run_plain(self.build("store"), RunnableConfig(store=store)))

    def test_metadata(self) -> None:
        """X6: metadata of the run (Java: testRunnableConfigMetadata)."""
        found = run_plain(self.build("metadata"), RunnableConfig(metadata={"configData": "test"}))
        assert [dict(each) for each in found] == [{"configData": "test"}] * 5

    def test_metadata_can_not_be_written(self) -> None:
        """X6: it is read-only."""
        found = run_plain(self.build("metadata"), RunnableConfig(metadata={"a": 1}))
        writable: Any = found[0]
        with pytest.raises(TypeError):
            writable["a"] = 2

    def test_metadata_of_the_node(self) -> None:
        """X4: the node's own metadata lies below the run's."""

        def note(state: State, config: RunnableConfig) -> Update:
            return {"m": [dict(config.metadata)]}

        built = graph("b > END", b=note).add_node("a", note, metadata={"x": "node", "y": "node"})
        compiled = built.add_edge("__START__", "a").add_edge("a", "b").compile()
        assert run_plain(compiled, RunnableConfig(metadata={"x": "run"})) == [{"x": "run", "y": "node"}, {"x": "run"}]

    def test_run_data(self) -> None:
        """X6: a mutable mapping of the run, shared by its nodes and by no other run."""

        def count(state: State, config: RunnableConfig) -> Update:
            config.run_data["n"] = config.run_data.get("n", 0) + 1
            return {"m": config.run_data["n"]}

        compiled = graph(*FORK, make=lambda _: count).compile()
        config = RunnableConfig(default_parallel_executor=INLINE)
        assert sorted(run_plain(compiled, config)) == [1, 2, 3, 4, 5]
        assert sorted(run_plain(compiled, config)) == [1, 2, 3, 4, 5]

    def test_routers_get_it_too(self) -> None:
        """X6: a router gets the config of its source."""
        seen: list[tuple[str | None, int]] = []

        def route(state: State, config: RunnableConfig) -> str:
            seen.append((config.node_id, config.step))
            return "d"

        def last(state: State, config: RunnableConfig) -> str:
            route(state, config)
            return END

        built = graph("START > a", "a > b, c", "c > d").add_conditional_edges("b", route, ["d"])
        built.add_conditional_edges("d", last, ["d", END])
        assert built.compile().invoke({})["m"] == ["a", "b", "c", "d"]
        assert seen == [("b", 2), ("d", 3)]

    def test_at_start(self) -> None:
        """X6: an entry condition has START and step 0."""
        seen: list[tuple[str | None, int]] = []

        def route(state: State, config: RunnableConfig) -> str:
            seen.append((config.node_id, config.step))
            return "a"

        graph("a > END").add_conditional_edges("__START__", route, ["a", END]).compile().invoke({})
        assert seen == [("__START__", 0)]


class TestOutsideARun:
    def test_what_has_no_place(self) -> None:
        """X6: outside a node there is no node, no step, no run."""
        config = RunnableConfig()
        assert (config.node_id, config.path, config.step, config.remaining_steps) == (None, (), 0, 0)
        assert (config.run_id, config.run_data) == (None, {})

    def test_with_methods(self) -> None:
        """api: `with_*` give a new record."""
        config = RunnableConfig(thread_id="t")
        assert config.with_thread_id("u").thread_id == "u"
        assert config.with_metadata(a=1).with_metadata(b=2).metadata == {"a": 1, "b": 2}
        assert config.with_stream_mode([StreamMode.UPDATES] * 2).stream_mode == (StreamMode.UPDATES,)
        assert (config.thread_id, config.metadata) == ("t", {})

    @pytest.mark.parametrize(
        "bad",
        [
            {"thread_id": ""},
            {"thread_id": 5},
            {"stream_mode": "values"},
            {"stream_mode": []},
            {"metadata": 5},
            {"parallel_executors": 5},
            {"parallel_executors": {"a": "pool"}},
            {"default_parallel_executor": "pool"},
        ],
        ids=str,
    )
    def test_bad_settings(self, bad: dict[str, Any]) -> None:
        """api: a wrong setting is refused when it is made."""
        with pytest.raises(InvalidRecordError):
            RunnableConfig(**bad)


class TestANodesConfigInAnotherRun:
    """C6: a node's config passed to another graph's verb is a child's config."""

    def inner(self, attribute: str, edges: tuple[str, ...] = ("START > x", "x > END")) -> Compiled:
        """Make a graph that reports an attribute."""

        def note(state: State, config: RunnableConfig) -> Update:
            value: Any = getattr(config, attribute)
            return {"found": dict(value) if hasattr(value, "keys") else value}

        return graph(*edges, x=note).compile()

    def outer(self, inner: Compiled, prepare: Any = None) -> Compiled:
        """Make a graph whose node runs `inner` with its own config."""

        def call(state: State, config: RunnableConfig) -> Update:
            if prepare is not None:
                prepare(config)
            return {"found": inner.invoke({}, config)["found"], "own": config.thread_id}

        return graph("START > a", "a > END", a=call).compile()

    def test_no_thread(self) -> None:
        """C6: it has no thread of its own."""
        state = self.outer(self.inner("thread_id")).invoke({}, RunnableConfig(thread_id="t"))
        assert state["own"] == "t"
        assert state["found"] not in {None, "t"}

    def test_context_metadata_store(self) -> None:
        """C6: it inherits context, metadata and store."""
        config = RunnableConfig(context="c", metadata={"k": 1}, store="s")
        assert self.outer(self.inner("context")).invoke({}, config)["found"] == "c"
        assert self.outer(self.inner("metadata")).invoke({}, config)["found"] == {"k": 1}
        assert self.outer(self.inner("store")).invoke({}, config)["found"] == "s"

    def test_run_data(self) -> None:
        """C6: it inherits the run's data."""

        def prepare(config: RunnableConfig) -> None:
            config.run_data["k"] = 1

        assert self.outer(self.inner("run_data"), prepare).invoke({})["found"] == {"k": 1}

    def test_no_bindings(self) -> None:
        """C6, P9: executors bound to forks of the outer graph are not passed on."""
        config = RunnableConfig(parallel_executors={"a": INLINE})
        found = self.outer_of_fork(self.inner("parallel_executors")).invoke({}, config)["found"]
        assert found == {}

    def outer_of_fork(self, inner: Compiled) -> Compiled:
        """Make a graph with a fork at a, one branch of which runs `inner`."""

        def call(state: State, config: RunnableConfig) -> Update:
            return {"found": inner.invoke({}, config)["found"]}

        return graph("START > a", "a > b, c", "b > END", "c > END", b=call).compile()


def test_a_config_is_shared_by_no_two_nodes() -> None:
    """X6: what one node got does not change when the next one runs."""
    kept: list[RunnableConfig] = []

    def keep(state: State, config: RunnableConfig) -> Update:
        kept.append(config)
        return {}

    StateGraph().add_sequence(("a", keep), ("b", keep)).add_edge("__START__", "a").add_edge("b", END).compile().invoke(
        {}
    )
    assert [(config.node_id, config.step) for config in kept] == [("a", 1), ("b", 2)]
