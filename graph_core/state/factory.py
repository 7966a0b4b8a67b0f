"""Collecting strategies by key, prefix, suffix or pattern (Java: KeyStrategyFactoryBuilder)."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, final

import attrs

from graph_core.exception import InvalidRecordError
from graph_core.state.strategies import REPLACE, KeyStrategy

if TYPE_CHECKING:
    from typing import Self

KeyStrategyFactory: TypeAlias = Callable[[], Mapping[str, KeyStrategy]]
"""Gives the key → strategy mapping of a graph."""


@final
@attrs.frozen
class _Rule:
    matches: Callable[[str], bool]
    strategy: KeyStrategy


@final
@attrs.frozen(eq=False)
class _Strategies(Mapping[str, KeyStrategy]):
    """Declared keys, and rules for all others; iterates over the declared keys only."""

    declared: dict[str, KeyStrategy]
    rules: tuple[_Rule, ...]

    def __getitem__(self, key: str) -> KeyStrategy:
        if key in self.declared:
            return self.declared[key]
        for rule in self.rules:
            if rule.matches(key):
                return rule.strategy
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.declared)

    def __len__(self) -> int:
        return len(self.declared)


@final
class KeyStrategyFactoryBuilder:
    """Collects strategies; `build()` gives a factory for `StateGraph`.

    A declared key wins over every rule; of the rules the first one that was added wins.

    >>> from graph_core import APPEND, StateGraph
    >>> factory = KeyStrategyFactoryBuilder().add_strategy("name").add_suffix_strategy("_log", APPEND).build()
    >>> factory()["audit_log"] is APPEND
    True
    """

    def __init__(self) -> None:
        self._declared: dict[str, KeyStrategy] = {}
        self._rules: list[_Rule] = []
        self._default: KeyStrategy = REPLACE

    def default_strategy(self, strategy: KeyStrategy) -> Self:
        """Set the strategy of keys added without one from now on."""
        self._default = _checked(strategy, "the default")
        return self

    def add_strategy(self, key: str, strategy: KeyStrategy | None = None) -> Self:
        """Declare a key."""
        self._declared[_text(key, "key")] = self._default if strategy is None else _checked(strategy, repr(key))
        return self

    def add_strategies(self, strategies: Mapping[str, KeyStrategy]) -> Self:
        """Declare several keys."""
        for key, strategy in strategies.items():
            self.add_strategy(key, _checked(strategy, repr(key)))
        return self

    def add_custom_strategy(self, key: str, make: Callable[[str], KeyStrategy]) -> Self:
        """Declare a key with the strategy that `make(key)` gives."""
        return self.add_strategy(key, _checked(make(key), repr(key)))

    def add_predicate_strategy(self, predicate: Callable[[str], bool], strategy: KeyStrategy) -> Self:
        """Use a strategy for all keys for which a predicate holds."""
        if not callable(predicate):
            raise InvalidRecordError(f"a predicate must be a callable (key) -> bool, not {predicate!r}")
        self._rules.append(_Rule(predicate, _checked(strategy, "a rule")))
        return self

    def add_pattern_strategy(self, pattern: str, strategy: KeyStrategy) -> Self:
        """Use a strategy for all keys that match a regular expression as a whole."""
        expression = re.compile(_text(pattern, "pattern"))
        return self.add_predicate_strategy(functools.partial(_matches, expression), strategy)

    def add_prefix_strategy(self, prefix: str, strategy: KeyStrategy) -> Self:
        """Use a strategy for all keys that begin with a text."""
        return self.add_predicate_strategy(operator.methodcaller("startswith", _text(prefix, "prefix")), strategy)

    def add_suffix_strategy(self, suffix: str, strategy: KeyStrategy) -> Self:
        """Use a strategy for all keys that end with a text."""
        return self.add_predicate_strategy(operator.methodcaller("endswith", _text(suffix, "suffix")), strategy)

    def add_contains_strategy(self, part: str, strategy: KeyStrategy) -> Self:
        """Use a strategy for all keys that contain a text."""
        return self.add_predicate_strategy(operator.methodcaller("__contains__", _text(part, "text")), strategy)

    def remove_strategy(self, key: str) -> Self:
        """Take a declared key back; one that is not declared is left alone."""
        self._declared.pop(key, None)
        return self

    def clear_strategies(self) -> Self:
        """Take everything back."""
        self._declared.clear()
        self._rules.clear()
        return self

    def has_strategy(self, key: str) -> bool:
        """Tell whether a key is declared, or a rule matches it."""
        return key in self.strategies

    @property
    def strategy_count(self) -> int:
        """Number of declared keys and rules."""
        return len(self._declared) + len(self._rules)

    @property
    def strategies(self) -> Mapping[str, KeyStrategy]:
        """The strategies so far; later changes to the builder do not reach it."""
        return _Strategies(dict(self._declared), tuple(self._rules))

    def build(self) -> KeyStrategyFactory:
        """Give a factory of the strategies so far."""
        strategies = self.strategies
        return lambda: strategies


def _matches(expression: re.Pattern[str], key: str) -> bool:
    return expression.fullmatch(key) is not None


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidRecordError(f"a {what} must be a str, not {value!r}")
    return value


def _checked(strategy: KeyStrategy, where: str) -> KeyStrategy:
    if not callable(strategy):
        raise InvalidRecordError(f"the strategy of {where} must be a callable (old, new), not {strategy!r}")
    return strategy
