"""K7, X2, X3, X5: a run that is stopped at any point goes on from there, in any completion order."""

import random
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import pytest

from graph_core import END, CompileConfig, GraphRunnerContext, NodeAggregationStrategy, RunnableConfig, Send
from graph_core.checkpoint import BaseCheckpointSaver
from graph_core.checkpoint.savers import MemorySaver
from graph_core_tests.shapes import State, appends, graph, run_inline
from graph_core_tests.threads.evidence import committed, is_unchanged
from graph_core_tests.threads.graphs import SHAPES, Shape
from graph_core_tests.threads.machine import Choose, Compiled, Ended, How, Stop, by_chance, drive, first
from graph_core_tests.threads.savers import opened, watched

SMALL = ("region", "nested", "open_fork", "deferred", "deferred, waits", "way_back", "inner_any_of")
STATUS = {"fail": "failed", "close": "cancelled", "kill": "running"}
each_shape = pytest.mark.parametrize("name", sorted(SHAPES))
each_way = pytest.mark.parametrize("how", ["fail", "close", "kill"])


def compiled(shape: Shape, saver: BaseCheckpointSaver | None, *, guards: bool = False) -> Compiled:
    """Compile a shape; `guards` look for changes in place, which takes the engine's other path."""
    return shape.build().compile(CompileConfig(checkpoint_saver=saver, detect_mutation=guards, **shape.options))


def undisturbed(shape: Shape) -> Ended:
    """Run to the end without a saver."""
    ended = drive(compiled(shape, None), {}, shape.config)
    assert ended.state is not None
    return ended


def resumed(shape: Shape, built: Compiled, thread_id: str, how: How, choose: Choose) -> Ended:
    """Go on with a thread; that of a process that was killed is taken over."""
    config = shape.config.with_thread_id(thread_id).with_resume(take_over=how == "kill")
    return drive(built, None, config, None, choose)


def check(shape: Shape, plain: Ended, stopped: Ended, built: Compiled, choose: Choose) -> bool:
    """Go on with a thread that was stopped, and tell whether there was something to go on with."""
    how = stopped.how
    saver, thread_id = built.config.checkpoint_saver, stopped.thread_id
    assert saver is not None
    thread, head = saver.state_of(thread_id), saver.get(thread_id)
    if thread is None or head is None:
        return False
    assert (thread.owner is None) == (how != "kill")
    if head.next_node_ids == (END,):
        error = resumed(shape, built, thread_id, how, choose).error
        assert error is not None
        assert error.code == "finished_thread"
        after = saver.state_of(thread_id)
        assert after is not None
        assert after.status == "done"
        return False
    assert thread.status == STATUS[how]
    before = saver.list(thread_id)
    is_kept = before[-1].parent_id is None and before[-1].node_id == "__START__"
    finished = committed(saver, thread_id) if is_kept and stopped.is_kept else stopped.done
    if how != "kill" and not shape.any_of:
        assert finished == stopped.done, "the work of a node is lost"
    seen = built.get_state(RunnableConfig(thread_id=thread_id))
    assert seen.next or seen.is_pending
    again = resumed(shape, built, thread_id, how, choose)
    assert again.error is None
    assert is_unchanged(before, saver.list(thread_id))
    if shape.any_of:
        assert not again.done & finished
    else:
        assert again.state == plain.state
        assert again.done == plain.done - finished
    return True


GO_ON: Any = None
"""The inputs of a call that goes on with its thread."""


@each_shape
@pytest.mark.parametrize(
    ("how", "thread_id"), [("fail", "t"), ("close", "t"), ("kill", "t"), ("fail", None), ("close", None)]
)
def test_at_every_ask(name: str, how: How, thread_id: str | None) -> None:
    """K7, X3, X5: failed at every call, closed or killed at every ask: what is finished never runs again."""
    shape = SHAPES[name]
    plain, went_on = undisturbed(shape), 0
    for seed in range(6):
        for at in range(1000):
            built = compiled(shape, MemorySaver(serialize=seed % 2 == 0), guards=seed == 5)
            config = shape.config if thread_id is None else shape.config.with_thread_id(thread_id)
            stopped = drive(built, {}, config, Stop(how, at), by_chance(seed), reads=seed != 4)
            if not stopped.reached:
                break
            if stopped.state is not None:  # what failed was not needed
                continue
            went_on += check(shape, plain, stopped, built, by_chance(seed + 1))
        else:
            pytest.fail("the run has no end")
    assert went_on > 5


