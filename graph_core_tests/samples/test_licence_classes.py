"""Licence classes: by SPDX expression, by classifier, by free text and by licence text."""

from collections.abc import Iterable
from string import printable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.licenses import canonicalize_license_expression
from returns.result import Failure, Success

from samples.licence_audit.class_of_expression import class_of_expression, knows_all_ids
from samples.licence_audit.free_text import class_of_free_text
from samples.licence_audit.licence_class import LicenceClass, all_apply, most_permissive, one_may_be_chosen, strictest
from samples.licence_audit.licence_ids import class_of_id
from samples.licence_audit.licence_text import recognise
from samples.licence_audit.spdx import AllOf, AnyOf, Expression, Licence, all_of, any_of, render
from samples.licence_audit.spdx_parser import MAX_DEPTH, parse
from samples.licence_audit.trove import class_of_classifiers, licence_names

PERMISSIVE, WEAK, STRONG, UNKNOWN = LicenceClass

MIT_TEXT = """Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal"""
BSD_TITLE = (
    "Redistribution and use in source and binary forms, with or without\nmodification, are permitted provided that"
)
MPL_TITLE = "Mozilla Public License Version 2.0\n=====\n\n1. Definitions"
GPL_TITLE = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007"

_REAL_IDS = st.sampled_from(["MIT", "Apache-2.0", "GPL-2.0-only", "LGPL-2.1-or-later", "0BSD", "BUSL-1.1"])
_EXCEPTIONS = st.none() | st.sampled_from(["LLVM-exception", "GCC-exception-3.1"])
_REAL_LICENCES = st.builds(Licence, id=_REAL_IDS, exception=_EXCEPTIONS)
_OTHER_LICENCES = st.builds(Licence, st.sampled_from(["GPL-2.0", "LicenseRef-Own", "Foo-1.0"]), st.booleans())


