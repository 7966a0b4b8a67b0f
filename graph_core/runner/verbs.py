"""The verbs of a compiled graph that look at threads and change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic

from returns.maybe import Maybe, Nothing, Some
from typing_extensions import TypeVar

from graph_core.config import RunnableConfig
from graph_core.exception import InvalidRecordError
from graph_core.exception.texts import shown
from graph_core.runner import failures, threads
from graph_core.runner.context import GraphRunnerContext
from graph_core.runner.sync_driver import answered_now

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from graph_core.compiler.plan import GraphPlan
    from graph_core.streaming import StateSnapshot

C = TypeVar("C", default=Any)


def checked(config: RunnableConfig[Any] | None) -> RunnableConfig[Any]:
    """Give the config of a call.

    Raises:
        InvalidRecordError: it is none.
    """
    if config is None:
        return RunnableConfig()
    if not isinstance(config, RunnableConfig):
        raise InvalidRecordError(f"the config of a run must be a RunnableConfig, not {shown(config)}")
    return config


class ThreadVerbs(Generic[C]):
    """What a compiled graph can do with the threads in its saver."""

    __slots__ = ()
    _plan: GraphPlan

    def get_state(self, config: RunnableConfig[C]) -> StateSnapshot:
        """Give where a thread stands, or stood at `config.checkpoint_id`.

        Raises:
            GraphRunnerException: there is no saver, no thread id, or no such thread or checkpoint.

        >>> from graph_core import END, START, StateGraph
        >>> graph = StateGraph().add_node("a", lambda s: {"x": 1}).add_edge(START, "a").add_edge("a", END).compile()
        >>> config = RunnableConfig(thread_id="t")
        >>> _ = graph.invoke({}, config)
        >>> graph.get_state(config).next, graph.get_state(config).status
        (('__END__',), 'done')
        """
        return _found(self.state_of(config), config)

    def state_of(self, config: RunnableConfig[C]) -> Maybe[StateSnapshot]:
        """Give where a thread stands; `Nothing` if it has no checkpoint.

        Raises:
            GraphRunnerException: there is no saver, no thread id, or no checkpoint of the id that was given.
        """
        given = checked(config)
        found = answered_now(threads.snapshot(self._plan, given), given)
        return Nothing if found is None else Some(found)

    def get_state_history(
        self, config: RunnableConfig[C], *, limit: int | None = None, before: RunnableConfig[Any] | str | None = None
    ) -> Sequence[StateSnapshot]:
        """Give the checkpoints of a thread, newest first.

        Args:
            config: names the thread.
            limit: at most so many.
            before: only those written before this checkpoint (its id, or a config with it).

        Raises:
            GraphRunnerException: there is no saver or thread id, or no checkpoint `before`.
        """
        given = checked(config)
        return answered_now(threads.history(self._plan, given, limit, before), given)

    def update_state(
        self,
        config: RunnableConfig[C],
        values: object,
        as_node: str | None = None,
        *,
        path: tuple[int, ...] | None = None,
    ) -> RunnableConfig[C]:
        """Add a checkpoint to a thread, with values merged into its state by the strategies.

        Args:
            config: names the thread, and the checkpoint if it is not the last.
            values: key → value, or an instance of a schema.
            as_node: the values stand for what this node (or `START`) gave, and its routes are
                evaluated after them; without it the next nodes stay.
            path: key of the branch that stands on `as_node`, where several do.

        Returns:
            A config that names the new checkpoint.

        Raises:
            GraphRunnerException: there is no saver, thread or checkpoint, another run holds the
                thread, the values can not be merged, a route fails, or `as_node` is no node.
        """
        run = self._opened(config)
        return answered_now(threads.answered(_updating(values, as_node, path), run), run.config, run.ended)

    async def aget_state(self, config: RunnableConfig[C]) -> StateSnapshot:
        """`get_state` in an event loop.

        Raises:
            GraphRunnerException: as `get_state`.
        """
        return _found(await self.astate_of(config), config)

    async def astate_of(self, config: RunnableConfig[C]) -> Maybe[StateSnapshot]:
        """`state_of` in an event loop.

        Raises:
            GraphRunnerException: as `state_of`.
        """
        from graph_core.runner.async_driver import answered_in_loop

        given = checked(config)
        found = await answered_in_loop(threads.snapshot(self._plan, given), given)
        return Nothing if found is None else Some(found)

    async def aget_state_history(
        self, config: RunnableConfig[C], *, limit: int | None = None, before: RunnableConfig[Any] | str | None = None
    ) -> Sequence[StateSnapshot]:
        """`get_state_history` in an event loop.

        Raises:
            GraphRunnerException: as `get_state_history`.
        """
        from graph_core.runner.async_driver import answered_in_loop

        given = checked(config)
        return await answered_in_loop(threads.history(self._plan, given, limit, before), given)

    async def aupdate_state(
        self,
        config: RunnableConfig[C],
        values: object,
        as_node: str | None = None,
        *,
        path: tuple[int, ...] | None = None,
    ) -> RunnableConfig[C]:
        """`update_state` in an event loop.

        Raises:
            GraphRunnerException: as `update_state`.
        """
        from graph_core.runner.async_driver import answered_in_loop

        run = self._opened(config)
        return await answered_in_loop(threads.answered(_updating(values, as_node, path), run), run.config, run.ended)

    def _opened(self, config: RunnableConfig[Any]) -> GraphRunnerContext:
        return GraphRunnerContext(self._plan, checked(config))


def _updating(values: object, as_node: str | None, path: tuple[int, ...] | None) -> Any:
    def update(run: GraphRunnerContext) -> Generator[Any, Any, RunnableConfig[Any]]:
        return threads.update(run, values, as_node, path)

    return update


def _found(found: Maybe[StateSnapshot], config: RunnableConfig[Any]) -> StateSnapshot:
    snapshot = found.value_or(None)
    if snapshot is None:
        raise failures.nothing_to_resume(str(config.thread_id))
    return snapshot
