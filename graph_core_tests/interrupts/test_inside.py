"""K5: `interrupt(payload)` inside a node."""

import asyncio
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

from graph_core import (
    APPEND,
    END,
    START,
    BaseCheckpointSaver,
    Command,
    CompileConfig,
    GraphInterrupt,
    GraphRunnerException,
    MemorySaver,
    RunnableConfig,
    Send,
    StateGraph,
    interrupt,
)
from graph_core_tests.interrupts.asking import T, answers, asked, asks, compiled, each_run, outputs, saver
from graph_core_tests.shapes import State, failure_of, graph, node, says
from graph_core_tests.threads.machine import drive

__all__ = ["saver"]
GO_ON: Any = None


CHAIN = ("START > a", "a > b", "b > c", "c > END")


def chain(**nodes: Any) -> StateGraph:
    """A node between two others."""
    return graph(*CHAIN, **nodes)


def _sibling_that_asks(edges: Any) -> dict[str, Any]:
    return {} if edges is CHAIN else {"y": asks("y")}


class Simple(Executor):
    """An executor that knows no more than `Exception`."""

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Future[Any]:
        """Call here and now."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **options))
        except Exception as error:  # noqa: BLE001  (that is the point)
            future.set_exception(error)
        return future


@each_run
def test_returns_the_answer(run: Any, saver: BaseCheckpointSaver) -> None:
    """K5: the run pauses, tells what is asked, and goes on with the answer; `a` does not run again."""
    app = compiled(chain(b=asks("b")), saver)
    paused = run(app, {}, T)
    assert (paused.status, asked(paused), paused.state["m"]) == ("interrupted", [("b", "b?")], ["a"])
    done = run(app, GO_ON, T.with_resume("yes"))
    assert (done.status, done.interruptions, done.state["m"]) == ("done", (), ["a", "b:yes", "c"])


def test_what_is_told() -> None:
    """K5, X1: the interruption names node, state, step, and itself as pending; `invoke_and_get_output` gives it."""
    app = chain(b=asks("b")).compile()
    output: Any = app.invoke_and_get_output({}, T)
    assert (output.node, output.when, output.payload, output.step, output.branch) == ("b", "inside", "b?", 2, ())
    assert (output.state["m"], output.pending, output.is_end) == (["a"], (output,), False)
    assert output.id
    assert app.invoke({}, RunnableConfig(thread_id="u"))["m"] == ["a"]
    assert asyncio.run(app.ainvoke_and_get_output({}, RunnableConfig(thread_id="v"))).node == "b"


@pytest.mark.parametrize("answer", [None, False, 0, "", [], {"a": [1]}])
def test_any_answer(answer: Any, saver: BaseCheckpointSaver) -> None:
    """K5: `None` is an answer, as everything is that the saver can keep."""
    app = compiled(chain(b=node(lambda state: {"got": interrupt("?")})), saver)
    app.run({}, T)
    state = app.invoke(GO_ON, T.with_resume(answer))
    assert "got" in state
    assert state["got"] == answer


@each_run
def test_several_in_one_node(run: Any, saver: BaseCheckpointSaver) -> None:
    """K5: they are answered in turn, earlier answers are remembered."""
    calls: list[str] = []

    def ask(state: State) -> dict[str, Any]:
        calls.append("b")
        first = interrupt("first?")
        second = interrupt(f"{first}, second?")
        return {"m": f"{first} {second} {interrupt('third?')}"}

    app = compiled(chain(b=ask), saver)
    assert asked(run(app, {}, T)) == [("b", "first?")]
    assert asked(run(app, GO_ON, T.with_resume(1))) == [("b", "1, second?")]
    assert asked(run(app, GO_ON, T.with_resume(None))) == [("b", "third?")]
    assert run(app, GO_ON, T.with_resume(3)).state["m"] == ["a", "1 None 3", "c"]
    assert len(calls) == 4


def test_in_a_loop(saver: BaseCheckpointSaver) -> None:
    """K5: each visit asks anew, and has an id of its own."""
    built = graph("START > a", "a", a=node(lambda state: {"m": interrupt(len(state.get("m", [])))}))
    app = compiled(built.add_conditional_edges("a", lambda s: END if len(s["m"]) == 3 else "a", ["a", END]), saver)
    result = app.run({}, T)
    seen = set[str]()
    for number in range(3):
        assert asked(result) == [("a", number)]
        seen.add(result.interruptions[0].id)
        result = app.run(GO_ON, T.with_resume(f"answer {number}"))
    assert (result.state["m"], len(seen)) == (["answer 0", "answer 1", "answer 2"], 3)


def test_passes_a_broad_except() -> None:
    """K5: an `except Exception` of the user's does not swallow it."""

    def ask(state: State) -> dict[str, Any]:
        try:
            answer = interrupt("?")
        except Exception as error:  # noqa: BLE001  (that is the point)
            answer = f"swallowed {error!r}"
        return {"m": answer}

    app = chain(b=ask).compile()
    assert asked(app.run({}, T)) == [("b", "?")]
    assert app.invoke(GO_ON, T.with_resume("yes"))["m"] == ["a", "yes", "c"]


