"""P10: a call that leaves the process, and what comes home of it."""

import pickle
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any

import pytest

from graph_core import APPEND, OverAllState, RunnableConfig, interrupt
from graph_core.exception import RemoteActionError
from graph_core.runner.remote import RemoteCall, outcome


class Nowhere:
    """A value that can be pickled, but not read again."""

    def __reduce__(self) -> Any:
        return int, ("nowhere",)


class Homeless(Exception):
    """An error that can be pickled, but not read again."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


def strategies(state: OverAllState, config: RunnableConfig) -> dict[str, Any]:
    """Tell what of the run has arrived."""
    return {"keys": list(state), "strategies": len(state.key_strategies), "store": config.store}


def fails(state: OverAllState) -> dict[str, Any]:
    """Raise what travels."""
    raise LookupError("lost")


def fails_badly(state: OverAllState) -> dict[str, Any]:
    """Raise what does not."""
    raise Homeless("no", "where")


def gives_badly(state: OverAllState) -> dict[str, Any]:
    """Return what does not travel."""
    return {"x": Nowhere()}


def asks(state: OverAllState) -> Any:
    """Ask a person."""
    return interrupt("?")


def elsewhere(fn: Any, *inputs: Any) -> Any:
    """Call as another process would: from the pickled call."""
    return pickle.loads(pickle.dumps(RemoteCall(fn, inputs, copy_context())))()  # noqa: S301  (our own bytes)


def test_state_and_config_travel_light() -> None:
    """P10: a plain config record, no store; the state without strategies, which need not be picklable."""
    state = OverAllState({"m": [1]}, {"m": APPEND, "n": lambda old, new: new})
    found = elsewhere(strategies, state, RunnableConfig(store=object())).unpacked()
    assert found == {"keys": ["m"], "strategies": 0, "store": None}


def test_a_value_that_can_not_be_read_at_home() -> None:
    """P10, X3: it is a failure of the node, read where the pool is not harmed."""
    done: Future[Any] = Future()
    done.set_result(elsewhere(gives_badly, OverAllState()))
    call: Any = None
    is_result, error = outcome(call, done)
    assert (is_result, type(error)) == (False, ValueError)


def test_an_error_comes_home() -> None:
    """P10, X3: as itself."""
    with pytest.raises(LookupError, match="lost"):
        elsewhere(fails, OverAllState())


def test_a_question_comes_home_as_a_result() -> None:
    """K5, P10: an executor need not know what no exception is."""
    assert elsewhere(asks, {}).unpacked().payload == "?"


def test_an_error_that_can_not_come_home() -> None:
    """P10, X3: its type, text and traceback do, and the user's pool lives on."""
    with pytest.raises(RemoteActionError, match=r"(?s)Homeless: nowhere .*in fails_badly"):
        elsewhere(fails_badly, OverAllState())