def orders(shape: Shape, how: How, at: int, limit: int) -> Iterator[tuple[Compiled, Ended]]:
    """Stop at one place in every completion order, as far as so many are enough."""
    prefix: list[int] = []
    for _ in range(limit):
        taken: list[int] = []
        built = compiled(shape, MemorySaver())
        config = shape.config.with_thread_id("t")
        ended = drive(built, {}, config, Stop(how, at), _following(prefix, taken))
        yield built, ended
        following = _next(ended.choices, taken)
        if following is None:
            return
        prefix = following


def _following(prefix: Sequence[int], taken: list[int]) -> Choose:
    def choose(_: Sequence[object]) -> int:
        taken.append(prefix[len(taken)] if len(taken) < len(prefix) else 0)
        return taken[-1]

    return choose


def _next(choices: Sequence[int], taken: Sequence[int]) -> list[int] | None:
    for position in range(len(taken) - 1, -1, -1):
        if taken[position] + 1 < choices[position]:
            return [*taken[:position], taken[position] + 1]
    return None


@pytest.mark.parametrize("name", SMALL)
@each_way
def test_in_every_order(name: str, how: How) -> None:
    """K7: small regions, stopped everywhere in every completion order."""
    shape = SHAPES[name]
    plain = undisturbed(shape)
    at = 0
    for at in range(1000):
        stopped_once = False
        for built, ended in orders(shape, how, at, 60):
            stopped_once |= ended.reached
            if ended.state is None:
                check(shape, plain, ended, built, by_chance(at))
        if not stopped_once:
            break
    assert at > 5


@each_shape
def test_stopped_twice(name: str) -> None:
    """K7: a resumed run may be stopped, too: failed twice, then closed, and still nothing runs twice."""
    shape = SHAPES[name]
    plain = undisturbed(shape)
    chance = random.Random(name)  # noqa: S311  (a reproducible sample, nothing secret)
    for seed in range(40):
        built = compiled(shape, MemorySaver(serialize=True))
        config, done = shape.config.with_thread_id("t"), Counter[tuple[str, int]]()
        stops = [Stop("fail", chance.randrange(4)), Stop("fail", chance.randrange(4)), Stop("close", 9), Stop()]
        ended = Ended()
        for number, stop in enumerate(stops):
            ended = drive(built, None if number else {}, config, stop, by_chance(seed))
            done += ended.done
            if ended.state is not None:
                break
        assert ended.error is None or ended.error.code == "finished_thread"
        if not shape.any_of:
            assert done == plain.done
            assert dict(built.get_state(config).state) == plain.state


@each_shape
def test_the_limit_counts_from_where_a_call_began(name: str) -> None:
    """X2: a run that the limit stops goes on with as many steps again, and runs none of them twice."""
    shape = SHAPES[name]
    plain = undisturbed(shape)
    for limit in (1, 2, 3):
        saver = MemorySaver()
        built = compiled(shape, saver)
        config = attrs.evolve(shape.config.with_thread_id("t"), recursion_limit=limit)
        ended = drive(built, {}, config)
        done = ended.done
        while ended.state is None:
            assert ended.error is not None
            assert ended.error.code == "recursion_limit"
            thread = saver.state_of("t")
            assert thread is not None
            assert thread.status == "limit"
            ended = drive(built, None, config)
            assert ended.done
            done += ended.done
        if not shape.any_of:
            assert (ended.state, done) == (plain.state, plain.done)