def test_out_of_tasks_of_the_node() -> None:
    """K5: a question of a task that the node started comes out of its `TaskGroup`; all tasks may have asked."""

    async def part(number: int) -> str:
        return f"{number}:{interrupt(number)}"

    async def ask(state: State) -> dict[str, Any]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(part(number)) for number in range(2)]
        return {"m": " ".join(task.result() for task in tasks)}

    app = chain(b=ask).compile()
    result = app.run({}, T)
    assert asked(result) == [("b", 0)]
    assert asked(app.run(GO_ON, T.with_resume("x"))) == [("b", 1)]
    assert app.invoke(GO_ON, T.with_resume("y"))["m"] == ["a", "0:x 1:y", "c"]


def test_beside_a_task_that_fails() -> None:
    """K5, X3: if another task of the node failed, the node has failed."""

    async def fail() -> None:
        raise ValueError("no")

    async def ask(state: State) -> dict[str, Any]:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            group.create_task(asyncio.to_thread(interrupt, "?"))
        return {}

    failure = failure_of(chain(b=ask).compile(), {}, T)
    assert (failure.code, failure.node_id) == ("execution_error", "b")
    assert isinstance(failure.__cause__, ExceptionGroup)


@pytest.mark.parametrize("executor", [None, Simple()])
def test_a_group_that_ends_the_program(executor: Any) -> None:
    """K5: what is no question and no failure is raised as it is, if it comes out of the executor."""
    group = BaseExceptionGroup("stop", [KeyboardInterrupt(), GraphInterrupt("?")])

    def stop(state: State) -> Any:
        raise group

    with pytest.raises(BaseExceptionGroup) as raised:
        graph(*CHAIN, later=["b"]).add_node("b", stop, executor=executor).compile().invoke({}, T)
    assert raised.value.subgroup(GraphInterrupt) is None


async def _asks_later(state: State) -> dict[str, Any]:
    await asyncio.sleep(0)
    return {"m": f"b:{interrupt('b?')}"}


class AsksLater:
    """A callable that gives a coroutine, and does not say so."""

    def __call__(self, state: State) -> Any:
        """Ask."""
        return _asks_later(state)


def _asks(state: State) -> dict[str, Any]:
    return {"m": f"b:{interrupt('b?')}"}


@each_run
@pytest.mark.parametrize("action", [_asks, _asks_later, AsksLater()])
def test_sync_and_async_actions(action: Any, run: Any) -> None:
    """K5, X1: on the main path and in a branch."""
    for built in (chain(b=action), graph("START > a", "a > b, c", "b > d", "c > d", "d > END", b=action)):
        app = built.compile()
        assert asked(run(app, {}, T)) == [("b", "b?")]
        assert run(app, GO_ON, T.with_resume("yes")).state["m"][:2] == ["a", "b:yes"]


