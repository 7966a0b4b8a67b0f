"""S8, P8: whether an update can be merged is told before it is."""

import operator
from typing import Any

import pytest

from graph_core import APPEND, MERGE, REMOVE, AppendStrategy, RemoveByHash, StateMergeError
from graph_core.state.merger import Merger

STRATEGIES: dict[str, Any] = {"a": APPEND, "u": AppendStrategy(allow_duplicate=False), "m": MERGE, "n": operator.add}
DATA: dict[str, Any] = {"a": [1], "u": [1], "m": {"x": 1}, "n": 1, "r": 0}


def merger() -> Merger:
    """Make one that knows its keys."""
    made = Merger(STRATEGIES)
    made.apply(dict(DATA), {"a": 2, "u": 2, "m": {}, "n": 1, "r": 1})
    return made


MERGEABLE: list[Any] = [
    {"r": 1},
    {"r": [1, {"x": 2}]},
    {"a": 1},
    {"a": [1, 2]},
    {"a": [[1], {}]},
    {"a": RemoveByHash(1)},
    {"u": [1, 1]},
    {"m": {"x": REMOVE}},
    {"n": 4},
    {"r": REMOVE, "new": 1},
]


@pytest.mark.parametrize("update", MERGEABLE, ids=repr)
def test_what_can_be_merged(update: dict[str, Any]) -> None:
    """S8: what can be merged passes, and nothing is changed by looking."""
    data = dict(DATA)
    merger().check(data, update)
    assert data == DATA


@pytest.mark.parametrize(
    ("update", "key"),
    [({"n": "x"}, "n"), ({"m": 5}, "m"), ({"r": [REMOVE]}, "r"), ({"a": [REMOVE]}, "a"), ({"m": {"x": [REMOVE]}}, "m")],
    ids=repr,
)
def test_what_can_not(update: dict[str, Any], key: str) -> None:
    """S4, S7, S8: what can not is refused as the merge itself would, naming the key."""
    with pytest.raises(StateMergeError) as told:
        merger().check(DATA, update)
    with pytest.raises(StateMergeError) as merged:
        merger().apply(dict(DATA), update)
    assert (str(told.value), told.value.key) == (str(merged.value), key)
    assert type(told.value.__cause__) is type(merged.value.__cause__)
