"""Random well-formed graphs for property tests."""

from typing import TypeAlias

from attrs import evolve
from hypothesis import assume
from hypothesis import strategies as st

from graph_core_tests.model.analysis import analyse
from graph_core_tests.model.graph import END, START, Edge, Graph, Json, Node, State, StrategyName
from graph_core_tests.model.simulator import run
from graph_core_tests.model.sketch import Sketch, decorate, mesh, nest

INPUTS: State = {"messages": ["in"], "pick": "l0"}
"""What the graphs of `graphs` are run on."""

STRATEGIES: dict[str, StrategyName] = {
    "messages": "append",
    "seen": "append",
    "count": "replace",
    "info": "merge",
}

Mappings: TypeAlias = dict[str, str]


def _node(draw: st.DrawFn, name: str) -> Node:
    """A node that appends its id, counts its runs, and writes some other keys."""
    update: State = {"messages": [name], f"c_{name}": {"$inc": f"c_{name}"}}
    if draw(st.booleans()):
        update["count"] = draw(st.integers(0, 9))
    if draw(st.booleans()):
        update["info"] = {draw(st.sampled_from("abc")): name}
    if draw(st.integers(0, 3)) == 1:
        update["pick"] = draw(st.sampled_from(["l0", "l1"]))
    if draw(st.integers(0, 4)) == 1:
        update["seen"] = [{"$get": "item"}]
    if draw(st.integers(0, 9)) == 1:
        update["size"] = {"$size": "messages"}
    return Node(name, (update,), defer=draw(st.integers(0, 7)) == 1)


def _mappings(sketch: Sketch, name: str, targets: list[str]) -> Mappings:
    """Labels l0, l1, … of the forward targets, END last."""
    ways = [*targets, END] if name in sketch.ends and END not in targets else targets
    return {f"l{position}": target for position, target in enumerate(ways)}


def _bounded(sketch: Sketch, name: str, mappings: Mappings, route: Json, *, multi: bool) -> Json:
    """The route, going back the first one or two times if the node has a way back."""
    if name not in sketch.back:
        return route
    mappings["back"] = sketch.back[name]
    again: Json = ["back", *_labels(sketch, mappings, least=0)] if multi else "back"
    limit = sketch.draw(st.integers(2, 3))
    return {"if_lt": [f"c_{name}", limit], "then": again, "else": route}


def _labels(sketch: Sketch, mappings: Mappings, least: int = 1) -> list[Json]:
    """Some of the labels in some order, seldom none."""
    names: list[Json] = [label for label in mappings if label != "back"]
    chosen = sketch.draw(st.permutations(names))
    size = sketch.draw(st.integers(least, len(names)))
    return [] if sketch.chance(4) else chosen[:size]


def _either(sketch: Sketch, one: Json, other: Json) -> Json:
    """One answer, or one of two depending on `count`."""
    if sketch.chance(50):
        return {"if_lt": ["count", sketch.draw(st.integers(1, 8))], "then": one, "else": other}
    return one


def _updates(sketch: Sketch, name: str) -> tuple[State, ...]:
    """The update of a Command, seldom one at all."""
    if not sketch.chance(15):
        return ()
    return ({"messages": [f"r:{name}"], "count": sketch.draw(st.integers(0, 9))},)


def _condition(sketch: Sketch, name: str, targets: list[str], *, back: bool = True) -> Edge:
    """A condition on `pick` or `count`."""
    mappings = _mappings(sketch, name, targets)
    labels = list(mappings)
    route: Json = _either(sketch, sketch.pick(labels), sketch.pick(labels))
    if len(labels) > 1 and sketch.chance(40):
        route = {"$get": "pick"}
    if back:
        route = _bounded(sketch, name, mappings, route, multi=False)
    return Edge(name, "conditional", (), mappings, (route,), _updates(sketch, name))


def _multi(sketch: Sketch, name: str, targets: list[str]) -> Edge:
    """A multi route over all targets."""
    mappings = _mappings(sketch, name, targets)
    route = _either(sketch, _labels(sketch, mappings), _labels(sketch, mappings))
    route = _bounded(sketch, name, mappings, route, multi=True)
    return Edge(name, "parallel_conditional", (), mappings, (route,), _updates(sketch, name))


