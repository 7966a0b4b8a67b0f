"""K5, K7, P12: a graph that asks ends as the one that does not, however it is answered, stopped and begun again."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from returns.maybe import Maybe, Nothing, Some

from graph_core import END, CompileConfig, InterruptionMetadata, RunnableConfig, StateSnapshot, interrupt
from graph_core.checkpoint import BaseCheckpointSaver
from graph_core.runner.history import records_at
from graph_core_tests.model.graph import Graph
from graph_core_tests.model.strategies import INPUTS, graphs
from graph_core_tests.regions.bridge import built
from graph_core_tests.threads.evidence import committed
from graph_core_tests.threads.machine import Compiled, Ended, How, Stop, by_chance, drive
from graph_core_tests.threads.savers import opened

T = RunnableConfig(thread_id="t")
MOST_TURNS = 500


@define
class Person:
    """Whoever answers: by chance the only question, some of several, or none at all.

    Args:
        chance: decides.
        asked: id → what was asked there; a question keeps its id as long as it waits.
    """

    chance: random.Random
    thread: RunnableConfig = T
    asked: dict[str, Any] = field(factory=dict[str, Any])

    def answers(self, pending: Sequence[InterruptionMetadata]) -> RunnableConfig:
        """Give the config of the next call; each answer is what was asked."""
        for each in pending:
            assert self.asked.setdefault(each.id, each.payload) == each.payload
        if not pending or (self.chance.random() < 0.2 and any(each.when != "inside" for each in pending)):
            return self.thread.with_resume(take_over=True)
        if len(pending) == 1 and self.chance.random() < 0.7:
            return self.thread.with_resume(pending[0].payload, take_over=True)
        some = self.chance.sample([*pending], self.chance.randint(1, len(pending)))
        return self.thread.with_resume(answers={each.id: each.payload for each in some}, take_over=True)


def asking(chance: random.Random) -> Callable[[str, Any], Any]:
    """Make nodes that ask, some of them several questions, before they do what they do; or before and after that."""
    made: dict[str, tuple[int, bool, bool]] = {}

    def wrap(name: str, action: Any) -> Any:
        drawn = (chance.choice([0, 1, 1, 2]), chance.random() < 0.2, chance.random() < 0.2)
        count, is_before, is_after = made.setdefault(name, drawn)

        def act(state: Any) -> Any:
            for number in range(count):
                question = [name, number]
                assert interrupt(question) == question
            return action(state)

        return Asking(name, act, is_before=is_before, is_after=is_after) if is_before or is_after else act

    return wrap


@frozen
class Asking:
    """An action that asks the same each time, before and after itself."""

    name: str
    action: Callable[[Any], Any]
    is_before: bool
    is_after: bool

    def __call__(self, state: Any) -> Any:
        """Do what the action does."""
        return self.action(state)

    def interrupt(self, node_id: str, state: Any, config: RunnableConfig) -> Maybe[InterruptionMetadata]:
        """Ask before it."""
        assert node_id == config.node_id == self.name
        return Some(InterruptionMetadata(payload=[node_id, "?"])) if self.is_before else Nothing

    def interrupt_after(
        self, node_id: str, state: Any, update: Mapping[str, Any], config: RunnableConfig
    ) -> Maybe[InterruptionMetadata]:
        """Ask after it."""
        assert node_id == config.node_id == self.name
        assert f"c_{node_id}" in update
        return Some(InterruptionMetadata(payload=[node_id, "!"])) if self.is_after else Nothing


def places(described: Graph, chance: random.Random) -> Mapping[str, Any]:
    """Draw where to pause by settings."""
    ids = [node.id for node in described.nodes]
    some = chance.sample(ids, min(len(ids), chance.randint(0, 3)))
    more = chance.choice([[], [], ["*"], chance.sample(ids, 1)])
    return {
        "interrupts_before": some,
        "interrupts_after": more,
        "interrupt_before_edge": chance.random() < 0.5,
    }


def compiled(described: Graph, saver: BaseCheckpointSaver, seed: int) -> Compiled:
    """Compile the graph that asks; the same each time."""
    chance = random.Random(seed)  # noqa: S311  (a reproducible sample, nothing secret)
    options = places(described, chance)
    return built(described, asking(chance)).compile(CompileConfig(checkpoint_saver=saver, **options))


def check_shown(snapshot: StateSnapshot, ended: Ended) -> None:
    """What is pending is seen from outside as the run has told it."""
    told = [(each.id, each.node, each.payload, each.branch, each.step) for each in ended.interruptions]
    seen = [(each.id, each.node, each.payload, each.branch, each.step) for each in snapshot.interruptions]
    assert (snapshot.status, seen) == ("interrupted", told)
    assert [dict(each.state or {}) for each in snapshot.interruptions] == [
        dict(each.state or {}) for each in ended.interruptions
    ]
    assert [each.branch for each in ended.interruptions] == sorted(each.branch for each in ended.interruptions)
    assert dict(snapshot.state) == ended.state


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(graphs(most_runs=30), st.integers(0, 2**16), st.sampled_from(["memory", "serialized"]))
def test_answered_in_any_grouping(described: Graph, seed: int, name: str) -> None:
    """K5, P12: answered together or one by one, in any order, begun anew each time or not."""
    plain = drive(built(described).compile(), INPUTS, choose=by_chance(seed))
    chance = random.Random(seed)  # noqa: S311  (a reproducible sample, nothing secret)
    with opened(name) as saver:
        app, done = compiled(described, saver, seed), Counter[tuple[str, int]]()
        config = T if chance.random() < 0.7 else RunnableConfig()  # a private run leaves a thread when it pauses
        ended = drive(app, INPUTS, config, choose=by_chance(seed), reads=chance.random() < 0.5)
        person = Person(chance, RunnableConfig(thread_id=ended.thread_id))
        for turn in range(MOST_TURNS):
            done += ended.done
            assert ended.error is None
            if not ended.interruptions:
                break
            check_shown(app.get_state(person.thread), ended)
            if chance.random() < 0.5:
                app = compiled(described, saver, seed)
            config = person.answers(ended.interruptions)
            ended = drive(app, None, config, choose=by_chance(seed + turn), at_once=chance.randint(1, 3))
        assert (ended.interruptions, ended.state, done) == ((), plain.state, plain.done)
        if config.thread_id == "t":
            assert committed(saver, "t") == plain.done


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(graphs(most_runs=25), st.integers(0, 2**16))
def test_stopped_between_any_two_events(described: Graph, seed: int) -> None:
    """K5, K7: killed, closed or failed at any ask of any call, no answer is lost, and no finished step runs again."""
    plain = drive(built(described).compile(), INPUTS, choose=by_chance(seed))
    chance = random.Random(seed)  # noqa: S311  (a reproducible sample, nothing secret)
    person = Person(chance)
    with opened("memory") as saver:
        config, inputs = T, INPUTS
        for turn in range(MOST_TURNS):
            app, finished = compiled(described, saver, seed), committed(saver, "t")
            ended = drive(app, inputs, config, drawn_stop(chance), by_chance(seed + turn))
            assert ended.done <= plain.done - finished, "a finished step has run again"
            assert finished <= committed(saver, "t"), "a finished step is lost"
            head = saver.get("t")
            if head is None:
                drive(app, None, T.with_resume(take_over=True))  # it never began; the thread is given back
                continue
            seen = app.get_state(T)
            if seen.next == (END,) and not seen.interruptions:
                break
            waiting = {each.id for each in seen.interruptions}
            assert not waiting & stored_answers(saver), "an answer is lost"
            config, inputs = person.answers(seen.interruptions), {}
        assert committed(saver, "t") == plain.done
        final = saver.get("t")
        assert final is not None
        assert dict(final.state) == plain.state


def stored_answers(saver: BaseCheckpointSaver) -> set[str]:
    """The ids of all questions whose answers are stored."""
    records = [record for entry in saver.list("t") for record in records_at(entry)]
    return {record.next["resumed"] for record in records if "answer" in record.next}


def drawn_stop(chance: random.Random) -> Stop | None:
    """Draw where a call is stopped, and how; not all are."""
    if chance.random() < 0.3:
        return None
    hows: list[How] = ["kill", "close", "fail"]
    return Stop(chance.choice(hows), chance.randint(0, 25))
