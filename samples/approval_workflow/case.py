"""The state of a run: what goes in, what is known on the way, and what comes out."""

from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TypedDict

import attrs

from samples.approval_workflow.office import Approver
from samples.approval_workflow.request import Request


class Decision(Enum):
    """What is decided on a request."""

    APPROVED = "approved"
    REJECTED = "rejected"
    PENDING = "pending"


class Asked(TypedDict):
    """What a run begins with; a request may be a mapping, of a JSON file for example, and becomes a `Request`."""

    request: Request


@attrs.frozen(kw_only=True)
class Case:
    """A request, and what is known about it so far.

    `reasons` are those of the decision. `approver` is whoever may approve as much, or None if nobody may.
    `written` is the file that tells of the decision.
    """

    request: Request
    amount: Decimal = Decimal(0)
    approver: Approver | None = None
    decision: Decision = Decision.PENDING
    reasons: tuple[str, ...] = ()
    written: Path | None = None


@attrs.frozen(kw_only=True)
class Prepared:
    """What has to be known about a request before it is decided on."""

    amount: Decimal
    approver: Approver | None


@attrs.frozen(kw_only=True)
class Decided:
    """What is decided on a request, and why."""

    decision: Decision
    reasons: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Told:
    """Where a decision was written to."""

    written: Path


@attrs.frozen(kw_only=True)
class Outcome(Decided):
    """What has become of a request; `written` is None if it waits for a person."""

    request: Request
    amount: Decimal
    written: Path | None
