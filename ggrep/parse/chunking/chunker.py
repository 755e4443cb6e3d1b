"""Plans a file's chunks from its bytes; the same bytes always result in the same plan."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from msgspec.structs import replace

from ggrep.model.corpus import Corpus
from ggrep.model.files import ANCHOR
from ggrep.parse.chunking.spans import Piece, Plan
from ggrep.parse.chunking.unparsed import Reading
from ggrep.parse.chunking.windows import CutCost, cut, surely_more, syntax_cost
from ggrep.parse.languages.by_content import is_notebook
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.registry import (
    GRAMMARS,
    KEYED,
    corpus_of_language,
    holds_scripts,
    language_of,
)

ANCHOR_LINES: Final = 15
ANCHOR_BYTES: Final = 1200
MAX_IMPORTS: Final = 40
MAX_NAMES: Final = 60

_SCANNED_LINES: Final = 200
_IMPORT_LINE: Final = re.compile(
    r"[ \t]*(?:import|using|use|require|require_relative|include|#include|from|open|library)"
    r"[ \t(]+([^;\r\n]{1,120})"
)


def anchor(table: LineTable, path_key: str, imports: Iterable[str], names: Iterable[str]) -> Piece:
    """Return the anchor: a chunk of the file's first lines, with its path, imports and names."""
    limits = ChunkLimits(max_lines=ANCHOR_LINES, max_bytes=ANCHOR_BYTES)
    start, end = table.trim(0, len(table.data))
    opening = cut(table, start, _reach(table, start, end), limits, _latest)
    first = opening[0] if opening else (start, start)
    return Piece(first[0], first[1], ANCHOR, extra=_extra(path_key, imports, names))


def _reach(table: LineTable, start: int, end: int) -> int:
    """Return the end of the longest possible anchor, so that few lines of a large file are read."""
    line = table.line_of(start) + ANCHOR_LINES + 1
    return min(end, table.starts[line]) if line < len(table.starts) else end


def _latest(_line: int) -> int:
    return 0


def _extra(path_key: str, imports: Iterable[str], names: Iterable[str]) -> str:
    lines = [f"File: {path_key}"]
    brought = _bounded(imports, MAX_IMPORTS)
    defined = _bounded(names, MAX_NAMES)
    if brought:
        lines.append(f"Imports: {brought}")
    if defined:
        lines.append(f"Defines: {defined}")
    return "\n".join(lines)


def _bounded(words: Iterable[str], most: int) -> str:
    return ", ".join([word for word in dict.fromkeys(words) if word][:most])


def guessed_imports(table: LineTable) -> list[str]:
    """Return the names in lines that look like imports, near the top of an unparsed source file."""
    imports: list[str] = []
    for line in range(min(_SCANNED_LINES, len(table.starts))):
        start = table.starts[line]
        text = table.data[start : min(start + 200, table.line_end(line))].decode("utf-8", "ignore")
        match = _IMPORT_LINE.match(text)
        if match:
            imports.append(match[1].strip(" \t\"'()<>{"))
    return imports


LARGER_FACTORS: Final = (2, 4, 8)
"""Factors by which chunks are enlarged until the file stays under its chunk cap."""


def needs_grammar(path_key: str, data: bytes) -> bool:
    """Return whether the file must be parsed, which is only allowed in a worker process."""
    return _is_parsed(language_of(path_key, data), data)


def _is_parsed(language: str, data: bytes) -> bool:
    parsed = language in GRAMMARS and language not in KEYED
    return parsed or holds_scripts(language, data)


def prepare(path_key: str, data: bytes) -> None:
    """Load the file's grammar, so that the first file of a language is parsed as fast as others."""
    language = language_of(path_key, data)
    if language in GRAMMARS:
        from ggrep.parse.languages.syntax import grammar_of
        from ggrep.parse.languages.trees import load

        load(grammar_of(language, data))


def chunk_file(path_key: str, data: bytes, limits: ChunkLimits) -> Plan:
    """Return the plan by the best method for the file; this parses in the current process."""
    if not limits.structure:
        return chunk_by_lines(path_key, data, limits)
    language = language_of(path_key, data)
    if not _is_parsed(language, data):
        return chunk_without_grammar(path_key, data, limits)
    table = LineTable(data)
    cut = _parsed if language in GRAMMARS else _holding
    plan = cut(language, path_key, table, limits)
    return _capped(path_key, Reading(table, plan.language), plan, limits)


