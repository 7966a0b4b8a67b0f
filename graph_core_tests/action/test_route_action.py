"""The two kinds of route actions."""

import re
from typing import Any

import pytest

from graph_core import CommandAction, InvalidRecordError, MultiCommandAction
from graph_core_tests.travel import travelled


class TestRouteActions:
    @pytest.mark.parametrize("kind", [CommandAction, MultiCommandAction])
    def test_wraps_a_callable(self, kind: Any) -> None:
        """R2: `of` wraps a callable, sync or async."""

        async def later(state: Any) -> str:
            return "a"

        assert (kind.of(len).fn, kind.of(later).fn, kind.of(len)) == (len, later, kind(len))

    @pytest.mark.parametrize("kind", [CommandAction, MultiCommandAction])
    def test_wraps_once(self, kind: Any) -> None:
        """R2: what is wrapped already is given back as it is."""
        wrapped = kind.of(len)
        assert kind.of(wrapped) is wrapped

    @pytest.mark.parametrize("kind", [CommandAction, MultiCommandAction])
    @pytest.mark.parametrize("wrong", [None, "a", {}], ids=repr)
    def test_what_is_not_callable(self, kind: Any, wrong: Any) -> None:
        """R2: anything else is refused, naming the kind."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"{kind.__name__} wraps a callable")) as caught:
            kind.of(wrong)
        assert repr(wrong) in str(caught.value)

    def test_the_other_kind(self) -> None:
        """R2: one kind never wraps the other: it is no callable."""
        wrong: Any = MultiCommandAction(len)
        with pytest.raises(InvalidRecordError, match="CommandAction wraps a callable"):
            CommandAction.of(wrong)

    @pytest.mark.parametrize("action", [CommandAction(len), MultiCommandAction(len)], ids=["single", "multi"])
    def test_travel(self, action: Any) -> None:
        """E1: they survive a pickle if their callable does."""
        assert (action, action, action) == travelled(action)
