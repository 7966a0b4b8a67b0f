"""Typed, safe, allow-listed encoding of state values."""

from graph_core.serializer.errors import DeserializationError, SerializationError
from graph_core.serializer.serializer import Serializer

__all__ = ["DeserializationError", "SerializationError", "Serializer"]
