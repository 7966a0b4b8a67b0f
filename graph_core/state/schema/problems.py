"""What is wrong with values, as texts with paths (rule T3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    IterableValidationError,
    IterableValidationNote,
)

from graph_core.exception.texts import said
from graph_core.state.schema.hints import shown
from graph_core.state.schema.kinds import actual

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

# To type checkers the constructors of cattrs' groups are those of ExceptionGroup, with two parameters.
_group_elements: Final = cast("Any", IterableValidationError)
_group_fields: Final = cast("Any", ClassValidationError)
_MOST_SHOWN: Final = 80
_TOO_DEEP: Final = "is nested too deeply to be checked, or holds itself"


class ValueProblem(Exception):
    """One thing that is wrong with one value.

    Args:
        text: what would be right, or what is wrong.
        tail: what stands behind the path.
        path: where inside the value it is.
    """

    def __init__(self, text: str, tail: str = "", path: str = "") -> None:
        super().__init__(text, tail, path)
        self.text = text
        self.tail = tail
        self.path = path


def mismatch(hint: Any, value: Any) -> ValueProblem:
    """Say which type was expected, and what came."""
    return ValueProblem(f"expected {shown(hint)}", f", not {actual(value)}")


def missing() -> ValueProblem:
    """Say that a required key is not there."""
    return ValueProblem("required key missing")


def absent_keys(names: Iterable[str]) -> list[str]:
    """Tell that required keys of a state are missing."""
    return [text for name in names for text in texts_of(missing(), f"$.{name}")]


def at_index(error: Exception, index: Any) -> Exception:
    """Note on an error at which index or key of a container it arose."""
    error.add_note(IterableValidationNote("", index, None))
    return error


def at_field(error: Exception, name: str) -> Exception:
    """Note on an error in which field it arose."""
    error.add_note(AttributeValidationNote("", name, None))
    return error


def of_elements(errors: list[Exception]) -> Exception:
    """Put the errors of a container together."""
    return cast("Exception", _group_elements("while checking elements", errors, object))


def of_fields(errors: list[Exception]) -> Exception:
    """Put the errors of a record together."""
    return cast("Exception", _group_fields("while checking fields", errors, object))


def texts_of(error: Exception, path: str) -> Iterator[str]:
    """Give the problems in an error, each as ``what @ path``.

    >>> list(texts_of(of_fields([at_field(mismatch(int, "5"), "qty")]), "$.item"))
    ["expected int @ $.item.qty, not str '5'"]
    """
    if isinstance(error, IterableValidationError):
        indexed, rest = error.group_exceptions()
        parts = [(part, f"{path}[{note.index!r}]") for part, note in indexed]
    elif isinstance(error, ClassValidationError):
        named, rest = error.group_exceptions()
        parts = [(part, f"{path}.{note.name}") for part, note in named]
    elif isinstance(error, ValueProblem):
        yield f"{error.text} @ {path}{error.path}{error.tail}"
        return
    elif isinstance(error, RecursionError):
        yield f"{_TOO_DEEP} @ {path[:_MOST_SHOWN]}…"
        return
    else:
        yield f"{said(error)} @ {path}"
        return
    for part, place in [*parts, *((other, path) for other in rest)]:
        yield from texts_of(part, place)


def of_model(error: Any, known: Collection[str] | None = None) -> Exception | None:
    """Put the errors that pydantic found together; each keeps its path.

    Args:
        error: pydantic's.
        known: only what is wrong with these fields is told.

    Returns:
        `None` if nothing is left.
    """
    found: list[Exception] = []
    for item in error.errors(include_url=False):
        if known is None or (item["loc"] and item["loc"][0] in known):
            steps = (f".{step}" if isinstance(step, str) else f"[{step!r}]" for step in item["loc"])
            found.append(ValueProblem(cast("str", item["msg"]), "", "".join(steps)))
    return of_fields(found) if found else None
