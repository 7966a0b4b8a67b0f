"""`import graph_core` loads the standard library and four small packages, whole or folder by folder."""

import subprocess
import sys
from pathlib import Path

import pytest

import graph_core

PACKAGE = Path(graph_core.__file__).parent
ALLOWED = {"graph_core", "attr", "attrs", "cattr", "cattrs", "orjson", "returns", "typing_extensions"}
PARTS = sorted(
    f"graph_core.{path.stem}"
    for path in PACKAGE.iterdir()
    if (path.is_dir() and (path / "__init__.py").exists()) or (path.suffix == ".py" and not path.stem.startswith("__"))
)
PROGRAM = """
import importlib, sys
before = set(sys.modules)
importlib.import_module(sys.argv[1])
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))
"""


@pytest.mark.parametrize("module", ["graph_core", *PARTS])
def test_an_import_alone_works_and_is_light(module: str) -> None:
    """Each part can be imported first, and what belongs to an extra is not loaded by it."""
    command = [sys.executable, "-c", PROGRAM, module]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert run.stderr == ""
    assert set(run.stdout.split()) - ALLOWED == set()
