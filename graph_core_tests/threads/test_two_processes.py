"""K8: of two that go on with one thread one wins, and the other has run and saved nothing."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from attrs import define

from graph_core import END, CompileConfig, RunnableConfig
from graph_core.checkpoint import BaseCheckpointSaver, LostThreadError
from graph_core.checkpoint.savers import DatabaseSaver, MemorySaver
from graph_core_tests.shapes import State, Update, graph, within
from graph_core_tests.threads.machine import Compiled
from graph_core_tests.threads.racer import racing
from graph_core_tests.threads.savers import opened

ROUNDS = 200
GO_ON: Any = None
"""The inputs of a call that goes on with its thread."""


@define
class Racer:
    """Another process."""

    name: str
    process: "subprocess.Popen[str]"

    def told(self, line: str) -> None:
        """Tell it a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def says(self) -> str:
        """Give the next line that it says."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@pytest.fixture
def racers(tmp_path: Path) -> Iterator[tuple[Racer, Racer]]:
    """Start two processes that share a file."""
    DatabaseSaver(tmp_path / "a.db").close()
    with ExitStack() as stack:
        found: list[Racer] = []
        for name in ("left", "right"):
            command = [sys.executable, "-m", "graph_core_tests.threads.racer", str(tmp_path / "a.db"), name]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
            stack.enter_context(process)
            found.append(Racer(name, process))
        yield found[0], found[1]
        for racer in found:
            assert racer.process.stdin is not None
            racer.process.stdin.close()


def begun(saver: BaseCheckpointSaver, thread_id: str) -> Compiled:
    """Run the first node, and close the run."""
    compiled = racing(saver, "us", lambda: None)
    outputs = compiled.stream({}, RunnableConfig(thread_id=thread_id))
    while next(outputs).node != "a":
        pass
    outputs.close()
    return compiled


def test_two_resume_one_thread(racers: tuple[Racer, Racer], tmp_path: Path) -> None:
    """K8: 200 times: one runs it, the other gets `thread_busy` and has run nothing; no update is lost."""
    winners: list[str] = []
    with DatabaseSaver(tmp_path / "a.db") as saver:
        for number in range(ROUNDS):
            thread_id = f"t{number}"
            begun(saver, thread_id)
            for racer in racers:
                racer.told(thread_id)
            said = {racer.name: racer.says() for racer in racers}
            assert sorted(said.values()) == ["in b", "thread_busy"]
            winner = racers[0] if said["left"] == "in b" else racers[1]
            winner.told("go on")
            expected = ["a", f"b of {winner.name}", "c", "d"]
            assert winner.says() == ",".join(expected)
            winners.append(winner.name)
            entries = saver.list(thread_id)
            assert [entry.node_id for entry in entries] == ["d", "c", "b", "a", "__START__"]
            assert [entry.parent_id for entry in entries] == [*(entry.id for entry in entries[1:]), None]
            assert entries[0].state == {"m": expected}
            state = saver.state_of(thread_id)
            assert state is not None
            assert (state.status, state.owner) == ("done", None)
    assert set(winners) == {"left", "right"}


def test_a_thread_that_is_taken_over(racers: tuple[Racer, Racer], tmp_path: Path) -> None:
    """K8: the former owner, in another process, gets `lost_thread` at its next step, and writes nothing more."""
    former, _ = racers
    with DatabaseSaver(tmp_path / "a.db") as saver:
        compiled, config = begun(saver, "t"), RunnableConfig(thread_id="t")
        former.told("t")
        assert former.says() == "in b"
        assert compiled.get_state(config).is_live
        assert compiled.try_invoke(GO_ON, config).failure().code == "thread_busy"
        state = compiled.invoke(GO_ON, config.with_resume(take_over=True))
        assert state["m"] == ["a", "b of us", "c", "d"]
        before, thread = saver.list("t"), saver.state_of("t")
        former.told("go on")
        assert former.says() == "lost_thread"
        assert (saver.list("t"), saver.state_of("t")) == (before, thread)


class Held:
    """A run in a thread of its own that stands in node `b` until it is let go."""

    def __init__(self, compiled: Callable[["Held"], Compiled]) -> None:
        self.is_in, self.may_go = threading.Event(), threading.Event()
        self.code: str | None = None
        self.compiled = compiled(self)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        assert self.is_in.wait(30)

    def wait(self) -> None:
        """Stand still, once."""
        self.is_in.set()
        assert self.may_go.wait(30)

    def _run(self) -> None:
        found = self.compiled.try_invoke({}, RunnableConfig(thread_id="t"))
        self.code = None if found.value_or(None) is not None else found.failure().code

    def ended(self) -> str | None:
        """Let it go, and give the code of its error."""
        self.may_go.set()
        self.thread.join(30)
        return self.code


def test_a_lease_that_has_run_out(tmp_path: Path) -> None:
    """K8: by a clock that says so, a thread can be taken without more ado; the former owner loses it."""
    now = time.time()
    with (
        DatabaseSaver(tmp_path / "a.db", clock=lambda: now) as former,
        DatabaseSaver(tmp_path / "a.db", clock=lambda: now + 20) as early,
        DatabaseSaver(tmp_path / "a.db", clock=lambda: now + 40) as late,
    ):
        held = Held(lambda each: racing(former, "former", each.wait))
        config = RunnableConfig(thread_id="t")
        assert racing(early, "early", lambda: None).try_invoke(GO_ON, config).failure().code == "thread_busy"
        compiled = racing(late, "late", lambda: None)
        assert (compiled.get_state(config).status, compiled.get_state(config).is_live) == ("running", False)
        assert compiled.invoke(GO_ON, config)["m"] == ["a", "b of late", "c", "d"]
        before = late.list("t")
        assert held.ended() == "lost_thread"
        assert late.list("t") == before


@pytest.mark.parametrize("name", ["memory", "serialized", "database"])
def test_a_busy_thread(name: str) -> None:
    """K8: no verb that changes a thread does so while another run holds it; looking at it is allowed."""
    with opened(name) as saver:
        held = Held(lambda each: racing(saver, "holder", each.wait))
        config, before = RunnableConfig(thread_id="t"), saver.list("t")
        ran: list[str] = []
        other = racing(saver, "other", lambda: ran.append("b"))
        for inputs in ({}, {"m": ["x"]}, GO_ON):
            assert other.try_invoke(inputs, config).failure().code == "thread_busy"
        with pytest.raises(RuntimeError, match="is held by run"):
            other.update_state(config, {"m": ["x"]})
        assert (saver.list("t"), ran) == (before, [])
        assert (other.get_state(config).status, other.get_state(config).next) == ("running", ("b",))
        assert held.ended() is None
        assert other.get_state(config).next == (END,)


@pytest.mark.parametrize("name", ["memory", "serialized", "database"])
def test_a_region_that_is_taken_over(name: str) -> None:
    """K8: the former owner's next branch record fails, too, and its other branches are cancelled."""
    with opened(name) as saver:

        def compiled(wait: Callable[[], object]) -> Compiled:
            def act(state: State) -> Update:
                wait()
                return {"m": "b"}

            built = graph("START > a", "a > b, c", "b > d", "c > d", "d > END", b=act)
            return built.compile(CompileConfig(checkpoint_saver=saver))

        held = Held(lambda each: compiled(each.wait))
        config = RunnableConfig(thread_id="t").with_resume(take_over=True)
        assert compiled(lambda: None).invoke(GO_ON, config)["m"] == ["a", "b", "c", "d"]
        before = saver.list("t")
        assert held.ended() == "lost_thread"
        assert saver.list("t") == before


def test_what_a_former_owner_leaves(tmp_path: Path) -> None:
    """K8: it does not give back what it does not hold."""
    saver = MemorySaver()
    saver.take("t", "first")
    saver.take("t", "second", take_over=True)
    with pytest.raises(LostThreadError):
        saver.give_back("t", "first", "done")
    held = saver.state_of("t")
    assert held is not None
    assert held.owner == "second"


def test_many_threads_of_one_graph(tmp_path: Path) -> None:
    """C5, K8: threads of one graph, each run in a thread of its own, know nothing of each other."""
    with DatabaseSaver(tmp_path / "a.db") as saver:
        compiled = racing(saver, "us", lambda: None)

        def run(number: int) -> None:
            config = RunnableConfig(thread_id=f"t{number}")
            assert compiled.invoke({"n": number}, config)["n"] == number

        threads = [threading.Thread(target=run, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            within(thread.join)
        for number in range(20):
            state = compiled.get_state(RunnableConfig(thread_id=f"t{number}"))
            assert (state.status, state.state["n"], state.state["m"]) == ("done", number, ["a", "b of us", "c", "d"])
