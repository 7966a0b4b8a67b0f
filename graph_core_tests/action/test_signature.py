"""What is read off an action: parameters, async or not, its return hint."""

import asyncio
import functools
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, TypeVar

import pytest

from graph_core import END, START, InvalidRecordError, OverAllState, StateGraph, UnresolvedHintWarning
from graph_core.action.signature import (
    MISSING_HINT,
    Signature,
    hints_of,
    is_coroutine_function,
    name_of,
    signature_of,
)
from graph_core_tests.action import hints_as_text as texts

Action: TypeAlias = Callable[..., Any]


def one(state: Any) -> Any:
    """Takes the state."""


def two(state: Any, config: Any) -> Any:
    """Takes both."""


def two_of_any_name(first: Any, second: Any) -> Any:
    """Takes both."""


async def later(state: Any) -> Any:
    """Takes the state."""


async def later_two(state: Any, config: Any) -> Any:
    """Takes both."""


def positional(state: Any, /) -> Any:
    """Takes the state."""


def with_default(state: Any, factor: int = 2) -> Any:
    """Takes the state: the second one is the user's."""


def with_config_default(state: Any, config: Any = None) -> Any:
    """Takes both."""


def three_defaults(state: Any = None, config: Any = None, more: Any = None) -> Any:
    """Takes both."""


def starred(*args: Any) -> Any:
    """Takes both."""


def state_and_starred(state: Any, *args: Any) -> Any:
    """Takes the state."""


def keywords(state: Any, **more: Any) -> Any:
    """Takes the state."""


def keyword_default(state: Any, *, factor: int = 2) -> Any:
    """Takes the state."""


def none_at_all() -> Any:
    """Takes nothing."""


def three(state: Any, config: Any, more: Any) -> Any:
    """Takes too much."""


def keyword_required(state: Any, *, config: Any) -> Any:
    """Can not be called with the state alone."""


def only_keywords(**more: Any) -> Any:
    """Takes no state."""


def logged(fn: Action) -> Action:
    """Wrap a function."""

    @functools.wraps(fn)
    def wrapper(*args: Any) -> Any:
        return fn(*args)

    return wrapper


class Work:
    """Callable, with methods."""

    def __init__(self, state: Any = None) -> None:
        self.state = state

    def __call__(self, state: Any, config: Any) -> Any:
        """Take both."""

    def one(self, state: Any) -> Any:
        """Take the state."""

    async def later(self, state: Any, config: Any) -> Any:
        """Take both."""

    @staticmethod
    def static(state: Any) -> Any:
        """Take the state."""

    @classmethod
    def of_class(cls, state: Any, config: Any) -> Any:
        """Take both."""


class LaterWork:
    """Callable, async."""

    async def __call__(self, state: Any) -> Any:
        """Take the state."""


NAMELESS: Callable[[Any], Any] = lambda state: state  # noqa: E731  (it must have no name)
CALLED: dict[str, tuple[Action, bool, bool]] = {
    "one": (one, False, False),
    "two": (two, True, False),
    "two of any name": (two_of_any_name, True, False),
    "async": (later, False, True),
    "async, two": (later_two, True, True),
    "positional-only": (positional, False, False),
    "a default": (with_default, False, False),
    "a default for config": (with_config_default, True, False),
    "three defaults": (three_defaults, True, False),
    "starred": (starred, True, False),
    "state and starred": (state_and_starred, False, False),
    "keywords": (keywords, False, False),
    "keyword-only with a default": (keyword_default, False, False),
    "lambda": (NAMELESS, False, False),
    "partial": (functools.partial(two, config=1), False, False),
    "partial by position": (functools.partial(three, 1), True, False),
    "partial of a partial, async": (functools.partial(functools.partial(later_two), config=1), False, True),
    "method": (Work().one, False, False),
    "async method": (Work().later, True, True),
    "static method": (Work.static, False, False),
    "class method": (Work.of_class, True, False),
    "object": (Work(), True, False),
    "async object": (LaterWork(), False, True),
    "partial of an async object": (functools.partial(LaterWork()), False, True),
    "class": (Work, False, False),
    "wrapped": (logged(one), False, False),
    "wrapped, two": (logged(two), True, False),
    "builtin": (len, False, False),
    "builtin without a signature": (dict, False, False),
    "method of a builtin": ({"a": 1}.get, False, False),
}
NAMES: list[tuple[Action, str]] = [
    (one, "one"),
    (Work().one, "one"),
    (Work, "Work"),
    (len, "len"),
    (Work(), ""),
    (NAMELESS, ""),
    (functools.partial(two, config=1), ""),
]
UNCALLABLE: dict[str, tuple[Action, str]] = {
    "nothing": (none_at_all, "none_at_all"),
    "three": (three, "three"),
    "keyword-only": (keyword_required, "keyword_required"),
    "only keywords": (only_keywords, "only_keywords"),
    "nameless": (lambda: None, "<function <lambda>"),
    "partial of too many": (functools.partial(three), "functools.partial(<function three"),
    "class without parameters": (LaterWork, "LaterWork"),
}


