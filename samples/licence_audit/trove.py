"""Licences by trove classifier, such as `License :: OSI Approved :: MIT License`."""

from collections.abc import Iterable, Sequence
from typing import Final

from samples.licence_audit.licence_class import LicenceClass, all_apply
from samples.licence_audit.names import class_of_names

_PREFIX: Final = "License"
# These say that there is a licence, not which.
_NO_NAME: Final = frozenset({"License", "OSI Approved", "DFSG approved"})


def licence_names(classifiers: Iterable[str]) -> tuple[str, ...]:
    """Return the last parts of those classifiers that name a licence.

    >>> licence_names(["Typing :: Typed", "License :: OSI Approved :: MIT License", "License :: OSI Approved"])
    ('MIT License',)
    """
    parts = (tuple(part.strip() for part in classifier.split("::")) for classifier in classifiers)
    return tuple(part[-1] for part in parts if part[0] == _PREFIX and part[-1] not in _NO_NAME)


def class_of_classifiers(names: Sequence[str]) -> LicenceClass | None:
    """Return the class of the licences with these classifier names, or None if they tell nothing.

    Classifiers do not say whether all of them apply or one may be chosen, so the strictest counts.
    """
    return all_apply(class_of_names(name) for name in names)
