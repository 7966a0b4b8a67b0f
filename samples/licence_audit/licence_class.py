"""The four classes a licence can fall into, and how the classes of several licences combine."""

from collections.abc import Iterable
from enum import Enum


class LicenceClass(Enum):
    """What a licence asks of those who pass the work on, from the least to the most.

    `UNKNOWN` also holds what is stated but is none of the three: proprietary, non-commercial, source-available.
    It may ask for anything, so it counts as the strictest.
    """

    PERMISSIVE = "permissive"
    WEAK_COPYLEFT = "weak copyleft"
    STRONG_COPYLEFT = "strong copyleft"
    UNKNOWN = "unknown"


_RANK = {licence_class: rank for rank, licence_class in enumerate(LicenceClass)}


def strictest(classes: Iterable[LicenceClass]) -> LicenceClass:
    """Return the class that binds when all of `classes` apply; at least one is needed."""
    return max(classes, key=_RANK.__getitem__)


def most_permissive(classes: Iterable[LicenceClass]) -> LicenceClass:
    """Return the class that binds when one of `classes` may be chosen; at least one is needed."""
    return min(classes, key=_RANK.__getitem__)


def all_apply(statements: Iterable[LicenceClass | None]) -> LicenceClass | None:
    """Return the class of statements that all hold, where None is a statement that tells nothing.

    One that tells nothing makes the whole unclear, unless another already says `UNKNOWN`.
    """
    statements = tuple(statements)
    told = [statement for statement in statements if statement is not None]
    if len(told) == len(statements) and told:
        return strictest(told)
    return LicenceClass.UNKNOWN if LicenceClass.UNKNOWN in told else None


def one_may_be_chosen(statements: Iterable[LicenceClass | None]) -> LicenceClass | None:
    """Return the class of alternatives: the most permissive of those that tell something, None if none does."""
    told = [statement for statement in statements if statement is not None]
    return most_permissive(told) if told else None
