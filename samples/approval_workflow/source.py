"""The requests of a JSON file."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

_LIST: Final[Any] = list  # as `Any`: to a type checker `isinstance` does not narrow then
EXAMPLE: Final = Path(__file__).with_name("requests.json")


def read_requests(path: Path) -> list[Any]:
    """Return what stands in a file's list, one by one and unchecked; a number with a point is an exact `Decimal`.

    Raises:
        ValueError: the file can not be read, or holds no JSON list; the text says what is wrong with it.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    except OSError as error:
        raise ValueError(f"{str(path)!r} can not be read: {error.strerror}") from error
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"{str(path)!r} holds no JSON: {error}") from error
    if not isinstance(found, _LIST):
        raise ValueError(f"{str(path)!r} must hold a list of requests, not a {type(found).__name__}")  # noqa: TRY004 - a wrong file, not a wrong call
    requests: list[Any] = found
    return requests
