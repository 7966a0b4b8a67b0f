"""C1, C2: every problem with its code, text and place, and all of a graph in one error."""

import pytest

from graph_core import (
    END,
    START,
    Command,
    CommandAction,
    CompileConfig,
    GraphStateException,
    MultiCommandAction,
    StateGraph,
)
from graph_core_tests.shapes import State, codes, graph, problems_of, says


def text_of(built: StateGraph, code: str, place: str) -> str:
    """The text of the only problem of a graph, which has this code and place."""
    found = problems_of(built)
    assert found.keys() == {(code, place)}
    return found[code, place]


class TestIds:
    @pytest.mark.parametrize("bad", ["", " ", "\t"])
    def test_a_blank_id(self, bad: str) -> None:
        """C1: a blank id is no id."""
        built = StateGraph().add_node(bad, says({})).add_edge(START, bad)
        assert ("invalid_node_identifier", f"node {bad}") in problems_of(built)

    def test_a_reserved_id(self) -> None:
        """C1: ids that begin with two underscores are the library's."""
        built = StateGraph().add_node("__a", says({})).add_edge(START, "__a").add_edge("__a", END)
        text = text_of(built, "invalid_node_identifier", "node __a")
        assert text == "'__a' is not a valid node id: ids that begin with '__' are reserved; give the node another name"

    def test_one_underscore_is_fine(self) -> None:
        """C1: only two are reserved."""
        built = StateGraph().add_node("_a", says({})).add_edge(START, "_a").add_edge("_a", END)
        assert built.validate() == ()

    def test_start_as_a_node(self) -> None:
        """C1: START is no node's id."""
        built = StateGraph().add_node(START, says({})).add_node("a", says({})).add_edge(START, "a").add_edge("a", END)
        assert ("invalid_node_identifier", "node __START__") in problems_of(built)


class TestEdges:
    def test_no_entry(self) -> None:
        """C1: Java's text, and what to do."""
        text = text_of(StateGraph(), "missing_entry_point", "edge START → ?")
        assert text.startswith("missing Entry Point; add one: add_edge(START, node)")

    def test_an_unknown_source(self) -> None:
        """C1: Java's text, naming the id."""
        built = graph("START > a", "a > END").add_edge("zz", "a")
        text = text_of(built, "missing_node_referenced_by_edge", "edge zz → …")
        assert text == "edge sourceId 'zz' refers to undefined node! Add it with add_node."

    def test_an_unknown_target(self) -> None:
        """C1: source and target in text and place."""
        text = text_of(graph("START > a").add_edge("a", "zz"), "missing_node_referenced_by_edge", "edge a → zz")
        assert text == "edge from 'a' refers to undefined node 'zz'! Add it with add_node."

    def test_an_unknown_target_of_a_mapping(self) -> None:
        """C1: the label is named, too."""
        built = graph("START > a").add_conditional_edges("a", says("x"), {"x": "zz", "y": END})
        text = text_of(built, "missing_node_in_edge_mapping", "edge a → zz")
        assert text == "edge mapping for sourceId: 'a' contains a not existent nodeId 'zz' (label 'x')!"

    def test_an_unknown_target_of_a_command(self) -> None:
        """R9: the declared targets of a node's commands are checked as any mapping."""
        built = graph("START > a").add_node("c", CommandAction(says("x")), {"x": "zz", "y": END}).add_edge("a", "c")
        assert problems_of(built).keys() == {("missing_node_in_edge_mapping", "edge c → zz")}

    def test_into_start(self) -> None:
        """C2: START is where a run begins, not where it goes."""
        built = graph("START > a").add_edge("a", START)
        assert text_of(built, "edge_into_start", "edge a → START").endswith("name the first node instead")

    def test_into_start_by_a_mapping(self) -> None:
        """C2: the same for a condition."""
        built = graph("START > a").add_conditional_edges("a", says("x"), {"x": START, "y": END})
        assert problems_of(built).keys() == {("edge_into_start", "edge a → START")}

    def test_end_among_fixed_targets(self) -> None:
        """P1: END is no branch."""
        built = graph("START > a", "b > END").add_edge("a", ["b", END])
        assert "drop that edge" in text_of(built, "end_among_targets", "edge a → END")

    def test_duplicate_targets(self) -> None:
        """C1: Java's text names the source and all duplicates."""
        built = graph("START > a", "b > END", "c > END").add_edge("a", ["b", "c", "b", "c"])
        text = text_of(built, "duplicate_edge_target_error", "edge a → b, c")
        assert text.startswith("edge ['a'] has duplicate targets ['b', 'c']!")

    def test_two_conditions_of_one_name(self) -> None:
        """R8: two of one name on one source."""
        built = graph("START > a", "b > END")
        for _ in range(2):
            built.add_conditional_edges("a", says("b"), ["b", END], name="n")
        assert "give one of them name=…" in text_of(built, "duplicate_conditional_edge_error", "edge a → n")


