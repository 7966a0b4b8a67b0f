"""The mail to somebody whose request was approved."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from samples.approval_workflow.case import Case
from samples.approval_workflow.office import Office
from samples.approval_workflow.request import Person
from samples.approval_workflow.rules import euros


def letter_of(case: Case, office: Office) -> EmailMessage:
    """Return the mail, as it would be handed to a mail server."""
    request = case.request
    letter = EmailMessage(policy=SMTP)
    letter["From"] = _address(office.sender)
    letter["To"] = _address(request.requester)
    letter["Date"] = office.now()
    letter["Subject"] = f"{request.id}: {euros(case.amount)} approved"
    items = (f"  {euros(item.price):>16}  {item.what}" for item in request.items)
    lines = (
        f"Dear {request.requester.name},",
        "",
        f"you will be paid what you have bought from {request.vendor} on {request.bought_on} ({request.purpose}):",
        "",
        *items,
        f"  {euros(case.amount):>16}  in all",
        "",
        *(f"Reason: {reason}." for reason in case.reasons),
        "",
    )
    letter.set_content("\n".join(lines))
    return letter


def _address(person: Person) -> Address:
    return Address(person.name, addr_spec=person.email)
