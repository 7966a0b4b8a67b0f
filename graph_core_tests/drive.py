"""Drives the engine by hand: which running call completes next is the test's choice, without threads."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from attrs import define, field

from graph_core import CompiledGraph, GraphRunnerContext, GraphRunnerException, NodeOutput, RunnableConfig, StreamMode
from graph_core.compiler.plan import NodePlan
from graph_core.runner.asks import Cancel, Done, Wait
from graph_core.runner.branch import Branch

Choose: TypeAlias = Callable[[Sequence[Branch]], int]
"""Gives the position of the branch whose call completes next."""


@define
class Run:
    """One node that ran: its step, its branch, and the state that it saw."""

    node: str
    step: int
    key: tuple[int, ...]
    seen: dict[str, Any]


@define
class Trace:
    """What a driven run did, and how many calls could have completed at each choice."""

    state: dict[str, Any] | None = None
    error: GraphRunnerException | None = None
    runs: list[Run] = field(factory=list[Run])
    outputs: list[NodeOutput] = field(factory=list[NodeOutput])
    choices: list[int] = field(factory=list[int])
    live: int = 0

    def regions(self) -> list[tuple[str, dict[str, Any]]]:
        """The outputs of regions, in order."""
        return [(o.node, dict(o.state or {})) for o in self.outputs if o.node.startswith("__PARALLEL__")]


def drive(
    compiled: CompiledGraph[Any, Any, Any, Any],
    inputs: Mapping[str, Any],
    choose: Choose = lambda _: 0,
    config: RunnableConfig | None = None,
) -> Trace:
    """Run a graph of sync actions; an action is called when its completion is chosen."""
    context = GraphRunnerContext(compiled._plan, config or RunnableConfig(), (StreamMode.VALUES,))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (the machine itself is under test)
    steps = context.steps(inputs)
    trace = Trace()
    running: list[Branch] = []
    answer: Any = None
    try:
        while True:
            ask = steps.send(answer)
            answer = None
            if isinstance(ask, NodeOutput):
                trace.outputs.append(ask)
            elif isinstance(ask, Wait):
                running += ask.starts
                trace.runs += [_run(branch) for branch in ask.starts if isinstance(branch.call, NodePlan)]
                trace.choices.append(len(running))
                answer = [_called(running.pop(choose(running)))]
            elif isinstance(ask, Cancel):
                running = [branch for branch in running if not ask.is_over(branch)]
                answer = []
            else:
                answer = _main(cast("Any", ask), context, trace)
                while isinstance(answer, Exception):
                    ask = steps.throw(answer)
                    answer = None
                    trace.outputs.append(cast("NodeOutput", ask))
    except StopIteration as end:
        trace.state = dict(end.value)
    except GraphRunnerException as error:
        trace.error = error
    trace.live = len(running)
    return trace


def _run(branch: Branch) -> Run:
    return Run(branch.node.id, branch.step, branch.key, dict(branch.view))


def _called(branch: Branch) -> Done:
    call = branch.call
    try:
        return branch, True, call.fn(branch.view) if branch.config is None else call.fn(branch.view, branch.config)
    except Exception as error:  # noqa: BLE001  (what the action raised is its outcome)
        return branch, False, error


def _main(ask: tuple[Any, Any, Any], context: GraphRunnerContext, trace: Trace) -> Any:
    call, state, config = ask
    if isinstance(call, NodePlan):
        trace.runs.append(Run(call.id, context.step, (), dict(state)))
    try:
        return call.fn(state) if config is None else call.fn(state, config)
    except Exception as error:  # noqa: BLE001  (what the action raised is its outcome)
        return error
