"""An order, as it comes in."""

from typing import Final

import attrs
from attrs.validators import ge, min_len

HOME: Final = "DE"


@attrs.frozen(kw_only=True)
class Order:
    """So many of one article for a customer; `price` is one's price in whole euros, `country` where it goes.

    `has_papers` tells whether the customs papers are there; at home nobody asks for them.
    """

    id: str = attrs.field(validator=min_len(1))
    customer: str = attrs.field(validator=min_len(1))
    article: str = attrs.field(validator=min_len(1))
    quantity: int = attrs.field(validator=ge(0))
    price: int = attrs.field(validator=ge(0))
    country: str = HOME
    has_papers: bool = False

    @property
    def amount(self) -> int:
        """What it costs, in whole euros."""
        return self.quantity * self.price

    @property
    def is_export(self) -> bool:
        """Tell whether it leaves the country."""
        return self.country != HOME

    def __str__(self) -> str:
        """Say it in words."""
        return f"{self.quantity} x {self.article} for {self.customer} ({self.country})"
