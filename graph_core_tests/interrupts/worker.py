"""Processes that run graphs which ask, and answer them, and are killed.

Run as `python -m graph_core_tests.interrupts.worker`.
"""

import os
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from graph_core import INLINE, CompileConfig, InterruptionMetadata, RunnableConfig, StateGraph, interrupt
from graph_core.checkpoint.savers import DatabaseSaver
from graph_core_tests.shapes import Action, State, run_async, run_sync
from graph_core_tests.threads import graphs
from graph_core_tests.threads.worker import Log, Order, main


@frozen
class Asking:
    """A graph whose nodes ask, and where it pauses besides.

    Args:
        build: makes the graph.
        counts: node → how many questions it asks.
        options: of `CompileConfig`.
    """

    build: Callable[[graphs.Wrap], StateGraph]
    counts: Mapping[str, int]
    options: Mapping[str, Any] = {}


SHAPES: Mapping[str, Asking] = {
    "chain": Asking(graphs.chain, {"a": 2, "c": 1}, {"interrupts_after": ["b"], "interrupt_before_edge": True}),
    "loop": Asking(graphs.loop, {"a": 1}, {"interrupts_before": ["b"]}),
    "region": Asking(graphs.region, {"b": 1, "c": 2, "d": 1}, {"interrupts_before": ["e"], "interrupts_after": ["c"]}),
    "nested": Asking(graphs.nested, {"d": 1, "e": 1, "c": 1}, {"interrupts_after": ["b", "d"]}),
    "sends": Asking(graphs.sends, {"w": 1, "q": 1}, {"interrupts_before": ["p"]}),
}
"""Every shape by name."""


def answer_to(question: InterruptionMetadata) -> Any:
    """Give the answer to a question, which nobody else gets."""
    return [question.payload, question.id]


def asking(shape: Asking, log: Log) -> graphs.Wrap:
    """Make nodes that ask, and say what they were told."""

    def wrap(name: str, action: Action) -> Action:
        def act(state: State, config: RunnableConfig) -> Any:
            for number in range(shape.counts.get(name, 0)):
                question, id_ = interrupt([name, number])
                assert question == [name, number]
                log.tell(f"told:{id_}", name, config.step)
            log.tell("begins", name, config.step)
            result = action(state)
            log.tell("done", name, config.step)
            return result

        return act

    return wrap


def carry_out(order: Order, watcher: int) -> None:
    """Begin a thread, or answer some of what it has asked, and go on with it."""
    log = Log(os.open(order["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644), watcher)
    chance = random.Random(order["spin"])  # noqa: S311  (a reproducible sample, nothing secret)
    shape, session = SHAPES[order["shape"]], order["session"]
    with DatabaseSaver(order["file"], clock=lambda: time.time() + 1000 * session) as saver:
        compiled = shape.build(asking(shape, log)).compile(CompileConfig(checkpoint_saver=saver, **shape.options))
        config = RunnableConfig(
            thread_id=order["thread"], default_parallel_executor=INLINE if order["way"] == "inline" else None
        )
        inputs: Any = {}
        if saver.get(order["thread"]) is not None:
            inputs = None
            pending = compiled.get_state(config).interruptions
            some = chance.sample([*pending], chance.randint(min(1, len(pending)), len(pending)))
            if some:
                config = config.with_resume(answers={each.id: answer_to(each) for each in some})
            log.tell("answers", ":".join(each.id for each in some) or "-", 0)
        result = (run_async if order["way"] == "async" else run_sync)(compiled, inputs, config)
    is_done = result.error is None or result.error.code == "finished_thread"  # killed when only giving back was left
    assert is_done, result.error


if __name__ == "__main__":
    main(carry_out)
