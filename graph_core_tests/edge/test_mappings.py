"""Labels and the nodes they mean."""

import enum
import re
from typing import Annotated, Any, Literal

import pytest
from typing_extensions import TypeAliasType

from graph_core import DEFAULT, END, InvalidRecordError
from graph_core.edge.mappings import labels_of, normalized, union_parts
from graph_core_tests.travel import travelled


class Colour(enum.Enum):
    """Labels whose values are node ids."""

    RED = "paint_red"
    BLUE = "paint_blue"


class Shade(enum.Enum):
    """More labels."""

    DARK = "paint_dark"


class Size(enum.IntEnum):
    """Labels whose values are no node ids."""

    SMALL = 1


Alias = TypeAliasType("Alias", Literal["a", "b"])
Longer = TypeAliasType("Longer", Alias | Literal["c"])


class TestNormalized:
    def test_a_dict(self) -> None:
        """R3: a dict maps labels of any hashable kind to nodes."""
        mappings: dict[Any, str] = {"a": "x", 2: "y", True: "y2", Colour.RED: "z", frozenset({1}): "w"}
        assert normalized(mappings) == mappings

    @pytest.mark.parametrize("nodes", [["a", END], ("a", END)], ids=repr)
    def test_node_ids(self, nodes: Any) -> None:
        """R3: of a list of node ids each maps to itself."""
        assert normalized(nodes) == {"a": "a", END: END}

    @pytest.mark.parametrize("nodes", [{"a"}, frozenset({"a"})], ids=["set", "frozenset"])
    def test_a_set_has_no_order(self, nodes: Any) -> None:
        """R3, P4: branch order would change from process to process, so a set is refused."""
        with pytest.raises(InvalidRecordError, match="a list of node ids"):
            normalized(nodes)

    def test_absent(self) -> None:
        """R3: absent stays absent."""
        assert normalized(None) is None

    def test_order(self) -> None:
        """R3: labels keep the order in which they were given."""
        assert list(normalized(["b", "a", "b"]) or ()) == ["b", "a"]

    @pytest.mark.parametrize("wrong", ["abc", 5, b"ab", iter("ab")], ids=["str", "int", "bytes", "iterator"])
    def test_anything_else(self, wrong: Any) -> None:
        """R3: a text is no list of node ids."""
        with pytest.raises(InvalidRecordError, match="mapp"):
            normalized(wrong)

    @pytest.mark.parametrize("node", [None, 5, ["x"], Colour.RED], ids=repr)
    def test_nodes_are_ids(self, node: Any) -> None:
        """R3: a label is mapped to the id of one node; the error names both."""
        text = f"label 'a' must be mapped to the id of a node (a str), not to {node!r}"
        with pytest.raises(InvalidRecordError, match=re.escape(text)):
            normalized({"a": node})

    def test_none_is_no_label(self) -> None:
        """R4, R5: `None` is no label; the error names `DEFAULT`."""
        with pytest.raises(InvalidRecordError, match="None is no label, but it is mapped to 'a'; DEFAULT catches"):
            normalized({None: "a"})

    def test_it_never_changes(self) -> None:
        """R3: what was given is copied, and read-only."""
        given = {"a": "x"}
        found: Any = normalized(given)
        given["b"] = "y"
        with pytest.raises(TypeError, match="immutable"):
            found["b"] = "y"
        assert found == {"a": "x"}


class TestDefault:
    def test_a_key(self) -> None:
        """R5: `DEFAULT` is a key of a mapping."""
        assert normalized({"a": "x", DEFAULT: "rest"}) == {"a": "x", DEFAULT: "rest"}

    def test_one_instance(self) -> None:
        """R5: it is one object, also after pickle and copies, and shows its name."""
        assert all(other is DEFAULT for other in travelled(DEFAULT))
        assert repr(DEFAULT) == "DEFAULT"


LABELS: dict[str, tuple[Any, Any]] = {
    "Literal": (Literal["a", "b"], {"a": "a", "b": "b"}),
    "Enum": (Colour, {Colour.RED: "paint_red", Colour.BLUE: "paint_blue"}),
    "Literal of an Enum": (Literal[Colour.RED], {Colour.RED: "paint_red"}),
    "union of a Literal and an Enum": (
        Literal["a"] | Colour,
        {"a": "a", Colour.RED: "paint_red", Colour.BLUE: "paint_blue"},
    ),
    "union of classes": (
        Colour | Shade,
        {Colour.RED: "paint_red", Colour.BLUE: "paint_blue", Shade.DARK: "paint_dark"},
    ),
    "Annotated": (Annotated[Literal["a"], "note"], {"a": "a"}),
    "alias": (Alias, {"a": "a", "b": "b"}),
    "alias in an alias": (Longer, {"a": "a", "b": "b", "c": "c"}),
    "str": (str, None),
    "one label or list": (Literal["a"] | list[str], None),
    "optional": (Literal["a"] | None, None),
    "list": (list[Literal["a"]], None),
    "None": (None, None),
    "Any": (Any, None),
    "empty Enum": (enum.Enum("Empty", {}), None),
}


class TestLabelsOf:
    @pytest.mark.parametrize(("hint", "labels"), LABELS.values(), ids=LABELS.keys())
    def test_hints(self, hint: Any, labels: Any) -> None:
        """R3: the labels of a `Literal[...]` or `Enum` return annotation are the node ids."""
        assert labels_of(hint) == labels

    @pytest.mark.parametrize(
        ("hint", "label"), [(Literal[1], "1"), (Literal["a", True], "True"), (Size, repr(Size.SMALL))], ids=str
    )
    def test_labels_that_are_no_ids(self, hint: Any, label: str) -> None:
        """R3: a label that can be no node id is an error that names `mappings`."""
        with pytest.raises(InvalidRecordError, match=re.escape(f"label {label} is taken from an annotation")) as caught:
            labels_of(hint)
        assert "give mappings={label: node id} instead" in str(caught.value)


class TestUnionParts:
    def test_parts(self) -> None:
        """R3: a union is looked through at every depth, in order."""
        assert union_parts(int | Annotated[str | None, "note"] | Alias) == (
            int,
            str,
            type(None),
            Literal["a", "b"],
        )

    @pytest.mark.parametrize("hint", [int, list[int], Literal["a"], None, Any], ids=repr)
    def test_anything_else_alone(self, hint: Any) -> None:
        """R3: any other hint is its only part."""
        assert union_parts(hint) == (hint,)
