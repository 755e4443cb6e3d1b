"""The definition that a language's rules read from one syntax node."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from tree_sitter import Node

MAX_NAME_CHARACTERS: Final = 200
_HEAD_BYTES: Final = 160
"""Maximum bytes of the head of a definition without a body."""


class Construct(Struct, frozen=True):
    """A definition, or a wrapper whose content counts as if it were outside.

    Attributes:
        chunk_type: see `Chunk.chunk_type`; empty for a wrapper.
        inside: the nodes among whose children members are searched for.
        owners: names that qualify it, of definitions that do not enclose it (a Go receiver).
        more_names: further names that the same statement defines.
        loose: may share a chunk with its neighbours while small.
        thin: its opening lines say little, so they are joined to the first member.
        always_open: its members get own chunks even if the whole would fit one chunk.
        doc: the node that documents it, unless that is a comment in front of it.
        last: the sibling that ends it, if its body is not part of the node.
        spans: positions of its names, in bytes; empty if nodes of any kind may contain them.
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
"""Returns the definition that a node is, if any."""


def nothing(_: Node) -> None:
    """Return no definition for any node."""


def wrapper(node: Node) -> Construct:
    """Return a node whose content counts as if it were outside."""
    return Construct("", inside=(node,))


def name_text(node: Node) -> str:
    """Return the text of a node's field `name`."""
    return field_text(node, "name")


def itself(node: Node) -> tuple[Node, ...]:
    """Return a node whose own children are its members."""
    return (node,)


def body_of(node: Node) -> tuple[Node, ...]:
    """Return the node's body, if it has one, as the node to search inside."""
    body = node.child_by_field_name("body")
    return () if body is None else (body,)


def named_as(
    chunk_type: str,
    name: Callable[[Node], str] = name_text,
    inside: Callable[[Node], tuple[Node, ...]] = body_of,
    *,
    loose: bool | None = False,
) -> Reader:
    """Return a reader that reads a definition by its name and body alone.

    Args:
        chunk_type: the kind of definition.
        name: returns its name.
        inside: returns the nodes with its members.
        loose: see `Construct`; None makes definitions without a body loose.
    """

    def read(node: Node) -> Construct:
        parts = inside(node)
        return Construct(chunk_type, name(node), parts, loose=not parts if loose is None else loose)

    return read


def by_kind(readers: Mapping[Reader, str]) -> Reader:
    """Return a reader that chooses a reader by the node's kind; the words list kinds."""
    table = {kind: reader for reader, kinds in readers.items() for kind in kinds.split()}

    def read(node: Node) -> Construct | None:
        reader = table.get(node.type)
        return None if reader is None else reader(node)

    return read


def constants(names: Sequence[str], inside: tuple[Node, ...] = ()) -> Construct | None:
    """Return the definition by a statement that sets those names; None without names."""
    if not names:
        return None
    return Construct("constant", names[0], inside, more_names=tuple(names[1:]), loose=True)


class Rules(Struct, frozen=True):
    """The rules that read one language.

    Attributes:
        describe: returns a node's definition, if any; searches no deeper than necessary.
        imported: returns the names that a node imports, if it is no definition.
        fields: constants in the body of a class are definitions, not only text of it.
        island: the root of a node's text in another language, which its own grammar does not parse.
        leads: ids of nodes that belong to the definition after them, as signatures do.
        clauses: consecutive definitions of one name are one definition.
        prototypes: a loose definition in a function is a variable or a prototype instead.
        with_text: the rules for a file with that text, if nodes alone do not suffice.
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
    """Return the start of a definition's own first word, after decorators and documentation."""
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
    """Return a node's text on one line, cut to the longest name kept."""
    text = None if node is None else node.text
    if text is None:
        return ""
    words = text[: 4 * MAX_NAME_CHARACTERS].decode("utf-8", "replace").split()
    return " ".join(words)[:MAX_NAME_CHARACTERS]


def words(text: str) -> frozenset[str]:
    """Return the words of a text, such as a list of kinds of nodes."""
    return frozenset(text.split())


def field_text(node: Node, field: str) -> str:
    """Return the text of a node's field; empty when it has none."""
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
