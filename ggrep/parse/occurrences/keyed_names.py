"""Finds names in files without a grammar: keys of data, headings, style rules, make targets."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ggrep.model.corpus import Corpus
from ggrep.model.written_names import bare_name, is_same_name, name_readings, word_pattern
from ggrep.parse.chunking.headers import clean_value
from ggrep.parse.chunking.spans import Piece
from ggrep.parse.chunking.unparsed import Reading
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.registry import corpus_of_language, language_of
from ggrep.parse.occurrences.words import Defined, Occurrence

SECTION = "section"
"""Kind of keys and headings, which are definitions only if no code defines the name."""


def with_keys(
    path_key: str, data: bytes, name: str, mentions: Sequence[Occurrence], *, any_case: bool
) -> tuple[Occurrence, ...]:
    """Return the mentions; a mention that names a part of the file becomes a definition.

    Args:
        path_key: path key of a file whose language has no grammar.
        data: the file's bytes.
        name: the requested name.
        mentions: the name's mentions in the file.
        any_case: also match other spellings in upper and lower case.
    """
    language = language_of(path_key, data)
    lasts = [reading.last for reading in name_readings(name, language)]
    table = LineTable(data)
    _, pieces = Reading(table, language).structured(ChunkLimits()) or ("", [])
    kind = "block" if corpus_of_language(language) is Corpus.CODE else SECTION
    keys: dict[tuple[int, int], Occurrence] = {}
    first: dict[tuple[str, ...], tuple[int, int]] = {}
    for piece, key in _named(pieces, lasts, any_case=any_case):
        crumb = piece.breadcrumb if key == piece.name else (*piece.breadcrumb, piece.name)
        container = ".".join(filter(None, crumb))
        start, end = table.line_of(piece.start) + 1, table.line_of(piece.end - 1) + 1
        at = first.get((container, key))
        if at is not None:  # a further piece of a key that was cut into several pieces
            earlier = keys[at]
            assert earlier.defined is not None  # noqa: S101 - all keys define
            keys[at] = replace(earlier, defined=replace(earlier.defined, end_line=end))
            continue
        line, column = _position(data, table, piece, key, language)
        head = table.data[table.starts[line - 1] :].partition(b"\n")[0]
        signature = clean_value(head.decode("utf-8", "replace"))
        defined = Defined(
            kind=kind,
            start_line=start if key == piece.name else line,
            end_line=end,
            declared_only=False,
            signature=signature,
            doc="",
        )
        first[container, key] = line, column
        keys[line, column] = Occurrence(line, column, key, "definition", container, defined)
    merged = {(each.line, each.column): each for each in mentions}
    merged |= {at: key for at, key in keys.items() if at not in merged or not merged[at].defined}
    return tuple(merged[at] for at in sorted(merged))


def _named(
    pieces: Iterable[Piece], lasts: Sequence[str], *, any_case: bool
) -> Iterable[tuple[Piece, str]]:
    """Yield each piece that has the requested name, with the name as the piece spells it."""
    for piece in pieces:
        for key in piece.names:
            given = key.casefold() if any_case else key
            if any(is_same_name(given, last.casefold() if any_case else last) for last in lasts):
                yield piece, key


def _position(
    data: bytes, table: LineTable, piece: Piece, key: str, language: str
) -> tuple[int, int]:
    """Return the 1-based line and column of a key, or of the start of its piece."""
    text = data[piece.start : piece.end].decode("utf-8", "surrogateescape")
    spot = word_pattern(bare_name(key), language, any_case=False).search(text)
    before = text[: spot.start()].encode("utf-8", "surrogateescape") if spot else b""
    offset = piece.start + len(before)
    row = table.line_of(offset)
    return row + 1, len(data[table.starts[row] : offset].decode("utf-8", "replace")) + 1
