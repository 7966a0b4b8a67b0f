"""MERGE: mappings entry by entry, records field by field."""

import dataclasses
from types import MappingProxyType
from typing import Any

import attrs
import pytest

from graph_core import MERGE, REMOVE, MergeStrategy, OverAllState, StateMergeError
from graph_core.state.merger import Merger
from graph_core.state.overall_state import merge_into
from graph_core_tests.state.sequences import written

DEEP = MergeStrategy(deep=True)


@attrs.frozen
class Metrics:
    """A record inside a record."""

    total_steps: int | None = None
    completed_steps: int | None = None


@attrs.frozen
class Plan:
    """A record; `_author` is given as `author`, `words` is made by the class."""

    title: str | None = None
    thought: str | None = None
    status: str | None = None
    metrics: Metrics | None = None
    extra: dict[str, str] | None = None
    _author: str | None = attrs.field(default=None, alias="author")
    words: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Count the words."""
        object.__setattr__(self, "words", len((self.title or "").split()))


@dataclasses.dataclass(frozen=True)
class Point:
    """A dataclass; `total` is made by the class."""

    x: int | None = None
    y: int | None = None
    total: int = dataclasses.field(init=False, default=0)


class Plain:
    """No record."""


class TestMappings:
    def test_union(self) -> None:
        """S7: two mappings give their union, the new one wins."""
        assert MERGE({"a": 1, "b": 1}, {"b": 2, "c": 2}) == {"a": 1, "b": 2, "c": 2}

    def test_order(self) -> None:
        """S7: old entries keep their place."""
        assert list(MERGE({"b": 1, "a": 1}, {"c": 2, "b": 2})) == ["b", "a", "c"]

    def test_shallow(self) -> None:
        """S7: MERGE is shallow: a mapping inside replaces the old one."""
        assert MERGE({"a": {"x": 1}}, {"a": {"y": 2}}) == {"a": {"y": 2}}

    def test_any_mapping(self) -> None:
        """S7: any two mappings go together, whatever their classes."""
        assert MERGE(MappingProxyType({"a": 1}), OverAllState({"b": 2})) == {"a": 1, "b": 2}
        assert MERGE({"a": 1}, MappingProxyType({"b": 2})) == {"a": 1, "b": 2}

    def test_a_new_dict(self) -> None:
        """S2: neither mapping is touched or kept."""
        old, new = {"a": 1}, {"b": 2}
        merged = MERGE(old, new)
        merged["c"] = 3
        assert (old, new) == ({"a": 1}, {"b": 2})
        first: dict[str, int] = {"a": 1}
        assert written(MERGE, first)["k"] is not first

    def test_an_entry_of_none_is_an_entry(self) -> None:
        """S5, S7: `None` as an entry is stored: only the new value itself is left out."""
        assert MERGE({"a": 1}, {"a": None}) == {"a": None}


class TestDeep:
    def test_recursion(self) -> None:
        """S7: `deep=True` recurses into mappings, at every depth."""
        assert DEEP({"a": {"b": {"x": 1, "z": 0}}}, {"a": {"b": {"y": 2, "z": 3}}}) == {
            "a": {"b": {"x": 1, "z": 3, "y": 2}}
        }

    def test_mapping_over_something_else(self) -> None:
        """S7: where only one side is a mapping the new one wins."""
        assert DEEP({"a": 1, "b": {"x": 1}}, {"a": {"y": 2}, "b": 2}) == {"a": {"y": 2}, "b": 2}

    def test_inner_mappings_are_not_touched(self) -> None:
        """S2: the mappings inside are new as well."""
        old, new = {"a": {"x": 1}}, {"a": {"y": 2}}
        DEEP(old, new)["a"]["z"] = 3
        assert (old, new) == ({"a": {"x": 1}}, {"a": {"y": 2}})


class TestRemovedEntries:
    def test_an_entry(self) -> None:
        """S4: `REMOVE` inside a mapping under MERGE deletes that entry."""
        assert written(MERGE, {"a": 1, "b": 2}, {"a": REMOVE}) == {"k": {"b": 2}}

    def test_an_absent_entry(self) -> None:
        """S4: an entry that is not there stays away, on an absent key too."""
        assert written(MERGE, {"a": REMOVE, "b": 1}) == {"k": {"b": 1}}

    def test_a_deep_entry(self) -> None:
        """S4: under `deep=True` it deletes entries of inner mappings."""
        assert written(DEEP, {"a": {"x": 1, "y": 2}}, {"a": {"x": REMOVE}, "b": {"z": REMOVE}}) == {
            "k": {"a": {"y": 2}, "b": {}}
        }

    @pytest.mark.parametrize(
        ("strategy", "new"),
        [(MERGE, {"a": {"x": REMOVE}}), (MERGE, {"a": [REMOVE]}), (MERGE, [REMOVE]), (DEEP, {"a": [{"x": REMOVE}]})],
        ids=["inner mapping, shallow", "inner list", "list", "mapping in a list, deep"],
    )
    def test_anywhere_else(self, strategy: MergeStrategy, new: Any) -> None:
        """S4: nested anywhere else it is an error that names the key."""
        with pytest.raises(StateMergeError, match="key 'k': REMOVE stands inside a value") as caught:
            written(strategy, {"a": 1}, new)
        assert (caught.value.code, caught.value.key) == ("misplaced_marker", "k")


class TestRecords:
    def test_attrs_fields(self) -> None:
        """S7: records of one class merge field by field, a `None` field keeps the old one."""
        old = Plan("Original title", "Initial thought", None)
        new = Plan(None, "Updated thought", "Completed")
        assert MERGE(old, new) == Plan("Original title", "Updated thought", "Completed")

    def test_neither_input_is_given_back(self) -> None:
        """S7: the merged record is a third one (Java: testMergeObjectFields)."""
        old, new = Plan("a"), Plan(None, "b")
        merged = MERGE(old, new)
        assert (merged is old, merged is new, old, new) == (False, False, Plan("a"), Plan(None, "b"))

    def test_aliases_and_derived_fields(self) -> None:
        """S7: a field with another name in `__init__` is merged, one that the class makes is made anew."""
        merged = MERGE(Plan("two words", author="ann"), Plan(thought="t"))
        assert merged == Plan("two words", "t", author="ann")
        assert merged.words == 2

    def test_dataclass_fields(self) -> None:
        """S7: dataclasses merge like attrs records."""
        assert MERGE(Point(1, 2), Point(None, 3)) == Point(1, 3)

    def test_records_inside(self) -> None:
        """S7: a record inside a record merges field by field (Java: testMergeNestedObjectFields)."""
        old = Plan("Plan", status="Running", metrics=Metrics(4, None))
        assert MERGE(old, Plan(metrics=Metrics(None, 2))) == Plan("Plan", status="Running", metrics=Metrics(4, 2))

    def test_mappings_inside(self) -> None:
        """S7: a mapping inside a record merges entry by entry (Java: testMergeObjectMapFields)."""
        old, new = Plan("Plan", extra={"source": "planner"}), Plan(status="Completed", extra={"owner": "worker"})
        expected = Plan("Plan", status="Completed", extra={"source": "planner", "owner": "worker"})
        assert (MERGE(old, new), old.extra) == (expected, {"source": "planner"})

    def test_a_field_that_was_none(self) -> None:
        """S7: a field that was `None` takes the new value as it is."""
        metrics = Metrics(1, 2)
        assert MERGE(Plan(), Plan(metrics=metrics)).metrics is metrics

    def test_a_field_of_another_type(self) -> None:
        """S7: in a field the new value wins, also one of another type (as in Java)."""
        value: Any = "none yet"
        assert MERGE(Plan(metrics=Metrics(1)), Plan(metrics=value)).metrics == "none yet"

    def test_records_of_two_classes(self) -> None:
        """S7: records of different classes are different types (Java: testIncompatibleTypes)."""
        with pytest.raises(StateMergeError, match=r"key 'k': .*incompatible types Plan and Metrics"):
            written(MERGE, Plan(), Metrics())


class TestOtherValues:
    @pytest.mark.parametrize(
        ("old", "new"), [("Old", "New"), (1, 2), ([1], [2]), (True, False), (b"a", b"b")], ids=repr
    )
    def test_of_one_type(self, old: Any, new: Any) -> None:
        """S7: of two values of one other type the new one wins."""
        assert written(MERGE, old, new) == {"k": new}

    def test_plain_objects(self) -> None:
        """S7: the new object itself (Java: objects without fields)."""
        new = Plain()
        assert MERGE(Plain(), new) is new

    @pytest.mark.parametrize(("old", "new"), [(1, 2.5), (1.5, 2)], ids=repr)
    def test_int_and_float(self, old: float, new: float) -> None:
        """S7: `int` and `float` are compatible."""
        assert written(MERGE, old, new) == {"k": new}

    @pytest.mark.parametrize(
        ("old", "new", "names"),
        [
            (1, "a", "int and str"),
            (True, 1, "bool and int"),
            (1.0, True, "float and bool"),
            ([1], (1,), "list and tuple"),
            ({"a": 1}, "a", "dict and str"),
            ("a", {"a": 1}, "str and dict"),
            ({"a": 1}, Metrics(), "dict and Metrics"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_of_different_types(self, old: Any, new: Any, names: str) -> None:
        """S7: different types raise, naming the key and both types; `bool` is neither int nor float."""
        with pytest.raises(StateMergeError, match=f"key 'k': .*incompatible types {names}; use Overwrite") as caught:
            written(MERGE, old, new)
        assert (caught.value.code, caught.value.key) == ("key_strategy_failed", "k")
        assert isinstance(caught.value.__cause__, TypeError)


class TestNone:
    def test_an_old_value_stays(self) -> None:
        """S5: MERGE keeps the old value when the new one is `None`."""
        assert written(MERGE, {"a": 1}, None) == {"k": {"a": 1}} == written(DEEP, {"a": 1}, None)

    def test_an_absent_key_stays_absent(self) -> None:
        """S5: MERGE leaves an absent key absent when the new value is `None`."""
        assert written(MERGE, None) == {}

    def test_java_null_handling(self) -> None:
        """S5: (old, None) → old, (None, new) → new, (None, None) → None, as in Java."""
        assert (MERGE("Old", None), MERGE(None, "New"), MERGE(None, None)) == ("Old", "New", None)


class TestSeries:
    def test_a_series_extends_its_own_dict_only(self) -> None:
        """S2: inside one merge the engine may extend its own dict, never one that was handed in."""
        first = {"a": 1}
        base = OverAllState({}, {"k": MERGE})
        merged = merge_into(base, Merger({"k": MERGE}), [{"k": first}, {"k": {"b": 2}}, {"k": {"a": REMOVE}}])
        assert (dict(merged), first, dict(base)) == ({"k": {"b": 2}}, {"a": 1}, {})

    def test_other_values_in_a_series(self) -> None:
        """S2: values that are no mappings are merged one by one."""
        base = OverAllState({}, {"k": MERGE})
        assert merge_into(base, Merger({"k": MERGE}), [{"k": 1}, {"k": 2}]) == {"k": 2}
