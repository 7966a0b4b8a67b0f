"""Drives a run by hand, ask by ask: it can be failed, closed, or killed at any of them, and gone on with."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from attrs import define, field

from graph_core import (
    CompiledGraph,
    GraphInterrupt,
    GraphRunnerContext,
    GraphRunnerException,
    InterruptionMetadata,
    NodeOutput,
    RunnableConfig,
    StreamMode,
)
from graph_core.compiler.plan import NodePlan
from graph_core.runner.asks import Cancel, Done, Save, Wait
from graph_core.runner.branch import Branch

Compiled: TypeAlias = CompiledGraph[Any, Any, Any, Any]
Choose: TypeAlias = Callable[[Sequence[Branch]], int]
"""Gives the position of the branch whose call completes next."""

How: TypeAlias = Literal["fail", "close", "kill"]
"""A call raises; the reader closes the run; the process dies."""

Steps: TypeAlias = "Counter[tuple[str, int]]"
"""How often a node ran at a step."""


class Boom(Exception):
    """What a call raises that was to fail."""


@define
class Stop:
    """Where a run is stopped: at the ask (or, for `fail`, the call) of that number."""

    how: How = "fail"
    at: int = -1


@define
class Ended:
    """What a driven run did.

    `state` is there if it came to its end (or to a pause: then there are `interruptions`), `error` if it failed,
    neither if it was closed or killed.
    `reached` tells that it came to where it was to be stopped, `is_kept` that every step is saved, `asks` and
    `calls` how many there were, `choices` how many calls could have completed at each choice.
    """

    thread_id: str = ""
    state: dict[str, Any] | None = None
    error: GraphRunnerException | None = None
    done: Steps = field(factory=Counter[tuple[str, int]])
    order: list[tuple[str, int]] = field(factory=list[tuple[str, int]])
    outputs: list[NodeOutput] = field(factory=list[NodeOutput])
    choices: list[int] = field(factory=list[int])
    asks: int = 0
    calls: int = 0
    how: How = "fail"
    reached: bool = False
    is_killed: bool = False
    is_kept: bool = True
    interruptions: tuple[InterruptionMetadata, ...] = ()


class Machine:
    """One run of a graph of sync actions, driven ask by ask."""

    def __init__(self, compiled: Compiled, config: RunnableConfig, stop: Stop, choose: Choose, *, reads: bool) -> None:
        modes = (StreamMode.VALUES,) if reads else ()
        self.run = GraphRunnerContext(compiled._plan, config, modes)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (the machine itself is under test)
        self.stop = stop
        self.choose = choose
        self.running: list[Branch] = []
        self.at_once = 1
        self.ended = Ended(self.run.thread_id, how=stop.how, is_kept=config.thread_id is not None)

    def drive(self, inputs: Mapping[str, Any] | None) -> Ended:
        """Run to the end, or to where it is stopped."""
        steps = self.run.steps(inputs or {}, resumes=inputs is None or self.run.config.resume is not None)
        try:
            self._answers(steps)
        except StopIteration as end:
            self.ended.state = dict(end.value)
        except GraphRunnerException as error:
            self.ended.error = error
        self.ended.interruptions = self.run.interruptions
        if not self.ended.is_killed:
            steps.close()
            for save in self.run.ended():
                save.call()
        return self.ended

    def _answers(self, steps: Any) -> None:
        answer: Any = None
        while True:
            is_raised = isinstance(answer, Exception | GraphInterrupt)
            ask = steps.throw(answer) if is_raised else steps.send(answer)
            if self._is_stopped():
                if isinstance(ask, Save) and not self.ended.is_killed:
                    ask.call()  # what a driver has begun to save it saves
                return
            answer = self._answer(ask)

    def _is_stopped(self) -> bool:
        stop, ended = self.stop, self.ended
        ended.asks += 1
        if ended.asks - 1 != stop.at or stop.how not in {"close", "kill"}:
            return False
        ended.reached = True
        ended.is_killed = stop.how == "kill"
        return True

    def _answer(self, ask: Any) -> Any:
        if isinstance(ask, NodeOutput):
            self.ended.outputs.append(ask)
        elif isinstance(ask, Wait):
            self.running += ask.starts
            self.ended.choices.append(len(self.running))
            count = min(self.at_once, len(self.running))
            return [self._told(self.running.pop(self.choose(self.running))) for _ in range(count)]
        elif isinstance(ask, Cancel):
            self.running = [branch for branch in self.running if not ask.is_over(branch)]
            return []
        elif isinstance(ask, Save):
            return self._saved(ask)
        else:
            call, state, config = cast("tuple[Any, Any, Any]", ask)
            return self._called(call, state, config, self.run.step)
        return None

    def _saved(self, ask: Save) -> Any:
        try:
            return ask.call()
        except Exception as error:  # noqa: BLE001  (the machine gets it)
            return error

    def _told(self, branch: Branch) -> Done:
        value = self._called(branch.call, branch.view, branch.config, branch.step)
        return branch, not isinstance(value, Exception | GraphInterrupt), value

    def _called(self, call: Any, state: Any, config: Any, step: int) -> Any:
        self.ended.calls += 1
        if self.stop.how == "fail" and self.ended.calls - 1 == self.stop.at:
            self.ended.reached = True
            return Boom(f"call {self.stop.at}")
        try:
            value = call.fn(state) if config is None else call.fn(state, config)
        except (Exception, GraphInterrupt) as error:  # noqa: BLE001  (what the action raised is its outcome)
            return error
        if isinstance(call, NodePlan):
            self.ended.done[call.id, step] += 1
            self.ended.order.append((call.id, step))
        return value


def first(_: Sequence[Branch]) -> int:
    """Let the call that began first complete first."""
    return 0


def by_chance(seed: int) -> Choose:
    """Let calls complete in an order by chance."""
    chance = random.Random(seed)  # noqa: S311  (a reproducible sample, nothing secret)
    return lambda running: chance.randrange(len(running))


def drive(
    compiled: Compiled,
    inputs: Mapping[str, Any] | None,
    config: RunnableConfig | None = None,
    stop: Stop | None = None,
    choose: Choose = first,
    *,
    reads: bool = True,
    at_once: int = 1,
) -> Ended:
    """Run a graph; `None` goes on with the thread of the config, `at_once` calls are told together."""
    machine = Machine(compiled, config or RunnableConfig(), stop or Stop(), choose, reads=reads)
    machine.at_once = at_once
    return machine.drive(inputs)
