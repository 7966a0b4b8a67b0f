"""The rules of the house on size and documentation."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import graph_core

PACKAGE = Path(graph_core.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
MODULE_LINES = 400
BODY_LINES = 45

each_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())


def functions_of(source: str) -> Iterator[tuple[str, int]]:
    """Find every function, nested ones too, with the number of lines of its body below the docstring."""
    for item in ast.walk(ast.parse(source)):
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            body = item.body[1:] if ast.get_docstring(item) is not None else item.body
            yield item.name, (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


@each_module
def test_a_module_is_short(path: Path) -> None:
    """A module is read in one sitting."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MODULE_LINES


@each_module
def test_a_function_is_short(path: Path) -> None:
    """A function's body fits on a screen."""
    lengths = functions_of(path.read_text(encoding="utf-8"))
    assert {name: length for name, length in lengths if length > BODY_LINES} == {}


def test_the_docstring_is_not_counted() -> None:
    """Only what runs is counted, and a function that is all docstring has no body."""
    source = 'def f():\n    """One.\n\n    Two.\n    """\n    x = 1\n\n    return x\n\ndef g():\n    """Only this."""\n'
    assert dict(functions_of(source)) == {"f": 3, "g": 0}


def test_what_is_public_is_documented() -> None:
    """Every class and function one can import from `graph_core` says what it is for."""
    public = {name: getattr(graph_core, name) for name in graph_core.__all__}
    named = {name: item for name, item in public.items() if inspect.isclass(item) or inspect.isfunction(item)}
    assert [name for name, item in named.items() if not (item.__doc__ or "").strip()] == []
