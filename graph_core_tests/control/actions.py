"""Actions and routers that can be pickled."""

import os
import threading
from contextvars import ContextVar
from typing import Any

from graph_core import Command, RunnableConfig
from graph_core_tests.shapes import State, Update

VAR: ContextVar[str] = ContextVar("VAR", default="unset")


def sees(state: State) -> Update:
    """Append what was there, and what the context variable is."""
    return {"m": [(state["m"], VAR.get())]}


def where(state: State) -> Update:
    """Append the id of the process."""
    return {"m": os.getpid()}


def what(state: State, config: RunnableConfig) -> Update:
    """Append what the config tells."""
    told = (config.node_id, config.step, config.context, config.metadata["k"], config.store, config.thread_id)
    return {"m": [(os.getpid(), *told, config.default_parallel_executor, dict(config.parallel_executors))]}


def thread(state: State) -> Update:
    """Append the name of the thread, without its number."""
    return {"m": threading.current_thread().name.split("_")[0]}


def breaks(state: State) -> Any:
    """Raise."""
    raise KeyError("here")


def dies(state: State) -> Any:
    """End the process at once."""
    os._exit(3)


def route(state: State) -> Command:
    """Go to d, and append the id of the process."""
    return Command("d", {"m": os.getpid()})
