"""P8: what happens when a branch fails."""

import asyncio
import threading
from typing import Any, cast

import pytest

from graph_core import END, INLINE, GraphRunnerException, RunnableConfig
from graph_core_tests.drive import drive
from graph_core_tests.shapes import (
    RUNNERS,
    Action,
    Compiled,
    Runner,
    State,
    Update,
    appends,
    graph,
    raises,
    says,
    within,
)

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS)
FORK = ("START > a", "a > b, c", "b > d", "c > d", "d > END")
NESTED = ("START > a", "a > b, c", "b > x, y", "x > z", "y > z", "z > d", "c > d", "d > END")


class Abort(BaseException):
    """Something that is no `Exception`."""


async def cancels_itself(state: State) -> Update:
    """Be cancelled by nobody else."""
    raise asyncio.CancelledError


async def aborts(state: State) -> Update:
    """Raise what is no `Exception`."""
    raise Abort


def under_both(compiled: Compiled) -> list[Any]:
    """Give a call under the sync verbs and one under the async verbs."""
    return [lambda: compiled.invoke({}), lambda: asyncio.run(compiled.ainvoke({}))]


@each_runner
class TestOneFailure:
    def test_it_names_the_node(self, run: Runner) -> None:
        """P8: node id, and its exception as the cause; what follows does not run."""
        result = run(graph(*FORK, b=raises(KeyError("k"))).compile(), {}, None)
        assert (result.failure.node_id, type(result.failure.__cause__)) == ("b", KeyError)
        assert "d" not in [name for name, _ in result.steps]

    def test_in_an_inner_region(self, run: Runner) -> None:
        """P8: a failed inner region is one failed branch of the outer."""
        result = run(graph(*NESTED, x=raises(KeyError("k"))).compile(), {}, None)
        assert (result.failure.node_id, type(result.failure.__cause__)) == ("x", KeyError)

    def test_behind_an_inner_region(self, run: Runner) -> None:
        """P8: the node at an inner convergence belongs to the outer branch."""
        result = run(graph(*NESTED, z=raises(KeyError("k"))).compile(), {}, None)
        assert (result.failure.node_id, type(result.failure.__cause__)) == ("z", KeyError)

    @pytest.mark.parametrize("bad", [None, 5, "text", ["m"]], ids=repr)
    def test_garbage(self, run: Runner, bad: Any) -> None:
        """S9: a branch that returns garbage."""
        error = run(graph(*FORK, b=says(bad)).compile(), {}, None).failure
        assert (error.node_id, error.code) == ("b", "invalid_update")

    @pytest.mark.parametrize("answer", ["zz", None, ["b"]], ids=repr)
    def test_a_router_that_answers_garbage(self, run: Runner, answer: Any) -> None:
        """R4: a router inside a branch."""
        built = graph("START > a", "a > b, c", "c > d", "d > END").add_conditional_edges("b", says(answer), ["d"])
        error = run(built.compile(), {}, None).failure
        assert error.node_id == "b"
        assert error.code in {"missing_node_in_edge_mapping", "invalid_route"}

    def test_a_router_that_raises(self, run: Runner) -> None:
        """X3: its node's output is emitted."""
        built = graph("START > a", "a > b, c", "c > d", "d > END")
        result = run(built.add_conditional_edges("b", raises(KeyError("k")), ["d"]).compile(), {}, None)
        assert (result.failure.node_id, type(result.failure.__cause__)) == ("b", KeyError)
        assert ("b", 2) in result.steps


