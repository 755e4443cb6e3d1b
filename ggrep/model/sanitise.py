"""Strips terminal escape sequences, control characters and direction marks from text."""

import re
from collections.abc import Sequence

# A payload ends at the latest with its line, as an unclosed sequence must not remove the rest of a
# chunk.
_PAYLOAD = "[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c|(?=\n)|$)"
_SEQUENCES = re.compile(
    f"\x1b[\\]PX^_]{_PAYLOAD}"  # OSC, DCS, SOS, PM, APC
    f"|[\x90\x98\x9d-\x9f]{_PAYLOAD}"  # the same sequences, 8-bit
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    "|\x1b[ -/]*[0-~]"  # two-character escapes
)
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)
_BREAKS = re.compile(r"[\n\t]+")
_LONE = re.compile("[\ud800-\udfff]")
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff]"
)
"""All characters that the other patterns can remove. Most texts contain none of them, which one
search detects."""
_PLAIN = bytes({*b"\t\n", *range(0x20, 0x7F)})
"""ASCII characters that stay; deleting them from a text is faster than a search."""
_PIECE = r"[^\s'\"`:;,()<>\[\]{}|]"
ABSOLUTE_PATH = re.compile(
    # The address of a server is no path.
    rf"(?<![\w.~/\\-])(?!(?<=\bhttp:)//|(?<=\bhttps:)//)(?:/|[A-Za-z]:[\\/]|\\\\){_PIECE}+"
    # A path continues after a space if another slash follows.
    rf"(?: {_PIECE}*[/\\]{_PIECE}*)*(?<![.])"
)


def sanitise(text: str) -> str:
    """Return `text` without escape sequences and without control characters except LF and TAB.

    Lone surrogates become U+FFFD, so that the result is always valid UTF-8.
    """
    if text.isascii() and not text.encode().translate(None, _PLAIN):
        return text
    if _SUSPECT.search(text) is None:
        return text
    return _LONE.sub("\ufffd", _CONTROLS.sub("", _SEQUENCES.sub("", text)))


def sanitise_line(text: str) -> str:
    """Return `text` sanitised and on a single line, for paths, names and messages."""
    return text if text.isascii() and text.isprintable() else _BREAKS.sub(" ", sanitise(text))


def without_directories(text: str) -> str:
    """Return a message on one line, with absolute paths reduced to their last parts."""

    def last_name(path: re.Match[str]) -> str:
        return re.split(r"[/\\]", path[0].rstrip("/\\"))[-1] or path[0]

    return ABSOLUTE_PATH.sub(last_name, sanitise_line(text))


def is_text(text: str) -> bool:
    """Return whether a text has no lone surrogates, which represent bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def first_of(texts: Sequence[str], most: int) -> str:
    """Return the first texts and the number of the rest: `a, b and 3 more`."""
    left = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {left} more" if left > 0 else "")
