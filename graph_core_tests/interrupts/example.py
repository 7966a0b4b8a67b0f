"""The fifth worked example, one run in each process; run as `python -m graph_core_tests.interrupts.example FILE RUN`.

With `memory` in the place of the file each run is in a process that was forked from the one before.
"""

import json
import os
import sys
from typing import Any

from graph_core import (
    INLINE,
    BaseCheckpointSaver,
    CompileConfig,
    DatabaseSaver,
    MemorySaver,
    NodeOutput,
    RunnableConfig,
)
from graph_core_tests.interrupts.asking import Compiled, asks, shown
from graph_core_tests.shapes import graph

T = RunnableConfig(thread_id="t", default_parallel_executor=INLINE)


def compiled(saver: BaseCheckpointSaver) -> Compiled:
    """Compile the graph of the example."""
    edges = ("START > a", "a > b, c, e", "b > f", "c > f", "f > d", "e > d", "d > END")
    return graph(*edges, b=asks("b"), c=asks("c")).compile(CompileConfig(checkpoint_saver=saver))


def seen_in(output: NodeOutput) -> list[str]:
    """Give what an output shows of `m`."""
    return [] if output.state is None else output.state.get("m", [])


def run(app: Compiled, number: int) -> dict[str, Any]:
    """Do one of the three runs, and tell what it gave and what is to be seen then."""
    inputs: Any = {} if number == 1 else None
    config = T
    if number == 2:
        found = {each.node: each.id for each in app.get_state(T).interruptions}
        config = T.with_resume(answers={found["b"]: "yes"})
    elif number == 3:
        config = T.with_resume("no")
    outputs = [(shown(each), seen_in(each), each.step) for each in app.stream(inputs, config)]
    seen = app.get_state(T)
    history = [(each.node, each.next) for each in reversed(app.get_state_history(T))]
    ran = {"outputs": outputs, "next": seen.next, "state": seen.state["m"], "status": seen.status, "history": history}
    return {**ran, "pending": [each.payload for each in seen.interruptions], "process": os.getpid()}


def main(file: str, number: int) -> None:
    """Do a run (in memory the later ones, too) and print a line for each."""
    if file != "memory":
        with DatabaseSaver(file) as saver:
            sys.stdout.write(json.dumps(run(compiled(saver), number)) + "\n")
        return
    app = compiled(MemorySaver(serialize=True))
    for each in range(1, 4):
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        sys.stdout.write(json.dumps(run(app, each)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
