"""Reader of the language-neutral scenario files."""

import json
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from graph_core_tests.model.graph import Edge, EdgeKind, Graph, Json, Node, State, StrategyName


@frozen
class Case:
    """A scenario with its outcome: final state, node runs, region outputs (in order, or not)."""

    name: str
    graph: Graph
    inputs: State
    state: State
    runs: tuple[tuple[str, int], ...]
    regions: tuple[tuple[str, State], ...]
    ordered: bool


def _strings(value: Json) -> tuple[str, ...]:
    """One id or a list of ids."""
    return tuple(str(item) for item in value) if isinstance(value, list) else (str(value),)


def _states(value: Any) -> tuple[State, ...]:
    """A list of updates; an absent one is empty."""
    return tuple(cast("State", item or {}) for item in value or ())


def _mappings(value: Any) -> dict[str, str]:
    """Label to node; a list maps each id to itself."""
    if isinstance(value, list):
        return {str(item): str(item) for item in cast("list[Json]", value)}
    return {str(key): str(item) for key, item in cast("dict[str, Json]", value or {}).items()}


def _refuse_failures(raw: dict[str, Any]) -> None:
    """Nodes and routers that raise are no subject of the model."""
    if "fail" in raw:
        message = f"the model has no failing actions: {raw!r}"
        raise ValueError(message)


def _edges(raw: dict[str, Any]) -> list[Edge]:
    """The edges of one entry: the list form of `source` stands for several (R11)."""
    _refuse_failures(raw)
    kind: EdgeKind = raw.get("kind", "edge")
    return [
        Edge(
            source=source,
            kind=kind,
            targets=_strings(raw["target"]) if kind == "edge" else (),
            mappings=_mappings(raw.get("mappings")),
            routes=tuple(raw.get("routes", ())),
            route_updates=_states(raw.get("route_updates")),
            sends=tuple(raw.get("sends", ())),
            converge_at=raw.get("converge_at"),
        )
        for source in _strings(raw["source"])
    ]


def _node(raw: dict[str, Any]) -> Node:
    """One node; a command node carries its route."""
    _refuse_failures(raw)
    kind = raw.get("kind", "update")
    if kind not in {"update", "command", "multi_command"}:
        message = f"the model has no nodes of kind {kind!r}"
        raise ValueError(message)
    command: Edge | None = None
    if kind != "update":
        edge_kind = "conditional" if kind == "command" else "parallel_conditional"
        command = _edges({**raw, "kind": edge_kind, "source": raw["id"]})[0]
    return Node(str(raw["id"]), _states(raw.get("updates")), bool(raw.get("defer")), command)


def read_graph(raw: dict[str, Any], recursion_limit: int = 100) -> Graph:
    """The graph of a scenario's `graph` entry.

    Raises:
        ValueError: If a node is of a kind the model does not have, or an action fails.
    """
    return Graph(
        nodes=tuple(_node(node) for node in raw["nodes"]),
        edges=tuple(edge for entry in raw["edges"] for edge in _edges(entry)),
        strategies=cast("dict[str, StrategyName]", raw.get("key_strategies", {})),
        recursion_limit=recursion_limit,
    )


def read_scenario(raw: dict[str, Any]) -> Graph:
    """The graph of a `scenario` entry, with its recursion limit."""
    options = cast("dict[str, Any]", raw.get("compile") or {})
    limit = int(options.get("recursion_limit", 100))
    return read_graph(raw["graph"], limit)


def read_case(path: Path) -> Case:
    """One file: the scenario, the input of its first run, and what is expected."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    expect = raw["expect"]
    regions = expect.get("regions", expect.get("regions_sorted", []))
    return Case(
        name=path.stem,
        graph=read_scenario(raw["scenario"]),
        inputs=cast("State", raw["scenario"]["runs"][0]["input"]),
        state=cast("State", expect["state"]),
        runs=tuple((str(node), int(step)) for node, step in expect["runs"]),
        regions=tuple((str(name), cast("State", state)) for name, state in regions),
        ordered="regions" in expect,
    )
