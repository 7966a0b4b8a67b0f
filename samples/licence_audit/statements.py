"""What each source says about the licence of a distribution."""

from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import PurePosixPath
from typing import Final

import attrs
from returns.result import Success

from samples.licence_audit.class_of_expression import class_of_expression
from samples.licence_audit.free_text import class_of_free_text
from samples.licence_audit.installed import Installed, read_text
from samples.licence_audit.licence_class import LicenceClass, strictest
from samples.licence_audit.licence_text import recognise
from samples.licence_audit.spdx_parser import parse
from samples.licence_audit.trove import class_of_classifiers, licence_names


class Source(Enum):
    """What decided on a licence class, in the order in which the sources count."""

    EXPRESSION = "licence expression"
    CLASSIFIERS = "classifiers"
    FIELD = "licence field"
    FILE = "licence file"
    NOTHING = "nothing"


@attrs.frozen
class Statement:
    """What one source says: the words, and the class they stand for (None: it cannot be told)."""

    source: Source
    stated: str
    licence_class: LicenceClass | None


# Where wheels of different ages keep licence files, and what those are called that no metadata names.
_FOLDERS: Final = ("licenses", "license_files", "")
_USUAL_NAMES: Final = ("LICENSE", "LICENSE.txt", "LICENSE.md", "LICENSE.rst", "LICENCE", "COPYING", "COPYING.LESSER")


def statement_of(source: Source, one: Installed) -> Statement:
    """Return what `source` says about `one`; `Source.NOTHING` cannot be asked."""
    return _READERS[source](one)


def _expression(one: Installed) -> Statement:
    parsed = parse(one.expression)
    known = class_of_expression(parsed.unwrap()) if isinstance(parsed, Success) else None
    return Statement(Source.EXPRESSION, one.expression, known)


def _classifiers(one: Installed) -> Statement:
    names = licence_names(one.classifiers)
    return Statement(Source.CLASSIFIERS, "; ".join(names), class_of_classifiers(names))


def _field(one: Installed) -> Statement:
    return Statement(Source.FIELD, _first_line(one.licence_field), class_of_free_text(one.licence_field))


def _first_line(text: str) -> str:
    first, *more = text.splitlines() or [""]
    return f"{first} [...]" if more else first


def _file(one: Installed) -> Statement:
    texts = (text for name in one.licence_files or _USUAL_NAMES if (text := _licence_text(one, name)))
    found = recognise("\n".join(texts))
    if not found:
        return Statement(Source.FILE, "", None)
    names = " and ".join(known.name for known in found)
    return Statement(Source.FILE, f"text of {names}", strictest(known.licence_class for known in found))


def _licence_text(one: Installed, name: str) -> str | None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        return None  # metadata may not make this program read any file it likes
    texts = (read_text(one.distribution, str(PurePosixPath(folder) / path)) for folder in _FOLDERS)
    return next((text for text in texts if text), None)


_READERS: Final[Mapping[Source, Callable[[Installed], Statement]]] = {
    Source.EXPRESSION: _expression,
    Source.CLASSIFIERS: _classifiers,
    Source.FIELD: _field,
    Source.FILE: _file,
}
SOURCES: Final = tuple(_READERS)
"""The sources that can be asked, in the order in which they count."""