@each_shape
def test_a_saver_that_fails(name: str) -> None:
    """K7, X3: what could not be saved fails the run with a cause; what was saved is not run again."""
    shape = SHAPES[name]
    plain = undisturbed(shape)
    at = 0
    for at in range(40):
        writes: list[str] = []

        def full(verb: str, at: int = at, writes: list[str] = writes) -> None:
            if verb in {"put", "put_records"}:
                writes.append(verb)
                if len(writes) == at + 1:
                    raise OSError("the disk is full")

        saver = watched(MemorySaver(), full)
        built = compiled(shape, saver)
        stopped = drive(built, {}, shape.config.with_thread_id("t"), None, by_chance(at))
        if stopped.state is not None:
            break
        assert stopped.error is not None
        assert (stopped.error.code, type(stopped.error.__cause__)) == ("checkpoint_saver", OSError)
        if saver.get("t") is None:
            continue
        finished = committed(saver, "t")
        again = resumed(shape, built, "t", "fail", by_chance(at))
        assert again.error is None
        if not shape.any_of:
            assert (again.state, again.done) == (plain.state, plain.done - finished)
    assert at > 3


@pytest.mark.parametrize("name", ["memory", "serialized", "database"])
def test_a_failing_route_keeps_its_nodes_work(name: str) -> None:
    """X3: on the main path and in a branch: the node's output is emitted once, and its routes are evaluated again."""
    calls: list[str] = []

    def route(state: State) -> str:
        calls.append("route")
        if calls.count("route") in {1, 2}:
            raise OSError("the router is down")
        return "d"

    def act(state: State) -> dict[str, str]:
        calls.append("b")
        return {"m": "b"}

    edges = ("START > a", "a > b, c", "b", "c > d", "d > END")
    built = graph(*edges, b=act).add_conditional_edges("b", route, ["d", END])
    with opened(name) as saver:
        compiled = built.compile(CompileConfig(checkpoint_saver=saver))
        config = RunnableConfig(thread_id="t")
        first = run_inline(compiled, {}, config)
        assert first.failure.node_id == "b"
        assert [output.node for output in first.outputs].count("b") == 1
        second, third = (run_inline(compiled, GO_ON, config) for _ in range(2))
        assert second.failure.node_id == "b"
        assert "b" not in [output.node for output in [*second.outputs, *third.outputs]]
        assert calls == ["b", "route", "route", "route"]
        assert compiled.get_state(config).state["m"] == ["a", "b", "c", "d"]


def test_a_bad_send_is_not_saved() -> None:
    """P6, X3: what a route must not send is refused before it is saved, so a resume evaluates the route again."""
    for_first: list[int] = []

    def route(state: State) -> Any:
        for_first.append(1)
        return [Send("z" if len(for_first) == 1 else "w", {"item": len(for_first)})]

    built = graph("START > a", "a", "w > z", "z > END")
    built.add_parallel_conditional_edges("a", route, ["w", "z"])
    compiled = built.compile(CompileConfig(checkpoint_saver=MemorySaver()))
    config = RunnableConfig(thread_id="t")
    assert compiled.try_invoke({}, config).failure().code == "send_to_convergence"
    assert compiled.get_state(config).is_pending
    assert compiled.invoke(None, config)["m"] == ["a", "w", "z"]


def test_a_bad_send_in_a_branch_is_not_saved() -> None:
    """P6, X3: the same of a fork in a branch."""
    asked: list[int] = []

    def route(state: State) -> Any:
        asked.append(1)
        return [Send("y" if len(asked) == 1 else "w", {"item": 1})]

    built = graph("START > s", "s > a, b", "a", "w > y", "y > z", "b > z", "z > END")
    built.add_parallel_conditional_edges("a", route, ["w", "y"])
    compiled = built.compile(CompileConfig(checkpoint_saver=MemorySaver()))
    config = RunnableConfig(thread_id="t")
    assert compiled.try_invoke({}, config).failure().code == "send_to_convergence"
    assert compiled.invoke(None, config)["m"] == ["s", "a", "w", "y", "b", "z"]


def test_a_fork_that_fails_at_once_becomes_the_head() -> None:
    """K2: going on from an old checkpoint forks, also if the first step fails; a plain resume then goes on there."""
    fails = [False]

    def act(state: State) -> dict[str, str]:
        if fails[0]:
            raise OSError("down")
        return {"m": "b"}

    compiled = graph("START > a", "a > b", "b > c", "c > END", b=act).compile(
        CompileConfig(checkpoint_saver=MemorySaver())
    )
    config = RunnableConfig(thread_id="t")
    compiled.invoke({}, config)
    after_a = compiled.get_state_history(config)[-2].config
    fails[0] = True
    assert compiled.try_invoke(None, after_a).failure().node_id == "b"
    state = compiled.get_state(config)
    assert (state.status, state.node, state.next) == ("failed", "a", ("b",))
    fails[0] = False
    assert compiled.invoke(None, config)["m"] == ["a", "b", "c"]