@each_run
@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor, Simple])
def test_executors(kind: Any, run: Any) -> None:
    """K5, P10: from a thread's or another process's action it comes back as a result, and the answers go there."""
    with Simple() if kind is Simple else kind(1) as executor:
        for edges in (("START > b", "b > END"), ("START > a", "a > b, c", "b > d", "c > d", "d > END")):
            built = graph(*edges, later=["b"]).add_node("b", _asks, executor=executor)
            app = built.compile()
            assert asked(run(app, {}, T)) == [("b", "b?")]
            assert "b:yes" in run(app, GO_ON, T.with_resume("yes")).state["m"]


def _asks_what_can_not_travel(state: State) -> Any:
    return interrupt(threading.Lock())


def test_a_question_that_can_not_leave_its_process() -> None:
    """E1, P10: it fails the node, and breaks nobody's pool."""
    with ProcessPoolExecutor(1) as executor:
        app = chain(b=_asks).compile()
        built = StateGraph().add_node("b", _asks_what_can_not_travel, executor=executor)
        failure = failure_of(built.add_edge(START, "b").add_edge("b", END).compile(), {}, T)
        assert "can not be pickled" in str(failure)
        assert asked(app.run({}, T)) == [("b", "b?")]


def test_in_branches_together_or_one_by_one(saver: BaseCheckpointSaver) -> None:
    """K5, P12: several branches ask at once; they are answered in any grouping."""
    edges = ("START > a", "a > b, c, e", "b > d", "c > d", "e > d", "d > END")
    app = compiled(graph(*edges, b=asks("b"), c=asks("c")), saver)
    first = app.run({}, T)
    assert asked(first) == [("b", "b?"), ("c", "c?")]
    done = app.run(GO_ON, answers(first, {"c": 2, "b": 1}))
    assert done.state["m"] == ["a", "b:1", "c:2", "e", "d"]
    first = app.run({}, T)
    second = app.run(GO_ON, answers(first, {"c": 2}))
    assert asked(second) == [("b", "b?")]
    assert app.invoke(GO_ON, T.with_resume(1))["m"][-5:] == ["a", "b:1", "c:2", "e", "d"]


def test_in_copies(saver: BaseCheckpointSaver) -> None:
    """K5, P6: each `Send` copy asks for itself, and is answered by its own id."""
    built = graph("START > a", "a", "w > z", "z > END", w=node(lambda s: {"m": f"{s['item']}:{interrupt(s['item'])}"}))
    route = says([Send("w", {"item": number}) for number in range(3)])
    built.add_parallel_conditional_edges("a", route, ["w"], sends=["w"])
    app = compiled(built, saver)
    paused = app.run({}, T)
    assert [(each.payload, each.branch) for each in paused.interruptions] == [(0, (0,)), (1, (1,)), (2, (2,))]
    first, second, third = [each.id for each in paused.interruptions]
    paused = app.run(GO_ON, T.with_resume(answers={third: "c", first: "a"}))
    assert [each.id for each in paused.interruptions] == [second]
    assert app.invoke(GO_ON, T.with_resume("b"))["m"] == ["a", "0:a", "1:b", "2:c", "z"]


def test_many_copies() -> None:
    """P6: a thousand copies ask, and are answered at once."""
    built = graph("START > a", "a", "w > z", "z > END", w=node(lambda s: {"m": interrupt(s["item"])}))
    route = says([Send("w", {"item": number}) for number in range(1000)])
    app = built.add_parallel_conditional_edges("a", route, ["w"], sends=["w"]).compile()
    paused = app.run({}, T)
    config = T.with_resume(answers={each.id: -each.payload for each in paused.interruptions})
    assert app.invoke(GO_ON, config)["m"] == ["a", *(-number for number in range(1000)), "z"]


def test_a_command_after_an_answer() -> None:
    """K5, R9: a node that asks may return a command."""

    def ask(state: State) -> Command:
        return Command("c" if interrupt("go on?") else END, {"m": "b"})

    app = graph("START > b", "c > END", later=["b"]).add_node("b", ask, destinations=["c", END]).compile()
    app.run({}, T)
    assert app.invoke(GO_ON, T.with_resume("yes"))["m"] == ["b", "c"]
    app.run({}, T)
    assert app.invoke(GO_ON, T.with_resume(""))["m"] == ["b", "c", "b"]