class TestSeveralFailures:
    def check(self, error: GraphRunnerException | None, nodes: list[str]) -> None:
        """The error is that of the first, with all as its cause."""
        assert error is not None
        assert error.node_id == nodes[0]
        group: Any = error.__cause__
        assert isinstance(group, ExceptionGroup)
        failures: list[Any] = list(cast("Any", group).exceptions)
        assert all(isinstance(each, GraphRunnerException) for each in failures)
        assert [each.node_id for each in failures] == nodes
        assert all(isinstance(each.__cause__, KeyError) for each in failures)

    def test_async(self) -> None:
        """P8: first in branch order, whichever failed first."""

        async def test() -> None:
            both = asyncio.Barrier(2)

            async def fails(state: State) -> Update:
                await both.wait()
                raise KeyError("k")

            compiled = graph(*FORK, b=fails, c=fails).compile()
            self.check((await compiled.atry_invoke({})).failure(), ["b", "c"])

        asyncio.run(test())

    def test_a_sibling_that_fails_while_it_is_cancelled(self) -> None:
        """P8: what a cancelled sibling raises in its `finally` counts as its failure."""
        started = asyncio.Event()

        async def fails_late(state: State) -> Update:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                raise KeyError("late")
            return {}

        async def fails(state: State) -> Update:
            await started.wait()
            raise KeyError("k")

        compiled = graph(*FORK, b=fails_late, c=fails).compile()
        self.check(within(lambda: asyncio.run(compiled.atry_invoke({}))).failure(), ["b", "c"])

    def test_one_is_no_group(self) -> None:
        """P8: only several failures make a group."""
        error = graph(*FORK, b=raises(KeyError("k"))).compile().try_invoke({}).failure()
        assert not isinstance(error.__cause__, BaseExceptionGroup)

    def test_no_branch_is_left(self) -> None:
        """P8: the machine is asked to stop what runs."""
        trace = drive(graph(*FORK, b=raises(KeyError("k"))).compile(), {})
        assert trace.error is not None
        assert (trace.error.node_id, trace.live) == ("b", 0)
        trace = drive(graph(*FORK, c=raises(KeyError("k"))).compile(), {}, lambda running: len(running) - 1)
        assert trace.error is not None
        assert (trace.error.node_id, trace.live) == ("c", 0)


class TestNothingIsLeftRunning:
    async def test_async_siblings_are_cancelled_and_awaited(self) -> None:
        """P8: when the error is raised, the sibling's `finally` has run, awaits included."""
        started = asyncio.Event()
        ended: list[str] = []

        async def waits(state: State) -> Update:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                ended.append("b")
            return {}

        async def fails(state: State) -> Update:
            await started.wait()
            raise KeyError("k")

        before = asyncio.all_tasks()
        with pytest.raises(GraphRunnerException, match="node 'c' failed"):
            await graph(*FORK, b=waits, c=fails).compile().ainvoke({})
        assert ended == ["b"]
        assert asyncio.all_tasks() == before

    def test_async_siblings_under_a_sync_verb(self) -> None:
        """P8: on the private loop, too."""
        started = threading.Event()
        ended: list[str] = []

        async def waits(state: State) -> Update:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                ended.append("b")
            return {}

        def fails(state: State) -> Update:
            assert started.wait(20)
            raise KeyError("k")

        compiled = graph(*FORK, b=waits, c=fails).compile()
        assert within(lambda: compiled.try_invoke({})).failure().node_id == "c"
        assert ended == ["b"]

    def test_a_sync_call_that_can_not_be_stopped_is_dropped(self) -> None:
        """P8: the run ends without waiting for it, and its result changes nothing."""
        gate, started, ended = threading.Event(), threading.Event(), threading.Event()

        def blocks(state: State) -> Update:
            started.set()
            assert gate.wait(20)
            ended.set()
            return {"m": "late"}

        def fails(state: State) -> Update:
            assert started.wait(20)
            raise KeyError("k")

        for run in under_both(graph(*FORK, b=blocks, c=fails).compile()):
            for event in (gate, started, ended):
                event.clear()
            with pytest.raises(GraphRunnerException, match="node 'c' failed"):
                within(run)
            assert not ended.is_set()
            gate.set()
            assert ended.wait(20)

    def test_branches_that_have_not_begun_do_not_run(self) -> None:
        """P8: under INLINE the siblings of a failed branch never start."""
        ran: list[str] = []

        def notes(state: State) -> Update:
            ran.append("c")
            return {}

        compiled = graph(*FORK, b=raises(KeyError("k")), c=notes).compile()
        with pytest.raises(GraphRunnerException):
            compiled.invoke({}, RunnableConfig(default_parallel_executor=INLINE))
        assert ran == []

    async def test_branches_that_have_not_begun_do_not_run_in_a_loop(self) -> None:
        """P8: nor under the async verbs."""
        ran: list[str] = []

        def notes(state: State) -> Update:
            ran.append("c")
            return {}

        compiled = graph(*FORK, b=raises(KeyError("k")), c=notes).compile()
        with pytest.raises(GraphRunnerException):
            await compiled.ainvoke({}, RunnableConfig(default_parallel_executor=INLINE))
        assert ran == []

    def test_the_graph_can_be_run_again(self) -> None:
        """C5: a failed run leaves nothing behind."""
        fail = [True]

        def once(state: State) -> Update:
            if fail.pop() if fail else False:
                raise KeyError("k")
            return {"m": "b"}

        compiled = graph(*FORK, b=once).compile()
        assert compiled.try_invoke({}).failure().node_id == "b"
        assert compiled.invoke({})["m"] == ["a", "b", "c", "d"]


