"""Updates of one key by branches that did not see each other (rule P5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_core.runner.failures import conflict
from graph_core.state import REMOVE, Overwrite, ReplaceAllWith, ReplaceStrategy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph_core.runner.branch import Branch, Entry
    from graph_core.state.merger import Merger


def refuse_conflicts(merger: Merger, branches: Sequence[Branch]) -> None:
    """Compare the logs of branches that join.

    Raises:
        GraphRunnerException: two updates, neither of whose nodes ran before the other on one path,
            set one key, and the strategy replaces or one of the values is `REMOVE` or `Overwrite`.
    """
    owners: dict[int, int] = {}
    entries: list[tuple[Entry, Branch]] = []
    for position, branch in enumerate(sorted(branches, key=lambda each: each.key)):
        for entry in branch.log:
            if id(entry) not in owners:
                entries.append((entry, branch))
            owners[id(entry)] = owners.get(id(entry), 0) | 1 << position
    writers: dict[str, list[tuple[Entry, Branch]]] = {}
    for entry, branch in entries:
        for key, value in entry[1].items():
            others = writers.setdefault(key, [])
            for other, its_branch in others:
                # A branch that holds both has ordered them, or was checked itself when it joined.
                if not owners[id(other)] & owners[id(entry)] and _collide(merger, key, value, other[1][key]):
                    raise conflict(key, _named(other, its_branch), _named(entry, branch), entry[0])
            others.append((entry, branch))


def _collide(merger: Merger, key: str, *values: Any) -> bool:
    if isinstance(merger.strategy(key), ReplaceStrategy):
        return True
    return any(value is REMOVE or isinstance(value, Overwrite | ReplaceAllWith) for value in values)


def _named(entry: Entry, branch: Branch) -> str:
    is_copy = branch.group is not branch.region.group
    return f"{entry[0]!r} (Send {branch.key[len(branch.region.prefix)]})" if is_copy else repr(entry[0])
