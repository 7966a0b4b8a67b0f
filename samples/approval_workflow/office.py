"""Where requests are decided on: what a run is given as its context."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

import attrs

from samples.approval_workflow.request import Person


@attrs.frozen(kw_only=True)
class Approver(Person):
    """Somebody who may approve up to `limit` euros."""

    limit: Decimal


@attrs.frozen(kw_only=True)
class Policy:
    """What the rules go by.

    Args:
        without_asking: up to how many euros nobody needs to be asked.
        receipts_from: from which price on an item needs a receipt.
        closed_until: the last day of the years whose books are closed.
        blocked: the vendors nothing is paid to, in small letters.
        approvers: who may approve, the smallest limit first.
    """

    without_asking: Decimal
    receipts_from: Decimal
    closed_until: date
    blocked: AbstractSet[str]
    approvers: tuple[Approver, ...]


POLICY: Final = Policy(
    without_asking=Decimal(250),
    receipts_from=Decimal(25),
    closed_until=date(2024, 12, 31),
    blocked=frozenset({"giftcard planet", "luxe lounge"}),
    approvers=(
        Approver(name="Lena Ortiz", email="lena.ortiz@northwind.example", limit=Decimal(1000)),
        Approver(name="Jonas Weber", email="jonas.weber@northwind.example", limit=Decimal(10000)),
    ),
)
SENDER: Final = Person(name="Northwind approvals", email="approvals@northwind.example")


def _now() -> datetime:
    return datetime.now(UTC)


@attrs.frozen(kw_only=True)
class Office:
    """The policy, who mails are from, the folder they are put in, the file of what was rejected, and a clock."""

    policy: Policy = POLICY
    sender: Person = SENDER
    outbox: Path
    archive: Path
    now: Callable[[], datetime] = _now
