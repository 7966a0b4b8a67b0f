"""mypy and pyright, both strict, see what is wrong with the lines in `wrong/`, and nothing else.

There each wrong line ends with what the two are to say: `# error: <codes of mypy> | <rules of pyright>`.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WRONG = sorted((HERE / "wrong").glob("*.py"))
RIGHT = sorted(HERE.glob("*.py"))
MARK = re.compile(r"# error: (?P<mypy>[a-z -]+) \| (?P<pyright>[A-Za-z ]+)$")
CHECKERS = ("mypy", "pyright")

Codes: TypeAlias = Mapping[int, list[str]]
"""Line → codes, sorted."""
Found: TypeAlias = Mapping[Path, Codes]


def marked(source: str, checker: str) -> Codes:
    """Read what a checker is to say of a source."""
    found = {number: MARK.search(line) for number, line in enumerate(source.splitlines(), 1)}
    return {number: sorted(mark[checker].split()) for number, mark in found.items() if mark}


def by_place(errors: Iterable[tuple[Path, int, str]]) -> Found:
    """Order errors by their places."""
    found: dict[Path, dict[int, list[str]]] = {}
    for path, line, code in errors:
        codes = found.setdefault(path, {}).setdefault(line, [])
        codes[:] = sorted({*codes, code})
    return found


def run(*arguments: str | Path) -> str:
    """Run a checker."""
    command = [sys.executable, "-m", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own tools
    assert done.returncode == 1, done.stdout + done.stderr  # errors were found, and nothing else went wrong
    return done.stdout


def mypy(place: Path) -> Found:
    """Run mypy on the files here: what is named is not excluded."""
    told = run("mypy", "--output=json", "--cache-dir", place, *RIGHT, *WRONG).splitlines()
    errors: list[dict[str, Any]] = [json.loads(line) for line in told if line.startswith("{")]
    return by_place((ROOT / each["file"], each["line"], each["code"]) for each in errors if each["severity"] == "error")


def pyright(place: Path) -> Found:
    """Run pyright on copies, with the settings of the project: here it would leave out what is excluded."""
    for path in RIGHT + WRONG:
        copy = place / path.relative_to(HERE)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(path, copy)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    kept = {name: value for name, value in settings.items() if name not in {"include", "exclude", "venv", "venvPath"}}
    config = place / "pyrightconfig.json"
    config.write_text(json.dumps({**kept, "include": ["."], "extraPaths": [str(ROOT)]}), encoding="utf-8")
    told = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable, "--project", config))
    errors: list[dict[str, Any]] = told["generalDiagnostics"]
    return by_place(
        (
            HERE / Path(each["file"]).resolve().relative_to(place.resolve()),
            each["range"]["start"]["line"] + 1,
            each.get("rule", "syntax"),
        )
        for each in errors
    )


RUNS: Mapping[str, Callable[[Path], Found]] = {"mypy": mypy, "pyright": pyright}


@pytest.fixture(scope="session", params=CHECKERS)
def checked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Found]:
    """Run each checker once, and give its name and what it found."""
    return request.param, RUNS[request.param](tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_what_is_wrong_is_seen(path: Path, checked: tuple[str, Found]) -> None:
    """T4: the marked lines are errors, with these codes, and no other line is."""
    checker, found = checked
    expected = marked(path.read_text(encoding="utf-8"), checker)
    assert expected
    assert found.get(path, {}) == expected


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_what_is_right_is_accepted(path: Path, checked: tuple[str, Found]) -> None:
    """T4: right uses have the types that these files say."""
    _, found = checked
    assert found.get(path, {}) == {}


def test_nothing_else_is_wrong(checked: tuple[str, Found]) -> None:
    """What these files import has no errors either."""
    _, found = checked
    assert set(found) == set(WRONG)


def test_every_mark_can_be_read() -> None:
    """A mark that is not spelled as it should be would be none."""
    for path in WRONG:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if "error:" in line and not MARK.search(line)] == []
