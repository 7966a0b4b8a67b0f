"""What a run emits and returns."""

from typing import Any

import attrs
import pytest

from graph_core import END, START, NodeOutput, OverAllState, RunnableConfig, RunResult, StreamMode
from graph_core_tests.travel import travelled


def output(node: str = "a") -> NodeOutput:
    """An output of a step."""
    return NodeOutput(node=node, state=OverAllState({"x": 1}), update={"x": 1}, step=2, branch=(0, 1), sequence=3)


class TestNodeOutput:
    def test_fields(self) -> None:
        """P11: an output carries node, state, update, step and branch key."""
        made = output()
        assert (made.node, made.step, made.branch, made.sequence) == ("a", 2, (0, 1), 3)
        assert dict(made.state or {}) == {"x": 1} == made.update

    def test_defaults(self) -> None:
        """X1: on the main path, outside of children, there is no branch and no path."""
        made = NodeOutput(node="a", state=None, update={})
        assert (made.path, made.branch, made.step, made.sequence, made.route_updates) == ((), (), 0, 0, ())
        assert (made.config, made.mode) == (None, StreamMode.VALUES)

    @pytest.mark.parametrize(
        ("node", "start", "end"),
        [(START, True, False), (END, False, True), ("a", False, False)],
        ids=["start", "end", "node"],
    )
    def test_start_and_end(self, node: str, start: bool, end: bool) -> None:  # noqa: FBT001  (parametrized)
        """X0: a run has one output for `START` and one for `END`."""
        assert (output(node).is_start, output(node).is_end) == (start, end)

    def test_it_never_changes(self) -> None:
        """P11: an output can not be changed."""
        made: Any = output()
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            made.node = "b"

    def test_each_is_its_own(self) -> None:
        """P11: two outputs are never the same, so they can be kept in a set."""
        first, second = output(), output()
        assert first != second
        assert len({first, second, first}) == 2

    def test_travel(self) -> None:
        """E1: an output survives a pickle and copies."""
        made = output()
        for other in travelled(made):
            assert attrs.asdict(other, recurse=False) == attrs.asdict(made, recurse=False)


class TestRunResult:
    def test_fields(self) -> None:
        """X1: a result says how the run ended, so that a pause is never taken for an end."""
        config = RunnableConfig(thread_id="t")
        result = RunResult(state=OverAllState({"x": 1}), status="done", config=config)
        assert (dict(result.state), result.status, result.interruptions) == ({"x": 1}, "done", ())
        assert result.config is config

    def test_travel(self) -> None:
        """E1: a result survives a pickle and copies."""
        result = RunResult(state=OverAllState({"x": 1}), status="done", config=RunnableConfig())
        for other in travelled(result):
            assert attrs.asdict(other, recurse=False) == attrs.asdict(result, recurse=False)


class TestStreamMode:
    @pytest.mark.parametrize("mode", list(StreamMode), ids=lambda mode: mode.value)
    def test_travel(self, mode: StreamMode) -> None:
        """E1: a mode stays itself."""
        assert all(other is mode for other in travelled(mode))

    def test_by_value(self) -> None:
        """X1: modes have names that can stand in a file."""
        assert (StreamMode("values"), StreamMode("updates")) == (StreamMode.VALUES, StreamMode.UPDATES)
