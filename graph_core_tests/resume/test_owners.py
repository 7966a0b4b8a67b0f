"""K6, K8, K10: how a thread is left, who holds it, and what is never written."""

import asyncio
import threading
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, TypedDict

import attrs
import pytest

from graph_core import (
    APPEND,
    END,
    START,
    UNTRACKED,
    BaseCheckpointSaver,
    Command,
    CompileConfig,
    DatabaseSaver,
    GraphRunnerContext,
    GraphRunnerException,
    InvalidRecordError,
    MemorySaver,
    MultiCommand,
    RunnableConfig,
    Send,
    StateGraph,
    StreamMode,
    UntrackedKeyError,
)
from graph_core.serializer import Serializer
from graph_core_tests.resume.keeping import Client, Flaky, T, compiled, saver
from graph_core_tests.shapes import PATIENCE, RUNNERS, Runner, failure_of, graph, says

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS.keys())
__all__ = ["saver"]


class TestStatus:
    @each_runner
    def test_done_and_failed(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K6: any process can ask how the last run ended, and of a failed one why."""
        flaky = Flaky(failing={"a"})
        app = compiled(graph("START > a", "a > END", make=flaky), saver)
        run(app, {}, T)
        snapshot = compiled(graph("START > a", "a > END"), saver).get_state(T)
        assert (snapshot.status, snapshot.is_live) == ("failed", False)
        assert snapshot.error == {
            "code": "execution_error",
            "node_id": "a",
            "message": "node 'a' failed: ValueError: a",
        }
        flaky.failing.clear()
        run(app, {}, T)
        assert (app.get_state(T).status, app.get_state(T).error) == ("done", None)

    @each_runner
    def test_running(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K6: while a run holds the thread it is running."""
        seen: list[Any] = []

        def a(state: Any) -> dict[str, Any]:
            found = app.get_state(T)
            seen.append((found.status, found.is_live, found.next))
            return {}

        built: Any = StateGraph().add_node("a", a).add_edge(START, "a").add_edge("a", END)
        app = compiled(built, saver)
        run(app, {}, T)
        assert seen == [("running", True, ("a",))]

    @each_runner
    def test_a_closed_stream(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K6, X4: closing the stream cancels the run, and leaves a thread that can go on."""
        app = compiled(graph("START > a", "a > b", "b > END"), saver)
        outputs = app.stream({}, T)
        assert [next(outputs).node, next(outputs).node] == [START, "a"]
        outputs.close()
        assert (app.get_state(T).status, app.get_state(T).next) == ("cancelled", ("b",))
        assert run(app, None, T).state["m"] == ["a", "b"]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    async def test_a_cancelled_task(self, saver: BaseCheckpointSaver) -> None:
        """K6, X4: so does cancelling the task, wherever it waits."""
        begun = asyncio.Event()

        async def b(state: Any) -> dict[str, Any]:
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError

        app = compiled(graph("START > a", "a > b", "b > END", b=b), saver)
        task = asyncio.create_task(app.ainvoke({}, T))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (app.get_state(T).status, app.get_state(T).next) == ("cancelled", ("b",))

    def test_an_interrupted_program(self, saver: BaseCheckpointSaver) -> None:
        """K6: an interrupt from the keyboard ends the run, and leaves a thread that can go on."""

        def b(state: Any) -> dict[str, Any]:
            raise KeyboardInterrupt

        app = compiled(graph("START > a", "a > b", "b > END", b=b), saver)
        with pytest.raises(KeyboardInterrupt):
            app.invoke({}, T)
        assert (app.get_state(T).status, app.get_state(T).next) == ("cancelled", ("b",))


class TestOwners:
    @each_runner
    @pytest.mark.parametrize("inputs", [{}, None], ids=["new", "resume"])
    def test_busy(self, saver: BaseCheckpointSaver, inputs: Any, run: Runner) -> None:
        """K8: while another run holds the thread a call gets `thread_busy`, and nothing is run or saved."""
        app = compiled(graph("START > a", "a > END", make=Flaky(failing={"a"})), saver)
        run(app, {}, T)
        saver.take("t", "other")
        before = saver.list("t")
        result = run(app, inputs, T)
        assert (result.failure.code, result.failure.thread_id, result.outputs) == ("thread_busy", "t", [])
        with pytest.raises(GraphRunnerException) as raised:
            app.update_state(T, {"m": "u"})
        assert raised.value.code == "thread_busy"
        assert saver.list("t") == before
        assert app.get_state(T).is_live

    @each_runner
    def test_take_over(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K8: `take_over=True` takes the thread at once; the former owner's next step fails with `lost_thread`."""
        flaky = Flaky()

        def a(state: Any) -> dict[str, Any]:
            if not flaky.ran:
                flaky.ran.append("first")
                taken.append(other.invoke(None, T.with_resume(take_over=True)))
            return {"m": "a"}

        taken: list[Any] = []
        app = compiled(graph("START > a", "a > b", "b > END", a=a), saver)
        other = compiled(graph("START > a", "a > b", "b > END"), saver)
        result = run(app, {}, T)
        assert result.failure.code == "lost_thread"
        assert taken[0]["m"] == ["a", "b"]
        assert (app.get_state(T).status, app.get_state(T).state["m"]) == ("done", ["a", "b"])

    def test_the_lease(self) -> None:
        """K8: a lease is a number of seconds."""
        for wrong in (0, -1, "30", True, None, float("inf"), float("nan")):
            given: Any = wrong
            with pytest.raises(InvalidRecordError, match="lease must be a number of seconds > 0"):
                CompileConfig(lease=given)

    @each_runner
    def test_release(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1: `release_thread` takes a finished thread out of the saver; an unfinished one stays."""
        flaky = Flaky(failing={"a"})
        app = compiled(graph("START > a", "a > END", make=flaky), saver, release_thread=True)
        run(app, {}, T)
        assert saver.threads() == ("t",)
        flaky.failing.clear()
        assert run(app, None, T).state["m"] == ["a"]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        assert saver.threads() == ()

    def test_release_of_a_thread_that_was_taken_over(self, saver: BaseCheckpointSaver) -> None:
        """K8: a run releases only what it still holds, and its work is done all the same."""
        app = compiled(graph("START > a", "a > END"), saver, release_thread=True)
        for output in app.stream({}, T):
            if output.is_end:
                saver.take("t", "other", take_over=True)
        found = saver.state_of("t")
        assert found is not None
        assert (found.owner, found.status) == ("other", "running")

    @each_runner
    def test_what_comes_back_names_no_way_to_begin(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K2, K8: a config that was given back takes nothing over, and one of a result goes on at the head."""
        app = compiled(graph("START > a", "a > b", "b > END", make=Flaky(failing={"b"})), saver)
        run(app, {}, T)
        named = app.update_state(T.with_resume(take_over=True), {"m": "u"})
        assert (named.resume, named.checkpoint_id) == (None, app.get_state(T).config.checkpoint_id)
        assert app.get_state(T.with_resume(take_over=True)).config.resume is None
        app = compiled(graph("START > a", "a > b", "b > END"), saver)
        result = app.run({}, named)
        assert (result.config.checkpoint_id, result.config.resume, result.config.thread_id) == (None, None, "t")
        assert app.invoke({}, result.config)["m"] == ["a", "u", "b", "a", "b"]

    def test_runs_inside_nodes_are_private(self, saver: BaseCheckpointSaver) -> None:
        """C6: a node's config passed on to another graph names no thread and no checkpoint."""
        inner = compiled(graph("START > x", "x > END"), saver)

        def a(state: Any, config: RunnableConfig[Any]) -> dict[str, Any]:
            return {"m": [*inner.invoke({}, config)["m"], *inner.invoke({}, attrs.evolve(config, metadata={}))["m"]]}

        app = compiled(graph("START > a", "a > END", a=a), saver)
        assert app.invoke({}, T)["m"] == ["x", "x"]
        assert saver.threads() == ("t",)

    def test_settings_keep_how_to_resume(self) -> None:
        """K2: other settings of a config leave it as it is."""
        config = T.with_resume(take_over=True).with_metadata(a=1).with_stream_mode(RunnableConfig().stream_mode)
        assert config.resume is not None
        assert config.resume.take_over


class TestUntracked:
    class State(TypedDict):
        """A state with a key that is not kept."""

        m: list[str]
        client: Annotated[Client, UNTRACKED]

    @attrs.frozen
    class WithDefault:
        """The same with a default."""

        client: Annotated[int, UNTRACKED] = 7
        n: int = 0

    @each_runner
    @pytest.mark.parametrize("schema", [State, None], ids=["schema", "config"])
    def test_is_never_written(self, saver: BaseCheckpointSaver, schema: Any, run: Runner) -> None:
        """K10: the key is there in the run, and not in its checkpoints; read after a resume it is a clear error."""
        fails = [True]

        def b(state: Any) -> dict[str, Any]:
            if fails[0]:
                assert isinstance(state["client"], Client)
                raise ValueError
            return {"m": [str("client" in state)], "n": state["client"]} if schema is None else {"m": ["b"]}

        built: Any = StateGraph(schema).add_node("a", says({"client": Client()})).add_node("b", b)
        built.add_edge(START, "a").add_edge("a", "b").add_edge("b", END)
        app = compiled(built, saver, untracked=[] if schema is not None else ["client"])
        assert run(app, {"m": ["in"]}, T).failure.node_id == "b"
        assert dict(saver.list("t")[0].state) == {"m": ["in"]}
        with pytest.raises(UntrackedKeyError, match="key 'client' is not kept in checkpoints"):
            app.get_state(T).state["client"]
        assert app.get_state(T).state.get("client") is None
        fails.clear()
        fails.append(False)
        result = run(app, None, T)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        if schema is None:
            assert isinstance(result.failure.__cause__, UntrackedKeyError)
        else:
            assert result.state == {"m": ["b"]}

    @each_runner
    def test_a_default(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K10: with a default the key begins there again."""
        flaky = Flaky(failing={"b"})

        def b(state: Any) -> dict[str, Any]:
            flaky("b")(state)
            return {"n": state["client"]}

        built: Any = StateGraph(self.WithDefault).add_node("a", says({"client": 9})).add_node("b", b)
        built.add_edge(START, "a").add_edge("a", "b").add_edge("b", END)
        app = compiled(built, saver)
        run(app, {}, T)
        flaky.failing.clear()
        assert run(app, None, T).state == {"client": 7, "n": 7}  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    @each_runner
    def test_in_a_region(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K10: neither what branches wrote nor what was sent to them is written."""
        flaky = Flaky(failing={"b"})

        def a(state: Any) -> Command[Any]:
            return Command("c", {"m": "a", "client": state["client"]})

        built: Any = StateGraph({"m": APPEND}).add_node("s", says({})).add_node("a", a, ["c"]).add_node("b", flaky("b"))
        built.add_node("c", flaky("c")).add_edge(START, "s").add_edge("c", END).add_edge("b", END)
        sends = [Send("a", {"client": Client()}), Send("b", {"client": Client(), "m": ["sent"]})]
        built.add_parallel_conditional_edges("s", says(MultiCommand(sends, {"client": Client()})), ["a", "b"])
        app = compiled(built, saver, untracked=["client"], on_branch_error="wait")
        assert run(app, {"client": Client()}, T).failure.node_id == "b"
        flaky.failing.clear()
        assert run(app, None, T).state["m"] == ["a", "c", "b"]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    def test_other_missing_keys(self) -> None:
        """S1: any other key that is missing is a `KeyError` of that key."""
        app = graph("START > a", "a > END").compile()
        with pytest.raises(KeyError, match="'zz'"):
            app.invoke({})["zz"]

    def test_unknown_keys(self) -> None:
        """C2: keys that no schema declares are a compile problem."""
        built: Any = StateGraph(self.State).add_node("a", says({})).add_edge(START, "a").add_edge("a", END)
        with pytest.raises(Exception, match="untracked names key 'clint'"):
            built.compile(CompileConfig(untracked=["clint"]))

    @pytest.mark.parametrize("wrong", ["client", 5, [5]], ids=repr)
    def test_refusals(self, wrong: Any) -> None:
        """K10: it is a collection of keys."""
        with pytest.raises(InvalidRecordError, match="untracked must be a collection of keys"):
            CompileConfig(untracked=wrong)

    def test_name(self) -> None:
        """K10: the marker is one object."""
        import copy
        import pickle

        assert repr(UNTRACKED) == "UNTRACKED"
        assert copy.deepcopy(UNTRACKED) is UNTRACKED
        assert pickle.loads(pickle.dumps(UNTRACKED)) is UNTRACKED  # noqa: S301  (our own bytes)


@attrs.frozen
class Money:
    """A value of the user's."""

    amount: Decimal


class TestSerializers:
    class State(TypedDict):
        """A state that holds one."""

        paid: Money

    def test_types_of_the_schema_are_known(self) -> None:
        """K1: the types of the graph's schemas are registered by themselves."""
        built: Any = StateGraph(self.State).add_node("a", says({"paid": Money(Decimal(5))}))
        app = compiled(built.add_edge(START, "a").add_edge("a", END), MemorySaver(serialize=True))
        app.invoke({}, T)
        assert app.get_state(T).state["paid"] == Money(Decimal(5))

    def test_other_types_are_registered(self) -> None:
        """K1: others by a serializer, the graph's or the saver's."""
        for graph_s, saver_s in ((Serializer(Money), None), (None, Serializer(Money))):
            built: Any = StateGraph(serializer=graph_s).add_node("a", says({"paid": Money(Decimal(5))}))
            kept = MemorySaver(serialize=True) if saver_s is None else MemorySaver(serializer=saver_s)
            app = compiled(built.add_edge(START, "a").add_edge("a", END), kept)
            app.invoke({}, T)
            assert app.get_state(T).state["paid"] == Money(Decimal(5))

    @each_runner
    def test_unknown_types_fail_when_written(self, run: Runner) -> None:
        """K1: an unregistered type fails the step that wrote it, naming key, path and type."""
        built: Any = StateGraph().add_node("a", says({"paid": [Money(Decimal(5))]}))
        app = compiled(built.add_edge(START, "a").add_edge("a", END), MemorySaver(serialize=True))
        failure = run(app, {}, T).failure
        assert failure.code == "unregistered_type"
        assert "$.paid[0]" in str(failure)
        assert "Money" in str(failure)
        assert (app.get_state(T).status, app.get_state(T).next) == ("failed", ("a",))

    def test_refusals(self) -> None:
        """K1: it is a `Serializer`."""
        wrong: Any = object()
        with pytest.raises(InvalidRecordError, match="serializer must be a Serializer"):
            StateGraph(serializer=wrong)

    def test_a_saver_must_be_one(self) -> None:
        """K1: a saver is a saver."""
        wrong: Any = object()
        with pytest.raises(InvalidRecordError, match="checkpoint_saver must be a BaseCheckpointSaver"):
            CompileConfig(checkpoint_saver=wrong)


def test_failure_of_a_private_run_names_its_thread() -> None:
    """X5: the error names the thread that was made up."""
    app = graph("START > a", "a > END", make=Flaky(failing={"a"})).compile()
    failure = failure_of(app, {})
    assert app.get_state(RunnableConfig(thread_id=failure.thread_id)).status == "failed"


class Gated:
    """A serializer that waits at a gate when it writes a certain value."""

    def __init__(self) -> None:
        self.begun, self.gate = threading.Event(), threading.Event()

    def dumps(self, value: object, where: str = "$", /) -> bytes:
        """Wait, then write."""
        if value in (["b"], "b"):
            self.begun.set()
            self.gate.wait(PATIENCE)
        return Serializer().dumps(value, where)

    def loads(self, data: bytes, where: str = "$", /) -> Any:
        """Read."""
        return Serializer().loads(data, where)


async def test_a_task_that_is_cancelled_while_it_saves(tmp_path: Path) -> None:
    """K7, K8: what had begun to be written is written whole, and then the thread is given back."""
    gated = Gated()
    with DatabaseSaver(tmp_path / "t.db", serializer=gated) as kept:
        app = compiled(graph("START > a", "a > b", "b > c", "c > END"), kept)
        task = asyncio.create_task(app.ainvoke({}, T))
        await asyncio.to_thread(gated.begun.wait, PATIENCE)
        task.cancel()
        await asyncio.sleep(0)
        gated.gate.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (app.get_state(T).status, app.get_state(T).next) == ("cancelled", ("c",))
        assert app.invoke(None, T)["m"] == ["a", "b", "c"]


def test_what_no_part_of_a_run_should_raise() -> None:
    """K6: whatever ends a run, it has failed."""
    app = graph("START > a", "a > END").compile()
    run = GraphRunnerContext(app._plan, RunnableConfig(), (StreamMode.VALUES,))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (the machine itself is under test)
    steps = run.steps({})
    next(steps)
    with pytest.raises(ZeroDivisionError):
        steps.throw(ZeroDivisionError("odd"))
    assert run.status == "failed"