class TestSignature:
    @pytest.mark.parametrize(("fn", "takes_config", "is_async"), CALLED.values(), ids=CALLED.keys())
    def test_kinds(self, fn: Action, takes_config: bool, is_async: bool) -> None:  # noqa: FBT001  (parametrized)
        """R2: actions are sync or async, `(state)` or `(state, config)`."""
        assert signature_of(fn, "node 'a'") == Signature(takes_config, is_async)

    @pytest.mark.parametrize(("fn", "name"), UNCALLABLE.values(), ids=UNCALLABLE.keys())
    def test_what_can_not_be_called(self, fn: Action, name: str) -> None:
        """R2: what can be called with neither is refused, naming node and action."""
        text = re.escape(f"node 'a': {name}") + r".* must be callable with \(state\) or with \(state, config\)"
        with pytest.raises(InvalidRecordError, match=text):
            signature_of(fn, "node 'a'")

    def test_coroutine_functions(self) -> None:
        """R2: async is what gives a coroutine when it is called."""
        assert (is_coroutine_function(later), is_coroutine_function(one)) == (True, False)
        assert (is_coroutine_function(LaterWork()), is_coroutine_function(LaterWork)) == (True, False)

    @pytest.mark.parametrize(
        ("fn", "takes_config", "is_async"),
        [case for name, case in CALLED.items() if "class" not in name and "builtin" not in name],
        ids=[name for name in CALLED if "class" not in name and "builtin" not in name],
    )
    def test_it_is_true(self, fn: Action, takes_config: bool, is_async: bool) -> None:  # noqa: FBT001  (parametrized)
        """R2: called as its signature says, an action answers, and with a coroutine if it is async."""
        answer = fn({}, {}) if takes_config else fn({})
        assert asyncio.iscoroutine(answer) is is_async
        if asyncio.iscoroutine(answer):
            asyncio.run(answer)


class TestName:
    @pytest.mark.parametrize(("fn", "name"), NAMES, ids=str)
    def test_names(self, fn: Action, name: str) -> None:
        """R8: a name is the `__name__`; lambdas, partials and objects have none."""
        assert name_of(fn) == name


UNHINTED: list[Action] = [NAMELESS, len, dict, Work, {"a": 1}.get, functools.partial(len)]


