"""Strategies of the user's."""

import functools
import operator
from typing import Any

import pytest

from graph_core import APPEND, KeyStrategy, KeyStrategyFactoryBuilder, OverAllState, StateMergeError
from graph_core_tests.state.sequences import written


def pair(old: Any, new: Any) -> Any:
    """Show what the strategy got."""
    return (old, new)


class Latest:
    """A strategy that is an object."""

    def __call__(self, old: Any, new: Any) -> Any:
        """Give the larger one."""
        return new if old is None else max(old, new)

    def bound(self, old: Any, new: Any) -> Any:
        """The same as a method."""
        return self(old, new)


def at_least(least: int, old: Any, new: Any) -> Any:
    """Give the largest one."""
    return max(least, old or new, new)


KINDS: dict[str, KeyStrategy] = {
    "object": Latest(),
    "method": Latest().bound,
    "partial": functools.partial(at_least, 0),
}
BUILTINS: dict[str, tuple[Any, list[Any], Any]] = {
    "add": (operator.add, [1, 2, 3], 6),
    "add lists": (operator.add, [[1], [2]], [1, 2]),
    "max": (max, [3, 5, 4], 5),
    "min": (min, [3, 5, 4], 3),
}


class TestOldValue:
    def test_absent_is_none(self) -> None:
        """S2: `old` is `None` when the key is absent."""
        assert written(pair, 1) == {"k": (None, 1)}

    def test_present_is_the_raw_value(self) -> None:
        """S2: `old` is the raw value (Java hands an Optional on some paths)."""
        assert written(pair, 1, 2) == {"k": ((None, 1), 2)}

    def test_data_of_a_state_are_no_update(self) -> None:
        """S2: what a state begins with is stored as it is, the strategy is not called for it."""
        assert OverAllState({"k": 1}, {"k": pair}).updated({"k": 2}) == {"k": (1, 2)}

    def test_keeping_the_old_value(self) -> None:
        """S2: `(old, new) -> old` keeps the value (in Java it stores an Optional)."""
        assert OverAllState({"k": 1}, {"k": lambda old, _: old}).updated({"k": 2}) == {"k": 1}

    def test_none_is_handed_over(self) -> None:
        """S5, S8: every strategy but APPEND and MERGE is called with a `None`."""
        assert written(pair, None) == {"k": (None, None)}


class TestAnyCallable:
    @pytest.mark.parametrize("strategy", KINDS.values(), ids=KINDS.keys())
    def test_kinds(self, strategy: KeyStrategy) -> None:
        """S8: any binary callable is a strategy."""
        assert written(strategy, 1, 3, 2) == {"k": 3}

    def test_around_append(self) -> None:
        """S8: a strategy may use the ready-made ones."""
        assert written(lambda old, new: APPEND(old, new)[-2:], 1, 2, 3) == {"k": [2, 3]}


class TestBuiltins:
    @pytest.mark.parametrize(("strategy", "values", "expected"), BUILTINS.values(), ids=BUILTINS.keys())
    def test_the_first_value_is_stored_as_it_is(self, strategy: Any, values: list[Any], expected: Any) -> None:
        """S8: for an absent key a builtin is not called, the new value is stored."""
        assert written(strategy, *values) == {"k": expected}

    def test_every_other_one_is_called_with_none(self) -> None:
        """S8: a Python function is called also for an absent key."""
        assert written(lambda old, new: (old or 0) + new, 1, 2) == {"k": 3}

    def test_a_partial_of_a_builtin_is_none(self) -> None:
        """S8: only what `inspect.isbuiltin` says is a builtin."""
        with pytest.raises(StateMergeError, match="TypeError"):
            written(functools.partial(operator.add), 1)


class TestFailures:
    def test_the_key_and_the_strategy_are_named(self) -> None:
        """S8: a strategy that raises is an error that names key, strategy and what it raised."""

        def picky(old: Any, new: Any) -> Any:
            raise ValueError("not this")

        with pytest.raises(
            StateMergeError, match=r"key 'k': its strategy .*picky raised ValueError: not this"
        ) as caught:
            written(picky, 1)
        assert (caught.value.code, caught.value.key) == ("key_strategy_failed", "k")
        assert isinstance(caught.value.__cause__, ValueError)

    def test_a_nameless_strategy_is_shown(self) -> None:
        """S8: a strategy without a name is shown by its `repr`."""
        with pytest.raises(StateMergeError, match=r"its strategy functools\.partial\("):
            written(functools.partial(operator.add), 1)

    def test_an_error_of_merging_keeps_its_code(self) -> None:
        """S8: a strategy may raise a `StateMergeError` itself; the key is added."""

        def strict(old: Any, new: Any) -> Any:
            raise StateMergeError("too old", "too_old")

        with pytest.raises(StateMergeError, match="key 'k': too old") as caught:
            written(strict, 1)
        assert (caught.value.code, caught.value.key) == ("too_old", "k")

    def test_a_rule_that_raises(self) -> None:
        """S8: so is a rule that can not say whether it matches."""
        strategies = KeyStrategyFactoryBuilder().add_predicate_strategy(lambda key: key[5] == "x", APPEND).build()()
        with pytest.raises(StateMergeError, match="key 'k': looking up its strategy raised IndexError") as caught:
            OverAllState({}, strategies).updated({"k": 1})
        assert (caught.value.code, caught.value.key) == ("key_strategy_failed", "k")

    def test_only_exceptions_are_wrapped(self) -> None:
        """S8: what ends the program passes through."""

        def stop(old: Any, new: Any) -> Any:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            written(stop, 1)
