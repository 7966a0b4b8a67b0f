"""What the figures were measured on, in words that name no host."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe() -> str:
    """Cores, processor, system and Python version."""
    cores = os.cpu_count() or 1
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{cores} cores, {_processor()}, {platform.system()} {platform.machine()}, {python}"


def _processor() -> str:
    """The processor's name, as far as the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown processor")
