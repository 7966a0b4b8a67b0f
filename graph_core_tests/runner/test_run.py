"""`run` and `arun`: how a run ended."""

import pytest

from graph_core import GraphRunnerException, RunnableConfig
from graph_core_tests.shapes import graph, raises

COMPILED = graph("START > a", "a > b, c", "b > END", "c > END").compile()


def test_the_result() -> None:
    """X1: state, status, interruptions, config."""
    result = COMPILED.run({"m": "in"}, RunnableConfig(thread_id="t", metadata={"k": 1}))
    assert result.state["m"] == ["in", "a", "b", "c"]
    assert (result.status, result.interruptions) == ("done", ())
    assert (result.config.thread_id, result.config.metadata["k"]) == ("t", 1)


async def test_in_a_loop() -> None:
    """X1: the a-twin gives the same."""
    result = await COMPILED.arun({"m": "in"}, RunnableConfig(thread_id="loop"))
    assert result.state["m"] == ["in", "a", "b", "c"]
    assert (result.status, result.interruptions, result.config.thread_id) == ("done", (), "loop")


def test_a_failure_is_raised() -> None:
    """X3: a failed run has no result."""
    compiled = graph("START > a", "a > END", a=raises(KeyError("k"))).compile()
    with pytest.raises(GraphRunnerException, match="node 'a' failed"):
        compiled.run({})
