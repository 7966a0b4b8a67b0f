"""T1: `invoke` and `END` give the output keys; `view()` gives an instance of the output schema."""

import copy
import pickle
from typing import Any, TypedDict

import attrs
import pytest

from graph_core import END, START, GraphRunnerException, OverAllState, RunnableConfig, StateGraph, StreamMode
from graph_core_tests.schemas.kinds import ALL, AsAttrs, AsDict, each_record, each_runner
from graph_core_tests.shapes import Runner, run_async, run_sync, shown


class Answer(TypedDict):
    """What callers get."""

    n: int


@attrs.frozen
class Told:
    """The same as a record."""

    n: int


def pickled(state: Any) -> Any:
    """Pickle and read."""
    return pickle.loads(pickle.dumps(state))  # noqa: S301  (our own bytes)


def count(state: Any) -> dict[str, Any]:
    """A node."""
    return {"n": 3}


def of(schema: Any, **options: Any) -> Any:
    """A graph of one node."""
    built: Any = StateGraph(schema, **options)
    return built.add_node("a", count).add_edge(START, "a").add_edge("a", END).compile()


class TestOutputSchema:
    @pytest.mark.parametrize("output", [Answer, Told, ["n"], ("n",)], ids=repr)
    @pytest.mark.parametrize("schema", [*ALL.values(), None], ids=[*ALL, "none"])
    @each_runner
    def test_narrows(self, schema: Any, output: Any, run: Runner) -> None:
        """T1: `END` shows the output keys only; every other output all of them."""
        outputs = run(of(schema, output_schema=output), {"name": "x"}, None).outputs
        assert [output.node for output in outputs] == [START, "a", END]
        assert shown(outputs[1])["name"] == "x"
        assert shown(outputs[2]) == {"n": 3}

    def test_every_verb(self) -> None:
        """T1: what callers get is the same from every verb."""
        compiled = of(AsDict, output_schema=Answer)
        assert dict(compiled.invoke({"name": "x"})) == {"n": 3}
        assert dict(compiled.run({"name": "x"}).state) == {"n": 3}
        assert dict(compiled.try_invoke({"name": "x"}).unwrap()) == {"n": 3}
        assert shown(compiled.invoke_and_get_output({"name": "x"})) == {"n": 3}
        assert run_async(compiled, {"name": "x"}).state == run_sync(compiled, {"name": "x"}).state == {"n": 3}

    def test_a_key_that_is_not_there(self) -> None:
        """T1: an output key that nobody wrote is left out."""
        assert dict(of(AsDict, output_schema=["n", "log"]).invoke({"name": "x"})) == {"n": 3}

    def test_no_keys(self) -> None:
        """T1: an empty collection gives nothing."""
        assert dict(of(AsDict, output_schema=[]).invoke({"name": "x"})) == {}

    def test_updates_mode(self) -> None:
        """T1: the mode UPDATES shows what the nodes returned."""
        outputs = of(AsDict, output_schema=["log"]).stream(
            {"name": "x"}, RunnableConfig(stream_mode=StreamMode.UPDATES)
        )
        assert [dict(output.update) for output in outputs] == [{"name": "x"}, {"n": 3}, {}]


class TestView:
    @each_record
    def test_of_the_state(self, schema: Any) -> None:
        """T1: `view()` of a result is an instance of the state's class."""
        assert of(schema).invoke({"name": "x"}).view() == schema(name="x", n=3)

    def test_of_a_typed_dict(self) -> None:
        """T1: of a TypedDict it is a mapping of its keys."""
        assert of(AsDict).invoke({"name": "x"}).view() == {"name": "x", "n": 3}

    @pytest.mark.parametrize("schema", [*ALL.values(), None], ids=[*ALL, "none"])
    def test_of_the_output_schema(self, schema: Any) -> None:
        """T1: with an output schema it is an instance of that."""
        assert of(schema, output_schema=Told).invoke({"name": "x"}).view() == Told(3)
        assert of(schema, output_schema=Answer).invoke({"name": "x"}).view() == {"n": 3}

    def test_of_keys(self) -> None:
        """T1: with a collection of keys it is the mapping itself."""
        state = of(AsAttrs, output_schema=["n"]).invoke({"name": "x"})
        assert state.view() is state

    def test_without_a_schema(self) -> None:
        """T1: without a schema the mapping is its own view."""
        state: OverAllState[Any] = OverAllState({"n": 1})
        assert state.view() is state

    def test_a_key_that_is_missing(self) -> None:
        """T2: a required key that is not there is told."""
        state = of(AsAttrs).invoke({})
        with pytest.raises(GraphRunnerException, match="the state: AsAttrs requires key 'name'") as raised:
            state.view()
        assert raised.value.code == "missing_key"

    def test_of_a_state_on_its_way(self) -> None:
        """T1: states inside a run have the state's view, whatever the output is."""
        outputs = list(of(AsAttrs, output_schema=Answer).stream({"name": "x"}))
        assert [output.state.view() for output in outputs] == [AsAttrs("x"), AsAttrs("x", n=3), {"n": 3}]

    @pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
    def test_copies(self, again: Any) -> None:
        """S1: copied and pickled states keep their view, strategies and keys."""
        state = again(of(AsAttrs).invoke({"name": "x"}))
        assert state.view() == AsAttrs("x", n=3)
        assert state.updated({"log": "a"})["log"] == ["a"]
        with pytest.raises(GraphRunnerException, match="unknown key 'nn'"):
            state.updated({"nn": 1})
