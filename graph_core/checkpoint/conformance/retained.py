"""How much history is kept (rule K1)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graph_core.checkpoint.changes import Append, Put, Remove
from graph_core.checkpoint.conformance.story import Clock, SaverTests, Story, caught
from graph_core.checkpoint.errors import UnknownCheckpointError, UnknownThreadError
from graph_core.checkpoint.retention import Retention


class RetentionTests(SaverTests):
    """What goes, and that what stays does not change."""

    def test_the_newest_stay(self) -> None:
        """And are what they were."""
        story = self.story()
        ids = [story.put({"m": Append([number]), "n": Put(number)}) for number in range(10)]
        before = [story.read(id_) for id_ in ids[6:]]
        assert story.saver.prune("t", Retention(max_checkpoints=4)) == 6
        assert story.ids() == ids[:5:-1]
        assert [story.read(id_) for id_ in ids[6:]] == before
        caught(UnknownCheckpointError, story.saver.get, "t", ids[5])

    def test_a_run_goes_on_after_a_pruning(self) -> None:
        """The head is where it was."""
        story = self.story()
        for number in range(5):
            story.put({"m": Append([number])})
        story.saver.prune("t", Retention(max_checkpoints=1))
        story.put({"m": Append([5])})
        assert (story.state(), len(story.ids())) == ({"m": [*range(6)]}, 2)

    def test_removed_and_replaced_keys_stay_so(self) -> None:
        """Folding keeps what later changes said."""
        story = self.story()
        story.put({"a": Put(1), "b": Put(1), "m": Append([1])})
        story.put({"a": Remove(), "m": Put([2])})
        story.put({"b": Remove(), "m": Append([3])})
        story.put({"a": Put(4), "m": Append([4])})
        story.saver.prune("t", Retention(max_checkpoints=2))
        newest, older = story.saver.list("t")
        assert (newest.state, older.state) == ({"a": 4, "m": [2, 3, 4]}, {"m": [2, 3]})
        assert [*newest.state] == ["m", "a"]

    def test_forks_keep_their_states(self) -> None:
        """Where the common part goes, each fork keeps its own copy of it."""
        story = self.story()
        root = story.put({"m": Append([0])})
        middle = story.put({"m": Append([1])})
        story.put({"m": Append([2])})
        left = story.put({"m": Append([3])}, parent_id=middle, fork=True)
        right = story.put({"m": Append([4])}, parent_id=root, fork=True)
        tip = story.put({"m": Append([5])}, parent_id=left, fork=True)
        story.saver.prune("t", Retention(max_checkpoints=2))
        assert story.ids() == [tip, right]
        assert (story.state(tip), story.state(right)) == ({"m": [0, 1, 3, 5]}, {"m": [0, 4]})
        assert (story.read(tip).parent_id, story.read(right).parent_id) == (left, root)

    def test_records_stay_with_their_entries(self) -> None:
        """And go with them."""
        story = self.story()
        old = story.put()
        story.record(old)
        entry = story.put()
        story.record(entry, "kept")
        story.saver.prune("t", Retention(max_checkpoints=1))
        assert [record.node_id for record in story.read().records] == ["kept"]

    def test_every_path_keeps_its_head(self) -> None:
        """Paths count each for itself, and a paused child's entry stays."""
        story = self.story()
        for _ in range(4):
            story.put(path=("sub",))
        for _ in range(3):
            story.put()
        story.saver.prune("t", Retention(max_checkpoints=2))
        assert (len(story.ids()), len(story.ids(path=("sub",)))) == (2, 2)

    def test_by_age(self) -> None:
        """What is older goes, the head stays however old."""
        clock = Clock()
        now = datetime.fromtimestamp(clock.now, UTC)
        story = Story(self.saver(clock=clock)).begun()
        ids = [story.put(created_at=now - timedelta(hours=hours)) for hours in (5, 4, 3)]
        assert story.saver.prune("t", Retention(max_age=timedelta(hours=4))) == 1
        assert story.ids() == [ids[2], ids[1]]
        clock.now += 10 * 3600
        assert story.saver.prune("t", Retention(max_age=timedelta(hours=4))) == 1
        assert story.ids() == [ids[2]]

    def test_a_savers_own_retention(self) -> None:
        """A long run stays small, and is exact when it ends."""
        story = self.story(retention=Retention(max_checkpoints=5))
        for number in range(200):
            story.put({"m": Append([number])})
            assert len(story.ids()) < 40
        story.end()
        assert (len(story.ids()), story.state()) == (5, {"m": [*range(200)]})

    def test_a_savers_own_retention_by_age(self) -> None:
        """The same by age."""
        clock = Clock()
        saver = self.saver(clock=clock, retention=Retention(max_age=timedelta(seconds=10)))
        story = Story(saver).begun()
        for number in range(100):
            story.put({"m": Append([number])}, created_at=datetime.fromtimestamp(clock.now, UTC))
            clock.now += 1
        assert len(story.ids()) < 60
        story.end()
        assert (len(story.ids()), story.state()) == (10, {"m": [*range(100)]})

    def test_without_retention_nothing_goes(self) -> None:
        """Neither by itself nor when asked to prune."""
        story = self.story()
        for _ in range(40):
            story.put()
        assert (story.saver.prune("t"), len(story.ids())) == (0, 40)

    def test_prune_by_the_savers_own(self) -> None:
        """Without an argument the saver's own holds."""
        story = self.story(retention=Retention(max_checkpoints=3))
        for _ in range(5):
            story.put()
        story.saver.prune("t")
        assert len(story.ids()) == 3

    def test_pruning_an_unknown_thread(self) -> None:
        """Is an error that names what is known."""
        story = self.story("known")
        assert "'known'" in str(caught(UnknownThreadError, story.saver.prune, "t"))

    def test_pruning_twice(self) -> None:
        """The second time nothing is left to drop."""
        story = self.story()
        for number in range(5):
            story.put({"m": Append([number])})
        story.saver.prune("t", Retention(max_checkpoints=2))
        assert story.saver.prune("t", Retention(max_checkpoints=2)) == 0
        story.put({"m": Append([5])})
        assert story.saver.prune("t", Retention(max_checkpoints=2)) == 1
        assert story.state() == {"m": [*range(6)]}

    def test_a_copy_of_a_pruned_thread(self) -> None:
        """Holds the same."""
        story = self.story()
        for number in range(5):
            story.put({"m": Append([number])})
        story.saver.prune("t", Retention(max_checkpoints=2))
        story.saver.copy("t", "new")
        assert Story(story.saver, "new").state() == story.state()
