"""The minimal interpreter: what an interpreted graph has to cost when nothing is wasted; it is not a product.

Named nodes, fixed and conditional edges, a reducer per key, a check for unknown keys, a state that is copied on write,
and a frontier that moves in steps, with sends.
"""

from __future__ import annotations

import asyncio
import json
import operator
from typing import TYPE_CHECKING, Any, TypeAlias

from graph_core_tests.bench.floor import connected, message

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

State: TypeAlias = dict[str, Any]
Step: TypeAlias = "tuple[str, State | None]"
Save: TypeAlias = "Callable[[int, State, Sequence[State], Sequence[Step]], object]"

END = "__end__"
NOTHING = {"total": 0, "done": 0}


class Send:
    """A node and what it is called with."""

    __slots__ = ("node", "state")

    def __init__(self, node: str, state: State) -> None:
        self.node = node
        self.state = state


class Graph:
    """The interpreter."""

    def __init__(self, reducers: Mapping[str, Callable[[Any, Any], Any] | None]) -> None:
        self.nodes: dict[str, Callable[[State], Any]] = {}
        self.edges: dict[str, list[Any]] = {}
        self.conditions: dict[str, Callable[[State], Any]] = {}
        self.reducers = reducers

    def edge(self, source: str, target: str) -> None:
        """Add a fixed edge."""
        self.edges.setdefault(source, []).append(target)

    def merge(self, state: State, update: State) -> State:
        """A new state; an unknown key raises."""
        state = state.copy()
        reducers = self.reducers
        for key, value in update.items():
            reducer = reducers[key]
            state[key] = value if reducer is None else reducer(state[key], value)
        return state

    def after(self, front: Sequence[Step], state: State) -> list[Step]:
        """The next frontier: the successors of all."""
        if len(front) == 1:
            node = front[0][0]
            condition = self.conditions.get(node)
            if condition is None:
                return [(target, None) for target in self.edges.get(node, ()) if target != END]
            target = condition(state)
            if target.__class__ is str:
                return [] if target == END else [(target, None)]
            return _steps(target)
        return self._after_many(front, state)

    def _after_many(self, front: Sequence[Step], state: State) -> list[Step]:
        """The successors of several nodes, each plain one once."""
        steps: list[Step] = []
        seen: set[str] = set()
        for node, _ in front:
            condition = self.conditions.get(node)
            targets = self.edges.get(node, ()) if condition is None else [condition(state)]
            for target in targets:
                if target.__class__ is Send:
                    steps.append((target.node, target.state))
                elif target != END and target not in seen:
                    seen.add(target)
                    steps.append((target, None))
        return steps

    def run(self, start: str, state: State, save: Save | None = None) -> State:
        """Walk from `start` until nothing is left; each step may be saved."""
        front: list[Step] = [(start, None)]
        nodes = self.nodes
        number = 0
        while front:
            if len(front) == 1:
                node, own = front[0]
                update = nodes[node](state if own is None else own)
                state = self.merge(state, update)
                updates: Sequence[State] = (update,)
            else:
                updates = [nodes[node](state if own is None else own) for node, own in front]
                for update in updates:
                    state = self.merge(state, update)
            front = self.after(front, state)
            if save is not None:
                save(number, state, updates, front)
            number += 1
        return state

    async def arun(self, start: str, state: State) -> State:
        """The same with asynchronous nodes."""
        front: list[Step] = [(start, None)]
        nodes = self.nodes
        while front:
            if len(front) == 1:
                node, own = front[0]
                state = self.merge(state, await nodes[node](state if own is None else own))
            else:
                calls = [nodes[node](state if own is None else own) for node, own in front]
                for update in await asyncio.gather(*calls):
                    state = self.merge(state, update)
            front = self.after(front, state)
        return state


def _steps(targets: Sequence[Any]) -> list[Step]:
    """Several targets, plain ones and sends."""
    return [(item.node, item.state) if item.__class__ is Send else (item, None) for item in targets if item != END]


Wrap: TypeAlias = "Callable[[Callable[[State], State]], Callable[[State], Any]]"


