"""All keys that the schemas of one graph declare."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, final

from graph_core.exception import StateMergeError
from graph_core.state.accepted import Accepted
from graph_core.state.frozen import FrozenMapping
from graph_core.state.schema.changes import close_to
from graph_core.state.schema.hints import shown
from graph_core.state.schema.kinds import admits, kinds_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graph_core.state.schema.field import SchemaField
    from graph_core.state.schema.schema import Schema


@final
class Declared:
    """The keys of a state that has a schema: there are no others.

    Args:
        schemas: the schema of the state, then those that add keys; of a key that several declare the
            first one tells the type.
        schema: what `OverAllState.view()` gives an instance of; `None` where that is the mapping itself.
    """

    __slots__ = ("_accepted", "_schemas", "fields", "schema")

    def __init__(self, schemas: Iterable[Schema], schema: Schema | None) -> None:
        self._schemas = tuple(schemas)
        self.schema = schema
        found: dict[str, SchemaField] = {}
        for each in reversed(self._schemas):
            found.update(each.fields)
        self.fields: Mapping[str, SchemaField] = FrozenMapping(found)
        self._accepted = {key: _accepted(field) for key, field in found.items()}

    def accepted(self, key: str) -> Accepted | None:
        """Give what a key takes; `None` if that is anything.

        Raises:
            StateMergeError: there is no such key (code ``unknown_key``).
        """
        try:
            return self._accepted[key]
        except KeyError:
            text = f"unknown key {key!r}: no schema of the graph declares it{close_to(key, self.fields)}"
            raise StateMergeError(text, "unknown_key", key) from None

    def check_known(self, key: str, value: object) -> None:
        """Refuse a value of a declared key that does not fit.

        Raises:
            StateMergeError: as said (code ``invalid_value``).
        """
        accepted = self._accepted.get(key)
        if accepted is not None:
            accepted.check(value)

    def with_schema(self, schema: Schema | None) -> Declared:
        """Give the same keys, seen by another schema."""
        return Declared(self._schemas, schema)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by the schemas."""
        return Declared, (self._schemas, self.schema)


def _accepted(field: SchemaField) -> Accepted | None:
    kinds = kinds_of(field.type)
    if kinds is None or field.converts:
        return None
    return Accepted(field.name, shown(field.type), functools.partial(admits, kinds))
