"""Types of keys with values of them, for laws that hold for every schema."""

import operator
from typing import Annotated, Any

from hypothesis import strategies as st

from graph_core import APPEND, MERGE, MergeStrategy

Values = st.SearchStrategy[Any]
_TEXT = st.text("ab", max_size=3)
_ENTRIES = st.dictionaries(_TEXT, st.integers(-3, 3), max_size=3)
COMMON: list[tuple[Any, Values]] = [
    (int, st.integers()),
    (float, st.floats(allow_nan=False)),
    (str, st.text()),
    (bool, st.booleans()),
    (int | None, st.integers() | st.none()),
    (list[int], st.lists(st.integers())),
    (dict[str, list[int]], st.dictionaries(_TEXT, st.lists(st.integers(), max_size=3), max_size=3)),
    (tuple[int, str], st.tuples(st.integers(), _TEXT)),
    (set[int], st.sets(st.integers())),
    (Any, st.integers() | st.booleans() | st.lists(st.integers() | st.booleans(), max_size=3)),
    (Annotated[list[int], APPEND], st.lists(st.integers(0, 2), max_size=4)),
    (Annotated[list[int], operator.add], st.lists(st.integers(0, 2), max_size=4)),
    (Annotated[dict[str, int], MERGE], _ENTRIES),
    (Annotated[dict[str, dict[str, int]], MergeStrategy(deep=True)], st.dictionaries(_TEXT, _ENTRIES, max_size=3)),
    (Annotated[int, operator.add], st.integers()),
]
