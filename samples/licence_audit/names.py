"""Licences by the names people give them: `BSD`, `GPLv3+`, `Apache License, Version 2.0`."""

import re
from typing import Final

from samples.licence_audit.licence_class import LicenceClass, strictest

_NOT_ONE_OF_THE_THREE: Final = (
    r"proprietary|licenseref-|commercial|\beula\b|commons clause|business source|\bbusl\b|polyform"
    r"|elastic licen[cs]e|\belv2\b"
    r"|freeware|freely distributable|\bfree for \w+ use|\bfree to use but\b|evaluation only"
    r"|\b(cc|creative commons)[- ]?(by|attribution)[- ](nc|nd|non|no)|\bjson licen[cs]e|aladdin|open group test"
)
_STRONG_COPYLEFT: Final = (
    r"\ba-?gpl|affero|server side public|\bsspl\b|european union public|\beupl|open software licen[cs]e|\bosl\b"
    r"|\bcecill(?!-?[bc]\b)|sleepycat|nethack general public|\bqt public|\bqpl\b|reciprocal public|\bgpl"
    r"|\bgnu general public|general public licen[cs]e|\bgnu (public )?licen[cs]e|\bgnu( ?v?\d)?$"
)
# Taken out of the text before the strong ones: "lesser general public" holds "general public".
_WEAK_COPYLEFT: Final = (
    r"\bl-?gpl\w*|\(l\)gpl\w*|(lesser|library)( or lesser)? (general public|gpl)"
    r"|\bgpl\S*( \S+)? with (a |the )?(\S+ )?(linking|classpath|runtime( library)?|bootloader) exception"
    r"|\b(mpl|epl|cddl|ofl|odbl)([- ]?v?\d\S*)?(?!\w)|mozilla public|eclipse public|common development and distribution"
    r"|common public licen[cs]e|ibm public|sun public|netscape public|nokia open source|nasa open source"
    r"|apple public source|ricoh source|motosoto|\bartistic\b|\bcecill-?c\b|open font"
    r"|\bcc[- ]by[- ]sa\b|attribution[- ]share ?alike|free documentation|\bfdl\b|sun industry standards"
    r"|\bruby licen[cs]e"
)
_PERMISSIVE: Final = (
    r"\bmit licen[cs]e|\bmit-\w+|^(the )?mit$|(?-i:\bMIT\b)|\bexpat\b|\b\d?bsd\b|\bapache\b|\bapl ?2|\basl[- ]?2"
    r"|\bisc\b|\biscl\b|python software foundation|\bpsf\w*|python licen[cs]e|\bzlib\b|libpng|\bzope\b|\bzpl\b"
    r"|\bunlicen[cs]e\b|public domain|\bcc0\b|\bwtfpl\b|do what the f|boost software|\bbsl-1|historical permission"
    r"|\bhpnd\b|postgresql|\bncsa\b|\bw3c\b|academic free|\bafl\b|educational community|eiffel forum|blue oak|blueoak"
    r"|mulan|\bupl\b|universal permissive|\bmiros\b|attribution assurance|vovida|\bcecill-?b\b|beerware|x\.net"
    r"|repoze public|intel open source|\bcc[- ]by\b(?![- ](sa|nc|nd))|creative commons attribution(?!-)|\bx11\b"
)

_NAMES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), licence_class)
    for pattern, licence_class in (
        (_NOT_ONE_OF_THE_THREE, LicenceClass.UNKNOWN),
        (_WEAK_COPYLEFT, LicenceClass.WEAK_COPYLEFT),
        (_STRONG_COPYLEFT, LicenceClass.STRONG_COPYLEFT),
        (_PERMISSIVE, LicenceClass.PERMISSIVE),
    )
)

# "PSF, GPL compatible" speaks of the GPL and is not under it.
_NOT_A_LICENCE = re.compile(r"\b(non|not)[- ](a ?)?gpl\b|\bgpl[- ]compatible", re.IGNORECASE)


def class_of_names(text: str) -> LicenceClass | None:
    """Return the strictest class of the licence names in `text`, or None if it holds none this program knows.

    >>> class_of_names("GNU Lesser General Public License v3 (LGPLv3)")
    <LicenceClass.WEAK_COPYLEFT: 'weak copyleft'>
    """
    text = _NOT_A_LICENCE.sub(" ", " ".join(text.split()))
    found: list[LicenceClass] = []
    for pattern, licence_class in _NAMES:
        text, count = pattern.subn(" ", text)
        if count:
            found.append(licence_class)
    return strictest(found) if found else None
