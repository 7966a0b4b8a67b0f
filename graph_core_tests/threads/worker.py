"""Processes that run graphs and are killed; run as `python -m graph_core_tests.threads.worker`.

It reads orders, one JSON object a line, carries each out in a child of its own, and answers with a line.
"""

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from attrs import frozen

from graph_core import INLINE, CompileConfig, RunnableConfig, StateGraph
from graph_core.checkpoint.savers import DatabaseSaver
from graph_core_tests.shapes import Action, State, run_async, run_sync
from graph_core_tests.threads import graphs

SHAPES: Mapping[str, Callable[[graphs.Wrap], StateGraph]] = {
    "chain": graphs.chain,
    "loop": graphs.loop,
    "region": graphs.region,
    "nested": graphs.nested,
    "sends": graphs.sends,
}
Order: TypeAlias = Mapping[str, Any]
CarryOut: TypeAlias = Callable[[Order, int], None]
"""Carries out an order in the child; whoever watches hears at the other end of a pipe."""


@frozen
class Log:
    """Where each node says what it does: on the disk, and to who watches."""

    file: int
    watcher: int

    def tell(self, what: str, node: str, step: int) -> None:
        """Say that a node begins, or is done."""
        os.write(self.file, f"{what} {node} {step}\n".encode())
        os.fsync(self.file)
        os.write(self.watcher, b".")

    def wrap(self, name: str, action: Action) -> Action:
        """Give a node that says what it does."""

        def act(state: State, config: RunnableConfig) -> Any:
            self.tell("begins", name, config.step)
            result = action(state)
            self.tell("done", name, config.step)
            return result

        return act


def run(order: Order, watcher: int) -> None:
    """Begin a thread, or go on with it: taken over, or by a clock that says that its lease has run out."""
    log = Log(os.open(order["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644), watcher)
    session = order["session"]
    inputs: Any = {}
    with DatabaseSaver(order["file"], clock=lambda: time.time() + 1000 * session) as saver:
        compiled = SHAPES[order["shape"]](log.wrap).compile(CompileConfig(checkpoint_saver=saver))
        executor = INLINE if order["way"] == "inline" else None
        config = RunnableConfig(thread_id=order["thread"], default_parallel_executor=executor)
        if saver.get(order["thread"]) is not None:
            inputs = None
            if order["take_over"]:
                session -= 1
                config = config.with_resume(take_over=True)
        result = (run_async if order["way"] == "async" else run_sync)(compiled, inputs, config)
    is_done = result.error is None or result.error.code == "finished_thread"  # killed when only giving back was left
    assert is_done, result.error


def carried_out(order: Order, carry_out: CarryOut) -> str:
    """Run in a child, kill it at its n-th word if the order says so, and tell how it ended."""
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            carry_out(order, told)
            status = 0
        except BaseException:  # noqa: BLE001  (nobody else would tell)
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(told)
    words = 0
    while os.read(heard, 1):
        words += 1
        if words == order["kill_at"]:
            for _ in range(order["spin"]):
                pass
            os.kill(child, signal.SIGKILL)
    os.close(heard)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "killed"
    return "done" if os.WEXITSTATUS(status) == 0 else "failed"


def main(carry_out: CarryOut = run) -> None:
    """Carry out orders until there are no more."""
    for line in sys.stdin:
        sys.stdout.write(carried_out(json.loads(line), carry_out) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