class TestWays:
    def test_no_way_out(self) -> None:
        """C2: a node without an edge; the text names both fixes."""
        text = text_of(graph("START > a"), "missing_edge", "node a")
        assert text.startswith("edge with sourceId: 'a' doesn't exist!")
        assert "add_edge('a', END)" in text
        assert "destinations=" in text

    def test_unreachable(self) -> None:
        """C2: a node that no way from START leads to."""
        text = text_of(graph("START > a", "a > END", "b > END"), "unreachable_node", "node b")
        assert text == "node 'b' can not be reached from START; lead an edge to it, or remove it"

    def test_a_loop_without_exit(self) -> None:
        """C2: every node from which END can not be reached."""
        found = problems_of(graph("START > a", "a > b", "b > a"))
        assert found.keys() == {("node_never_finishes", "node a"), ("node_never_finishes", "node b")}
        assert "add_edge('a', END)" in found["node_never_finishes", "node a"]

    def test_a_condition_is_a_way_out_if_one_label_is(self) -> None:
        """C2: a route can finish if some target can."""
        built = graph("START > a", "a > b").add_conditional_edges("b", says("a"), ["a", END])
        assert built.validate() == ()

    def test_fixed_targets_finish_only_if_all_do(self) -> None:
        """C2: a branch that never ends keeps the fork from finishing."""
        found = problems_of(graph("START > a", "a > b, c", "b > END", "c > c"))
        assert found.keys() == {("node_never_finishes", "node a"), ("node_never_finishes", "node c")}

    def test_a_condition_beside_a_fixed_target_has_to_finish_too(self) -> None:
        """C2: of several routes each must be able to finish."""
        built = graph("START > a", "a > b", "b > END", "c > c").add_conditional_edges("a", says("c"), ["c"])
        assert ("node_never_finishes", "node a") in problems_of(built)

    def test_a_self_loop(self) -> None:
        """C2: a node that only leads to itself."""
        assert problems_of(graph("START > a", "a > a")).keys() == {("node_never_finishes", "node a")}

    def test_a_command_may_finish(self) -> None:
        """R9: a command that replaces the edges is a way out of a loop."""
        built = graph("START > a").add_node("b", says({}), destinations=[END]).add_edge("a", "b").add_edge("b", "a")
        assert built.validate() == ()

    def test_a_node_that_leads_to_what_never_finishes(self) -> None:
        """C2: least fixpoint: what leads only into the loop never finishes either."""
        found = problems_of(graph("START > z", "z > a", "a > b", "b > a"))
        assert {place for _, place in found} == {"node z", "node a", "node b"}

    def test_nothing_follows_from_an_unknown_target(self) -> None:
        """C1: a way that is broken anyway is not reported as a loop."""
        assert codes(graph("START > a").add_edge("a", "zz").validate()) == ["missing_node_referenced_by_edge"]


