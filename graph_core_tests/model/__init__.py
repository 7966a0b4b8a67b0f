"""A small, slow reference model of the parallel-region rules, written from the rules only.

The model shares no code with the engine it is compared with. `analyse` says what the rules say
about a graph, `run` executes it in one completion order, `all_orders` in every one.
"""

from graph_core_tests.model.analysis import Analysis, ForkInfo, analyse
from graph_core_tests.model.graph import END, START, Edge, Graph, Json, Node, State
from graph_core_tests.model.orders import all_orders
from graph_core_tests.model.problems import Problem
from graph_core_tests.model.scenario import Case, read_case, read_graph, read_scenario
from graph_core_tests.model.simulator import NodeRun, RegionOutput, Result, Running, run

__all__ = [
    "END",
    "START",
    "Analysis",
    "Case",
    "Edge",
    "ForkInfo",
    "Graph",
    "Json",
    "Node",
    "NodeRun",
    "Problem",
    "RegionOutput",
    "Result",
    "Running",
    "State",
    "all_orders",
    "analyse",
    "read_case",
    "read_graph",
    "read_scenario",
    "run",
]
