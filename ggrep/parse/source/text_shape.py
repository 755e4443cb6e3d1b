"""Recognises minified text and data dumps by their shape.

Looked at are a few pieces from its whole length, always the same ones, so that a large file costs
hardly more than a small one and the same bytes give the same answer.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

_PIECES: Final = 8
_PIECE_BYTES: Final = 4096
_LEAST_MINIFIED_BYTES: Final = 2048
_LEAST_DATA_BYTES: Final = 16_384
"""Smaller texts are neither; they cost little anyway."""

_LARGE_BYTES: Final = 1 << 20
"""Records of such a size are a dump whatever they hold, and half of it where they are JSON."""

_SCRIPTS: Final = re.compile(r"\.(?:[cm]?jsx?|[cm]?tsx?|css|html?)$")
_BUNDLES: Final = re.compile(r"\.(?:[cm]?js|css)$")
_PAGES: Final = re.compile(r"\.html?$")
_RECORDS: Final = re.compile(
    r"\.(?:json|json5|jsonl|ndjson|geojson|topojson|ya?ml|toml|xml|csv|tsv|sql|txt|dat|lst)$"
)
_JSON: Final = re.compile(r"\.(?:json|json5|jsonl|ndjson|geojson|topojson)$")
_TABLES: Final = re.compile(r"\.(?:csv|tsv)$")

_LONG_LINE: Final = 400
_INDENTED: Final = re.compile(rb"^[ \t]+\S", re.MULTILINE)
_FEW_LINES: Final = 4
_MARKS: Final = b"(){};,=:"
_BLANKS: Final = b" \t\r\n"
_NUMBERS: Final = b"0123456789abcdefABCDEFxXuUlL.,+-{}()[]\"'\\;:" + _BLANKS
_DIGITS: Final = b"0123456789"
_BLOB: Final = re.compile(rb"[A-Za-z0-9+/=\\]{60,}")
_IN_BLOBS: Final = bytes(
    ord("x") if _BLOB.fullmatch(bytes([byte]) * 60) else ord(" ") for byte in range(256)
)
_LEAST_BLOB: Final = b"x" * 60
"""A blob as `_IN_BLOBS` shows it, which is looked for in a tenth of the time."""
_ROW: Final = re.compile(rb"(?i)\s*(?:INSERT\s+INTO\b|\(|COPY\s)|[^\s,;]+$")
_LITERAL: Final = (
    rb"(?:[bBuUrRL]?\"(?:[^\"\\\n]|\\.)*\"|[bBuUrRL]?'(?:[^'\\\n]|\\.)*'"
    rb"|[-+]?(?<![\w.])\d[\w.]*+|\b(?:[Tt]rue|[Ff]alse|[Nn]one|[Nn]ull|nil)\b)"
)
_BETWEEN: Final = rb"[\s{}\[\](),:;=>|]*+"
_LITERALS: Final = re.compile(
    _BETWEEN + rb"(?:" + _LITERAL + _BETWEEN + rb")++(?:(?://|#|/\*|--).*)?$"
)
"""A line of nothing but texts and numbers: a row of a table that is written as code.

