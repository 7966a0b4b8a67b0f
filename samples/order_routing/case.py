"""The state of a run: an order, and what is known about it so far."""

from typing import TypedDict

from samples.order_routing.order import Order
from samples.order_routing.verdict import Decision, Verdict


class Case(TypedDict):
    """Each branch writes keys of its own; only `log`, which is appended to, is everybody's.

    `tries` and `count` are the stock branch's, `duty` (in per cent) is that of customs.
    """

    order: Order
    credit: Verdict | None
    tries: int
    count: int | None
    stock: Verdict | None
    duty: int | None
    customs: Verdict | None
    decision: Decision | None
    log: list[str]


def new_case(order: Order) -> Case:
    """Return the state a run for `order` starts with."""
    return {
        "order": order,
        "credit": None,
        "tries": 0,
        "count": None,
        "stock": None,
        "duty": None,
        "customs": None,
        "decision": None,
        "log": [],
    }


def verdicts_of(case: Case) -> dict[str, Verdict]:
    """Return what has been said, by who said it."""
    said = {"credit": case["credit"], "stock": case["stock"], "customs": case["customs"]}
    return {name: verdict for name, verdict in said.items() if verdict is not None}