def _copies(sketch: Sketch, target: str, mappings: Mappings) -> list[Json]:
    """Up to three Sends to the target, mixed with plain labels."""
    answer: list[Json] = _labels(sketch, mappings, least=0)
    for _ in range(sketch.draw(st.integers(1, 3))):
        state: State = {"item": sketch.draw(st.integers(0, 99))}
        if sketch.chance(30):
            state["count"] = sketch.draw(st.integers(0, 9))
        if sketch.chance(20):
            state["messages"] = ["p"]
        sent: Json = {"$send": [target, state]}
        answer.insert(sketch.draw(st.integers(0, len(answer))), sent)
    return answer


def _sends(sketch: Sketch, name: str, targets: list[str]) -> Edge:
    """A multi route that sends copies to its first target."""
    mappings = _mappings(sketch, name, targets)
    route = _either(sketch, _copies(sketch, targets[0], mappings), _labels(sketch, mappings))
    route = _bounded(sketch, name, mappings, route, multi=True)
    updates = _updates(sketch, name)
    return Edge(name, "parallel_conditional", (), mappings, (route,), updates, sends=(targets[0],))


def _edges(sketch: Sketch, name: str) -> list[Edge]:
    """The edges of one node in the style of the sketch."""
    targets = sketch.forward[name]
    style = sketch.style[name]
    nodes = [target for target in targets if target != END]
    if style == "sends" and nodes:
        return [_sends(sketch, name, [*nodes, *(t for t in targets if t == END)])]
    if style == "multi":
        return [_multi(sketch, name, targets)]
    if style == "conds" and len(targets) > 1:
        cut = sketch.draw(st.integers(1, len(targets) - 1))
        first = _condition(sketch, name, targets[:cut])
        return [first, _condition(sketch, name, targets[cut:], back=False)]
    if style == "mix" and nodes:
        rest = [target for target in targets if target != nodes[0]] or targets
        parts = [Edge(name, targets=(nodes[0],)), _condition(sketch, name, rest)]
        return sketch.draw(st.permutations(parts))
    plain = name not in sketch.back and name not in sketch.ends
    if style == "fixed" and plain and (len(targets) == 1 or END not in targets):
        return [Edge(name, targets=tuple(targets))]
    return [_condition(sketch, name, targets)]


def _as_command(node: Node, edge: Edge) -> Node:
    """The node with its route inside: it returns the Command itself (R9)."""
    return evolve(node, updates=(), command=evolve(edge, route_updates=node.updates))


def _late(sketch: Sketch, edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """Seldom: one fork of the main path converges as late as it can."""
    forks = [e for e in edges if len(e.targets) > 1 or e.kind == "parallel_conditional"]
    if not forks or not sketch.chance(10):
        return edges
    late = sketch.draw(st.sampled_from(forks))
    return tuple(evolve(e, converge_at=END) if e is late else e for e in edges)


@st.composite
def drafts(draw: st.DrawFn) -> Graph:
    """Random graphs in which every node is reachable; they may be refused by the rules."""
    sketch = Sketch(draw)
    draw(st.sampled_from([mesh, nest]))(sketch)
    decorate(sketch)
    nodes = {name: _node(draw, name) for name in sketch.forward if name != START}
    edges: list[Edge] = []
    for name in sketch.forward:
        found = _edges(sketch, name)
        if name != START and len(found) == 1 and found[0].routes and sketch.chance(8):
            nodes[name] = _as_command(nodes[name], found[0])
        else:
            edges += found
    return Graph(tuple(nodes.values()), _late(sketch, tuple(edges)), STRATEGIES)


@st.composite
def graphs(draw: st.DrawFn, most_runs: int = 60) -> Graph:
    """Random well-formed graphs: the rules accept them, and they finish on `INPUTS`.

    Graphs with a problem, also one that marks a doubt about the rules, are rejected; so are
    those that run more than `most_runs` nodes or end with an error.
    """
    graph = draw(drafts())
    analysis = analyse(graph)
    assume(not analysis.problems)
    result = run(graph, INPUTS, analysis=analysis)
    assume(result.ended == "done" and len(result.runs) <= most_runs)
    return graph
