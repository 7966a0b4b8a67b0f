"""The state of a run (rule S1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, cast, final, overload

from returns.maybe import Maybe, Nothing, Some
from typing_extensions import TypeVar

from graph_core.exception import InvalidRecordError, StateMergeError, UntrackedKeyError
from graph_core.state.frozen import ReadOnlyDict
from graph_core.state.merger import Merger
from graph_core.state.nested import MAPPING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graph_core.state.strategies import KeyStrategy

S = TypeVar("S", default=Any, covariant=True)
T = TypeVar("T")
_NO_STRATEGIES: Final = Merger()
_new: Final[Any] = dict[str, Any].__new__
_fill: Final[Any] = dict[str, Any].update


@final
class OverAllState(ReadOnlyDict[str, Any], Generic[S]):
    """An immutable mapping of keys to values; an update gives a new state.

    Args:
        data: the values.
        key_strategies: key → `(old, new) -> merged`; every other key is replaced.

    Raises:
        InvalidRecordError: `data` is no mapping with `str` keys, or a strategy is not callable.

    >>> from graph_core import APPEND
    >>> state = OverAllState({"m": ["a"], "n": 1}, {"m": APPEND})
    >>> state.updated({"m": "b", "n": 2})
    OverAllState({'m': ['a', 'b'], 'n': 2})
    >>> state.value("n", of=int), state.value("n", of=str), state.value_or("z", 0)
    (<Some: 1>, <Nothing>, 0)
    """

    __slots__ = ("_merger",)
    advice = "a state is immutable: return an update from the node, or use state.updated(...)"
    _merger: Merger

    def __init__(
        self, data: Mapping[str, Any] | None = None, key_strategies: Mapping[str, KeyStrategy] | None = None
    ) -> None:
        values: Any = {} if data is None else data
        if not isinstance(values, MAPPING) or not all(isinstance(key, str) for key in values):
            raise InvalidRecordError(f"the data of a state must be a mapping with str keys, not {data!r}")
        for key, strategy in (key_strategies or {}).items():
            if not callable(strategy):
                raise InvalidRecordError(f"the strategy of key {key!r} must be callable, not {strategy!r}")
        _fill(self, values)
        self._merger = _NO_STRATEGIES if key_strategies is None else Merger(key_strategies)

    @property
    def data(self) -> Mapping[str, Any]:
        """The values as a read-only mapping."""
        return self

    @property
    def key_strategies(self) -> Mapping[str, KeyStrategy]:
        """Key → strategy, as declared."""
        return self._merger.strategies

    @overload
    def value(self, key: str) -> Maybe[Any]: ...
    @overload
    def value(self, key: str, of: type[T]) -> Maybe[T]: ...
    def value(self, key: str, of: type[Any] = object) -> Maybe[Any]:
        """Read a key: `Nothing` if it is absent, `None`, or not an instance of `of`."""
        found = self.get(key)
        return Nothing if found is None or not isinstance(found, of) else Some(found)

    def value_or(self, key: str, default: T) -> T:
        """Read a key, `default` if it is absent or `None`."""
        found = self.get(key)
        return default if found is None else cast("T", found)

    def view(self) -> S:
        """Give the state as an instance of its schema; without one it is its own view.

        Raises:
            GraphRunnerException: a required key is not there (code ``missing_key``), or a value does not
                fit (code ``invalid_value``).

        >>> OverAllState({"n": 1}).view()["n"]
        1
        """
        declared = self._merger.declared
        schema = None if declared is None else declared.schema
        return cast("S", self if schema is None else schema.view(self, "the state"))

    def updated(self, partial: Mapping[str, Any]) -> OverAllState[S]:
        """Give the state with an update merged in by the key strategies.

        Raises:
            StateMergeError: the update is no mapping with `str` keys, or a strategy raises.
        """
        if not isinstance(partial, MAPPING):
            text = f"an update must be a mapping with str keys (an empty one is fine), not {partial!r}"
            raise StateMergeError(text, "invalid_update")
        return merge_into(self, self._merger, (partial,))

    def __missing__(self, key: str) -> NoReturn:
        """Tell of a key that is not kept in checkpoints why it is missing."""
        if key in self._merger.untracked:
            text = (
                f"key {key!r} is not kept in checkpoints (UNTRACKED), and nothing has written it since the run went on;"
            )
            raise UntrackedKeyError(f"{text} give it a default, or let a node write it")
        raise KeyError(key)

    def __repr__(self) -> str:
        """Show the values."""
        return f"OverAllState({dict(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by values and strategies."""
        return state_of, (dict(self), self._merger)


def state_of(data: Mapping[str, Any], merger: Merger) -> OverAllState[Any]:
    """Make a state of values and a merger, unchecked."""
    state: OverAllState[Any] = _new(OverAllState)
    _fill(state, data)
    state._merger = merger  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (the other constructor of the class)
    return state


def merge_into(base: OverAllState[Any], merger: Merger, updates: Iterable[Mapping[str, Any]]) -> OverAllState[Any]:
    """Give `base` with a series of updates merged in, each once, in order.

    Raises:
        StateMergeError: see `Merger.apply`.
    """
    state = state_of(base, merger)
    owned: set[str] = set()
    for update in updates:
        merger.apply(state, update, owned)
    return state


def merge_one(base: OverAllState[Any], merger: Merger, update: Mapping[str, Any]) -> OverAllState[Any]:
    """Give `base` with one update merged in.

    Raises:
        StateMergeError: see `Merger.apply`.
    """
    state: OverAllState[Any] = _new(OverAllState)
    _fill(state, base)
    state._merger = merger  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (the other constructor of the class)
    merger.apply(state, update)
    return state
