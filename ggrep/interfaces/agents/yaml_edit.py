"""Our marked lines at the beginning of what a key of a YAML file holds.

Places come from a syntax tree, so a key inside of a string is none; what has an error is refused.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ggrep.interfaces.agents.block_edit import find_block
from ggrep.interfaces.agents.pieces import NAME, Found, Refused, Splice, YamlPart, newline_of

if TYPE_CHECKING:
    from tree_sitter import Node

_PAIRS: Final = {"block_mapping": "block_mapping_pair", "flow_mapping": "flow_pair"}
_WRAPPERS: Final = frozenset({"block_node", "flow_node"})
_EMPTY: Final = ("{}", "[]")


@dataclass(frozen=True, slots=True)
class _Held:
    """What the key holds.

    Attributes:
        kind: of its node; empty for nothing, `absent` where the key is missing.
        start: offset in the text; `end` is exclusive. Of nothing: the end of the key.
        column: of the node.
    """

    kind: str
    start: int
    end: int
    column: int
    keys: tuple[str, ...] = ()


def find(text: str, piece: YamlPart) -> Found | None:
    """Return our lines, or a key of our name.

    Raises:
        Refused: the text cannot be understood, or something else stands where ours belong.
    """
    held = _held(text, piece)
    found = find_block(text, "# ")
    if found is None and NAME in held.keys:
        return Found(0, 0, "")
    return found


def insert(text: str, piece: YamlPart) -> Splice:
    """Return the change that adds our lines.

    Raises:
        Refused: as of `find`.
    """
    held, newline = _held(text, piece), newline_of(text)
    wanted = "block_sequence" if piece.is_list else "block_mapping"
    if held.kind == "absent":
        return _appended(text, piece, newline)
    if held.kind == wanted:
        at = held.start - held.column
        if text[at : held.start].strip(" "):
            raise Refused(f"`{piece.key}` begins on a line with something else")
        return Splice(at, "", _block(piece, " " * held.column, newline))
    line_end = _line_end(text, held.end)
    behind = text[held.end : line_end].strip()
    if held.kind == "" and (not behind or behind.startswith("#")):
        ended = text[line_end : line_end + len(newline)] == newline
        at = line_end + len(newline) if ended else line_end
        block = _block(piece, "  ", newline)
        return Splice(at, "", block if ended else newline + block)
    shown = text[held.start : held.end]
    if shown in _EMPTY and not behind:
        colon = text.rindex(":", 0, held.start) + 1
        block = _block(piece, "  ", newline).removesuffix(newline)
        return Splice(colon, text[colon : held.end], newline + block)
    kind = "list" if piece.is_list else "mapping"
    raise Refused(f"`{piece.key}` is not a {kind} with a line for each entry")


def remove(text: str, found: Found, piece: YamlPart, opened: int) -> Splice:
    """Return the change that takes our lines out, the key too if it was made for them."""
    start = found.start
    line = text.rfind("\n", 0, max(start - 1, 0)) + 1
    is_key = text[line:start].strip() == f"{piece.key}:"
    if opened and is_key and not _held(text[:start] + text[found.end :], piece).kind:
        start = line
    return Splice(start, text[start : found.end], "")


def check(text: str) -> None:
    """Do nothing when the text is one YAML document.

    Raises:
        Refused: it is not.
    """
    _document(_tree(text))


def _block(piece: YamlPart, indent: str, newline: str) -> str:
    lines = piece.spelled.splitlines()
    return "".join(f"{indent}{line}{newline}" for line in lines)


def _appended(text: str, piece: YamlPart, newline: str) -> Splice:
    before = "" if not text or text.endswith("\n") else newline
    if before and _ends_in_block_scalar(_tree(text)):
        raise Refused("its last text has no end of line, and would get one")
    lines = piece.spelled.splitlines()
    inside = [f"{piece.key}:", *(f"  {line}" for line in lines)]
    inserted = before + "".join(f"{line}{newline}" for line in inside)
    return Splice(len(text), "", inserted, opened=1)


def _ends_in_block_scalar(node: "Node") -> bool:
    while node.named_children:
        node = node.named_children[-1]
    return node.type == "block_scalar"


def _tree(text: str) -> "Node":
    # Late: only files of two clients need a parser.
    from ggrep.parse.languages.trees import parse

    root = parse("yaml", text.encode())
    if root.has_error or any("\t" in line[: _blanks(line)] for line in text.splitlines()):
        raise Refused("it is not YAML as we read it")
    return root


def _blanks(line: str) -> int:
    return len(line) - len(line.lstrip(" \t")) if line.strip() else 0


def _document(root: "Node") -> "Node | None":
    documents = [node for node in root.named_children if node.type == "document"]
    text = (root.text or b"").decode()
    if len(documents) > 1 or any(line.startswith("...") for line in text.splitlines()):
        raise Refused("it holds several documents")
    nodes = (
        [node for node in documents[0].named_children if node.type in _WRAPPERS]
        if documents
        else []
    )
    return nodes[0] if nodes else None


def _held(text: str, piece: YamlPart) -> _Held:
    document = _document(_tree(text))
    if document is None:
        return _Held("absent", 0, 0, 0)
    mapping = _unwrapped(document)
    if mapping.type != "block_mapping" or mapping.start_point[1]:
        raise Refused("its outermost value is not a mapping with a line for each key")
    pair = _pairs(mapping).get(piece.key)
    if pair is None:
        return _Held("absent", 0, 0, 0)
    value, key = pair.child_by_field_name("value"), pair.child_by_field_name("key")
    data = text.encode()
    if value is None:
        end = _offset(data, (key or pair).end_byte)
        end = text.index(":", end) + 1
        return _Held("", end, end, 0)
    node = _unwrapped(value)
    start, end = _offset(data, node.start_byte), _offset(data, node.end_byte)
    keys = tuple(_pairs(node)) if node.type in _PAIRS else ()
    return _Held(node.type, start, end, node.start_point[1], keys)


def _offset(data: bytes, at: int) -> int:
    """Return the offset in the text of one in its bytes."""
    return len(data[:at].decode())


def _unwrapped(node: "Node") -> "Node":
    """Return the collection or scalar in a node; an anchor or a tag may stand before it."""
    if node.type in _WRAPPERS and node.named_children:
        return _unwrapped(node.named_children[-1])
    return node


def _pairs(mapping: "Node") -> "dict[str, Node]":
    """Return a mapping's pairs by key.

    Raises:
        Refused: a key stands twice.
    """
    found: dict[str, Node] = {}
    for pair in mapping.named_children:
        if pair.type != _PAIRS[mapping.type]:
            continue
        key = pair.child_by_field_name("key")
        name = ((key.text if key is not None else None) or b"").decode().strip("\"'")
        if name in found:
            raise Refused(f"key `{name}` stands twice")
        found[name] = pair
    return found


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    if end < 0:
        return len(text)
    return end - text[offset:end].endswith("\r")
