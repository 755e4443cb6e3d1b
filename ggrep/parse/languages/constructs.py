"""Describes the definition that a language's rules read from one syntax node."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from tree_sitter import Node

MAX_NAME_CHARACTERS: Final = 200
_HEAD_BYTES: Final = 160
"""Maximum bytes of the head of a definition without a body."""


class Construct(Struct, frozen=True):
    """A definition, or a wrapper: a node whose content counts as if it were outside of the node.

    Attributes:
        chunk_type: see `Chunk.chunk_type`; empty for a wrapper.
        inside: the nodes whose children are searched for members.
        owners: names that qualify the definition but do not enclose it (a Go receiver).
        more_names: further names that the same statement defines.
        loose: whether the definition, if small, can share a chunk with its neighbours.
        thin: whether its opening lines contain little, so that they are joined to the first member.
        always_open: whether its members are separate chunks even if the whole would fit into one
            chunk.
        doc: the node that documents the definition; None to use a preceding comment.
        last: the sibling node that ends the definition, if its body is not part of the node.
        spans: positions of the definition's names, in bytes; empty if they must be searched for.
    """

    chunk_type: str
    name: str = ""
    inside: tuple[Node, ...] = ()
    owners: tuple[str, ...] = ()
    more_names: tuple[str, ...] = ()
    loose: bool = False
    thin: bool = False
    always_open: bool = False
    doc: Node | None = None
    last: Node | None = None
    spans: tuple[tuple[int, int], ...] = ()


Reader: TypeAlias = Callable[[Node], Construct | None]
"""A function that returns the definition in a node; None for other nodes."""


def nothing(_: Node) -> None:
    """Return None; this is the reader for nodes that are not definitions."""


def wrapper(node: Node) -> Construct:
    """Return a node as a wrapper, whose content counts as if it were outside of the node."""
    return Construct("", inside=(node,))


def name_text(node: Node) -> str:
    """Return the text of a node's field `name`."""
    return field_text(node, "name")


def itself(node: Node) -> tuple[Node, ...]:
    """Return the node itself, as the node whose children are the members."""
    return (node,)


def body_of(node: Node) -> tuple[Node, ...]:
    """Return the node's body, if it exists, as the node whose children are the members."""
    body = node.child_by_field_name("body")
    return () if body is None else (body,)


def named_as(
    chunk_type: str,
    name: Callable[[Node], str] = name_text,
    inside: Callable[[Node], tuple[Node, ...]] = body_of,
    *,
    loose: bool | None = False,
) -> Reader:
    """Return a reader that reads a definition from only its name and body.

    Args:
        chunk_type: the kind of definition.
        name: returns its name.
        inside: returns the nodes with its members.
        loose: see `Construct`; None: only definitions without a body are loose.
    """

    def read(node: Node) -> Construct:
        parts = inside(node)
        return Construct(chunk_type, name(node), parts, loose=not parts if loose is None else loose)

    return read


def by_kind(readers: Mapping[Reader, str]) -> Reader:
    """Return a reader that calls one of `readers`; each value lists the kinds of nodes it reads."""
    table = {kind: reader for reader, kinds in readers.items() for kind in kinds.split()}

    def read(node: Node) -> Construct | None:
        reader = table.get(node.type)
        return None if reader is None else reader(node)

    return read


def constants(names: Sequence[str], inside: tuple[Node, ...] = ()) -> Construct | None:
    """Return the definition of the constants with these names; None without names."""
    if not names:
        return None
    return Construct("constant", names[0], inside, more_names=tuple(names[1:]), loose=True)


class Rules(Struct, frozen=True):
    """The rules that read one language.

    Attributes:
        describe: returns a node's definition, or None; searches no deeper than necessary.
        imported: returns the names that a node imports, if it is not a definition.
        fields: whether constants in the body of a class are definitions.
        island: returns the syntax tree of a node whose text is in another language, else None.
        leads: ids of nodes, such as signatures, that belong to the next definition.
        clauses: whether consecutive definitions of one name are one definition.
        prototypes: whether loose definitions in functions are ignored, as local variables or
            prototypes.
        with_text: returns the rules for a file's text, if the rules need the text.
    """

    describe: Callable[[Node], Construct | None]
    imported: Callable[[Node], tuple[str, ...]]
    fields: bool = False
    island: Callable[[Node], Node | None] | None = None
    leads: frozenset[int] = frozenset()
    clauses: bool = False
    prototypes: bool = False
    with_text: "Callable[[bytes], Rules] | None" = None


def end_of(node: Node, definition: Construct) -> int:
    """Return the end of a definition."""
    return (
        node.end_byte if definition.last is None else max(node.end_byte, definition.last.end_byte)
    )


def head_of(node: Node, definition: Construct) -> int:
    """Return the start of a definition's first word after decorators and documentation."""
    plain = node.child_by_field_name("definition") or node
    doc = definition.doc
    behind = doc.next_sibling if doc is not None and doc.start_byte == plain.start_byte else None
    return plain.start_byte if behind is None else behind.start_byte


def signature_of(node: Node, definition: Construct, data: bytes) -> tuple[int, int]:
    """Return the range from a definition's first word to its body, else to its line's end."""
    start, end = head_of(node, definition), node.end_byte
    if definition.inside and start < definition.inside[0].start_byte < end:
        return start, definition.inside[0].start_byte
    most = min(end, start + _HEAD_BYTES)
    line_end = data.find(b"\n", start, most)
    return start, most if line_end < 0 else line_end


def text_of(node: Node | None) -> str:
    """Return a node's text on one line, cut to the maximum length of a name."""
    text = None if node is None else node.text
    if text is None:
        return ""
    words = text[: 4 * MAX_NAME_CHARACTERS].decode("utf-8", "replace").split()
    return " ".join(words)[:MAX_NAME_CHARACTERS]


def words(text: str) -> frozenset[str]:
    """Return the words of a text, such as a list of kinds of nodes."""
    return frozenset(text.split())


def field_text(node: Node, field: str) -> str:
    """Return the text of a node's field; empty if the node has no such field."""
    return text_of(node.child_by_field_name(field))


def first_named(node: Node) -> Node | None:
    """Return the first child that is not punctuation."""
    children = node.named_children
    return children[0] if children else None


def named(node: Node | None, index: int) -> Node | None:
    """Return the child at `index` among those that are not punctuation."""
    if node is None or index >= node.named_child_count:
        return None
    return node.named_child(index)


def last_named(node: Node | None) -> Node | None:
    """Return the last child that is not punctuation."""
    if node is None or not node.named_child_count:
        return None
    return node.named_child(node.named_child_count - 1)
