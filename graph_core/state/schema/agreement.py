"""What several schemas of one graph say about one key."""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING, Any, Final, cast

from graph_core.state.schema.strategy import Started

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graph_core.state.schema.schema import Schema
    from graph_core.state.strategies import KeyStrategy

_ADVICE: Final = "declare one strategy in both, or in only one of them"


def agreed_strategies(
    schemas: Iterable[Schema], given: Mapping[str, KeyStrategy] | None = None
) -> tuple[Mapping[str, KeyStrategy], list[tuple[str, str]]]:
    """Collect the strategies of all schemas of a graph.

    A schema that declares a key without a strategy has no opinion on it.

    Args:
        schemas: the schemas.
        given: strategies that the graph was given besides.

    Returns:
        The strategies, ready for the engine, and key and text for each disagreement of two schemas.
    """
    found: dict[str, tuple[KeyStrategy, str]] = {}
    problems: list[tuple[str, str]] = []
    for schema in schemas:
        for name, strategy in schema.strategies().items():
            own = None if given is None else given.get(name)
            claim = (strategy, schema.name) if own is None else (own, "the mapping of strategies")
            first, owner = found.setdefault(name, claim)
            if (text := _difference(first, strategy)) is not None:
                problems.append((name, f"key {name!r}: {owner} and {schema.name} {text}; {_ADVICE}"))
            elif isinstance(strategy, Started):
                found[name] = (strategy, owner)
    strategies = {name: strategy for name, (strategy, _) in found.items()}
    if given is None:
        return strategies, problems
    if isinstance(given, dict):
        return given | strategies, problems
    return ChainMap(strategies, cast("Any", given)), problems  # its rules hold for keys that it does not list


def _difference(first: KeyStrategy, second: KeyStrategy) -> str | None:
    declared = [each.strategy if isinstance(each, Started) else each for each in (first, second)]
    if declared[0] != declared[1]:
        return f"declare different strategies, {_named(first)} and {_named(second)}"
    if isinstance(first, Started) and isinstance(second, Started) and first.empty is not second.empty:
        return f"start it at different empty values, {first.empty()!r} and {second.empty()!r}"
    return None


def _named(strategy: KeyStrategy) -> str:
    return getattr(strategy, "__qualname__", None) or repr(strategy)
