"""All distributions of an environment."""

from collections import Counter
from collections.abc import Iterable
from importlib.metadata import distributions
from os.path import realpath
from pathlib import Path

import attrs

from samples.licence_audit.installed import Installed, read_installed


def read_environment(path: Path | None = None) -> tuple[Installed, ...]:
    """Return the distributions in `path`, or in the running environment; sorted by name, version and place.

    Several of one name stay apart, each with a problem that names the versions there are.
    """
    found = distributions() if path is None else distributions(path=[str(path)])
    # An environment may have one folder on its path twice, by two names.
    installed = {realpath(one.place): one for one in map(read_installed, found)}
    return tuple(sorted(_tell_duplicates(installed.values()), key=lambda one: (one.key, one.version, one.place)))


def _tell_duplicates(installed: Iterable[Installed]) -> list[Installed]:
    installed = tuple(installed)
    count = Counter(one.key for one in installed if one.name)
    return [
        attrs.evolve(one, problems=(*one.problems, f"installed {count[one.key]} times")) if count[one.key] > 1 else one
        for one in installed
    ]