def _joined(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    some = st.lists(parts, min_size=1, max_size=3)
    return st.one_of(some.map(lambda found: all_of(*found)), some.map(lambda found: any_of(*found)))


_REAL_EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(_REAL_LICENCES, _joined, max_leaves=12)
_EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(_REAL_LICENCES | _OTHER_LICENCES, _joined, max_leaves=12)


def _leaves(expression: Expression) -> Iterable[Licence]:
    if isinstance(expression, Licence):
        yield expression
    else:
        for part in expression.parts:
            yield from _leaves(part)


class TestClassesTogether:
    def test_strictest_and_most_permissive_are_the_ends_of_one_order(self) -> None:
        """Permissive < weak < strong < unknown: what is unknown may ask for anything."""
        assert strictest(LicenceClass) is UNKNOWN
        assert most_permissive(LicenceClass) is PERMISSIVE
        assert strictest([STRONG, PERMISSIVE, WEAK]) is STRONG

    @pytest.mark.parametrize(
        ("statements", "expected"),
        [
            ([], None),
            ([None], None),
            ([PERMISSIVE], PERMISSIVE),
            ([PERMISSIVE, None], None),
            ([PERMISSIVE, STRONG], STRONG),
            ([UNKNOWN, None], UNKNOWN),
        ],
        ids=str,
    )
    def test_all_apply(self, statements: list[LicenceClass | None], expected: LicenceClass | None) -> None:
        """A part that tells nothing leaves the whole open, except that what is proprietary stays so."""
        assert all_apply(statements) is expected

    @pytest.mark.parametrize(
        ("statements", "expected"),
        [([], None), ([None], None), ([None, STRONG], STRONG), ([WEAK, PERMISSIVE, UNKNOWN], PERMISSIVE)],
        ids=str,
    )
    def test_one_may_be_chosen(self, statements: list[LicenceClass | None], expected: LicenceClass | None) -> None:
        """Of alternatives the most permissive that tells something counts."""
        assert one_may_be_chosen(statements) is expected


class TestParser:
    @given(_EXPRESSIONS)
    def test_round_trip(self, expression: Expression) -> None:
        """The text of an expression parses back to the same expression."""
        assert parse(render(expression)) == Success(expression)

    @given(_REAL_EXPRESSIONS)
    def test_agrees_with_packaging(self, expression: Expression) -> None:
        """What the PyPA's own reader makes of an expression, it reads as the same expression."""
        assert parse(canonicalize_license_expression(render(expression).lower())) == Success(expression)

    @given(st.text() | st.text(alphabet="()ANDORWITH MIT-.+", max_size=60) | st.text(alphabet=printable))
    def test_never_raises(self, text: str) -> None:
        """Any text gives an expression or a failure, and an expression's text parses again."""
        parsed = parse(text)
        if isinstance(parsed, Success):
            expression = parsed.unwrap()
            assert parse(render(expression)) == Success(expression)
        else:
            assert str(parsed.failure())

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("MIT", Licence("MIT")),
            ("GPL-2.0+", Licence("GPL-2.0", or_later=True)),
            ("Apache-2.0 WITH LLVM-exception", Licence("Apache-2.0", exception="LLVM-exception")),
            ("MIT or ISC and Zlib", AnyOf((Licence("MIT"), AllOf((Licence("ISC"), Licence("Zlib")))))),
            ("(MIT OR ISC) AND Zlib", AllOf((AnyOf((Licence("MIT"), Licence("ISC"))), Licence("Zlib")))),
            ("MIT AND (ISC AND Zlib)", AllOf((Licence("MIT"), Licence("ISC"), Licence("Zlib")))),
            ("((MIT))", Licence("MIT")),
            ("DocumentRef-x:LicenseRef-y", Licence("DocumentRef-x:LicenseRef-y")),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_grammar(self, text: str, expected: Expression) -> None:
        """WITH binds closer than AND, AND closer than OR; brackets group; operators come in any case."""
        assert parse(text) == Success(expected)

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "a licence id or ( expected, the end found"),
            ("MIT License", "AND, OR or the end expected, License found"),
            ("MIT AND", "a licence id or ( expected, the end found"),
            ("OR MIT", "a licence id or ( expected, OR found"),
            ("(MIT", "a closing parenthesis is missing"),
            ("MIT)", "AND, OR or the end expected, ) found"),
            ("GPL-2.0 WITH", "an exception id expected, the end found"),
            ("GPL-2.0 WITH x+", "an exception has no later versions: x+"),
            ("MIT, ISC", "',' at 3 cannot stand in a licence expression"),
        ],
        ids=["empty", "words", "half-and", "no-left", "open", "close", "half-with", "later-exception", "comma"],
    )
    def test_errors_name_place_and_remedy(self, text: str, reason: str) -> None:
        """A malformed expression says what was expected and what was found."""
        assert str(parse(text).failure()) == reason

    def test_depth_is_limited(self) -> None:
        """Brackets up to the limit are read, far more are a failure and no exhausted stack."""
        assert parse("(" * MAX_DEPTH + "MIT" + ")" * MAX_DEPTH) == Success(Licence("MIT"))
        assert isinstance(parse("(" * 100_000 + "MIT" + ")" * 100_000), Failure)

    def test_length_is_not_limited(self) -> None:
        """Ten thousand alternatives are one flat expression."""
        assert parse(" OR ".join(["MIT"] * 10_000)) == Success(AnyOf((Licence("MIT"),) * 10_000))


