"""The savers that come with the package."""

from graph_core.checkpoint.base_saver import BaseCheckpointSaver
from graph_core.checkpoint.savers.database_saver import DatabaseSaver
from graph_core.checkpoint.savers.memory_saver import MemorySaver

__all__ = ["BaseCheckpointSaver", "DatabaseSaver", "MemorySaver"]
