"""What a returned instance means (rule T2)."""

import dataclasses
import math
import operator
from typing import Annotated, Any

import attrs
import pytest

from graph_core import (
    APPEND,
    MERGE,
    REMOVE,
    REPLACE,
    AppendStrategy,
    GraphRunnerException,
    InvalidRecordError,
    KeyStrategy,
    MergeStrategy,
    OverAllState,
    Overwrite,
)
from graph_core.state.schema import Schema
from graph_core.state.schema.same import is_same
from graph_core_tests.state.schema.made import typed_dict

WHERE = "node 'a'"


def last_three(old: list[int], new: list[int]) -> list[int]:
    """A strategy that keeps the end."""
    return [*old, *new][-3:]


def newest(_: int, new: int) -> int:
    """A strategy that replaces."""
    return new


_operator: Any = operator  # of `or_` type checkers know no types
REACHED: list[tuple[Any, Any, Any, Any]] = [
    (REPLACE, [1], [1, 2], [1, 2]),
    (operator.add, [1], [1, 2], [2]),
    (operator.add, "a", "ab", "b"),
    (operator.add, 3, 5, 2),
    (_operator.or_, {1}, {1, 2}, {2}),
    (_operator.or_, {"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 2}),
    (max, 3, 5, 5),
    (last_three, [1, 2], [1, 2, 3], [3]),
    (newest, 3, 5, 5),
]


@attrs.define
class Item:
    """A record under MERGE."""

    name: str | None
    size: int | None


@attrs.frozen
class Chat:
    """A record that nobody can change."""

    user: str = "u"
    messages: Annotated[list[str], APPEND] = attrs.field(factory=list[str])


@attrs.define
class Open:
    """One that can be changed."""

    user: str = "u"
    size: int = 0


@dataclasses.dataclass
class Data:
    """A dataclass."""

    user: str = "u"


@dataclasses.dataclass(frozen=True)
class FrozenData:
    """One that nobody can change."""

    user: str = "u"


def update(strategy: KeyStrategy | None, old: Any, new: Any) -> Any:
    """The update of a key `k` that went from `old` to `new`; proves that it does what it must."""
    hint = Any if strategy is None else Annotated[Any, strategy]
    schema = Schema.of(typed_dict("S", {"k": hint}))
    found = schema.changes({"k": old}, {"k": new}, WHERE)
    assert is_same(OverAllState({"k": old}, schema.strategies()).updated(found)["k"], new)
    return found.get("k", "unchanged")


class TestFields:
    def test_only_what_differs(self) -> None:
        """T2: an instance updates the fields that differ from what the node got."""
        schema = Schema.of(Chat)
        view = schema.view({"user": "u", "messages": ["a"]}, WHERE)
        assert schema.changes(view, attrs.evolve(view, user="v"), WHERE) == {"user": "v"}
        assert schema.changes(view, Chat("u", ["a"]), WHERE) == {}
        assert schema.changes(view, view, WHERE) == {}

    @pytest.mark.parametrize(("old", "new"), [(1, True), (1, 1.0), ([1], [True]), ({"a": 1}, {"a": True}), (1, None)])
    def test_equal_is_not_the_same(self, old: Any, new: Any) -> None:
        """T2: a value of another type is a change, however deep it is."""
        assert update(None, old, new) is new

    def test_what_can_not_be_compared(self) -> None:
        """T2: a value whose comparison fails is a change, unless it is the one that came."""

        class Array:
            def __eq__(self, other: object) -> bool:
                raise ValueError("ambiguous")

            __hash__ = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]  (as numpy's)

        one = Array()
        assert (is_same(one, one), is_same(one, Array()), is_same(math.nan, math.nan)) == (True, False, True)

    def test_of_a_subclass(self) -> None:
        """T2: an instance of a subclass is one."""

        @attrs.frozen
        class More(Chat):
            extra: int = 0

        assert Schema.of(Chat).changes(Chat(), More("v"), WHERE) == {"user": "v"}

    def test_of_a_typed_dict(self) -> None:
        """T2: keys that are missing are left alone."""
        schema = Schema.of(typed_dict("S", {"a": int, "b": int}))
        view = schema.view({"a": 1, "b": 2}, WHERE)
        before = schema.before(view)
        assert schema.changes(before, {**view, "a": 5}, WHERE) == {"a": 5}
        assert schema.changes(before, {"b": 3}, WHERE) == {"b": 3}


class TestWhatCanBeChanged:
    @pytest.mark.parametrize("cls", [Open, Data])
    def test_a_node_that_changes_its_view(self, cls: Any) -> None:
        """T2: a changed and returned view is compared with what it held before."""
        schema = Schema.of(cls)
        view = schema.view({"user": "u"}, WHERE)
        before = schema.before(view)
        view.user = "v"
        assert schema.changes(before, view, WHERE) == {"user": "v"}

    @pytest.mark.parametrize("cls", [Chat, FrozenData])
    def test_frozen_ones_are_their_own_witness(self, cls: Any) -> None:
        """T2: what nobody can change needs no copy."""
        view = cls()
        assert Schema.of(cls).before(view) is view

    def test_it_is_not_compared_with_itself(self) -> None:
        """T2: that would lose every change, so it is refused."""
        view = Open()
        with pytest.raises(InvalidRecordError, match=r"a Open can be changed, .* take schema\.before\(view\)"):
            Schema.of(Open).changes(view, view, WHERE)

    def test_an_undecorated_subclass(self) -> None:
        """T2: a subclass is frozen as its decorated base is."""

        class Sub(Chat):
            pass

        view = Sub()
        assert Schema.of(Sub).before(view) is view


class TestForeign:
    @pytest.mark.parametrize("result", [Open(), {"user": "v"}, None])
    def test_an_instance_of_another_class(self, result: Any) -> None:
        """T2: it is an error that names the node and both."""
        with pytest.raises(GraphRunnerException, match=r"node 'a' returned .*, but its state is Chat") as caught:
            Schema.of(Chat).changes(Chat(), result, WHERE)
        assert caught.value.code == "invalid_update"

    def test_unknown_keys(self) -> None:
        """T2: so is a key that a TypedDict has not."""
        schema = Schema.of(typed_dict("S", {"size": int}))
        with pytest.raises(GraphRunnerException, match=r"node 'a': S has no key 'sise', did you mean 'size'\?"):
            schema.changes({"size": 1}, {"sise": 2}, WHERE)


class TestAppend:
    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            ([1], [1, 2], [2]),
            ([1], [1], "unchanged"),
            ([], [1], [1]),
            (None, [1], [1]),
            (None, [], []),
            ([], [[1]], [[1]]),
        ],
    )
    def test_the_tail(self, old: Any, new: Any, expected: Any) -> None:
        """T2: a list that begins with the old list adds only its tail."""
        assert update(APPEND, old, new) == expected

    @pytest.mark.parametrize("new", [[2], [], [2, 1], [True], None, "x", (1, 2)])
    def test_any_other_value(self, new: Any) -> None:
        """T2: any other list must be an `Overwrite`."""
        with pytest.raises(GraphRunnerException, match=r"key 'k' of the returned S: .* Overwrite\(value\)") as caught:
            update(APPEND, [1], new)
        assert caught.value.code == "invalid_update"

    def test_overwrite_and_remove(self) -> None:
        """T2: markers stand for themselves."""
        schema = Schema.of(Chat)
        marked: Any = Overwrite(["z"])
        assert schema.changes(Chat(), Chat(messages=marked), WHERE) == {"messages": marked}
        gone: Any = REMOVE
        assert schema.changes(Chat(), Chat(messages=gone), WHERE) == {"messages": REMOVE}

    def test_without_duplicates(self) -> None:
        """S6, T2: a tail of which the strategy would drop something is refused."""
        unique = AppendStrategy(allow_duplicate=False)
        assert update(unique, [1], [1, 2]) == [2]
        with pytest.raises(GraphRunnerException, match="only adds at the end"):
            update(unique, [1], [1, 1])


