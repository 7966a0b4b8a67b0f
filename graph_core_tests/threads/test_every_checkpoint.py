"""K1, K2, K7: every checkpoint of every graph can be gone on from, and ends in the same state."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import define
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_core import END, CompileConfig, NodeAggregationStrategy, RunnableConfig
from graph_core.checkpoint import BaseCheckpointSaver, Checkpoint
from graph_core_tests.model.graph import Graph
from graph_core_tests.model.scenario import read_case
from graph_core_tests.model.strategies import INPUTS, graphs
from graph_core_tests.regions.bridge import built
from graph_core_tests.shapes import RUNNERS, Result
from graph_core_tests.threads.evidence import committed
from graph_core_tests.threads.graphs import SHAPES
from graph_core_tests.threads.machine import Compiled, Ended, How, Stop, by_chance, drive
from graph_core_tests.threads.savers import opened

CASES = sorted((Path(__file__).parents[1] / "parity" / "regions").glob("*.json"))
GO_ON: Any = None
"""The inputs of a call that goes on with its thread."""
each_runner = pytest.mark.parametrize(
    ("begins", "goes_on"), [("sync", "async"), ("inline", "inline"), ("async", "sync")]
)


def settled(examples: int) -> settings:
    """Try so many graphs."""
    health = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    return settings(max_examples=examples, suppress_health_check=health)


def depends_on_visits(described: Graph) -> bool:
    """Tell whether a node or a route does something else each time: a fresh process would begin to count anew."""
    nodes = any(len(node.updates) > 1 for node in described.nodes)
    routes = [*described.edges, *(node.command for node in described.nodes if node.command is not None)]
    several = any(len(edge.routes) > 1 or len(edge.route_updates) > 1 for edge in routes)
    return nodes or several or "$visits" in repr(described)


def check(compiled: Compiled, saver: BaseCheckpointSaver, inputs: Mapping[str, Any], begins: str, goes_on: str) -> int:
    """Run a graph, go on from each of its checkpoints on a copy of the thread, and tell how many there were."""
    config = RunnableConfig(thread_id="t")
    whole = RUNNERS[begins](compiled, inputs, config)
    assert whole.error is None
    assert committed(saver, "t") == Counter(whole.steps)
    entries = saver.list("t")
    for number, entry in enumerate(entries):
        name = f"copy {number}"
        saver.copy("t", name)
        before = saver.list(name)
        again = RUNNERS[goes_on](compiled, GO_ON, RunnableConfig(thread_id=name, checkpoint_id=entry.id))
        if entry.next_node_ids == (END,):
            assert again.failure.code == "finished_thread"
            assert saver.list(name) == before
            continue
        _same_end(compiled, saver, whole, again, entry)
        after = saver.list(name)
        assert list(after[-len(before) :]) == list(before), "an older entry has changed"
        assert committed(saver, name) == Counter(whole.steps)
    _seen(compiled, config, entries)
    return len(entries)


def _same_end(compiled: Compiled, saver: BaseCheckpointSaver, whole: Result, again: Result, entry: Checkpoint) -> None:
    assert again.error is None
    assert again.state == whole.state
    finished = committed(saver, "t", entry.id)
    assert Counter(again.steps) == Counter(whole.steps) - finished
    assert all(output.node != "__START__" for output in again.outputs)


def _seen(compiled: Compiled, config: RunnableConfig, entries: Any) -> None:
    """What is shown of a thread is what its entries hold; a region that ran to its end shows its merged state."""
    snapshots = compiled.get_state_history(config)
    assert [snapshot.parent_id for snapshot in snapshots] == [entry.parent_id for entry in entries]
    assert (snapshots[0].status, snapshots[0].next) == ("done", (END,))
    assert {snapshot.status for snapshot in snapshots[1:]} <= {None}
    for snapshot, entry, after in zip(snapshots, entries, [None, *entries], strict=False):
        assert (snapshot.node, snapshot.step) == (entry.node_id, entry.step)
        is_region = bool(entry.data.get("targets"))
        if is_region and after is not None:
            assert dict(snapshot.state) == dict(after.state)
        elif not is_region:
            assert dict(snapshot.state) == dict(entry.state)
        assert snapshot.next == entry.next_node_ids
        assert compiled.get_state(snapshot.config).next == snapshot.next


@settled(60)
@given(graphs(most_runs=40), st.sampled_from(sorted(RUNNERS)), st.sampled_from(sorted(RUNNERS)), st.booleans())
def test_of_random_graphs(described: Graph, begins: str, goes_on: str, serialized: bool) -> None:  # noqa: FBT001  (drawn)
    """K1, K2, P1 to P15: in memory, begun and gone on with in every way to run a graph."""
    with opened("serialized" if serialized else "memory") as saver:
        compiled = built(described).compile(CompileConfig(checkpoint_saver=saver))
        assert check(compiled, saver, INPUTS, begins, goes_on) >= 1


@settled(15)
@given(graphs(most_runs=30), st.sampled_from(sorted(RUNNERS)))
def test_of_random_graphs_in_a_file(described: Graph, goes_on: str) -> None:
    """K1, K2: the same in a file."""
    with opened("database") as saver:
        compiled = built(described).compile(CompileConfig(checkpoint_saver=saver))
        assert check(compiled, saver, INPUTS, "inline", goes_on) >= 1


@settled(150)
@given(graphs(most_runs=40), st.integers(0, 2**16), st.sampled_from(["fail", "close", "kill"]), st.integers(0, 120))
def test_random_graphs_stopped_anywhere(described: Graph, seed: int, how: Any, at: int) -> None:
    """K7, X3: of a random graph that is stopped in a random order nothing runs twice, and nothing is missing."""
    plain = drive(built(described).compile(), INPUTS, choose=by_chance(seed))
    with opened("serialized" if seed % 2 else "memory") as saver:
        compiled = built(described).compile(CompileConfig(checkpoint_saver=saver))
        config = RunnableConfig(thread_id="t")
        total = plain.calls if how == "fail" else 3 * plain.asks
        stopped = drive(compiled, INPUTS, config, Stop(how, at % max(total, 1)), by_chance(seed))
        head = saver.get("t")
        if stopped.state is not None or head is None or head.next_node_ids == (END,):
            return
        finished = committed(saver, "t")
        assert how == "kill" or finished == stopped.done
        seen = compiled.get_state(config)
        assert seen.next or seen.is_pending
        again = drive(compiled, None, config.with_resume(take_over=True), choose=by_chance(seed + 1))
        assert (again.error, again.state) == (None, plain.state)
        assert again.done == plain.done - finished


@settled(150)
@given(graphs(most_runs=40), st.integers(0, 2**16), st.lists(st.integers(0, 60), min_size=2, max_size=6))
def test_random_graphs_stopped_again_and_again(described: Graph, seed: int, ats: list[int]) -> None:
    """K7, X3: however often a random graph fails, at nodes or routes, nothing runs twice, and nothing is missing."""
    plain = drive(built(described).compile(), INPUTS, choose=by_chance(seed))
    with opened("memory") as saver:
        compiled = built(described).compile(CompileConfig(checkpoint_saver=saver))
        config, inputs = RunnableConfig(thread_id="t"), INPUTS
        for turn, at in enumerate(ats):
            stop = Stop(("fail", "close", "kill")[(seed + turn) % 3 if turn % 2 else 0], at % max(plain.calls, 1))
            stopped = drive(compiled, inputs, config, stop, by_chance(seed + turn))
            head = saver.get("t")
            if stopped.state is not None or head is None or head.next_node_ids == (END,):
                return
            config, inputs = RunnableConfig(thread_id="t").with_resume(take_over=True), {}
        finished = committed(saver, "t")
        again = drive(compiled, {}, config, choose=by_chance(seed))
        assert (again.error, again.state) == (None, plain.state)
        assert again.done == plain.done - finished
        assert not finished - plain.done


@define
class Setting:
    """How a random graph is run and stopped."""

    how: How
    at: int
    seed: int
    at_once: int
    waits: bool
    any_of: bool
    kept: bool

    @property
    def config(self) -> RunnableConfig:
        """What the calls are made with."""
        any_of = NodeAggregationStrategy.ANY_OF
        return RunnableConfig(default_aggregation=any_of) if self.any_of else RunnableConfig()

    def compiled(self, described: Graph, saver: BaseCheckpointSaver | None) -> Compiled:
        """Compile a graph."""
        options: dict[str, Any] = {"on_branch_error": "wait"} if self.waits else {}
        return built(described).compile(CompileConfig(checkpoint_saver=saver, detect_mutation=False, **options))

    def stopped(self, compiled: Compiled, plain: Ended) -> Ended:
        """Run a graph as far as it shall come."""
        total = plain.calls if self.how == "fail" else 3 * plain.asks
        stop = Stop(self.how if self.kept or self.how != "kill" else "close", self.at % max(total, 1))
        config = self.config.with_thread_id("t") if self.kept else self.config
        reads = bool(self.seed % 2)
        return drive(compiled, INPUTS, config, stop, by_chance(self.seed), reads=reads, at_once=self.at_once)


@settled(200)
@given(
    graphs(most_runs=40),
    st.builds(
        Setting,
        st.sampled_from(["fail", "close", "kill"]),
        st.integers(0, 200),
        st.integers(0, 2**16),
        st.integers(1, 4),
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
)
def test_random_graphs_under_other_rules(described: Graph, setting: Setting) -> None:
    """P7, P8, X5, K7: ANY_OF, branches that wait for a failed one, private runs, calls that are done together."""
    chance, at_once = by_chance(setting.seed), setting.at_once
    plain = drive(setting.compiled(described, None), INPUTS, setting.config, choose=chance, at_once=at_once)
    with opened("memory") as saver:
        compiled = setting.compiled(described, saver)
        stopped = setting.stopped(compiled, plain)
        name = stopped.thread_id
        head = saver.get(name)
        if plain.state is None or stopped.state is not None or head is None or head.next_node_ids == (END,):
            return
        finished = committed(saver, name) if setting.kept else stopped.done
        seen = compiled.get_state(RunnableConfig(thread_id=name))  # as the region began, whatever this config says
        assert seen.next or seen.is_pending
        config = setting.config.with_thread_id(name).with_resume(take_over=True)
        again = drive(compiled, None, config, choose=chance, at_once=at_once)
        assert again.error is None
        if not setting.any_of:
            assert (again.state, again.done) == (plain.state, plain.done - finished)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
@each_runner
def test_of_the_recorded_regions(path: Path, begins: str, goes_on: str) -> None:
    """K1, K2: the recorded cases, but for those whose nodes count their calls."""
    case = read_case(path)
    if depends_on_visits(case.graph):
        assert json.loads(path.read_text(encoding="utf-8"))
        return
    with opened("memory") as saver:
        compiled = built(case.graph).compile(CompileConfig(checkpoint_saver=saver, recursion_limit=200))
        assert check(compiled, saver, case.inputs, begins, goes_on) > 1


def test_most_of_the_recorded_regions_count() -> None:
    """Few of the cases are left out for what their nodes do."""
    assert sum(not depends_on_visits(read_case(path).graph) for path in CASES) >= 20


@pytest.mark.parametrize("name", sorted(name for name, shape in SHAPES.items() if not shape.any_of))
@pytest.mark.parametrize("saver_name", ["memory", "serialized", "database"])
@each_runner
def test_of_every_shape(name: str, saver_name: str, begins: str, goes_on: str) -> None:
    """K1, K2: chains, loops, regions, copies, open forks, deferred nodes, ways back, commands, in every saver."""
    shape = SHAPES[name]
    with opened(saver_name) as saver:
        compiled = shape.build().compile(CompileConfig(checkpoint_saver=saver, **shape.options))
        assert check(compiled, saver, {}, begins, goes_on) > 2
