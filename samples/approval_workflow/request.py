"""A request, as it comes in: who wants to be paid how much for what, with which receipts."""

import re
from datetime import date
from decimal import Decimal
from typing import Final

import attrs
from attrs.validators import min_len

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")
_ADDRESS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_LONGEST: Final = 100
_DEAREST: Final = 1_000_000
_CENT: Final = Decimal("0.01")


def _id(_: object, __: object, id_: str) -> None:
    # It becomes the name of a file.
    if not _ID.fullmatch(id_):
        raise ValueError(f"an id is 1 to 40 letters, digits and hyphens, not {id_!r}")


def one_line(_: object, field: "attrs.Attribute[str]", text: str) -> None:
    """Refuse what can not be part of a mail's header, where a line break would begin another one."""
    if not text.strip() or not text.isprintable() or len(text) > _LONGEST:
        raise ValueError(f"{field.name} is one line of at most {_LONGEST} letters, not {text!r}")


def _address(_: object, __: object, email: str) -> None:
    if not _ADDRESS.fullmatch(email):
        raise ValueError(f"a mail address looks like name@company.example, not {email!r}")


def _price(_: object, __: object, price: Decimal) -> None:
    if not price.is_finite() or not 0 < price <= _DEAREST or price != price.quantize(_CENT):
        raise ValueError(f"a price is more than 0 and at most {_DEAREST} euros in whole cents, not {price}")


@attrs.frozen(kw_only=True)
class Person:
    """Somebody who can be written to."""

    name: str = attrs.field(validator=one_line)
    email: str = attrs.field(validator=_address)


@attrs.frozen(kw_only=True)
class Item:
    """One thing that was bought, its price in euros, and the name of its receipt, if there is one."""

    what: str = attrs.field(validator=one_line)
    price: Decimal = attrs.field(validator=_price)
    receipt: str | None = None


@attrs.frozen(kw_only=True)
class Request:
    """What somebody has bought from a vendor, and wants to have paid back."""

    id: str = attrs.field(validator=_id)
    requester: Person
    vendor: str = attrs.field(validator=one_line)
    purpose: str = attrs.field(validator=one_line)
    bought_on: date
    items: tuple[Item, ...] = attrs.field(validator=min_len(1))

    @property
    def amount(self) -> Decimal:
        """What all of it costs, in euros."""
        return sum((item.price for item in self.items), Decimal(0))