class TestWhereItCanNotBe:
    """K5: a question that nobody could answer is a clear error."""

    def test_outside_of_a_run(self) -> None:
        """It says where it belongs."""
        with pytest.raises(GraphInterrupt, match="has to be called by a node of a graph that runs"):
            interrupt("?")

    def test_without_a_saver(self) -> None:
        """K5: interrupts without a saver are an error, on the main path and in a branch."""
        for built in (chain(b=asks("b")), graph("START > a", "a > b, c", "b > d", "c > d", "d > END", b=asks("b"))):
            failure = failure_of(built.compile(CompileConfig(checkpoint_saver=None)), {})
            assert (failure.code, failure.node_id) == ("missing_checkpoint_saver", "b")

    def test_in_a_route(self) -> None:
        """K5: only nodes ask; the route's node is not lost."""
        app = chain_with_route(interrupt).compile()
        failure = failure_of(app, {}, T)
        assert (failure.code, failure.node_id) == ("misplaced_interrupt", "a")
        assert app.get_state(T).is_pending

    def test_in_a_strategy(self) -> None:
        """K5: nor do strategies, in a branch or not."""

        def ask(old: Any, new: Any) -> Any:
            return interrupt("?")

        for edges in (("START > a", "a > END"), ("START > s", "s > a, b", "a > z", "b > z", "z > END")):
            built = graph(*edges, strategies={"k": ask}, make=lambda _: says({}), a=says({"k": 1}))
            failure = failure_of(built.compile(), {}, T)
            assert (failure.code, failure.thread_id) == ("misplaced_interrupt", "t")

    def test_a_payload_that_can_not_be_kept(self) -> None:
        """K5: it fails the run, and names the node and what is wrong; what siblings have done is kept."""
        for edges in (CHAIN, ("START > a", "a > b, x, y", "b > d", "x > d", "y > d", "d > END")):
            built = graph(*edges, b=node(lambda state: interrupt(threading.Lock())), **_sibling_that_asks(edges))
            app = compiled(built, MemorySaver(serialize=True))
            machine = drive(app, {}, T, at_once=3)
            assert machine.error is not None
            assert (machine.error.node_id, machine.error.code) == ("b", "unregistered_type")
            assert "lock" in str(machine.error)
            snapshot = app.get_state(T)
            assert (snapshot.status, "x" in snapshot.state["m"]) == ("failed", edges is not CHAIN)

    def test_in_a_thread_of_the_node(self) -> None:
        """K5: a thread that does not carry the node's context would ask for ever: that is an error."""

        def ask(state: State) -> Any:
            with ThreadPoolExecutor(1) as pool:
                return {"m": pool.submit(interrupt, "?").result()}

        for edges in (CHAIN, ("START > a", "a > b, x", "b > d", "x > d", "d > END")):
            app = graph(*edges, b=ask).compile()
            app.run({}, T)
            failure = failure_of(app, GO_ON, T.with_resume(1))
            assert (failure.code, failure.node_id) == ("misplaced_interrupt", "b")
            assert "where the answers that it has do not reach" in str(failure)

    def test_an_answer_that_can_not_be_kept(self) -> None:
        """K5: nothing runs, and the question stays."""
        app = compiled(chain(b=asks("b")), MemorySaver(serialize=True))
        app.run({}, T)
        failure = failure_of(app, GO_ON, T.with_resume(threading.Lock()))
        assert "lock" in str(failure)
        snapshot = app.get_state(T)
        assert (snapshot.status, [each.payload for each in snapshot.interruptions]) == ("interrupted", ["b?"])
        assert app.invoke(GO_ON, T.with_resume("yes"))["m"] == ["a", "b:yes", "c"]


def chain_with_route(route: Any) -> StateGraph:
    """A node with a route."""
    return graph("START > a", "a", "b > END").add_conditional_edges("a", route, ["b"])