def test_looking_at_a_region_far_beyond_the_limit() -> None:
    """K1, X2: the limit is one of calls, not of looking at a thread that went further in several of them."""
    down = [True]

    def act(state: State) -> dict[str, str]:
        if down[0]:
            raise OSError("down")
        return {"m": "c"}

    built = graph("START > a", "a > b", "b > c, d", "c > z", "d > z", "z > END", c=act)
    compiled = built.compile(CompileConfig(checkpoint_saver=MemorySaver(), recursion_limit=2))
    config = RunnableConfig(thread_id="t")
    assert compiled.try_invoke({}, config).failure().code == "recursion_limit"
    assert compiled.get_state(config).next == ("c", "d")
    assert compiled.try_invoke(None, config).failure().node_id == "c"
    assert "c" in compiled.get_state(config).next


def test_the_first_to_arrive_is_what_was_saved() -> None:
    """P7, K7: a thread is looked at, and gone on with, under the aggregation that its region began with."""
    shape = SHAPES["inner_any_of"]
    at = 0
    for at in range(100):
        saver = MemorySaver()
        built = compiled(shape, saver)
        config = RunnableConfig(thread_id="t")
        stopped = drive(built, {}, shape.config.with_thread_id("t"), Stop("close", at), by_chance(at))
        if stopped.state is not None:
            break
        states = [dict(snapshot.state) for snapshot in built.get_state_history(config)]
        head = saver.get("t")
        if head is not None and "any_of" in head.data:
            assert states
            assert drive(built, None, config).error is None
    assert at > 15


@pytest.mark.parametrize("how", ["close", "kill"])
def test_of_two_that_arrive_together_the_same_one_wins_again(how: How) -> None:
    """P7, K7: the smaller key wins, also if the run is stopped between both records and the end of the region."""
    shape, together = SHAPES["inner_any_of"], 0
    any_of = {"__PARALLEL__(b)": NodeAggregationStrategy.ANY_OF}
    config = RunnableConfig(thread_id="t", aggregation=any_of)
    for at in range(100):
        saver = MemorySaver(serialize=True)
        built = compiled(shape, saver)
        stopped = drive(built, {}, config, Stop(how, at), last, at_once=3)
        if stopped.state is not None:
            break
        head = saver.get("t")
        nodes = [] if head is None else [record.node_id for record in head.records]
        if {"d", "e"} <= {*nodes}:
            assert nodes.index("e") < nodes.index("d")
            together += 1
            assert "e" not in built.get_state(RunnableConfig(thread_id="t")).state["m"]
            again = drive(built, None, config.with_resume(take_over=how == "kill"), None, first)
            assert again.error is None
            assert again.state is not None
            assert "d" in again.state["m"]
            assert "e" not in again.state["m"]
    assert together > 1


def last(running: Sequence[object]) -> int:
    """Let the call that began last complete first."""
    return len(running) - 1


@pytest.mark.parametrize("name", SMALL)
def test_killed_while_it_takes_input_in(name: str) -> None:
    """K3, K7: input that is given on resume goes in whole or not at all, and with it what branches have done."""
    shape = SHAPES[name]
    taken_in = 0
    for begin in range(4, 30, 3):
        for at in range(60):
            saver = MemorySaver()
            built, config = compiled(shape, saver), shape.config.with_thread_id("t")
            stopped = drive(built, {}, config, Stop("kill", begin), by_chance(begin))
            head = saver.get("t")
            if not stopped.reached or head is None or head.next_node_ids == (END,):
                break
            before, finished = saver.list("t"), committed(saver, "t")
            config = config.with_resume(take_over=True)
            second = drive(built, {"m": ["in"]}, config, Stop("kill", at), by_chance(at))
            assert not second.done - (undisturbed(shape).done - finished) or shape.any_of
            if not second.reached:
                break
            assert finished <= committed(saver, "t")
            assert is_unchanged(before, saver.list("t"))
            again = drive(built, None, config, None, by_chance(begin))
            if again.state is not None:
                taken_in += "in" in again.state["m"]
                assert again.state["m"].count("in") <= 1
    assert taken_in > 5


