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
    RunnableConfig,
    StateGraph,
)
from graph_core_tests.shapes import State, failure_of, graph, says


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

    def noted(state: State) -> dict[str, Any]:
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

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ARG002  (it runs nothing)
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
