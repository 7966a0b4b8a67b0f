"""Where actions run (rule P10)."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Final, TypeAlias, final

from graph_core.exception import InvalidRecordError


@final
class Inline:
    """Type of `INLINE`: an action runs where the engine runs."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show the public name."""
        return "INLINE"

    def __reduce__(self) -> str:
        """Pickle, copy and deepcopy to the one instance."""
        return "INLINE"


INLINE: Final = Inline()
"""As an executor: sync actions run on the engine's own thread, one after the other."""

ActionExecutor: TypeAlias = Executor | Inline


def check_executor(executor: object, where: str) -> None:
    """Refuse what is no executor.

    Raises:
        InvalidRecordError: it is neither `None`, `INLINE`, nor a `concurrent.futures.Executor`.
    """
    if executor is not None and not isinstance(executor, Executor | Inline):
        text = f"{where}: an executor must be INLINE or a concurrent.futures.Executor"
        raise InvalidRecordError(f"{text}, not {executor!r}")
