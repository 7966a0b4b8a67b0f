"""T1, X6: `context_schema` says what a run's context is."""

from typing import Any, NotRequired, TypedDict

import attrs
import pytest

from graph_core import END, START, RunnableConfig, StateGraph
from graph_core_tests.schemas.kinds import AsDict, each_runner
from graph_core_tests.shapes import Runner, failure_of


@attrs.frozen
class Policy:
    """A context with a default for everything."""

    limit: int = 100
    approver: str = "ann"


@attrs.frozen
class Access:
    """A context that must be given."""

    token: str


class Options(TypedDict):
    """A context that is a mapping."""

    limit: int
    approver: NotRequired[str]


class Client:
    """A context that is no schema."""


def of(context: Any, seen: list[Any] | None = None) -> Any:
    """A graph whose node looks at its context."""
    built: Any = StateGraph(AsDict, context_schema=context)

    def a(state: Any, config: RunnableConfig[Any]) -> dict[str, Any]:
        if seen is None:
            raise AssertionError
        seen.append(config.context)
        return {}

    return built.add_node("a", a).add_edge(START, "a").add_edge("a", END).compile()


class TestAccepted:
    @each_runner
    def test_an_instance(self, run: Runner) -> None:
        """T1: an instance is handed to the nodes as it is."""
        seen: list[Any] = []
        given = Policy(5)
        run(of(Policy, seen), {"name": "x"}, RunnableConfig(context=given))
        assert seen == [given]
        assert seen[0] is given

    @each_runner
    def test_a_mapping(self, run: Runner) -> None:
        """T1: a mapping becomes an instance, with defaults for the rest."""
        seen: list[Any] = []
        run(of(Policy, seen), {"name": "x"}, RunnableConfig(context={"limit": 7}))
        assert seen == [Policy(7)]

    def test_none(self) -> None:
        """T1: without a context one of all defaults is made."""
        seen: list[Any] = []
        of(Policy, seen).invoke({"name": "x"})
        assert seen == [Policy()]

    def test_a_typed_dict(self) -> None:
        """T1: of a TypedDict it stays a mapping."""
        seen: list[Any] = []
        of(Options, seen).invoke({"name": "x"}, RunnableConfig(context={"limit": 7}))
        assert seen == [{"limit": 7}]

    def test_any_class(self) -> None:
        """T1: the context may be of any class."""
        seen: list[Any] = []
        client = Client()
        of(Client, seen).invoke({"name": "x"}, RunnableConfig(context=client))
        assert seen[0] is client

    def test_no_schema(self) -> None:
        """T1: without a schema anything is a context."""
        seen: list[Any] = []
        of(None, seen).invoke({"name": "x"}, RunnableConfig(context=5))
        assert seen == [5]


class TestRefused:
    @pytest.mark.parametrize(
        ("context", "given", "text"),
        [
            (Policy, 5, "expected Policy (or a mapping of its keys), not 5"),
            (Policy, {"limt": 5, "approver": 1}, "unknown key 'limt' @ $, did you mean 'limit'?; expected str @"),
            (Access, None, "required key missing @ $.token"),
            (Access, Policy(), "expected Access"),
            (Options, {}, "required key missing @ $.limit"),
            (Options, {"limit": "5"}, "expected int @ $.limit, not str '5'"),
            (Client, None, "expected Client, not None"),
            (Client, Policy(), "expected Client, not Policy"),
        ],
        ids=repr,
    )
    @each_runner
    def test_before_anything_runs(self, context: Any, given: Any, text: str, run: Runner) -> None:
        """T1: a context that does not fit is refused at the door, with everything that is wrong."""
        failure = run(of(context), {"name": "x"}, RunnableConfig(context=given)).failure
        assert failure.code == "invalid_context"
        assert str(failure).startswith("the context of the run does not fit: ")
        assert text in str(failure)

    def test_a_class_that_refuses(self) -> None:
        """T1: what a context's class raises is told."""

        @attrs.frozen
        class Positive:
            n: int = attrs.field(validator=attrs.validators.gt(0))

        error = failure_of(of(Positive), {"name": "x"}, RunnableConfig(context={"n": 0}))
        assert error.code == "invalid_context"
        assert "'n' must be > 0" in str(error)