class TestExpressions:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("MIT", PERMISSIVE),
            ("mit", PERMISSIVE),
            ("BSD-3-Clause", PERMISSIVE),
            ("Python-2.0.1", PERMISSIVE),
            ("CC-BY-3.0-US", PERMISSIVE),
            ("MPL-2.0", WEAK),
            ("LGPL-3.0-or-later", WEAK),
            ("GFDL-1.3-invariants-only", WEAK),
            ("LGPL-2.1+", WEAK),
            ("GPL-3.0-only", STRONG),
            ("GPL-2.0+", STRONG),
            ("AGPL-3.0-or-later", STRONG),
            ("EUPL-1.2", STRONG),
            ("CC-BY-NC-4.0", UNKNOWN),
            ("BUSL-1.1", UNKNOWN),
            ("LicenseRef-Own", UNKNOWN),
            ("GPL-2.0-only WITH Classpath-exception-2.0", WEAK),
            ("GPL-3.0-or-later WITH gcc-exception-3.1", WEAK),
            ("GPL-2.0-only WITH openvpn-openssl-exception", STRONG),
            ("Apache-2.0 WITH LLVM-exception", PERMISSIVE),
            ("LicenseRef-Own WITH GCC-exception-3.1", UNKNOWN),
            ("MIT OR GPL-3.0-only", PERMISSIVE),
            ("MIT AND GPL-3.0-only", STRONG),
            ("MPL-2.0 AND (Apache-2.0 OR MIT)", WEAK),
            ("MIT OR GPL-3.0-only AND LGPL-3.0-only", PERMISSIVE),
            ("MIT AND LicenseRef-Own", UNKNOWN),
            ("LicenseRef-Own OR LGPL-2.1-only", WEAK),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_class(self, text: str, expected: LicenceClass) -> None:
        """OR takes the most permissive side, AND the strictest, an exception that allows linking weakens."""
        assert parse(text).map(class_of_expression) == Success(expected)

    @given(_EXPRESSIONS, _EXPRESSIONS)
    def test_or_never_tightens_and_and_never_loosens(self, left: Expression, right: Expression) -> None:
        """For any two expressions OR gives the lower class of the two and AND the higher."""
        classes = [class_of_expression(left), class_of_expression(right)]
        assert class_of_expression(any_of(left, right)) is most_permissive(classes)
        assert class_of_expression(all_of(left, right)) is strictest(classes)

    @given(_EXPRESSIONS)
    def test_knows_all_ids(self, expression: Expression) -> None:
        """An expression is known when each of its licences is."""
        unknown = any(one.id in {"LicenseRef-Own", "Foo-1.0", "BUSL-1.1"} for one in _leaves(expression))
        assert knows_all_ids(expression) is not unknown

    @pytest.mark.parametrize("licence_id", ["", "NoSuch-1.0", "GPL", "-only", "BSD"])
    def test_ids_that_are_not_listed(self, licence_id: str) -> None:
        """An id that is not on the list is unknown, unless it only lacks its version."""
        assert class_of_id(licence_id) is (STRONG if licence_id == "GPL" else UNKNOWN)


class TestClassifiers:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("MIT License", PERMISSIVE),
            ("BSD License", PERMISSIVE),
            ("Apache Software License", PERMISSIVE),
            ("Python Software Foundation License", PERMISSIVE),
            ("ISC License (ISCL)", PERMISSIVE),
            ("zlib/libpng License", PERMISSIVE),
            ("The Unlicense (Unlicense)", PERMISSIVE),
            ("University of Illinois/NCSA Open Source License", PERMISSIVE),
            ("Historical Permission Notice and Disclaimer (HPND)", PERMISSIVE),
            ("CeCILL-B Free Software License Agreement (CECILL-B)", PERMISSIVE),
            ("Mozilla Public License 2.0 (MPL 2.0)", WEAK),
            ("Eclipse Public License 2.0 (EPL-2.0)", WEAK),
            ("GNU Library or Lesser General Public License (LGPL)", WEAK),
            ("GNU Lesser General Public License v3 or later (LGPLv3+)", WEAK),
            ("Common Development and Distribution License 1.0 (CDDL-1.0)", WEAK),
            ("CeCILL-C Free Software License Agreement (CECILL-C)", WEAK),
            ("SIL Open Font License 1.1 (OFL-1.1)", WEAK),
            ("GNU General Public License (GPL)", STRONG),
            ("GNU General Public License v2 or later (GPLv2+)", STRONG),
            ("GNU Affero General Public License v3 or later (AGPLv3+)", STRONG),
            ("European Union Public Licence 1.2 (EUPL 1.2)", STRONG),
            ("CEA CNRS Inria Logiciel Libre License, version 2.1 (CeCILL-2.1)", STRONG),
            ("Other/Proprietary License", UNKNOWN),
            ("Free for non-commercial use", UNKNOWN),
            ("Freeware", UNKNOWN),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_class(self, name: str, expected: LicenceClass) -> None:
        """Each name of a licence among the trove classifiers has its class."""
        assert class_of_classifiers([name]) is expected

    def test_only_those_that_name_a_licence_count(self) -> None:
        """Classifiers of other kinds, and `OSI Approved` alone, tell nothing."""
        classifiers = ["Typing :: Typed", "License :: OSI Approved", "License :: DFSG approved", "License", "Licensed"]
        assert licence_names(classifiers) == ()
        assert class_of_classifiers(()) is None

    def test_of_several_the_strictest_counts(self) -> None:
        """Classifiers do not say whether one may choose, so they are taken as all applying."""
        names = licence_names(["License :: OSI Approved :: MIT License", "License :: OSI Approved :: GPL"])
        assert names == ("MIT License", "GPL")
        assert class_of_classifiers(names) is STRONG


