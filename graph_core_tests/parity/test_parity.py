"""Every scenario that is due does what the Java library did, or what the rules say where they differ."""

from __future__ import annotations

import asyncio

import attrs
import pytest

from graph_core import END
from graph_core_tests.parity.compare import mismatches
from graph_core_tests.parity.due import due
from graph_core_tests.parity.expected import (
    Entries,
    Expected,
    ExpectedFailure,
    ExpectedRun,
    Pause,
    expected,
    from_java,
    runs_of,
)
from graph_core_tests.parity.scenario import RunSpec, load
from graph_core_tests.parity.trace import DRIVERS, Driver, Entry, Output, Run, Trace, final_states, trace

DIAMOND = "parallel_diamond"


def traced(name: str, driver: Driver) -> Trace:
    """What the scenario does here."""
    return trace(load(name).scenario, runs_of(name), driver)


def recorded(name: str) -> ExpectedRun:
    """The scenario's first run as Java did it."""
    return from_java(load(name)).runs[0]


def finishing() -> list[str]:
    """The scenarios whose runs reach the end."""
    return [name for name in due() if expected(name).runs and all(run.failure is None for run in expected(name).runs)]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("name", due())
def test_outputs_and_errors(name: str, driver: Driver) -> None:
    """X0, X1: the outputs' nodes and states in order and the error, under every driver."""
    assert mismatches(expected(name), traced(name, driver)) == ()


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("name", finishing())
def test_final_state(name: str, driver: Driver) -> None:
    """X1: `invoke` gives the state of the last output; where branches pause, what they would come to by now."""
    last = [run.last_state for run in expected(name).runs if run.outputs or run.pauses]
    assert final_states(load(name).scenario, runs_of(name), driver) == last


@pytest.mark.parametrize("driver", DRIVERS)
def test_branches_emit_their_own_outputs(driver: Driver) -> None:
    """P11: each node inside a region emits its own output, with its branch's view of the state."""
    inner = [output for output in traced(DIAMOND, driver).runs[0].outputs if output.inner]
    assert sorted(inner, key=lambda output: output.node) == [
        Output("b", {"messages": ["a", "b"]}, inner=True),
        Output("c", {"messages": ["a", "c"]}, inner=True),
    ]


class TestCheckpoints:
    """What a thread keeps."""

    def test_entry_of_a_region_holds_what_its_branches_did(self) -> None:
        """K1: of a region that is left the entry that enters it shows the merged state; all else is as in Java."""
        name = "parallel_diamond_history"
        want, got = ('a → __PARALLEL__(a) {"messages":["a"]}', 'a → __PARALLEL__(a) {"messages":["a","b","c"]}')
        text = f"run 1: checkpoint 2: expected {want}, got {got}"
        assert mismatches(from_java(load(name)), traced(name, "threads")) == (text,)

    @pytest.mark.parametrize("driver", DRIVERS)
    def test_update_of_a_picked_checkpoint(self, driver: Driver) -> None:
        """K4: an update forks from the checkpoint that was picked, and a run goes on from what it gives."""
        operations = (
            *runs_of("time_travel")[:2],
            RunSpec(op="update_state", config_from="p", values={"messages": ["x"]}, save_as="u"),
            RunSpec(op="update_state", config_from="u", values={"messages": ["y"]}, as_node="b", save_as="u"),
            RunSpec(input=None, config_from="u"),
        )
        *_, plain, as_node, run = trace(load("time_travel").scenario, operations, driver).runs
        assert plain.entries == (Entry("a", ("b",), {"messages": ["a", "x"]}),)
        assert as_node.entries == (Entry("b", ("c",), {"messages": ["a", "x", "y"]}),)
        assert [(output.node, output.state["messages"]) for output in run.outputs] == [
            ("c", ["a", "x", "y", "c"]),
            (END, ["a", "x", "y", "c"]),
        ]


class TestPauses:
    """What a run ends with that waits for somebody."""

    def test_interruption_names_the_interrupted_node(self) -> None:
        """K5: Java names a, which was done last, where the run pauses before b; all else is as in Java."""
        name = "interrupt_before"
        want, got = 'before a {"messages":["a"]}', 'before b {"messages":["a"]}'
        text = f"run 0: pause 0: expected {want}, got {got}"
        assert mismatches(from_java(load(name)), traced(name, "threads")) == (text,)

    @pytest.mark.parametrize("driver", DRIVERS)
    def test_update_while_the_run_pauses(self, driver: Driver) -> None:
        """K4: the values are merged once; what comes next, and a route that was evaluated already, stay."""
        name = "interrupt_after_edge_already_evaluated"
        _, update, _ = traced(name, driver).runs
        assert update.entries == (Entry("b", ("d",), {"messages": ["a", "b"], "route": "c"}),)


def test_drivers_work_inside_a_running_loop() -> None:
    """X1: a synchronous run works inside a running event loop."""

    async def main() -> Trace:
        await asyncio.sleep(0)
        return traced(DIAMOND, "threads")

    assert mismatches(expected(DIAMOND), asyncio.run(main())) == ()


