"""Reading: a JSON tree becomes the value again; only what is on the list is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from graph_core.exception.texts import said
from graph_core.serializer.codec import REGISTERED, TAG, Codec, Parts, at_part
from graph_core.serializer.failure import Failure, at_index, exactly

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONTAINERS: Final = frozenset({dict, list})


@final
class Reader:
    """Reads JSON trees.

    Args:
        codecs: tag → codec.
    """

    __slots__ = ("_codecs",)

    def __init__(self, codecs: Mapping[str, Codec]) -> None:
        self._codecs = codecs

    def read(self, tree: Any) -> Any:
        """Give the value of a tree, which is changed in place.

        Raises:
            Failure: something in it is not as it would have been written.
        """
        if exactly(tree) is list:
            return self._array(tree)
        if exactly(tree) is not dict:
            return tree
        if TAG not in tree:
            return self._object(tree)
        tag = tree.pop(TAG)
        codec = self._codecs.get(tag) if exactly(tag) is str else None
        if codec is None:
            raise _unknown(tag)
        return _decoded(codec, self._object(tree, tag))

    def _object(self, tree: Parts, tag: str | None = None) -> Parts:
        key = ""
        try:
            for key, item in tree.items():
                if exactly(item) in _CONTAINERS:
                    tree[key] = self.read(item)
        except Failure as failure:
            failure.under(at_part(tag, key))
            raise
        return tree

    def _array(self, tree: list[Any]) -> list[Any]:
        index = 0
        try:
            for index, item in enumerate(tree):
                if exactly(item) in _CONTAINERS:
                    tree[index] = self.read(item)
        except Failure as failure:
            failure.under(at_index(index))
            raise
        return tree


def _decoded(codec: Codec, parts: Parts) -> Any:
    try:
        return codec.decode(parts)
    except Failure as failure:
        failure.text = f"{codec.tag!r}: {failure.text}"
        raise
    except Exception as error:
        raise Failure(f"{codec.tag!r} can not be read: {said(error)}") from error


def _unknown(tag: Any) -> Failure:
    if exactly(tag) is str and tag.startswith(REGISTERED):
        name = tag.removeprefix(REGISTERED)
        text = f"{name!r} is not registered, so it is not built; Serializer().register(<the class>, {name!r})"
        return Failure(text, "unregistered_type")
    return Failure(f"unknown tag {tag!r}; was this written by a newer version?")
