"""K1: what a run leaves in the history of its thread."""

from typing import Any

import pytest

from graph_core import (
    APPEND,
    END,
    START,
    BaseCheckpointSaver,
    Command,
    GraphRunnerException,
    InvalidRecordError,
    MultiCommand,
    RunnableConfig,
    Send,
    StateGraph,
)
from graph_core_tests.resume.keeping import Flaky, T, compiled, history_of, saver, shown
from graph_core_tests.shapes import RUNNERS, Runner, graph, says

each_runner = pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS.keys())
__all__ = ["saver"]
DIAMOND = ("START > a", "a > b, c", "b > d", "c > d", "d > END")


class TestMainPath:
    @each_runner
    def test_every_boundary(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1: START and every node write an entry with what comes next."""
        app = compiled(graph("START > a", "a > b", "b > END"), saver)
        run(app, {"m": "in"}, T)
        assert history_of(app) == [
            (START, ("a",), ["in"]),
            ("a", ("b",), ["in", "a"]),
            ("b", (END,), ["in", "a", "b"]),
        ]

    def test_parents_steps_and_runs(self, saver: BaseCheckpointSaver) -> None:
        """K1: an entry knows its parent, its step and its run."""
        app = compiled(graph("START > a", "a > b", "b > END"), saver)
        app.invoke({}, T)
        last, middle, first = app.get_state_history(T)
        assert [each.step for each in (first, middle, last)] == [0, 1, 2]
        assert first.parent_id is None
        assert (middle.parent_id, last.parent_id) == (first.config.checkpoint_id, middle.config.checkpoint_id)
        assert {each.run_id for each in (first, middle, last)} == {last.run_id}
        assert first.created_at.tzinfo is not None

    @each_runner
    def test_a_step_is_a_node_with_its_route(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1: it is saved once, when its route is known, with what the route changed."""
        built = graph("START > a", "b > END").add_conditional_edges("a", says(Command("b", {"m": "r"})), ["b"])
        app = compiled(built.add_node("b", says({"m": "b"})) if "b" not in built.node_ids else built, saver)
        run(app, {}, T)
        assert history_of(app) == [(START, ("a",), []), ("a", ("b",), ["a", "r"]), ("b", (END,), ["a", "r", "b"])]

    @each_runner
    def test_a_condition_at_start(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1: START is saved with where its condition leads."""
        built = graph("a > END").add_conditional_edges(START, says(Command("a", {"m": "r"})), ["a"])
        app = compiled(built, saver)
        run(app, {}, T)
        assert history_of(app) == [(START, ("a",), ["r"]), ("a", (END,), ["r", "a"])]

    @each_runner
    def test_a_nodes_command(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1, R9: a node that returns a command is saved with its target."""
        built = graph("START > a", "b > END", later=["a"]).add_node("a", says(Command("b", {"m": "a"})), ["b"])
        app = compiled(built, saver)
        run(app, {}, T)
        assert history_of(app) == [(START, ("a",), []), ("a", ("b",), ["a"]), ("b", (END,), ["a", "b"])]

    def test_a_second_run(self, saver: BaseCheckpointSaver) -> None:
        """K2: another input starts anew on top of what the thread has."""
        app = compiled(graph("START > a", "a > END"), saver)
        app.invoke({"m": "1"}, T)
        assert app.invoke({"m": "2"}, T)["m"] == ["1", "a", "2", "a"]
        assert [each[0] for each in history_of(app)] == [START, "a", START, "a"]
        assert app.invoke({}, T)["m"] == ["1", "a", "2", "a", "a"]


class TestRegions:
    @each_runner
    def test_entering_and_leaving(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1: entering a region and leaving it are entries; between them there are none."""
        app = compiled(graph(*DIAMOND), saver)
        run(app, {}, T)
        assert history_of(app) == [
            (START, ("a",), []),
            ("a", ("__PARALLEL__(a)",), ["a", "b", "c"]),
            ("__PARALLEL__(a)", ("d",), ["a", "b", "c"]),
            ("d", (END,), ["a", "b", "c", "d"]),
        ]

    @each_runner
    def test_branch_records(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1: each finished branch node appends one record to the entry of the region."""
        app = compiled(graph("START > a", "a > b, c", "b > e", "c > d", "e > d", "d > END"), saver)
        run(app, {}, T)
        entry = next(each for each in saver.list("t") if each.next_node_ids == ("__PARALLEL__(a)",))
        found = sorted((record.key, record.node_id, record.step, record.updates) for record in entry.records)
        assert found == [((0,), "b", 2, ({"m": "b"},)), ((0,), "e", 3, ({"m": "e"},)), ((1,), "c", 2, ({"m": "c"},))]
        assert dict(entry.state) == {"m": ["a"]}

    @each_runner
    def test_a_fork_at_start(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1: a fork at START has one entry, which enters its region."""
        app = compiled(graph("START > b, c", "b > d", "c > d", "d > END"), saver)
        run(app, {"m": "in"}, T)
        assert [each[:2] for each in history_of(app)] == [
            (START, ("__PARALLEL__(__START__)",)),
            ("__PARALLEL__(__START__)", ("d",)),
            ("d", (END,)),
        ]

    @each_runner
    @pytest.mark.parametrize("answer", [[], MultiCommand.nothing({"m": "r"}), [END]], ids=["empty", "nothing", "end"])
    def test_nothing_chosen(self, saver: BaseCheckpointSaver, answer: Any, run: Runner) -> None:
        """K1: a multi route that chooses no node enters and leaves; `END` alone leaves at once."""
        built = graph("START > a", "b > d", "c > d", "d > END")
        app = compiled(built.add_parallel_conditional_edges("a", says(answer), ["b", "c", END]), saver)
        run(app, {}, T)
        nodes = [each[:2] for each in history_of(app)]
        if answer == [END]:
            assert nodes == [(START, ("a",)), ("a", (END,))]
        else:
            assert nodes[1:3] == [("a", ("__PARALLEL__(a)",)), ("__PARALLEL__(a)", ("d",))]

    @each_runner
    def test_copies_before_a_fixed_fork(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1, P1: copies join right behind a fixed fork, which then is a region of its own."""
        built = graph("START > s", "w > x, y", "x > z", "y > z", "z > END")
        built.add_parallel_conditional_edges("s", says([Send("w", {"i": 1}), Send("w", {"i": 2})]), ["w"])
        app = compiled(built, saver)
        run(app, {}, T)
        assert [each[:2] for each in history_of(app)] == [
            (START, ("s",)),
            ("s", ("__PARALLEL__(s)",)),
            ("__PARALLEL__(s)", ("__PARALLEL__(w)",)),
            ("w", ("__PARALLEL__(w)",)),
            ("__PARALLEL__(w)", ("z",)),
            ("z", (END,)),
        ]
        assert app.get_state(T).state["m"] == ["s", "w", "w", "x", "y", "z"]


class TestWhileItStands:
    @each_runner
    def test_next_nodes_and_preview(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1: in a region `next` are the nodes of branches that have not arrived, `state` previews the merge."""
        flaky = Flaky(failing={"e", "c"})
        built = graph("START > a", "a > b, c, f", "b > e", "e > d", "c > d", "f > d", "d > END", make=flaky)
        app = compiled(built, saver, on_branch_error="wait")
        run(app, {}, T)
        assert shown(app.get_state(T)) == ("a", ("e", "c"), ["a", "b", "f"])
        assert app.get_state(T).status == "failed"
        assert history_of(app)[-1] == ("a", ("e", "c"), ["a", "b", "f"])

    @each_runner
    def test_nested_regions(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1: of a branch that is in an inner region the branches there are shown."""
        flaky = Flaky(failing={"y"})
        built = graph("START > a", "a > b, c", "b > x, y", "x > z", "y > z", "z > d", "c > d", "d > END", make=flaky)
        app = compiled(built, saver, on_branch_error="wait")
        run(app, {}, T)
        assert shown(app.get_state(T)) == ("a", ("y",), ["a", "b", "x", "c"])

    @each_runner
    def test_a_branch_that_waits(self, saver: BaseCheckpointSaver, run: Runner) -> None:
        """K1, P3: a branch that waits for another one stands on its node."""
        flaky = Flaky(failing={"c"})
        built = graph("START > a", "a > b, c", "b > e, d", "c > e", "d > f", "e > f", "f > END", make=flaky)
        app = compiled(built, saver, on_branch_error="wait")
        run(app, {}, T)
        assert shown(app.get_state(T)) == ("a", ("e", "c"), ["a", "b", "d"])


class TestVerbs:
    def test_limit_and_before(self, saver: BaseCheckpointSaver) -> None:
        """K1: a part of the history, newest first."""
        app = compiled(graph("START > a", "a > b", "b > END"), saver)
        app.invoke({}, T)
        everything = app.get_state_history(T)
        assert [each.node for each in app.get_state_history(T, limit=2)] == ["b", "a"]
        assert [each.node for each in app.get_state_history(T, before=everything[0].config)] == ["a", START]
        assert [each.node for each in app.get_state_history(T, before=everything[1].config.checkpoint_id)] == [START]
        assert app.get_state_history(T, limit=0) == ()
        assert app.get_state_history(RunnableConfig(thread_id="other")) == ()

    async def test_a_twins(self, saver: BaseCheckpointSaver) -> None:
        """X1: the a-twins give the same."""
        app = compiled(graph("START > a", "a > END"), saver)
        await app.ainvoke({}, T)
        assert shown(await app.aget_state(T)) == shown(app.get_state(T))
        assert [shown(each) for each in await app.aget_state_history(T)] == [
            shown(each) for each in app.get_state_history(T)
        ]
        assert shown((await app.astate_of(T)).unwrap()) == shown(app.get_state(T))
        with pytest.raises(GraphRunnerException, match="has no checkpoint"):
            await app.aget_state(RunnableConfig(thread_id="other"))

    def test_of_an_old_checkpoint(self, saver: BaseCheckpointSaver) -> None:
        """K1: `checkpoint_id` names an entry; only the last one has a status."""
        app = compiled(graph("START > a", "a > b", "b > END"), saver)
        app.invoke({}, T)
        middle = app.get_state_history(T)[1]
        assert shown(app.get_state(middle.config)) == ("a", ("b",), ["a"])
        assert (app.get_state(middle.config).status, app.get_state(T).status) == (None, "done")

    def test_what_is_not_there(self, saver: BaseCheckpointSaver) -> None:
        """K6: `state_of` says that there is nothing, `get_state` raises; ids that are unknown are named."""
        app = compiled(graph("START > a", "a > END"), saver)
        nobody = RunnableConfig(thread_id="nobody")
        assert str(app.state_of(nobody)) == "<Nothing>"
        with pytest.raises(GraphRunnerException) as raised:
            app.get_state(nobody)
        assert (raised.value.code, "'nobody'" in str(raised.value)) == ("missing_checkpoint", True)
        app.invoke({}, T)
        with pytest.raises(GraphRunnerException) as raised:
            app.get_state(T.with_checkpoint_id("zz"))
        assert raised.value.code == "unknown_checkpoint"

    @pytest.mark.parametrize("verb", ["get_state", "state_of", "get_state_history"])
    def test_without_a_thread(self, verb: str) -> None:
        """K1: a thread has to be named, and there has to be a saver."""
        app = graph("START > a", "a > END").compile()
        with pytest.raises(GraphRunnerException) as raised:
            getattr(app, verb)(RunnableConfig())
        assert raised.value.code == "missing_thread_id"
        with pytest.raises(GraphRunnerException) as raised:
            getattr(compiled_without(), verb)(T)
        assert raised.value.code == "missing_checkpoint_saver"

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"limit": "2"}, "limit must be a whole number"),
            ({"limit": -1}, "limit must be a whole number"),
            ({"limit": True}, "limit must be a whole number"),
            ({"before": 5}, "before must be a checkpoint id"),
            ({"before": T}, "before must be a checkpoint id"),
        ],
        ids=str,
    )
    def test_bad_options(self, options: Any, text: str) -> None:
        """K1: what is no number and no checkpoint is refused."""
        app = graph("START > a", "a > END").compile()
        app.invoke({}, T)
        with pytest.raises(InvalidRecordError, match=text):
            app.get_state_history(T, **options)
        wrong: Any = 5
        with pytest.raises(InvalidRecordError, match="must be a RunnableConfig"):
            app.get_state(wrong)


def compiled_without() -> Any:
    """A graph that keeps nothing."""
    from graph_core import CompileConfig

    return graph("START > a", "a > END").compile(CompileConfig(checkpoint_saver=None))


def test_a_fresh_saver_per_compile() -> None:
    """K1: without a saver of one's own every compile has one in memory."""
    built = graph("START > a", "a > END")
    one, other = built.compile(), built.compile()
    one.invoke({}, T)
    assert one.get_state(T).status == "done"
    assert str(other.state_of(T)) == "<Nothing>"
    assert one.config.checkpoint_saver is not other.config.checkpoint_saver


def test_appended_lists_write_their_tail() -> None:
    """K9: unchanged keys are not written again, and an appended list writes what is new."""
    from graph_core import MemorySaver

    puts: list[Any] = []
    kept = MemorySaver()
    original = kept.put

    def put(checkpoint: Any, changes: Any, **options: Any) -> None:
        puts.append((checkpoint.node_id, dict(changes)))
        original(checkpoint, changes, **options)

    kept.put = put  # type: ignore[method-assign]
    built: Any = StateGraph({"m": APPEND}).add_node("a", says({"m": ["x", "y"]})).add_node("b", says({"n": 1}))
    built.add_edge(START, "a").add_edge("a", "b").add_edge("b", END)
    compiled(built, kept).invoke({"m": ["in"], "k": "big"}, T)
    assert [(node, {key: repr(change) for key, change in changes.items()}) for node, changes in puts] == [
        (START, {"m": "Put(value=['in'])", "k": "Put(value='big')"}),
        ("a", {"m": "Append(tail=['x', 'y'])"}),
        ("b", {"n": "Put(value=1)"}),
    ]
