"""Settings of a compiled graph and of a run."""

import copy
import pickle
import re
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import attrs
import pytest

from graph_core import INLINE, CompileConfig, InvalidRecordError, RunnableConfig, StreamMode
from graph_core.config import NodeAggregationStrategy
from graph_core.config.executors import check_executor
from graph_core.config.runnable_config import MISSING, Place
from graph_core_tests.travel import pickled, travelled

ANY_OF = NodeAggregationStrategy.ANY_OF
FLAG = "GRAPH_CORE_DETECT_MUTATION"
NO_TEXTS = pytest.mark.parametrize("wrong", ["", 5, ["t"]], ids=repr)
NO_LIMITS = pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "10"], ids=repr)


@pytest.fixture
def pool() -> Iterator[Executor]:
    """Give an executor."""
    with ThreadPoolExecutor(1) as executor:
        yield executor


def place(node: str = "a", path: tuple[str, ...] = ()) -> Place:
    """The third of ten steps."""
    return Place(node, path, 3, 10, "run1", {})


def test_missing_is_one_object() -> None:
    """K5: no answer is no answer, also in another process."""
    assert repr(MISSING) == "MISSING"
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING  # noqa: S301  (our own bytes)


class TestCompileConfig:
    def test_defaults(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """X2: the recursion limit is 100 unless set; nothing else is on."""
        monkeypatch.delenv(FLAG, raising=False)
        config = CompileConfig()
        assert (config.name, config.recursion_limit, config.lease) == (None, 100, 30.0)
        assert repr(config.checkpoint_saver) == "<a fresh MemorySaver per compile>"
        assert copy.deepcopy(pickle.loads(pickle.dumps(config))) == config  # noqa: S301  (our own bytes)
        assert config.detect_mutation is False

    @pytest.mark.parametrize(("value", "on"), [("1", True), ("0", False), ("yes", False)], ids=["1", "0", "yes"])
    def test_the_environment(self, monkeypatch: pytest.MonkeyPatch, value: str, on: bool) -> None:  # noqa: FBT001  (parametrized)
        """S10: the environment variable switches the search for changes on, a setting wins over it."""
        monkeypatch.setenv(FLAG, value)
        assert (CompileConfig().detect_mutation, CompileConfig(detect_mutation=not on).detect_mutation) == (on, not on)

    @NO_LIMITS
    def test_limits(self, wrong: Any) -> None:
        """X2: a limit is a whole number above zero."""
        text = f"recursion_limit must be a whole number > 0, not {wrong!r}"
        with pytest.raises(InvalidRecordError, match=re.escape(text)):
            CompileConfig(recursion_limit=wrong)

    def test_no_limit(self) -> None:
        """X2: there always is one."""
        wrong: Any = None
        with pytest.raises(InvalidRecordError, match="recursion_limit must be a whole number > 0, not None"):
            CompileConfig(recursion_limit=wrong)

    @NO_TEXTS
    def test_names(self, wrong: Any) -> None:
        """C1: a name is a text."""
        with pytest.raises(
            InvalidRecordError, match=re.escape(f"name must be a str that is not empty, or None, not {wrong!r}")
        ):
            CompileConfig(name=wrong)

    @pytest.mark.parametrize("wrong", [None, 1, "yes"], ids=repr)
    def test_flags(self, wrong: Any) -> None:
        """S10: `detect_mutation` is on or off."""
        with pytest.raises(
            InvalidRecordError, match=re.escape(f"detect_mutation must be True or False, not {wrong!r}")
        ):
            CompileConfig(detect_mutation=wrong)

    @pytest.mark.parametrize("setting", ["on_conflict", "on_branch_error"])
    @pytest.mark.parametrize("wrong", [None, "never", True], ids=repr)
    def test_choices(self, setting: str, wrong: Any) -> None:
        """P5, P8: of two choices it is one; the error names both."""
        settings: dict[str, Any] = {setting: wrong}
        with pytest.raises(InvalidRecordError, match=rf"{setting} must be one of \['\w+', '\w+'\], not {wrong!r}"):
            CompileConfig(**settings)

    def test_savers(self) -> None:
        """K1: a saver is one, or `None`."""
        wrong: Any = object()
        with pytest.raises(InvalidRecordError, match="checkpoint_saver must be a BaseCheckpointSaver"):
            CompileConfig(checkpoint_saver=wrong)
        assert CompileConfig(checkpoint_saver=None).checkpoint_saver is None

    def test_record(self) -> None:
        """C5: it can not be changed, and survives a pickle and copies."""
        config = CompileConfig(name="g", recursion_limit=5, detect_mutation=True)
        wrong: Any = config
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            wrong.name = "h"
        assert (config, config, config) == travelled(config)


class TestRunnableConfig:
    def test_defaults(self) -> None:
        """X6: nothing is set, and outside a node there is no place."""
        config = RunnableConfig()
        assert (config.thread_id, config.stream_mode, config.metadata) == (None, StreamMode.VALUES, {})
        assert (config.context, config.store, config.recursion_limit) == (None, None, None)
        assert (config.parallel_executors, config.default_parallel_executor) == ({}, None)
        assert (config.node_id, config.path, config.step, config.remaining_steps) == (None, (), 0, 0)
        assert (config.run_id, config.run_data) == (None, {})

    @NO_TEXTS
    def test_threads(self, wrong: Any) -> None:
        """X5: a thread id is a text that is not empty."""
        text = f"thread_id must be a str that is not empty, or None, not {wrong!r}"
        with pytest.raises(InvalidRecordError, match=re.escape(text)):
            RunnableConfig(thread_id=wrong)

    @NO_LIMITS
    def test_limits(self, wrong: Any) -> None:
        """X2: a limit is a whole number above zero, or `None` for the compile's."""
        with pytest.raises(InvalidRecordError, match="recursion_limit must be a whole number > 0"):
            RunnableConfig(recursion_limit=wrong)
        assert RunnableConfig(recursion_limit=7).recursion_limit == 7

    @pytest.mark.parametrize("setting", ["metadata", "parallel_executors"])
    @pytest.mark.parametrize("wrong", [None, [("a", 1)], "a"], ids=repr)
    def test_mappings(self, setting: str, wrong: Any) -> None:
        """X6, P9: metadata and executors are mappings."""
        settings: dict[str, Any] = {setting: wrong}
        with pytest.raises(InvalidRecordError, match=re.escape(f"must be mappings, not {wrong!r}")):
            RunnableConfig(**settings)

    def test_metadata_is_read_only(self) -> None:
        """X6: nodes can read the metadata, not change them; `None` is a value (Java: a NullPointerException)."""
        given = {"user": None}
        config = RunnableConfig(metadata=given)
        metadata: Any = config.metadata
        with pytest.raises(TypeError, match="immutable"):
            metadata["user"] = "bob"
        assert config.metadata == {"user": None}

    def test_record(self) -> None:
        """C5: it can not be changed, and survives a pickle and copies."""
        config = RunnableConfig(thread_id="t", metadata={"a": 1}, recursion_limit=5, default_parallel_executor=INLINE)
        wrong: Any = config
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            wrong.thread_id = "u"
        assert (config, config, config) == travelled(config)


@pytest.mark.parametrize("kind", [CompileConfig, RunnableConfig])
class TestConcurrency:
    @pytest.mark.parametrize("value", [None, 1, {"a": 2, "b": 1}, {}], ids=repr)
    def test_kinds(self, kind: Any, value: Any) -> None:
        """P9: an int caps the whole run, a mapping each activation of a fork."""
        assert kind(max_concurrency=value).max_concurrency == value

    @pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "2", [1], {"a": 0}, {"a": None}, {"a": True}], ids=repr)
    def test_anything_else(self, kind: Any, wrong: Any) -> None:
        """P9: a limit is a whole number above zero."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"to such numbers, not {wrong!r}")):
            kind(max_concurrency=wrong)

    def test_it_never_changes(self, kind: Any) -> None:
        """C5: a mapping is copied, and read-only."""
        given = {"a": 1}
        config = kind(max_concurrency=given)
        given["a"] = 2
        with pytest.raises(TypeError, match="immutable"):
            config.max_concurrency["a"] = 2
        assert config.max_concurrency == {"a": 1}


class TestAggregation:
    def test_kinds(self) -> None:
        """P7: `ALL_OF` is the default; others can be given by id, or as the default."""
        config = RunnableConfig(aggregation={"z": ANY_OF}, default_aggregation=ANY_OF)
        assert RunnableConfig().default_aggregation is NodeAggregationStrategy.ALL_OF
        assert (RunnableConfig().aggregation, config.aggregation) == ({}, {"z": ANY_OF})
        assert config.default_aggregation is ANY_OF

    @pytest.mark.parametrize("wrong", [None, "any_of", [("z", ANY_OF)]], ids=repr)
    def test_no_mapping(self, wrong: Any) -> None:
        """P7: they are given in a mapping."""
        with pytest.raises(
            InvalidRecordError, match=re.escape(f"must be a mapping of ids to strategies, not {wrong!r}")
        ):
            RunnableConfig(aggregation=wrong)

    @pytest.mark.parametrize("wrong", [None, "any_of"], ids=repr)
    def test_no_strategy(self, wrong: Any) -> None:
        """P7: anything else is refused, naming the id."""
        text = f"must be NodeAggregationStrategy.ALL_OF or ANY_OF, not {wrong!r}"
        with pytest.raises(InvalidRecordError, match=re.escape(f"aggregation['z'] {text}")):
            RunnableConfig(aggregation={"z": wrong})
        with pytest.raises(InvalidRecordError, match=re.escape(f"default_aggregation {text}")):
            RunnableConfig(default_aggregation=wrong)


class TestStreamModes:
    def test_one(self) -> None:
        """X1: one mode."""
        assert RunnableConfig(stream_mode=StreamMode.UPDATES).stream_mode is StreamMode.UPDATES

    def test_several(self) -> None:
        """X1: several in the order given, each once."""
        both = [StreamMode.UPDATES, StreamMode.VALUES, StreamMode.UPDATES]
        assert RunnableConfig(stream_mode=both).stream_mode == (StreamMode.UPDATES, StreamMode.VALUES)

    @pytest.mark.parametrize("wrong", [None, "values", [], ["values"], [StreamMode.VALUES, None], 5], ids=repr)
    def test_anything_else(self, wrong: Any) -> None:
        """X1: anything else is no mode."""
        text = f"stream_mode must be a StreamMode or several in a list, not {wrong!r}"
        with pytest.raises(InvalidRecordError, match=re.escape(text)):
            RunnableConfig(stream_mode=wrong)


class TestExecutors:
    def test_kinds(self, pool: Executor) -> None:
        """P10: an executor is `INLINE` or one of `concurrent.futures`."""
        config = RunnableConfig(parallel_executors={"a": pool, "b": INLINE}, default_parallel_executor=pool)
        assert (config.parallel_executors, config.default_parallel_executor) == ({"a": pool, "b": INLINE}, pool)
        check_executor(None, "node 'a'")

    @pytest.mark.parametrize("wrong", [5, "inline", Executor], ids=["int", "str", "class"])
    def test_anything_else(self, wrong: Any) -> None:
        """P10: anything else is refused, naming where it was given."""
        text = "default_parallel_executor: an executor must be INLINE or a concurrent.futures.Executor"
        with pytest.raises(InvalidRecordError, match=re.escape(text)):
            RunnableConfig(default_parallel_executor=wrong)
        with pytest.raises(InvalidRecordError, match=re.escape("parallel_executors['a']: an executor must be")):
            RunnableConfig(parallel_executors={"a": wrong})

    def test_none_is_no_executor_of_a_fork(self) -> None:
        """P10: a fork with `None` has the default one."""
        none: Any = None
        assert RunnableConfig(parallel_executors={"a": none}).parallel_executors == {"a": None}

    def test_inline(self) -> None:
        """P10: `INLINE` is one object, also after pickle and copies, and shows its name."""
        assert all(other is INLINE for other in travelled(INLINE))
        assert repr(INLINE) == "INLINE"


class TestPortable:
    def test_without_what_can_not_travel(self, pool: Executor) -> None:
        """P10: in another process a node has a config without store and executors."""
        config = RunnableConfig(
            thread_id="t", store=pool, parallel_executors={"a": pool}, default_parallel_executor=pool, metadata={"m": 1}
        )
        expected = RunnableConfig(thread_id="t", metadata={"m": 1})
        assert (expected, expected) == (config.portable(), pickled(config.portable()))

    def test_its_place_travels(self) -> None:
        """P10, X6: it still says where the node stands."""
        config = pickled(RunnableConfig().at(place(), {}).portable())
        assert (config.node_id, config.step, config.remaining_steps) == ("a", 3, 7)


class TestWith:
    def test_thread_id(self) -> None:
        """X5: a new record with another thread; the old one stays."""
        config = RunnableConfig(thread_id="t")
        assert (config.with_thread_id("u").thread_id, config.thread_id) == ("u", "t")
        with pytest.raises(InvalidRecordError, match="thread_id must be a str that is not empty"):
            config.with_thread_id("")

    def test_stream_mode(self) -> None:
        """X1: a new record with other modes."""
        config = RunnableConfig().with_stream_mode([StreamMode.UPDATES])
        assert config.stream_mode == (StreamMode.UPDATES,)

    def test_metadata(self) -> None:
        """X6: entries are added, the new ones win."""
        config = RunnableConfig(metadata={"a": 1, "b": 1})
        assert (config.with_metadata(b=2, c=3).metadata, config.metadata) == (
            {"a": 1, "b": 2, "c": 3},
            {"a": 1, "b": 1},
        )


class TestPlace:
    def test_a_nodes_own_config(self) -> None:
        """X6: a node reaches its id, path, step, remaining steps, run id and run data."""
        there = place("a", ("sub",))
        config = RunnableConfig(thread_id="t").at(there, {})
        assert (config.node_id, config.path, config.step, config.remaining_steps) == ("a", ("sub",), 3, 7)
        assert (config.run_id, config.run_data is there.run_data, config.thread_id) == ("run1", True, "t")

    def test_the_callers_config_has_none(self) -> None:
        """X6: the config that was passed in stays as it is."""
        config = RunnableConfig(metadata={"a": 1})
        config.at(place(), {"b": 2})
        assert (config.node_id, config.metadata) == (None, {"a": 1})

    def test_metadata_of_the_node(self) -> None:
        """X4, X6: a node's metadata lie below those of the run."""
        assert RunnableConfig(metadata={"a": 1}).at(place(), {"a": 0, "b": 2}).metadata == {"a": 1, "b": 2}

    def test_passed_to_another_graph(self) -> None:
        """C6: a node's config passed to another graph is a child's: no thread; a caller's is its own."""
        own = RunnableConfig(thread_id="t", metadata={"a": 1}, context="client", default_parallel_executor=INLINE)
        expected = RunnableConfig(metadata={"a": 1}, context="client", default_parallel_executor=INLINE)
        child = own.at(place(), {}).for_call()
        assert (child, child.node_id) == (expected, None)
        assert own.for_call() is own

    def test_bindings_are_not_passed_on(self) -> None:
        """P9, C6: what is bound to ids of this graph means nothing in a child."""
        own = RunnableConfig(
            parallel_executors={"a": INLINE}, max_concurrency=2, aggregation={"z": ANY_OF}, default_aggregation=ANY_OF
        )
        assert own.at(place(), {}).for_call() == RunnableConfig(default_aggregation=ANY_OF)

    def test_only_settings_count(self) -> None:
        """C5: the place is no setting: it does not count in a comparison, and is not shown."""
        config = RunnableConfig(thread_id="t")
        assert config.at(place(), {}) == config
        assert "place" not in repr(config.at(place(), {}))
