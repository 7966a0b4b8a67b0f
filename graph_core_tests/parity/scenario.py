"""A recorded scenario: a graph and its runs in a language-neutral form, and what the Java library did with it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias, cast

import attrs
import cattrs
import orjson

from graph_core import NodeAggregationStrategy

Values: TypeAlias = dict[str, object]
Ids: TypeAlias = "str | tuple[str, ...]"
Operation: TypeAlias = Literal["stream", "history", "state", "update_state", "pick"]

HERE = Path(__file__).parent
FOLDERS = ("named", "random")


@attrs.frozen(kw_only=True)
class Route:
    """What a router answers: one entry per evaluation, the last one repeats."""

    routes: tuple[object, ...] = ()
    route_updates: tuple[Values, ...] = ({},)
    mappings: dict[str, str] = attrs.field(factory=dict[str, str])
    fail: str | None = None


@attrs.frozen(kw_only=True)
class NodeSpec(Route):
    """A node: one update per visit, or one route per visit for the two kinds of command nodes."""

    id: str
    kind: Literal["update", "command", "multi_command"] = "update"
    updates: tuple[Values, ...] = ({},)
    fail_times: int | None = None
    delay_ms: float = 0


@attrs.frozen(kw_only=True)
class EdgeSpec(Route):
    """An edge from one or several sources, fixed or routed."""

    source: Ids
    target: Ids = ()
    kind: Literal["edge", "conditional", "parallel_conditional"] = "edge"


@attrs.frozen(kw_only=True)
class GraphSpec:
    """Key strategies by name, nodes and edges in the order of declaration."""

    key_strategies: dict[str, str]
    nodes: tuple[NodeSpec, ...]
    edges: tuple[EdgeSpec, ...]


@attrs.frozen(kw_only=True)
class RunSpec:
    """One operation on the compiled graph.

    Args:
        op: `stream`, `history` and `state` look at a thread; `update_state` changes it; `pick` takes the newest
            entry of its history that `node` wrote.
        input: of `stream`; `None` goes on with the thread.
        thread: the thread, unless `config_from` names one.
        resume: `stream` goes on with the thread.
        aggregation: of `stream`, by convergence.
        config_from: the operation works with the config that was saved under this name.
        save_as: the config that `update_state` or `pick` gives is saved under this name.
        values: of `update_state`.
        as_node: of `update_state`.
        node: of `pick`.
    """

    op: Operation = "stream"
    input: Values | None = None
    thread: str | None = None
    resume: bool = False
    aggregation: dict[str, NodeAggregationStrategy] = attrs.field(factory=dict[str, NodeAggregationStrategy])
    config_from: str | None = None
    save_as: str = ""
    values: Values = attrs.field(factory=dict[str, object])
    as_node: str | None = None
    node: str = ""


@attrs.frozen(kw_only=True)
class CompileSpec:
    """How the graph is compiled; without a saver if that is `None`, else with one in memory."""

    interrupt_before: tuple[str, ...] = ()
    interrupt_after: tuple[str, ...] = ()
    interrupt_before_edge: bool = False
    recursion_limit: int = 100
    saver: str | None = "memory"


@attrs.frozen(kw_only=True)
class Scenario:
    """A graph and what is done with it."""

    name: str
    graph: GraphSpec
    compile: CompileSpec = CompileSpec()
    runs: tuple[RunSpec, ...] = ()

    @property
    def failures(self) -> dict[str, str]:
        """The texts of the errors that the scenario's own nodes and routers raise, each with its node."""
        nodes = {node.fail: node.id for node in self.graph.nodes if node.fail is not None}
        edges = {edge.fail: str(edge.source) for edge in self.graph.edges if edge.fail is not None}
        return nodes | edges


@attrs.frozen(kw_only=True)
class JavaError:
    """An exception's class and message."""

    error: str
    message: str


@attrs.frozen(kw_only=True)
class JavaCompile:
    """Whether the graph compiled, and the message if it did not."""

    ok: bool
    message: str = ""


@attrs.frozen(kw_only=True)
class JavaOutput:
    """A node and the state at that moment; of an interruption Java names the node that was done last."""

    node: str
    state: Values
    kind: Literal["output", "snapshot", "interruption"] = "output"


@attrs.frozen(kw_only=True)
class JavaEntry(JavaOutput):
    """A checkpoint: the node that was done, the node that comes next, and the state."""

    next: str


@attrs.frozen(kw_only=True)
class JavaRun:
    """What one operation gave: outputs, a history, or the node, the next node and the state of one checkpoint."""

    op: Operation
    outputs: tuple[JavaOutput, ...] = ()
    history: tuple[JavaEntry, ...] = ()
    node: str = ""
    next: str | None = None
    state: Values = attrs.field(factory=dict[str, object])
    error: JavaError | None = None


@attrs.frozen(kw_only=True)
class JavaTrace:
    """What the Java library did with a scenario."""

    compile: JavaCompile
    runs: tuple[JavaRun, ...] = ()


@attrs.frozen(kw_only=True)
class Recording:
    """A scenario and its Java trace."""

    scenario: Scenario
    java: JavaTrace


def _as_it_is(value: object, _kind: object) -> object:
    return value


def _ids(value: object, _kind: object) -> Ids:
    return tuple(cast("list[str]", value)) if isinstance(value, list) else str(value)


def _converter() -> cattrs.Converter:
    """JSON to records; a value of the state stays what the JSON says."""
    converter = cattrs.Converter()
    converter.register_structure_hook_func(lambda kind: kind is object, _as_it_is)
    converter.register_structure_hook_func(lambda kind: kind == (str | tuple[str, ...]), _ids)
    return converter


CONVERTER = _converter()


@cache
def names() -> dict[str, Path]:
    """Every recorded scenario's name and file."""
    return {path.stem: path for folder in FOLDERS for path in sorted((HERE / folder).glob("*.json"))}


@cache
def load(name: str) -> Recording:
    """The recording of that name."""
    return CONVERTER.structure(orjson.loads(names()[name].read_bytes()), Recording)