class TestUndeclared:
    def test_a_fork(self) -> None:
        """R3: a route of a fork has to say where it may go."""
        built = graph("START > a", "b > END").add_edge("a", "b").add_conditional_edges("a", says("b"))
        assert "is part of a fork" in text_of(built, "undeclared_targets", "edge a → ?")

    def test_behind_a_fork(self) -> None:
        """R3: a single route that a fork can reach, too."""
        built = graph("START > a", "a > b, c", "c > END").add_conditional_edges("b", says(END))
        assert "mappings={label: node}" in text_of(built, "undeclared_targets", "edge b → ?")
        assert "a fork leads to it" in text_of(built, "undeclared_targets", "edge b → ?")

    def test_without_a_fork(self) -> None:
        """R3: without a fork it is allowed."""
        built = graph("START > a", "b > END").add_conditional_edges("a", says("b"))
        assert built.validate() == ()

    def test_a_command_without_targets(self) -> None:
        """R9: a command action has to declare its targets."""
        for action in (CommandAction(says("b")), MultiCommandAction(says("b"))):
            built = graph("START > a", "b > END").add_node("c", action).add_edge("a", ["b", "c"])
            assert ("undeclared_targets", "edge c → ?") in problems_of(built)

    def test_a_command_annotation_without_labels(self) -> None:
        """R9: `-> Command` names no targets."""

        def act(state: State) -> Command:
            return Command("b")

        built = StateGraph().add_node("a", act).add_edge(START, "a")
        assert codes(built.validate()) == ["undeclared_targets"]


class TestConfigIds:
    def test_sends_of_a_node(self) -> None:
        """C2: `sends=` of a node names nodes."""
        built = graph("START > a", "b > END").add_node("c", MultiCommandAction(says("b")), ["b"], sends=["zz"])
        assert problems_of(built.add_edge("a", "c")).keys() == {("unknown_id", "sends= of 'c'")}

    def test_sends_to_end(self) -> None:
        """P1: END is no Send target."""
        built = graph("START > a", "b > END").add_parallel_conditional_edges("a", says("b"), ["b"], sends=[END])
        assert codes(built.validate()) == ["unknown_id"]

    def test_converge_at_of_no_node(self) -> None:
        """C2: `converge_at=` names a node; the text lists those that can be."""
        built = graph("START > a", "b > d", "c > d", "d > END").add_edge("a", ["b", "c"], converge_at="zz")
        text = text_of(built, "invalid_converge_at", "fork a")
        assert "['d', '__END__']" in text

    def test_converge_at_without_a_fork(self) -> None:
        """P1: where nothing forks nothing joins."""
        built = graph("START > a", "b > END").add_edge("a", "b", converge_at="b")
        assert "there is only one way out" in text_of(built, "invalid_converge_at", "fork a")

    def test_two_places_to_converge(self) -> None:
        """P1: one fork converges at one node."""
        built = graph("START > a", "b > d", "c > d", "d > e", "e > END")
        built.add_edge("a", "b", converge_at="d").add_edge("a", "c", converge_at="e")
        assert "['d', 'e']" in text_of(built, "invalid_converge_at", "fork a")


class TestHints:
    @pytest.mark.parametrize("wrong", ["__end__", "END", "end", "__End__"])
    def test_end(self, wrong: str) -> None:
        """C2: an id like `__end__` gets the hint END."""
        built = graph("START > a").add_edge("a", wrong)
        assert "Did you mean the constant END?" in text_of(
            built, "missing_node_referenced_by_edge", f"edge a → {wrong}"
        )

    @pytest.mark.parametrize("wrong", ["__start__", "START", "start"])
    def test_start(self, wrong: str) -> None:
        """C2: an id like `__start__` gets the hint START."""
        built = graph("START > a", "a > END").add_edge(wrong, "a")
        text = text_of(built, "missing_node_referenced_by_edge", f"edge {wrong} → …")
        assert "Did you mean the constant START?" in text

    def test_end_in_a_mapping(self) -> None:
        """C2: the same in a mapping."""
        built = graph("START > a").add_conditional_edges("a", says("x"), {"x": "__end__", "y": END})
        text = text_of(built, "missing_node_in_edge_mapping", "edge a → __end__")
        assert "Did you mean the constant END?" in text

    def test_a_misspelt_id(self) -> None:
        """C2: the nearest id."""
        built = graph("START > summarize", "summarize > END").add_edge("summarise", "summarize")
        text = text_of(built, "missing_node_referenced_by_edge", "edge summarise → …")
        assert "Did you mean 'summarize'?" in text

    def test_nothing_is_near(self) -> None:
        """C2: no hint where nothing is near."""
        text = text_of(graph("START > a").add_edge("a", "zebra"), "missing_node_referenced_by_edge", "edge a → zebra")
        assert "Did you mean" not in text


