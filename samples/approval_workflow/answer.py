"""What the office answers to a request."""

from typing import Any, Final

import attrs
from returns.result import Failure, Result

from graph_core import GraphRunnerException, RunnableConfig
from samples.approval_workflow.case import Outcome
from samples.approval_workflow.office import Office
from samples.approval_workflow.question import Question
from samples.approval_workflow.source import id_in
from samples.shared.table import cell

_REFUSED: Final = "invalid_inputs"
_BUSY: Final = "thread_busy"
_OBJECT: Final[Any] = dict  # as `Any`: to a type checker `isinstance` does not narrow then


@attrs.frozen(kw_only=True)
class Waiting:
    """A question that waits for a person: the id of the interrupt, and the thread that goes on with the answer."""

    id: str
    question: Question
    thread: RunnableConfig[Office]


@attrs.frozen
class Answer:
    """A request as it was given, its number from 1, and what has become of it.

    `waiting` is what it waits for, if it does; `note` tells of a ruling that came to nothing.
    """

    number: int
    given: Any
    result: Result[Outcome, GraphRunnerException]
    waiting: Waiting | None = None
    note: str = ""

    @property
    def is_refused(self) -> bool:
        """Tell whether it was refused before anything ran."""
        return self._code == _REFUSED

    @property
    def is_busy(self) -> bool:
        """Tell whether another process has it in hand."""
        return self._code == _BUSY

    @property
    def is_failed(self) -> bool:
        """Tell whether something went wrong on the way."""
        return self._code is not None and not self.is_refused

    @property
    def id(self) -> str | None:
        """The id that was given, if one was."""
        return id_in(self.given)

    @property
    def title(self) -> str:
        """What to call it, whatever was given."""
        has_id = isinstance(self.given, _OBJECT) and "id" in self.given
        return f"no. {self.number}, {cell(str(self.given['id']))}" if has_id else f"no. {self.number}"

    @property
    def fate(self) -> str:
        """The decision, or why there is none."""
        if isinstance(self.result, Failure):
            return "refused" if self.is_refused else "failed"
        return self.result.unwrap().decision.value

    @property
    def _code(self) -> str | None:
        return self.result.failure().code if isinstance(self.result, Failure) else None
