"""Objects of the user's that raise wherever they can: the failure still has a name (X3, S9, E1)."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from graph_core import (
    END,
    INLINE,
    REMOVE,
    START,
    CompileConfig,
    GraphRunnerException,
    NodeAggregationStrategy,
    RunnableConfig,
    StateGraph,
)
from graph_core_tests.shapes import State, Update, failure_of, graph, says


class Unreadable(Mapping[str, Any]):
    """A mapping that can not be read."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("unreadable")

    def __iter__(self) -> Iterator[str]:
        return iter(["k"])

    def __len__(self) -> int:
        return 1


class Unshowable:
    """An object whose text can not be had."""

    def __repr__(self) -> str:
        raise ValueError("no text")


class Unhashable:
    """A label that raises when it is looked up."""

    def __hash__(self) -> int:
        raise OSError("no hash")


class Speechless(Exception):
    """An error whose text can not be had."""

    def __str__(self) -> str:
        raise ValueError("no text")


def raising(error: BaseException) -> Any:
    """Make a node that raises."""

    def act(state: object) -> dict[str, Any]:
        raise error

    return act


class TestNodes:
    def test_an_update_that_can_not_be_read(self) -> None:
        """S9: the error names the node, and what was raised is its cause."""
        error = failure_of(graph("START > a", "a > END", a=says(Unreadable())).compile(), {})
        assert (error.node_id, error.code, type(error.__cause__)) == ("a", "invalid_update", RuntimeError)

    def test_a_result_that_can_not_be_shown(self) -> None:
        """S9: the text says so, instead of failing itself."""
        error = failure_of(graph("START > a", "a > END", a=says(Unshowable())).compile(), {})
        assert "<Unshowable, whose repr raised ValueError>" in str(error)

    def test_a_long_result_is_cut(self) -> None:
        """E1: a text that is read is a short one."""
        error = failure_of(graph("START > a", "a > END", a=says([0] * 10_000)).compile(), {})
        assert len(str(error)) < 1000

    def test_an_error_without_text(self) -> None:
        """X3: the failure names the node and the type."""
        error = failure_of(graph("START > a", "a > END", a=raising(Speechless())).compile(), {})
        assert "Speechless, whose str raised" in str(error)

    def test_a_group_of_the_users_own(self) -> None:
        """X3: a node's own ExceptionGroup is the cause as it is."""
        error = failure_of(graph("START > a", "a > END", a=raising(ExceptionGroup("g", [OSError()]))).compile(), {})
        assert isinstance(error.__cause__, ExceptionGroup)
        assert error.thread_id is not None

    def test_a_branch(self) -> None:
        """P8: in a region, too."""
        built = graph("START > a, b", "a > END", "b > END", a=says(Unreadable()))
        assert failure_of(built.compile(), {}).node_id == "a"


def test_inputs_that_can_not_be_read() -> None:
    """X0: the inputs are refused, and why is the cause."""
    error = failure_of(graph("START > a", "a > END").compile(), Unreadable())
    assert (error.code, type(error.__cause__)) == ("invalid_inputs", RuntimeError)


def test_a_label_that_can_not_be_looked_up() -> None:
    """R4: the error names the router."""
    built = graph("START > a", "b > END").add_conditional_edges("a", lambda state: Unhashable(), ["b"])
    error = failure_of(built.compile(), {})
    assert (error.node_id, error.code, type(error.__cause__)) == ("a", "invalid_route", OSError)


@pytest.mark.parametrize("strategy", ["raises", "marker"])
def test_a_last_update_of_a_branch_that_can_not_be_merged(strategy: str) -> None:
    """S8, P8: it fails its step at once, and the sibling, which would never end, is cancelled."""
    ended: list[str] = []
    began = threading.Event()

    def refuse(old: object, new: object) -> object:
        raise LookupError("refused")

    async def act(state: object) -> dict[str, Any]:
        try:
            began.set()
            await asyncio.Event().wait()
        finally:
            ended.append("b")
        return {}

    def spoil(state: object) -> dict[str, Any]:
        assert began.wait(10)
        return {"k": 1} if strategy == "raises" else {"x": [REMOVE]}

    built = StateGraph({"k": refuse}).add_node("b", act).add_node("a", spoil)
    built.add_edge(START, ["a", "b"]).add_edge(["a", "b"], END)
    error = failure_of(built.compile(CompileConfig(detect_mutation=False)), {})
    assert (error.node_id, ended) == ("a", ["b"])


def test_garbage_of_a_branch_inline() -> None:
    """S9, P8: nor does a sibling begin that would have run after it."""
    ran: list[str] = []

    def noted(state: State) -> Update:
        ran.append("b")
        return {}

    built = graph("START > a, b", "a > END", "b > END", a=says([1]), b=noted)
    error = failure_of(built.compile(), {}, RunnableConfig(default_parallel_executor=INLINE))
    assert (error.node_id, ran) == ("a", [])


def test_a_value_that_holds_itself_goes_unguarded() -> None:
    """S10: looking for changes does not fail where there is no end of looking."""
    ring: list[Any] = []
    ring.append(ring)
    compiled = graph("START > a", "a > END").compile(CompileConfig(detect_mutation=True))
    assert compiled.invoke({"ring": ring})["ring"] is ring


class NoFutures(Executor):
    """An executor that gives back nothing."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Give what is no Future."""
        nothing: Any = None
        return nothing  # type: ignore[no-any-return]


