"""The parts of records: one per field, by name, so that a class may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graph_core.serializer.failure import Failure, exactly
from graph_core.state.schema.field import MISSING
from graph_core.state.schema.hints import shown
from graph_core.state.schema.kinds import actual

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph_core.serializer.codec import Parts
    from graph_core.serializer.fields import RecordField

LOOSE: Final = "$loose"
"""A part: the record held something else than it declares, and is to be read as it was."""


def put_fields(fields: Sequence[RecordField], held: Mapping[str, Any], parts: Parts) -> Parts:
    """Add the fields of a record to its parts, and mark it if they do not hold what they declare.

    Raises:
        Failure: a field is not set.
    """
    for field in fields:
        if field.name in held:
            item = parts[field.name] = held[field.name]
            if not field.fits(exactly(item)):
                parts[LOOSE] = True
        elif field.required:
            raise Failure(f"its field {field.name!r} is not set")
    return parts


def field_of(field: RecordField, parts: Parts) -> Any:
    """Give the value of a field, or `MISSING`.

    Raises:
        Failure: it is of a class that the field does not declare, or it must be there and has no default.
    """
    item = parts.get(field.name, MISSING)
    if item is MISSING:
        if field.required and field.default is None:
            raise Failure(f"the field {field.name!r} is missing, and it has no default")
    elif LOOSE not in parts and not field.fits(exactly(item)):
        raise Failure(f"{field.name} must be {shown(field.hint)}, not {actual(item)}")
    return item


def refuse_unknown(known: Collection[str], parts: Parts, cls: Any) -> None:
    """Refuse data of fields that the class has no longer.

    Raises:
        Failure: there is such a field.
    """
    for key in parts:
        if key not in known and key != LOOSE:
            name = cls.__qualname__
            text = f"{name} has no field {key!r}; if it had one when this was written, say what becomes of it:"
            raise Failure(f"{text} register({name}, decode=…), which is given the fields as a dict")
