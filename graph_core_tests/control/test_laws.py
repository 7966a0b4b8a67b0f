"""Laws of P5 to P9 over random graphs: the order of completion matters only where a rule says so."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_core import CompileConfig, GraphRunnerException, RunnableConfig
from graph_core.compiler.plan import RegionPlan
from graph_core_tests.control.ways import ALL_OF, ANY_OF, Ended, Watch, by_async, by_inline, by_sync, several, tree
from graph_core_tests.drive import Trace, drive
from graph_core_tests.model.graph import Graph
from graph_core_tests.model.strategies import INPUTS, graphs
from graph_core_tests.regions.bridge import built
from graph_core_tests.shapes import Compiled

_SETTINGS = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
Failures: TypeAlias = Mapping[str, int]
"""Node → number: it fails if the number of messages that it sees is divisible by that."""


@frozen
class Scene:
    """A random graph, which of its nodes fail when, and two orders of completion."""

    graph: Graph
    failures: Failures
    seeds: tuple[int, int]
    limit: int
    by_fork: Mapping[int, int]
    any_of: frozenset[int]

    def compiled(self, on_branch_error: Any = "cancel") -> Compiled:
        """Compile it anew: its actions count their visits."""
        compiled = built(self.graph).compile(CompileConfig(on_branch_error=on_branch_error))
        plan = compiled._plan  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (the model's nodes can not fail)
        for name, divisor in self.failures.items():
            plan.nodes[name].fn = _failing(name, divisor, plan.nodes[name].fn)
        return compiled

    def config(self, **more: Any) -> RunnableConfig:
        """The config of a run."""
        return RunnableConfig(recursion_limit=self.graph.recursion_limit, **more)

    def regions(self) -> list[RegionPlan]:
        """The closed forks, as the compiler found them."""
        plan = self.compiled()._plan  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (as above)
        return list(_inner(plan.regions.values()))

    def limits(self) -> Mapping[str, int]:
        """Limits of some closed forks."""
        sources = sorted({region.fork.source.id for region in self.regions()})
        return {source: self.by_fork[at] for at, source in enumerate(sources) if at in self.by_fork}

    def aggregation(self) -> Mapping[str, Any]:
        """ANY_OF for some closed forks."""
        forks = sorted({region.fork.id for region in self.regions()})
        return {fork: ANY_OF if at in self.any_of else ALL_OF for at, fork in enumerate(forks)}


def _inner(plans: Any) -> Any:
    for plan in plans:
        yield plan
        yield from _inner(plan.inner.values())


def _failing(name: str, divisor: int, fn: Callable[..., Any]) -> Callable[..., Any]:
    def act(state: Any, *rest: Any) -> Any:
        result = fn(state, *rest)
        if len(state.get("messages", ())) % divisor == 0:
            raise KeyError(name)
        return result

    return act


@st.composite
def scenes(draw: st.DrawFn, most_failures: int = 3) -> Scene:
    """Random scenes; most nodes do not fail."""
    described = draw(graphs())
    names = st.sampled_from([node.id for node in described.nodes])
    failures = draw(st.dictionaries(names, st.integers(1, 3), min_size=min(1, most_failures), max_size=most_failures))
    seeds = draw(st.tuples(st.integers(0, 2**16), st.integers(0, 2**16)))
    by_fork = draw(st.dictionaries(st.integers(0, 3), st.integers(1, 3)))
    return Scene(described, failures, seeds, draw(st.integers(1, 3)), by_fork, draw(st.frozensets(st.integers(0, 3))))


def by_chance(seed: int) -> Callable[[Sequence[object]], int]:
    """Choose what completes by chance, the same on each run."""
    chance = random.Random(seed)  # noqa: S311  (a reproducible sample, nothing secret)
    return lambda running: chance.randrange(len(running))


def outcome(trace: Trace) -> Any:
    """What a run came to: its state or the nodes of its error, and all that ran; nothing is left live."""
    assert trace.live == 0
    assert (trace.state is None) == (trace.error is not None)
    ended = trace.state if trace.error is None else tree(trace.error)
    runs = sorted((run.step, run.key, run.node, repr(sorted(run.seen.items()))) for run in trace.runs)
    return ended, runs, sorted(map(repr, trace.regions()))


def leaves(error: GraphRunnerException | None) -> set[str | None]:
    """The nodes that failed."""
    if error is None:
        return set()
    if not isinstance(error.__cause__, ExceptionGroup):
        return {error.node_id}
    return {name for each in several(error) for name in leaves(each)}


@_SETTINGS
@given(scenes())
def test_waiting_for_siblings_makes_failures_independent_of_time(scene: Scene) -> None:
    """P4, P8: with `wait` all orders end in the same state or the same error, after the same runs."""
    one, two = (drive(scene.compiled("wait"), INPUTS, by_chance(seed), scene.config()) for seed in scene.seeds)
    assert outcome(one) == outcome(two)


@_SETTINGS
@given(scenes())
def test_cancelling_siblings_tells_some_of_the_failures(scene: Scene) -> None:
    """P8: with `cancel` a run fails if it does with `wait`, at some of the nodes that fail there."""
    waits = drive(scene.compiled("wait"), INPUTS, by_chance(0), scene.config())
    for seed in scene.seeds:
        trace = drive(scene.compiled(), INPUTS, by_chance(seed), scene.config())
        assert trace.live == 0
        assert (trace.error is None) == (waits.error is None)
        assert trace.state == waits.state
        assert leaves(trace.error) <= leaves(waits.error)
        assert trace.error is None or trace.error.node_id in scene.failures


@_SETTINGS
@given(scenes())
def test_limits_change_nothing_but_time(scene: Scene) -> None:
    """P9: the outcome is the same under every limit, which is never exceeded."""
    free = drive(scene.compiled("wait"), INPUTS, by_chance(scene.seeds[0]), scene.config())
    for limit in (scene.limit, scene.limits()):
        watch = Watch(by_chance(scene.seeds[1]))
        trace = drive(scene.compiled("wait"), INPUTS, watch, scene.config(max_concurrency=limit))
        assert outcome(trace) == outcome(free)
        self_kept(watch, limit)


def self_kept(watch: Watch, limit: int | Mapping[str, int]) -> None:
    """Check that no limit was exceeded."""
    if isinstance(limit, int):
        assert watch.most <= limit
    else:
        assert all(watch.by_fork[source] <= most for source, most in limit.items())


@_SETTINGS
@given(scenes(), st.booleans(), st.sampled_from(["cancel", "wait"]))
def test_any_of_ends(scene: Scene, one_limit: bool, on_branch_error: str) -> None:  # noqa: FBT001  (drawn)
    """P7, P8, P9: with winners, failures and limits a run ends, leaves nothing live, and is repeatable."""
    limit = scene.limit if one_limit else scene.limits()
    config = scene.config(aggregation=scene.aggregation(), max_concurrency=limit)
    watch = Watch(by_chance(scene.seeds[0]))
    trace = drive(scene.compiled(on_branch_error), INPUTS, watch, config)
    again = drive(scene.compiled(on_branch_error), INPUTS, by_chance(scene.seeds[0]), config)
    assert outcome(trace) == outcome(again)
    assert leaves(trace.error) <= set(scene.failures)
    self_kept(watch, limit)


@_SETTINGS
@given(scenes(most_failures=0))
def test_any_of_takes_what_one_branch_has_done(scene: Scene) -> None:
    """P7: the messages of the final state are of nodes that ran, no more often than they ran."""
    config = scene.config(default_aggregation=ANY_OF)
    trace = drive(scene.compiled(), INPUTS, by_chance(scene.seeds[0]), config)
    assert trace.state is not None
    assert trace.live == 0
    runs = [run.node for run in trace.runs]
    messages: list[str] = trace.state["messages"]
    assert all(messages.count(name) <= runs.count(name) for name in set(messages) & set(runs))
    assert all(messages.count(node.id) <= runs.count(node.id) for node in scene.graph.nodes)


@settings(_SETTINGS, max_examples=40)
@given(scenes())
def test_all_drivers_come_to_the_same(scene: Scene) -> None:
    """P4, P8, P9: threads, a loop and INLINE end as the machine does that is driven by hand."""
    expected = outcome(drive(scene.compiled("wait"), INPUTS, by_chance(scene.seeds[0]), scene.config()))[0]
    for way in (by_sync, by_async, by_inline):
        ended: Ended = way(scene.compiled("wait"), scene.config(max_concurrency=scene.limit), INPUTS)
        assert (ended.state if ended.error is None else tree(ended.error)) == expected


@settings(_SETTINGS, max_examples=40)
@given(scenes())
def test_inline_is_first_in_first_out(scene: Scene) -> None:
    """P2, P7: INLINE the calls complete in the order in which they start, so a winner is the same each time."""
    config = scene.config(aggregation=scene.aggregation())
    expected = outcome(drive(scene.compiled(), INPUTS, lambda _: 0, config))[0]
    ended = by_inline(scene.compiled(), config, INPUTS)
    assert (ended.state if ended.error is None else tree(ended.error)) == expected
