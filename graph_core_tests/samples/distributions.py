"""Distributions made on disk, and the licence audit as a program."""

import subprocess
import sys
from pathlib import Path

from samples.licence_audit.environment import read_environment
from samples.licence_audit.installed import Installed

ROOT = Path(__file__).parents[2]
MIT_TEXT = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"
GPL_TEXT = "it under the terms of the GNU General Public License as published by the Free Software Foundation"


def make(folder: Path, name: str, *headers: str, version: str = "1.0", files: dict[str, bytes] | None = None) -> Path:
    """Make a distribution in `folder`: its metadata with `headers`, and `files` beside it."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    lines = ("Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}", *headers)
    (info / "METADATA").write_text("\n".join((*lines, "", "The long description.")), encoding="utf-8")
    for filename, content in (files or {}).items():
        path = info / filename
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return info


def only(folder: Path) -> Installed:
    """Return the only distribution in `folder`."""
    (one,) = read_environment(folder)
    return one


def run(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the audit as a program, from the root of the checkout."""
    command = [sys.executable, "-m", "samples.licence_audit", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
