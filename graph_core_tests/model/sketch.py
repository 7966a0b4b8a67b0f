"""Random shapes of graphs: who leads where and in which style, before routes are drawn."""

from attrs import define, field
from hypothesis import strategies as st

from graph_core_tests.model.graph import END, START

FORKS = ("fixed", "multi", "cond", "conds", "mix", "sends")


@define
class Sketch:
    """Forward targets and style per node, bounded ways back, and ways to END."""

    draw: st.DrawFn
    forward: dict[str, list[str]] = field(factory=dict[str, list[str]])
    style: dict[str, str] = field(factory=dict[str, str])
    back: dict[str, str] = field(factory=dict[str, str])
    ends: set[str] = field(factory=set[str])

    def new(self) -> str:
        """One more node."""
        name = f"n{len(self.forward)}" if self.forward else START
        self.forward[name] = []
        return name

    def link(self, source: str, target: str) -> None:
        """Lead from one node to another, once."""
        if target not in self.forward[source]:
            self.forward[source].append(target)

    def chance(self, percent: int) -> bool:
        """True that often; shrinks to False."""
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def pick(self, choices: list[str]) -> str:
        """One of several."""
        return self.draw(st.sampled_from(choices))


def mesh(sketch: Sketch) -> None:
    """A graph without structure: each node led to from one or more of the nodes before it."""
    count = sketch.draw(st.integers(3, 9))
    names = [sketch.new() for _ in range(count + 1)]
    for position, name in enumerate(names[1:], 1):
        near = names[max(0, position - 3) : position]
        sketch.link(sketch.pick(near), name)
        if sketch.chance(40):
            sketch.link(sketch.pick(near), name)
    for name in names:
        if not sketch.forward[name]:
            later = names[names.index(name) + 1 :]
            sketch.link(name, sketch.pick(later[:3]) if later and sketch.chance(50) else END)


def nest(sketch: Sketch) -> None:
    """A graph of nested blocks, at most three deep, with some links across."""
    first = sketch.new()
    entry, last = _block(sketch, 3)
    sketch.link(first, entry)
    end = sketch.new()
    sketch.link(last, end)
    sketch.link(end, END)
    names = list(sketch.forward)
    for _ in range(sketch.draw(st.integers(0, 2))):
        source = sketch.pick(names[1:-1])
        later = names[names.index(source) + 1 :]
        if source not in sketch.style or sketch.style[source] != "sends":
            sketch.link(source, sketch.pick(later))


def _block(sketch: Sketch, depth: int) -> tuple[str, str]:
    """One block with one entry and one exit."""
    kinds = ["node"] if depth == 0 else ["fork", "node", "chain", "loop", "fork", "sends"]
    kind = sketch.pick(kinds)
    if kind == "node" or len(sketch.forward) > 14:  # keeps graphs small
        name = sketch.new()
        return name, name
    if kind == "chain":
        first, second = _block(sketch, depth - 1), _block(sketch, depth - 1)
        sketch.link(first[1], second[0])
        return first[0], second[1]
    if kind == "loop":
        entry, last = _block(sketch, depth - 1)
        tail = sketch.new()
        sketch.link(last, tail)
        sketch.back[tail] = entry
        return entry, tail
    return _branches(sketch, depth, kind)


def _branches(sketch: Sketch, depth: int, kind: str) -> tuple[str, str]:
    """A fork or a condition with its branches and the node they meet at."""
    source = sketch.new()
    sketch.style[source] = "sends" if kind == "sends" else sketch.pick(list(FORKS))
    least = 1 if kind == "sends" else 2
    inner = [_block(sketch, depth - 1) for _ in range(sketch.draw(st.integers(least, 3)))]
    meeting = sketch.new()
    for entry, last in inner:
        sketch.link(source, entry)
        sketch.link(last, meeting)
    if kind != "sends" and sketch.chance(20):
        sketch.link(source, meeting)
    return source, meeting


def decorate(sketch: Sketch) -> None:
    """Ways back, ways to END, and a style for every node that has none yet."""
    names = list(sketch.forward)
    for position, name in enumerate(names):
        targets = sketch.forward[name]
        if END not in targets and sketch.chance(12):
            sketch.ends.add(name)
        if position and name not in sketch.back and sketch.chance(15):
            sketch.back[name] = sketch.pick(names[1 : position + 1])
        single = len(targets) == 1 and name not in sketch.back and name not in sketch.ends
        if name in sketch.style:
            continue
        if single:
            plain = END in targets or sketch.chance(85)
            sketch.style[name] = "fixed" if plain else sketch.pick(["multi", "sends", "cond"])
        else:
            sketch.style[name] = sketch.pick(list(FORKS))