def chunk_without_grammar(
    path_key: str, data: bytes, limits: ChunkLimits, problem: str | None = None
) -> Plan:
    """Return a plan by headings, keys, diagrams or lines, in time linear in the file's size."""
    table = LineTable(data)
    reading = Reading(table, language_of(path_key, data))
    method, pieces = reading.structured(limits) or ("lines", reading.windows(limits))
    code = corpus_of_language(reading.language) is Corpus.CODE
    imports = guessed_imports(table) if code else []
    names = [name for piece in pieces for name in piece.names]
    first = anchor(table, path_key, imports, names)
    plan = Plan(reading.language, method, (first, *pieces), problem)
    return _capped(path_key, reading, plan, limits)


def chunk_by_lines(
    path_key: str, data: bytes, limits: ChunkLimits, problem: str | None = None
) -> Plan:
    """Return a plan that uses only line ends and indentation; this is fast for any file."""
    reading = Reading(LineTable(data), language_of(path_key, data))
    return _in_windows(path_key, reading, limits, problem)


def _holding(language: str, path_key: str, table: LineTable, limits: ChunkLimits) -> Plan:
    """Return the plan of a page or component that contains scripts."""
    from ggrep.parse.chunking.embedded import Scripts
    from ggrep.parse.languages.embedded_scripts import scripts_of

    reading = Reading(table, language)
    _, around = reading.structured(limits) or ("lines", reading.windows(limits))
    read = Scripts(table, scripts_of(reading.language, table.data), limits)
    pieces = read.among(around, limits)
    names = [*read.names, *(name for piece in around for name in piece.names)]
    first = anchor(table, path_key, read.imports, names)
    return Plan(reading.language, "structure", (first, *pieces))


def _parsed(language: str, path_key: str, table: LineTable, limits: ChunkLimits) -> Plan:
    from ggrep.parse.chunking.arrange import Arrangement
    from ggrep.parse.chunking.notebook import place_cells
    from ggrep.parse.chunking.outline import Outline, statement_depths
    from ggrep.parse.languages.syntax import rules_for, tree

    root = tree(language, table)
    outline = Outline(root, table, rules_for(language, root, table.data), limits)

    @cache
    def cost() -> CutCost:
        return syntax_cost(table, statement_depths(root, table, limits))

    names = [name for item in outline.definitions for name in item.outer_names()]
    first = anchor(table, path_key, outline.imports, names)
    if is_notebook(table.data):
        cells = place_cells(table, limits, outline.definitions, cost)
        return Plan(language, "notebook", (first, *cells))
    pieces = Arrangement(table, limits, cost).place_file(outline.definitions)
    return Plan(language, "tree-sitter", (first, *pieces))


def _capped(path_key: str, reading: Reading, plan: Plan, limits: ChunkLimits) -> Plan:
    """Return the plan, with larger chunks if there are more than `max_chunks_per_file`.

    Larger chunks follow the structure that is found without a parser. If there are still too many,
    the file is cut into windows of lines. If even the largest windows are too many, the last
    windows are left out, and the plan reports this.
    """
    most = limits.max_chunks_per_file - 1
    if len(plan.pieces) - 1 <= most:
        return plan
    for larger in _hopeful(reading.table, limits, LARGER_FACTORS):
        method, parts = reading.structured(larger) or ("", [])
        if method and len(parts) <= most:
            return Plan(plan.language, method, (plan.pieces[0], *parts), plan.problem)
    return _in_windows(path_key, reading, limits, plan.problem)


def _in_windows(path_key: str, reading: Reading, limits: ChunkLimits, problem: str | None) -> Plan:
    """Return windows of lines, as small as `max_chunks_per_file` permits."""
    most = limits.max_chunks_per_file - 1
    first = anchor(reading.table, path_key, (), ())
    for larger in _hopeful(reading.table, limits, (1, *LARGER_FACTORS)):
        pieces = reading.windows(larger)
        if len(pieces) <= most:
            return Plan(reading.language, "lines", (first, *pieces), problem)
    pieces = reading.windows(_larger(limits, LARGER_FACTORS[-1]))[:most]
    return Plan(reading.language, "lines", (first, *pieces), problem or "chunk_cap_exceeded")


def _hopeful(table: LineTable, limits: ChunkLimits, factors: Iterable[int]) -> list[ChunkLimits]:
    """Return the enlarged limits, except those that certainly result in too many chunks."""
    every = [_larger(limits, factor) for factor in factors]
    return [
        candidate
        for candidate in every
        if not surely_more(table, candidate, candidate.max_chunks_per_file - 1)
    ]


def _larger(limits: ChunkLimits, factor: int) -> ChunkLimits:
    return replace(limits, max_lines=limits.max_lines * factor, max_bytes=limits.max_bytes * factor)
