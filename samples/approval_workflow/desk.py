"""The desk: where requests are handed in, wait, and are ruled on."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import attrs
from returns.result import Failure, Success

from graph_core import GraphRunnerException, RunnableConfig, RunResult, StateSnapshot
from samples.approval_workflow.answer import Answer, Waiting
from samples.approval_workflow.batch import Batch
from samples.approval_workflow.case import Outcome
from samples.approval_workflow.graph import ApprovalGraph
from samples.approval_workflow.office import Office
from samples.approval_workflow.question import Ruling

_Stand: TypeAlias = RunResult[Outcome] | StateSnapshot
_TOO_LATE: Final = frozenset({"no_pending_interrupt", "unknown_interrupt", "finished_thread"})
_KEYS: Final = tuple(field.name for field in attrs.fields(Outcome))


@attrs.frozen(kw_only=True)
class Desk:
    """Sends each request through the graph, in a run of its own.

    Args:
        graph: what `build` gives.
        office: where it is decided.
        batch: what the requests were handed in as; without one each run is forgotten with the graph's saver.
    """

    graph: ApprovalGraph
    office: Office
    batch: Batch | None = None

    def hand_in(self, number: int, request: Any) -> Answer:
        """Send a request through the graph, or go on where its thread stands.

        Args:
            number: its place among all requests, from 1.
            request: a `Request`, or what a JSON file has in its place: the graph checks it before anything runs.
        """
        config = RunnableConfig(context=self.office)
        if self.batch is None:
            return _answer(number, request, lambda: self.graph.run({"request": request}, config))
        thread = config.with_thread_id(self.batch.thread_of(number))
        return _answer(number, request, lambda: self._in_thread(request, thread))

    def _in_thread(self, request: Any, thread: RunnableConfig[Office]) -> _Stand:
        left = self.graph.state_of(thread).value_or(None)
        if left is None:
            return self.graph.run({"request": request}, thread)
        return left if left.status == "done" or left.interruptions else self.graph.run(None, thread)

    def rule(self, answer: Answer, ruling: Ruling) -> Answer:
        """Answer what a request waits for; if it does not (any more), its answer gets a note that says so."""
        waiting = answer.waiting
        if waiting is None:
            return attrs.evolve(answer, note=f"does not wait for a person: {ruling} came to nothing")
        ruled = waiting.thread.with_resume(answers={waiting.id: ruling})
        after = _answer(answer.number, answer.given, lambda: self.graph.run(None, ruled))
        if isinstance(after.result, Failure) and after.result.failure().code in _TOO_LATE:
            now = self.hand_in(answer.number, answer.given)
            return attrs.evolve(now, note=f"was answered elsewhere in the meantime: {ruling} came too late")
        return after


def _answer(number: int, request: Any, come_to: Callable[[], _Stand]) -> Answer:
    try:
        stand = come_to()
    except GraphRunnerException as error:
        return Answer(number, request, Failure(error))
    outcome = Outcome(**{key: stand.state[key] for key in _KEYS})
    thread = stand.config.onward()
    asked = (Waiting(id=one.id, question=one.payload, thread=thread) for one in stand.interruptions)
    return Answer(number, request, Success(outcome), next(asked, None))
