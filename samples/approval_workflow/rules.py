"""The rules: what speaks against a request, and who may approve it."""

from collections.abc import Iterator
from decimal import Decimal

from samples.approval_workflow.office import Approver, Policy
from samples.approval_workflow.request import Request


def approver_of(request: Request, amount: Decimal, policy: Policy) -> Approver | None:
    """Return the first who may approve as much, and has not asked for it."""
    own = request.requester.email.casefold()
    return next((one for one in policy.approvers if amount <= one.limit and one.email.casefold() != own), None)


def objections(request: Request, policy: Policy) -> Iterator[str]:
    """Yield each reason why a request has to be rejected, whatever its amount."""
    if request.vendor.casefold() in policy.blocked:
        yield f"nothing is paid to {request.vendor}"
    if request.bought_on <= policy.closed_until:
        yield f"the books are closed until {policy.closed_until}"
    for item in request.items:
        if item.price >= policy.receipts_from and not item.receipt:
            yield f"no receipt for {item.what}, {euros(item.price)}"


def euros(amount: Decimal) -> str:
    """Return an amount as text.

    >>> euros(Decimal("1249.5"))
    '1,249.50 EUR'
    """
    return f"{amount:,.2f} EUR"