class TestFreeText:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("MIT", PERMISSIVE),
            ("mit", PERMISSIVE),
            ("The MIT License (MIT)", PERMISSIVE),
            ("MIT/X11", PERMISSIVE),
            ("New BSD", PERMISSIVE),
            ("3-Clause BSD License", PERMISSIVE),
            ("Apache License, Version 2.0", PERMISSIVE),
            ("ASL 2.0", PERMISSIVE),
            ("https://opensource.org/licenses/MIT", PERMISSIVE),
            ("Licensed under the BSD, see ``LICENSE`` for details.", PERMISSIVE),
            ("PSF, GPL compatible", PERMISSIVE),
            ("Public Domain", PERMISSIVE),
            ("ZPL 2.1", PERMISSIVE),
            ("MIT AND BSD-3-Clause", PERMISSIVE),
            ("MIT or GPLv3", PERMISSIVE),
            ("MPLv2.0, MIT Licences", WEAK),
            ("MPL 2.0", WEAK),
            ("LGPL with exceptions", WEAK),
            ("LGPLv2.1+", WEAK),
            ("(L)GPL", WEAK),
            ("GNU Lesser General Public License v3 or later (LGPLv3+)", WEAK),
            ("GPLv2 with linking exception", WEAK),
            ("Qt Commercial or LGPLv3", WEAK),
            ("GPL", STRONG),
            ("GNU GPL v2 or later", STRONG),
            ("GPL (>= 2)", STRONG),
            ("GNUv3", STRONG),
            ("GPL, version 2 or (at your option) any later version", STRONG),
            ("GNU AFFERO GPL 3.0", STRONG),
            ("MIT and GPLv3", STRONG),
            ("GPL or commercial", STRONG),
            ("Proprietary", UNKNOWN),
            ("Apache 2.0 with Commons Clause", UNKNOWN),
            ("CC BY-NC-SA 4.0", UNKNOWN),
            ("LicenseRef-Own", UNKNOWN),
            ("Acme and proprietary", UNKNOWN),
            ("", None),
            ("Dual License", None),
            ("see LICENSE.txt", None),
            ("non-GPL", None),
            ("BSD and others", None),
            ("Lizenz mit Einschränkung", None),
            ("All rights reserved", None),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_class(self, text: str, expected: LicenceClass | None) -> None:
        """Names in their many spellings, several of them, and what tells nothing (None)."""
        assert class_of_free_text(text) is expected

    def test_pasted_text(self) -> None:
        """A whole licence text is known by its text, whatever it mentions besides."""
        assert (
            class_of_free_text(f"Copyright Ann\n\n{MIT_TEXT}\nThis is not the GPL and no proprietary text.")
            is PERMISSIVE
        )

    def test_long_prose_is_read_by_its_title_only(self) -> None:
        """A name far into an unknown text is no statement."""
        assert class_of_free_text("These are our terms. " * 40 + "The GPL is another licence.") is None
        assert class_of_free_text("BSD License\n\n" + "These are our terms. " * 40) is PERMISSIVE

    @given(st.text())
    def test_never_raises(self, text: str) -> None:
        """Any text gives a class or None."""
        assert class_of_free_text(text) in {*LicenceClass, None}


class TestLicenceTexts:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            (MIT_TEXT, ["MIT"]),
            (BSD_TITLE, ["BSD"]),
            ("Apache License\n  Version 2.0, January 2004", ["Apache"]),
            (f"{MPL_TITLE} ... the GNU General Public License, Version 2.0", ["MPL"]),
            (f"{GPL_TITLE} ... use the GNU Lesser General Public License instead", ["GPL"]),
            (f"GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007 ... {GPL_TITLE}", ["LGPL"]),
            ("it under the terms of the GNU General Public License as published", ["GPL"]),
            (f"{GPL_TITLE} ... GCC RUNTIME LIBRARY EXCEPTION", ["GPL with a linking exception"]),
            ("GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3, 19 November 2007", ["AGPL"]),
            (f"Commons Clause License Condition v1.0 {MIT_TEXT}", ["MIT", "Commons Clause"]),
            ("The GPL, the MIT licence and the Apache License are licences.", []),
            ("", []),
        ],
        ids=["mit", "bsd", "apache", "mpl", "gpl", "lgpl", "grant", "gcc", "agpl", "commons", "prose", "empty"],
    )
    def test_recognise(self, text: str, names: list[str]) -> None:
        """A text is known by a phrase of its own, not by the licences it mentions."""
        assert [known.name for known in recognise(text)] == names
