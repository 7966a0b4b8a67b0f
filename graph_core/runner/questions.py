"""Reading what actions ask, and what the methods say that tell whether to pause (rule K5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import attrs
from returns.maybe import Maybe

from graph_core.action import Command, MultiCommand
from graph_core.action.command import is_instance
from graph_core.exception import GraphInterrupt
from graph_core.runner import failures
from graph_core.streaming import InterruptionMetadata

if TYPE_CHECKING:
    from graph_core.compiler.plan import HookPlan
    from graph_core.config import RunnableConfig
    from graph_core.state import OverAllState

# As `Any`: to a type checker `isinstance` does not narrow then.
_MAYBE: Final[Any] = Maybe
_MAPPING: Final[Any] = Mapping
_COMMANDS: Final[Any] = (Command, MultiCommand)


def question_of(error: BaseException) -> GraphInterrupt | None:
    """Give the question that stopped an action; it may come out of the tasks that the action has started."""
    if isinstance(error, GraphInterrupt):
        return error
    asked: Any = error
    if isinstance(error, failures.GROUP) and asked.split(GraphInterrupt)[1] is None:
        while isinstance(asked, failures.GROUP):
            asked = asked.exceptions[0]
        found: GraphInterrupt = asked
        return found
    return None


def said(hook: HookPlan, answer: Any) -> InterruptionMetadata | None:
    """Read what the method of an `InterruptableAction` said.

    Raises:
        GraphRunnerException: it is neither a pause nor none.
    """
    found = answer.value_or(None) if isinstance(answer, _MAYBE) else answer
    if found is None or isinstance(found, InterruptionMetadata):
        return found
    raise failures.invalid_interruption(hook, answer)


def hook_after(hook: HookPlan, result: Any) -> HookPlan:
    """Give the call of `interrupt_after` with the update that the action returned."""
    update: Any = result.update if isinstance(result, _COMMANDS) else result
    given: Any = update if isinstance(update, _MAPPING) or is_instance(update) else {}
    method = hook.fn

    def call(state: OverAllState[Any], config: RunnableConfig[Any]) -> Any:
        return method(state, given, config)

    return attrs.evolve(hook, fn=call)
