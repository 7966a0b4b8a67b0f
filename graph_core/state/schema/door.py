"""The door of a graph: what may be given to a run (rule T3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

import attrs

from graph_core.exception import GraphRunnerException
from graph_core.state.nested import MAPPING
from graph_core.state.schema.changes import unknown_key
from graph_core.state.schema.hints import class_of
from graph_core.state.schema.instances import said_values
from graph_core.state.schema.schema import Schema
from graph_core.state.strategies import KeyStrategy

if TYPE_CHECKING:
    from collections.abc import Mapping


@final
@attrs.frozen(eq=False, kw_only=True)
class Door:
    """Checks inputs.

    Args:
        schema: what the values must be; `None`: anything.
        strategy: key → its strategy.
        keys: the keys that may be given.
        required: those that a run can not start without.
        coerce: convert where nothing is lost.
    """

    schema: Schema | None
    strategy: Callable[[str], KeyStrategy]
    keys: tuple[str, ...]
    required: tuple[str, ...] = ()
    coerce: bool = False

    def opened(self, given: Any) -> Any:
        """Give the values of an instance of the schema; anything else is given back."""
        if self.schema is None or isinstance(given, MAPPING) or not isinstance(given, class_of(self.schema.cls)):
            return given
        return said_values(given, self.strategy)

    def admitted(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Check inputs.

        Returns:
            The values, converted where that was asked for, and everything that is wrong, with paths.
        """
        from graph_core.state.schema.validation import checked_values

        problems = [unknown_key(key, self.keys) for key in values if key not in self.keys]
        known = {key: value for key, value in values.items() if key in self.keys}
        if self.schema is None:
            return known, problems
        found, more = checked_values(self.schema, known, lax=self.coerce, partial=True)
        return found, problems + more

    def refused(self, state: Mapping[str, Any]) -> list[str]:
        """Ask the class itself about the state that a run begins with, if that has all it requires."""
        schema = self.schema
        if schema is None or schema.kind == "typed_dict":
            return []
        if any(field.required and key not in state for key, field in schema.fields.items()):
            return []
        from graph_core.state.schema.problems import texts_of

        try:
            schema.view(state, "$")
        except GraphRunnerException as error:
            cause: Any = error.__cause__
            return [str(error)] if cause is None else list(texts_of(cause, "$"))
        return []

    def absent(self, given: Mapping[str, Any], state: Mapping[str, Any]) -> list[str]:
        """Tell which required keys are neither given nor in the state already."""
        names = [key for key in self.required if key not in given and key not in state]
        if not names:
            return []
        from graph_core.state.schema.problems import absent_keys

        return absent_keys(names)
