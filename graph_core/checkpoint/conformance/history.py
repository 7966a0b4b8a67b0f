"""Histories: order, folding, forks, paths (rules K1, K9)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graph_core.checkpoint.changes import Append, Put, Remove
from graph_core.checkpoint.checkpoint import Checkpoint
from graph_core.checkpoint.conformance.story import SaverTests, caught
from graph_core.checkpoint.errors import DuplicateCheckpointError, LostThreadError, UnknownCheckpointError

_NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class HistoryTests(SaverTests):
    """What is put is what is read."""

    def test_a_checkpoint_comes_back_whole(self) -> None:
        """K1: every field is kept."""
        story = self.story()
        given = story.entry(
            node_id="a",
            next_node_ids=("b", "c"),
            step=7,
            created_at=_NOON + timedelta(microseconds=123),
            metadata={"user": "ann"},
            data={"route": ["b", 1]},
        )
        story.saver.put(given, {"x": Put(1)}, run_id="run")
        found = story.read(given.id)
        assert found == Checkpoint(
            id=given.id,
            thread_id="t",
            node_id="a",
            next_node_ids=("b", "c"),
            step=7,
            run_id="run",
            created_at=given.created_at,
            metadata={"user": "ann"},
            data={"route": ["b", 1]},
            state={"x": 1},
        )
        assert found.created_at.utcoffset() == timedelta()

    def test_a_moment_of_another_zone_is_the_same_moment(self) -> None:
        """Only the moment counts, not the zone in which it was given."""
        story = self.story()
        local = _NOON.astimezone(datetime.now(UTC).astimezone().tzinfo)
        assert story.read(story.put(created_at=local)).created_at == _NOON

    def test_the_head_is_what_was_put_last(self) -> None:
        """Without an id the head is read."""
        story = self.story()
        story.set(x=1)
        last = story.set(x=2)
        assert (story.read().id, story.state()) == (last, {"x": 2})

    def test_order_under_equal_clocks(self) -> None:
        """Order is that of insertion when all clocks show the same."""
        story = self.story()
        ids = [story.put(created_at=_NOON) for _ in range(12)]
        assert story.ids() == ids[::-1]

    def test_order_under_a_clock_that_goes_back(self) -> None:
        """Order is that of insertion when a clock was set back."""
        story = self.story()
        ids = [story.put(created_at=_NOON - timedelta(hours=hours)) for hours in range(5)]
        assert (story.ids(), story.read().id) == (ids[::-1], ids[-1])

    def test_order_of_ids_does_not_matter(self) -> None:
        """Order is that of insertion when ids sort the other way."""
        story = self.story()
        ids = [story.put(id=name) for name in ("z", "m", "a")]
        assert story.ids() == ids[::-1]

    def test_parents_are_named(self) -> None:
        """Each names the one before, the first none."""
        story = self.story()
        first, second = story.put(), story.put()
        assert (story.read(first).parent_id, story.read(second).parent_id) == (None, first)

    def test_keys_that_were_not_touched_stay(self) -> None:
        """K9: only what changed is given, the whole state is read."""
        story = self.story()
        story.set(x=1, y=2)
        story.set(y=3)
        assert story.state() == {"x": 1, "y": 3}

    def test_a_tail_is_appended(self) -> None:
        """K9: a list that grew gets its tail."""
        story = self.story()
        story.put({"m": Put(["a"])})
        story.put({"m": Append(["b", "c"])})
        story.put({"m": Append(("d",))})
        assert story.state() == {"m": ["a", "b", "c", "d"]}

    def test_a_tail_to_an_absent_key_begins_a_list(self) -> None:
        """An absent key counts as an empty list."""
        story = self.story()
        story.put({"m": Append(["a"])})
        assert story.state() == {"m": ["a"]}

    def test_a_list_can_be_replaced_after_it_grew(self) -> None:
        """A new value makes earlier tails void, later ones follow on it."""
        story = self.story()
        story.put({"m": Append(["a"])})
        story.put({"m": Put(["b"])})
        story.put({"m": Append(["c"])})
        assert story.state() == {"m": ["b", "c"]}

    def test_a_removed_key_is_gone(self) -> None:
        """S4: it is not there, and not `None`."""
        story = self.story()
        story.set(x=1, y=None)
        story.put({"x": Remove()})
        assert story.state() == {"y": None}

    def test_a_removed_key_can_come_back(self) -> None:
        """What it held before does not come back with it."""
        story = self.story()
        story.put({"m": Put(["a"])})
        story.put({"m": Remove()})
        story.put({"m": Append(["b"])})
        assert story.state() == {"m": ["b"]}

    def test_removing_an_absent_key_is_nothing(self) -> None:
        """It changes nothing."""
        story = self.story()
        story.put({"x": Remove()})
        assert story.state() == {}

    def test_keys_keep_their_order(self) -> None:
        """Keys come in the order in which they came in, as in a dict; one that came back stands last."""
        story = self.story()
        story.set(b=1, a=1, c=1)
        story.set(a=2)
        story.put({"b": Remove()})
        story.set(b=3)
        assert [*story.state()] == ["a", "c", "b"]

    def test_an_old_checkpoint_keeps_its_state(self) -> None:
        """K1: history is only added to."""
        story = self.story()
        old = story.put({"m": Put(["a"]), "x": Put(1)})
        story.put({"m": Append(["b"]), "x": Remove()})
        assert story.state(old) == {"m": ["a"], "x": 1}

    def test_a_fork_shares_what_came_before_only(self) -> None:
        """K2: the state is folded along the parents, not along the order."""
        story = self.story()
        first = story.put({"m": Put(["a"])})
        left = story.put({"m": Append(["left"])})
        right = story.put({"m": Append(["right"])}, parent_id=first, fork=True)
        assert (story.state(left), story.state(right)) == ({"m": ["a", "left"]}, {"m": ["a", "right"]})

    def test_a_fork_becomes_the_head(self) -> None:
        """K2: what follows, follows on the fork."""
        story = self.story()
        first = story.set(x=1)
        story.set(x=2)
        fork = story.put({"y": Put(1)}, parent_id=first, fork=True)
        after = story.put()
        assert (story.read().parent_id, story.state(after)) == (fork, {"x": 1, "y": 1})

    def test_a_fork_of_a_fork(self) -> None:
        """Forks can be forked, and each keeps its own."""
        story = self.story()
        root = story.put({"m": Put([0])})
        tips = {root: [0]}
        for number in range(1, 20):
            parent = [*tips][number // 2]
            tips[story.put({"m": Append([number])}, parent_id=parent, fork=True)] = [*tips[parent], number]
        assert {tip: story.state(tip)["m"] for tip in tips} == tips

    def test_a_path_can_be_started_anew(self) -> None:
        """A fork without a parent begins with an empty state."""
        story = self.story()
        story.set(x=1)
        anew = story.put({"y": Put(2)}, parent_id=None, fork=True)
        assert (story.state(), story.read().id) == ({"y": 2}, anew)

    def test_a_fork_from_the_head_is_no_fork(self) -> None:
        """`fork=True` with the head as parent is as without."""
        story = self.story()
        story.set(x=1)
        story.put({"y": Put(2)}, fork=True)
        assert story.state() == {"x": 1, "y": 2}

    def test_an_old_parent_without_fork_is_refused(self) -> None:
        """K8: every put checks the head, and saves nothing if it is another."""
        story = self.story()
        first, second = story.put(), story.put()
        error = caught(LostThreadError, story.put, parent_id=first)
        assert (error.code, story.ids()) == ("lost_thread", [second, first])
        assert repr(second) in str(error)

    def test_a_fork_from_an_unknown_checkpoint_is_refused(self) -> None:
        """The error names what is known."""
        story = self.story()
        known = story.put()
        error = caught(UnknownCheckpointError, story.put, parent_id="nowhere", fork=True)
        assert (error.code, story.ids()) == ("unknown_checkpoint", [known])
        assert repr(known) in str(error)

    def test_an_id_can_be_used_once(self) -> None:
        """A checkpoint is never replaced."""
        story = self.story()
        story.put({"x": Put(1)}, id="same")
        error = caught(DuplicateCheckpointError, story.put, {"x": Put(2)}, id="same")
        assert (error.code, story.state()) == ("duplicate_checkpoint", {"x": 1})
        assert story.put({"x": Put(3)}, id="other", parent_id="same") == "other"

    def test_paths_have_heads_of_their_own(self) -> None:
        """C4: a child's checkpoints stand under the parent's thread, and in nobody's way."""
        story = self.story()
        parent = story.set(x=1)
        child = story.put({"y": Put(1)}, path=("sub",))
        story.put({"y": Put(2)}, path=("sub",))
        story.put({"z": Put(1)}, path=("sub", "deep"))
        assert (story.read().id, story.state()) == (parent, {"x": 1})
        assert story.read(path=("sub",)).state == {"y": 2}
        assert story.read(child).path == ("sub",)
        assert len(story.ids(path=("sub",))) == 2
        assert story.ids() == [parent]

    def test_a_parent_of_another_path_is_refused(self) -> None:
        """A state is never folded across paths."""
        story = self.story()
        other = story.put()
        caught(UnknownCheckpointError, story.put, path=("sub",), parent_id=other, fork=True)

    def test_paths_are_not_mixed_up(self) -> None:
        """Elements are separate, whatever they hold."""
        story = self.story()
        paths = [("a", "b"), ("a/b",), ("a,b",), ('a","b',), ("",), ("ä", ""), ("A", "B")]
        ids = [story.put(path=path) for path in paths]
        assert [story.read(path=path).id for path in paths] == ids

    def test_a_long_history_is_read(self) -> None:
        """Thousands of entries fold without recursion."""
        story = self.story()
        story.put({"m": Put([]), "n": Put(0)})
        for number in range(1500):
            story.put({"m": Append([number]), "n": Put(number)})
        assert story.state() == {"m": [*range(1500)], "n": 1499}
        assert [found.state["n"] for found in story.saver.list("t", limit=3)] == [1499, 1498, 1497]

    def test_a_long_history_is_read_again(self) -> None:
        """However often a long history is read and gone on with, the state is the same."""
        story = self.story()
        for number in range(700):
            story.set(n=number, **{f"k{number % 3}": number})
        assert story.state() == {"n": 699, "k0": 699, "k1": 697, "k2": 698}
        story.set(n=700)
        assert story.state() == {"n": 700, "k0": 699, "k1": 697, "k2": 698}
        assert story.state(story.ids()[1])["n"] == 699
