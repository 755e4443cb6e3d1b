"""What an outermost key of a YAML text holds, and where: for those who edit such a text.

Places come from a syntax tree, so a key inside of a string is none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tree_sitter import Node

from ggrep.parse.languages.trees import parse

ABSENT: Final = "absent"
_PAIRS: Final = {"block_mapping": "block_mapping_pair", "flow_mapping": "flow_pair"}
_WRAPPERS: Final = frozenset({"block_node", "flow_node"})


Value: TypeAlias = "str | Sequence[Value] | Mapping[str, Value]"
_EMPTY: Final[tuple[Value, ...]] = ("", "null", "~", [], {})


class YamlError(ValueError):
    """The text is not one YAML document with a mapping of lines, each key once."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a mapping, and what it holds.

    Attributes:
        start: offset in the text; `end` is exclusive.
        value: mappings, lists and texts; nothing and what is empty are left out of mappings.
    """

    start: int
    end: int
    value: Value


@dataclass(frozen=True, slots=True)
class Held:
    """What a key holds.

    Attributes:
        kind: of its node; empty for nothing, `ABSENT` where the key is missing.
        start: offset in the text; `end` is exclusive. Of nothing: behind the key's colon.
        column: of the node, in bytes.
        entries: of a mapping, by key.
        is_open: the text ends within a block of text, which a line behind it would change.
    """

    kind: str
    start: int = 0
    end: int = 0
    column: int = 0
    entries: Mapping[str, Entry] = field(default_factory=dict)
    is_open: bool = False


def held_by(text: str, key: str) -> Held:
    """Return what an outermost key of a text holds.

    Raises:
        YamlError: the text cannot be edited safely.
    """
    root = _tree(text)
    document = _document(root)
    absent = Held(ABSENT, is_open=not text.endswith("\n") and _ends_in_block_scalar(root))
    if document is None:
        return absent
    mapping = _unwrapped(document)
    if mapping.type != "block_mapping" or mapping.start_point[1]:
        raise YamlError("its outermost value is not a mapping with a line for each key")
    pair = _pairs(mapping).get(key)
    if pair is None:
        return absent
    value, data = pair.child_by_field_name("value"), text.encode()
    if value is None:
        named = pair.child_by_field_name("key") or pair
        end = text.index(":", _offset(data, named.end_byte)) + 1
        return Held("", end, end)
    node = _unwrapped(value)
    start, end = _offset(data, node.start_byte), _offset(data, node.end_byte)
    entries = {
        name: Entry(_offset(data, pair.start_byte), _offset(data, pair.end_byte), _held(pair))
        for name, pair in (_pairs(node) if node.type in _PAIRS else {}).items()
    }
    return Held(node.type, start, end, node.start_point[1], entries)


def _held(pair: Node) -> Value:
    """Return what a pair holds; nothing is an empty text."""
    value = pair.child_by_field_name("value")
    return "" if value is None else _value(_unwrapped(value))


def _value(node: Node) -> Value:
    if node.type in _PAIRS:
        held = {name: _held(pair) for name, pair in _pairs(node).items()}
        return {name: each for name, each in held.items() if each not in _EMPTY}
    if node.type in {"block_sequence", "flow_sequence"}:
        items = (item for item in node.named_children if item.type != "comment")
        wrapped = (
            item.named_children[-1] if item.type == "block_sequence_item" else item
            for item in items
            if item.named_children
        )
        return [_value(_unwrapped(item)) for item in wrapped]
    return (node.text or b"").decode().strip("\"'")


def _ends_in_block_scalar(node: Node) -> bool:
    while node.named_children:
        node = node.named_children[-1]
    return node.type == "block_scalar"


def _tree(text: str) -> Node:
    root = parse("yaml", text.encode())
    if root.has_error or any("\t" in line[: _blanks(line)] for line in text.splitlines()):
        raise YamlError("it is not YAML as we read it")
    return root


def _blanks(line: str) -> int:
    """Return how many blanks a line begins with; none where it holds nothing else."""
    return len(line) - len(line.lstrip(" \t")) if line.strip() else 0


def _document(root: Node) -> Node | None:
    documents = [node for node in root.named_children if node.type == "document"]
    text = (root.text or b"").decode()
    if len(documents) > 1 or any(line.startswith("...") for line in text.splitlines()):
        raise YamlError("it holds several documents")
    nodes = (
        [node for node in documents[0].named_children if node.type in _WRAPPERS]
        if documents
        else []
    )
    return nodes[0] if nodes else None


def _offset(data: bytes, at: int) -> int:
    """Return the offset in the text of one in its bytes."""
    return len(data[:at].decode())


def _unwrapped(node: Node) -> Node:
    """Return the collection or scalar in a node; an anchor or a tag may stand before it."""
    if node.type in _WRAPPERS and node.named_children:
        return _unwrapped(node.named_children[-1])
    return node


def _pairs(mapping: Node) -> dict[str, Node]:
    """Return a mapping's pairs by key.

    Raises:
        YamlError: a key stands twice.
    """
    found: dict[str, Node] = {}
    for pair in mapping.named_children:
        if pair.type != _PAIRS[mapping.type]:
            continue
        key = pair.child_by_field_name("key")
        name = ((key.text if key is not None else None) or b"").decode().strip("\"'")
        if name in found:
            raise YamlError(f"key `{name}` stands twice")
        found[name] = pair
    return found
