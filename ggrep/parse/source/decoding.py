"""Decodes bytes by the first of these rules that applies.

1. a byte order mark;
2. UTF-8 from end to end, ASCII included, and ISO-2022, whose escapes name its character sets;
3. zeros at the positions at which UTF-16 or UTF-32 has zeros for ASCII;
4. a declaration in the file, then the repository's rules for the file's path;
5. UTF-8 with a few invalid bytes;
6. a guess from the bytes beyond ASCII.

All later stages receive UTF-8.
"""

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.parse.source.declared_encoding import declared_encodings
from ggrep.parse.source.guessed_encoding import FALLBACK, Guess, guess_encoding, lines_beyond_ascii

UTF_8: Final = "utf-8"

_LOOKED_AT_BYTES: Final = 8_192
"""Number of bytes of a file that are checked for values that no text contains."""
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks; longer marks are tried first, because a shorter mark is their beginning."""
_BY_ZEROS: Final = (
    ("utf-32-le", 4, frozenset({0})),
    ("utf-32-be", 4, frozenset({3})),
    ("utf-16-le", 2, frozenset({0})),
    ("utf-16-be", 2, frozenset({1})),
)
"""Encodings, their width in bytes, and the positions in a unit at which ASCII has no zero."""
_WIDE: Final = ("utf-16", "utf-32")
_LEAST_ZEROS: Final = 0.2
_FEWEST_ZEROS: Final = 4
"""Minimum share and number of zeros at each other position of wide text without a mark."""
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MOST_CONTROLS: Final = 0.02
_ESCAPED: Final = re.compile(rb"\x1b\$(?:[@B]|\)C|\([CDQ])")
"""Escape sequences that begin Japanese or Korean in ISO-2022, all of whose bytes are ASCII."""
_ISO_2022: Final = ("iso2022_kr", "iso2022_jp_2", "iso2022_jp_3")
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
_WESTERN: Final = re.compile("[\xa0-\u017f\u2000-\u206f\u20ac]")
"""Letters and signs of Western text."""
_ASCII: Final = bytes(range(128))
_SURROGATES: Final = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
"""A character in CESU-8: two encoded surrogates."""
_LEAST_GOOD: Final = 3
"""Number of valid characters per invalid byte with which a file counts as UTF-8 in any case."""
_MOST_BAD: Final = 3
"""Maximum number of bad bytes per valid Western letter with which Latin text counts as UTF-8."""
_MOST_UNKNOWN: Final = 0.02
"""Maximum share of the bytes beyond ASCII that a declared encoding cannot decode."""
_NO_TEXT: Final = frozenset({"Cc", "Cn", "Co", "Cs"})
_IN_TEXT: Final = frozenset("\t\n\f\r\ufeff")
_NEXT_LINE: Final = b"\xc2\x85"
_LINE_ENDS: Final = re.compile(rb"[\r\n]")


class Decoded(Struct, frozen=True):
    """A file's text.

    Attributes:
        data: the text as UTF-8.
        encoding: the encoding of the file.
        replaced: number of invalid bytes, or sequences of invalid bytes, that were replaced by
            U+FFFD.
        guessed: whether the encoding is neither marked nor declared nor certain from the bytes.
    """

    data: bytes
    encoding: str = UTF_8
    replaced: int = 0
    guessed: bool = False


def decode(data: bytes, rule: Callable[[], str] = str) -> Decoded | None:
    """Return the text of a file; None if the file is not text.

    Args:
        data: the file's bytes.
        rule: returns the codec that the repository declares for the file's path, or an empty name.
    """
    decoded = _decoded(data, rule)
    return None if decoded is None else replace(decoded, data=_in_lines(decoded.data))


def _decoded(data: bytes, rule: Callable[[], str]) -> Decoded | None:
    marked = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), None)
    if marked is not None:
        return _as_text(data[len(marked[0]) :], marked[1])
    head = data[:_LOOKED_AT_BYTES]
    if b"\0" in head:
        return _wide(data, rule())
    if data.isascii() and _ESCAPED.search(head) is not None:
        return next(_exact(data, _ISO_2022), Decoded(data))
    with suppress(UnicodeDecodeError):
        data.decode(UTF_8)
        return Decoded(data)
    is_binary = len(_CONTROLS.findall(head)) > _MOST_CONTROLS * len(head)
    return None if is_binary else _declared(data, rule()) or _undeclared(data)


def _wide(data: bytes, rule: str) -> Decoded | None:
    """Return the UTF-16 or UTF-32 text of bytes with zeros and without a byte order mark."""
    if (ruled := _ruled_wide(data, rule)) is not None:
        return ruled
    if zeros := _by_zeros(data[:_LOOKED_AT_BYTES]):
        text = _as_text(data, zeros)
        return text if text and text.replaced <= bool(len(data) % 2) else None
    wide = _exact(data, ("utf-16-le", "utf-16-be"))
    return next((text for text in wide if _is_prose(text.data)), None)


def _exact(data: bytes, names: tuple[str, ...]) -> Iterator[Decoded]:
    """Yield the text in each of the encodings that decodes all bytes."""
    for name in names:
        text = _as_text(data, name)
        if text is not None and not text.replaced:
            yield text


def _is_prose(data: bytes) -> bool:
    """Return whether a non-ASCII text is plausible: words in lines, no unassigned characters."""
    text = data[:_LOOKED_AT_BYTES].decode(UTF_8, "ignore")
    known = all(
        character in _IN_TEXT or unicodedata.category(character) not in _NO_TEXT
        for character in text
    )
    return known and any(blank in text for blank in " \n")


def _ruled_wide(data: bytes, rule: str) -> Decoded | None:
    texts = _exact(data, (rule,)) if rule.startswith(_WIDE) else ()
    return next((text for text in texts if _is_prose(text.data)), None)


def _declared(data: bytes, rule: str) -> Decoded | None:
    """Return the text in the declared encoding, if it decodes nearly all bytes."""
    most = _MOST_UNKNOWN * len(data.translate(None, _ASCII))
    for name in (*declared_encodings(data), rule):
        if name and not name.startswith("utf"):
            text = _as_text(data, name)
            if text is not None and text.replaced <= most:
                return text
    return _ruled_wide(data, rule)


def _undeclared(data: bytes) -> Decoded | None:
    """Return the text as UTF-8 with a few invalid bytes, or else in the likeliest encoding."""
    if _is_cut(data):
        return _as_broken(data)
    if not _LINE_ENDS.search(data) and data.count(b"\x85") > 1:
        data = data.replace(b"\x85", b"\n")
    sample = lines_beyond_ascii(data)
    text = _as_broken(sample).data.decode()
    bad = text.count(_REPLACEMENT)
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    if sample and bad * _LEAST_GOOD <= beyond - bad:
        return _as_broken(data)
    guess = guess_encoding(sample) if sample else Guess(FALLBACK, is_latin=True)
    if guess.is_latin and 0 < bad <= _MOST_BAD * len(_WESTERN.findall(text)):
        return _as_broken(data)
    guessed = _as_text(data, guess.encoding)
    return guessed and replace(guessed, guessed=True)


def _as_broken(data: bytes) -> Decoded:
    """Return the text of UTF-8 that contains invalid bytes, or surrogates as in CESU-8."""
    joined = _SURROGATES.sub(_join, data)
    text = joined.decode(UTF_8, "replace")
    name = UTF_8 if joined == data else "cesu-8"
    return Decoded(text.encode(), name, text.count(_REPLACEMENT))


def _join(match: re.Match[bytes]) -> bytes:
    wide = match[0].decode(UTF_8, "surrogatepass").encode("utf-16-le", "surrogatepass")
    return wide.decode("utf-16-le").encode()


def _is_cut(data: bytes) -> bool:
    """Return whether a text is UTF-8 whose last character is incomplete."""
    decoder = codecs.getincrementaldecoder(UTF_8)()
    try:
        decoder.decode(data)
    except UnicodeDecodeError:
        return False
    rest = decoder.getstate()[0]
    return len(rest) > 1 or (rest.decode(FALLBACK).isupper() and data[-2:-1].islower())


def _by_zeros(head: bytes) -> str | None:
    """Return the UTF-16 or UTF-32 encoding in which ASCII has zeros where `head` has zeros."""
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
    """Return a text with line feeds as line ends, of the same length."""
    if b"\n" in data:
        return data
    if b"\r" in data:
        return data.replace(b"\r", b"\n")
    return data.replace(_NEXT_LINE, b" \n")
