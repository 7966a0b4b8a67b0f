"""When a region is done (rule P7), and which calls may run at once (rule P9)."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from graph_core.exception import InvalidRecordError
from graph_core.state.frozen import FrozenMapping

# Declared as `Any`: to a type checker `isinstance` does not narrow then, and what a value holds stays `Any`.
_MAPPING: Final[Any] = Mapping


class NodeAggregationStrategy(enum.Enum):
    """When the branches of a fork are enough.

    ALL_OF: when all have arrived. ANY_OF: when the first has arrived; the others are cancelled and
    leave nothing in the state.
    """

    ALL_OF = "all_of"
    ANY_OF = "any_of"


Concurrency: TypeAlias = int | Mapping[str, int]
"""How many calls may run at once: in the whole run, or by fork source in each activation of that fork."""


def concurrency(value: Any) -> Concurrency | None:
    """Check and freeze a `max_concurrency`.

    Raises:
        InvalidRecordError: it is neither a whole number > 0 nor a mapping to such numbers.
    """
    if isinstance(value, _MAPPING) and all(isinstance(id_, str) and _is_count(n) for id_, n in value.items()):
        limits: FrozenMapping[str, int] = FrozenMapping(value)
        return limits
    count: int | None = value
    if count is not None and not _is_count(count):
        text = "max_concurrency must be a whole number > 0, or a mapping of fork sources to such numbers"
        raise InvalidRecordError(f"{text}, not {value!r}")
    return count


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def aggregations(value: Any) -> Mapping[str, NodeAggregationStrategy]:
    """Check and freeze an `aggregation`.

    Raises:
        InvalidRecordError: it is no mapping of ids to strategies.
    """
    if not isinstance(value, _MAPPING):
        raise InvalidRecordError(f"aggregation must be a mapping of ids to strategies, not {value!r}")
    given: FrozenMapping[str, NodeAggregationStrategy] = FrozenMapping(value)
    for id_, strategy in given.items():
        check_aggregation(strategy, f"aggregation[{id_!r}]")
    return given


def check_aggregation(strategy: object, where: str) -> None:
    """Refuse what is no aggregation strategy.

    Raises:
        InvalidRecordError: as said.
    """
    if not isinstance(strategy, NodeAggregationStrategy):
        text = f"{where} must be NodeAggregationStrategy.ALL_OF or ANY_OF"
        raise InvalidRecordError(f"{text}, not {strategy!r}")
