"""One key of a state, as a schema declares it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, final

import attrs

from graph_core.state.strategies import KeyStrategy

Kind: TypeAlias = str
"""What a schema class is: ``"typed_dict"``, ``"attrs"``, ``"dataclass"`` or ``"pydantic"``."""


@final
class Missing:
    """Type of `MISSING`, which stands for a value that is not there."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show the name."""
        return "MISSING"

    def __reduce__(self) -> str:
        """Pickle, copy and deepcopy to the one instance."""
        return "MISSING"


MISSING: Final = Missing()
"""There is no value (`None` is one)."""


@final
@attrs.frozen
class SchemaField:
    """A key that a schema declares.

    Args:
        name: the key of the state: the field's name as it is written in the class.
        type: what its value must be, without `Annotated`, `Required` and the like.
        strategy: the declared key strategy.
        required: a view can not be built without it: it has neither a default nor `NotRequired`.
        make_default: gives its default, a fresh one at each call.
        alias: the constructor's name for it (attrs: `secret` for the field `_secret`).
        kw_only: the constructor takes it by name only.
        is_untracked: it is not kept in checkpoints.
        converts: the class converts it on its own, so it takes other types as well.
    """

    name: str
    type: Any
    strategy: KeyStrategy | None = None
    required: bool = True
    make_default: Callable[[], object] | None = None
    alias: str = attrs.field(default=attrs.Factory(lambda self: self.name, takes_self=True))
    kw_only: bool = False
    converts: bool = False
    is_untracked: bool = False
