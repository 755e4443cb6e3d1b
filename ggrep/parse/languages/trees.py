"""Parses bytes into a syntax tree."""

from collections.abc import Sequence
from functools import cache
from typing import Final, cast

from tree_sitter import Node, Parser, Point, Query, Range
from tree_sitter_language_pack import SupportedLanguage, get_language, get_parser

from ggrep.parse.languages.line_table import LineTable

_WHOLE: Final = (Range(Point(0, 0), Point(0xFFFFFFFF, 0xFFFFFFFF), 0, 0xFFFFFFFF),)


def parse(grammar: str, data: bytes) -> Node:
    """Return the root of the file's syntax tree; for invalid text, the tree has errors."""
    return _parser(grammar).parse(data).root_node


def parse_parts(grammar: str, data: bytes, parts: Sequence[Range]) -> Node:
    """Return the root of the syntax tree of some parts of a file, parsed as one text.

    The offsets of nodes are offsets in the file.

    Requires: `parts` ascend and do not overlap.
    """
    parser = _parser(grammar)
    parser.included_ranges = list(parts)
    try:
        return parser.parse(data).root_node
    finally:
        parser.included_ranges = list(_WHOLE)


def part(table: LineTable, start: int, end: int) -> Range:
    """Return a range of bytes as the parser's type `Range`."""
    first, last = table.line_of(start), table.line_of(end)
    return Range(
        Point(first, start - table.starts[first]), Point(last, end - table.starts[last]), start, end
    )


def load(grammar: str) -> None:
    """Load a grammar, so that the first file of a language takes no longer than later files."""
    _parser(grammar)


def query(grammar: str, source: str) -> Query:
    """Return a query for the trees of a grammar."""
    return Query(get_language(cast("SupportedLanguage", grammar)), source)


@cache
def _parser(grammar: str) -> Parser:
    return get_parser(cast("SupportedLanguage", grammar))
