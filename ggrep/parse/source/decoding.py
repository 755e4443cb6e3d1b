"""Decodes bytes: byte order mark, UTF-8, UTF-16 by its zeros, else a detected encoding.

Whatever a file was written in, all that follows sees UTF-8. Detection looks at the lines that are
not ASCII alone, and at a bounded number of their bytes.
"""

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final

UTF_8: Final = "utf-8"

_SAMPLE_BYTES: Final = 16_384
_SAMPLE_LINES: Final = 256
_LOOKED_AT_BYTES: Final = 8_192
"""How much of a file is looked at for what no text holds."""
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""A longer mark begins with a shorter one, so it is tried first."""
_BY_ZEROS: Final = (
    ("utf-32-le", 4, frozenset({0})),
    ("utf-32-be", 4, frozenset({3})),
    ("utf-16-le", 2, frozenset({0})),
    ("utf-16-be", 2, frozenset({1})),
)
"""Encodings, their width, and the places in it where ASCII has no zero."""
_LEAST_ZEROS: Final = 0.2
_FEWEST_ZEROS: Final = 4
"""Share, and number, of the other places that are zero in UTF-16 or UTF-32 without a mark."""
_FALLBACK: Final = "cp1252"
_LATIN_1: Final = "iso8859-1"
"""Of which the fallback is a superset, but for what no text holds."""
_LEAST_EVIDENCE: Final = 5
"""Fewer bytes beyond ASCII than these are no evidence for any encoding but the commonest."""
_CANDIDATES: Final = (
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("iso8859-1", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-8", "iso8859-9", "iso8859-15"),
    *("koi8-r", "koi8-u", "cp866", "cp874", "mac-cyrillic", "mac-roman"),
    *("shift_jis_2004", "cp932", "euc_jis_2004", "iso2022_jp_2", "gb18030", "big5hkscs", "cp949"),
)
_BEYOND_ASCII: Final = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_BEYOND: Final = re.compile(rb"[\x80-\xff]")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MOST_CONTROLS: Final = 0.02
_ESCAPED: Final = b"\x1b$B"
"""Begins Japanese in ISO-2022-JP, all of whose bytes are ASCII's."""
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
_LEADING: Final = bytes(range(0xC2, 0xF5))
"""What characters beyond ASCII begin with in UTF-8."""
_NEXT_LINE: Final = b"\xc2\x85"


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text.

    Attributes:
        data: as UTF-8.
        encoding: what it was written in.
        replaced: bytes, or runs of them, that the encoding does not know; U+FFFD stands for each.
    """

    data: bytes
    encoding: str = UTF_8
    replaced: int = 0


def decode(data: bytes) -> Decoded | None:
    """Return a file's text; None where it holds something else than text."""
    found = _decoded(data)
    return None if found is None else Decoded(_in_lines(found.data), found.encoding, found.replaced)


def _decoded(data: bytes) -> Decoded | None:
    marked = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), None)
    if marked is not None:
        return _as_text(data[len(marked[0]) :], marked[1])
    if b"\0" in data[:_LOOKED_AT_BYTES]:
        wide = _by_zeros(data[:_LOOKED_AT_BYTES])
        found = _as_text(data, wide) if wide else None
        return found if found and not found.replaced else None
    if _ESCAPED in data[:_LOOKED_AT_BYTES] and data.isascii():
        return _as_text(data, _detected(data))
    try:
        data.decode(UTF_8)
    except UnicodeDecodeError:
        return _of_other_bytes(data)
    return Decoded(data)


def _of_other_bytes(data: bytes) -> Decoded | None:
    """Return the text of bytes that are not UTF-8 from end to end."""
    head = data[:_LOOKED_AT_BYTES]
    if len(_CONTROLS.findall(head)) > _MOST_CONTROLS * len(head):
        return None
    mended = data.decode(UTF_8, "replace")
    bad = mended.count(_REPLACEMENT)
    if bad < len(data) - len(data.translate(None, _LEADING)) - bad:
        return Decoded(mended.encode(), UTF_8, bad)
    lines = islice(_BEYOND_ASCII.finditer(data), _SAMPLE_LINES)
    return _as_text(data, _detected(b"\n".join(line[0][:_SAMPLE_BYTES] for line in lines)))


def _detected(sample: bytes) -> str:
    if 0 < len(_BEYOND.findall(sample)) < _LEAST_EVIDENCE:
        with suppress(UnicodeDecodeError):
            sample.decode(_FALLBACK)
            return _FALLBACK
    import chardet  # most files are UTF-8

    found = chardet.detect(
        sample[:_SAMPLE_BYTES],
        compat_names=False,
        include_encodings=_CANDIDATES,
        no_match_encoding=_FALLBACK,
    )
    name = codecs.lookup(found["encoding"] or _FALLBACK).name
    return _FALLBACK if name == _LATIN_1 else name


def _by_zeros(head: bytes) -> str | None:
    """Return the wide encoding in which ASCII would have its zeros where these are."""
    for name, width, filled in _BY_ZEROS:
        places = [head[place::width].count(0) for place in range(width)]
        empty = [count for place, count in enumerate(places) if place not in filled]
        most = len(head) // width
        if not any(places[place] for place in filled) and min(empty) >= max(
            _LEAST_ZEROS * most, _FEWEST_ZEROS
        ):
            return name
    return None


def _as_text(data: bytes, encoding: str) -> Decoded | None:
    text = data.decode(encoding, "replace")
    if "\0" in text[:_LOOKED_AT_BYTES]:
        return None
    return Decoded(text.encode(UTF_8, "replace"), encoding, text.count(_REPLACEMENT))


def _in_lines(data: bytes) -> bytes:
    """Return text whose lines end otherwise than in line feeds with those, byte for byte."""
    if b"\n" in data:
        return data
    if b"\r" in data:
        return data.replace(b"\r", b"\n")
    return data.replace(_NEXT_LINE, b" \n")