class TestTogether:
    def test_all_of_one_graph(self) -> None:
        """C1: everything at once, in the order of the checks."""
        built = graph("START > a", "lost > END").add_edge("a", "zz").add_node("__x", says({})).add_edge("no", "a")
        built.add_conditional_edges("lost", says("x"), {"x": "__end__"}).add_edge("a", "a").add_edge("a", "a")
        with pytest.raises(GraphStateException) as caught:
            built.compile()
        assert codes(caught.value.errors) == [
            "invalid_node_identifier",
            "missing_node_in_edge_mapping",
            "duplicate_edge_target_error",
            "missing_node_referenced_by_edge",
            "missing_node_referenced_by_edge",
            "missing_edge",
            "unreachable_node",
            "unreachable_node",
        ]

    def test_the_text_of_the_error_has_a_line_for_each(self) -> None:
        """C1: code, place and text of each problem."""
        built = graph("START > a", "b > END")
        with pytest.raises(GraphStateException) as caught:
            built.compile()
        lines = str(caught.value).splitlines()
        assert [line.split(":")[0] for line in lines] == ["[missing_edge] node a", "[unreachable_node] node b"]

    def test_faults_of_forks_come_with_the_others(self) -> None:
        """C1: what is wrong with a fork is reported together with an unreachable node elsewhere."""
        built = graph("START > a", "b > d", "c > d", "d > END", "lost > END")
        built.add_edge("a", ["b", "c"], converge_at="b")
        assert sorted(codes(built.validate())) == ["invalid_converge_at", "unreachable_node"]

    def test_open_sends_come_with_the_others(self) -> None:
        """C1: the same for Sends on an open fork."""
        built = graph("START > a", "a > b, c", "c > w", "w > e", "e > END", "lost > END")
        built.add_parallel_conditional_edges("b", says("w"), ["w", "e"], sends=["w"])
        assert sorted(codes(built.validate())) == ["open_sends", "unreachable_node"]

    def test_a_problem_counts_once(self) -> None:
        """C1: the same fault is not listed twice."""
        built = graph("START > a, b", "a > c, d", "b > c, d", "c > END", "d > END")
        found = built.validate()
        assert len(found) == len(set(found))


class TestLimits:
    def test_an_unknown_id_in_the_compile_config(self) -> None:
        """C2, P9: a limit for what is no fork, or an open one, is a problem of the compile."""
        built = graph("START > a", "a > b, c", "b > d", "c > d", "d > END")
        with pytest.raises(GraphStateException) as caught:
            built.compile(CompileConfig(max_concurrency={"a": 1, "b": 2, "zz": 3}))
        assert [(problem.code, problem.place) for problem in caught.value.errors] == [
            ("unknown_id", "max_concurrency")
        ] * 2

    def test_a_graph_without_forks(self) -> None:
        """C2: there it can name nothing."""
        with pytest.raises(GraphStateException, match="max_concurrency names 'a'"):
            graph("START > a", "a > END").compile(CompileConfig(max_concurrency={"a": 1}))

    def test_forks_at_every_depth(self) -> None:
        """P9: closed forks inside regions have limits of their own; one that two ways lead to counts once."""
        built = graph("START > a", "a > b, c", "b > x, y", "x > z", "y > z", "z > d", "c > d", "d > END")
        assert built.compile(CompileConfig(max_concurrency={"a": 1, "b": 2})).invoke({})["m"] == list("abxyzcd")


class TestSends:
    @pytest.mark.parametrize(
        ("target", "text"),
        [
            (END, "names END, but a copy"),
            (START, "names START, but a copy"),
            ("c", "'c', which its mappings do not hold"),
        ],
    )
    def test_what_can_not_be_sent_to(self, target: str, text: str) -> None:
        """P1, P6: a Send target is a node that the route maps."""
        built = graph("START > a", "b > c", "c > END")
        built.add_parallel_conditional_edges("a", says([]), ["b", END], sends=[target])
        (problem,) = built.validate()
        assert problem.code == "unknown_id"
        assert text in problem.message