async def test_an_executor_that_gives_no_future() -> None:
    """P10: a clear error under both drivers."""
    compiled = graph("START > a, b", "a > END", "b > END").compile()
    config = RunnableConfig(default_parallel_executor=NoFutures())
    assert failure_of(compiled, {}, config).code == "executor_failed"
    with pytest.raises(GraphRunnerException, match="which is no Future"):
        await compiled.ainvoke({}, config)


class Uniterable(list[Any]):
    """A list that can not be walked through."""

    def __iter__(self) -> Iterator[Any]:
        raise OSError("no elements")


class TestContainers:
    @pytest.mark.parametrize("edges", [("START > a", "a > END"), ("START > a, b", "a > END", "b > END")], ids=len)
    def test_a_value_that_can_not_be_looked_through(self, edges: tuple[str, ...]) -> None:
        """S4, S9: it is the node's failure, on the main path and in a branch, guarded or not."""
        for config in (CompileConfig(), CompileConfig(detect_mutation=False)):
            error = failure_of(graph(*edges, a=says({"x": Uniterable([1])})).compile(config), {})
            assert (error.node_id, type(error.__cause__)) == ("a", OSError)

    def test_an_answer_that_can_not_be_looked_through(self) -> None:
        """R2: it is the route's failure."""
        built = graph("START > a", "b > END", "c > END")
        built.add_parallel_conditional_edges("a", says(Uniterable(["b"])), ["b", "c"])
        error = failure_of(built.compile(), {})
        assert (error.node_id, error.code, type(error.__cause__)) == ("a", "invalid_route", OSError)

    def test_inputs(self) -> None:
        """X0: the failure is that of START."""
        assert failure_of(graph("START > a", "a > END").compile(), {"x": Uniterable()}).node_id == START


def test_a_strategy_whose_error_has_no_text() -> None:
    """S8: the failure names key, node and type."""

    def refuse(old: object, new: object) -> object:
        raise Speechless

    built = StateGraph({"k": refuse}).add_node("a", lambda state: {"k": 1}).add_edge(START, "a").add_edge("a", END)
    assert "key 'k': its strategy" in str(failure_of(built.compile(), {}))


class TestOwnCancellation:
    @pytest.mark.parametrize("executor", [INLINE, None], ids=["inline", "pool"])
    async def test_of_a_branch(self, executor: Any) -> None:
        """P8: an action's own cancellation is its failure, under both drivers."""
        built = graph("START > a, b", "a > END", "b > END", a=raising(asyncio.CancelledError("mine")))
        config = RunnableConfig(default_parallel_executor=executor)
        assert failure_of(built.compile(), {}, config).node_id == "a"
        assert (await built.compile().atry_invoke({}, config)).failure().node_id == "a"

    async def test_of_the_main_path(self) -> None:
        """X3: the same, in sync and in async actions."""

        async def cancels(state: object) -> dict[str, Any]:
            raise asyncio.CancelledError("mine")

        for act in (cancels, raising(asyncio.CancelledError("mine"))):
            compiled = graph("START > a", "a > END", a=act).compile()
            assert (await compiled.atry_invoke({})).failure().node_id == "a"
            assert failure_of(compiled, {}).node_id == "a"

    async def test_of_the_run(self) -> None:
        """A task that is cancelled is cancelled, not failed."""
        began = asyncio.Event()

        async def waits(state: object) -> dict[str, Any]:
            began.set()
            await asyncio.Event().wait()
            return {}

        task = asyncio.create_task(graph("START > a", "a > END", a=waits).compile().ainvoke({}))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_loser_that_ends_while_it_is_cancelled() -> None:
    """P7: nothing is said of it, and nothing goes wrong."""
    wrong: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context))

    def after(ticks: int) -> Any:
        async def act(state: object) -> dict[str, Any]:
            for _ in range(ticks):
                await asyncio.sleep(0)
            return {}

        return act

    built = graph("START > s", "s > b, c", "b > t", "c > t", "t > END", b=after(0), c=after(1))
    config = RunnableConfig(default_aggregation=NodeAggregationStrategy.ANY_OF)
    assert (await built.compile().ainvoke({}, config))["m"] == ["s", "t"]
    assert wrong == []


class TestGuarding:
    def guarded(self, value: Any) -> Any:
        """Run with a value under guard."""
        return graph("START > a", "a > END").compile(CompileConfig(detect_mutation=True)).invoke({"x": value})["x"]

    def test_a_deep_value(self) -> None:
        """S10: where there is too much to look at, it is not looked at."""
        deep: list[Any] = []
        for _ in range(400):
            deep = [deep]
        assert self.guarded(deep) is deep

    def test_a_value_that_is_shared_many_times(self) -> None:
        """S10: each part is looked at once."""
        shared: list[Any] = []
        for _ in range(60):
            shared = [shared, shared]
        assert self.guarded(shared) is shared

    def test_parts_that_can_not_be_compared(self) -> None:
        """S10: they are nobody's failure."""
        assert len(self.guarded({2, Incomparable()})) == 2

    def test_another_part_that_can_not_be_compared(self) -> None:
        """S10: it is not the one that was there, so the state was changed."""

        def swaps(state: State) -> Update:
            state["x"].clear()
            state["x"].add(Incomparable())
            return {}

        compiled = graph("START > a", "a > END", a=swaps).compile(CompileConfig(detect_mutation=True))
        assert compiled.try_invoke({"x": {Incomparable()}}).failure().code == "mutated_state"


class Incomparable:
    """An element that raises when it is compared."""

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise ArithmeticError("incomparable")