Nothing that was taken is given back: a line of digits could be split in any number of ways.
"""
_QUOTES: Final = b"\"'"
_SENTENCES: Final = re.compile(rb"[\"'][A-Za-z][^\"'\\\n ]*+(?: [A-Za-z][^\"'\\\n ]*+){3,}+")
_KEY: Final = re.compile(rb'"([^"\\\n]{1,80})"\s*:')
_SENTENCE: Final = re.compile(rb'"[^"\\\n ]*(?: [^"\\\n ]+){4,}')
_DIGEST: Final = re.compile(
    rb"\bsha(?:1|256|384|512)[-:=]|\b(?:integrity|checksum|contentHash|narHash|resolved)\b[\"']?\s*[:=]"
    rb"|\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b"
)
_ELEMENT: Final = re.compile(rb"<[^<>]*>")


def is_minified(path_key: str, data: bytes) -> bool:
    """Tell whether a script, style sheet or page was squeezed into few long lines.

    Scripts of more than a megabyte are put together by programs, squeezed or not.
    """
    if len(data) < _LEAST_MINIFIED_BYTES or not _SCRIPTS.search(path_key.lower()):
        return False
    if len(data) > _LARGE_BYTES and _BUNDLES.search(path_key.lower()):
        return True
    # A picture in a script is none of its lines, and neither are the elements of a page.
    whole = b"\n".join(_pieces(data))
    text = _BLOB.sub(b"", whole)
    if _PAGES.search(path_key.lower()):
        text = _ELEMENT.sub(b"", text)
    else:
        whole = text
    if 2 * len(text) < _LEAST_MINIFIED_BYTES:
        return False
    long = b"".join(line for line in text.split(b"\n") if len(line) > _LONG_LINE)
    if len(long) < 0.6 * len(whole) or _share(text, _BLANKS) >= 0.14:
        return False
    # A source may have a list of words or a pattern on one long line; its others are indented.
    return _share(long, _MARKS) >= 0.08 or len(_INDENTED.findall(text)) <= _FEW_LINES


def is_data(path_key: str, data: bytes) -> bool:
    """Tell whether a text is a table, a dump or a blob, which nobody reads through."""
    if len(data) < _LEAST_DATA_BYTES:
        return False
    name, pieces = path_key.lower(), _pieces(data)
    if _most(pieces, _holds_numbers) or _most(pieces, _is_blob):
        return True
    if _RECORDS.search(name):
        return _are_records(name, len(data), pieces)
    return _most(pieces, _holds_literals)


def _are_records(name: str, size_bytes: int, pieces: Sequence[bytes]) -> bool:
    """Tell whether a file with the ending of records is a dump, or was locked by a tool."""
    json = _JSON.search(name) is not None
    return (
        _TABLES.search(name) is not None
        or size_bytes > (_LARGE_BYTES // 2 if json else _LARGE_BYTES)
        or _most(pieces, _holds_rows)
        or (json and _is_dump(pieces, large=size_bytes > _LARGE_BYTES // 16))
        or (name.endswith(".xml") and _most(pieces, _is_markup))
        or _names_digests(pieces)
    )


def _pieces(data: bytes) -> list[bytes]:
    """Return pieces from the whole length of a text, all of a short one."""
    if len(data) <= _PIECES * _PIECE_BYTES:
        return [data[at : at + _PIECE_BYTES] for at in range(0, len(data), _PIECE_BYTES)]
    step = (len(data) - _PIECE_BYTES) // (_PIECES - 1)
    return [data[at * step : at * step + _PIECE_BYTES] for at in range(_PIECES)]


def _most(pieces: Sequence[bytes], test: Callable[[bytes], bool]) -> bool:
    """Tell whether a test holds for nearly all pieces: what is left has no room for functions."""
    left = 1 if len(pieces) == _PIECES else len(pieces) // 4
    for piece in pieces:
        left -= not test(piece)
        if left < 0:
            return False
    return True


def _share(text: bytes, of: bytes) -> float:
    return 1.0 - len(text.translate(None, of)) / len(text)


def _holds_numbers(piece: bytes) -> bool:
    return _share(piece, _DIGITS) >= 0.22 and _share(piece, _NUMBERS) >= 0.92


def _is_blob(piece: bytes) -> bool:
    told = _LEAST_BLOB in piece.translate(_IN_BLOBS)
    return told and sum(map(len, _BLOB.findall(piece))) >= 0.6 * len(piece)


def _holds_rows(piece: bytes) -> bool:
    """Tell whether the lines are values put into tables, or single words."""
    lines = piece.split(b"\n")[1:-1]
    return len(lines) >= 8 and sum(map(bool, map(_ROW.match, lines))) >= 0.9 * len(lines)


def _holds_literals(piece: bytes) -> bool:
    """Tell whether the lines are rows of texts and numbers, and the texts no sentences."""
    if _share(piece, _QUOTES) < 0.04:
        return False
    lines = [line for line in piece.split(b"\n")[1:-1] if line.strip()]
    if len(lines) < 8 or sum(map(bool, map(_LITERALS.match, lines))) < 0.9 * len(lines):
        return False
    return sum(map(len, _SENTENCES.findall(piece))) < 0.15 * len(piece)


def _is_dump(pieces: Sequence[bytes], *, large: bool) -> bool:
    """Tell whether JSON is a row of records without sentences in them; of a large one, anything."""
    text = b"\n".join(pieces)
    keys = _KEY.findall(text)
    told = sum(map(len, _SENTENCE.findall(text)))
    repeated = len(keys) >= 120 and len(set(keys)) <= 0.2 * len(keys)
    return told < (0.15 if repeated else 0.05) * len(text) and (repeated or large)


def _names_digests(pieces: Sequence[bytes]) -> bool:
    """Tell whether line after line names a digest, as lock files do."""
    lines = b"\n".join(pieces).split(b"\n")
    return sum(map(bool, map(_DIGEST.search, lines))) >= max(12, 0.12 * len(lines))


def _is_markup(piece: bytes) -> bool:
    between = _ELEMENT.sub(b"", piece)
    return len(between.translate(None, _BLANKS)) < 0.1 * len(piece)
