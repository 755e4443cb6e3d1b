"""Classifies a text by the form of its lines, if name and first line do not show its language."""

import re
from typing import Final

_LOOKED_AT_BYTES: Final = 16 * 1024
_MARKUP: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml\b|!--|!DOCTYPE\b|[A-Za-z][\w:.-]*[\s/>])"
)
_LINE: Final = re.compile(rb"^[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE)
_STATEMENT: Final = re.compile(rb"[{};]$|^[})\]]|[^.\w]\($|^(?:#include|#if|#define)\b")
_SETTING: Final = re.compile(rb"[#;]|\[[^\]\n]+\]$|[\w.-]+[ \t]*[=:][ \t]*\S?")
_LEAST_LINES: Final = 2


def by_form(data: bytes) -> str:
    """Return `xml`, `ini`, `code` (a program in an unknown language) or `text`.

    In code, at least a quarter of the lines end like statements or blocks. An INI file consists
    only of lines with keys and values.
    """
    head = data[:_LOOKED_AT_BYTES]
    if _MARKUP.match(head):
        return "xml"
    lines = _LINE.findall(head)
    if len(lines) < _LEAST_LINES:
        return "text"
    if sum(map(bool, map(_STATEMENT.search, lines))) >= len(lines) / 4:
        return "code"
    return "ini" if all(map(_SETTING.match, lines)) else "text"
