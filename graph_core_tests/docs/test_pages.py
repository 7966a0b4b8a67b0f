"""The README and the pages of the documentation run as they stand.

The `python` blocks of a page run in order in one namespace. A block that directly follows as `text` is what the
block before it prints. A block that begins with `>>>` is a doctest in the same namespace.
"""

import contextlib
import doctest
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import attrs
import pytest

import graph_core

README = Path(__file__).parents[2] / "README.md"
DOCS = Path(graph_core.__file__).parent / "docs"
PAGES = (README, *sorted(DOCS.glob("*.md")))
FENCE = re.compile(r"^```(?P<kind>\w+)[^\n]*\n(?P<body>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)


@attrs.frozen
class Block:
    """A block of Python, the line its code begins on, and the output the page shows for it."""

    code: str
    line: int
    output: str | None

    @property
    def is_session(self) -> bool:
        """Whether the block shows a session with an interpreter."""
        return self.code.startswith(">>>")


def blocks_of(text: str) -> Iterator[Block]:
    """Find the Python blocks of a page."""
    fences = list(FENCE.finditer(text))
    for fence, following in zip(fences, [*fences, None][1:], strict=True):
        if fence["kind"] != "python":
            continue
        shown = following and following["kind"] == "text" and not text[fence.end() : following.start()].strip()
        line = text.count("\n", 0, fence.start("body")) + 1
        yield Block(fence["body"], line, following["body"] if following and shown else None)


def run_session(block: Block, page: ModuleType, place: str) -> None:
    """Run a block as a doctest and fail with the difference it reports."""
    test = doctest.DocTestParser().get_doctest(block.code, vars(page), place, place, block.line - 1)
    test.globs = vars(page)
    report: list[str] = []
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append, clear_globs=False).failed
    assert failed == 0, "".join(report)


def run_script(block: Block, page: ModuleType, place: str) -> str:
    """Run a block as it stands and return what it prints; a traceback shows the page's own lines."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile("\n" * (block.line - 1) + block.code, place, "exec"), vars(page))  # noqa: S102 - that is the test
    return printed.getvalue()


def run_page(text: str, place: str, page: ModuleType) -> None:
    """Run every block of a page in order, each on what those before it left."""
    for block in blocks_of(text):
        if block.is_session:
            run_session(block, page, place)
            continue
        printed = run_script(block, page, place)
        if block.output is not None:
            assert printed == block.output, f"{place}:{block.line} prints something else than the page shows"


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Make an empty module that can be found by its name, as annotations and pickles need it."""
    module = ModuleType("page_under_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_does_what_it_shows(path: Path, page: ModuleType) -> None:
    """Each block runs, and prints what the page says it prints."""
    run_page(path.read_text(encoding="utf-8"), str(path), page)


def test_the_readme_has_an_example() -> None:
    """The README shows a program and its output."""
    assert any(block.output for block in blocks_of(README.read_text(encoding="utf-8")))


class TestTheCollector:
    def test_blocks_share_one_namespace(self, page: ModuleType) -> None:
        """A later block sees the names of an earlier one, a session too."""
        run_page("```python\nx = 1\n```\n\ntext\n\n```python\n>>> x + 1\n2\n```\n", "page.md", page)

    def test_other_output_fails(self, page: ModuleType) -> None:
        """A page that shows another output than the program's fails."""
        with pytest.raises(AssertionError, match=r"page\.md:2 prints"):
            run_page("```python\nprint(1)\n```\n\n```text\n2\n```\n", "page.md", page)

    def test_another_answer_fails(self, page: ModuleType) -> None:
        """A session that shows another answer than the interpreter's fails."""
        with pytest.raises(AssertionError, match="Expected"):
            run_page("```python\n>>> 1 + 1\n3\n```\n", "page.md", page)

    def test_output_has_to_follow_directly(self) -> None:
        """A `text` block behind a sentence belongs to no program."""
        assert [block.output for block in blocks_of("```python\nf()\n```\nThus:\n```text\n2\n```\n")] == [None]

    def test_other_languages_are_left_alone(self) -> None:
        """Only Python is run."""
        assert list(blocks_of("```bash\nfalse\n```\n")) == []