def plain(work: Callable[[State], State]) -> Callable[[State], State]:
    """A synchronous node."""
    return work


def tasks(work: Callable[[State], State]) -> Callable[[State], Awaitable[State]]:
    """An asynchronous node."""

    async def run(state: State) -> State:
        return work(state)

    return run


def chain(n: int, wrap: Wrap, width: int = 1) -> Graph:
    """A chain of n nodes that count `x` up, with a state of `width` keys."""
    graph = Graph({"x": None, **{f"k{number}": None for number in range(width - 1)}})
    for number in range(n):
        graph.nodes[f"n{number}"] = wrap(lambda state: {"x": state["x"] + 1})
        graph.edge(f"n{number}", f"n{number + 1}" if number < n - 1 else END)
    return graph


def loop(n: int, wrap: Wrap) -> Graph:
    """Evaluate, and revise until the score is n."""
    graph = Graph({"score": None, "draft": None})
    graph.nodes["evaluate"] = wrap(lambda state: {"score": state["score"] + 1})
    graph.nodes["revise"] = wrap(lambda state: {"draft": state["draft"] + 1})
    graph.conditions["evaluate"] = lambda state: "revise" if state["score"] < n else END
    graph.edge("revise", "evaluate")
    return graph


def fan(n: int, chosen: int | None, wrap: Wrap, wait: float = 0) -> Graph:
    """From start to n workers, or to every (n / chosen)-th of them, and to a join; the workers may wait."""
    graph = Graph({"total": operator.add, "done": None})
    graph.nodes["start"] = wrap(lambda _state: {"done": 0})
    graph.nodes["join"] = wrap(lambda state: {"done": state["total"]})

    async def waiting(_state: State) -> State:
        await asyncio.sleep(wait)
        return {"total": 1}

    for number in range(n):
        graph.nodes[f"w{number}"] = waiting if wait else wrap(lambda _state: {"total": 1})
        graph.edge(f"w{number}", "join")
        if chosen is None:
            graph.edge("start", f"w{number}")
    if chosen is not None:
        names = [f"w{number}" for number in range(0, n, n // chosen)]
        graph.conditions["start"] = lambda _state: names
    return graph


def send(n: int, wrap: Wrap) -> Graph:
    """A plan sends n items to one worker."""
    graph = Graph({"total": operator.add, "done": None})
    graph.nodes["plan"] = wrap(lambda _state: {"done": 0})
    graph.nodes["work"] = wrap(lambda item: {"total": item["i"] - item["i"] + 1})
    graph.nodes["reduce"] = wrap(lambda state: {"done": state["total"]})
    graph.conditions["plan"] = lambda _state: [Send("work", {"i": item}) for item in range(n)]
    graph.edge("work", "reduce")
    return graph


def messages(n: int, wrap: Wrap) -> Graph:
    """A list that grows by one message a step until it has n."""
    graph = Graph({"messages": operator.add})
    graph.nodes["agent"] = wrap(lambda state: {"messages": [message(len(state["messages"]))]})
    graph.conditions["agent"] = lambda state: "agent" if len(state["messages"]) < n else END
    return graph


def in_memory() -> Save:
    """Keeps the states in a list, each with its number and the next frontier."""
    store: list[Any] = []
    return lambda number, state, _updates, front: store.append((number, state, front))


def table(file: Path) -> sqlite3.Connection:
    """A file with a table of updates and frontiers by thread and step."""
    database = connected(file)
    columns = "thread TEXT, step INTEGER, nxt TEXT, data BLOB, PRIMARY KEY(thread, step)"
    database.execute(f"CREATE TABLE c({columns}) WITHOUT ROWID")
    return database


def in_file(database: sqlite3.Connection, thread: str) -> Save:
    """Keeps the updates and frontiers of a thread in a file, each step in a transaction of its own."""

    def save(number: int, _state: State, updates: Sequence[State], front: Sequence[Step]) -> None:
        database.execute("INSERT INTO c VALUES(?,?,?,?)", (thread, number, json.dumps(front), json.dumps(updates)))

    return save
