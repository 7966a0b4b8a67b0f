"""Strategies by key, prefix, suffix, part, pattern and predicate."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from graph_core import (
    APPEND,
    END,
    MERGE,
    REPLACE,
    START,
    KeyStrategy,
    KeyStrategyFactoryBuilder,
    OverAllState,
    StateGraph,
)
from graph_core.exception import InvalidRecordError


def builder() -> KeyStrategyFactoryBuilder:
    """An empty builder."""
    return KeyStrategyFactoryBuilder()


def strategy_of(made: KeyStrategyFactoryBuilder, key: str) -> KeyStrategy | None:
    """The strategy that the built factory gives a key."""
    return made.build()().get(key)


RULES: dict[str, tuple[KeyStrategyFactoryBuilder, str, str]] = {
    "prefix": (builder().add_prefix_strategy("log_", APPEND), "log_a", "a_log_"),
    "suffix": (builder().add_suffix_strategy("_log", APPEND), "a_log", "_log_a"),
    "contains": (builder().add_contains_strategy("log", APPEND), "a_log_b", "a_lo_g"),
    "pattern": (builder().add_pattern_strategy("[ab]+", APPEND), "abba", "abc"),
    "predicate": (builder().add_predicate_strategy(str.isupper, APPEND), "LOG", "log"),
}
NO: Any = 5
"""Neither a strategy, nor a text, nor a predicate."""


class TestDeclared:
    def test_a_key(self) -> None:
        """S3: a declared key has its strategy, any other has none."""
        made = builder().add_strategy("a", APPEND)
        assert (strategy_of(made, "a"), strategy_of(made, "b")) == (APPEND, None)

    def test_without_a_strategy(self) -> None:
        """S3: a key without one gets the default, REPLACE at first; a new default counts from then on."""
        made = builder().add_strategy("a").default_strategy(MERGE).add_strategy("b")
        assert (strategy_of(made, "a"), strategy_of(made, "b")) == (REPLACE, MERGE)

    def test_several(self) -> None:
        """S3: `add_strategies` declares all keys of a mapping."""
        made = builder().add_strategies({"a": APPEND, "b": MERGE})
        assert dict(made.strategies) == {"a": APPEND, "b": MERGE}

    def test_custom(self) -> None:
        """S3: `add_custom_strategy` makes the strategy for a key."""
        made = builder().add_custom_strategy("a", lambda key: lambda _, new: f"{key}:{new}")
        assert OverAllState({}, made.strategies).updated({"a": 1}) == {"a": "a:1"}

    def test_the_last_one_wins(self) -> None:
        """S3: declaring a key again replaces its strategy."""
        assert strategy_of(builder().add_strategy("a", APPEND).add_strategy("a", MERGE), "a") is MERGE


class TestRules:
    @pytest.mark.parametrize(("made", "matching", "other"), RULES.values(), ids=RULES.keys())
    def test_kinds(self, made: KeyStrategyFactoryBuilder, matching: str, other: str) -> None:
        """S3: a rule gives its strategy to all keys that match (in Java these rules do nothing)."""
        assert (strategy_of(made, matching), strategy_of(made, other)) == (APPEND, None)
        assert (made.has_strategy(matching), made.has_strategy(other)) == (True, False)

    def test_a_declared_key_wins(self) -> None:
        """S3: a declared key wins over every rule."""
        made = builder().add_prefix_strategy("a", APPEND).add_strategy("ab", MERGE)
        assert (strategy_of(made, "ab"), strategy_of(made, "ac")) == (MERGE, APPEND)

    def test_the_first_rule_wins(self) -> None:
        """S3: of the rules the first one that was added wins."""
        made = builder().add_prefix_strategy("a", APPEND).add_suffix_strategy("b", MERGE)
        assert (strategy_of(made, "ab"), strategy_of(made, "b")) == (APPEND, MERGE)

    def test_only_declared_keys_are_listed(self) -> None:
        """S3: a rule has no keys to list."""
        strategies = builder().add_prefix_strategy("a", APPEND).add_strategy("b", MERGE).strategies
        assert (list(strategies), len(strategies), "ab" in strategies) == (["b"], 1, True)
        with pytest.raises(KeyError, match="'c'"):
            strategies["c"]


class TestTakingBack:
    def test_one(self) -> None:
        """S3: a declared key can be taken back; one that is not declared is left alone."""
        made = builder().add_strategy("a", APPEND).remove_strategy("a").remove_strategy("b")
        assert (made.has_strategy("a"), made.strategy_count) == (False, 0)

    def test_all(self) -> None:
        """S3: `clear_strategies` takes back keys and rules."""
        made = builder().add_strategy("a", APPEND).add_prefix_strategy("b", APPEND)
        assert (made.strategy_count, made.clear_strategies().strategy_count) == (2, 0)

    def test_what_was_built_stays(self) -> None:
        """S3: later changes to the builder do not reach what it gave."""
        made = builder().add_strategy("a", APPEND).add_prefix_strategy("b", APPEND)
        factory, strategies = made.build(), made.strategies
        made.clear_strategies()
        assert (factory().get("a"), factory().get("bb"), strategies.get("a")) == (APPEND, APPEND, APPEND)


class TestInvalid:
    def test_default(self) -> None:
        """S2: what is no strategy is refused where it is given."""
        with pytest.raises(InvalidRecordError, match=re.escape("the default must be a callable (old, new), not 5")):
            builder().default_strategy(NO)

    def test_strategy_of_a_key(self) -> None:
        """S2: the error names the key."""
        text = re.escape("the strategy of 'a' must be a callable (old, new), not 5")
        with pytest.raises(InvalidRecordError, match=text):
            builder().add_strategy("a", NO)
        with pytest.raises(InvalidRecordError, match=text):
            builder().add_custom_strategy("a", lambda _: NO)
        with pytest.raises(InvalidRecordError, match=text):
            builder().add_strategies({"a": NO})

    def test_none_in_a_mapping(self) -> None:
        """S2: a `None` in a mapping is no strategy (in Java it fails when the graph is compiled)."""
        nothing: Any = None
        with pytest.raises(InvalidRecordError, match="'a' must be a callable"):
            builder().add_strategies({"a": nothing})

    def test_strategy_of_a_rule(self) -> None:
        """S2: so is one of a rule."""
        with pytest.raises(InvalidRecordError, match=re.escape("a rule must be a callable (old, new), not 5")):
            builder().add_prefix_strategy("a", NO)

    @pytest.mark.parametrize(
        ("add", "what"),
        [
            (builder().add_strategy, "key"),
            (builder().add_prefix_strategy, "prefix"),
            (builder().add_suffix_strategy, "suffix"),
            (builder().add_contains_strategy, "text"),
            (builder().add_pattern_strategy, "pattern"),
        ],
        ids=["key", "prefix", "suffix", "text", "pattern"],
    )
    def test_texts(self, add: Callable[[Any, Any], object], what: str) -> None:
        """S9: keys are `str`, and so is what a rule compares them with."""
        with pytest.raises(InvalidRecordError, match=f"a {what} must be a str, not 5"):
            add(NO, APPEND)

    def test_predicate(self) -> None:
        """S8: a predicate is a callable."""
        with pytest.raises(InvalidRecordError, match=re.escape("a callable (key) -> bool, not 5")):
            builder().add_predicate_strategy(NO, APPEND)


def write(state: OverAllState) -> dict[str, Any]:
    """Write to a declared key, and to one that a rule names."""
    return {"prop1": "test", "a_log": "x"}


class TestInAGraph:
    def test_a_graph_takes_a_factory(self) -> None:
        """S3: a graph merges by the strategies of its factory, rules included (Java: buildTest)."""
        factory = builder().default_strategy(REPLACE).add_strategy("prop1").add_suffix_strategy("_log", APPEND).build()
        graph = StateGraph(factory).add_node("a", write)
        assert graph.add_edge(START, "a").add_edge("a", END).compile().invoke({"a_log": "w"}) == {
            "a_log": ["w", "x"],
            "prop1": "test",
        }
