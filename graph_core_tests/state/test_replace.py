"""REPLACE: the new value wins."""

from typing import Any

import pytest

from graph_core import REPLACE, OverAllState, Overwrite, ReplaceAllWith, ReplaceStrategy
from graph_core_tests.state.sequences import written


class TestReplace:
    @pytest.mark.parametrize("new", [2, "a", [1], {"a": 1}, None, 0], ids=repr)
    def test_the_new_value_wins(self, new: Any) -> None:
        """S3: whatever was there, the new value is stored."""
        assert written(REPLACE, [0], new) == {"k": new}

    def test_none_is_stored(self) -> None:
        """S5: REPLACE stores `None`: the key is present."""
        assert written(REPLACE, 1, None) == {"k": None} == written(REPLACE, None)

    def test_values_are_shared(self) -> None:
        """S10: values are stored as they are, not copied."""
        value = {"a": [1]}
        assert written(REPLACE, value)["k"] is value

    def test_undeclared_and_declared_are_the_same(self) -> None:
        """S3: REPLACE is the default."""
        assert OverAllState().updated({"k": [1]}).updated({"k": 2}) == written(REPLACE, [1], 2)

    def test_it_is_a_record(self) -> None:
        """S2: all REPLACE strategies are equal."""
        assert ReplaceStrategy() == REPLACE

    def test_called_by_a_strategy_of_the_users(self) -> None:
        """S4: it unwraps `Overwrite` and `ReplaceAllWith` when it is called itself."""
        assert (REPLACE(1, Overwrite(2)), REPLACE(1, ReplaceAllWith([2]))) == (2, [2])
