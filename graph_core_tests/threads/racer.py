"""A process that goes on with threads as soon as it is told to; run as `python -m graph_core_tests.threads.racer`."""

import sys
from collections.abc import Callable
from typing import Any

from graph_core import CompileConfig, GraphRunnerException, RunnableConfig
from graph_core.checkpoint import BaseCheckpointSaver
from graph_core.checkpoint.savers import DatabaseSaver
from graph_core_tests.shapes import State, Update, graph
from graph_core_tests.threads.machine import Compiled


def racing(saver: BaseCheckpointSaver, name: str, in_b: Callable[[], object]) -> Compiled:
    """Compile a chain whose node `b` does something before it appends who ran it."""

    def act(state: State) -> Update:
        in_b()
        return {"m": f"b of {name}"}

    built = graph("START > a", "a > b", "b > c", "c > d", "d > END", b=act)
    return built.compile(CompileConfig(checkpoint_saver=saver))


def say(text: str) -> None:
    """Write a line."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(file: str, name: str) -> None:
    """Go on with each thread that a line names, and say how that ended; in node `b`, say so and wait for a line."""

    def in_b() -> None:
        say("in b")
        sys.stdin.readline()

    inputs: Any = None
    with DatabaseSaver(file) as saver:
        compiled = racing(saver, name, in_b)
        for line in sys.stdin:
            try:
                state = compiled.invoke(inputs, RunnableConfig(thread_id=line.strip()))
            except GraphRunnerException as error:
                say(error.code)
            else:
                say(",".join(state["m"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