class TestRunsInside:
    """C6, K5: a run that a node starts has questions of its own."""

    def test_answers_do_not_reach_it(self) -> None:
        """C6: the answers of the node are not for the nodes of a run in it, sync or async, streamed or not."""
        inner = StateGraph().add_node("i", lambda state: {"x": interrupt("inner?")})
        child = inner.add_edge(START, "i").add_edge("i", END).compile()

        def ask(state: State) -> dict[str, Any]:
            answer = interrupt("outer?")
            first = [output.node for output in child.stream({})]
            assert interrupt("again?") == "b"
            return {"m": [answer, *first, child.run({}).status]}

        async def ask_async(state: State) -> dict[str, Any]:
            answer = interrupt("outer?")
            first = [output.node async for output in child.astream({})]
            assert interrupt("again?") == "b"
            return {"m": [answer, *first, (await child.arun({})).status]}

        for action in (ask, ask_async):
            app = chain(b=action).compile()
            app.run({}, T)
            assert asked(app.run(GO_ON, T.with_resume("a"))) == [("b", "again?")]
            state = app.invoke(GO_ON, T.with_resume("b"))
            assert state["m"] == ["a", "a", START, "i", "interrupted", "c"]

    def test_a_stream_that_is_not_read_to_its_end(self) -> None:
        """C6: what a node leaves is closed apart from its answers, too."""
        child = chain().compile()

        def ask(state: State) -> dict[str, Any]:
            answer = interrupt("?")
            stream = child.stream({})
            first = next(stream).node
            stream.close()
            return {"m": f"{answer} {first}"}

        async def ask_async(state: State) -> dict[str, Any]:
            answer = interrupt("?")
            stream = child.astream({})
            first = (await anext(stream)).node
            await stream.aclose()
            return {"m": f"{answer} {first}"}

        for action in (ask, ask_async):
            app = chain(b=action).compile()
            app.run({}, T)
            assert app.invoke(GO_ON, T.with_resume(1))["m"] == ["a", f"1 {START}", "c"]


def test_a_private_run_names_its_thread() -> None:
    """K5, X5: a run without thread id that pauses leaves one checkpoint, and names it."""
    for edges in (("START > a", "a > b", "b > c", "c > END"), ("START > a", "a > b, d", "b > c", "d > c", "c > END")):
        app = graph(*edges, b=asks("b")).compile()
        paused = app.run({})
        assert paused.interruptions[0].config is not None
        assert paused.interruptions[0].config.thread_id == paused.config.thread_id
        thread = RunnableConfig(thread_id=paused.config.thread_id)
        assert len(app.get_state_history(thread)) == 1
        assert app.run(GO_ON, thread.with_resume("yes")).state["m"][:2] == ["a", "b:yes"]


def test_streams() -> None:
    """X1, P12: the interruptions are the last outputs of a run, in every mode."""
    app = chain(b=asks("b")).compile()
    assert outputs(app, {}) == [START, "a", "b?inside"]
    assert outputs(app, GO_ON) == ["b?inside"]
    assert outputs(app, GO_ON, T.with_resume("yes")) == ["b", "c", END]


def test_try_invoke() -> None:
    """X1: a pause is no failure."""
    app = chain(b=asks("b")).compile()
    assert app.try_invoke({}, T).unwrap()["m"] == ["a"]


def test_errors_survive_pickling() -> None:
    """E1: with what was asked."""
    import pickle

    error = pickle.loads(pickle.dumps(GraphInterrupt({"a": 1}, 2)))  # noqa: S301  (our own bytes)
    assert (error.payload, error.index) == ({"a": 1}, 2)
    assert isinstance(GraphRunnerException("no"), Exception)
    assert not isinstance(error, Exception)


def test_append_is_the_only_strategy_needed() -> None:
    """K5: an answer is a value as any other: the strategies merge what the node makes of it."""
    built = StateGraph({"m": APPEND}).add_node("a", lambda state: {"m": interrupt("which?")})
    app = built.add_edge(START, "a").add_edge("a", END).compile()
    app.run({}, T)
    assert app.invoke(GO_ON, T.with_resume(["x", "y"]))["m"] == ["x", "y"]