class TestMerge:
    @pytest.mark.parametrize(
        ("old", "new", "expected"),
        [
            ({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}, {"b": 3, "c": 4}),
            ({"a": 1, "b": 2}, {"b": 2}, {"a": REMOVE}),
            (None, {"a": 1}, {"a": 1}),
            ({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, {"a": {"x": 1}}),
        ],
    )
    def test_entries(self, old: Any, new: Any, expected: Any) -> None:
        """S4, S7: entries that changed are written, entries that went are removed."""
        assert update(MERGE, old, new) == expected

    def test_deep(self) -> None:
        """S7: under deep MERGE so are the entries of entries."""
        old, new = {"a": {"x": 1, "y": 2}, "b": {}}, {"a": {"x": 1}, "b": 5}
        assert update(MergeStrategy(deep=True), old, new) == {"a": {"y": REMOVE}, "b": 5}

    def test_records(self) -> None:
        """S7: a record is merged field by field; a field that became `None` would be kept, so it is refused."""
        assert update(MERGE, Item("a", 1), Item("a", 2)) == Item("a", 2)
        with pytest.raises(GraphRunnerException, match="its strategy MergeStrategy"):
            update(MERGE, Item("a", 1), Item("a", None))


class TestOtherStrategies:
    @pytest.mark.parametrize(
        ("strategy", "old", "new", "expected"),
        REACHED,
    )
    def test_what_gives_the_returned_value(self, strategy: Any, old: Any, new: Any, expected: Any) -> None:
        """T2: the update is what the strategy merges with the old value into the new one, so nothing doubles."""
        assert update(strategy, old, new) == expected

    def test_a_difference_that_was_rounded(self) -> None:
        """T2: no float added to 0.7 gives 0.1; the nearest one will do, one that loses the value will not."""
        for old, new in ((0.1, 0.7), (0.7, 0.1), (0.1, 0.3), (2.3, 8.9), (1.1, 3.3)):
            schema = Schema.of(typed_dict("S", {"k": Annotated[float, operator.add]}))
            found = schema.changes({"k": old}, {"k": new}, WHERE)
            assert OverAllState({"k": old}, schema.strategies()).updated(found)["k"] == pytest.approx(new, rel=1e-12)
        with pytest.raises(GraphRunnerException, match="its strategy add"):
            update(operator.add, 1e17, 1.0)

    def test_what_can_not_be_told(self) -> None:
        """T2: a value that no update gives is an error, not a wrong state."""
        with pytest.raises(GraphRunnerException, match="its strategy last_three gives the returned value for none"):
            update(last_three, [1, 2, 3], [9])
        with pytest.raises(GraphRunnerException, match="its strategy max"):
            update(max, 5, 3)

    def test_a_key_that_was_absent(self) -> None:
        """S8: the first value of a builtin is stored as it is, other strategies are called."""
        schema = Schema.of(typed_dict("S", {"n": Annotated[int, max], "l": Annotated[list[int], last_three]}))
        assert schema.changes({}, {"n": -1, "l": [1]}, WHERE) == {"n": -1, "l": [1]}
