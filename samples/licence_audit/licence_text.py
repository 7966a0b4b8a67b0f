"""Licences by their text, whole or as the notice that grants them."""

import re
from typing import Final

import attrs

from samples.licence_audit.licence_class import LicenceClass


@attrs.frozen
class KnownText:
    """A licence whose text was recognised."""

    name: str
    licence_class: LicenceClass


# Each phrase is one that other licences do not quote: the GPL's text names the LGPL and the AGPL, the MPL's names all.
# Phrases are written as `recognise` leaves the text: lower-case words and single spaces.
_PERMISSIVE: Final = {
    "MIT": r"permission is hereby granted free of charge to any person obtaining a copy",
    "BSD": r"redistribution and use in source and binary forms( \w+){1,12} are permitted provided",
    "Apache": r"apache license version 2 0 january 2004|licensed under the apache license version 2 0",
    "ISC": r"permission to use copy modify and( or)? distribute this software for any purpose with or without fee",
    "HPND": r"permission to use copy modify and distribute this software and its documentation",
    "PSF": r"psf license agreement for python|python software foundation license version 2",
    "Zlib": r"permission is granted to anyone to use this software for any purpose including commercial",
    "ZPL": r"zope public license zpl version",
    "Unlicense": r"this is free and unencumbered software released into the public domain",
    "CC0": r"cc0 1 0 universal",
    "BSL": r"boost software license version 1 0",
    "WTFPL": r"do what the fuck you want to public license",
}

_UNDER_THE_TERMS: Final = r"under (the )?terms of (version \d( \d)? of )?the gnu "
_LGPL, _GPL, _LINKING_EXCEPTION = "LGPL", "GPL", "GPL with a linking exception"
_WEAK_COPYLEFT: Final = {
    "MPL": r"mozilla public license version \d \d 1 definitions|to the terms of the mozilla public license",
    "EPL": r"provided under the terms of this eclipse public license",
    "CDDL": r"common development and distribution license cddl version",
    "Artistic": r"artistic license (preamble|version 2 0)|\bclarified artistic license",
    "GFDL": r"gnu free documentation license version 1",
    "OFL": r"sil open font license version 1",
    _LINKING_EXCEPTION: r"gcc runtime library exception|linking this library statically or dynamically with other",
    _LGPL: r"gnu l(esser|ibrary) general public license version (2 1 february 1999|2 june 1991|3 29 june 2007)"
    rf"|{_UNDER_THE_TERMS}l(esser|ibrary) general public",
}
_STRONG_COPYLEFT: Final = {
    _GPL: r"gnu general public license version (1 february 1989|2 june 1991|3 29 june 2007)"
    rf"|{_UNDER_THE_TERMS}general public",
    "AGPL": rf"gnu affero general public license version 3 19 november|{_UNDER_THE_TERMS}affero general public",
    "SSPL": r"server side public license version 1",
    "EUPL": r"european union public licence v",
}
_NOT_ONE_OF_THE_THREE: Final = {
    "Commons Clause": r"commons clause license condition",
    "BUSL": r"business source license 1 1",
}

_KNOWN: Final = tuple(
    (KnownText(name, licence_class), re.compile(phrase))
    for phrases, licence_class in (
        (_PERMISSIVE, LicenceClass.PERMISSIVE),
        (_WEAK_COPYLEFT, LicenceClass.WEAK_COPYLEFT),
        (_STRONG_COPYLEFT, LicenceClass.STRONG_COPYLEFT),
        (_NOT_ONE_OF_THE_THREE, LicenceClass.UNKNOWN),
    )
    for name, phrase in phrases.items()
)

# The LGPL's version 3 is a supplement that comes with the GPL's text, and linking exceptions always do.
_INCLUDE_THE_GPL: Final = frozenset({_LGPL, _LINKING_EXCEPTION})


def recognise(text: str) -> tuple[KnownText, ...]:
    """Return the licences whose text or grant stands in `text`, which may hold several licence files."""
    words = " ".join(re.findall(r"[a-z0-9]+", text.lower()))
    found = tuple(known for known, phrase in _KNOWN if phrase.search(words))
    if any(known.name in _INCLUDE_THE_GPL for known in found):
        return tuple(known for known in found if known.name != _GPL)
    return found
