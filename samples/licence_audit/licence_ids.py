"""The class of each SPDX licence id.

The ids are those of the SPDX licence list; what is not listed here is unknown on purpose: somebody should read it.
A version is left out where all versions of a licence are in one class.
"""

import re
from typing import Final

from samples.licence_audit.licence_class import LicenceClass
from samples.licence_audit.spdx import Licence

_PERMISSIVE: Final = """
    0BSD AAL Adobe-2006 AFL AMPAS ANTLR-PD ANTLR-PD-fallback Apache APAFML bcrypt-Solar-Designer Beerware
    Bitstream-Vera blessing BlueOak Boehm-GC BSD-1-Clause BSD-2-Clause BSD-2-Clause-FreeBSD BSD-2-Clause-NetBSD
    BSD-2-Clause-Patent BSD-2-Clause-Views BSD-3-Clause BSD-3-Clause-acpica BSD-3-Clause-Attribution
    BSD-3-Clause-Clear BSD-3-Clause-flex BSD-3-Clause-HP BSD-3-Clause-LBNL BSD-3-Clause-Modification
    BSD-3-Clause-Open-MPI BSD-3-Clause-Sun BSD-4-Clause BSD-4-Clause-Shortened BSD-4-Clause-UC BSD-Source-Code BSL
    bzip2 CC-BY CC-PDDC CC-PDM CC0 CDLA-Permissive CECILL-B CERN-OHL-P Clips CNRI-Jython CNRI-Python
    CNRI-Python-GPL-Compatible curl DOC DocBook-XML ECL EFL eGenix Entessa EPICS etalab EUDatagrid Fair FSFAP FSFUL
    FSFULLR FTL GD HDF5 HPND HPND-export-US HPND-sell-variant HPND-sell-variant-MIT-disclaimer IBM-pibs ICU IJG
    ImageMagick Info-ZIP Intel ISC ISC-Veillard JasPer Libpng libpng libtiff LiLiQ-P Linux-OpenIB Minpack MirOS MIT
    MIT-0 MIT-advertising MIT-Click MIT-CMU MIT-enna MIT-feh MIT-Festival MIT-Khronos-old MIT-Modern-Variant
    MIT-open-group MIT-Wu MITNFA mpich2 MS-PL MulanPSL Multics NAIST-2003 Naumen NCBI-PD NCSA Net-SNMP NetCDF NIST-PD
    NIST-PD-fallback NIST-Software NLOD NTIA-PD NTP ODC-By OGC OGL-Canada OGL-UK OLDAP-2.0 OLDAP-2.1 OLDAP-2.2
    OLDAP-2.3 OLDAP-2.4 OLDAP-2.5 OLDAP-2.6 OLDAP-2.7 OLDAP-2.8 OML OpenSSL OpenSSL-standalone PDDL PHP Pixar pkgconf
    Plexus PostgreSQL PSF psfrag Python python-ldap Qhull Ruby-pty SAX-PD SGI-B-2.0 SHL SMLNJ snprintf Spencer-86
    Spencer-94 Spencer-99 SSH-OpenSSH SSLeay-standalone StandardML-NJ SunPro SWL TCL TCP-wrappers TMate TU-Berlin UCAR
    Unicode Unicode-DFS-2015 Unicode-DFS-2016 UnixCrypt Unlicense UPL VSL W3C W3C-19980720 W3C-20150513 WTFPL X11
    X11-distribute-modifications-variant Xerox XFree86 xinetd Xnet Zend Zlib zlib-acknowledgement ZPL
"""

_WEAK_COPYLEFT: Final = """
    APL APSL Artistic Artistic-1.0-cl8 Artistic-1.0-Perl BitTorrent CATOSL CC-BY-SA CDDL CDLA-Sharing CECILL-C
    CERN-OHL-W ClArtistic CPAL CPL CUA-OPL eCos EPL ErlPL GFDL GFDL-1.1-invariants GFDL-1.1-no-invariants
    GFDL-1.2-invariants GFDL-1.2-no-invariants GFDL-1.3-invariants GFDL-1.3-no-invariants GL2PS IPA IPL
    GPL-2.0-with-classpath-exception GPL-2.0-with-font-exception GPL-2.0-with-GCC-exception GPL-3.0-with-GCC-exception
    LGPL LGPLLR LiLiQ-R LPL LPPL MPL MPL-2.0-no-copyleft-exception MS-RL Motosoto NASA Nokia NPL OCLC ODbL OFL
    OFL-1.0-no-RFN OFL-1.0-RFN OFL-1.1-no-RFN OFL-1.1-RFN OSET-PL RPSL RSCPL Ruby SISSL SPL SugarCRM Ubuntu-font Vim
    wxWindows YPL Zimbra
"""

_STRONG_COPYLEFT: Final = """
    AGPL BSD-Protection CAL CECILL CERN-OHL-S copyleft-next EUPL Frameworx GPL GPL-2.0-with-autoconf-exception
    GPL-2.0-with-bison-exception GPL-3.0-with-autoconf-exception LiLiQ-Rplus NGPL NPOSL OSL Parity QPL RPL SimPL
    Sleepycat SSPL TAPR-OHL Watcom
"""

# These let a program link or embed the work without coming under the GPL itself.
_LINKING_EXCEPTIONS: Final = """
    Bootloader-exception CGAL-linking-exception Classpath-exception-2.0 eCos-exception-2.0
    erlang-otp-linking-exception FLTK-exception Font-exception-2.0 freertos-exception-2.0 GCC-exception-2.0
    GCC-exception-2.0-note GCC-exception-3.1 GNAT-exception GNU-compiler-exception gnu-javamail-exception
    GPL-3.0-linking-exception GPL-3.0-linking-source-exception i2p-gpl-java-exception Independent-modules-exception
    Libtool-exception Linux-syscall-note mif-exception OCaml-LGPL-linking-exception OpenJDK-assembly-exception-1.0
    SWI-exception WxWindows-exception-3.1
"""

_CLASSES: Final = {
    licence_id.lower(): licence_class
    for ids, licence_class in (
        (_PERMISSIVE, LicenceClass.PERMISSIVE),
        (_WEAK_COPYLEFT, LicenceClass.WEAK_COPYLEFT),
        (_STRONG_COPYLEFT, LicenceClass.STRONG_COPYLEFT),
    )
    for licence_id in ids.split()
}
_LINKING: Final = frozenset(_LINKING_EXCEPTIONS.lower().split())

_LATER_OR_NOT = re.compile(r"-(only|or-later)$")
# Creative Commons ids end with the country they were ported to.
_VERSION = re.compile(r"-\d+(\.\d+)*[a-z]?(-[a-z]{2,3})?$")


def class_of_id(licence_id: str) -> LicenceClass:
    """Return the class of an SPDX licence id, in any case; `UNKNOWN` for one that is not listed."""
    key = _LATER_OR_NOT.sub("", licence_id.lower())
    return _CLASSES.get(key) or _CLASSES.get(_VERSION.sub("", key), LicenceClass.UNKNOWN)


def class_of_licence(licence: Licence) -> LicenceClass:
    """Return the class of a licence with its exception: one that allows linking makes strong copyleft weak."""
    licence_class = class_of_id(licence.id)
    linking = licence.exception is not None and licence.exception.lower() in _LINKING
    if linking and licence_class is LicenceClass.STRONG_COPYLEFT:
        return LicenceClass.WEAK_COPYLEFT
    return licence_class
