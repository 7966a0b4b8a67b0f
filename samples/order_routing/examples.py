"""Orders to look at, and the world they come into."""

from typing import Final

from samples.order_routing.order import Order
from samples.order_routing.services import Services, Shelf

SERVICES: Final = Services(
    limits={"Ann": 500, "Ben": 100, "Cem": 9000},
    shelves={
        "lamp": Shelf(12),
        "desk": Shelf(3),
        "chair": Shelf(40, busy=2),
        "mirror": Shelf(5, busy=9),
        "relic": Shelf(1),
    },
    duties={"lamp": 4, "desk": 0, "chair": 2},
    closed=frozenset({"XX"}),
)

_ORDERS: Final = (
    Order(id="plain", customer="Ann", article="lamp", quantity=2, price=40),
    Order(id="too-dear", customer="Ben", article="lamp", quantity=3, price=40),
    Order(id="too-many", customer="Cem", article="desk", quantity=4, price=300),
    Order(id="patience", customer="Cem", article="chair", quantity=6, price=90),
    Order(id="no-answer", customer="Ann", article="mirror", quantity=1, price=70),
    Order(id="export", customer="Cem", article="lamp", quantity=5, price=40, country="CH", has_papers=True),
    Order(id="export-slow", customer="Cem", article="chair", quantity=4, price=90, country="NO", has_papers=True),
    Order(id="no-papers", customer="Cem", article="desk", quantity=1, price=300, country="CH"),
    Order(id="no-tariff", customer="Cem", article="relic", quantity=1, price=800, country="CH", has_papers=True),
    Order(id="no-way", customer="Ben", article="desk", quantity=1, price=300, country="XX", has_papers=True),
    Order(id="newcomer", customer="Dot", article="lamp", quantity=1, price=40),
    Order(id="stranger", customer="Dot", article="mirror", quantity=2, price=70, country="CH"),
    Order(id="nothing", customer="Ann", article="lamp", quantity=0, price=40),
)

ORDERS: Final = {order.id: order for order in _ORDERS}
"""The example orders by their ids."""