class TestAltered:
    """An altered Java trace is found out: the comparison compares."""

    def mismatches(self, run: ExpectedRun) -> tuple[str, ...]:
        """What the comparison says of the diamond if this were its trace."""
        return mismatches(Expected(runs=(run,)), traced(DIAMOND, "threads"))

    def test_nothing_altered(self) -> None:
        """The trace as recorded agrees."""
        assert self.mismatches(recorded(DIAMOND)) == ()

    def test_state(self) -> None:
        """One value in one state."""
        outputs = list(recorded(DIAMOND).outputs)
        outputs[2] = ("__PARALLEL__(a)", {"messages": ["a", "c", "b"]})
        want, got = ('__PARALLEL__(a) {"messages":["a","c","b"]}', '__PARALLEL__(a) {"messages":["a","b","c"]}')
        assert self.mismatches(ExpectedRun(outputs=tuple(outputs))) == (f"run 0: output 2: expected {want}, got {got}",)

    def test_type_of_a_value(self) -> None:
        """True, 1 and 1.0 are equal in Python and three values in a trace."""
        name = "loop_counter"
        start, (node, state), *rest = recorded(name).outputs
        altered = ExpectedRun(outputs=(start, (node, {**state, "count": True}), *rest))
        assert len(mismatches(Expected(runs=(altered,)), traced(name, "threads"))) == 1

    def test_order(self) -> None:
        """Two outputs exchanged."""
        first, second, *rest = recorded(DIAMOND).outputs
        assert len(self.mismatches(ExpectedRun(outputs=(second, first, *rest)))) == 2

    def test_missing_output(self) -> None:
        """The last output left out."""
        assert self.mismatches(ExpectedRun(outputs=recorded(DIAMOND).outputs[:-1])) == (
            'run 0: output 4: expected none, got __END__ {"messages":["a","b","c","d"]}',
        )

    def test_inner_outputs(self) -> None:
        """An inner output that the rules ask for and that is not there."""
        run = attrs.evolve(recorded(DIAMOND), inside=(("b", {"messages": ["b"]}),))
        text = self.mismatches(run)[0]
        assert text.startswith("run 0: inner output 0: expected b")

    def test_error(self) -> None:
        """An error where none is, none where one is, another text, another node."""
        run = recorded("node_fails")
        got = attrs.evolve(traced("node_fails", "threads"), runs=traced("node_fails", "threads").runs[:1])
        assert mismatches(Expected(runs=(run,)), got) == ()
        for failure in (
            None,
            ExpectedFailure(cause="other"),
            ExpectedFailure(node="a"),
            ExpectedFailure(code="other"),
            ExpectedFailure(mentions=("no such word",)),
        ):
            altered = attrs.evolve(run, failure=failure)
            assert len(mismatches(Expected(runs=(altered,)), got)) == 1
        altered = attrs.evolve(recorded(DIAMOND), failure=ExpectedFailure())
        assert self.mismatches(altered)[0].endswith("got None")

    def test_aggregation(self) -> None:
        """ANY_OF forgotten: then both branches are in the state."""
        recording = load("parallel_any_of")
        runs = tuple(attrs.evolve(run, aggregation={}) for run in runs_of("parallel_any_of"))
        actual = trace(recording.scenario, runs, "inline")
        assert mismatches(from_java(recording), actual)[0].endswith('got __PARALLEL__(a) {"messages":["a","b","c"]}')

    def test_checkpoints(self) -> None:
        """Another state, another next node, a checkpoint too many."""
        name = "linear_history"
        stream, history, state = from_java(load(name)).runs
        assert history.entries is not None
        first, rest = history.entries[0], history.entries[1:]
        empty: Entries = (("c", (END,), {}), *rest)
        elsewhere: Entries = (("c", ("c",), first[2]), *rest)
        for entries, count in ((empty, 1), (elsewhere, 1), ((first, first, *rest), 4)):
            runs = (stream, attrs.evolve(history, entries=entries), state)
            assert len(mismatches(Expected(runs=runs), traced(name, "threads"))) == count

    def test_pauses(self) -> None:
        """A pause forgotten, elsewhere, at another node, with another state; one taken for an output."""
        name = "interrupt_after"
        run = recorded(name)
        got = attrs.evolve(traced(name, "threads"), runs=traced(name, "threads").runs[:1])
        assert mismatches(Expected(runs=(run,)), got) == ()
        [(when, node, state)] = run.pauses
        others: tuple[tuple[Pause, ...], ...] = (
            (),
            (("before", node, state),),
            ((when, "a", state),),
            ((when, node, {}),),
        )
        for pauses in others:
            assert len(mismatches(Expected(runs=(attrs.evolve(run, pauses=pauses),)), got)) == 1
        altered = attrs.evolve(run, outputs=(*run.outputs, (node, state)), pauses=())
        assert len(mismatches(Expected(runs=(altered,)), got)) == 2

    def test_output_behind_a_pause(self) -> None:
        """A run that went on after it had paused."""
        pause, output = Output("b", {}, when="before"), Output("c", {})
        want = ExpectedRun(outputs=(("c", {}),), pauses=(("before", "b", {}),))
        assert mismatches(Expected(runs=(want,)), Trace(runs=(Run(outputs=(output, pause)),))) == ()
        assert len(mismatches(Expected(runs=(want,)), Trace(runs=(Run(outputs=(pause, output)),)))) == 3

    def test_number_of_runs(self) -> None:
        """A run too many."""
        run = recorded(DIAMOND)
        text = "expected 2 runs, got 1"
        assert mismatches(Expected(runs=(run, run)), traced(DIAMOND, "threads")) == (text,)

    def test_compile_problem(self) -> None:
        """Another problem, a problem where none is, none where one is."""
        bad = traced("invalid_no_entry", "threads")
        assert mismatches(Expected(problem="missing_entry_point"), bad) == ()
        assert len(mismatches(Expected(problem="other"), bad)) == 1
        assert len(mismatches(Expected(), bad)) == 1
        assert len(mismatches(Expected(problem="missing_entry_point"), traced(DIAMOND, "threads"))) == 1