def test_a_fork_from_the_entry_of_a_region() -> None:
    """K1, K2: branch records of a fork are its own: an entry that is not the head gets no more of them."""
    saver = MemorySaver()
    built = graph("START > a", "a > b, c", "b > d", "c > d", "d > END")
    compiled = built.compile(CompileConfig(checkpoint_saver=saver))
    config = RunnableConfig(thread_id="t")
    drive(compiled, {}, config, Stop("fail", 1))
    head = saver.get("t")
    assert head is not None
    assert (head.next_node_ids, head.records) == (("__PARALLEL__(a)",), ())
    compiled.update_state(config, {"m": ["x"]})
    before = saver.list("t")
    stopped = drive(compiled, None, config.with_checkpoint_id(head.id), Stop("fail", 1))
    assert stopped.done == Counter({("b", 2): 1})
    assert is_unchanged(before, saver.list("t"))
    assert saver.list("t")[1:] == before
    assert compiled.get_state(config).next == ("c",)
    assert compiled.invoke(GO_ON, config)["m"] == ["a", "b", "c", "d"]


def test_what_a_branch_shows_of_a_route_that_failed() -> None:
    """X3, P11: a node whose routes are evaluated again is not shown again: it does not run."""
    down = [True]

    def route(state: State) -> str:
        if down[0]:
            raise OSError("down")
        return "d"

    built = graph("START > a", "a > b, c", "b", "c > d", "d > END").add_conditional_edges("b", route, ["d", END])
    compiled = built.compile(CompileConfig(checkpoint_saver=MemorySaver()))
    config = RunnableConfig(thread_id="t")
    assert run_inline(compiled, {}, config).failure.node_id == "b"
    down[0] = False
    again = run_inline(compiled, GO_ON, config)
    assert [node for node, _ in again.steps] == ["c", "d"] or [node for node, _ in again.steps] == ["d"]


def test_a_region_of_another_graph() -> None:
    """K2: records that the graph does not lead to are an error that names the node, not a guess."""
    saver = MemorySaver()
    config = RunnableConfig(thread_id="t")
    old = graph("START > a", "a > c, b", "b > e", "e > d", "c > d", "d > END")
    drive(old.compile(CompileConfig(checkpoint_saver=saver)), {}, config, Stop("fail", 3), last)
    new = graph("START > a", "a > c, b, x", "b > c", "c > d", "x > d", "d > END")
    failure = new.compile(CompileConfig(checkpoint_saver=saver)).try_invoke(GO_ON, config).failure()
    assert (failure.code, failure.node_id) == ("stale_checkpoint", "e")
    assert drive(old.compile(CompileConfig(checkpoint_saver=saver)), None, config).error is None


def test_why_a_run_failed_is_not_hidden() -> None:
    """X3: where a run stands that has failed may be what can not be saved; both are told, the thread is given back."""

    def route(state: State) -> str:
        raise OSError("down")

    built = graph("START > a", "a", "b > END", a=appends("a", lock=threading.Lock()))
    saver = MemorySaver()
    compiled = built.add_conditional_edges("a", route, ["b", END]).compile(CompileConfig(checkpoint_saver=saver))
    failure = compiled.try_invoke({}, RunnableConfig(thread_id="t")).failure()
    assert isinstance(failure.__cause__, OSError)
    assert "where it stands could not be saved" in failure.__notes__[0]
    thread = saver.state_of("t")
    assert thread is not None
    assert (thread.status, thread.owner) == ("failed", None)


def test_what_a_driver_could_not_do() -> None:
    """K6: whatever is thrown into a run makes it one that failed."""
    built = graph("START > a", "a > END").compile(CompileConfig(checkpoint_saver=MemorySaver()))
    run = GraphRunnerContext(built._plan, RunnableConfig(thread_id="t"))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (the machine itself is under test)
    steps = run.steps({})
    next(steps)
    with pytest.raises(ValueError, match="no"):
        steps.throw(ValueError("no"))
    assert run.status == "failed"
