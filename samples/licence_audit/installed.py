"""One installed distribution, as its metadata tells it."""

import re
from email.message import Message
from email.parser import HeaderParser
from importlib.metadata import Distribution
from typing import Final

import attrs

# How `License: UNKNOWN` came into metadata: old setuptools wrote it for "not given".
_NOT_GIVEN: Final = frozenset({"", "unknown", "none", "n/a"})


@attrs.frozen(kw_only=True)
class Installed:
    """What one distribution says about itself; what is broken in it stands in `problems`.

    `name` and `version` are empty when the metadata lacks them. `place` is the path of its metadata.
    """

    name: str
    version: str
    expression: str
    classifiers: tuple[str, ...]
    licence_field: str
    licence_files: tuple[str, ...]
    place: str
    problems: tuple[str, ...]
    distribution: Distribution = attrs.field(repr=False, eq=False)

    @property
    def key(self) -> str:
        """The name as PEP 503 compares names."""
        return re.sub(r"[-_.]+", "-", self.name).lower()


def read_installed(distribution: Distribution) -> Installed:
    """Read the metadata of `distribution`, whatever state it is in."""
    problems: list[str] = []
    message = _metadata(distribution, problems)
    name, version = _header(message, "Name"), _header(message, "Version")
    problems += [f"no {label} in its metadata" for label, value in (("name", name), ("version", version)) if not value]
    return Installed(
        name=name,
        version=version,
        expression=_header(message, "License-Expression"),
        classifiers=_headers(message, "Classifier"),
        licence_field=_header(message, "License"),
        licence_files=_headers(message, "License-File"),
        place=_place(distribution),
        problems=tuple(problems),
        distribution=distribution,
    )


def read_text(distribution: Distribution, filename: str) -> str | None:
    """Return the text of a file beside the metadata, or None if there is none that can be read.

    A text that is not UTF-8 is read as Latin-1, which spoils a few letters of people's names and nothing else.
    """
    try:
        return distribution.read_text(filename)
    except UnicodeDecodeError as error:
        return error.object.decode("latin-1")
    except (OSError, ValueError):
        return None


def _metadata(distribution: Distribution, problems: list[str]) -> Message:
    # Not `distribution.metadata`: it raises on broken metadata, differently in each Python version.
    for filename in ("METADATA", "PKG-INFO", ""):  # the last: an .egg-info that is a file
        text = read_text(distribution, filename)
        if text:
            return HeaderParser().parsestr(text)
    problems.append("no metadata that can be read")
    return Message()


def _headers(message: Message, name: str) -> tuple[str, ...]:
    values = (str(value).strip() for value in message.get_all(name, []))
    return tuple(value for value in values if value.lower() not in _NOT_GIVEN)


def _header(message: Message, name: str) -> str:
    return next(iter(_headers(message, name)), "")


def _place(distribution: Distribution) -> str:
    # No public attribute tells where the metadata is; without it a distribution that lacks a name cannot be found.
    return str(getattr(distribution, "_path", distribution.locate_file("")))
