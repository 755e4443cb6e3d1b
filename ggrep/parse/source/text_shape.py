"""Recognises minified text and data dumps by the form of their lines.

Only a few pieces of the text, at fixed positions, are examined. A large file therefore takes hardly
more time than a small file, and the same bytes always have the same result.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

_PIECES: Final = 8
_PIECE_BYTES: Final = 4096
_LEAST_MINIFIED_BYTES: Final = 2048
_LEAST_DATA_BYTES: Final = 16_384
"""Minimum bytes of a text that is checked for data; smaller texts take little time anyway."""

_LARGE_BYTES: Final = 1 << 20
"""Minimum size at which all records are a dump; half of it for JSON."""

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
"""A blob after translation by `_IN_BLOBS`; searching for it takes a tenth of the time."""
_ROW: Final = re.compile(rb"(?i)\s*(?:INSERT\s+INTO\b|\(|COPY\s)|[^\s,;]+$")
_LITERAL: Final = (
    rb"(?:[bBuUrRL]?\"(?:[^\"\\\n]|\\.)*\"|[bBuUrRL]?'(?:[^'\\\n]|\\.)*'"
    rb"|[-+]?(?<![\w.])\d[\w.]*+|\b(?:[Tt]rue|[Ff]alse|[Nn]one|[Nn]ull|nil)\b)"
)
_BETWEEN: Final = rb"[\s{}\[\](),:;=>|]*+"
_LITERALS: Final = re.compile(
    _BETWEEN + rb"(?:" + _LITERAL + _BETWEEN + rb")++(?:(?://|#|/\*|--).*)?$"
)
"""A line that consists only of strings and numbers: a row of a table that is written as code.

The quantifiers are possessive, because a line of digits could be split in any number of ways.
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
    """Return whether a script, style sheet or page is minified into few long lines.

    Scripts of more than a megabyte count as minified, because only programs write such scripts.
    """
    if len(data) < _LEAST_MINIFIED_BYTES or not _SCRIPTS.search(path_key.lower()):
        return False
    if len(data) > _LARGE_BYTES and _BUNDLES.search(path_key.lower()):
        return True
    # Pictures in a script, and elements of a page, do not count as lines.
    whole = b"\n".join(_pieces(data))
    text = _BLOB.sub(b"", whole) if _LEAST_BLOB in whole.translate(_IN_BLOBS) else whole
    if _PAGES.search(path_key.lower()):
        text = _ELEMENT.sub(b"", text)
    else:
        whole = text
    if 2 * len(text) < _LEAST_MINIFIED_BYTES:
        return False
    long = b"".join(line for line in text.split(b"\n") if len(line) > _LONG_LINE)
    if len(long) < 0.6 * len(whole) or _share(text, _BLANKS) >= 0.14:
        return False
    # A source can contain a list of words or a pattern in one long line; other lines are indented.
    return _share(long, _MARKS) >= 0.08 or len(_INDENTED.findall(text)) <= _FEW_LINES


def is_data(path_key: str, data: bytes) -> bool:
    """Return whether a text is a table, a dump or a blob, and not written to be read."""
    if len(data) < _LEAST_DATA_BYTES:
        return False
    name, pieces = path_key.lower(), _pieces(data)
    if _most(pieces, _holds_numbers) or _most(pieces, _is_blob):
        return True
    if _RECORDS.search(name):
        return _are_records(name, len(data), pieces)
    return _most(pieces, _holds_literals)


def _are_records(name: str, size_bytes: int, pieces: Sequence[bytes]) -> bool:
    """Return whether a file with a data format's name extension is a dump or a tool's lock file."""
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
    """Return pieces at fixed positions in a text; for a short text, the whole text."""
    if len(data) <= _PIECES * _PIECE_BYTES:
        return [data[at : at + _PIECE_BYTES] for at in range(0, len(data), _PIECE_BYTES)]
    step = (len(data) - _PIECE_BYTES) // (_PIECES - 1)
    return [data[at * step : at * step + _PIECE_BYTES] for at in range(_PIECES)]


def _most(pieces: Sequence[bytes], test: Callable[[bytes], bool]) -> bool:
    """Return whether all pieces of a text, or all except one, pass a test."""
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
    has_run = _LEAST_BLOB in piece.translate(_IN_BLOBS)
    return has_run and sum(map(len, _BLOB.findall(piece))) >= 0.6 * len(piece)


def _holds_rows(piece: bytes) -> bool:
    """Return whether the lines are rows inserted into tables, or single words."""
    lines = piece.split(b"\n")[1:-1]
    return len(lines) >= 8 and sum(map(bool, map(_ROW.match, lines))) >= 0.9 * len(lines)


def _holds_literals(piece: bytes) -> bool:
    """Return whether the lines are rows of strings and numbers without sentences."""
    if _share(piece, _QUOTES) < 0.04:
        return False
    lines = [line for line in piece.split(b"\n")[1:-1] if line.strip()]
    if len(lines) < 8 or sum(map(bool, map(_LITERALS.match, lines))) < 0.9 * len(lines):
        return False
    return sum(map(len, _SENTENCES.findall(piece))) < 0.15 * len(piece)


def _is_dump(pieces: Sequence[bytes], *, large: bool) -> bool:
    """Return whether JSON has few sentences, and is large or repeats a few keys."""
    text = b"\n".join(pieces)
    keys = _KEY.findall(text)
    sentences = sum(map(len, _SENTENCE.findall(text)))
    repeated = len(keys) >= 120 and len(set(keys)) <= 0.2 * len(keys)
    return sentences < (0.15 if repeated else 0.05) * len(text) and (repeated or large)


def _names_digests(pieces: Sequence[bytes]) -> bool:
    """Return whether most lines contain a digest, as in lock files."""
    lines = b"\n".join(pieces).split(b"\n")
    return sum(map(bool, map(_DIGEST.search, lines))) >= max(12, 0.12 * len(lines))


def _is_markup(piece: bytes) -> bool:
    between = _ELEMENT.sub(b"", piece)
    return len(between.translate(None, _BLANKS)) < 0.1 * len(piece)
