"""What holds for every test: how a coroutine function runs, and which files are tests."""

import asyncio
import inspect
import os
from pathlib import Path

import hypothesis
import pytest

# S10: a node that changes its state in place fails, in every test that does not say otherwise.
os.environ.setdefault("GRAPH_CORE_DETECT_MUTATION", "1")

# A busy machine is no failure: what matters here is the answer, the benchmarks measure the time.
hypothesis.settings.register_profile("graph_core", deadline=None)
hypothesis.settings.load_profile("graph_core")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an `async def` test to its end; leave every other test to pytest."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Read only `test_*.py` here: doctests would be looked for in helpers and in what only the type checkers read."""
    return True if collection_path.suffix == ".py" and not collection_path.name.startswith("test_") else None
