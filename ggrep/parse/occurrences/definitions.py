"""Describes each definition once: its lines, its head and its documentation."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace
from tree_sitter import Node

from ggrep.parse.chunking.headers import clean_doc, clean_signature, clean_value
from ggrep.parse.languages.constructs import Construct, end_of, head_of, signature_of
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.occurrences.nodes import literal_kind
from ggrep.parse.occurrences.words import Defined, Occurrence

MAX_LEAD: Final = 200
"""Maximum number of leading comments and attributes of a definition to examine."""

_VALUED: Final = frozenset({"constant", "field"})
"""Kinds of definitions that are described with their values."""

_VALUE_BYTES: Final = 1_000
"""Maximum bytes to read of a constant and its value."""

_LEADING: Final = frozenset({"attribute_item", "decorator"})


class Heads:
    """Reads the heads of one file's definitions."""

    def __init__(self, table: LineTable) -> None:
        self._table = table

    def defined(self, node: Node, definition: Construct, kind: str, name: str) -> Defined:
        """Return the definition at `node`, described under the name `name`."""
        body = definition.inside[0].start_byte if definition.inside else None
        start, doc = self._lead(node)
        if definition.doc is not None and definition.name == name:
            doc = definition.doc.start_byte, definition.doc.end_byte
        signature = (
            self._value(node, definition) if kind in _VALUED else self._head(node, definition)
        )
        return Defined(
            kind=kind,
            start_line=self._table.line_of(start) + 1,
            end_line=self._table.line_of(max(start, end_of(node, definition) - 1)) + 1,
            declared_only=body is None and kind in {"function", "method"},
            signature=signature,
            doc=clean_doc(self._text(doc)),
        )

    def _head(self, node: Node, definition: Construct) -> str:
        return clean_signature(self._text(signature_of(node, definition, self._table.data)))

    def _value(self, node: Node, definition: Construct) -> str:
        start, end = head_of(node, definition), end_of(node, definition)
        most = start + _VALUE_BYTES
        return clean_value(self._text((start, min(end, most))), is_cut=end > most)

    def _lead(self, node: Node) -> tuple[int, tuple[int, int]]:
        """Return the offset where a node's leading comments begin, and the comments' range."""
        start, doc = self._table.with_marks(node.start_byte), (0, 0)
        before = node.prev_named_sibling
        if before is None and node.parent is not None and node.parent.start_byte == start:
            before = node.parent.prev_named_sibling  # the grammar puts the comment before the body
        for _ in range(MAX_LEAD):
            if before is None or not self._leads(before, start):
                break
            start = before.start_byte
            if literal_kind(before.type) == "comment":
                doc = start, doc[1] or before.end_byte
            before = before.prev_named_sibling
        return start, doc

    def _leads(self, node: Node, start: int) -> bool:
        """Return whether a node is a comment or attribute without a blank line after it."""
        if node.type not in _LEADING and literal_kind(node.type) != "comment":
            return False
        near = self._table.adjacent(node.end_byte, start)
        return near and self._table.begins_line(node.start_byte)

    def _text(self, span: tuple[int, int]) -> str:
        return self._table.data[span[0] : span[1]].decode("utf-8", "replace")


_CLAUSE_GAP: Final = 4
"""Maximum number of lines between two clauses of one function."""


def without_repeats(
    mentions: Iterable[tuple[Occurrence, int]], *, merging: bool
) -> Iterable[Occurrence]:
    """Return the mentions; each definition is described at its first mention only.

    Args:
        mentions: mentions in source order, each with the offset of its definition's body or start.
        merging: merge consecutive clauses into one definition.
    """
    out: list[Occurrence] = []
    last: dict[tuple[str, str], tuple[int, int]] = {}
    for mention, first in mentions:
        defined = mention.defined
        if defined is None:
            out.append(mention)
            continue
        key = (mention.container, mention.text)
        place, first_byte = last.get(key, (-1, -1))
        before = out[place].defined if place >= 0 else None
        near = before is not None and defined.start_line - before.end_line <= _CLAUSE_GAP
        if before is not None and (first == first_byte or (merging and near)):
            grown = replace(before, end_line=max(before.end_line, defined.end_line))
            grown = replace(grown, declared_only=before.declared_only and defined.declared_only)
            out[place] = replace(out[place], defined=grown)
            out.append(replace(mention, defined=None))
            continue
        last[key] = (len(out), first)
        out.append(mention)
    return out
