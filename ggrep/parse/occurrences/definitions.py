"""What a definition is told as: its lines, head and documentation, once."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace
from tree_sitter import Node

from ggrep.parse.chunking.headers import clean_doc, clean_signature, clean_value
from ggrep.parse.languages.found import Found, end_of, head_of, signature_of
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.occurrences.nodes import literal_kind
from ggrep.parse.occurrences.words import Defined, Occurrence

MAX_LEAD: Final = 200
"""Comments and attributes in front of one definition that are looked at."""

_VALUED: Final = frozenset({"constant", "field"})
"""Kinds that are told with their values."""

_VALUE_BYTES: Final = 1_000
"""Of a constant and its value that are read."""

_LEADING: Final = frozenset({"attribute_item", "decorator"})


class Heads:
    """Reads the heads of one file's definitions."""

    def __init__(self, table: LineTable) -> None:
        self._table = table

    def defined(self, node: Node, found: Found, kind: str, name: str) -> Defined:
        """Return what `node` defines under one of its names."""
        body = found.inside[0].start_byte if found.inside else None
        start, doc = self._lead(node)
        if found.doc is not None and found.name == name:
            doc = found.doc.start_byte, found.doc.end_byte
        signature = self._value(node, found) if kind in _VALUED else self._head(node, found)
        return Defined(
            kind=kind,
            start_line=self._table.line_of(start) + 1,
            end_line=self._table.line_of(max(start, end_of(node, found) - 1)) + 1,
            declared_only=body is None and kind in {"function", "method"},
            signature=signature,
            doc=clean_doc(self._text(doc)),
        )

    def _head(self, node: Node, found: Found) -> str:
        return clean_signature(self._text(signature_of(node, found, self._table.data)))

    def _value(self, node: Node, found: Found) -> str:
        start, end = head_of(node, found), end_of(node, found)
        most = start + _VALUE_BYTES
        return clean_value(self._text((start, min(end, most))), is_cut=end > most)

    def _lead(self, node: Node) -> tuple[int, tuple[int, int]]:
        """Return where the comments in front of a node begin, and their range."""
        start, doc = self._table.with_marks(node.start_byte), (0, 0)
        before = node.prev_named_sibling
        if before is None and node.parent is not None and node.parent.start_byte == start:
            before = node.parent.prev_named_sibling  # the grammar puts it in front of the body
        for _ in range(MAX_LEAD):
            if before is None or not self._leads(before, start):
                break
            start = before.start_byte
            if literal_kind(before.type) == "comment":
                doc = start, doc[1] or before.end_byte
            before = before.prev_named_sibling
        return start, doc

    def _leads(self, node: Node, start: int) -> bool:
        """Say whether a node is a comment or attribute with no blank line behind it."""
        if node.type not in _LEADING and literal_kind(node.type) != "comment":
            return False
        near = self._table.adjacent(node.end_byte, start)
        return near and self._table.begins_line(node.start_byte)

    def _text(self, span: tuple[int, int]) -> str:
        return self._table.data[span[0] : span[1]].decode("utf-8", "replace")


_CLAUSE_GAP: Final = 4
"""Lines between two clauses of one function at most."""


def without_repeats(
    told: Iterable[tuple[Occurrence, int]], *, merging: bool
) -> Iterable[Occurrence]:
    """Return the mentions, each definition told once.

    Args:
        told: mentions in source order, each with where what it defines has its body or begins.
        merging: make clauses in a row one definition.
    """
    out: list[Occurrence] = []
    last: dict[tuple[str, str], tuple[int, int]] = {}
    for mention, first in told:
        defined = mention.defined
        if defined is None:
            out.append(mention)
            continue
        key = (mention.container, mention.text)
        place, first_byte = last.get(key, (-1, -1))
        held = out[place].defined if place >= 0 else None
        near = held is not None and defined.start_line - held.end_line <= _CLAUSE_GAP
        if held is not None and (first == first_byte or (merging and near)):
            grown = replace(held, end_line=max(held.end_line, defined.end_line))
            grown = replace(grown, declared_only=held.declared_only and defined.declared_only)
            out[place] = replace(out[place], defined=grown)
            out.append(replace(mention, defined=None))
            continue
        last[key] = (len(out), first)
        out.append(mention)
    return out
