"""The state of a run: an order, and what is known about it so far."""

from typing import Annotated, TypedDict

import attrs

from graph_core import APPEND
from samples.order_routing.order import Order
from samples.order_routing.verdict import Decision, Verdict


class Asked(TypedDict):
    """What a run begins with."""

    order: Order


@attrs.frozen(kw_only=True)
class Case:
    """Each branch writes keys of its own; only `log`, which is appended to, is everybody's.

    `tries` and `count` are the stock branch's, `duty` (in per cent) is that of customs.
    """

    order: Order
    credit: Verdict | None = None
    tries: int = 0
    count: int | None = None
    stock: Verdict | None = None
    duty: int | None = None
    customs: Verdict | None = None
    decision: Decision | None = None
    log: Annotated[list[str], APPEND] = attrs.field(factory=list[str])

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What has been said, by who said it."""
        said = {"credit": self.credit, "stock": self.stock, "customs": self.customs}
        return {name: verdict for name, verdict in said.items() if verdict is not None}
