"""One file's bytes become a plan of its chunks. Pure: the same bytes give the same plan."""

from dataclasses import replace
from functools import cache
from typing import Final

from ggrep.chunking.anchor import anchor, guessed_imports
from ggrep.chunking.diagrams import diagram_edges
from ggrep.chunking.languages import DIAGRAMS, GRAMMARS, corpus_of, language_of
from ggrep.chunking.limits import ChunkLimits
from ggrep.chunking.line_table import LineTable
from ggrep.chunking.markdown import markdown_pieces
from ggrep.chunking.plain import asciidoc_pieces, rst_pieces, window_pieces
from ggrep.chunking.spans import Piece, Plan
from ggrep.chunking.sql import sql_pieces
from ggrep.chunking.structure import structured_pieces
from ggrep.chunking.windows import CutCost, cut, indentation_cost
from ggrep.domain.corpus import Corpus

LARGER_FACTORS: Final = (2, 4, 8)
"""How much larger chunks may grow so that a file stays under its chunk cap."""


def needs_grammar(path_key: str) -> bool:
    """Say whether the file is parsed, which only a killable worker may do."""
    return language_of(path_key) in GRAMMARS


def chunk_file(path_key: str, data: bytes, limits: ChunkLimits) -> Plan:
    """Return the plan by the best method for the file; parses in this process."""
    if not needs_grammar(path_key):
        return chunk_without_grammar(path_key, data, limits)
    return _capped(path_key, data, _parsed(path_key, data, limits), limits)


def chunk_without_grammar(
    path_key: str, data: bytes, limits: ChunkLimits, problem: str | None = None
) -> Plan:
    """Return the plan by headings, diagrams or lines: linear in the size of the file."""
    table = LineTable(data)
    language = language_of(path_key)
    method, pieces = _unparsed(table, language, limits)
    code = corpus_of(path_key) is Corpus.CODE
    imports = guessed_imports(table) if code else []
    names = [name for piece in pieces for name in piece.names]
    first = anchor(table, path_key, imports, names)
    plan = Plan(language, method, (first, *pieces), problem)
    return _capped(path_key, data, plan, limits)


def _unparsed(table: LineTable, language: str, limits: ChunkLimits) -> tuple[str, list[Piece]]:
    if language in DIAGRAMS:
        return "diagram", _diagram_pieces(table, language, limits)
    if language == "markdown":
        return "markdown", markdown_pieces(table, limits)
    reader = {"rst": rst_pieces, "asciidoc": asciidoc_pieces, "sql": sql_pieces}.get(language)
    if reader is not None:
        return "structure", reader(table, limits)
    structured = structured_pieces(table, language, limits)
    return structured or ("lines", window_pieces(table, limits))


def _diagram_pieces(table: LineTable, language: str, limits: ChunkLimits) -> list[Piece]:
    ranges = cut(table, 0, len(table.data), limits, indentation_cost(table))
    pieces = [Piece(start, end, "diagram") for start, end in ranges]
    if pieces:
        edges = diagram_edges(language, table.data.decode("utf-8", "replace"))
        pieces[0] = replace(pieces[0], extra=edges)
    return pieces


def _parsed(path_key: str, data: bytes, limits: ChunkLimits) -> Plan:
    from ggrep.chunking.arrange import Arrangement
    from ggrep.chunking.outline import Outline, statement_depths
    from ggrep.chunking.syntax import grammar_for, parse, rules_for

    table = LineTable(data)
    language = grammar_for(path_key, language_of(path_key), data)
    root = parse(language, data)
    outline = Outline(root, table, rules_for(language), limits)

    @cache
    def cost() -> CutCost:
        return _syntax_cost(table, statement_depths(root, limits))

    pieces = Arrangement(table, limits, cost).place_file(outline.definitions)
    names = [name for item in outline.definitions for name in item.outer_names()]
    first = anchor(table, path_key, outline.imports, names)
    return Plan(language, "tree-sitter", (first, *pieces))


def _syntax_cost(table: LineTable, depths: dict[int, int]) -> CutCost:
    """Return the cost that prefers the outermost statements, then lines by indentation."""
    by_indentation = indentation_cost(table)

    def cost(line: int) -> int:
        depth = depths.get(line)
        if depth is None:
            return 1_000_000 + by_indentation(line)
        return 2 * depth + (line > 0 and not table.is_blank(line - 1))

    return cost


def _capped(path_key: str, data: bytes, plan: Plan, limits: ChunkLimits) -> Plan:
    """Return the plan, or the smallest larger pieces with which the file stays under its cap.

    Structure that needs no parser is tried first, windows then; what still is too much is left
    out and reported.
    """
    most = limits.max_chunks_per_file - 1
    if len(plan.pieces) - 1 <= most:
        return plan
    table = LineTable(data)
    for factor in LARGER_FACTORS:
        method, parts = _unparsed(table, plan.language, _larger(limits, factor))
        if method != "lines" and len(parts) <= most:
            return Plan(plan.language, method, (plan.pieces[0], *parts), plan.problem)
    first = anchor(table, path_key, (), ())
    pieces: list[Piece] = []
    for factor in (1, *LARGER_FACTORS):
        pieces = window_pieces(table, _larger(limits, factor))
        if len(pieces) <= most:
            return Plan(plan.language, "lines", (first, *pieces), plan.problem)
    problem = plan.problem or "chunk_cap_exceeded"
    return Plan(plan.language, "lines", (first, *pieces[:most]), problem)


def _larger(limits: ChunkLimits, factor: int) -> ChunkLimits:
    return replace(limits, max_lines=limits.max_lines * factor, max_bytes=limits.max_bytes * factor)
