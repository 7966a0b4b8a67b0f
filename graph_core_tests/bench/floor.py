"""The floor: hand-written plain Python that makes the same calls and merges the same mappings, without a graph."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from pathlib import Path

Messages: TypeAlias = dict[str, list[dict[str, str]]]
Save: TypeAlias = "Callable[[int, Messages, Messages], object]"
State: TypeAlias = dict[str, int]
Work: TypeAlias = "Callable[[State], State]"
AsyncWork: TypeAlias = "Callable[[State], Coroutine[Any, Any, State]]"

MESSAGE = "message number {} with a little more text so that a message is about one hundred bytes of payload"


@cache
def pool() -> ThreadPoolExecutor:
    """One thread pool of the default size for all rows."""
    return ThreadPoolExecutor()


def increments(n: int) -> list[Work]:
    """As many functions that count `x` up; each is an object of its own, as in a graph."""

    def make() -> Work:
        return lambda state: {"x": state["x"] + 1}

    return [make() for _ in range(n)]


def async_increments(n: int) -> list[AsyncWork]:
    """The same as coroutine functions."""

    def make() -> AsyncWork:
        async def increment(state: State) -> State:
            return {"x": state["x"] + 1}

        return increment

    return [make() for _ in range(n)]


def chain(n: int) -> Callable[[], State]:
    """A chain of n nodes."""
    works = increments(n)

    def run() -> State:
        state = {"x": 0}
        for work in works:
            state = {**state, **work(state)}
        return state

    return run


def async_chain(n: int) -> Callable[[], Coroutine[Any, Any, State]]:
    """A chain of n asynchronous nodes."""
    works = async_increments(n)

    async def run() -> State:
        state = {"x": 0}
        for work in works:
            state = {**state, **(await work(state))}
        return state

    return run


def loop(n: int) -> Callable[[], State]:
    """Evaluate, and revise until the score is n."""

    def evaluate(state: State) -> State:
        return {"score": state["score"] + 1}

    def revise(state: State) -> State:
        return {"draft": state["draft"] + 1}

    def route(state: State) -> str:
        return "revise" if state["score"] < n else "end"

    def run() -> State:
        state = {"score": 0, "draft": 0}
        while True:
            state = {**state, **evaluate(state)}
            if route(state) == "end":
                return state
            state = {**state, **revise(state)}

    return run


def async_loop(n: int) -> Callable[[], Coroutine[Any, Any, State]]:
    """The same with asynchronous nodes."""

    async def evaluate(state: State) -> State:
        return {"score": state["score"] + 1}

    async def revise(state: State) -> State:
        return {"draft": state["draft"] + 1}

    def route(state: State) -> str:
        return "revise" if state["score"] < n else "end"

    async def run() -> State:
        state = {"score": 0, "draft": 0}
        while True:
            state = {**state, **(await evaluate(state))}
            if route(state) == "end":
                return state
            state = {**state, **(await revise(state))}

    return run


def _merge(state: State, updates: Sequence[State]) -> State:
    total = state["total"]
    for update in updates:
        total += update["total"]
    return {**state, "total": total}


def _workers(n: int) -> list[Work]:
    def make() -> Work:
        return lambda _state: {"total": 1}

    return [make() for _ in range(n)]


def _async_workers(n: int) -> list[AsyncWork]:
    def make() -> AsyncWork:
        async def work(_state: State) -> State:
            return {"total": 1}

        return work

    return [make() for _ in range(n)]


def fan(n: int, chosen: int) -> Callable[[], State]:
    """Of n workers every (n / chosen)-th is called directly."""
    works = _workers(n)[:: n // chosen]

    def run() -> State:
        state = {"total": 0, "done": 0}
        state = _merge(state, [work(state) for work in works])
        return {**state, "done": state["total"]}

    return run


def threads_fan(n: int, chosen: int) -> Callable[[], State]:
    """The same on a thread pool."""
    works, executor = _workers(n)[:: n // chosen], pool()

    def run() -> State:
        state = {"total": 0, "done": 0}
        futures = [executor.submit(work, state) for work in works]
        state = _merge(state, [future.result() for future in futures])
        return {**state, "done": state["total"]}

    return run


def async_fan(n: int, chosen: int) -> Callable[[], Coroutine[Any, Any, State]]:
    """The same as tasks."""
    works = _async_workers(n)[:: n // chosen]

    async def run() -> State:
        state = {"total": 0, "done": 0}
        state = _merge(state, await asyncio.gather(*[work(state) for work in works]))
        return {**state, "done": state["total"]}

    return run


def _work(item: State) -> State:
    return {"total": item["i"] - item["i"] + 1}


async def _async_work(item: State) -> State:
    return {"total": item["i"] - item["i"] + 1}


def send(n: int) -> Callable[[], State]:
    """One worker is called for each of n items."""

    def run() -> State:
        state = {"total": 0, "done": 0}
        state = _merge(state, [_work({"i": item}) for item in range(n)])
        return {**state, "done": state["total"]}

    return run


def threads_send(n: int) -> Callable[[], State]:
    """The same on a thread pool."""
    executor = pool()

    def run() -> State:
        state = {"total": 0, "done": 0}
        futures = [executor.submit(_work, {"i": item}) for item in range(n)]
        state = _merge(state, [future.result() for future in futures])
        return {**state, "done": state["total"]}

    return run


def async_send(n: int) -> Callable[[], Coroutine[Any, Any, State]]:
    """The same as tasks."""

    async def run() -> State:
        state = {"total": 0, "done": 0}
        state = _merge(state, await asyncio.gather(*[_async_work({"i": item}) for item in range(n)]))
        return {**state, "done": state["total"]}

    return run


def messages(n: int) -> Callable[[], Messages]:
    """A list that grows by one message a step until it has n."""

    def run() -> Messages:
        state: Messages = {"messages": []}
        while len(state["messages"]) < n:
            update = {"messages": [message(len(state["messages"]))]}
            state = {"messages": state["messages"] + update["messages"]}
        return state

    return run


def saved_messages(n: int, save: Save) -> Messages:
    """The same list; each step is saved: its number, the state, and the update."""
    state: Messages = {"messages": []}
    step = 0
    while len(state["messages"]) < n:
        update = {"messages": [message(len(state["messages"]))]}
        state = {"messages": state["messages"] + update["messages"]}
        save(step, state, update)
        step += 1
    return state


def in_memory() -> Save:
    """Keeps the states in a list."""
    store: list[Messages] = []
    return lambda _step, state, _update: store.append(state)


def connected(file: Path) -> sqlite3.Connection:
    """A SQLite file whose commits are on the disk when they return."""
    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    return database


def table(file: Path) -> sqlite3.Connection:
    """A file with a table of updates by thread and step."""
    database = connected(file)
    database.execute("CREATE TABLE c(thread TEXT, step INTEGER, data BLOB, PRIMARY KEY(thread, step))")
    return database


def in_file(database: sqlite3.Connection, thread: str) -> Save:
    """Keeps the updates of a thread in a file, each in a transaction of its own."""

    def save(step: int, _state: Messages, update: Messages) -> None:
        database.execute("INSERT INTO c VALUES(?,?,?)", (thread, step, json.dumps(update)))

    return save


def message(number: int) -> dict[str, str]:
    """A message of about a hundred bytes."""
    return {"role": "assistant", "content": MESSAGE.format(number)}


def waits(n: int, seconds: float) -> Callable[[], Coroutine[Any, Any, State]]:
    """As many tasks that only wait."""

    async def work(_state: State) -> State:
        await asyncio.sleep(seconds)
        return {"total": 1}

    async def run() -> State:
        state = {"total": 0, "done": 0}
        for update in await asyncio.gather(*[work(state) for _ in range(n)]):
            state = {**state, "total": state["total"] + update["total"]}
        return {**state, "done": state["total"]}

    return run