class TestCancelledBranches:
    def check(self, action: Action, kind: type[BaseException]) -> None:
        """Each verb raises an error that names b, and does not hang."""
        for run in under_both(graph(*FORK, b=action).compile()):
            with pytest.raises(GraphRunnerException) as caught:
                within(run)
            assert caught.value.node_id == "b"
            assert isinstance(caught.value.__cause__, kind)

    def test_an_async_branch_that_cancels_itself(self) -> None:
        """P8: a branch that is cancelled by nobody else is a failed branch."""
        self.check(cancels_itself, asyncio.CancelledError)

    async def test_an_async_branch_that_cancels_itself_inside_a_running_loop(self) -> None:
        """P8: on a private loop in its own thread, too."""
        compiled = graph(*FORK, b=cancels_itself).compile()
        error = within(lambda: asyncio.run(_invoke_here(compiled)))
        assert (error.node_id, type(error.__cause__)) == ("b", asyncio.CancelledError)

    def test_a_sync_branch_that_raises_a_cancellation(self) -> None:
        """P8: a sync action that raises `CancelledError`."""
        self.check(raises(asyncio.CancelledError()), asyncio.CancelledError)

    @pytest.mark.parametrize("action", [raises(Abort()), aborts], ids=["sync", "async"])
    def test_a_branch_that_raises_no_exception(self, action: Action) -> None:
        """P8: what is no `Exception` ends the run as well: it comes out, or is the cause; nothing hangs."""
        for run in under_both(graph(*FORK, b=action).compile()):
            with pytest.raises((GraphRunnerException, Abort)) as caught:
                within(run)
            assert isinstance(caught.value, Abort) or isinstance(caught.value.__cause__, Abort)

    def test_inline(self) -> None:
        """P8: INLINE."""
        compiled = graph(*FORK, b=raises(Abort())).compile()
        config = RunnableConfig(default_parallel_executor=INLINE)
        with pytest.raises((GraphRunnerException, Abort)):
            within(lambda: compiled.invoke({}, config))


async def _invoke_here(compiled: Compiled) -> GraphRunnerException:
    return compiled.try_invoke({}).failure()


def test_a_branch_that_raises_stop_iteration() -> None:
    """X3: `StopIteration` of a node is a failure as any, on the main path and in a branch."""
    for edges in (("START > b", "b > END"), FORK):
        for run in under_both(graph(*edges, b=raises(StopIteration("x"))).compile()):
            with pytest.raises(GraphRunnerException) as caught:
                within(run)
            assert caught.value.node_id == "b"
            assert isinstance(caught.value.__cause__, StopIteration)


def test_the_recursion_limit_in_a_branch_cancels_the_others() -> None:
    """P8, P12: a branch that is refused is a failed branch."""
    built = graph("START > a", "a > b, c", "c > d", "d > END", b=appends("b"))
    built.add_conditional_edges("b", says("b"), ["b", "d", END])
    error = built.compile().try_invoke({}, RunnableConfig(recursion_limit=5)).failure()
    assert (error.code, error.node_id) == ("recursion_limit", "b")