@pytest.fixture
def no_warning() -> Iterator[None]:
    """Fail on any warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.usefixtures("no_warning")
class TestReturnHint:
    def test_a_type(self) -> None:
        """R3: the annotation itself."""

        def router(state: Any) -> Literal["a", "b"]:
            return "a"

        assert hints_of(router, "…").returned == Literal["a", "b"]

    def test_none(self) -> None:
        """S9: `None` is a hint, too."""

        def node(state: Any) -> None:
            """Return nothing."""

        assert hints_of(node, "…").returned is None

    @pytest.mark.parametrize("fn", UNHINTED, ids=str)
    def test_nothing_to_read(self, fn: Action) -> None:
        """R10: without a hint there is nothing to infer, and nothing to warn of."""
        assert hints_of(fn, "…").returned is MISSING_HINT

    def test_only_parameters(self) -> None:
        """R10: hints of parameters alone give no return hint."""

        def node(state: "dict[str, Any]") -> Any:
            return state

        del node.__annotations__["return"]

        assert hints_of(node, "…").returned is MISSING_HINT


HINTS: dict[str, tuple[Action, Any]] = {
    "function": (texts.labels, Literal["a", "b"]),
    "None": (texts.nothing, type(None)),
    "partial": (functools.partial(texts.labels), Literal["a", "b"]),
    "object": (texts.Router(), Literal["a"]),
    "method": (texts.Router().method, Literal["m"]),
    "static method": (texts.Router.static, Literal["s"]),
    "class method": (texts.Router.of_class, Literal["c"]),
    "class": (texts.Router, MISSING_HINT),
    "wrapped": (texts.logged(texts.labels), Literal["a", "b"]),
    "wrapped elsewhere": (logged(texts.labels), Literal["a", "b"]),
    "partial of wrapped": (functools.partial(logged(texts.labels)), Literal["a", "b"]),
    "cached": (functools.lru_cache(texts.labels), Literal["a", "b"]),
    "second parameter": (texts.unresolved_second_parameter, Literal["a"]),
}


@pytest.mark.usefixtures("no_warning")
class TestTexts:
    @pytest.mark.parametrize(("fn", "hint"), HINTS.values(), ids=HINTS.keys())
    def test_kinds(self, fn: Action, hint: Any) -> None:
        """R10: hints that are texts are resolved where the action was written, without a warning."""
        assert hints_of(fn, "…").returned == hint

    def test_a_local_name(self) -> None:
        """R10: names of the enclosing function that the action uses are known."""
        router = texts.local("x")
        assert hints_of(router, "…").returned is type(router(OverAllState()))

    def test_type_parameters(self) -> None:
        """R10: the type parameters of a function are known in its hints."""

        def node(state: Any) -> Any:
            """Stand for `def node[U](state: Any) -> U`."""

        function: Any = node
        function.__annotations__["return"] = "U"
        function.__type_params__ = (TypeVar("U"),)
        assert hints_of(node, "…").returned == function.__type_params__[0]


class TestUnresolved:
    def test_return_hint(self) -> None:
        """R10: a return hint that can not be resolved is a warning that names node, action and hint."""
        text = "node 'a': the return hint of unresolved, 'Decimal', can not be resolved"
        with pytest.warns(UnresolvedHintWarning, match=text):
            assert hints_of(texts.unresolved, "node 'a'").returned is MISSING_HINT

    def test_parameter_hint(self) -> None:
        """R10: so is the hint of the parameter; the return hint is still read."""
        text = "node 'a': the hint of parameter 'state' of unresolved_parameter, 'Decimal', can not be resolved"
        with pytest.warns(UnresolvedHintWarning, match=text):
            assert hints_of(texts.unresolved_parameter, "node 'a'").returned == Literal["a"]

    def test_through_a_partial(self) -> None:
        """R10: the warning names the function behind a partial."""
        with pytest.warns(UnresolvedHintWarning, match="of unresolved, 'Decimal'"):
            hints_of(functools.partial(texts.unresolved), "…")

    def test_a_name_that_is_not_there_yet(self) -> None:
        """R10: a name of the enclosing function that has no value is unresolved."""
        with pytest.warns(UnresolvedHintWarning, match="of router, 'Choice'"):
            assert hints_of(texts.late(), "…").returned is MISSING_HINT

    def test_a_lambda_is_shown(self) -> None:
        """R10: an action without a name is shown by its `repr`."""
        nameless: Callable[[Any], Any] = lambda state: state  # noqa: E731  (it must have no name)
        nameless.__annotations__["return"] = "Nowhere"
        with pytest.warns(UnresolvedHintWarning, match="of <function TestUnresolved.*lambda"):
            hints_of(nameless, "…")

    @pytest.mark.parametrize("hint", ["1 /", "1 / 0", "Nowhere.Else"], ids=repr)
    def test_whatever_a_hint_raises(self, hint: str) -> None:
        """R10: an annotation is code of the user's and may raise anything."""

        def node(state: Any) -> Any:
            """Have a bad hint."""

        node.__annotations__["return"] = hint
        with pytest.warns(UnresolvedHintWarning, match=re.escape(repr(hint))):
            assert hints_of(node, "…").returned is MISSING_HINT

    def test_of_a_node(self) -> None:
        """R10: it is a warning where the node is added, naming it."""
        with pytest.warns(UnresolvedHintWarning, match="node 'a': .*unresolved"):
            StateGraph().add_node("a", texts.unresolved)

    def test_of_a_router(self) -> None:
        """R10: and where the route is added, naming its source."""
        with pytest.warns(UnresolvedHintWarning, match="the condition of '__START__': .*unresolved"):
            StateGraph().add_conditional_edges(START, texts.unresolved, {"a": END})
