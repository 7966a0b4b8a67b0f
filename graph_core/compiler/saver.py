"""The saver of a compiled graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from graph_core.config.compile_config import FRESH

if TYPE_CHECKING:
    from graph_core.compiler.state import StatePlan
    from graph_core.config import CompileConfig
    from graph_core.serializer import Serializer


def with_saver(config: CompileConfig, state: StatePlan, serializer: Serializer | None) -> CompileConfig:
    """Give a config with the saver that this compile uses: a fresh one if none was given.

    A saver that writes values gets to know the types of the graph's schemas; of the two serializers
    that may have been given, the graph's and the saver's, the graph's is used.
    """
    saver: Any = config.checkpoint_saver
    if saver is FRESH:
        from graph_core.checkpoint.savers.memory_saver import MemorySaver

        return attrs.evolve(config, checkpoint_saver=MemorySaver())
    if saver is None or saver.serializer is None:
        return config
    from graph_core.serializer import Serializer

    known = serializer or saver.serializer
    if isinstance(known, Serializer) and (state.schemas or serializer is not None):
        known = known.with_schema(*(schema.cls for schema in state.schemas))
        return attrs.evolve(config, checkpoint_saver=saver.with_serializer(known))
    return config
