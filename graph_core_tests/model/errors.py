"""What can go wrong in a modelled run."""

from typing import Final

MERGE_TYPES: Final = "merge_types"
MISSING_NODE: Final = "missing_node_in_edge_mapping"
NO_EDGES: Final = "no_edges"
RECURSION_LIMIT: Final = "recursion_limit"
SEND: Final = "send"
SEND_BACK: Final = "send_back"
SEND_TO_CONVERGENCE: Final = "send_to_convergence"
SINGLE_ROUTE: Final = "single_route"
UNKNOWN_EXPRESSION: Final = "unknown_expression"


class ModelError(Exception):
    """A run that the rules end with an error; `code` names it."""

    def __init__(self, code: str, detail: str) -> None:
        """Keep the code apart from the text."""
        super().__init__(f"{code}: {detail}")
        self.code = code
