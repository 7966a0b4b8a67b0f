"""The requests of a JSON file."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import attrs

# As `Any`: to a type checker `isinstance` does not narrow then.
_LIST: Final[Any] = list
_OBJECT: Final[Any] = dict
EXAMPLE: Final = Path(__file__).with_name("requests.json")


@attrs.frozen
class Source:
    """The text of a file, and what stands in its list, unchecked; a number with a point is an exact `Decimal`."""

    text: str
    requests: list[Any]

    @property
    def ids(self) -> list[str]:
        """The ids of those that have one."""
        return [id_ for request in self.requests if (id_ := id_in(request)) is not None]


def read_source(path: Path) -> Source:
    """Return what a file holds.

    Raises:
        ValueError: the file can not be read, or holds no JSON list; the text says what is wrong with it.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"{str(path)!r} can not be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{str(path)!r} holds no JSON: {error}") from error
    return source_of(text, repr(str(path)))


def source_of(text: str, name: str) -> Source:
    """Return what a text holds; `name` is what an error calls it.

    Raises:
        ValueError: it holds no JSON list.
    """
    try:
        found = json.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"{name} holds no JSON: {error}") from error
    if not isinstance(found, _LIST):
        raise ValueError(f"{name} must hold a list of requests, not a {type(found).__name__}")  # noqa: TRY004 - a wrong file, not a wrong call
    return Source(text, found)


def id_in(request: Any) -> str | None:
    """Return the id of what may be a request; None if it has none."""
    id_: Any = request.get("id") if isinstance(request, _OBJECT) else None
    return id_ if isinstance(id_, str) else None
