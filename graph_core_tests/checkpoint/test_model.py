"""Savers against a model that keeps whole states."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from graph_core.checkpoint import Append, BaseCheckpointSaver, Change, Put, Remove, Retention
from graph_core.checkpoint.conformance import Story
from graph_core.checkpoint.savers import DatabaseSaver, MemorySaver

KEYS = st.sampled_from("abc")
LISTS = st.lists(st.integers(0, 9), max_size=2)
CHANGES = st.dictionaries(KEYS, st.one_of(LISTS.map(Put), LISTS.map(Append), st.just(Remove())), max_size=3)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), CHANGES),
        st.tuples(st.just("fork"), st.integers(0, 30), CHANGES),
        st.tuples(st.just("anew"), CHANGES),
        st.tuples(st.just("prune"), st.integers(1, 6)),
        st.tuples(st.just("copy")),
        st.tuples(st.just("again")),
    ),
    max_size=30,
)


class Model:
    """Whole states by id, and the order of the ids."""

    def __init__(self, saver: BaseCheckpointSaver) -> None:
        self.story = Story(saver).begun()
        self.states: dict[str, dict[str, Any]] = {}
        self.parents: dict[str, str | None] = {}

    def put(self, changes: dict[str, Change], parent: str | None, *, fork: bool = False) -> None:
        """Put in both."""
        state = copy.deepcopy(self.states.get(parent or "", {}))
        for key, change in changes.items():
            if isinstance(change, Remove):
                state.pop(key, None)
            elif isinstance(change, Put):
                state[key] = [*change.value]
            else:
                state[key] = [*state.get(key, []), *change.tail]
        id_ = self.story.put(changes, parent_id=parent, fork=fork)
        self.states[id_], self.parents[id_] = state, parent

    def do(self, what: str, *rest: Any) -> None:
        """Do a step in both."""
        head = next(reversed(self.states), None)
        if what == "put":
            self.put(rest[0], head)
        elif what == "fork":
            ids: list[str] = [*self.states]
            self.put(rest[1], ids[int(rest[0]) % len(ids)] if ids else None, fork=True)
        elif what == "anew":
            self.put(rest[0], None, fork=True)
        elif what == "prune":
            self.story.saver.prune("t", Retention(max_checkpoints=rest[0]))
            self.states = dict([*self.states.items()][-rest[0] :])
        elif what == "copy":
            self.story.saver.delete("other")
            self.story.saver.copy("t", "other")
        else:
            self.story.end()
            self.story.take()

    def check(self) -> None:
        """Both hold the same, read in any way."""
        ids = [*reversed(self.states)]
        found = [*self.story.saver.list("t")]
        assert [entry.id for entry in found] == ids
        for entry in found:
            assert (entry.state, [*entry.state]) == (self.states[entry.id], [*self.states[entry.id]])
            assert entry.parent_id == self.parents[entry.id]
            assert self.story.read(entry.id) == entry


def run(saver: BaseCheckpointSaver, steps: list[tuple[Any, ...]]) -> None:
    """Do all steps."""
    with saver:
        model = Model(saver)
        for step in steps:
            model.do(*step)
            if step[0] in {"prune", "copy"}:
                model.check()
        model.check()
        saver.delete("other")
        saver.copy("t", "other")
        assert [entry.state for entry in saver.list("other")] == [*reversed(model.states.values())]


@given(STEPS)
def test_copies(steps: list[tuple[Any, ...]]) -> None:
    """A saver that keeps copies."""
    run(MemorySaver(), steps)


@given(STEPS)
def test_bytes(steps: list[tuple[Any, ...]]) -> None:
    """A saver that keeps bytes."""
    run(MemorySaver(serialize=True), steps)


@given(STEPS)
@settings(max_examples=60)
def test_rows(steps: list[tuple[Any, ...]]) -> None:
    """A saver that keeps rows."""
    run(DatabaseSaver(":memory:"), steps)
