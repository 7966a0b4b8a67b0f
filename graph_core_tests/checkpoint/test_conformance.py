"""Every saver of the package passes the conformance suite."""

from pathlib import Path
from typing import Any

import pytest

from graph_core.checkpoint import BaseCheckpointSaver
from graph_core.checkpoint.conformance import SaverConformance, caught
from graph_core.checkpoint.savers import DatabaseSaver, MemorySaver


class TestMemorySaver(SaverConformance):
    def make_saver(self, **options: Any) -> BaseCheckpointSaver:
        """Keep copies."""
        return MemorySaver(**options)


class TestSerializingMemorySaver(SaverConformance):
    def make_saver(self, **options: Any) -> BaseCheckpointSaver:
        """Keep bytes."""
        return MemorySaver(serialize=True, **options)


class TestDatabaseInMemory(SaverConformance):
    def make_saver(self, **options: Any) -> BaseCheckpointSaver:
        """Keep a database in memory."""
        return DatabaseSaver(":memory:", **options)


class TestDatabaseFile(SaverConformance):
    @pytest.fixture(autouse=True)
    def _in_folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def make_saver(self, **options: Any) -> BaseCheckpointSaver:
        """Keep a file."""
        self.file = self.folder / f"{len(self._open)}.db"
        return DatabaseSaver(self.file, **options)

    def reopened(self, saver: BaseCheckpointSaver) -> BaseCheckpointSaver:
        """Open the file once more."""
        return DatabaseSaver(self.file)


def test_an_error_that_is_not_raised_fails_a_test() -> None:
    """The suite's own `caught` does not let silence pass."""
    with pytest.raises(AssertionError, match="KeyError was not raised"):
        caught(KeyError, dict)
