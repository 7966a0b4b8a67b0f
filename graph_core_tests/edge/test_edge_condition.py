"""A condition: a route action and the nodes that its labels mean."""

import functools
import re
from typing import Any

import attrs
import pytest
from returns.maybe import Nothing, Some

from graph_core import CommandAction, EdgeCondition, InvalidRecordError, MultiCommandAction
from graph_core_tests.travel import travelled


def choose(state: Any) -> str:
    """Choose a label."""
    return "ok"


class TestKinds:
    def test_single(self) -> None:
        """R2: `single` wraps an action that chooses one target."""
        condition = EdgeCondition.single(choose, {"ok": "store"})
        assert (condition.action, condition.is_multi_command) == (CommandAction(choose), False)
        assert (condition.single_action(), condition.multi_action()) == (Some(CommandAction(choose)), Nothing)

    def test_multi(self) -> None:
        """R2: `multi` wraps an action that chooses any number of targets."""
        condition = EdgeCondition.multi(choose, {"ok": "store"})
        assert (condition.action, condition.is_multi_command) == (MultiCommandAction(choose), True)
        assert (condition.single_action(), condition.multi_action()) == (Nothing, Some(MultiCommandAction(choose)))

    def test_wrapped_already(self) -> None:
        """R2: a wrapped action is taken as it is."""
        single, multi = CommandAction(choose), MultiCommandAction(choose)
        assert EdgeCondition.single(single, ["a"]).action is single
        assert EdgeCondition.multi(multi, ["a"]).action is multi

    def test_without_an_action(self) -> None:
        """R2: a condition that is only drawn has none."""
        condition = EdgeCondition(None, {"ok": "store"})
        assert (condition.single_action(), condition.multi_action()) == (Nothing, Nothing)
        assert (condition.is_multi_command, condition.label) == (False, "")

    @pytest.mark.parametrize("action", [choose, "choose", 5], ids=["function", "str", "int"])
    def test_any_other_action(self, action: Any) -> None:
        """R2: any other action is a `TypeError` that names the two ways to wrap a callable."""
        with pytest.raises(TypeError, match=re.escape("EdgeCondition.single(fn, mappings) and .multi(fn, mappings)")):
            EdgeCondition(action, {"ok": "store"})

    def test_it_is_an_error_of_the_library(self) -> None:
        """E1: the error is an `InvalidRecordError`, so a `ValueError`, too, and names the type."""
        wrong: Any = 5
        with pytest.raises(InvalidRecordError, match=re.escape("not 5 (int)")) as caught:
            EdgeCondition(wrong, {"ok": "store"})
        assert (isinstance(caught.value, ValueError), caught.value.code) == (True, "invalid_record")

    @pytest.mark.parametrize("name", ["", 5, ["by size"]])
    def test_a_name_that_is_none(self, name: Any) -> None:
        """E1: a name is text, and some."""
        with pytest.raises(InvalidRecordError, match="the name of a condition must be a str that is not empty"):
            EdgeCondition(CommandAction(choose), ["a"], name)


class TestMappings:
    def test_labels_to_nodes(self) -> None:
        """R3: a dict maps labels to nodes."""
        assert EdgeCondition.single(choose, {"ok": "store", 1: "repair"}).mappings == {"ok": "store", 1: "repair"}

    def test_a_list_of_nodes(self) -> None:
        """R3: of a list of node ids each maps to itself."""
        assert EdgeCondition.single(choose, ["a", "b"]).mappings == {"a": "a", "b": "b"}

    def test_absent(self) -> None:
        """R3: without mappings every node may be chosen, as far as the condition knows."""
        assert EdgeCondition.single(choose, None).mappings is None

    @pytest.mark.parametrize("mappings", [{}, [], ()], ids=repr)
    def test_empty(self, mappings: Any) -> None:
        """C1: an empty mapping is refused, with Java's text."""
        with pytest.raises(InvalidRecordError, match=re.escape("edge mapping is empty!")):
            EdgeCondition.single(choose, mappings)

    def test_it_never_changes(self) -> None:
        """R3: neither through its field nor through the dict it was made of."""
        given = {"ok": "store"}
        condition = EdgeCondition.single(choose, given)
        wrong: Any = condition
        read_only: Any = condition.mappings
        given["bad"] = "repair"
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            wrong.mappings = None
        with pytest.raises(TypeError, match="immutable"):
            read_only["bad"] = "repair"
        assert condition.mappings == {"ok": "store"}


class TestName:
    def test_its_own(self) -> None:
        """R8: a condition's name is `name`."""
        assert EdgeCondition(CommandAction(choose), ["a"], "by size").label == "by size"

    def test_the_routers(self) -> None:
        """R8: else the router's `__name__`."""
        assert EdgeCondition.single(choose, ["a"]).label == "choose"

    def test_nameless(self) -> None:
        """R8: lambdas and other nameless ones have none; the graph numbers them."""
        assert EdgeCondition.multi(lambda _: "a", ["a"]).label == ""
        assert EdgeCondition.multi(functools.partial(choose), ["a"]).label == ""


class TestRecord:
    def test_equality(self) -> None:
        """R3: conditions compare by action, mappings and name."""
        condition = EdgeCondition.single(choose, ["a"])
        assert condition == EdgeCondition.single(choose, {"a": "a"})
        assert condition != EdgeCondition.multi(choose, ["a"])
        assert condition != attrs.evolve(condition, name="other")

    def test_travel(self) -> None:
        """E1: a condition survives a pickle if its action does."""
        condition = EdgeCondition(MultiCommandAction(len), {0: "none", True: "one"}, "by length")
        assert (condition, condition, condition) == travelled(condition)
